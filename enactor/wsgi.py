"""Answer HTTP: a few read-only routes as a WSGI application, with headers that keep a browser from doing more than showing them.

It knows no server and no socket. Whatever goes wrong in a route is that answer's affair: a 500 with a sentence, and the process goes on.
"""

import io
import re
import threading
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

JSON: Final = "application/json; charset=utf-8"
TEXT: Final = "text/plain; charset=utf-8"
HTML: Final = "text/html; charset=utf-8"
REASONS: Final = {
    200: "OK",
    404: "Not Found",
    405: "Method Not Allowed",
    500: "Internal Server Error",
    503: "Service Unavailable",
}
NOTHING_BUT_SHOWN: Final = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
"""No answer may load, run, frame or send anything; a page says for itself what it needs besides."""
HEADERS: Final = (
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
)
METHODS: Final = ("GET", "HEAD")
PACKED_FROM_OCTETS: Final = 4_096
"""What is smaller fits into a few packets as it is."""
PACKED_LEVEL: Final = 1
"""The fastest: twenty thousand quiet endpoints become 4 % of their size, and level 6 takes twice the time for 10 % less."""
NO_WEIGHT: Final = re.compile(r"q=0(\.0*)?")
LARGE_FROM_OCTETS: Final = 100_000
"""What is smaller may wait in memory for everybody who connects: 40 MB at 400 connections."""
LARGE_AT_ONCE: Final = 8
"""So many larger answers wait for whoever takes them slowly: with 20,000 endpoints 130 MB. The server would copy each into a file
of its own: at 400 connections some gigabytes of the disk that plans are kept on, and 800 descriptors."""
CROWDED: Final = b"too many others take large answers now, or do not take them: ask again in a few seconds\n"
GZIP_WINDOW_BITS: Final = 31
"""15 bits of window, in the form of gzip (zlib's manual, `deflateInit2`)."""


class Answer(NamedTuple):
    """What a route answers."""

    body: bytes
    content_type: str = TEXT
    status: int = 200
    policy: str = NOTHING_BUT_SHOWN


class Asked(NamedTuple):
    """What of a request a route may look at."""

    accept: str
    query: str


Route = Callable[[Asked], Answer]


def application(routes: Mapping[str, Route], *, failed: Callable[[str, Exception], None]) -> WSGIApplication:
    """Return the application; `failed` is told of a route that raised, which is a fault of this program."""
    places = threading.BoundedSemaphore(LARGE_AT_ONCE)

    def app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        method = str(environ.get("REQUEST_METHOD", "GET"))
        answer = _answer(routes, method, environ, failed)
        is_packed = len(answer.body) >= PACKED_FROM_OCTETS and takes_gzip(str(environ.get("HTTP_ACCEPT_ENCODING", "")))
        body = packed(answer.body) if is_packed else answer.body
        is_large = method != "HEAD" and len(body) >= LARGE_FROM_OCTETS
        wrap: Callable[[io.BytesIO], Iterable[bytes]] | None = environ.get("wsgi.file_wrapper") if is_large else None
        if wrap is not None and not places.acquire(blocking=False):
            answer, body, is_packed, wrap = Answer(CROWDED, status=503), CROWDED, False, None
        start_response(f"{answer.status} {REASONS[answer.status]}", _headers(answer, len(body), is_packed=is_packed))
        if wrap is not None:
            return wrap(_Leaving(body, places.release))
        return [b"" if method == "HEAD" else body]

    return app


class _Leaving(io.BytesIO):
    """A large answer on its way out: whoever sends it closes it once it is sent, or once nobody takes it any more (PEP 3333)."""

    def __init__(self, body: bytes, gone: Callable[[], None]) -> None:
        super().__init__(body)
        self._gone = gone

    def close(self) -> None:
        """Make room for another, once."""
        if not self.closed:
            self._gone()
        super().close()


def _headers(answer: Answer, octets: int, *, is_packed: bool) -> list[tuple[str, str]]:
    return [
        ("Content-Type", answer.content_type),
        ("Content-Length", str(octets)),
        ("Content-Security-Policy", answer.policy),
        ("Vary", "Accept-Encoding"),
        *HEADERS,
        *([("Content-Encoding", "gzip")] if is_packed else []),
        *([("Allow", ", ".join(METHODS))] if answer.status == 405 else []),
    ]


def takes_gzip(accepted: str) -> bool:
    """Tell whether whoever asks takes gzip (RFC 9110, section 12.5.3: a weight of 0 is a no)."""
    weights = {}
    for part in accepted.lower().split(","):
        coding, _, parameter = part.partition(";")
        weights[coding.strip()] = parameter.replace(" ", "")
    said = weights.get("gzip", weights.get("x-gzip", weights.get("*")))
    return said is not None and not NO_WEIGHT.fullmatch(said)


def packed(body: bytes) -> bytes:
    """Return a body in the form of gzip. zlib lets other threads work meanwhile."""
    packer = zlib.compressobj(PACKED_LEVEL, zlib.DEFLATED, GZIP_WINDOW_BITS)
    return packer.compress(body) + packer.flush()


def _answer(
    routes: Mapping[str, Route], method: str, environ: WSGIEnvironment, failed: Callable[[str, Exception], None]
) -> Answer:
    path = str(environ.get("PATH_INFO", "")) or "/"
    route = routes.get(path)
    if route is None:
        return Answer(f"nothing is here; there is {', '.join(routes)}\n".encode(), status=404)
    if method not in METHODS:
        return Answer(b"this port only shows: use GET; what changes DNS is the command `enactor`\n", status=405)
    try:
        return route(Asked(str(environ.get("HTTP_ACCEPT", "")), str(environ.get("QUERY_STRING", ""))))
    except Exception as error:  # noqa: BLE001 - whatever it is, the answer is lost and nothing else
        failed(path, error)
        return Answer(b"this could not be shown, which is a fault of this program; its log says more\n", status=500)


def metrics_route(registry: CollectorRegistry) -> Route:
    """Return the route that a Prometheus server scrapes."""

    def metrics(asked: Asked) -> Answer:
        try:
            encode, content_type = choose_encoder(asked.accept)
        except (TypeError, ValueError):  # it compares a version that is no number: such a wish is answered as no wish
            encode, content_type = choose_encoder("")
        return Answer(encode(registry), content_type)

    return metrics


def health_route(wrong: Callable[[], str | None]) -> Route:
    """Return a route for whoever restarts processes: 200 while all is well, else 503 and a sentence."""

    def health(_asked: Asked) -> Answer:
        why = wrong()
        return Answer(b"ok\n") if why is None else Answer(f"{why}\n".encode(), status=503)

    return health


def json_route(encode: Callable[[], bytes]) -> Route:
    """Return a route that answers one JSON object."""

    def show(_asked: Asked) -> Answer:
        return Answer(encode(), JSON)

    return show


def page_route(make: Callable[[], tuple[str, str]]) -> Route:
    """Return a route that answers a page under the policy that it needs."""

    def show(_asked: Asked) -> Answer:
        page, policy = make()
        return Answer(page.encode(), HTML, policy=policy)

    return show
