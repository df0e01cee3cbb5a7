"""Serve a WSGI application beside the work, with waitress: pure Python, no dependency, bounded in threads and connections.

The port only shows, so it must never hold up the work: it has its own few threads, it takes a few connections, and the process
does not wait for it when it ends.
"""

import logging
import socket
import threading
from typing import Any, Final
from wsgiref.types import WSGIApplication

import waitress.server

from enactor.ports import OutsideError

THREADS: Final = 4
CONNECTIONS_MAX: Final = 400
"""Room for clients that open connections and say nothing, so that a service manager's question for health is answered beside them. A few
kilobytes and one descriptor each, of the 1,024 that a process has at least."""
IDLE_SECONDS: Final = 10
"""How long a connection is kept that says nothing, or takes nothing of its answer: where all are taken, so long nobody else is answered."""
LOOK_SECONDS: Final = 5
"""How often idle connections are looked for."""
REQUEST_MAX_OCTETS: Final = 16_384
CLOSE_SECONDS: Final = 3.0
LOOPBACK: Final = "127.0.0.1"
PORT_MAX: Final = 65_535
NOISE: Final = "waitress.queue"
"""Warns of every request that waits for a thread: whoever asks often enough would fill the log."""


class Served:
    """A port that answers until it is closed."""

    def __init__(self, server: Any) -> None:
        self._server = server
        # waitress's own waits until it can write to a client that takes nothing: for ever
        server.maintenance = self._look
        self._thread = threading.Thread(target=server.run, name="port", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """Return the port that is listened on."""
        return int(self._server.effective_port)

    def close(self) -> None:
        """Answer no more: what is being answered gets a moment, and then every connection is closed, also one that is kept open."""
        self._server.task_dispatcher.shutdown(timeout=CLOSE_SECONDS)
        self._server.trigger.pull_trigger(self._end)
        self._thread.join(CLOSE_SECONDS)

    def _look(self, now: float) -> None:
        """See that what stands still is closed, once the server's loop is between two of its rounds."""
        self._server.trigger.pull_trigger(lambda: self._close_idle(now - IDLE_SECONDS))

    def _close_idle(self, before: float) -> None:
        """Close the connections on which nothing has come or gone since: none that still waits for what is being worked out."""
        for channel in list(self._server.active_channels.values()):
            if channel.last_activity < before and (channel.total_outbufs_len or not channel.requests):
                channel.handle_close()

    def _end(self) -> None:
        """Close everything, in the server's own thread: its loop ends when nothing is open."""
        for channel in list(self._server.active_channels.values()):
            channel.handle_close()
        self._server.close()


def first_of(address: str) -> tuple[str, int]:
    """Return the one numeric address and port that an address means: waitress answers a name of several with another kind of server.

    Raises ValueError for a port that is none (the resolver would fold it into 16 bits) and OSError for a host that is unknown.
    """
    host, _, text = address.rpartition(":")
    port = int(text)
    if not 0 <= port <= PORT_MAX:
        raise ValueError(f"port {port} is not between 0 and {PORT_MAX}")
    found = socket.getaddrinfo(host.strip("[]") or LOOPBACK, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return str(found[0][4][0]), port


def serve(address: str, application: WSGIApplication) -> Served:
    """Serve over HTTP; on loopback unless another address is told."""
    logging.getLogger(NOISE).setLevel(logging.ERROR)
    try:
        host, port = first_of(address)
        server = waitress.server.create_server(
            application,
            host=host,
            port=port,
            threads=THREADS,
            connection_limit=CONNECTIONS_MAX,
            channel_timeout=IDLE_SECONDS,
            cleanup_interval=LOOK_SECONDS,
            asyncore_use_poll=True,
            max_request_header_size=REQUEST_MAX_OCTETS,
            max_request_body_size=REQUEST_MAX_OCTETS,
            clear_untrusted_proxy_headers=True,
            ident="enactor",
            map={},
        )
    except (OSError, ValueError, OverflowError) as error:
        raise OutsideError(
            f"nothing can be served on {address!r}: {error}; give a free one like 127.0.0.1:9553"
        ) from None
    return Served(server)
