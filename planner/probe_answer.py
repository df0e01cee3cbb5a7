"""Decide what one check found, and what all checks of a look mean together.

Pure. The second is where a probe can do harm: when the planner's own network is gone, every target looks dead, and a planner that
believed it would take every target away. So a look counts only if something came back from somewhere:

- the system said "no route" to every address of a family: that is about this host, and the look failed;
- nothing at all came back from any address, no answer, no refusal, no reset: nobody can tell whether the targets are gone or the
  way to them is, and the look failed;
- anything else is a whole look. A refusal, a reset, a wrong certificate and a status 500 are signs of life of the way there.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal

import msgspec

from planner.observation import Aim, Signal, SourceFailed
from planner.probe_settings import ProbeSettings

Sign = Literal["answer", "silence", "no-route"]
"""What came back: something from the other side; nothing; or the own system's word that there is no way."""
HEAD_MAX_OCTETS: Final = 16_384
"""Where a status line must have come, interim answers included."""
_STATUS: Final = re.compile(rb"HTTP/1\.[01] ([1-9][0-9]{2})(?: [^\r\n]*)?\r?\n")
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_BEGINNING: Final = b"HTTP/1."
INTERIM_MAX: Final = 10
"""Interim answers before the real one, at most."""
_SWITCHED: Final = 101
_FINAL: Final = 200


class Checked(msgspec.Struct, frozen=True):
    """What the check of one address found."""

    healthy: bool
    why: str
    sign: Sign = "answer"


class NoHttpError(ValueError):
    """What came is no answer of HTTP/1."""


def is_ipv6(address: str) -> bool:
    return ":" in address


def place_of(address: str, port: int) -> str:
    """Return an address with its port as a URL writes it."""
    return f"[{address}]:{port}" if is_ipv6(address) else f"{address}:{port}"


def url_of(address: str, settings: ProbeSettings) -> str:
    """Return what a check of HTTP asks for."""
    return f"{settings.protocol}://{place_of(address, settings.port)}{settings.path}"


def request_to(address: str, settings: ProbeSettings) -> bytes:
    """Return the request of a check. The connection is for one answer."""
    host = settings.host or place_of(address, settings.port)
    lines = (
        f"GET {settings.path} HTTP/1.1",
        f"Host: {host}",
        "User-Agent: planner-probe",
        "Accept: */*",
        "Connection: close",
    )
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


def status_in(octets: bytes) -> int | None:
    """Return the status of an answer as far as it came, None while it is not there yet; headers and body do not matter."""
    seen = octets[:HEAD_MAX_OCTETS]
    start = 0
    for _ in range(INTERIM_MAX + 1):
        if not (seen.startswith(_BEGINNING, start) or _BEGINNING.startswith(seen[start:])):
            raise NoHttpError
        found = _STATUS.match(seen, start)
        if found is None and b"\n" in seen[start:]:
            raise NoHttpError
        if found is not None and _is_final(int(found[1])):
            return int(found[1])
        end = None if found is None else _HEAD_END.search(seen, start)
        if end is None:
            if len(octets) >= HEAD_MAX_OCTETS:
                raise NoHttpError
            return None
        start = end.end()
    raise NoHttpError


def _is_final(status: int) -> bool:
    """Tell whether nothing comes behind an answer: interim ones (RFC 9110 section 15.2) are followed by the real one."""
    return status >= _FINAL or status == _SWITCHED


def of_status(status: int, url: str, settings: ProbeSettings) -> Checked:
    """Return what a status means. A redirect is a status like any other: nobody follows it."""
    if any(low <= status <= high for low, high in settings.expect):
        return Checked(healthy=True, why=f"{url} answered {status}")
    expected = ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in settings.expect)
    return Checked(healthy=False, why=f"{url} answered {status}, not {expected}")


def addresses_of(aims: Iterable[Aim], settings: ProbeSettings) -> tuple[str, ...]:
    """Return every address to check, each once. An alias has none, and nothing is resolved."""
    wanted = {":" if family == "ipv6" else "." for family in settings.families}
    found = (address for aim in aims for address in aim.addresses)
    return tuple(dict.fromkeys(address for address in found if (":" if is_ipv6(address) else ".") in wanted))


def signals_of(aims: Iterable[Aim], checked: Mapping[str, Checked]) -> dict[str, Signal]:
    """Return a signal for each load balancer that was checked; raise SourceFailed where the look says nothing of the targets.

    All its addresses must be healthy: a client may get any of them.
    """
    _believe(checked)
    found: dict[str, Signal] = {}
    for aim in aims:
        mine = [checked[address] for address in aim.addresses if address in checked]
        bad = [one for one in mine if not one.healthy]
        if bad:
            more = f", and {len(bad) - 1} more of its addresses" if len(bad) > 1 else ""
            found[aim.id] = Signal(healthy=False, why=bad[0].why + more)
        elif mine and aim.id not in found:
            found[aim.id] = Signal(healthy=True, why="; ".join(one.why for one in mine))
    return found


def _believe(checked: Mapping[str, Checked]) -> None:
    for family, is_family in (("IPv4", False), ("IPv6", True)):
        of_family = [one for address, one in checked.items() if is_ipv6(address) == is_family]
        if of_family and all(one.sign == "no-route" for one in of_family):
            raise SourceFailed(
                f"this host has no way to any of {len(of_family)} {family} addresses ({of_family[0].why}); "
                f"give it one, or leave {family} out of `families`"
            )
    if checked and not any(one.sign == "answer" for one in checked.values()):
        raise SourceFailed(
            f"nothing came back from any of {len(checked)} addresses ({next(iter(checked.values())).why}): "
            "the targets are gone or the way to them is, and from here nobody can tell; check this host's network"
        )
