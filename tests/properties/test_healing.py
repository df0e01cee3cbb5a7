"""Never stuck (promise 5): from any state of zone, table, disk and mirror one healthy enactor brings every endpoint to the newest plan.

Within three cycles; or `survey` names what holds the endpoint and the command that leads out, and that command does lead out.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor import judge, swap
from enactor.cli import views
from enactor.cycle import Enactor
from enactor.library import Library
from enactor.records import RecordSet, content_digest, content_of, kinds_of
from enactor.report import SurveyReport
from enactor.swap import State
from enactor.table_keys import HEAD
from tests.simulator import promises
from tests.simulator.cast import ZONE

from .bounds import bounded
from .healing_hands import Hands, commands, told
from .healing_mirror import SOUND, Mirrored, MirrorHand
from .healing_world import (
    API,
    NAMES,
    PLANS_OF_OLD,
    STORY,
    WWW,
    FenceHand,
    Lab,
    Part,
    Ruin,
    SetsHand,
    SwitchHand,
    TableHand,
    TableWas,
    contents,
    stored,
)

pytestmark = pytest.mark.timeout(600)  # a search is long by its nature; the limit is for one that does not end

ROUNDS: Final = 8
"""So often a person reads the survey and does what it says: the worst is start, publish, publish above, adopt, allow."""
EXAMPLES: Final = 300

MORE_OFTEN: Final[tuple[TableWas, ...]] = ("4", "4", "5 leaves out")

sets_hands: st.SearchStrategy[SetsHand] = st.one_of(st.just("as named"), st.sampled_from(get_args(SetsHand)))
fence_hands: st.SearchStrategy[FenceHand] = st.one_of(st.just("live"), st.sampled_from(get_args(FenceHand)))
mirror_hands: st.SearchStrategy[MirrorHand] = st.one_of(st.just(SOUND), st.sampled_from(get_args(MirrorHand)))
mirrors = st.builds(Mirrored, at=st.sampled_from((1, 2, 3, 4, 4)), hand=mirror_hands)
parts = st.builds(Part, at=st.sampled_from((0, 1, 2, 3, 4, 4)), sets=sets_hands, fence=fence_hands)
tables: st.SearchStrategy[TableWas] = st.sampled_from((*get_args(TableWas), *MORE_OFTEN))
table_hands: st.SearchStrategy[TableHand] = st.one_of(st.just("sound"), st.sampled_from(get_args(TableHand)))
switches: st.SearchStrategy[SwitchHand] = st.one_of(st.just("as opened"), st.sampled_from(get_args(SwitchHand)))


@st.composite
def ruins(draw: st.DrawFn) -> Ruin:
    """Make a state: half of the time the zone was open at the table's newest plan, and nobody touched switch or table."""
    table_was = draw(tables)
    newest = min(len(PLANS_OF_OLD), int(table_was[0]))
    return Ruin(
        opened=draw(st.one_of(st.just(newest), st.sampled_from((0, 1, 2, 3, 4)))),
        switch=draw(switches),
        parts=draw(st.tuples(parts, parts, parts)),
        table_was=table_was,
        table=draw(table_hands),
        disk=draw(st.sampled_from(((), (), (4,), (3,), (1, 2), (2, 3, 4)))),
        disk_damaged=draw(st.booleans()),
        mirror=draw(mirrors),
    )


# ---- what must come of it, told without the product's own judgement -----------------------------------------------------------


def newest_valid(lab: Lab, ruin: Ruin) -> tuple[int, str] | None:
    """Return (generation, digest) of the newest valid plan that table, disk and mirror hold together: HEAD's, else the next below."""
    beside = {(generation, stored(generation).digest) for generation in (*ruin.disk, *in_mirror(ruin))}
    if lab.dark:
        return max(beside, default=None)
    if HEAD not in lab.table:
        return None
    item = dict(lab.table[HEAD])
    head = (int(str(item["generation"])), str(item["digest"]))
    in_table = readable(lab)
    if head in in_table | beside:
        return head
    return max((one for one in in_table | beside if one[0] < head[0]), default=None)


def in_mirror(ruin: Ruin) -> tuple[int, ...]:
    """Return the generation that the mirror holds, where what stands there is to the letter a plan of this fleet."""
    return (ruin.mirror.at,) if ruin.mirror.hand == SOUND else ()


