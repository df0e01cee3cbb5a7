"""What a heal without a file puts in place: what enactors would leave standing, and nothing that their next cycle takes back."""

import re
from datetime import datetime

import msgspec
import pytest

from enactor.endpoint_verbs import Place, Remedy
from enactor.fence import Allow, text_set
from enactor.guards import Finding, Limits, LimitsTable, PlanLimits
from enactor.insist import KeptBack, NotDone
from enactor.library import Library
from enactor.names import switch_name
from enactor.plan import Plan, Retired
from enactor.ports import PlanAllow
from enactor.records import RecordSet, content_of
from enactor.remedy import Physician

from .ground import Ground
from .kernel_builders import (
    ENACTOR,
    FLEET,
    LATER,
    NAME,
    NOW,
    ZONE,
    ZONE_NAME,
    entry,
    fence,
    fence_record,
    plan,
    simple,
    switch,
    switch_record,
    weighted,
)

PLACE = Place(ZONE, NAME)
OTHER = f"other.{ZONE_NAME}"
ONE, TWO, THREE = (weighted(number) for number in (1, 2, 3))
A6 = weighted(1, record_type="AAAA")
BESIDE = entry(simple(5), name=OTHER)


class Ward(Ground):
    """A zone that has one of some plans open; who is asked for a remedy, and which plans were passed over meanwhile."""

    def __init__(self, *plans: Plan, opened: int | None = None) -> None:
        super().__init__()
        self.stored = [self.publish(one) for one in plans]
        self.passed: list[tuple[int, Finding]] = []
        self.limits = LimitsTable()
        self.plans: Library = self.library()
        if opened is not None:
            self.put(switch_record(switch(opened, self.stored[opened - 1].short_digest if opened else "")))

    def stands(self, *records: RecordSet, named: tuple[RecordSet, ...] | None = None, gen: int = 1) -> "Ward":
        """Put record sets at the endpoint, and a fence that names them, or what is told."""
        self.put(*records, fence_record(fence(*(records if named is None else named), gen=gen), NAME))
        return self

    def remedy(self, place: Place = PLACE, aws_now: datetime | None = NOW) -> Remedy:
        physician = Physician(
            fleet=FLEET,
            enactor=ENACTOR,
            limits=self.limits,
            plans=self.plans,
            passed_over=lambda generation, finding: self.passed.append((generation, finding)),
        )
        return physician.remedy(self.memory(), self.plans.look(), place, aws_now)

    def passed_over(self) -> list[tuple[int, str]]:
        """Return the generations of the plans that were passed over, with the guard."""
        return [(generation, finding.guard) for generation, finding in self.passed]


def kept_back(ward: Ward, told: str) -> None:
    with pytest.raises(KeptBack, match=f"^{re.escape(told)}$"):
        ward.remedy()


# ---- where the switch says what is open ----------------------------------------------------------------------------------


def test_what_the_newest_plan_wants_is_the_remedy() -> None:
    """Whether the endpoint is behind, lost, or as it should be."""
    for sets in ((ONE, TWO), (TWO,)):
        ward = Ward(plan(entry(ONE, TWO)), plan(entry(ONE, TWO, THREE)), opened=1).stands(*sets, named=(ONE, TWO))
        assert ward.remedy() == Remedy(content=content_of((ONE, TWO, THREE)), source="plan 2 from table", generation=2)
        assert ward.passed == []
    ward = Ward(plan(entry(ONE, TWO)), opened=1).stands(ONE, TWO)
    assert ward.remedy() == Remedy(content=content_of((ONE, TWO)), source="plan 1 from table", generation=1)


def test_a_remedy_is_the_whole_content_and_not_what_changes() -> None:
    """What stays is part of it."""
    ward = Ward(plan(entry(ONE, A6)), plan(entry(ONE, TWO, A6)), opened=1).stands(ONE, A6)
    assert ward.remedy().content == content_of((ONE, TWO, A6))


