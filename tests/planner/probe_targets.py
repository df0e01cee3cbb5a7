"""Targets on real sockets of loopback, each on an address of its own and all on one port, that behave as badly as targets can."""

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from itertools import count
from typing import Self

Behave = Callable[[socket.socket], None]
"""What a target does with a connection; the connection is closed when it returns."""

STEP_SECONDS = 0.05


def answering(*parts: bytes) -> Behave:
    """Answer with these octets, a short while between them, once a request came."""

    def behave(connection: socket.socket) -> None:
        connection.recv(4096)
        for part in parts:
            connection.sendall(part)
            threading.Event().wait(STEP_SECONDS)

    return behave


def answering_for_ever(head: bytes, more: bytes, wait_seconds: float = 0.0) -> Behave:
    """Answer, and go on until the other side has enough."""

    def behave(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(head)
        with contextlib.suppress(OSError):
            while True:
                connection.sendall(more)
                threading.Event().wait(wait_seconds)

    return behave


def hanging(connection: socket.socket) -> None:
    """Accept, and say nothing until the other side gives up."""
    with contextlib.suppress(OSError):
        while connection.recv(4096):
            pass


def closing(connection: socket.socket) -> None:
    """Take the request, and close without a word."""
    connection.recv(4096)


def resetting(connection: socket.socket) -> None:
    """Take the request, and reset the connection."""
    connection.recv(4096)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def secured(context: ssl.SSLContext, behave: Behave) -> Behave:
    """Speak TLS first."""

    def over_tls(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), context.wrap_socket(connection.dup(), server_side=True) as inner:
            behave(inner)

    return over_tls


class Targets:
    """Targets that live until the end of the block. `accepted`: how many connections were made to them so far."""

    def __init__(self) -> None:
        self._hosts = (f"127.0.{number // 250}.{number % 250 + 2}" for number in count())
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self._listening: list[socket.socket] = []
        self._filling: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._changed = threading.Condition(self._lock)
        self.accepted = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for listening in self._listening:
            with contextlib.suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
            listening.close()
        with self._lock:
            still = list(self._open)
        for connection in (*still, *self._filling):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for filling in self._filling:
            filling.close()
        for thread in self._threads:
            thread.join()

    def wait_accepted(self, number: int) -> None:
        """Wait until so many connections were made."""
        with self._changed:
            self._changed.wait_for(lambda: self.accepted >= number)

    def nobody(self) -> str:
        """Return an address that refuses."""
        return next(self._hosts)

    def full(self) -> str:
        """Return an address whose queue of connections is full: the system lets further ones hang."""
        host = next(self._hosts)
        listening = socket.create_server((host, self.port), backlog=0)
        self._listening.append(listening)
        for _ in range(4):
            filling = socket.socket()
            filling.setblocking(False)
            filling.connect_ex((host, self.port))
            self._filling.append(filling)
        return host

    def add(self, behave: Behave, host: str | None = None) -> str:
        """Serve on an address, and return it."""
        host = next(self._hosts) if host is None else host
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, self.port), family=family, backlog=128)
        self._listening.append(listening)
        self._start(lambda: self._accept(listening, behave))
        return host

    def _start(self, run: Callable[[], None]) -> None:
        thread = threading.Thread(target=run, daemon=True)
        with self._lock:
            self._threads.append(thread)
        thread.start()

    def _accept(self, listening: socket.socket, behave: Behave) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with self._lock:
                self._open.add(connection)
                self.accepted += 1
                self._changed.notify_all()
            self._start(lambda connection=connection: self._serve(connection, behave))  # type: ignore[misc]

    def _serve(self, connection: socket.socket, behave: Behave) -> None:
        with connection, contextlib.suppress(OSError):
            behave(connection)
        with self._lock:
            self._open.discard(connection)