def is_mirror_asked(lab: Lab, ruin: Ruin) -> bool:
    """Tell whether an enactor has to ask the mirror: the table is away, has no HEAD, or its newest plan is nowhere at hand."""
    if lab.dark or HEAD not in lab.table:
        return True
    item = dict(lab.table[HEAD])
    head = (int(str(item["generation"])), str(item["digest"]))
    return head not in readable(lab) | {(generation, stored(generation).digest) for generation in ruin.disk}


def readable(lab: Lab) -> set[tuple[int, str]]:
    """Return the plans whose chunks make the body that their manifest names."""
    listed = promises.manifests(lab.table).items()
    return {(generation, digest) for generation, digest in listed if promises._reads(lab.table, generation)}


def at_hand(lab: Lab, ruin: Ruin) -> tuple[int, ...]:
    """Return the generations that are at hand beside the table's for certain."""
    return (*ruin.disk, *(in_mirror(ruin) if is_mirror_asked(lab, ruin) else ()))


def known_contents(lab: Lab, disk: Iterable[int], name: str) -> set[str]:
    """Return the digests that an endpoint's content has in the plans that can be read."""
    plans = {stored(generation).digest for generation in disk} | (
        set() if lab.dark else {digest for _, digest in readable(lab)}
    )
    return {STORY.contents[digest][ZONE, name] for digest in plans if (ZONE, name) in STORY.contents[digest]}


def is_free(ruin: Ruin, newest: tuple[int, str] | None) -> bool:
    """Tell whether nothing in the zone's switch and nothing in the plan as a whole keeps the newest plan out."""
    if ruin.switch != "as opened" or newest is None or (newest[0] == 5 and ruin.table_was != "5 shrinks"):
        return False
    return newest[0] > ruin.opened or newest == (ruin.opened, stored(ruin.opened).digest)


def may_wait(lab: Lab, ruin: Ruin, name: str, newest: tuple[int, str]) -> bool:
    """Tell whether an endpoint may be kept from the plan, with what is in the mirror or without it.

    It is asked for the plan that is open too, where that is nowhere else: then it explains what else would be nobody's.
    """
    shelves = {at_hand(lab, ruin), (*ruin.disk, *in_mirror(ruin))}
    return any(may_wait_with(lab, ruin, name, newest, shelf) for shelf in shelves)


def may_wait_with(lab: Lab, ruin: Ruin, name: str, newest: tuple[int, str], shelf: Iterable[int]) -> bool:
    """Tell whether an endpoint may be kept from the plan: a person marked it, nobody explains what stands, or it shrinks too far."""
    part, sets = ruin.parts[NAMES.index(name)], content_of(lab.sets_at(name))
    digest = STORY.contents[newest[1]].get((ZONE, name))
    wanted = STORY.content(ZONE, name, digest) if digest else None
    if wanted is None:
        return True
    known = known_contents(lab, shelf, name)
    if not part.at or part.fence == "wiped":
        return bool(sets) and (content_digest(sets) not in known or loses_too_much(sets, wanted))
    if part.fence in {"garbled", "two texts", "other fleet", "held", "retired"}:
        return True
    named = contents(part.at)[name]
    is_known = part.fence != "of no plan" and (content_digest(named) in known or named == sets)
    return loses_too_much(named if is_known else sets, wanted)


def is_repairable(lab: Lab, ruin: Ruin, name: str) -> bool:
    """Tell whether an endpoint answers whatever keeps the newest plan out: the zone runs, and a plan has what its fence names."""
    part = ruin.parts[NAMES.index(name)]
    if ruin.switch not in {"as opened", "ahead", "forked", "typed by mistake"} or not part.at:
        return False
    if name == WWW and not is_repairable(lab, ruin, API):
        return False  # no alias is made before its target stands
    return part.fence in {"live", "hold past", "adopted"} and content_digest(contents(part.at)[name]) in known_contents(
        lab, at_hand(lab, ruin), name
    )


def loses_too_much(before: Iterable[RecordSet], wanted: Iterable[RecordSet]) -> bool:
    """Tell whether a kind goes, or more than half of its targets or of their weight."""
    for kind in ("A", "AAAA"):
        old, new = ({_target(one): one.weight or 1 for one in sets if one.type == kind} for sets in (before, wanted))
        gone = [target for target in old if target not in new]
        if len(gone) * 2 > len(old) or sum(old[target] for target in gone) * 2 > sum(old.values()):
            return True
    return False


def _target(record: RecordSet) -> str:
    return record.alias.name if record.alias else record.values[0]


def stands(lab: Lab, name: str, digest: str | None) -> bool:
    """Tell whether a name has exactly the content of a digest."""
    return content_digest(content_of(lab.sets_at(name))) == digest


# ---- the property -----------------------------------------------------------------------------------------------------------


