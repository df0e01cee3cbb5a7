"""Whether a name may be taken away or let go: where the plans list it, where nobody can tell, and where an alias will come back."""

import re

import msgspec
import pytest

from enactor.endpoint_verbs import Place
from enactor.fence import Switch
from enactor.insist import NotDone
from enactor.names import fence_name
from enactor.observe import SwitchReading
from enactor.parting import may_go, not_listed, not_open, not_pointed_to
from enactor.plan import Plan, Retired, StoredPlan
from enactor.plan_index import PlanIndex
from enactor.records import Alias, ManagedType, RecordSet

from .ground import Ground
from .kernel_builders import (
    FLEET,
    NAME,
    ZONE,
    ZONE_NAME,
    alias,
    entry,
    fence,
    fence_record,
    garbled,
    plan,
    simple,
    switch,
    switch_record,
    weighted,
)

PLACE = Place(ZONE, NAME)
OTHER = f"other.{ZONE_NAME}"
WWW = f"www.{ZONE_NAME}"
LISTS = plan(entry(weighted(1)))
LISTS_BOTH = plan(entry(weighted(1), weighted(1, record_type="AAAA")))
LETS_GO = plan(entry(simple(1), name=OTHER), retired=[Retired(NAME, ZONE)])
SILENT = plan(entry(simple(1), name=OTHER), entry(simple(1), zone="Z2"))
STOPS_SAYING = plan(entry(simple(2), name=OTHER))


def ground(*plans: Plan, opened: int | None = None) -> Ground:
    """Return a zone that has one of the plans open, or none, and says so in its switch; without `opened` it has no switch."""
    made = Ground()
    stored = [made.publish(one) for one in plans]
    if opened is not None:
        made.put(switch_record(at(stored[opened - 1]) if opened else switch(0)))
    return made


def at(of: StoredPlan) -> Switch:
    return switch(of.generation, of.short_digest)


def newest(made: Ground, of: ManagedType | None = None, *, without_plan: bool = False) -> PlanIndex | None:
    return not_listed(made.library().look(), PLACE, of, without_plan=without_plan)


def check_open(made: Ground, of: ManagedType | None = None, *, without_plan: bool = False) -> None:
    library = made.library()
    library.look()
    not_open(library, made.zones.switch(ZONE, FLEET), PLACE, of, without_plan=without_plan)


def goes(made: Ground, of: ManagedType | None = None, *, without_plan: bool = False) -> PlanIndex | None:
    library = made.library()
    return may_go(library, library.look(), made.zones.switch(ZONE, FLEET), PLACE, of, without_plan=without_plan)


def generation(of: PlanIndex | None) -> int | None:
    return None if of is None else of.stored.generation


# ---- the newest plan -----------------------------------------------------------------------------------------------------


def test_where_nothing_was_ever_published_nothing_lists_a_name() -> None:
    """The table answers, and has no HEAD."""
    assert newest(ground()) is None
    assert newest(ground(), "AAAA") is None


@pytest.mark.parametrize("loss", ["dark", "damaged"])
def test_without_any_plan_at_hand_nobody_can_tell(loss: str) -> None:
    """Whether the table is away or its only plan is damaged; a person may go on without."""
    made = ground(LISTS)
    made.line.dark = loss == "dark"
    if loss == "damaged":
        made.damage(1)
    problems = "; ".join(made.library().look().problems)
    assert problems
    told = f"nobody can tell whether the newest plan lists {NAME}: {problems}; --without-plan goes on all the same"
    with pytest.raises(NotDone, match=f"^{re.escape(told)}$"):
        newest(made)
    assert newest(made, without_plan=True) is None


def test_several_problems_are_all_told() -> None:
    """A sentence each."""
    shelf = msgspec.structs.replace(ground().library().look(), reachable=False, problems=("first", "second"))
    with pytest.raises(NotDone, match=r"ep1\.example\.test\.: first; second; --without-plan"):
        not_listed(shelf, PLACE, None, without_plan=False)


def test_a_table_that_is_away_is_not_one_without_plans() -> None:
    """Nor is one whose HEAD is known although the plan is not."""
    shelf = msgspec.structs.replace(ground().library().look(), reachable=False)
    with pytest.raises(NotDone):
        not_listed(shelf, PLACE, None, without_plan=False)


