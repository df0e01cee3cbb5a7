"""Every guard, at its limit and just past it, with its numbers in the message."""

import json
from typing import Any

import msgspec
import pytest

from enactor import guards
from enactor.guards import Finding, LimitRule, Limits, LimitsTable, PlanLimits, Surroundings
from enactor.plan import Broken, Endpoint, Plan, Retired
from enactor.plan_form import read_plan
from enactor.plan_guards import judge_plan
from enactor.records import Alias, Content, RecordSet, content_of

from .kernel_builders import NAME, ZONE, ZONE_NAME, alias, cname, entry, plan, simple, weighted


def change(before: list[RecordSet], wanted: list[RecordSet], limits: Limits | None = None) -> dict[str, Finding]:
    found = guards.judge_change(content_of(before), content_of(wanted), limits or Limits())
    return {finding.guard: finding for finding in found}


def many(count: int, weight: int = 10, record_type: str = "A") -> list[RecordSet]:
    return [weighted(number, weight, record_type) for number in range(1, count + 1)]


def test_empty_refuses_no_target() -> None:
    """Case 3: an endpoint without targets is refused; one target passes."""
    (found,) = guards.judge_content(())
    assert (found.guard, found.wanted, found.limit) == ("empty", 0, 1)
    assert guards.judge_content((weighted(1),)) == ()


def test_zero_weights_refuses_a_type_that_nobody_would_be_sent_to() -> None:
    """Case 55: all weights zero is refused for each type by itself; one weight that is not 0 passes."""
    (found,) = guards.judge_content(content_of([weighted(1), *many(3, 0, "AAAA")]))
    assert found.guard == "zero-weights"
    assert found.message == "all 3 AAAA targets have weight 0"
    assert guards.judge_content(content_of([weighted(1), weighted(2, 0), weighted(3, 1, "AAAA")])) == ()


@pytest.mark.parametrize(("before", "wanted"), [(2, 1), (4, 2), (100, 50)])
def test_shrink_targets_passes_at_the_limit(before: int, wanted: int) -> None:
    """A share that equals the limit is not greater than it: 2 to 1 at 0.5 passes."""
    assert change(many(before), many(wanted)) == {}


@pytest.mark.parametrize(
    ("before", "wanted", "numbers"),
    [
        (3, 1, "2 of 3 targets go, a share of 0.67 over the limit 0.5"),
        (9, 4, "5 of 9 targets go, a share of 0.56 over the limit 0.5"),
        (100, 49, "51 of 100 targets go, a share of 0.51 over the limit 0.5"),
    ],
)
def test_shrink_targets_refuses_just_past_the_limit(before: int, wanted: int, numbers: str) -> None:
    """3 to 1 at 0.5 does not pass, and the message has the numbers."""
    found = change(many(before), many(wanted))["shrink-targets"]
    assert found.message == f"v4: {numbers}"
    assert (found.observed, found.wanted, found.limit) == (before, wanted, 0.5)


@pytest.mark.parametrize("count", [1, 2, 3, 9])
def test_case_8_there_is_no_size_below_which_a_guard_is_off(count: int) -> None:
    """Case 8: a plan that would replace every target is refused, be there nine or one."""
    strangers = [weighted(number) for number in range(101, 101 + count)]
    assert set(change(many(count), strangers)) == {"shrink-targets", "shrink-capacity"}


def test_case_9_forty_targets_to_one_is_refused_by_targets_and_by_weight() -> None:
    """Case 9: 40 targets of weight 100, then one."""
    found = change(many(40, 100), many(1, 100))
    assert found["shrink-targets"].message == "v4: 39 of 40 targets go, a share of 0.97 over the limit 0.5"
    assert found["shrink-capacity"].message == (
        "v4: targets that hold 3900 of 4000 of the weight go or go to 0, a share of 0.97 over the limit 0.5"
    )


def test_a_shrink_counts_what_goes_however_many_are_new() -> None:
    """Two of three old addresses gone is a shrink, though the plan has ten."""
    fresh = [weighted(number) for number in range(101, 110)]
    assert "shrink-targets" in change(many(3), [weighted(1), *fresh])


def test_a_target_is_told_by_its_address_and_not_by_its_id() -> None:
    """New ids for old addresses are no change; the old ids on new addresses are the whole fleet gone."""
    renamed = [weighted(number, identifier=f"new-{number}") for number in (1, 2, 3)]
    assert change(many(3), renamed) == {}
    moved = [weighted(100 + number, identifier=f"lb-{number}") for number in (1, 2, 3)]
    assert "shrink-targets" in change(many(3), moved)


