"""What the port answers: its few routes to GET and HEAD, a sentence for everything else, and headers that let nothing happen."""

import gzip
from typing import Any
from wsgiref.util import FileWrapper, setup_testing_defaults
from wsgiref.validate import validator

import pytest
from prometheus_client import CollectorRegistry, Counter

from enactor.wsgi import (
    CROWDED,
    HTML,
    LARGE_AT_ONCE,
    LARGE_FROM_OCTETS,
    PACKED_FROM_OCTETS,
    Answer,
    Asked,
    Route,
    application,
    health_route,
    json_route,
    metrics_route,
    page_route,
    takes_gzip,
)


def ask(
    routes: dict[str, Route], path: str = "/", method: str = "GET", **more: str
) -> tuple[str, dict[str, str], bytes, list[str]]:
    """Return status, headers, body, and what was told of failing routes; held to the WSGI specification."""
    told: list[str] = []
    seen: list[Any] = []
    environ: dict[str, Any] = {
        "PATH_INFO": path,
        "REQUEST_METHOD": method,
        "QUERY_STRING": "",
        "SCRIPT_NAME": "",
        **more,
    }
    setup_testing_defaults(environ)
    app = validator(application(routes, failed=lambda where, error: told.append(f"{where}: {error}")))

    def start(status: str, headers: list[tuple[str, str]], _info: Any = None) -> Any:
        seen.extend((status, dict(headers)))
        return lambda _: None

    answer = app(environ, start)
    body = b"".join(answer)
    answer.close()  # type: ignore[attr-defined]  # the validator's own iterator
    return seen[0], seen[1], body, told


def hello(_asked: Asked) -> Answer:
    return Answer(b"hello")


def test_a_route_is_answered_with_headers_that_let_nothing_happen() -> None:
    """Nothing is loaded, framed, sniffed or kept."""
    status, headers, body, _ = ask({"/": hello})
    assert (status, body) == ("200 OK", b"hello")
    assert headers["Content-Length"] == "5"
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; frame-ancestors 'none'")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cache-Control"] == "no-store"


def test_head_is_get_without_the_body() -> None:
    """As the specification wants it: the length is that of what GET would answer."""
    status, headers, body, _ = ask({"/": hello}, method="HEAD")
    assert (status, headers["Content-Length"], body) == ("200 OK", "5", b"")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_nothing_can_be_changed_here(method: str) -> None:
    """And the answer says what can."""
    status, headers, body, _ = ask({"/": hello}, method=method)
    assert (status, headers["Allow"]) == ("405 Method Not Allowed", "GET, HEAD")
    assert b"the command `enactor`" in body


@pytest.mark.parametrize("path", ["/x", "/api", "/../etc/passwd", "/<script>"])
def test_what_is_not_there_is_said_without_what_was_asked(path: str) -> None:
    """Nothing of a request stands in an answer."""
    status, _, body, _ = ask({"/": hello, "/metrics": hello}, path)
    assert status == "404 Not Found"
    assert body == b"nothing is here; there is /, /metrics\n"


def test_a_route_that_raises_costs_its_answer_and_nothing_else() -> None:
    """The sentence says nothing of the inside; who serves is told."""

    def bad(_asked: Asked) -> Answer:
        raise KeyError("secret")

    status, _, body, told = ask({"/": bad})
    assert status == "500 Internal Server Error"
    assert b"secret" not in body
    assert told == ["/: 'secret'"]


@pytest.mark.parametrize(
    ("why", "status", "body"), [(None, "200 OK", b"ok\n"), ("stuck", "503 Service Unavailable", b"stuck\n")]
)
def test_health_is_a_status_and_a_sentence(why: str | None, status: str, body: bytes) -> None:
    """For whoever restarts processes, and for a person with curl."""
    found = ask({"/healthz": health_route(lambda: why)}, "/healthz")
    assert (found[0], found[2]) == (status, body)


def test_metrics_come_in_the_form_that_is_asked_for() -> None:
    """Prometheus asks for OpenMetrics, curl for nothing."""
    registry = CollectorRegistry()
    Counter("enactor_things", "Things.", registry=registry).inc()
    routes = {"/metrics": metrics_route(registry)}
    plain = ask(routes, "/metrics")
    assert plain[1]["Content-Type"].startswith("text/plain")
    assert b"enactor_things_total 1.0" in plain[2]
    openmetrics = ask(routes, "/metrics", HTTP_ACCEPT="application/openmetrics-text; version=1.0.0")
    assert openmetrics[2].endswith(b"# EOF\n")