def test_a_name_that_the_newest_plan_lists_stays() -> None:
    """Also with --without-plan, which is for plans that nobody can read."""
    for without_plan in (False, True):
        with pytest.raises(
            NotDone, match=f"^plan 2 lists {re.escape(NAME)}: publish one that lists it under retired first$"
        ):
            newest(ground(SILENT, LISTS), without_plan=without_plan)
    assert generation(newest(ground(LISTS, SILENT))) == 2, "the same name in another zone is another name"
    assert generation(newest(ground(LISTS, LETS_GO))) == 2


def test_a_type_that_the_newest_plan_has_targets_of_stays() -> None:
    """Of the other type a listed name may lose its record sets."""
    with pytest.raises(
        NotDone, match=f"^plan 1 has AAAA targets at {re.escape(NAME)}: publish one without them first$"
    ):
        newest(ground(LISTS_BOTH), "AAAA")
    assert generation(newest(ground(LISTS), "AAAA")) == 1
    assert generation(newest(ground(SILENT), "A")) == 1


# ---- the plan that is open -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("of", [None, "A"])
def test_a_name_or_type_that_the_open_plan_lists_stays(of: ManagedType | None) -> None:
    """An enactor would bring it back; and --without-plan does not help, as the plan is there."""
    told = f"plan 1, which is open in zone {ZONE}, lists {NAME}: wait until the newest is open there"
    for without_plan in (False, True):
        with pytest.raises(NotDone, match=f"^{re.escape(told)}"):
            check_open(ground(LISTS, STOPS_SAYING, opened=1), of, without_plan=without_plan)


def test_what_the_open_plan_does_not_list_may_go() -> None:
    """The name in another zone, the other type, the name under retired; and where no plan is open at all."""
    check_open(ground(SILENT, LISTS, opened=1))
    check_open(ground(LISTS, opened=1), "AAAA")
    check_open(ground(LETS_GO, LISTS, opened=1))
    check_open(ground(SILENT, opened=1), "A")
    check_open(ground(LISTS, opened=0))
    check_open(ground(LISTS))


def test_a_switch_that_nobody_can_read_names_no_open_plan() -> None:
    """The zone is stopped then, and only a person starts it."""
    made = ground(LISTS, opened=0)
    made.put(msgspec.structs.replace(switch_record(switch(0)), values=('"stop, please"',)))
    check_open(made)


def test_an_open_plan_that_cannot_be_read_leaves_it_to_the_person() -> None:
    """Nobody can tell whether it lists the name, or the type."""
    made = ground(SILENT)
    made.put(switch_record(switch(7, "d" * 12)))
    told = (
        f"plan 7, which is open in zone {ZONE}, cannot be read, so nobody can tell whether it lists {NAME}: publish one that "
        "lists it under retired, or go on with --without-plan"
    )
    for of in (None, "A"):
        with pytest.raises(NotDone, match=f"^{re.escape(told)}$"):
            check_open(made, of)
        check_open(made, of, without_plan=True)


# ---- both together -------------------------------------------------------------------------------------------------------


def test_what_the_newest_lists_under_retired_goes_although_an_older_one_is_open() -> None:
    """The tombstone keeps that one away."""
    assert generation(goes(ground(LISTS, LETS_GO, opened=1))) == 2
    assert generation(goes(ground(LISTS, LETS_GO, opened=2))) == 2


def test_what_the_newest_only_no_longer_mentions_waits_until_it_is_open() -> None:
    """Absence is no deletion; and under retired in another zone is not here."""
    elsewhere = plan(entry(simple(1), name=OTHER), retired=[Retired(NAME, "Z2")])
    for last in (STOPS_SAYING, elsewhere):
        with pytest.raises(NotDone, match=r"^plan 1, which is open"):
            goes(ground(LISTS, last, opened=1))
        assert generation(goes(ground(LISTS, last, opened=2))) == 2


