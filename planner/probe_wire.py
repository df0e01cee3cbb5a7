"""Carry one check: open a connection, ask one thing over plain TCP or TLS, read until the status is there, and drop it.

It decides nothing about health. Nothing is resolved, nothing is read beyond the status line, and nobody is said goodbye to: the
connection is closed with whatever of the answer has not come yet.
"""

import asyncio
import errno
import os
import socket
import ssl
from collections.abc import Callable
from typing import Final, TypeVar

from planner.probe_answer import (
    Checked,
    NoHttpError,
    Sign,
    is_ipv6,
    of_status,
    place_of,
    request_to,
    status_in,
    url_of,
)
from planner.probe_settings import ProbeSettings

Result = TypeVar("Result")

CHUNK_OCTETS: Final = 4_096
EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""This host cannot open another connection: no word about any target."""
NO_ROUTE: Final = frozenset(
    {errno.ENETUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPERM, errno.EACCES}
)
"""The own system's answers to a connect that leaves nothing on the wire: no route, no address to send from, its own firewall."""
HEARD: Final = frozenset({errno.ECONNREFUSED, errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE})
"""What the other side causes, or a machine on the way to it."""


def tls_context(settings: ProbeSettings) -> ssl.SSLContext:
    """Return how TLS is spoken: with the system's certificate authorities, unless nothing is to be verified."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    if not settings.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


class Exchange:
    """The check of one address. Raises OSError of EXHAUSTED, TimeoutError never: who runs it sets the time."""

    def __init__(self, address: str, settings: ProbeSettings, tls: ssl.SSLContext | None) -> None:
        self._address = address
        self._settings = settings
        self._tls = tls
        self._place = place_of(address, settings.port)
        self._socket: socket.socket | None = None
        self._is_connected = False

    def close(self) -> None:
        """Drop the connection."""
        if self._socket is not None:
            self._socket.close()

    async def run(self) -> Checked:
        """Return what the check found."""
        try:
            return await self._run()
        except ssl.SSLError as error:
            return Checked(healthy=False, why=f"TLS with {self._place} failed: {_tls_reason(error)}")
        except NoHttpError:
            return Checked(healthy=False, why=f"{url_of(self._address, self._settings)} answered what is no HTTP/1")
        except OSError as error:
            if error.errno in EXHAUSTED:
                raise
            return self._failed(error)

    def late(self) -> Checked:
        """Return what it means that the time is over. Once the connection stood, the way there is known to be good."""
        seconds = f"{self._settings.timeout:g} s"
        if not self._is_connected:
            return Checked(healthy=False, why=f"connect to {self._place} timed out after {seconds}", sign="silence")
        return Checked(healthy=False, why=f"{url_of(self._address, self._settings)} gave no answer within {seconds}")

    async def _run(self) -> Checked:
        family = socket.AF_INET6 if is_ipv6(self._address) else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.setblocking(False)
        await asyncio.get_running_loop().sock_connect(self._socket, (self._address, self._settings.port))
        self._is_connected = True
        if self._settings.protocol == "tcp":
            return Checked(healthy=True, why=f"{self._place} accepts connections")
        url = url_of(self._address, self._settings)
        channel = Plain(self._socket) if self._tls is None else Secured(self._socket, self._tls, self._settings.host)
        await channel.send(request_to(self._address, self._settings))
        answer = b""
        while (status := status_in(answer)) is None:
            chunk = await channel.receive()
            if not chunk:
                return Checked(healthy=False, why=f"{url} closed the connection without an answer")
            answer += chunk
        return of_status(status, url, self._settings)

    def _failed(self, error: OSError) -> Checked:
        if self._is_connected:
            return Checked(healthy=False, why=f"{url_of(self._address, self._settings)} failed: {said(error)}")
        sign: Sign = "answer" if error.errno in HEARD else "no-route" if error.errno in NO_ROUTE else "silence"
        return Checked(healthy=False, why=f"connect to {self._place} failed: {said(error)}", sign=sign)


class Plain:
    """A connected socket."""

    def __init__(self, connected: socket.socket) -> None:
        self._loop = asyncio.get_running_loop()
        self._socket = connected

    async def send(self, octets: bytes) -> None:
        await self._loop.sock_sendall(self._socket, octets)

    async def receive(self) -> bytes:
        """Return some octets, none at the end."""
        return await self._loop.sock_recv(self._socket, CHUNK_OCTETS)


class Secured:
    """A connected socket that speaks TLS; the handshake comes with the first thing that is sent.

    By hand over two buffers: a transport of asyncio keeps the connection after its close for TLS's goodbye.
    """

    def __init__(self, connected: socket.socket, context: ssl.SSLContext, host: str | None) -> None:
        self._plain = Plain(connected)
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)

    async def send(self, octets: bytes) -> None:
        await self._insist(self._tls.do_handshake)
        await self._insist(lambda: self._tls.write(octets))

    async def receive(self) -> bytes:
        """Return some octets, none at the end; many a server ends TLS without saying so."""
        try:
            return await self._insist(lambda: self._tls.read(CHUNK_OCTETS))
        except ssl.SSLEOFError:
            return b""

    async def _insist(self, step: Callable[[], Result]) -> Result:
        while True:
            try:
                result = step()
            except ssl.SSLWantReadError:
                await self._flush()
                self._take(await self._plain.receive())
            else:
                await self._flush()
                return result

    async def _flush(self) -> None:
        if self._outgoing.pending:
            await self._plain.send(self._outgoing.read())

    def _take(self, octets: bytes) -> None:
        if octets:
            self._incoming.write(octets)
        else:
            self._incoming.write_eof()


def said(error: OSError) -> str:
    """Return an error of the system in its own words."""
    text = os.strerror(error.errno) if error.errno else str(error)
    return text[:1].lower() + text[1:]


def _tls_reason(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted, {error.verify_message.rstrip('.')}"
    return (error.reason or str(error)).lower().replace("_", " ")
