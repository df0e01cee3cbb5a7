"""Decide what the two fences say: the switch of a zone, and the fence of an endpoint; their text, and the reading of any text.

Pure. Writing is strict and reading never fails: whatever stands in the TXT record becomes a named state. A switch that is not
clearly "run" means stop, because a person in a hurry may have typed it; a fence that is not clearly a fence is garbled, and
what it guards is left alone. Promise 2 (never backwards) rests on the order of switches, promise 3 on the nonces.
"""

import re
from datetime import UTC, datetime
from typing import Final, Literal, get_args

import msgspec

from enactor.records import RecordSet, txt_quote, txt_strings

VERSION: Final = "1"
FENCE_TTL_SECONDS: Final = 60
"""TTL of the TXT records; nothing resolves them, a person who looks with dig should not see an old one for long."""
TEXT_LIMIT_OCTETS: Final = 255
"""Route 53: one TXT string holds at most 255 octets."""
NO_PLAN: Final = "none"

Mode = Literal["run", "stop"]
State = Literal["live", "hold", "retired"]

_DIGEST: Final = re.compile(r"[0-9a-f]{12}")
_IDENTIFIER: Final = re.compile(r"[a-z0-9-]{1,32}")
_NONCE: Final = re.compile(r"[0-9a-f]{8,32}")
_GENERATION: Final = re.compile(r"0|[1-9][0-9]{0,11}")
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_BASE: Final = re.compile(r"[!-~]+")
_ALLOW: Final = re.compile(r"([a-z-]{1,32})@(0|[1-9][0-9]{0,11}):(.+)")


class Allow(msgspec.Struct, frozen=True):
    """A person's permission to pass one guard once, for one generation, until an instant."""

    guard: str
    generation: int
    until: datetime

    def __str__(self) -> str:
        return f"{self.guard}@{self.generation}:{instant_text(self.until)}"


class Fence(msgspec.Struct, frozen=True, kw_only=True):
    """What stands at an endpoint, who put it there, and whether a person froze or retired it."""

    fleet: str
    gen: int
    plan: str
    """First 12 hex digits of the digest of the endpoint's content."""
    by: str
    nonce: str
    state: State = "live"
    until: datetime | None = None
    allow: tuple[Allow, ...] = ()
    base: str = ""
    """Start of the slow-drain window, carried as it is; what no writer of ours can have written there is dropped."""


