"""The port itself: it answers on loopback, and when it is closed it is closed, also to whoever kept a connection open."""

import http.client

import pytest

from enactor.cli.serving import serve
from enactor.ports import OutsideError
from enactor.wsgi import Answer, application


def nothing_fails(path: str, error: Exception) -> None:
    raise AssertionError(f"{path}: {error}")


def test_a_closed_port_answers_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """A page that is left open must see that the worker is gone, so a kept connection ends with it; and nothing is logged."""
    served = serve("127.0.0.1:0", application({"/": lambda _: Answer(b"hello")}, failed=nothing_fails))
    kept = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
    kept.request("GET", "/")
    assert kept.getresponse().read() == b"hello"
    socket = kept.sock
    assert socket is not None, "HTTP/1.1 keeps the connection"
    served.close()
    assert socket.recv(1) == b""
    with pytest.raises(OSError, match="refused"):
        http.client.HTTPConnection("127.0.0.1", served.port, timeout=10).connect()
    assert [record.message for record in caplog.records] == []
    kept.close()


def test_an_address_that_cannot_be_served_is_said() -> None:
    """With what to do instead."""
    with pytest.raises(OutsideError, match="give a free one like"):
        serve("127.0.0.1:x", application({}, failed=nothing_fails))
