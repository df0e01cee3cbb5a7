"""Say whether a name may be taken away or let go: what the plans at hand, the open one and the fences say of it, at this moment.

Each raises NotDone with the sentence for the person. A verb asks at every try, of the very switch that its batch asserts: while
somebody was asked back, or between two tries, the planner and the enactors have gone on (promise 1).
"""

from collections.abc import Iterable, Iterator

from enactor import names
from enactor.endpoint_verbs import Place
from enactor.fence import Fence, Switch
from enactor.insist import NotDone
from enactor.library import Library, Shelf
from enactor.memory import ZoneMemory
from enactor.observe import SwitchReading
from enactor.plan_index import PlanIndex
from enactor.records import ManagedType, RecordSet, content_digest, content_of


def may_go(
    plans: Library, shelf: Shelf, switch: SwitchReading, place: Place, of: ManagedType | None, *, without_plan: bool
) -> PlanIndex | None:
    """Return the newest plan at hand; raise where it or the one that is open lists the name, or the type, or nobody can tell.

    What the newest lists under retired may go although an older one is still open: the tombstone keeps that one away.
    """
    plan = not_listed(shelf, place, of, without_plan=without_plan)
    opened = switch.switch.gen if isinstance(switch.switch, Switch) else 0
    if plan is None or plan.stored.generation < opened or (place.zone, place.name) not in plan.retired:
        not_open(plans, switch, place, of, without_plan=without_plan)
    return plan


def not_listed(shelf: Shelf, place: Place, of: ManagedType | None, *, without_plan: bool) -> PlanIndex | None:
    """Return the newest plan at hand; raise where it lists the name, or where nobody can tell."""
    if not shelf.candidates:
        if without_plan or (shelf.reachable and shelf.head is None):
            return None
        why = "; ".join(shelf.problems)
        raise NotDone(
            f"nobody can tell whether the newest plan lists {place.name}: {why}; --without-plan goes on all the same"
        )
    plan = shelf.candidates[0]
    content = plan.contents.get((place.zone, place.name), ())
    if of is None and place.name in plan.zone(place.zone):
        raise NotDone(
            f"plan {plan.stored.generation} lists {place.name}: publish one that lists it under retired first"
        )
    if of is not None and any(record.type == of for record in content):
        raise NotDone(f"plan {plan.stored.generation} has {of} targets at {place.name}: publish one without them first")
    return plan


def not_open(
    plans: Library, reading: SwitchReading, place: Place, of: ManagedType | None, *, without_plan: bool
) -> None:
    """Raise where the plan that is open lists the name, or the type: an enactor would bring it back, or the newest never said so."""
    switch = reading.switch
    plan = plans.open_plan(switch) if isinstance(switch, Switch) else None
    if plan is None and isinstance(switch, Switch) and switch.gen and not without_plan:
        raise NotDone(
            f"plan {switch.gen}, which is open in zone {place.zone}, cannot be read, so nobody can tell whether it lists "
            f"{place.name}: publish one that lists it under retired, or go on with --without-plan"
        )
    content = plan.contents.get((place.zone, place.name), ()) if plan else ()
    listed = plan is not None and place.name in plan.zone(place.zone)
    if plan is not None and (any(record.type == of for record in content) if of else listed):
        raise NotDone(
            f"plan {plan.stored.generation}, which is open in zone {place.zone}, lists {place.name}: wait until the newest "
            "is open there (`enactor survey` says what keeps it)"
        )


def is_known(plans: Library, plan: PlanIndex | None, place: Place) -> bool:
    """Tell whether any plan at hand, or kept in the table, speaks of a name, as one that is listed or that is retired."""
    key = (place.zone, place.name)
    return (plan is not None and key in plan.retired) or bool(plans.kept_digests(*key))


def not_pointed_to(
    plans: Library, memory: ZoneMemory, place: Place, of: ManagedType | None, *, without_plan: bool
) -> None:
    """Raise where an alias to the name does not stand but may be written at any moment: its fence names it, or the open plan.

    A repair of it may be on its way, and rests on another fence than the retire does. What stands is seen in the zone itself.
    Also where nobody can tell: an endpoint that could only be repaired to an alias to the name would then stay empty.
    """
    for name, content in _to_come(plans, memory):
        if content is None and name != place.name and not without_plan:
            raise NotDone(
                f"{name} does not stand as its fence says, and no plan at hand has that content, so nobody can tell whether an "
                f"alias to {place.name} is to be put back there: wait until `enactor survey` calls {name} current, or go on "
                "with --without-plan"
            )
        for record in content or ():
            alias = record.alias
            if alias is None or alias.zone != place.zone or names.canonical(alias.name) != place.name:
                continue
            if name != place.name and of in {None, record.type}:
                raise NotDone(
                    f"an alias at {name} to the {record.type} sets of {place.name} is what its fence or the open plan says, and "
                    f"may be put back at any moment: wait until `enactor survey` calls {name} current, or publish a plan without it"
                )


def _to_come(plans: Library, memory: ZoneMemory) -> Iterator[tuple[str, Iterable[RecordSet] | None]]:
    """Yield what an enactor may write by the open plan or as a repair, with the name that it belongs to; None where it is a kept plan's, if any, and the table is silent."""
    switch = memory.switch.switch
    opened = plans.open_plan(switch) if isinstance(switch, Switch) else None
    for (zone, name), content in (opened.contents if opened else {}).items():
        if zone == memory.zone:
            yield name, content
    for name, reading in memory.fences.items():
        fence = reading.fence
        if not isinstance(fence, Fence) or fence.fleet != memory.fleet or fence.state == "retired":
            continue
        if content_digest(content_of(memory.view(name).sets)) != fence.plan:
            found = plans.content(memory.zone, name, fence.plan)
            yield name, found if found is not None or plans.is_silent else ()
