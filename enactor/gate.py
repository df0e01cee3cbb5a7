"""Decide, directly before the one call that writes, whether a batch may go: the last gate.

Pure, and blind on purpose: it knows nothing of plans, guards or how the batch was made, and shares no code with the sandbox's
zone model, so that one fault cannot blind both (a property test holds the two together). It plays the batch on the observed
zone with a few lines of its own and refuses a result that takes away the last set of a kind that is served, or that an alias
points to, that leaves a kind with aliases that lead to nothing where something answered, or that shrinks past the limit (promise 1). A permit in the batch lifts the shrink rules only where its numbers
check out against the observed fence itself; nothing lifts `empty` here but the tombstone of a retire, which no `allow` can be.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from enactor import names
from enactor.batch import Batch, Change
from enactor.records import RecordSet, content_digest, content_of

_KINDS: Final = {"A": ("v4",), "AAAA": ("v6",), "CNAME": ("v4", "v6")}
_GENERATION: Final = re.compile(r"\bgen=(\d+)")
_PLAN: Final = re.compile(r"\bplan=(none|[0-9a-f]{12})\b")
_ALLOW: Final = re.compile(r"\b([a-z-]+)@(\d+):")
_ALLOWABLE: Final = frozenset({"shrink-targets", "shrink-capacity", "zero-weights"})
"""The rules of this gate that a person may lift for one generation."""
CHAIN_STEPS_MAX: Final = 100
"""An alias to an alias to an alias, and so on: what takes more steps to an answer counts as dead."""
_SELFTEST: Final = re.compile(r"(^|\.)_selftest-[0-9a-f]+\._fence\.")

Key = tuple[str, str, str]
Sets = Mapping[Key, RecordSet]


class GateRefusal(msgspec.Struct, frozen=True):
    """Why a batch must not go: at which endpoint (None: the whole batch), by which rule, and the numbers."""

    name: str | None
    guard: str
    why: str


class Permits(msgspec.Struct, frozen=True, kw_only=True):
    """What the fence's own two texts permit at one name, every number checked against the result."""

    fenced: bool
    """The batch writes the endpoint's fence: without it nothing at the name may be written."""
    retires: bool
    """The new fence is a tombstone; or a person takes one type away, and exactly that goes while something else stays."""
    repairs: bool
    """Both fences name the content that the batch leaves."""
    allowed: frozenset[str]
    """The rules that a person's `allow` in the observed fence lifts for this very generation."""


class GateLimits(msgspec.Struct, frozen=True):
    """The shares of targets and of capacity that one swap may take away."""

    targets: float
    capacity: float


def refusals(batch: Batch, limits_of: Callable[[str], GateLimits]) -> tuple[GateRefusal, ...]:
    """Return every reason why a batch must not be sent; empty means it may go."""
    if batch.origin == "selftest":
        return tuple(_scratch_only(batch.changes))
    before = {record.key: record for swap in batch.swaps for record in swap.before}
    after, reasons = _play(batch.changes, before)
    if batch.origin == "cycle":
        reasons += _switch(batch.changes, names.SWITCH_PREFIX)
    beyond = {record.key: record for record in batch.beyond}
    was, will = _alive({**beyond, **before}, batch.zone), _alive(_seen_after(beyond, before, after), batch.zone)
    for name in sorted({change.record.name for change in batch.changes if change.record.type in _KINDS}):
        old, new = _at(before, name), _at(after, name)
        permits = _permits(batch, name, old, new)
        reasons += _emptied(name, old, new, batch.pointed, permits)
        if not permits.retires:
            reasons += _silenced(name, old, new, was, will)
        if not (permits.repairs or permits.retires):
            reasons += _shrunk(name, old, new, limits_of(name), permits)
    return tuple(reasons)


