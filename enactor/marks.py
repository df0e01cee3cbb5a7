"""Decide what a person's verb writes at one endpoint: hold, release, allow, adopt, retire, disown, heal. Pure.

Each takes the endpoint as just observed and returns the swap that leads to what was asked, or None where it stands so already:
the verbs decide again after every answer, and end when there is nothing left to write. What may not be done raises NotDone
with the sentence for the person. Every swap rests on the fence exactly as observed and asserts a set of each kind that stands,
so a late one loses (promise 2), and no mark is put beside record sets that have just gone (promise 1).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import msgspec

from enactor.fence import Allow, Fence, Garbled, fence_text, has_passed, is_held, read_fence, text_set
from enactor.guards import ALLOWABLE, ENDPOINT_GUARDS, NOT_ALLOWABLE
from enactor.insist import KeptBack, NotDone
from enactor.plan_guards import PLAN_ALLOWABLE, PLAN_GUARDS
from enactor.records import Content, ManagedType, RecordSet, content_digest, content_of, difference
from enactor.survivors import survivors
from enactor.swap import Swap, View

UNSAYABLE: Final = "a plan cannot say that, and adopting it would lose it"


class Hand(msgspec.Struct, frozen=True, kw_only=True):
    """Who writes, and by which nonce the write is known."""

    fleet: str
    by: str
    nonce: str


def held(view: View, hand: Hand, until: datetime | None) -> Swap | None:
    """Freeze an endpoint as it stands, until an instant or for good."""
    fence = _own(view, hand, "hold")
    if fence.state == "hold" and is_as_long(fence.until, until):
        return None
    return _mark(view, hand, msgspec.structs.replace(fence, state="hold", until=until))


def is_as_long(stands: datetime | None, wanted: datetime | None) -> bool:
    """Tell whether a brake that stands lasts at least as long as wanted; None is for good. A second person never shortens one."""
    return stands is None or (wanted is not None and stands >= wanted)


def released(view: View, hand: Hand) -> Swap | None:
    """Take a hold away."""
    fence = _own(view, hand, "release")
    if fence.state != "hold":
        return None
    return _mark(view, hand, msgspec.structs.replace(fence, state="live", until=None))


def allowed(view: View, hand: Hand, allow: Allow, *, opened: int, aws_now: datetime | None) -> Swap | None:
    """Let one guard pass once, at one generation, until an instant; what can serve nobody any more beside it is dropped.

    That is what has expired, and what is of a generation below the one that is open in the zone: nothing of it is written again.
    """
    fence = _own(view, hand, "allow a guard")
    if allow in fence.allow:
        return None
    if allow.generation < opened:
        raise NotDone(
            f"generation {allow.generation} is behind {opened}, which is open in zone {view.zone}: nothing of it is written "
            "any more, so there is nothing to allow"
        )
    others = (
        one
        for one in fence.allow
        if (one.guard, one.generation) != (allow.guard, allow.generation)
        and one.generation >= opened
        and not has_passed(one.until, aws_now)
    )
    swap = _mark(view, hand, msgspec.structs.replace(fence, allow=(*others, allow)))
    if read_fence(text_set("a.", fence_text(swap.fence_after))) != swap.fence_after:
        listed = ", ".join(map(str, swap.fence_after.allow[:-1]))
        raise NotDone(f"the fence of {view.name} has no room for another allow beside {listed}: wait until they expire")
    return swap


def why_not_allowable(guard: str, *, of_plan: bool) -> str | None:
    """Return why nobody can allow this guard there, None where it can be."""
    can = sorted(PLAN_ALLOWABLE) if of_plan else ALLOWABLE
    if guard in can:
        return None
    if guard in NOT_ALLOWABLE:
        return f"{guard} can be allowed by nobody: `enactor retire` is the verb that takes a name or a kind away"
    if guard not in {*ENDPOINT_GUARDS, *PLAN_GUARDS}:
        return f"{guard!r} is no guard; these can be allowed: {', '.join(can)}"
    return (
        f"{guard} cannot be allowed {'for a whole plan' if of_plan else 'at an endpoint'}; these can: {', '.join(can)}"
    )


def adopted(view: View, hand: Hand, from_fleet: str | None = None) -> Swap | None:
    """Take a name into the fleet as it stands, with a fence of generation 0 that names what is there."""
    if is_live(view, hand.fleet):
        return None
    if problem := why_not_adopted(view, hand.fleet, from_fleet):
        raise problem
    fence = Fence(fleet=hand.fleet, gen=0, plan=content_digest(content_of(view.sets)), by=hand.by, nonce=hand.nonce)
    everything = tuple(sorted(view.sets, key=lambda record: record.key))
    return _swap(view, fence, everything, everything)


def why_not_adopted(view: View, fleet: str, from_fleet: str | None = None) -> NotDone | None:
    """Return why a name cannot be adopted, None where it can be; KeptBack where it is another's, or more than a plan can say."""
    fence = view.fence.fence if view.fence else None
    if isinstance(fence, Fence) and fence.state != "retired":
        if fence.fleet == fleet:
            return NotDone(f"{view.name} is in fleet {fleet}'s hands already ({fence.state}, generation {fence.gen})")
        if fence.fleet == from_fleet and fence.state == "hold":
            return KeptBack(f"{view.name} is held by fleet {fence.fleet}: it must be released there first")
        if fence.fleet != from_fleet:
            return KeptBack(
                f"{view.name} belongs to fleet {fence.fleet} by its fence: let that fleet disown it, or take it over with "
                f"--from-fleet {fence.fleet}"
            )
    elif from_fleet is not None:
        return NotDone(f"{view.name} does not belong to fleet {from_fleet} by its fence; adopt it without --from-fleet")
    if view.fence is None and not view.sets:
        return NotDone(f"nothing stands at {view.name} in zone {view.zone}; a plan that lists it will create it")
    for record in view.sets:
        if record.extra:
            what = ", ".join(sorted(msgspec.json.decode(record.extra)))
            return KeptBack(f"{view.name} cannot be adopted: its {record.type} set has {what}; {UNSAYABLE}")
    return None


