"""Whether a published generation is in force everywhere, held against surveys."""

from typing import Any

import pytest

from enactor.guards import Finding
from enactor.report import PlanWordReport, SurveyEndpoint, SurveyReport, ZoneReport
from planner.everywhere import KEPT_BACK, SENTENCES_MAX, Found, found

ZONE = "Z1"


def zone(**changes: Any) -> ZoneReport:
    whole: dict[str, Any] = {"zone": ZONE, "switch": "run", "open": 7, "plan": "current"}
    return ZoneReport(**(whole | changes))


def endpoint(state: Any = "current", name: str = "api.example.test.", **changes: Any) -> SurveyEndpoint:
    whole: dict[str, Any] = {
        "zone": ZONE,
        "answering": True,
        "generation": 7,
        "wanted": 7,
        "fence": None,
        "reasons": (),
    }
    return SurveyEndpoint(name=name, state=state, **(whole | changes))


def look(
    *endpoints: SurveyEndpoint,
    zones: tuple[ZoneReport, ...] = (zone(),),
    generation: int | None = 7,
    refused: tuple[Finding, ...] = (),
    problems: tuple[str, ...] = (),
) -> Found:
    source: Any = "none" if generation is None else "table"
    report = SurveyReport(
        fleet="edge",
        plan=PlanWordReport(generation=generation, digest=None, source=source),
        zones=zones,
        counts={},
        other_zones=0,
        endpoints=endpoints,
        refused=refused,
        problems=problems,
    )
    return found(report, 7)


def test_open_zones_with_endpoints_at_rest_are_in_force() -> None:
    """Also where a newer plan was published and opened since, and beside names that the plan does not list."""
    seen = look(endpoint(), endpoint("vanished", wanted=None), endpoint("retired", wanted=None))
    assert (seen, seen.is_settled, seen.sentences) == (Found(), True, ())
    assert look(endpoint(), zones=(zone(open=8),), generation=8) == Found()


@pytest.mark.parametrize("state", sorted(KEPT_BACK))
def test_what_a_person_or_a_guard_keeps_back_is_settled_and_told(state: str) -> None:
    """Waiting longer changes nothing; the reasons are the survey's."""
    seen = look(endpoint(state, reasons=("because", "a way out")))
    assert seen.kept_back == (f"api.example.test. in zone Z1 is {state}: because; a way out",)
    assert (seen.is_settled, seen.not_yet) == (True, ())


@pytest.mark.parametrize("state", ["behind", "missing", "empty", "drifted", "fence-missing"])
def test_what_an_enactor_brings_by_itself_is_waited_for(state: str) -> None:
    """The next cycle does it."""
    seen = look(endpoint(state), endpoint(name="web.example.test."))
    assert seen.not_yet == (f"api.example.test. in zone Z1 is {state}",)
    assert (seen.is_settled, seen.kept_back, seen.unknown) == (False, (), ())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"switch": "stop"}, "zone Z1 is stopped: `enactor start --zone Z1`"),
        ({"switch": "absent", "open": None}, "zone Z1 has no switch, which means stop: `enactor init --zone Z1`"),
        ({"plan": "forked"}, "zone Z1 is forked of every plan at hand: publish one above 7"),
        ({"plan": "ahead", "open": 9}, "zone Z1 is ahead of every plan at hand: publish one above 9"),
    ],
)
def test_a_zone_that_takes_nothing_keeps_back_all_of_its_endpoints(changes: dict[str, Any], words: str) -> None:
    """One sentence for the zone, none for each name in it; another zone is waited for all the same."""
    other = endpoint("behind", zone="Z2")
    seen = look(endpoint("behind"), other, zones=(zone(**changes), zone(zone="Z2")))
    assert seen.kept_back == (words,)
    assert seen.not_yet == ("api.example.test. in zone Z2 is behind",)


@pytest.mark.parametrize(("opened", "told"), [(6, 6), (None, 0)])
def test_a_zone_that_is_not_open_yet_is_waited_for(opened: int | None, told: int) -> None:
    """Even where nothing of it changes there: a held batch of the old plan could still land."""
    assert look(zones=(zone(open=opened),)).not_yet == (f"zone Z1 is open at {told}, not at 7 yet",)


def test_a_plan_that_is_refused_as_a_whole_is_kept_back_and_not_waited_for() -> None:
    """No enactor opens it."""
    finding = Finding(guard="vanished", message="two are gone")
    seen = look(endpoint(), zones=(zone(open=6),), refused=(finding,))
    assert (seen.kept_back, seen.is_settled) == (("plan 7 is refused as a whole: vanished: two are gone",), True)


def test_what_cannot_be_read_is_unknown_and_asked_for_again() -> None:
    """A zone that fails says nothing of its endpoints; problems of the table are told too."""
    seen = look(zones=(zone(switch="unknown", plan="unknown", open=None, error="no answer"),), problems=("away",))
    assert seen.unknown == ("away", "zone Z1: no answer")
    assert (seen.is_settled, seen.kept_back, seen.not_yet) == (False, (), ())


@pytest.mark.parametrize(("generation", "words"), [(6, "generation 6 is at hand"), (None, "no plan is at hand")])
def test_an_older_plan_at_hand_tells_nothing_of_the_published_one(generation: int | None, words: str) -> None:
    """The table did not answer: what looks current is so by the old plan."""
    seen = look(endpoint(), generation=generation)
    assert seen.unknown[0].startswith(words)
    assert (seen.is_settled, seen.kept_back, seen.not_yet) == (False, (), ())


def test_sentences_come_worst_first_and_have_an_end() -> None:
    """Twenty of each kind; the survey has the rest."""
    names = [endpoint("behind", f"n{number}.example.test.") for number in range(SENTENCES_MAX + 2)]
    seen = look(*names, endpoint("held"), problems=("away",))
    assert (seen.sentences[0], seen.sentences[-1]) == ("away", "api.example.test. in zone Z1 is held")
    assert seen.sentences[SENTENCES_MAX + 1] == "and 2 more; `enactor survey` names them"
    assert len(seen.sentences) == SENTENCES_MAX + 3
    assert len(look(*names[:SENTENCES_MAX]).sentences) == SENTENCES_MAX