def _play(changes: Iterable[Change], before: Sets) -> tuple[Sets, list[GateRefusal]]:
    """Play the managed sets' changes as Route 53 will, on what was observed; a change that cannot apply is our own mistake."""
    after, reasons = dict(before), list[GateRefusal]()
    for change in changes:
        record = change.record
        if record.type not in _KINDS:
            continue
        if change.action == "DELETE" and after.pop(record.key, None) != record:
            why = f"the batch deletes a {record.type} set that was not observed so"
            reasons.append(GateRefusal(record.name, "malformed", why))
        if change.action == "CREATE":
            if record.key in after:
                reasons.append(
                    GateRefusal(record.name, "malformed", f"the batch creates a {record.type} set that stands")
                )
            after[record.key] = record
    return after, reasons


def _at(sets: Sets, name: str) -> list[RecordSet]:
    return [record for key, record in sets.items() if key[0] == name]


def _switch(changes: tuple[Change, ...], base: str) -> list[GateRefusal]:
    """Require that the batch starts with the switch, in run, and never goes back a generation."""
    if len(changes) < 2 or [change.action for change in changes[:2]] != ["DELETE", "CREATE"]:
        return [GateRefusal(None, "switch", "the batch does not start by asserting the switch")]
    old, new = (_text(change.record) for change in changes[:2])
    if any(not change.record.name.startswith(base) for change in changes[:2]):
        return [GateRefusal(None, "switch", "the batch does not start with the switch")]
    if "mode=run" not in new.strip('"').split():
        return [GateRefusal(None, "switch", "the batch would not leave the switch in run")]
    if _number(new) < _number(old) or (_number(new) == _number(old) and _plan(new) != _plan(old)):
        return [
            GateRefusal(
                None,
                "switch",
                f"the switch would go from generation {_number(old)} to {_number(new)}, which is no step forward",
            )
        ]
    return []


def _permits(batch: Batch, name: str, old: list[RecordSet], new: list[RecordSet]) -> Permits:
    fence = names.fence_name(name, batch.zone_name)
    texts = {change.action: _text(change.record) for change in batch.changes if change.record.name == fence}
    was, put = texts.get("DELETE", ""), texts.get("CREATE", "")
    allowed = {guard for guard, generation in _ALLOW.findall(was) if int(generation) == _number(put)}
    return Permits(
        fenced=bool(put),
        retires=" state=retired" in put or _takes_one_type(batch, old, new),
        repairs=bool(was) and _plan(was) == _plan(put) == content_digest(content_of(new)),
        allowed=frozenset(allowed & _ALLOWABLE) if batch.origin == "cycle" else frozenset(),
    )


def _takes_one_type(batch: Batch, old: list[RecordSet], new: list[RecordSet]) -> bool:
    left = [record for record in old if record.type != batch.retires]
    return batch.origin == "verb" and bool(batch.retires) and bool(new) and content_of(left) == content_of(new)


def _emptied(
    name: str, old: list[RecordSet], new: list[RecordSet], pointed: frozenset[tuple[str, str]], permits: Permits
) -> list[GateRefusal]:
    reasons = []
    if not permits.fenced:
        reasons.append(GateRefusal(name, "malformed", "the batch writes record sets without their fence"))
    for record_type in sorted({record.type for record in old} - {record.type for record in new}):
        if (name, record_type) in pointed:
            why = f"an alias points to the {record_type} sets here, and none would be left"
            reasons.append(GateRefusal(name, "alias-target", why))
    if permits.retires:
        return reasons
    if permits.repairs:
        return reasons if new or not old else [*reasons, GateRefusal(name, "empty", "nothing would be left")]
    lost = sorted(_kinds(old, weighing=False) - _kinds(new, weighing=False))
    reasons += [GateRefusal(name, "empty", f"nothing that answers {kind} would be left") for kind in lost]
    if "zero-weights" in permits.allowed:
        return reasons
    # A kind whose weights were all 0 is answered by Route 53 and may stay so; one that had weight must keep some.
    idle = sorted(_kinds(old, weighing=True) - _kinds(new, weighing=True) - set(lost))
    return reasons + [
        GateRefusal(name, "zero-weights", f"all that answers {kind} would have weight 0") for kind in idle
    ]