def test_where_the_newest_is_refused_at_the_endpoint_what_its_fence_names_is_the_remedy() -> None:
    """As a cycle repairs it: of an endpoint that was wiped no plan may take more than the guards let it."""
    ward = Ward(plan(entry(ONE, TWO)), plan(entry(THREE)), opened=1).stands(named=(ONE, TWO))
    assert ward.remedy() == Remedy(
        content=content_of((ONE, TWO)), source="what its fence names (generation 1)", generation=1
    )


def test_what_the_guards_refuse_with_nothing_to_repair_is_kept_back() -> None:
    """With the sentence of each guard."""
    ward = Ward(plan(entry(ONE, TWO)), plan(entry(THREE)), opened=1).stands(ONE, TWO)
    kept_back(
        ward,
        f"plan 2 is refused at {NAME}: v4: 2 of 2 targets go, a share of 1.00 over the limit 0.5; v4: targets that hold 20 of 20 "
        "of the weight go or go to 0, a share of 1.00 over the limit 0.5; give another with --plan",
    )


def test_the_limits_of_this_fleet_are_what_the_guards_go_by() -> None:
    """For the endpoint, and for the plan."""
    ward = Ward(plan(entry(ONE, TWO)), plan(entry(THREE)), opened=1).stands(ONE, TWO)
    ward.limits = LimitsTable(default=Limits(shrink_targets=1.0, shrink_capacity=1.0, slow_drain=1.0))
    assert ward.remedy().content == content_of((THREE,))
    ward.limits = LimitsTable(default=ward.limits.default, plan=PlanLimits(changed_share=0.0))
    assert ward.remedy().content == content_of((ONE, TWO))
    assert ward.passed_over() == [(2, "changed-share")]


def test_a_plan_that_is_refused_as_a_whole_is_passed_over_and_told() -> None:
    """For the plan that is open, or for an older one that is not: the newest is never believed by itself."""
    ward = Ward(
        plan(entry(ONE, TWO), BESIDE), plan(entry(ONE, TWO, THREE), BESIDE), plan(entry(ONE, THREE)), opened=1
    ).stands(ONE, TWO)
    ward.put(simple(5, name=OTHER), fence_record(fence(simple(5), gen=1), OTHER))
    assert ward.remedy().source == "plan 2 from table"
    assert ward.passed_over() == [(3, "vanished")]
    found = ward.passed[0][1]
    assert OTHER in found.message


def test_a_permission_in_the_endpoints_fence_lets_its_content_in() -> None:
    """While it lasts, by AWS's clock, as in a cycle."""
    ward = Ward(plan(entry(ONE, TWO)), plan(entry(THREE)), opened=1).stands(ONE, TWO)
    passes = tuple(Allow(guard, 2, LATER) for guard in ("shrink-capacity", "shrink-targets"))
    ward.put(fence_record(fence(ONE, TWO, gen=1, allow=passes), NAME))
    assert ward.remedy().content == content_of((THREE,))
    for now in (LATER, None):
        with pytest.raises(KeptBack):
            ward.remedy(aws_now=now)


def test_what_vanishes_in_another_zone_is_no_matter_here() -> None:
    """A plan is judged for this zone."""
    ward = Ward(
        plan(entry(ONE, TWO), entry(simple(5), name=OTHER, zone="Z2")), plan(entry(ONE, TWO, THREE)), opened=1
    ).stands(ONE, TWO)
    assert ward.remedy().generation == 2


def test_the_open_plan_is_found_where_it_is_not_the_newest() -> None:
    """By whoever looks for the first time."""
    ward = Ward(plan(entry(ONE, TWO), BESIDE), plan(entry(ONE, TWO, THREE)), opened=1).stands(ONE, TWO)
    assert ward.remedy().source == "plan 1 from table"
    assert ward.passed_over() == [(2, "vanished")]


