"""The port itself: it answers on loopback, and when it is closed it is closed, also to whoever kept a connection open."""

import http.client
import socket
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest

from enactor.cli.serving import CONNECTIONS_MAX, IDLE_SECONDS, THREADS, serve
from enactor.ports import OutsideError
from enactor.wsgi import LARGE_AT_ONCE, Answer, application


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


LARGE: Final = b"x" * 12_000_000
"""More than the kernel takes for a client that reads nothing."""


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def asking(port: int, path: str = "/", times: int = 1) -> socket.socket:
    """Return a connection that has asked, and takes nothing of what is answered."""
    client = socket.create_connection(("127.0.0.1", port), timeout=10)
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: here\r\n\r\n".encode() * times)
    return client


def test_clients_that_take_nothing_of_large_answers_cost_no_files_and_are_closed() -> None:
    """A phone that fell asleep: a few answers wait in memory, others are told to ask again, and what is small is answered beside them."""
    routes = {"/": lambda _: Answer(LARGE), "/healthz": lambda _: Answer(b"ok")}
    served = serve("127.0.0.1:0", application(routes, failed=nothing_fails))
    before = descriptors()
    with ExitStack() as open_ones:
        sleepers = [open_ones.enter_context(asking(served.port)) for _ in range(LARGE_AT_ONCE)]
        for sleeper in sleepers:
            assert sleeper.recv(12) == b"HTTP/1.1 200"
        late = open_ones.enter_context(asking(served.port))
        assert late.recv(12) == b"HTTP/1.1 503"
        assert descriptors() - before <= 2 * (LARGE_AT_ONCE + 1), "one here and one there for each, and no file"
        well = open_ones.enter_context(asking(served.port, "/healthz"))
        assert well.recv(12) == b"HTTP/1.1 200"
        until_closed = time.monotonic() + 4 * IDLE_SECONDS
        while descriptors() - before > LARGE_AT_ONCE + 2 and time.monotonic() < until_closed:
            time.sleep(0.1)
        again = open_ones.enter_context(asking(served.port))
        assert again.recv(12) == b"HTTP/1.1 200", "those who took nothing were closed, and there is room"
    served.close()


def test_a_client_that_asks_much_and_takes_nothing_holds_no_thread() -> None:
    """The server waits with the next of its answers until the last ones were taken: so as many clients as threads would stop it."""
    routes = {"/": lambda _: Answer(LARGE), "/healthz": lambda _: Answer(b"ok")}
    served = serve("127.0.0.1:0", application(routes, failed=nothing_fails))
    with ExitStack() as open_ones:
        for _ in range(THREADS):
            open_ones.enter_context(asking(served.port, times=3))
        for _ in range(100):  # until every thread holds an answer that nobody takes
            waits = open_ones.enter_context(asking(served.port, "/healthz"))
            waits.settimeout(1.0)
            try:
                waits.recv(12)
            except TimeoutError:
                break
        else:
            pytest.fail("no question waited: nothing is shown here")
        waits.settimeout(4 * IDLE_SECONDS)
        assert waits.recv(12) == b"HTTP/1.1 200"
    served.close()


def test_the_log_is_not_filled_by_who_asks(capfd: pytest.CaptureFixture[str]) -> None:
    """One line for each request that waits would be as many as somebody likes."""
    served = serve("127.0.0.1:0", application({"/": lambda _: Answer(b"ok")}, failed=nothing_fails))
    with ExitStack() as open_ones:
        clients = [open_ones.enter_context(asking(served.port)) for _ in range(THREADS * 20)]
        assert all(client.recv(12) == b"HTTP/1.1 200" for client in clients)
    served.close()
    assert capfd.readouterr().err == ""
