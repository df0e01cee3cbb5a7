"""Places on this machine's loopback for tests that serve something."""

import socket


def free_port() -> int:
    """Return a port that nobody listens on at this moment."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
