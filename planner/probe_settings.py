"""Decide what a fleet file says about the planner's own checks: where they knock, what they expect, and how hard they may knock.

Pure. What cannot work together is a fault here and not a bad signal later: a path without HTTP, a time-out longer than the time
between two looks, a certificate that is verified for no name.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from enactor.plan_faults import Faults, read_text, shown
from planner.fleet_forms import as_written, read_duration, read_form
from planner.source_forms import read_count, read_one_of, read_texts, read_yes

Protocol = Literal["tcp", "http", "https"]

LIKE: Final = "{kind: probe, protocol: https, host: api.example.com, path: /healthz, every: 10s, timeout: 2s}"
LIKE_EXPECT: Final = '["200-299", 304]'
REQUIRED: Final = ("protocol",)
OPTIONAL: Final = ("port", "path", "host", "expect", "verify", "every", "timeout", "at_once", "families")
HTTP_ONLY: Final = ("path", "host", "expect")
PORTS: Final = {"http": 80, "https": 443}
PATH: Final = re.compile(r"/[!-~]{0,1023}")
"""Visible ASCII: what goes into a request line unchanged."""
HOST: Final = re.compile(r"(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]{0,62})(\.[A-Za-z0-9_][A-Za-z0-9_-]{0,62})*")
"""A DNS name as a certificate has it, without a trailing dot and without a port."""
STATUSES: Final = re.compile(r"([1-5][0-9]{2})(?:-([1-5][0-9]{2}))?")
STATUS_RANGES_MAX: Final = 20
AT_ONCE_MAX: Final = 10_000
FAMILIES: Final = ("ipv4", "ipv6")
EVERY_LOW, EVERY_HIGH = "1s", "1h"
TIMEOUT_LOW, TIMEOUT_HIGH = "100ms", "30s"


class ProbeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How one source of this kind checks."""

    protocol: Protocol
    port: int
    path: str = "/"
    host: str | None = None
    """The Host header and, for HTTPS, the name of the certificate; None: the address itself."""
    expect: tuple[tuple[int, int], ...] = ((200, 299),)
    """Ranges of status codes that are healthy."""
    verify: bool = True
    every: float = 10.0
    """Seconds from the beginning of a look to the next, give or take a tenth."""
    timeout: float = 2.0
    """Seconds for one whole check: connecting, TLS and the status line."""
    at_once: int = 500
    """Connections open at the same time, at most."""
    families: tuple[str, ...] = FAMILIES


def read_settings(raw: Mapping[str, Any], path: str, faults: Faults) -> ProbeSettings | None:
    """Return the settings, or None with every fault noted."""
    before = len(faults)
    form = read_form(raw, path, faults, like=LIKE, required=REQUIRED, optional=OPTIONAL) or {}
    found: dict[str, Any] = {}
    if "protocol" in form:
        found["protocol"] = read_one_of(form["protocol"], f"{path}.protocol", faults, ("tcp", "http", "https"))
    for key, read in _READERS.items():
        if key in form:
            found[key] = read(form[key], f"{path}.{key}", faults)
    protocol = found.get("protocol")
    if protocol is not None:
        _judge_together(form, protocol, path, faults)
        found.setdefault("port", PORTS.get(protocol))
    every, timeout = found.get("every", 10.0), found.get("timeout", 2.0)
    if every is not None and timeout is not None and timeout > every:
        faults.add(
            f"{path}.timeout", f"{timeout:g}s is longer than every, {every:g}s: a look would outlast the next one"
        )
    return ProbeSettings(**found) if len(faults) == before else None


def _judge_together(form: Mapping[str, Any], protocol: str, path: str, faults: Faults) -> None:
    if protocol == "tcp":
        if "port" not in form:
            faults.add(f"{path}.port", "missing; protocol tcp has none of its own, write it like port: 443")
        for key in HTTP_ONLY:
            if key in form:
                faults.add(f"{path}.{key}", "only protocol http and https have it; leave it out")
    if protocol != "https" and "verify" in form:
        faults.add(f"{path}.verify", "only protocol https has it; leave it out")
    if protocol == "https" and "host" not in form and form.get("verify") is not False:
        advice = "give the name that the certificate is for, or write verify: false"
        faults.add(f"{path}.host", f"missing; a certificate is verified for a name and targets are addresses: {advice}")


def _read_path(value: object, path: str, faults: Faults) -> str | None:
    return _read_like(value, path, faults, PATH, "/healthz")


def _read_host(value: object, path: str, faults: Faults) -> str | None:
    return _read_like(value, path, faults, HOST, "api.example.com")


def _read_like(value: object, path: str, faults: Faults, pattern: re.Pattern[str], like: str) -> str | None:
    text = read_text(as_written(value), path, faults)
    if text is None or pattern.fullmatch(text):
        return text
    faults.add(path, f"{shown(text)} is not like {like}")
    return None


def _read_expect(value: object, path: str, faults: Faults) -> tuple[tuple[int, int], ...]:
    items = value if isinstance(value, list) else [value]
    if not items or len(items) > STATUS_RANGES_MAX:
        faults.add(path, f"{len(items)} status codes; write 1 to {STATUS_RANGES_MAX} of them like {LIKE_EXPECT}")
        return ()
    found = []
    for index, item in enumerate(items):
        where = f"{path}[{index}]" if isinstance(value, list) else path
        text = str(item) if isinstance(item, int) and not isinstance(item, bool) else item
        match = STATUSES.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            faults.add(where, f"{shown(as_written(item))} is no status code like 200 and no range like 200-299")
            continue
        low, high = int(match[1]), int(match[2] or match[1])
        if low > high:
            faults.add(where, f"{shown(item)} ends before it begins")
        found.append((low, high))
    return tuple(found)


def _read_seconds(value: object, path: str, faults: Faults, low: str, high: str) -> float | None:
    seconds = read_duration(value, path, faults, low, high)
    return None if seconds is None else float(seconds)


def _read_families(value: object, path: str, faults: Faults) -> tuple[str, ...]:
    return read_texts(value, path, faults, pattern="|".join(FAMILIES), like="[ipv4, ipv6]")


_READERS: Final = {
    "port": lambda value, path, faults: read_count(value, path, faults, 1, 65_535),
    "path": _read_path,
    "host": _read_host,
    "expect": _read_expect,
    "verify": read_yes,
    "every": lambda value, path, faults: _read_seconds(value, path, faults, EVERY_LOW, EVERY_HIGH),
    "timeout": lambda value, path, faults: _read_seconds(value, path, faults, TIMEOUT_LOW, TIMEOUT_HIGH),
    "at_once": lambda value, path, faults: read_count(value, path, faults, 1, AT_ONCE_MAX),
    "families": _read_families,
}
