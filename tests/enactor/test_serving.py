"""The port itself: it answers on loopback, and when it is closed it is closed, also to whoever kept a connection open."""

import http.client
import socket
from contextlib import ExitStack
from typing import Any

import pytest

from enactor.cli.serving import CONNECTIONS_MAX, IDLE_SECONDS, serve
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


def test_connections_that_say_nothing_keep_nobody_from_asking_for_health() -> None:
    """A scanner, or a browser that opens many: what asks for health would otherwise restart a worker that is well."""
    served = serve("127.0.0.1:0", application({"/": lambda _: Answer(b"hello")}, failed=nothing_fails))
    with ExitStack() as idle:
        for _ in range(CONNECTIONS_MAX // 2):
            idle.enter_context(socket.create_connection(("127.0.0.1", served.port), timeout=10))
        asks = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
        asks.request("GET", "/")
        assert asks.getresponse().read() == b"hello"
        asks.close()
    served.close()


def test_where_every_connection_is_taken_the_idle_ones_are_closed() -> None:
    """And the next one is answered then."""
    served = serve("127.0.0.1:0", application({"/": lambda _: Answer(b"hello")}, failed=nothing_fails))
    with ExitStack() as idle:
        for _ in range(CONNECTIONS_MAX + 1):
            idle.enter_context(socket.create_connection(("127.0.0.1", served.port), timeout=10))
        asks = http.client.HTTPConnection("127.0.0.1", served.port, timeout=IDLE_SECONDS * 4)
        asks.request("GET", "/")
        assert asks.getresponse().read() == b"hello"
        asks.close()
    served.close()