def is_live(view: View, fleet: str) -> bool:
    """Tell whether the name is in this fleet's hands, held ones included."""
    fence = view.fence.fence if view.fence else None
    return isinstance(fence, Fence) and fence.fleet == fleet and fence.state != "retired"


def retired(
    view: View,
    hand: Hand,
    of: ManagedType | None,
    *,
    generation: int,
    aws_now: datetime | None,
    pointed: Mapping[tuple[str, str], Sequence[str]],
) -> Swap | None:
    """Take a name's record sets away and leave a tombstone, or with `of` the sets of one type and nothing else."""
    fence = view.fence.fence if view.fence else None
    if isinstance(fence, Fence) and fence.fleet == hand.fleet and fence.state == "retired" and not view.sets:
        return None
    if view.fence is None and view.sets:
        raise KeptBack(f"{view.name} has record sets and no fence, so it is not fleet {hand.fleet}'s: adopt it first")
    own = _own(view, hand, "retire") if view.fence is not None else None
    if own is not None and is_held(own, aws_now):
        raise NotDone(f"{view.name} is held; `enactor release {view.name}` first")
    gone = tuple(record for record in view.sets if of in {None, record.type})
    for record_type in sorted({record.type for record in gone}):
        if (view.name, record_type) in pointed:
            pointers = ", ".join(pointed[view.name, record_type])
            raise NotDone(f"an alias at {pointers} points to the {record_type} sets of {view.name}: change that first")
    if of is None:
        tombstone = Fence(
            fleet=hand.fleet,
            gen=own.gen if own else generation,
            plan=content_digest(()),
            by=hand.by,
            nonce=hand.nonce,
            state="retired",
        )
        return _swap(view, tombstone, gone, ())
    return _without(view, hand, own, of, gone)


def _without(view: View, hand: Hand, own: Fence | None, of: ManagedType, gone: tuple[RecordSet, ...]) -> Swap | None:
    left = tuple(record for record in view.sets if record.type != of)
    if not gone:
        return None
    assert own is not None, "what stands without a fence was turned away"
    if not left:
        raise NotDone(
            f"{view.name} has {of} sets alone: without --type, `enactor retire {view.name}` takes the name away"
        )
    fence = msgspec.structs.replace(own, plan=content_digest(content_of(left)), by=hand.by, nonce=hand.nonce)
    again = survivors(left, (), view.zone, None)
    return _swap(view, fence, (*gone, *again), again)


