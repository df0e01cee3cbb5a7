"""Answer DNS on a loopback UDP and TCP port from the zones' state. Decides nothing: resolver does.

A packet that is no question is dropped without a word; nothing a client sends may end a thread.
"""

import random
import socket
import socketserver
import threading
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Self

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.rcode
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.rrset

from enactor.sandbox import resolver, zone_names, zone_values
from enactor.sandbox.resolver import Answer, Response, World
from enactor.sandbox.zone_model import Zone

LOOPBACK = "127.0.0.1"
UDP_PLAIN_BYTES = 512
UDP_EDNS_MAX_BYTES = 1232
TCP_MAX_BYTES = 65_535
TCP_IDLE_SECONDS = 5.0
POLL_SECONDS = 0.05
BIND_TRIES = 20
RCODES: Mapping[str, dns.rcode.Rcode] = {
    resolver.NOERROR: dns.rcode.NOERROR,
    resolver.NXDOMAIN: dns.rcode.NXDOMAIN,
    resolver.REFUSED: dns.rcode.REFUSED,
}


def weighted_pick(source: random.Random) -> resolver.Pick:
    """Return a pick that draws from this source."""

    def pick(weights: Sequence[int]) -> int:
        sums = list(accumulate(weights))
        return bisect_right(sums, source.randrange(sums[-1]))

    return pick


class DnsServer:
    """UDP and TCP on one port."""

    def __init__(
        self,
        zones: Callable[[], Sequence[Zone]],
        *,
        host: str = LOOPBACK,
        port: int = 0,
        source: random.Random | None = None,
        alias_answers: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._zones = zones
        self._pick = weighted_pick(source or random.Random())  # noqa: S311 - load balancing is no secret
        self.alias_answers: dict[str, tuple[str, ...]] = {
            zone_names.canonical(name): tuple(values) for name, values in (alias_answers or {}).items()
        }
        self._udp, self._tcp = _bound_pair(host, port, self.answer)
        self.address: tuple[str, int] = (host, int(self._udp.server_address[1]))
        self._threads = [
            threading.Thread(target=server.serve_forever, args=(POLL_SECONDS,), daemon=True)
            for server in (self._udp, self._tcp)
        ]

    def start(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def stop(self) -> None:
        for server in (self._udp, self._tcp):
            server.shutdown()
            server.server_close()
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def answer(self, packet: bytes, *, over_udp: bool) -> bytes | None:
        """Return the answer to one packet, or None for what is no question."""
        try:
            query = dns.message.from_wire(packet)
        except (dns.exception.DNSException, ValueError):
            return None
        if query.flags & dns.flags.QR:
            return None
        response = dns.message.make_response(query)
        response.flags |= dns.flags.AA
        if query.opcode() != dns.opcode.QUERY or len(query.question) != 1:
            response.set_rcode(dns.rcode.NOTIMP)
        else:
            _fill(response, self._respond(query.question[0]))
        return _wire(response, _limit_bytes(query, over_udp=over_udp))

    def _respond(self, question: dns.rrset.RRset) -> Response:
        if question.rdclass != dns.rdataclass.IN:
            return Response(resolver.REFUSED)
        name = zone_names.spell(question.name.labels[:-1])
        world = World(self._zones(), self.alias_answers, self._pick)
        return resolver.respond(world, name, dns.rdatatype.to_text(question.rdtype))


class _UdpHandler(socketserver.BaseRequestHandler):
    server: "_Udp"

    def handle(self) -> None:
        packet, udp = self.request
        answer = self.server.answer(packet, over_udp=True)
        if answer is not None:
            udp.sendto(answer, self.client_address)


class _TcpHandler(socketserver.BaseRequestHandler):
    server: "_Tcp"

    def handle(self) -> None:
        self.request.settimeout(TCP_IDLE_SECONDS)
        try:
            while packet := self._packet():
                answer = self.server.answer(packet, over_udp=False)
                if answer is None:
                    return
                self.request.sendall(len(answer).to_bytes(2, "big") + answer)
        except OSError:
            return  # the client went away, or said nothing for too long

    def _packet(self) -> bytes:
        length = int.from_bytes(self._exactly(2), "big")
        return self._exactly(length)

    def _exactly(self, count: int) -> bytes:
        got = b""
        while len(got) < count:
            part = self.request.recv(count - len(got))
            if not part:
                return b""
            got += part
        return got


class _Udp(socketserver.UDPServer):
    max_packet_size = TCP_MAX_BYTES

    def __init__(self, address: tuple[str, int], answer: Callable[..., bytes | None]) -> None:
        self.answer = answer
        super().__init__(address, _UdpHandler)


class _Tcp(socketserver.ThreadingTCPServer):
    """Its threads are no daemons: server_close joins them, after their sockets were shut."""

    daemon_threads = False
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], answer: Callable[..., bytes | None]) -> None:
        self.answer = answer
        self._open: set[socket.socket] = set()
        super().__init__(address, _TcpHandler)

    def process_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        assert isinstance(request, socket.socket)
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        assert isinstance(request, socket.socket)
        self._open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # it closed by itself
        super().server_close()