def _seen_after(beyond: Sets, before: Sets, after: Sets) -> Sets:
    return {**{key: record for key, record in beyond.items() if key not in before}, **after}


def _alive(sets: Sets, zone: str) -> set[Key]:
    """Return which sets lead to an answer: no alias within the zone, or one to a name and type where such a set stands."""
    alive = {key for key, record in sets.items() if record.alias is None or record.alias.zone != zone}
    aliases = {
        key: (_folded(record.alias.name), record.type)
        for key, record in sets.items()
        if record.alias and key not in alive
    }
    for _ in range(CHAIN_STEPS_MAX):
        reached = {key[:2] for key in alive}
        found = {key for key, target in aliases.items() if target in reached} - alive
        if not found:
            break
        alive |= found
    return alive


def _folded(name: str) -> str:
    return (name if name.endswith(".") else name + ".").lower().replace("\\052.", "*.", 1)


def _silenced(
    name: str, old: list[RecordSet], new: list[RecordSet], was: set[Key], will: set[Key]
) -> list[GateRefusal]:
    """Refuse, repair or not, what leaves only aliases to nothing to a kind that something answers now."""
    lost: set[str] = set()
    for weighing in (False, True):
        had = _kinds([record for record in old if record.key in was], weighing=weighing)
        has = _kinds([record for record in new if record.key in will], weighing=weighing)
        lost |= (had & _kinds(new, weighing=weighing)) - has
    why = "would be left with aliases that lead to no answer"
    return [GateRefusal(name, "alias-target", f"{kind} {why}") for kind in sorted(lost)]


def _kinds(sets: list[RecordSet], *, weighing: bool) -> set[str]:
    """Return the kinds that have a set, or with `weighing` those that have one of non-zero weight."""
    return {kind for record in sets if not weighing or record.weight != 0 for kind in _KINDS[record.type]}


def _shrunk(
    name: str, old: list[RecordSet], new: list[RecordSet], limits: GateLimits, permits: Permits
) -> list[GateRefusal]:
    reasons: list[GateRefusal] = []
    if {record.type for record in old} == {"CNAME"} != {record.type for record in new}:
        return reasons  # how many targets a CNAME led to cannot be counted here
    for kind in ("v4", "v6"):
        was, will = _capacity(old, kind), _capacity(new, kind)
        if not was:
            continue
        gone = sum(1 for target in was if target not in will) / len(was)
        less = sum(weight for target, weight in was.items() if not will.get(target)) / sum(was.values())
        for guard, what, share, limit in (
            ("shrink-targets", "targets", gone, limits.targets),
            ("shrink-capacity", "capacity", less, limits.capacity),
        ):
            if share > limit and guard not in permits.allowed:
                why = f"a share of {share:.2f} of its {kind} {what} would go, over {limit}"
                reasons.append(GateRefusal(name, guard, why))
    return reasons


def _capacity(sets: list[RecordSet], kind: str) -> dict[str, int]:
    weights: dict[str, int] = {}
    for record in content_of(sets):
        for target in [f"{record.alias.name}|{record.alias.zone}"] if record.alias else record.values:
            if kind in _KINDS[record.type]:
                weights[target] = weights.get(target, 0) + (1 if record.weight is None else record.weight)
    return weights if any(weights.values()) else dict.fromkeys(weights, 1)


def _scratch_only(changes: Iterable[Change]) -> Iterable[GateRefusal]:
    for change in changes:
        if not _SELFTEST.search(change.record.name):
            why = f"a self-test would write {change.record.name}, which is no scratch name"
            yield GateRefusal(None, "malformed", why)


def _text(record: RecordSet) -> str:
    return " ".join(record.values)


def _number(text: str) -> int:
    found = _GENERATION.search(text)
    return int(found.group(1)) if found else 0


def _plan(text: str) -> str:
    found = _PLAN.search(text)
    return found.group(1) if found else ""