def disowned(view: View, fleet: str, aws_now: datetime | None) -> RecordSet:
    """Return the fence that is taken away so that the name is nobody's; its record sets stay."""
    if view.fence is None:
        raise NotDone(f"{view.name} has no fence, so it is nobody's already")
    match view.fence.fence:
        case Garbled(why):
            raise KeptBack(f"the fence of {view.name} cannot be read ({why}): delete it by hand if nobody needs it")
        case Fence() as fence if fence.fleet != fleet:
            raise KeptBack(f"{view.name} belongs to fleet {fence.fleet} by its fence, not to {fleet}")
        case Fence() as fence if is_held(fence, aws_now):
            raise NotDone(f"{view.name} is held: `enactor release {view.name}` first")
        case Fence(state="retired"):
            raise NotDone(f"{view.name} is retired: a tombstone is lifted by `enactor adopt`")
        case Fence():
            return view.fence.record


def healed(view: View, hand: Hand, target: Content, *, generation: int | None, until: datetime | None) -> Swap | None:
    """Put an endpoint's content in place by hand, at a plan's generation or, with None, at the fence's own and on hold.

    The last resort: no plan table, no switch, no other part alive. The gate still judges it.
    """
    if view.fence is None and view.sets and content_of(view.sets) != target:
        raise KeptBack(f"{view.name} has record sets and no fence, so it is not fleet {hand.fleet}'s: adopt it first")
    own = _own(view, hand, "heal") if view.fence is not None else None
    if generation is not None and own is not None and generation < own.gen:
        raise NotDone(
            f"the newest plan at hand is generation {generation}, older than the {own.gen} in the fence of {view.name}: "
            "give what should stand there with --plan"
        )
    gen = generation if generation is not None else own.gen if own else 0
    fence = Fence(
        fleet=hand.fleet,
        gen=gen,
        plan=content_digest(target),
        by=hand.by,
        nonce=hand.nonce,
        state="hold" if until is not None else own.state if own else "live",
        until=_later(own, until),
        allow=_unused(own, target, generation) if own else (),
        base=own.base if own else "",
    )
    if own is not None and content_of(view.sets) == target and _says(own, fence):
        return None
    change = difference(view.sets, target)
    again = survivors(change.kept, change.creates, view.zone, None)
    return _swap(view, fence, (*change.deletes, *again), (*change.creates, *again))


def _unused(own: Fence, target: Content, generation: int | None) -> tuple[Allow, ...]:
    """Return the allows that a heal leaves to those they are for: all, but where a plan's content goes in, its own and older ones."""
    if generation is None or own.plan == content_digest(target):
        return own.allow
    return tuple(one for one in own.allow if one.generation > generation)


def _later(own: Fence | None, until: datetime | None) -> datetime | None:
    """Return the end of a hold that is not shortened by another."""
    if own is None or until is None:
        return own.until if own else until
    return own.until if own.state == "hold" and is_as_long(own.until, until) else until


def _says(own: Fence, wanted: Fence) -> bool:
    return msgspec.structs.replace(own, by="", nonce="") == msgspec.structs.replace(wanted, by="", nonce="")


def _own(view: View, hand: Hand, what: str) -> Fence:
    """Return the endpoint's fence, where it is this fleet's and no tombstone."""
    if view.fence is None and not view.sets:
        raise NotDone(
            f"nothing stands at {view.name} in zone {view.zone}, not even a fence, so there is nothing to {what}"
        )
    if view.fence is None:
        raise KeptBack(f"{view.name} has no fence, so there is nothing to {what}: `enactor adopt {view.name}` first")
    match view.fence.fence:
        case Garbled(why):
            raise KeptBack(
                f"the fence of {view.name} cannot be read ({why}); `enactor adopt {view.name}` writes it anew, "
                "once you know that what stands there is right"
            )
        case Fence() as fence if fence.fleet != hand.fleet:
            raise KeptBack(f"{view.name} belongs to fleet {fence.fleet} by its fence, not to {hand.fleet}")
        case Fence(state="retired"):
            raise NotDone(f"{view.name} was retired: only `enactor adopt {view.name}` brings it back")
        case Fence() as fence:
            return fence


def _mark(view: View, hand: Hand, fence: Fence) -> Swap:
    """Return a swap that writes the fence alone, beside one untouched set of each kind, deleted and created the same."""
    again = survivors(view.sets, (), view.zone, None)
    return _swap(view, msgspec.structs.replace(fence, by=hand.by, nonce=hand.nonce), again, again)


def _swap(view: View, fence: Fence, deletes: tuple[RecordSet, ...], creates: tuple[RecordSet, ...]) -> Swap:
    return Swap(
        name=view.name,
        zone=view.zone,
        state="current",
        purpose="mark",
        fence_before=view.fence.record if view.fence else None,
        fence_after=fence,
        deletes=deletes,
        creates=creates,
        before=view.sets,
    )
