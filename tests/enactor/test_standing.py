"""How a zone stands to the plans at hand, and which plan it is worked from."""

from datetime import datetime

import pytest

from enactor.brake import LEAP_MAX
from enactor.fence import Garbled, Switch, read_switch, text_set
from enactor.guards import PlanLimits
from enactor.observe import SwitchReading
from enactor.plan import Retired
from enactor.plan_index import PlanIndex
from enactor.report import Source
from enactor.standing import Choice, choose, same_generation_first, stand

from .kernel_builders import (
    EARLIER,
    FLEET,
    LATER,
    NOW,
    ZONE,
    ZONE_NAME,
    entry,
    index,
    simple,
    switch,
    switch_record,
)


def names(*numbers: int, value: int = 1) -> list[str]:
    return [f"ep{number}.{ZONE_NAME}" for number in numbers]


def plan_of(generation: int, *numbers: int, value: int = 1, retired: tuple[int, ...] = ()) -> PlanIndex:
    """Return a plan of some endpoints; another value makes it another digest."""
    endpoints = [entry(simple(value, name=name), name=name) for name in names(*numbers)]
    return index(generation, *endpoints, retired=[Retired(name, ZONE) for name in names(*retired)])


P7, P8 = plan_of(7, 1, 2), plan_of(8, 1, 2, 3)
OTHER_7 = plan_of(7, 1, 2, value=9)


def opened(plan: PlanIndex, **changes: object) -> Switch:
    return switch(plan.stored.generation, plan.stored.short_digest, **changes)  # type: ignore[arg-type]


def observed(of: Switch | None) -> SwitchReading:
    return SwitchReading(None, None) if of is None else SwitchReading(switch_record(of), of)


@pytest.mark.parametrize(
    ("found", "newest", "word"),
    [
        (opened(P7), P7, "current"),
        (opened(P7), P8, "behind"),
        (opened(P8), P7, "ahead"),
        (opened(P7), OTHER_7, "forked"),
        (opened(P7), None, "ahead"),
        (switch(0), None, "current"),
        (switch(0), P7, "behind"),
        (switch(7, "none"), P7, "forked"),
        (None, None, "current"),
        (None, P7, "behind"),
    ],
)
def test_a_zone_stands_to_the_newest_plan_by_generation_and_digest(
    found: Switch | None, newest: PlanIndex | None, word: str
) -> None:
    """Identity is (generation, digest): the same number with another digest is forked, and the switch orders the numbers."""
    assert stand(observed(found), newest, NOW).plan == word


@pytest.mark.parametrize("found", [opened(P7), opened(P8)])
@pytest.mark.parametrize(("mode", "word"), [("run", "run"), ("stop", "stop")])
def test_run_and_stop_are_shown_beside_the_plan(found: Switch, mode: str, word: str) -> None:
    """A stopped zone stands to the plans as a running one does, keeps its open generation, and is not written."""
    turned = switch(found.gen, found.plan, mode=mode)  # type: ignore[arg-type]
    made = stand(observed(turned), P7, NOW)
    assert (made.switch, made.open, made.running) == (word, found.gen, mode == "run")
    assert made.plan == stand(observed(found), P7, NOW).plan


def test_an_absent_switch_means_stop() -> None:
    """Only init and start bring it back."""
    made = stand(observed(None), P7, NOW)
    assert (made.switch, made.open, made.running) == ("absent", None, False)


@pytest.mark.parametrize(
    "text", ["mode=stop", "v=1 mode=run", "run", "v=1 fleet=core mode=run gen=7 plan=none nonce=aaaaaaaa"]
)
def test_whatever_is_not_clearly_run_means_stop(text: str) -> None:
    """A person in a hurry may type the record in the console, and another fleet's switch is not ours."""
    record = text_set("_switch-edge._fence.example.test.", text)
    reading = SwitchReading(record, read_switch(record, FLEET))
    made = stand(reading, P7, NOW)
    assert (made.switch, made.open, made.running) == ("stop", None, False)