def test_an_alias_target_is_told_by_name_and_zone_and_not_by_health_evaluation() -> None:
    """`evaluate_target_health` is content, not identity; the same name in another zone is another target."""
    one = alias("lb.example.test.")
    healthy = msgspec.structs.replace(one, alias=Alias("lb.example.test.", ZONE, evaluate_target_health=True))
    assert change([one], [healthy]) == {}
    assert "shrink-targets" in change([one], [alias("lb.example.test.", zone="Z2")])


def test_shrinks_are_judged_for_each_kind_by_itself() -> None:
    """Twenty v4 targets do not outweigh the loss of two of three v6 targets."""
    found = change([*many(20), *many(3, record_type="AAAA")], [*many(20), *many(1, record_type="AAAA")])
    assert found["shrink-targets"].message.startswith("v6: 2 of 3 targets go")


def test_shrink_capacity_passes_at_half_the_weight_and_refuses_one_more() -> None:
    """Two of three targets may go only where they hold no more than half of the weight."""
    loose = Limits(shrink_targets=1.0)
    before = [weighted(1, 100), weighted(2, 50), weighted(3, 50)]
    assert change(before, [weighted(1, 100)], loose) == {}
    before[1] = weighted(2, 51)
    found = change(before, [weighted(1, 100)], loose)["shrink-capacity"]
    assert (
        "targets that hold 101 of 201 of the weight go or go to 0, a share of 0.50 over the limit 0.5" in found.message
    )


def test_shrink_capacity_counts_a_target_that_goes_to_weight_0() -> None:
    """A target that stays with weight 0 gets no traffic: its weight is gone, its target is not."""
    assert set(change([weighted(1, 10), weighted(2, 20)], [weighted(1, 10), weighted(2, 0)])) == {"shrink-capacity"}


def test_shrink_capacity_is_free_of_scale() -> None:
    """Weights that are all divided by ten are the same shares."""
    assert change([weighted(1, 100), weighted(2, 200)], [weighted(1, 10), weighted(2, 20)]) == {}


def test_values_and_aliases_without_weight_weigh_one() -> None:
    """Of a simple set's values each counts the same."""
    assert change([simple(1, 2)], [simple(1)]) == {}
    assert set(change([simple(1, 2, 3)], [simple(1)])) == {"shrink-targets", "shrink-capacity"}


def test_all_zero_weights_are_served_alike_and_count_alike() -> None:
    """Route 53 serves a group of zeros evenly, so taking two of three away is a shrink of capacity too."""
    assert "shrink-capacity" in change(many(3, 0), many(1, 0))


def test_a_cname_s_addresses_cannot_be_counted() -> None:
    """Case 26: CNAME to addresses is no shrink; CNAME to another CNAME is the one target gone."""
    assert change([cname("lb.example.net.")], [simple(1), simple(1, record_type="AAAA")]) == {}
    assert "shrink-targets" in change([cname("lb.example.net.")], [cname("other.example.net.")])


def test_kind_refuses_to_stop_answering_a_kind() -> None:
    """A kind that is answered stays answered: v6 does not go while v4 stays, and a CNAME answers both."""
    both = [weighted(1), weighted(1, record_type="AAAA")]
    assert change(both, [weighted(1)])["kind"].message.startswith("the endpoint answers v6 and would stop")
    assert "kind" in change([cname("lb.example.net.")], [weighted(1)])
    assert change(both, both) == {}


@pytest.mark.parametrize("guard", guards.ENDPOINT_GUARDS)
def test_an_allow_lifts_the_guard_it_names_where_that_can_be_allowed_at_all(guard: str) -> None:
    """And no other; `empty`, `kind` and what Route 53 would not have are lifted by no text in a fence."""
    findings = tuple(Finding(guard=label, message="") for label in guards.ENDPOINT_GUARDS)
    lifted = set(guards.ENDPOINT_GUARDS) - {
        found.guard for found in guards.without_allowed(findings, frozenset({guard}))
    }
    assert lifted == ({guard} if guard in guards.ALLOWABLE else set())


def place(endpoint: Endpoint, **around: Any) -> list[tuple[str, str]]:
    wanted: Content = content_of(
        RecordSet(
            name=endpoint.name, type=target.type, alias=target.alias, values=(target.value,) if target.value else ()
        )
        for target in endpoint.targets
    )
    found = guards.judge_place(endpoint, wanted, Surroundings(zone_name=ZONE_NAME, **around))
    return [(finding.guard, finding.message) for finding in found]


def test_out_of_zone_refuses_a_name_that_only_ends_alike() -> None:
    """`evilexample.test.` is not within `example.test.`; the apex and a name below it are."""
    assert place(entry(simple(1), name="evilexample.test.")) == [
        ("out-of-zone", "evilexample.test. is not within zone example.test.")
    ]
    assert place(entry(simple(1), name=ZONE_NAME)) == place(entry(simple(1), name=f"a.{ZONE_NAME}")) == []


