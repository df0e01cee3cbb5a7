"""What plan comes out of entries that were each read by themselves, and what is said of those that stand twice."""

import msgspec
import pytest

from enactor.plan import Broken, Endpoint, Fault, Plan, Retired
from enactor.plan_assembly import UNKNOWN_ZONE, Entry, RetiredEntry, assembled
from enactor.plan_faults import NAME_TEXT_MAX_CHARACTERS, Faults

ODD = Fault("e[9].ttl", "0 is under 1", "ttl")


def endpoint(name: str, zone: str = "Z1") -> Endpoint:
    return Endpoint(name=name, zone=zone, routing="simple", targets=())


def entry(number: int, name: str, zone: str = "Z1", *faults: Fault) -> Entry:
    """Return the item `e[number]`; with faults it is no endpoint."""
    return Entry(
        path=f"e[{number}]", key=(zone, name), endpoint=None if faults else endpoint(name, zone), faults=faults
    )


def gone(number: int, name: str, zone: str = "Z1", *, right: bool = True) -> RetiredEntry:
    return RetiredEntry(path=f"r[{number}]", key=(zone, name), retired=Retired(name, zone) if right else None)


def put_together(entries: list[Entry], *retired: RetiredEntry | None) -> tuple[Plan, list[tuple[str, str]]]:
    """Return the plan, and each fault with its guard."""
    faults = Faults()
    plan = assembled("edge", entries, retired, faults)
    return plan, [(str(fault), fault.guard) for fault in faults.all()]


def test_entries_without_faults_are_the_plan_in_canonical_order() -> None:
    """One name in two zones is two endpoints, whatever the order of the file."""
    entries = [entry(0, "b.", "Z2"), entry(1, "b."), entry(2, "a.")]
    plan, said = put_together(entries, gone(0, "y."), None, gone(1, "x."), gone(2, "b.", "Z3"))
    listed = (endpoint("a."), endpoint("b."), endpoint("b.", "Z2"))
    retired = (Retired("x.", "Z1"), Retired("y.", "Z1"), Retired("b.", "Z3"))
    assert (plan, said) == (Plan(fleet="edge", endpoints=listed, retired=retired), [])


def test_a_key_that_stands_twice_leaves_nothing_usable_for_it() -> None:
    """Nobody knows which was meant: each later one is named with the first, and the faults of all of them are the name's."""
    entries = [entry(0, "b."), entry(1, "a."), entry(2, "b.", "Z1", ODD), entry(3, "b.")]
    plan, said = put_together(entries)
    twice = [Fault(f"e[{n}].name", "b. in zone Z1 stands twice, first as e[0]", "duplicate") for n in (2, 3)]
    assert said == [(str(fault), fault.guard) for fault in (ODD, *twice)]
    broken = Broken(name="b.", zone="Z1", faults=(ODD, *twice))
    assert plan == Plan(fleet="edge", endpoints=(endpoint("a."),), broken=(broken,))


def test_broken_endpoints_stand_by_zone_and_name() -> None:
    """However they stand in the file; what has no zone that anybody knows stands nowhere twice."""
    entries = [
        entry(0, "b.", "Z2", ODD),
        entry(1, "c.", "Z1", ODD),
        entry(2, "a.", UNKNOWN_ZONE, ODD),
        entry(3, "a.", UNKNOWN_ZONE, ODD),
        entry(4, "a.", "Z2", ODD),
    ]
    plan, said = put_together(entries, gone(0, "a.", UNKNOWN_ZONE), gone(1, "a.", UNKNOWN_ZONE))
    assert [(one.zone, one.name, len(one.faults)) for one in plan.broken] == [
        ("", "a.", 2),
        ("Z1", "c.", 1),
        ("Z2", "a.", 1),
        ("Z2", "b.", 1),
    ]
    assert (plan.endpoints, plan.retired, said) == ((), (), [(str(ODD), "ttl")] * 5)


def test_a_name_that_is_listed_and_retired_is_neither() -> None:
    """A doubtful permission to leave the plan is none, and the entry is not usable either."""
    plan, said = put_together([entry(0, "b."), entry(1, "a.")], gone(0, "b."), gone(1, "b."))
    fault = [Fault(f"r[{n}].name", "b. in zone Z1 is also listed, as e[0]", "retired") for n in (0, 1)]
    assert said == [
        (str(fault[0]), "retired"),
        (str(fault[1]), "retired"),
        ("r[1].name: b. in zone Z1 is retired twice", "duplicate"),
    ]
    broken = Broken(name="b.", zone="Z1", faults=tuple(fault))
    assert plan == Plan(fleet="edge", endpoints=(endpoint("a."),), broken=(broken,))


def test_a_listed_name_with_a_fault_that_is_retired_too_has_both_faults() -> None:
    """The fault of its own first."""
    plan, _ = put_together([entry(0, "b.", "Z1", ODD)], gone(0, "b."))
    (broken,) = plan.broken
    assert [fault.guard for fault in broken.faults] == ["ttl", "retired"]


def test_a_name_retired_twice_stays_as_it_was_said_first() -> None:
    """A first entry with a fault permits nothing, and no later one mends that."""
    twice = [("r[1].name: x. in zone Z1 is retired twice", "duplicate")]
    plan, said = put_together([], gone(0, "x."), gone(1, "x."))
    assert (plan.retired, said) == ((Retired("x.", "Z1"),), twice)
    plan, said = put_together([], gone(0, "x.", right=False), gone(1, "x."))
    assert (plan.retired, said) == ((), twice)


@pytest.mark.parametrize("text", ["a" * NAME_TEXT_MAX_CHARACTERS, "a" * (NAME_TEXT_MAX_CHARACTERS + 1)])
def test_what_is_longer_than_any_name_is_shown_cut(text: str) -> None:
    """The entry is still held against the others by all of it."""
    entries = [entry(0, text, text), entry(1, text, text), entry(2, f"{text}b", text)]
    plan, said = put_together([msgspec.structs.replace(one) for one in entries])
    short = text if len(text) <= NAME_TEXT_MAX_CHARACTERS else f'"{"a" * 40}..."'
    assert [message for message, _ in said] == [f"e[1].name: {short} in zone {short} stands twice, first as e[0]"]
    assert [one.name for one in plan.endpoints] == [f"{text}b"]