@pytest.mark.parametrize(
    ("until", "aws_now", "running"),
    [(None, NOW, False), (LATER, NOW, False), (NOW, NOW, True), (EARLIER, NOW, True), (EARLIER, None, False)],
    ids=["no end", "not yet", "just now", "passed", "no answer of AWS"],
)
def test_a_stop_ends_by_aws_s_date_alone(until: datetime | None, aws_now: datetime | None, running: bool) -> None:
    """Expiries are judged on the Date of AWS's last answer: no answer, no expiry."""
    stopped = switch(7, P7.stored.short_digest, mode="stop", until=until)
    made = stand(observed(stopped), P7, aws_now)
    assert (made.running, made.switch) == (running, "run" if running else "stop")


def chosen(found: Switch | Garbled | None, *candidates: PlanIndex, base: PlanIndex | None = None) -> Choice:
    return choose(ZONE, found, candidates, base, PlanLimits())


def test_a_newer_plan_is_worked_from_and_opens() -> None:
    """The first batch of plan 8 opens generation 8."""
    made = chosen(opened(P7), P8, P7, base=P7)
    assert (made.working, made.may_advance, made.opens) == (P8, True, True)


def test_the_open_plan_is_worked_from_and_opens_nothing() -> None:
    """Its generation is open already."""
    made = chosen(opened(P8), P8, P7, base=P8)
    assert (made.working, made.may_advance, made.opens) == (P8, True, False)


def test_a_plan_refused_plan_wide_falls_back_to_the_next_newest_that_passes() -> None:
    """Case 4: plan 9 forgets an endpoint and is not opened; plan 8 is, and the refusal is told with its generation."""
    p9 = plan_of(9, 1)
    made = chosen(opened(P7), p9, P8, P7, base=P7)
    assert (made.working, made.opens) == (P8, True)
    assert [(generation, finding.guard) for generation, finding in made.refused] == [(9, "vanished")]


def test_a_plan_refused_plan_wide_falls_back_to_the_open_one() -> None:
    """Cases 1 and 74: what is open goes on being healed, whether it is among the candidates or only in the library."""
    for candidates in ((index(8), P7), (index(8),)):
        made = chosen(opened(P7), *candidates, base=P7)
        assert (made.working, made.may_advance, made.opens) == (P7, True, False)
        assert [(generation, finding.guard) for generation, finding in made.refused] == [(8, "empty-plan")]


def test_a_plan_that_lists_what_leaves_as_retired_is_opened() -> None:
    """A name leaves a plan by being listed as retired."""
    assert chosen(opened(P7), plan_of(8, 1, retired=(2,)), base=P7).opens


def test_with_every_plan_refused_and_none_open_nothing_is_worked_from() -> None:
    """A refused plan is not used for anything."""
    made = chosen(opened(P7), index(8))
    assert (made.working, made.may_advance, made.opens) == (None, False, False)


@pytest.mark.parametrize("candidates", [(P7,), (OTHER_7, P7), ()], ids=["ahead", "forked too", "no plan"])
def test_below_the_open_generation_nothing_may_advance(candidates: tuple[PlanIndex, ...]) -> None:
    """Promise 2: a zone ahead of every plan at hand gets repairs only."""
    made = chosen(opened(P8), *candidates)
    assert (made.may_advance, made.opens) == (False, False)


def test_at_the_open_generation_another_digest_may_not_advance() -> None:
    """A forked zone gets repairs only; with the plan that the switch names at hand it goes on with that one."""
    assert not chosen(opened(P7), OTHER_7).may_advance
    made = chosen(opened(P7), OTHER_7, P7, base=P7)
    assert (made.working, made.may_advance, made.opens) == (P7, True, False)


def test_a_plan_above_a_forked_generation_is_opened() -> None:
    """That is how a fork ends."""
    assert chosen(opened(P7), P8, OTHER_7).working == P8