def test_a_permission_that_lasts_lets_the_plan_in() -> None:
    """By AWS's clock; without one nothing is lifted."""
    ward = Ward(plan(entry(ONE, TWO), BESIDE), plan(entry(ONE, TWO, THREE)), opened=1).stands(ONE, TWO)
    ward.table.allow(PlanAllow(guard="vanished", generation=2, until=LATER, reason="meant", by="ann"))
    assert ward.remedy().generation == 2
    assert ward.passed == []
    assert ward.remedy(aws_now=LATER).generation == 1
    assert ward.remedy(aws_now=None).generation == 1
    assert ward.passed_over() == [(2, "vanished")] * 2


def test_where_the_open_plan_is_lost_the_one_below_and_the_fences_judge() -> None:
    """A guard that has lost what it judges against must not fall silent."""
    ward = Ward(plan(entry(ONE), BESIDE), plan(entry(ONE, TWO), BESIDE), plan(entry(ONE, THREE)), opened=2).stands(
        ONE, TWO
    )
    ward.damage(2)
    kept_back(ward, f"no plan at hand passes the guards: give what should stand at {NAME} with --plan")
    assert ward.passed_over() == [(3, "vanished")]
    alone = Ward(plan(entry(ONE, TWO), BESIDE), plan(entry(ONE, THREE)), opened=1).stands(ONE, TWO)
    alone.put(simple(5, name=OTHER), fence_record(fence(simple(5), gen=1), OTHER))
    alone.damage(1)
    kept_back(alone, f"no plan at hand passes the guards: give what should stand at {NAME} with --plan")
    assert alone.passed_over() == [(2, "vanished")], "nothing is below: the fences judge"


def test_an_older_plan_than_the_open_one_is_no_remedy_unless_it_is_what_the_fence_names() -> None:
    """The table was restored."""
    ward = Ward(plan(entry(ONE, TWO)))
    ward.put(switch_record(switch(4, "d" * 12)))
    ward.stands(ONE, TWO)
    kept_back(
        ward,
        f"the newest plan at hand is generation 1, older than 4, which is open in zone {ZONE}: give what should stand at "
        f"{NAME} with --plan",
    )
    ward.delete(ONE)
    assert ward.remedy().source == "what its fence names (generation 1)"


def test_a_name_that_the_plan_does_not_list_has_no_remedy() -> None:
    """Nor has one without any plan at all."""
    with pytest.raises(NotDone, match=r"^plan 1 from table has no content for other\.example\.test\. in zone Z1"):
        Ward(plan(entry(ONE)), opened=1).stands(ONE).remedy(Place(ZONE, OTHER))
    kept_back(Ward(), f"no plan at hand passes the guards: give what should stand at {NAME} with --plan")


def test_only_the_endpoint_that_was_named_is_looked_at() -> None:
    """What the guards say elsewhere keeps nothing back here."""
    ward = Ward(plan(entry(ONE), BESIDE), plan(entry(ONE, TWO), entry(simple(6), name=OTHER)), opened=1).stands(ONE)
    ward.put(simple(5, name=OTHER), fence_record(fence(simple(5), gen=1), OTHER))
    assert ward.remedy().content == content_of((ONE, TWO))


# ---- where it does not ---------------------------------------------------------------------------------------------------


def silent(*plans: Plan, typed: bool = False) -> Ward:
    """Return a zone with two endpoints whose switch is gone, or is whatever a person typed."""
    ward = Ward(*plans).stands(ONE, TWO)
    ward.put(simple(5, name=OTHER), fence_record(fence(simple(5), gen=1), OTHER))
    if typed:
        ward.put(text_set(switch_name(FLEET, ZONE_NAME), "mode=halt"))
    return ward


@pytest.mark.parametrize("typed", [False, True])
def test_without_a_switch_the_newest_plan_that_mentions_every_fence_is_the_remedy(*, typed: bool) -> None:
    """Nobody says which one was open; each that forgets a name is passed over, and told."""
    ward = silent(
        plan(entry(ONE, TWO, THREE), BESIDE),
        plan(entry(ONE, TWO)),
        plan(BESIDE),
        plan(entry(THREE)),
        typed=typed,
    )
    assert ward.remedy() == Remedy(content=content_of((ONE, TWO, THREE)), source="plan 1 from table", generation=1)
    assert ward.passed_over() == [(4, "vanished"), (3, "vanished"), (2, "vanished")]