def check(ruin: Ruin, met: Counter[str]) -> None:
    """Let one healthy enactor work on a ruin, then do what its survey says until there is nothing more to do."""
    hands = Hands(ruin)
    lab, newest = hands.lab, newest_valid(hands.lab, ruin)
    if newest is not None and is_mirror_asked(lab, ruin) and newest[0] in in_mirror(ruin):
        met["from the mirror"] += newest[0] not in ruin.disk
    waiting = {name for name in NAMES if newest is None or may_wait(lab, ruin, name, newest)}
    repairable = {name for name in NAMES if is_repairable(lab, ruin, name)}
    report = hands.cycles()
    assert not lab.broken
    if ruin.switch == "as opened":  # nothing that was spoilt passes for a plan from the future
        assert all((zone.open or 0) <= max(ruin.opened, newest[0] if newest else 0) for zone in report.zones)
    met.update(one.state for one in report.endpoints)
    met.update(f"{zone.switch} {zone.plan}" for zone in report.zones)
    for name in NAMES:
        wanted = STORY.contents[newest[1]].get((ZONE, name)) if newest else None
        is_well = wanted is not None and stands(lab, name, wanted)
        if is_free(ruin, newest) and name not in waiting and not (name == WWW and API in waiting):
            met["must be well"] += 1
            assert is_well, (name, told(report, name))
        if wanted is not None and not is_well:
            met["waits for a person"] += 1
            assert commands(report, name), (name, told(report, name))
        if name in repairable:
            met["must be repaired"] += 1
            assert kinds_of(lab.sets_at(name)) >= kinds_of(contents(ruin.parts[NAMES.index(name)].at)[name]), name
    obey_until_well(hands, report, ruin)


def obey_until_well(hands: Hands, report: SurveyReport, ruin: Ruin) -> None:
    """Bring the table back where it was away, and do what the survey says, round for round, until it says nothing more."""
    lab = hands.lab
    if lab.dark:
        lab.dark = False
        report = hands.cycles()
    for _ in range(ROUNDS):
        orders = list(dict.fromkeys(order for name in NAMES for order in commands(report, name)))
        if not orders:
            break
        head = promises.head_generation(lab.table)
        if "planner publish" in orders:
            hands.obey("planner publish")
        if promises.head_generation(lab.table) == head:  # else whoever published looks again first
            for order in orders:
                hands.obey(order)
        report = hands.cycles()
    newest = newest_valid(lab, ruin)
    assert not lab.broken
    if newest is None:  # no HEAD, and neither zone nor disk tells of a plan: as if nothing had ever been published
        assert {(zone.switch, zone.open) for zone in report.zones} == {("run", 0)}
        return
    for (_, name), digest in STORY.contents[newest[1]].items():
        assert stands(lab, name, digest), (name, told(report, name))
    assert {(zone.switch, zone.plan, zone.open) for zone in report.zones} == {("run", "current", newest[0])}


def search(met: Counter[str]) -> None:
    """Look through the ruins."""

    @bounded(EXAMPLES)
    @given(ruins())
    def every(ruin: Ruin) -> None:
        check(ruin, met)

    every()


def test_one_healthy_enactor_heals_every_ruin_or_names_the_command_that_does() -> None:
    """Promise 5; no batch on the way breaks promises 1 to 3. Every state and every standing that lasts is met."""
    met: Counter[str] = Counter()
    search(met)
    states = set(get_args(State)) | {"must be well", "must be repaired", "waits for a person", "from the mirror"}
    zones = {"run current", "run ahead", "run forked", "run unknown", "stop behind", "absent behind"}
    assert not (states | zones) - set(met)


@pytest.mark.parametrize(
    ("owner", "name", "instead"),
    [
        (swap, "_repair_to_named", lambda *_: None),
        (swap, "_without_fence", lambda _: swap.Foreign("nobody explains it: `enactor adopt`")),
        (judge, "_lifting", lambda *_: ()),
        (views, "_way_out", lambda *_: ""),
        (Enactor, "_floor", lambda *_: 0),
        (Library, "_from_mirror", lambda _: []),
    ],
    ids=["no repair", "no claim", "no way past a guard", "no way out of a zone", "no floor", "no mirror"],
)
def test_without_one_part_of_healing_a_ruin_stays_as_it_is(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, instead: Any
) -> None:
    """Its tooth: each part of healing, and each sentence, is needed for one ruin or another."""
    monkeypatch.setattr(owner, name, instead)
    with pytest.raises(AssertionError):
        search(Counter())
