"""Ask a DNS server a real question over UDP, as a client would."""

from typing import Final

import dns.exception
import dns.flags
import dns.message
import dns.query
import dns.rcode
import dns.rdatatype
import msgspec

TIMEOUT_SECONDS: Final = 2.0
TRIES: Final = 3


class DnsReply(msgspec.Struct, frozen=True):
    """What a client was answered."""

    rcode: str
    addresses: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.rcode}, {' '.join(self.addresses) or 'no answer'}"


def ask(server: tuple[str, int], name: str, record_type: str = "A") -> DnsReply:
    """Ask once, or a few times where the datagram is lost; `TIMEOUT` where nobody answers."""
    host, port = server
    question = dns.message.make_query(name, record_type)
    for _ in range(TRIES):
        try:
            answer = dns.query.udp(question, host, timeout=TIMEOUT_SECONDS, port=port)
        except (dns.exception.Timeout, OSError):
            continue
        wanted = dns.rdatatype.from_text(record_type)
        found = tuple(str(record) for group in answer.answer if group.rdtype == wanted for record in group)
        return DnsReply(dns.rcode.to_text(answer.rcode()), found)
    return DnsReply("TIMEOUT", ())


def ask_until_steady(server: tuple[str, int], name: str, record_type: str = "A", questions: int = 60) -> DnsReply:
    """Ask many times and return every address met: a weighted group answers one of its members at a time."""
    met: set[str] = set()
    rcode = "TIMEOUT"
    for _ in range(questions):
        reply = ask(server, name, record_type)
        rcode = reply.rcode
        met.update(reply.addresses)
    return DnsReply(rcode, tuple(sorted(met)))