def test_json_is_json() -> None:
    """With its type, so that no browser takes it for a page."""
    _, headers, body, _ = ask({"/": json_route(lambda: b'{"a": "<b>"}')})
    assert (headers["Content-Type"], body) == ("application/json; charset=utf-8", b'{"a": "<b>"}')


def test_a_page_comes_under_its_own_policy() -> None:
    """And as HTML in UTF-8."""
    _, headers, body, _ = ask({"/": page_route(lambda: ("<p>\N{SNOWMAN}", "default-src 'self'"))})
    assert (headers["Content-Type"], headers["Content-Security-Policy"]) == (HTML, "default-src 'self'")
    assert body.decode() == "<p>\N{SNOWMAN}"


def test_what_is_large_is_packed_for_who_takes_it() -> None:
    """And for nobody else; the length is that of what is sent."""
    large = b"a" * PACKED_FROM_OCTETS
    routes: dict[str, Route] = {"/": lambda _: Answer(large), "/small": lambda _: Answer(large[1:])}
    _, headers, body, _ = ask(routes, HTTP_ACCEPT_ENCODING="gzip, br")
    assert (headers["Content-Encoding"], headers["Content-Length"]) == ("gzip", str(len(body)))
    assert headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(body) == large
    for path, accepted in (("/", ""), ("/", "br"), ("/small", "gzip")):
        _, headers, body, _ = ask(routes, path, HTTP_ACCEPT_ENCODING=accepted)
        assert "Content-Encoding" not in headers
        assert body in {large, large[1:]}


@pytest.mark.parametrize(
    ("accepted", "takes"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("x-gzip", True),
        ("*", True),
        ("gzip ; q=0.001", True),
        ("", False),
        ("br", False),
        ("gzip;q=0", False),
        ("*, gzip; q=0.000", False),
        ("gzipped", False),
    ],
)
def test_who_takes_gzip_says_so(accepted: str, takes: bool) -> None:
    """A weight of nothing is a no, also beside a star (RFC 9110, section 12.5.3)."""
    assert takes_gzip(accepted) is takes


@pytest.mark.parametrize("accept", ["application/openmetrics-text; version=abc", "text/plain; version=1.0.0=3"])
def test_an_odd_wish_is_answered_as_none(accept: str) -> None:
    """What a client sends is no fault of this program, and must not fill its log."""
    registry = CollectorRegistry()
    Counter("seen", "Things seen.", registry=registry)
    status, _, body, told = ask({"/metrics": metrics_route(registry)}, "/metrics", HTTP_ACCEPT=accept)
    assert (status, told) == ("200 OK", [])
    assert b"seen_total 0.0" in body


def test_a_large_answer_leaves_room_once_it_is_sent_or_given_up() -> None:
    """However often it is closed; without the server's wrapper, as in a test, it is one chunk like any other."""
    app = application({"/": lambda _: Answer(b"z" * LARGE_FROM_OCTETS)}, failed=lambda *_: None)
    seen: list[tuple[str, str]] = []

    def start(status: str, headers: list[tuple[str, str]], _info: Any = None) -> Any:
        seen.append((status, dict(headers)["Content-Length"]))

    def asked(**more: Any) -> Any:
        environ: dict[str, Any] = {"PATH_INFO": "/", "REQUEST_METHOD": "GET", "wsgi.file_wrapper": FileWrapper, **more}
        setup_testing_defaults(environ)
        return app(environ, start)

    on_their_way = [asked() for _ in range(LARGE_AT_ONCE)]
    assert b"".join(asked()).startswith(b"too many others")
    assert seen[-1] == ("503 Service Unavailable", str(len(CROWDED)))
    assert list(asked(REQUEST_METHOD="HEAD")) == [b""]
    assert seen[-1] == ("200 OK", str(LARGE_FROM_OCTETS))
    assert len(b"".join(on_their_way[0])) == LARGE_FROM_OCTETS
    for _ in range(2):
        on_their_way[0].close()
    assert len(b"".join(asked())) == LARGE_FROM_OCTETS
    assert b"".join(ask({"/": lambda _: Answer(b"z" * LARGE_FROM_OCTETS)})[2:3]) == b"z" * LARGE_FROM_OCTETS