def test_a_plan_below_the_open_one_does_not_speak_for_it() -> None:
    """The table was restored: what the open plan says is not known, whatever the newest of the table lists under retired."""
    made = ground(LETS_GO)
    made.put(switch_record(switch(2, "d" * 12)))
    with pytest.raises(NotDone, match=r"^plan 2, which is open"):
        goes(made)
    assert generation(goes(made, without_plan=True)) == 1


def test_without_any_plan_the_open_one_is_asked_for_all_the_same() -> None:
    """A person who goes on without plans is asked once, not twice."""
    made = Ground()
    assert goes(made) is None
    made.put(switch_record(switch(7, "d" * 12)))
    with pytest.raises(NotDone, match=r"^plan 7, which is open"):
        goes(made)
    assert goes(made, without_plan=True) is None


def test_the_newest_plan_is_asked_first() -> None:
    """With its own sentence, and for the type that was named."""
    with pytest.raises(NotDone, match=r"^plan 1 lists"):
        goes(ground(LISTS, opened=1))
    with pytest.raises(NotDone, match=r"^plan 1 has A targets"):
        goes(ground(LISTS, opened=1), "A")
    with pytest.raises(NotDone, match=r"^plan 1, which is open"):
        goes(ground(LISTS, STOPS_SAYING, opened=1), "A")
    assert generation(goes(ground(LISTS, STOPS_SAYING, opened=1), "AAAA")) == 2
    made = ground(LISTS)
    made.line.dark = True
    with pytest.raises(NotDone, match=r"^nobody can tell"):
        goes(made)
    assert goes(made, without_plan=True) is None


def test_a_plan_of_the_same_generation_as_the_open_one_speaks_for_itself() -> None:
    """After a restore another plan has that number: the tombstone keeps the one that is open away."""
    made = ground(LETS_GO)
    made.put(switch_record(switch(1, "d" * 12)))
    assert generation(goes(made)) == 1


# ---- aliases to come -----------------------------------------------------------------------------------------------------


def pointed(made: Ground, of: ManagedType | None = None, *, without_plan: bool = False) -> None:
    library = made.library()
    library.look()
    not_pointed_to(library, made.memory(), PLACE, of, without_plan=without_plan)


def pointing(*records: RecordSet, name: str = WWW, target: str = NAME) -> Plan:
    """Return a plan with an alias to the name."""
    return plan(entry(weighted(1)), entry(*records or (alias(target, name=name),), name=name))


def told(of: ManagedType, name: str = WWW) -> str:
    return (
        f"^an alias at {re.escape(name)} to the {of} sets of {re.escape(NAME)} is what its fence or the open plan says, and may "
        f"be put back at any moment: wait until `enactor survey` calls {re.escape(name)} current, or publish a plan without it$"
    )


@pytest.mark.parametrize("of", [None, "A"])
def test_an_alias_that_the_open_plan_has_keeps_its_target(of: ManagedType | None) -> None:
    """Although nothing stands there yet."""
    with pytest.raises(NotDone, match=told("A")):
        pointed(ground(pointing(), opened=1), of)
    pointed(ground(pointing(), STOPS_SAYING, opened=2), of)


def test_an_alias_to_the_other_type_or_to_another_name_keeps_nothing() -> None:
    """Nor does one to the same name in another zone, or one that stands at the name itself."""
    pointed(ground(pointing(), opened=1), "AAAA")
    pointed(ground(pointing(target=OTHER), opened=1))
    pointed(ground(pointing(alias(NAME, name=WWW, zone="Z2")), opened=1))
    itself = plan(entry(alias(NAME, name=NAME, weight=1), alias(OTHER, name=NAME, weight=1)))
    pointed(ground(itself, opened=1))


def test_an_alias_is_found_behind_others_and_however_it_spells_the_name() -> None:
    """Names are compared as DNS compares them; what stands before it, and sets of other kinds, hide nothing."""
    both = (
        alias(OTHER, "A", name=WWW),
        RecordSet(name=WWW, type="AAAA", alias=Alias(NAME.upper(), ZONE, evaluate_target_health=False)),
    )
    with pytest.raises(NotDone, match=told("AAAA")):
        pointed(ground(pointing(*both), opened=1), "AAAA")
    with pytest.raises(NotDone, match=told("AAAA")):
        pointed(ground(pointing(*both), opened=1))
    plain_first = plan(
        entry(weighted(1, name=f"a.{ZONE_NAME}"), name=f"a.{ZONE_NAME}"), entry(alias(NAME, name=WWW), name=WWW)
    )
    with pytest.raises(NotDone, match=told("A")):
        pointed(ground(plain_first, opened=1))