def _bound_pair(host: str, port: int, answer: Callable[..., bytes | None]) -> tuple[_Udp, _Tcp]:
    """Bind both; a free UDP port may be taken on TCP, so a few are tried when none was asked for."""
    for tries_left in reversed(range(BIND_TRIES if port == 0 else 1)):
        udp = _Udp((host, port), answer)
        try:
            return udp, _Tcp((host, int(udp.server_address[1])), answer)
        except OSError:
            udp.server_close()
            if tries_left == 0:
                raise
    raise AssertionError("unreachable")


def _limit_bytes(query: dns.message.Message, *, over_udp: bool) -> int:
    if not over_udp:
        return TCP_MAX_BYTES
    if query.edns < 0:
        return UDP_PLAIN_BYTES
    return max(UDP_PLAIN_BYTES, min(query.payload, UDP_EDNS_MAX_BYTES))


def _wire(response: dns.message.Message, limit_bytes: int) -> bytes:
    try:
        return response.to_wire(max_size=limit_bytes)
    except dns.exception.TooBig:
        response.flags |= dns.flags.TC
        response.answer.clear()
        response.authority.clear()
        return response.to_wire(max_size=limit_bytes)


def _fill(response: dns.message.Message, found: Response) -> None:
    response.set_rcode(RCODES[found.status])
    response.answer.extend(_rrset(answer) for answer in found.answers)
    response.authority.extend(_rrset(answer) for answer in found.authority)


def _rrset(answer: Answer) -> dns.rrset.RRset:
    kind = dns.rdatatype.from_text(answer.type)
    rrset = dns.rrset.RRset(_name(answer.name), dns.rdataclass.IN, kind)
    for value in answer.values:
        rrset.add(_rdata(kind, answer.type, value), answer.ttl_seconds)
    return rrset


def _rdata(kind: dns.rdatatype.RdataType, record_type: str, value: str) -> dns.rdata.Rdata:
    """Route 53 writes octets in octal, DNS master files in decimal: names and texts are taken by octets."""
    if record_type in zone_values.TEXT_TYPES:
        wire = b"".join(bytes([len(part)]) + part for part in zone_values.text_strings(value))
        return dns.rdata.from_wire(dns.rdataclass.IN, kind, wire, 0, len(wire))
    if record_type in zone_values.HOST_TYPES:
        wire = _name(value).to_wire() or b""
        return dns.rdata.from_wire(dns.rdataclass.IN, kind, wire, 0, len(wire))
    return dns.rdata.from_text(dns.rdataclass.IN, kind, value, origin=dns.name.root, relativize=False)


def _name(text: str) -> dns.name.Name:
    return dns.name.Name((*zone_names.labels(text), b""))