def test_plans_at_hand_and_older_ones_of_the_table_are_tried_in_turn_and_each_once() -> None:
    """By generation, wherever they are; one that cannot be read is passed over without a word."""
    ward = silent(plan(entry(ONE, TWO, THREE), BESIDE))
    for forgets in (plan(entry(ONE)), plan(entry(TWO)), plan(entry(THREE)), plan(entry(ONE, TWO))):
        ward.publish(forgets)
        if len(ward.table.list()) != 4:
            ward.plans.look()
    ward.damage(4)
    assert ward.remedy().generation == 1
    assert ward.passed_over() == [(5, "vanished"), (3, "vanished"), (2, "vanished")]
    ward.passed.clear()
    ward.publish(plan(entry(ONE, TWO), BESIDE))
    ward.publish(plan(BESIDE))
    ward.plans.look()
    ward.publish(plan(entry(TWO)))
    assert ward.remedy().generation == 6, "it stands between two that are at hand"
    assert ward.passed_over() == [(8, "vanished"), (7, "vanished")]


def test_where_all_at_hand_and_all_of_the_table_forget_a_name_each_is_told_once() -> None:
    """Whether it was at hand or came from the table."""
    ward = silent(plan(entry(ONE)))
    for forgets in (plan(entry(TWO)), plan(entry(THREE))):
        ward.plans.look()
        ward.publish(forgets)
    kept_back(ward, f"no plan at hand passes the guards: give what should stand at {NAME} with --plan")
    assert ward.passed_over() == [(3, "vanished"), (2, "vanished"), (1, "vanished")]


def test_a_name_under_retired_is_mentioned() -> None:
    """It was let go by a person."""
    assert silent(plan(entry(ONE, TWO, THREE), retired=[Retired(OTHER, ZONE)])).remedy().generation == 1


def test_a_tombstone_and_another_fleets_fence_need_no_mention() -> None:
    """Only this fleet's fences of what lives do."""
    ward = silent(plan(entry(ONE, TWO, THREE)))
    ward.put(fence_record(fence(simple(5), state="retired"), OTHER))
    assert ward.remedy().generation == 1
    ward.put(fence_record(fence(simple(5), fleet="other"), OTHER))
    assert ward.remedy().generation == 1


def test_a_permission_counts_without_a_switch_too() -> None:
    """While it lasts."""
    ward = silent(plan(entry(ONE, TWO, THREE)))
    ward.table.allow(PlanAllow(guard="vanished", generation=1, until=LATER, reason="meant", by="ann"))
    assert ward.remedy().generation == 1
    with pytest.raises(KeptBack):
        ward.remedy(aws_now=LATER)
    assert ward.passed_over() == [(1, "vanished")]


def test_without_a_switch_and_a_plan_that_mentions_everything_nothing_is_done() -> None:
    """Nor without any plan."""
    ward = silent(plan(entry(ONE, TWO)), plan(BESIDE))
    kept_back(ward, f"no plan at hand passes the guards: give what should stand at {NAME} with --plan")
    assert ward.passed_over() == [(2, "vanished"), (1, "vanished")]
    kept_back(silent(), f"no plan at hand passes the guards: give what should stand at {NAME} with --plan")


def test_a_plan_may_be_put_in_place_without_a_switch_although_it_opens_nothing() -> None:
    """The endpoint is judged as under any plan: the guards speak."""
    ward = silent(plan(entry(THREE), BESIDE))
    with pytest.raises(KeptBack, match=rf"^plan 1 is refused at {re.escape(NAME)}: "):
        ward.remedy()
    ward = silent(plan(entry(ONE, TWO, THREE), BESIDE))
    assert msgspec.structs.asdict(ward.remedy())["source"] == "plan 1 from table"