def test_an_endpoint_of_another_zone_in_the_open_plan_keeps_nothing() -> None:
    """No enactor of this zone writes it."""
    elsewhere = plan(entry(weighted(1)), entry(alias(NAME, name=WWW), name=WWW, zone="Z2"))
    pointed(ground(elsewhere, opened=1))
    after = plan(
        entry(alias(NAME, name=f"a.{ZONE_NAME}"), name=f"a.{ZONE_NAME}", zone="Z2"),
        entry(alias(NAME, name=WWW), name=WWW),
    )
    with pytest.raises(NotDone, match=told("A")):
        pointed(ground(after, opened=1))


FENCED = alias(NAME, name=WWW)


def fenced(*records: RecordSet, **changes: object) -> Ground:
    """Return a zone whose open plan has no alias, and whose fence at `www` names one that a kept plan has."""
    made = ground(pointing(FENCED), STOPS_SAYING, opened=2)
    made.put(
        simple(3, name=NAME),
        *records,
        fence_record(fence(FENCED, gen=1, **changes), WWW),  # type: ignore[arg-type]  # whatever a test changes
    )
    return made


def test_an_alias_that_a_fence_names_and_that_does_not_stand_keeps_its_target() -> None:
    """A repair of it may be on its way."""
    with pytest.raises(NotDone, match=told("A")):
        pointed(fenced())
    with pytest.raises(NotDone, match=told("A")):
        pointed(fenced(simple(9, name=WWW)), "A")
    with pytest.raises(NotDone, match=told("A")):
        pointed(fenced(state="hold"))


def test_an_alias_that_stands_as_its_fence_names_it_is_seen_in_the_zone_itself() -> None:
    """The retire asserts it."""
    pointed(fenced(FENCED))


def test_what_no_enactor_of_this_fleet_repairs_keeps_nothing() -> None:
    """A tombstone, another fleet's fence, one that cannot be read, one whose content no plan has any more."""
    pointed(fenced(state="retired"))
    pointed(fenced(fleet="other"))
    pointed(fenced(plan="e" * 12))
    made = fenced()
    made.put(msgspec.structs.replace(garbled(WWW).record, name=fence_name(WWW, ZONE_NAME)))
    pointed(made)


def test_a_fence_that_repairs_nothing_does_not_hide_the_next_one() -> None:
    """Each is looked at."""
    made = fenced()
    for name, of in (
        ("a", fence(simple(5), state="retired")),
        ("b", fence(simple(5), fleet="other")),
        ("c", fence(simple(5), plan="e" * 12)),
    ):
        made.put(fence_record(of, f"{name}.{ZONE_NAME}"))
    made.put(garbled(f"d.{ZONE_NAME}").record)
    with pytest.raises(NotDone, match=told("A")):
        pointed(made)


def test_a_zone_without_a_readable_switch_has_no_open_plan_and_fences_all_the_same() -> None:
    """What was decided before the switch was lost may still be on its way."""
    made = fenced()
    made.delete(*made.sets(switch_record(switch(0)).name))
    assert made.memory().switch == SwitchReading(None, None)
    with pytest.raises(NotDone, match=told("A")):
        pointed(made)


def test_a_fence_whose_content_nobody_can_look_up_keeps_the_target() -> None:
    """The table is dark: an endpoint that could only be repaired to an alias to the name would stay empty. Who knows better says so."""
    made = fenced()
    library = made.library()
    library.look()
    made.line.dark = True
    library.look()
    with pytest.raises(
        NotDone, match=r"^www\.example\.test\. does not stand as its fence says, and no plan at hand has that"
    ):
        not_pointed_to(library, made.memory(), PLACE, None, without_plan=False)
    not_pointed_to(library, made.memory(), PLACE, None, without_plan=True)
    made.put(FENCED)
    not_pointed_to(library, made.memory(), PLACE, None, without_plan=False)
