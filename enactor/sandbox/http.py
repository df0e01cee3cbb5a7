"""Carry HTTP: a threaded server on werkzeug that leaves no thread and no socket behind. Decides nothing.

One request to one thread; a request whose client went away is carried to its end all the same, as at AWS.
"""

import io
import socket
import threading
from collections.abc import Callable, Iterable
from email.utils import formatdate
from http import HTTPStatus
from typing import Any

from moto.server import MotoRequestHandler
from werkzeug.serving import BaseWSGIServer, make_server

from enactor.sandbox.wire import Reply

STOP_WAIT_SECONDS = 10.0
POLL_SECONDS = 0.05
BACKLOG = 128


class DroppedError(ConnectionError):
    """End a connection without an answer; the HTTP server takes it for a client that went away."""


class HttpServer:
    """A threaded WSGI server that closes every connection and joins every thread when stopped."""

    def __init__(
        self, host: str, port: int, serve: Callable[[dict[str, Any]], Reply], now: Callable[[], float]
    ) -> None:
        self._serve = serve
        self.now = now
        self.open: set[tuple[socket.socket, threading.Thread]] = set()
        self.open_lock = threading.Lock()
        # Bound here, because werkzeug ends the whole process when a port is taken.
        with socket.create_server((host, port), backlog=BACKLOG) as bound:
            self._server: BaseWSGIServer = make_server(
                host, port, self._app, threaded=True, request_handler=_handler(self), fd=bound.fileno()
            )
        self.port = int(self._server.port)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(POLL_SECONDS,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join(STOP_WAIT_SECONDS)
        self._server.server_close()
        with self.open_lock:
            still_open = list(self.open)
        for connection, _ in still_open:
            _shut(connection)
        for _, thread in still_open:
            thread.join(STOP_WAIT_SECONDS)

    def _app(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        try:
            reply = self._serve(environ)
        except DroppedError:
            _shut(environ["werkzeug.socket"])
            raise
        status = f"{reply.status} {HTTPStatus(reply.status).phrase}"
        headers = [header for header in reply.headers if header[0].lower() != "date"]
        if not any(name.lower() == "content-length" for name, _ in headers):
            headers.append(("Content-Length", str(len(reply.body))))
        start_response(status, headers)
        return [reply.body]


def _handler(owner: HttpServer) -> type[Any]:
    class Handler(MotoRequestHandler):
        """Silent, and known to its server while its connection is open."""

        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            self.entry = (self.connection, threading.current_thread())
            with owner.open_lock:
                owner.open.add(self.entry)

        def finish(self) -> None:
            with owner.open_lock:
                owner.open.discard(self.entry)
            super().finish()

        def date_time_string(self, timestamp: float | None = None) -> str:
            """Return the Date header, which expiries are judged on."""
            return formatdate(owner.now() if timestamp is None else timestamp, usegmt=True)

        def log(self, *_: Any) -> None:
            """Stay silent: tests and demonstrations own the terminal."""

    return Handler


def read_body(environ: dict[str, Any]) -> bytes:
    """Read the body before any lock is taken, so that a slow client holds up nobody."""
    length = environ.get("CONTENT_LENGTH")
    stream = environ["wsgi.input"]
    if length:
        return bytes(stream.read(int(length)))
    return bytes(stream.read()) if environ.get("wsgi.input_terminated") else b""


def run_wsgi(app: Any, environ: dict[str, Any], body: bytes) -> Reply:
    """Have another WSGI application answer, and keep its answer."""
    inner = dict(environ)
    inner["wsgi.input"] = io.BytesIO(body)
    inner["CONTENT_LENGTH"] = str(len(body))
    inner.pop("HTTP_TRANSFER_ENCODING", None)
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(status: str, headers: list[tuple[str, str]], _error: Any = None) -> None:
        started.append((status, headers))

    chunks = app(inner, start_response)
    content = b"".join(chunks)
    status, headers = started[-1]
    return Reply(int(status.split(" ", 1)[0]), content, tuple(headers))


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the client was quicker