def test_apex_refuses_a_cname_and_nothing_else() -> None:
    """A CNAME cannot stand beside NS and SOA; an address can, and so can a CNAME one label below."""
    assert [guard for guard, _ in place(entry(cname("lb.example.net."), name=ZONE_NAME))] == ["apex"]
    assert place(entry(cname("lb.example.net."), name=f"a.{ZONE_NAME}")) == []


def test_occluded_refuses_at_and_below_a_cut_and_not_beside_it() -> None:
    """What other servers answer for would never be answered from here."""
    cuts = frozenset({"sub.example.test."})
    assert place(entry(simple(1), name="sub.example.test."), cuts=cuts)[0][0] == "occluded"
    ((guard, message),) = place(entry(simple(1), name="a.b.sub.example.test."), cuts=cuts)
    assert guard == "occluded"
    assert "the NS set at sub.example.test." in message
    assert place(entry(simple(1), name="mysub.example.test."), cuts=cuts) == []


def test_alias_target_refuses_an_alias_of_the_zone_that_would_dangle() -> None:
    """The target needs a set of the alias's own type; what stands in another zone cannot be judged from here."""
    pointing = entry(alias("tree.example.test."))
    ((guard, message),) = place(pointing, available=frozenset({("tree.example.test.", "AAAA")}))
    assert (guard, message) == (
        "alias-target",
        "the alias A points to tree.example.test., where no A set leads to an answer",
    )
    assert place(pointing, available=frozenset({("tree.example.test.", "A")})) == []
    assert place(entry(alias("tree.example.test.", zone="Z2")), available=frozenset()) == []
    assert place(pointing, available=None) == []


def test_alias_target_refuses_to_take_the_last_set_an_alias_points_to() -> None:
    """October 2025: of a type that an alias points to one set stays, whatever the plan says."""
    around = Surroundings(pointed={(NAME, "A"): ("www.example.test.",)})
    (found,) = guards.judge_pointers(NAME, [simple(1), simple(1, record_type="AAAA")], (cname("x.test."),), around)
    assert found.guard == "alias-target"
    assert found.message == "an alias at www.example.test. points to the A sets that would go"
    assert guards.judge_pointers(NAME, [simple(1)], (simple(2),), around) == ()


def test_limit_refuses_the_first_set_that_the_zone_has_no_room_for() -> None:
    """Three more fit where there is room for three; four do not."""
    around = Surroundings(room=3)
    assert guards.judge_room(3, around) == ()
    (found,) = guards.judge_room(4, around)
    assert (found.guard, found.observed, found.wanted, found.limit) == ("limit", 3, 4, 3)
    assert "4 record sets more do not fit the zone, which has room for 3" in found.message


FORM: list[tuple[str, dict[str, Any]]] = [
    ("malformed", {"targets": [{"id": "a", "type": "A", "value": "192.0.2.256"}]}),
    ("ttl", {"ttl": 86_401}),
    ("duplicate", {"targets": [{"id": i, "type": "A", "value": "192.0.2.1"} for i in ("a", "b")]}),
    (
        "limit",
        {"targets": [{"id": str(i), "type": "AAAA", "value": f"2001:db8::{i}"} for i in range(1, 102)]},
    ),
]


@pytest.mark.parametrize(("guard", "changes"), FORM, ids=[guard for guard, _ in FORM])
def test_a_wrong_form_in_a_stored_plan_is_refused_by_its_guard(guard: str, changes: dict[str, Any]) -> None:
    """Cases 22, 31 and 71: the endpoint whose form is wrong is refused by name, and the others are endpoints still."""
    good = {"name": NAME, "zone": ZONE, "routing": "simple", "ttl": 60}
    good |= {"targets": [{"id": "a", "type": "A", "value": "192.0.2.1"}]}
    listed = [good, good | {"name": "ep2.example.test."} | changes]
    read = read_plan(json.dumps({"format": 1, "fleet": "edge", "endpoints": listed})).plan
    assert read is not None
    (broken,) = read.broken
    assert {found.guard for found in guards.judge_form(broken)} == {guard}
    assert all("endpoints[1]" in found.message for found in guards.judge_form(broken))
    assert [guards.judge_form(endpoint) for endpoint in read.endpoints] == [()]