@pytest.mark.parametrize("found", [None, Garbled("it says nothing")])
def test_without_a_switch_the_newest_plan_is_only_looked_at(found: Garbled | None) -> None:
    """The survey judges by it; nothing is opened, and a stopped zone is not written."""
    made = chosen(found, P8, P7)
    assert (made.working, made.opens) == (P8, False)
    assert chosen(found).working is None


def test_candidates_go_newest_first_and_of_one_generation_the_one_the_switch_names() -> None:
    """Two plans of one number can only be told apart by the digest in the switch."""
    assert same_generation_first([P7, P8], None) == [P8, P7]
    for named in (P7, OTHER_7):
        assert same_generation_first([P7, OTHER_7, P8], opened(named))[:2] == [P8, named]


def test_below_a_refused_plan_the_kept_ones_that_were_not_at_hand_are_tried_in_turn() -> None:
    """Case 4 for an enactor that never read them: each gap is asked about, and the newest that passes is opened."""
    asked: list[tuple[int, int]] = []
    kept = {12: plan_of(12, 1), 10: plan_of(10, 1, 2, value=5), 9: plan_of(9, 1, 2)}

    def older(below: int, above: int) -> PlanIndex | None:
        asked.append((below, above))
        return next((kept[generation] for generation in sorted(kept, reverse=True) if above < generation < below), None)

    made = choose(ZONE, opened(P7), [plan_of(13, 1), plan_of(11, 1), P7], P7, PlanLimits(), older=older)
    assert (made.working, made.opens) == (kept[10], True)
    assert [generation for generation, _ in made.refused] == [13, 12, 11]
    assert asked == [(13, 11), (12, 11), (11, 7)]


def test_with_nothing_refused_no_kept_plan_is_asked_for() -> None:
    """A quiet cycle costs no call."""

    def older(below: int, above: int) -> PlanIndex | None:
        raise AssertionError((below, above))

    assert choose(ZONE, opened(P7), [P8, P7], P7, PlanLimits(), older=older).working == P8
    assert choose(ZONE, opened(P8), [P7], P8, PlanLimits(), older=older).working == P8


def test_where_the_open_plan_cannot_be_read_a_plan_is_judged_against_the_newest_below_it() -> None:
    """Cases 4 and 74: a guard that lost what it judges against does not fall silent."""
    shrunk = plan_of(9, 1)
    found = choose(
        ZONE, opened(P8), [shrunk], None, PlanLimits(), below=lambda generation: P7 if generation == 8 else None
    )
    assert [(generation, finding.guard) for generation, finding in found.refused] == [(9, "vanished")]
    assert not found.opens


def test_with_no_plan_to_judge_against_the_fences_say_what_must_not_vanish() -> None:
    """Cases 4 and 74, on the worst day: the names that have a fence are mentioned, or listed as retired."""
    fenced = names(1, 2)
    found = choose(ZONE, opened(P8), [plan_of(9, 1, 3)], None, PlanLimits(), fenced=fenced)
    assert [finding.guard for _, finding in found.refused] == ["vanished"]
    assert "ep2.example.test." in found.refused[0][1].message
    assert choose(ZONE, opened(P8), [plan_of(9, 1, 2)], None, PlanLimits(), fenced=fenced).opens
    assert choose(ZONE, opened(P8), [plan_of(9, 1, retired=(2,))], None, PlanLimits(), fenced=fenced).opens
    assert choose(ZONE, opened(P8), [plan_of(9, 1, 3)], None, PlanLimits(vanished=0.5), fenced=fenced).opens
    assert choose(ZONE, switch(0), [plan_of(9, 1, 3)], None, PlanLimits(), fenced=fenced).opens


def test_a_person_lifts_a_plan_wide_guard_for_one_generation() -> None:
    """And never the one that keeps a fleet from going empty."""
    base, shrunk = P8, plan_of(9, 1)

    def lifted(*guards: str, at: int = 9) -> Choice:
        allowed = frozenset(guards)
        return choose(
            ZONE, opened(base), [shrunk], base, PlanLimits(), allowed=lambda gen: allowed if gen == at else frozenset()
        )

    assert lifted("vanished").opens
    assert not lifted("vanished", at=8).opens
    assert not lifted("changed-share").opens
    nothing = index(9)
    every = choose(
        ZONE, opened(base), [nothing], base, PlanLimits(), allowed=lambda _: frozenset({"empty-plan", "vanished"})
    )
    assert [finding.guard for _, finding in every.refused] == ["empty-plan"]