class Switch(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a fleet's enactors may write into a zone, and which generation is open there."""

    fleet: str
    mode: Mode
    gen: int
    plan: str
    """First 12 hex digits of the open plan's digest; `none` at generation 0, and where a person who completed the switch
    could not know it: such a generation is `forked` to every plan until one above it is published."""
    nonce: str
    until: datetime | None = None


class Garbled(msgspec.Struct, frozen=True):
    """A text that is not what it should be, and why."""

    why: str


def instant_text(instant: datetime) -> str:
    """Return an instant as fences write it: RFC 3339, UTC, whole seconds."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def instant_of(text: str) -> datetime | None:
    """Return a time with its zone, None for what another version or another hand wrote in a way of its own."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else None


def fence_text(fence: Fence) -> str:
    """Return the fence as the text of its TXT record, without what does not fit beside a longer name of its writer.

    First allows go, the last one first, and at last the start of the slow-drain window, which a guard rests on: an endpoint that
    cannot be written to say what a person once typed beside it would stay as broken as it is.
    """
    for allows in range(len(fence.allow), -1, -1):
        text = _fence_text(msgspec.structs.replace(fence, allow=fence.allow[:allows]))
        if len(text) <= TEXT_LIMIT_OCTETS:
            return text
    return _checked(_fence_text(msgspec.structs.replace(fence, base="", allow=())))


def _fence_text(fence: Fence) -> str:
    parts = [
        f"v={VERSION} fleet={fence.fleet} gen={fence.gen} plan={fence.plan} by={fence.by}",
        f"nonce={fence.nonce} state={fence.state}",
    ]
    if fence.until:
        parts.append(f"until={instant_text(fence.until)}")
    if fence.allow:
        parts.append("allow=" + ",".join(str(allow) for allow in fence.allow))
    if fence.base:
        parts.append(f"base={fence.base}")
    return " ".join(parts)


def switch_text(switch: Switch) -> str:
    """Return the switch as the text of its TXT record."""
    text = (
        f"v={VERSION} fleet={switch.fleet} mode={switch.mode} gen={switch.gen} plan={switch.plan} nonce={switch.nonce}"
    )
    return _checked(f"{text} until={instant_text(switch.until)}" if switch.until else text)


def _checked(text: str) -> str:
    assert len(text) <= TEXT_LIMIT_OCTETS, f"{len(text)} octets do not fit one TXT string"
    return text


def text_set(name: str, text: str) -> RecordSet:
    """Return the TXT record set that holds a fence or a switch."""
    return RecordSet(name=name, type="TXT", ttl=FENCE_TTL_SECONDS, values=(txt_quote(text),))


def read_fence(record: RecordSet) -> Fence | Garbled:
    """Return what a fence's record set says."""
    pairs = _pairs(record)
    if isinstance(pairs, Garbled):
        return pairs
    try:
        return _fence(pairs)
    except _Odd as odd:
        return Garbled(str(odd))


def read_switch(record: RecordSet, fleet: str) -> Switch | Garbled:
    """Return what a switch's record set says; Garbled means stop, `mode=stop` typed by a person included."""
    pairs = _pairs(record)
    if isinstance(pairs, Garbled):
        return pairs
    try:
        switch = _switch(pairs)
    except _Odd as odd:
        return Garbled(str(odd))
    return switch if switch.fleet == fleet else Garbled(f"it names fleet {switch.fleet!r}, not {fleet!r}")


class _Odd(ValueError):  # noqa: N818 - a reason, not a failure
    pass


def _pairs(record: RecordSet) -> dict[str, str] | Garbled:
    if record.type != "TXT" or record.set_identifier is not None or record.alias is not None:
        return Garbled("it is not a simple TXT record set")
    if len(record.values) != 1:
        return Garbled(f"it has {len(record.values)} values instead of one")
    strings = txt_strings(record.values[0])
    if strings is None or len(strings) != 1:
        return Garbled("its value is not one quoted string")
    pairs: dict[str, str] = {}
    for word in strings[0].split(" "):
        key, equals, value = word.partition("=")
        if not equals or not key or key in pairs:
            return Garbled(f"the word {word[:40]!r} is not a new key=value pair")
        pairs[key] = value
    return pairs


def _fence(pairs: dict[str, str]) -> Fence:
    _known(pairs, {"v", "fleet", "gen", "plan", "by", "nonce", "state"}, {"until", "allow", "base"})
    state = pairs["state"]
    if state not in get_args(State):
        raise _Odd(f"state={state[:20]!r} is none of live, hold, retired")
    return Fence(
        fleet=_matching(pairs, "fleet", _IDENTIFIER),
        gen=int(_matching(pairs, "gen", _GENERATION)),
        plan=_matching(pairs, "plan", _DIGEST),
        by=_matching(pairs, "by", _IDENTIFIER),
        nonce=_matching(pairs, "nonce", _NONCE),
        state=msgspec.convert(state, State),
        until=_instant(pairs["until"]) if "until" in pairs else None,
        allow=tuple(_allow(text) for text in pairs["allow"].split(",")) if "allow" in pairs else (),
        base=base if _BASE.fullmatch(base := pairs.get("base", "")) else "",
    )


def _switch(pairs: dict[str, str]) -> Switch:
    _known(pairs, {"v", "fleet", "mode", "gen", "plan", "nonce"}, {"until"})
    mode = pairs["mode"]
    if mode not in get_args(Mode):
        raise _Odd(f"mode={mode[:20]!r} is neither run nor stop")
    gen = int(_matching(pairs, "gen", _GENERATION))
    plan = pairs["plan"]
    if plan != NO_PLAN and not _DIGEST.fullmatch(plan):
        raise _Odd(f"plan={plan[:20]!r} is no digest")
    if gen == 0 and plan != NO_PLAN:
        raise _Odd(f"gen=0 does not go with plan={plan}")
    return Switch(
        fleet=_matching(pairs, "fleet", _IDENTIFIER),
        mode=msgspec.convert(mode, Mode),
        gen=gen,
        plan=plan,
        nonce=_matching(pairs, "nonce", _NONCE),
        until=_instant(pairs["until"]) if "until" in pairs else None,
    )


def _known(pairs: dict[str, str], required: set[str], optional: set[str]) -> None:
    if "v" in pairs and pairs["v"] != VERSION:
        raise _Odd(f"version {pairs['v'][:10]!r} is not {VERSION}, the only one this enactor reads")
    missing, unknown = required - pairs.keys(), pairs.keys() - required - optional
    if missing or unknown:
        raise _Odd("; ".join(f"{word} {', '.join(sorted(keys))[:80]}" for word, keys in _named(missing, unknown)))


def _named(missing: set[str], unknown: set[str]) -> list[tuple[str, set[str]]]:
    return [(word, keys) for word, keys in (("it lacks", missing), ("it has unknown", unknown)) if keys]


def _matching(pairs: dict[str, str], key: str, pattern: re.Pattern[str]) -> str:
    value = pairs[key]
    if not pattern.fullmatch(value):
        raise _Odd(f"{key}={value[:40]!r} has the wrong form")
    return value


def _instant(text: str) -> datetime:
    if not _INSTANT.fullmatch(text):
        raise _Odd(f"{text[:40]!r} is no instant like 2026-11-30T04:00:00Z")
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise _Odd(f"{text!r} is no instant of the calendar") from None


def _allow(text: str) -> Allow:
    found = _ALLOW.fullmatch(text)
    if found is None:
        raise _Odd(f"allow={text[:40]!r} is not guard@generation:until")
    return Allow(found.group(1), int(found.group(2)), _instant(found.group(3)))


def is_running(switch: Switch | Garbled | None, aws_now: datetime | None) -> bool:
    """Tell whether the zone may be written: a clear `run`, or a stop whose end has passed by AWS's own clock."""
    if not isinstance(switch, Switch):
        return False
    if switch.mode == "run":
        return True
    return has_passed(switch.until, aws_now)


def has_passed(until: datetime | None, aws_now: datetime | None) -> bool:
    """Tell whether an end has come, by the Date of AWS's last answer: no answer, no expiry."""
    return until is not None and aws_now is not None and aws_now >= until


def allowed_guards(fence: Fence, generation: int, aws_now: datetime | None) -> frozenset[str]:
    """Return the guards a person lifted for exactly this generation, while the permission lasts."""
    return frozenset(
        allow.guard
        for allow in fence.allow
        if allow.generation == generation and aws_now is not None and not has_passed(allow.until, aws_now)
    )


def is_held(fence: Fence, aws_now: datetime | None) -> bool:
    """Tell whether a person froze the endpoint, and the hold has not ended."""
    return fence.state == "hold" and not has_passed(fence.until, aws_now)