def fleet(count: int, *, changed: int = 0, retired: int = 0) -> Plan:
    """Return a plan of ep0 … ; the first ones changed, and those after the last listed as retired."""
    endpoints = [
        entry(simple(9 if number < changed else 1, name=f"ep{number}.{ZONE_NAME}"), name=f"ep{number}.{ZONE_NAME}")
        for number in range(count)
    ]
    gone = [Retired(f"ep{number}.{ZONE_NAME}", ZONE) for number in range(count, count + retired)]
    return plan(*endpoints, retired=gone)


def test_case_1_empty_plan_refuses_no_endpoints() -> None:
    """Case 1: a plan of no endpoints is refused, with a base and without one."""
    for base in (fleet(20), None):
        (found,) = judge_plan(fleet(0), base, PlanLimits())
        assert found.guard == "empty-plan"
    broken = Broken(name=NAME, zone=ZONE, faults=())
    assert judge_plan(plan(broken=[broken]), None, PlanLimits()) == ()


def test_cases_4_and_74_vanished_refuses_the_first_name_that_is_not_mentioned() -> None:
    """Cases 4 and 74: a name leaves only by being listed as retired; at the default limit not one may vanish."""
    (found,) = judge_plan(fleet(19), fleet(20), PlanLimits())
    assert (found.guard, found.observed, found.wanted) == ("vanished", 20, 19)
    assert "1 of 20 endpoints are no longer mentioned (ep19.example.test.)" in found.message
    assert judge_plan(fleet(19, retired=1), fleet(20), PlanLimits()) == ()
    (found,) = judge_plan(fleet(3), fleet(200), PlanLimits())
    assert "197 of 200" in found.message
    assert "and 192 more" in found.message


def test_vanished_says_where_a_name_is_mentioned_instead() -> None:
    """A wrong zone id in a file is not five names that nobody mentions: both zones are named, and what is mentioned nowhere apart."""
    moved = [msgspec.structs.replace(one, zone="Z0WRONG") for one in fleet(7).endpoints]
    (found,) = judge_plan(plan(moved[0]), fleet(1), PlanLimits())
    assert (found.guard, found.observed, found.wanted) == ("vanished", 1, 0)
    assert found.message == (
        f"{moved[0].name} is mentioned in zone Z0WRONG and no longer in {ZONE}; "
        "check the zone id, or list a name under retired to let it leave"
    )
    (found,) = judge_plan(plan(*moved[:6]), fleet(7), PlanLimits())
    assert found.message.startswith("1 of 7 endpoints are no longer mentioned (ep6.example.test.); ep0.example.test., ")
    assert f"and 1 more are mentioned in zone Z0WRONG and no longer in {ZONE}; check the zone id" in found.message


def test_vanished_passes_at_a_limit_of_one_half_and_refuses_past_it() -> None:
    """Two of four may vanish at 0.5, three may not."""
    limits = PlanLimits(vanished=0.5)
    assert judge_plan(fleet(2), fleet(4), limits) == ()
    assert [found.guard for found in judge_plan(fleet(1), fleet(4), limits)] == ["vanished"]


def test_changed_share_passes_at_its_limit_and_is_off_at_1() -> None:
    """Two of four may change at 0.5, three may not; at the default of 1.0 all may."""
    limits = PlanLimits(changed_share=0.5)
    assert judge_plan(fleet(4, changed=2), fleet(4), limits) == ()
    (found,) = judge_plan(fleet(4, changed=3), fleet(4), limits)
    assert found.message == "3 of 4 endpoints change at once, a share of 0.75 over the limit 0.5"
    assert judge_plan(fleet(4, changed=4), fleet(4), PlanLimits()) == ()


def test_created_endpoints_do_not_count_as_changed() -> None:
    """Ten new endpoints beside four that stay are no change of those four."""
    assert judge_plan(fleet(14), fleet(4), PlanLimits(changed_share=0.0)) == ()


def test_a_zone_judges_a_plan_by_its_own_endpoints() -> None:
    """What leaves another zone is not this zone's to refuse."""
    other = msgspec.structs.replace(entry(simple(1), name="x.other.test."), zone="Z2")
    base = plan(*fleet(1).endpoints, other)
    assert judge_plan(fleet(1), base, PlanLimits(), ZONE) == ()
    assert [found.guard for found in judge_plan(fleet(1), base, PlanLimits(), "Z2")] == ["vanished"]


def test_limits_are_those_of_the_first_rule_that_fits() -> None:
    """A pattern's limits hold for its names alone, and the default for every other."""
    canary, rest = Limits(shrink_targets=1.0), Limits(shrink_targets=0.9)
    table = LimitsTable(rules=(LimitRule(match="canary.*", limits=canary), LimitRule(match="c*", limits=rest)))
    assert table.of("canary.example.test.") == canary
    assert table.of("cdn.example.test.") == rest
    assert table.of(NAME) == Limits()
