"""Ask DNS servers real questions, all at once and in bounded time. Decides nothing: `seen_outside` does.

It needs no permission and nothing of AWS: a name and a way to the network. UDP first, and TCP where an answer was cut short.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.query
import dns.rcode
import dns.rdata
import dns.rdatatype
import dns.resolver
from dns.rdtypes.ANY.TXT import TXT

from enactor import names
from enactor.plan import Plan
from enactor.ports import Unavailable
from enactor.seen_outside import (
    ADDRESS_TYPES,
    NO_ANSWER,
    EndpointSeen,
    Lags,
    Reply,
    Server,
    ServerSeen,
    Sight,
    fence_of,
    unplanned,
    verdict_of,
    worst,
)

TIMEOUT_SECONDS: Final = 2.0
TRIES: Final = 2
"""A datagram may be lost; a server that is silent twice is told as silent."""
AT_ONCE_MAX: Final = 32
CHAIN_MAX: Final = 16


def ask(server: Server, name: str, record_type: str, *, recursive: bool) -> Reply:
    """Ask one question; what goes wrong is in the reply."""
    question = dns.message.make_query(name, record_type)
    if not recursive:
        question.flags &= ~dns.flags.RD
    began = time.monotonic()
    detail = ""
    for _ in range(TRIES):
        try:
            answer, _ = dns.query.udp_with_fallback(
                question, server.address, timeout=TIMEOUT_SECONDS, port=server.port, ignore_unexpected=True
            )
        except dns.exception.Timeout:
            detail = f"nothing within {TIMEOUT_SECONDS:g} s"
        except (dns.exception.DNSException, OSError, EOFError) as error:
            detail = str(error) or type(error).__name__
        else:
            return _reply(answer, record_type, time.monotonic() - began)
    return Reply(type=record_type, rcode=NO_ANSWER, seconds=round(time.monotonic() - began, 4), detail=detail)


def _reply(answer: dns.message.Message, record_type: str, seconds: float) -> Reply:
    wanted = dns.rdatatype.from_text(record_type)
    values = [record for group in answer.answer if group.rdtype == wanted for record in group]
    sent_on = [record for group in answer.answer if group.rdtype == dns.rdatatype.CNAME for record in group]
    return Reply(
        type=record_type,
        rcode=dns.rcode.to_text(answer.rcode()),
        values=tuple(sorted(_text(record) for record in values)),
        names=tuple(record.to_text() for record in sent_on[:CHAIN_MAX]),
        seconds=round(seconds, 4),
    )


def _text(record: dns.rdata.Rdata) -> str:
    """Return a value as a plan has it; of a TXT the text that its strings make together."""
    if isinstance(record, TXT):
        return b"".join(record.strings).decode("latin-1")
    return record.to_text()


def system_servers() -> tuple[Server, ...]:
    """Return the resolvers that this machine uses; raise Unavailable where it names none."""
    try:
        found = dns.resolver.Resolver()
    except dns.resolver.NoResolverConfiguration as error:
        raise Unavailable(f"this machine names no DNS resolver ({error}): give one with --resolver") from None
    return tuple(Server(str(one), found.port) for one in found.nameservers)


class Finder:
    """Finds what has to be asked by asking the resolvers: a name's zone, and that zone's own servers."""

    def __init__(self, resolvers: Sequence[Server]) -> None:
        self._resolver = dns.resolver.Resolver(configure=False)
        self._resolver.nameservers = [one.address for one in resolvers]
        self._resolver.nameserver_ports = {one.address: one.port for one in resolvers}
        self._resolver.lifetime = TIMEOUT_SECONDS * TRIES * len(resolvers)
        self._resolver.timeout = TIMEOUT_SECONDS

    def zone_name(self, name: str) -> str | None:
        """Return the top of the zone that a name lies in, None where nobody says."""
        try:
            return str(dns.resolver.zone_for_name(name, resolver=self._resolver)).lower()
        except (dns.exception.DNSException, OSError):
            return None

    def servers_of(self, zone_name: str, port: int) -> tuple[Server, ...]:
        """Return a zone's own servers, by one address each; raise Unavailable where there is none to be found."""
        try:
            hosts = sorted(str(one.target) for one in self._resolver.resolve(zone_name, "NS"))
        except (dns.exception.DNSException, OSError) as error:
            raise Unavailable(f"the name servers of {zone_name} cannot be found: {error}") from None
        found = [Server(address, port, host.rstrip(".")) for host in hosts for address in self._addresses(host)[:1]]
        if not found:
            raise Unavailable(f"none of the name servers of {zone_name} ({', '.join(hosts)}) has an address")
        return tuple(found)

    def _addresses(self, host: str) -> list[str]:
        found: list[str] = []
        for record_type in ADDRESS_TYPES:
            try:
                found += sorted(one.to_text() for one in self._resolver.resolve(host, record_type))
            except (dns.exception.DNSException, OSError):
                continue
        return found


class Prober:
    """Looks at endpoints from outside, again and again."""

    def __init__(self, sights: Sequence[Sight], *, recursive: bool) -> None:
        self._sights = tuple(sights)
        self._recursive = recursive
        self._lags = Lags()
        questions = sum(len(sight.servers) * (len(ADDRESS_TYPES) + 1) for sight in sights)
        self._pool = ThreadPoolExecutor(max_workers=max(1, min(AT_ONCE_MAX, questions)), thread_name_prefix="ask")

    def close(self) -> None:
        """Ask nothing more; what is on its way ends by its own time-out."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def look(self, plans: Sequence[Plan] = ()) -> tuple[EndpointSeen, ...]:
        """Ask about every endpoint, every server at the same time, and say what they say."""
        asked = [
            (sight, server, [self._pool.submit(self._ask, server, sight.name, one) for one in ADDRESS_TYPES], fence)
            for sight in self._sights
            for server in sight.servers
            for fence in [self._pool.submit(self._fence, server, sight)]
        ]
        by_name: dict[str, list[ServerSeen]] = {sight.name: [] for sight in self._sights}
        for sight, server, questions, fence_asked in asked:
            replies = tuple(one.result() for one in questions)
            fence = fence_of(fence_asked.result())
            by_name[sight.name].append(
                ServerSeen(
                    server=str(server),
                    verdict=verdict_of(replies),
                    replies=replies,
                    generation=fence.gen if fence else None,
                    plan=fence.plan if fence else None,
                    unplanned=unplanned(sight.name, replies, plans),
                )
            )
        now = time.monotonic()
        return tuple(
            EndpointSeen(
                name=name,
                verdict=worst(one.verdict for one in servers),
                servers=tuple(servers),
                lag_seconds=round(self._lags.lag(name, [one.generation for one in servers], now), 3),
            )
            for name, servers in by_name.items()
        )

    def _ask(self, server: Server, name: str, record_type: str) -> Reply:
        return ask(server, name, record_type, recursive=self._recursive)

    def _fence(self, server: Server, sight: Sight) -> str | None:
        """Return the text of the endpoint's fence."""
        if sight.zone_name is None:
            return None
        try:
            where = names.fence_name(sight.name, sight.zone_name)
        except names.NameFault:
            return None
        reply = ask(server, where, "TXT", recursive=self._recursive)
        return reply.values[0] if len(reply.values) == 1 else None
