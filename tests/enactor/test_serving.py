"""The port itself: it answers on loopback, and when it is closed it is closed, also to whoever kept a connection open."""

import http.client
import socket
from typing import Any

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


def test_a_name_of_two_addresses_is_served_at_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """`localhost` is 127.0.0.1 and ::1 on most machines; a worker must not end by it."""
    ask = socket.getaddrinfo

    def both(host: Any, *more: Any, **named: Any) -> Any:
        hosts = ("127.0.0.1", "::1") if host == "localhost" else (host,)
        return [one for each in hosts for one in ask(each, *more, **named)]

    monkeypatch.setattr(socket, "getaddrinfo", both)
    served = serve("localhost:0", application({"/": lambda _: Answer(b"hello")}, failed=nothing_fails))
    monkeypatch.undo()
    kept = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
    kept.request("GET", "/")
    assert kept.getresponse().read() == b"hello"
    kept.close()
    served.close()


@pytest.mark.parametrize("address", ["127.0.0.1:99999", "127.0.0.1:-1"])
def test_a_port_that_is_none_is_said(address: str) -> None:
    """The resolver would fold it into 16 bits, and the port would be another than the one that is scraped."""
    with pytest.raises(OutsideError, match="give a free one like"):
        serve(address, application({}, failed=nothing_fails))