def test_any_generation_without_a_plan_is_ahead_of_it() -> None:
    """The first as well as the thousandth: somebody wrote it, and nobody here can say what."""
    assert stand(observed(switch(1)), None, NOW).plan == "ahead"


def test_an_odd_switch_stands_to_the_plans_as_none() -> None:
    """It means stop, and every plan is still to come."""
    odd = SwitchReading(text_set("a.", "?"), Garbled("odd"))
    assert [stand(odd, newest, NOW).plan for newest in (P7, None)] == ["behind", "current"]


@pytest.mark.parametrize("found", [None, Garbled("odd")])
def test_a_zone_without_a_clear_switch_is_looked_at_by_the_newest_plan(found: Garbled | None) -> None:
    """A survey says what would be done; nothing is opened, and nothing may advance where there is no plan."""
    assert choose(ZONE, found, [P8, P7], None, PlanLimits()) == Choice(working=P8, may_advance=True, opens=False)
    assert choose(ZONE, found, [], None, PlanLimits()) == Choice(working=None, may_advance=False, opens=False)


def test_a_zone_that_is_ahead_is_looked_at_by_the_newest_plan_and_not_advanced() -> None:
    """Below the open generation nothing is written but repair."""
    assert choose(ZONE, switch(9), [P8, P7], None, PlanLimits()) == Choice(working=P8, may_advance=False, opens=False)
    assert choose(ZONE, switch(9), [], None, PlanLimits()) == Choice(working=None, may_advance=False, opens=False)


def test_of_two_plans_of_the_open_generation_the_one_that_the_switch_names_is_worked_from() -> None:
    """In whatever order they are at hand."""
    for candidates in ([P7, OTHER_7], [OTHER_7, P7]):
        assert choose(ZONE, opened(OTHER_7), candidates, None, PlanLimits()).working == OTHER_7


def test_a_plan_is_judged_by_the_endpoints_of_the_zone_alone() -> None:
    """What vanished from another zone keeps this one from nothing."""
    other = entry(simple(1, name="x.other.test."), name="x.other.test.", zone="Z2")
    base = index(7, *(entry(simple(1, name=name), name=name) for name in names(1, 2)), other)
    found = choose(ZONE, opened(base), [P8], base, PlanLimits())
    assert (found.working, found.opens, found.refused) == (P8, True, ())


@pytest.mark.parametrize(
    ("source", "opened_at", "distance", "worked_from"),
    [
        ("table", 8, LEAP_MAX + 1, True),
        ("disk", 8, LEAP_MAX, True),
        ("disk", 8, LEAP_MAX + 1, False),
        ("mirror", 8, LEAP_MAX + 1, False),
        ("disk", 1, LEAP_MAX + 1, False),
        ("disk", 0, LEAP_MAX + 1, True),
    ],
)
def test_a_file_or_a_mirror_cannot_use_up_the_numbers(
    source: Source, opened_at: int, distance: int, worked_from: bool
) -> None:
    """A plan far above what is open must come from the table; a zone where nothing is open yet has nothing to be far from."""
    far = PlanIndex(plan_of(opened_at + distance, 1, 2).stored, source)
    assert (choose(ZONE, switch(opened_at), [far], None, PlanLimits()).opens) is worked_from


def test_a_zone_where_nothing_is_open_looks_for_no_older_plan() -> None:
    """There is none below generation 0, and a table need not be read to tell."""
    asked: list[int] = []

    def below(generation: int) -> None:
        asked.append(generation)

    choose(ZONE, switch(0), [P8], None, PlanLimits(), below=below)
    assert asked == []
    choose(ZONE, switch(7), [P8], None, PlanLimits(), below=below)
    assert asked == [7]
