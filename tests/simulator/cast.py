"""Who takes part: the product's own code, each part built as the command line builds it, on a line to the outside."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from enactor.collect import FleetZones, collect
from enactor.cycle import Enactor, Tally
from enactor.guards import LimitsTable
from enactor.hooks import Hook
from enactor.library import Library, Mirror
from enactor.outcome import ZonePort
from enactor.plan import Plan
from enactor.ports import OutsideError
from enactor.table import PlanTable
from planner.mirroring import bring_to_head
from planner.publisher import Signature, publish
from planner.publishing import Wish

from .actors import Actor, Broken, Line
from .hands import AGAIN, FLEET, OTHER, WRITTEN_AT, ZONE, ZONE_NAME, ZONE_NAMES, Hands, ignored
from .healed import HEALED_CYCLES_MAX
from .mirror_model import WatchedMirror
from .ops import ByHand, Passes, TableByHand, ZoneByHand
from .probes import Listener, of_collect, of_cycle
from .thin_ports import ThinDisk, ThinTable, ThinZones

__all__ = ["AGAIN", "FLEET", "OTHER", "WRITTEN_AT", "ZONE", "ZONE_NAME", "ZONE_NAMES", "ignored"]


class ThinPorts:
    """The thin tier: each verb of a port is one operation."""

    def zones(self, line: Line, _hook: Hook) -> ZonePort:
        return ThinZones(line, ZONE_NAMES)

    def table(self, line: Line) -> PlanTable:
        return ThinTable(line, FLEET)


def planner(name: str, number: int, plans: Sequence[Plan], *, unguarded: bool = False, mirrored: bool = False) -> Actor:
    """Return a planner that publishes some plans, one after the other, and may bring the mirror to each."""

    def body(line: Line) -> Any:
        table = line.plan_table()
        mirror = WatchedMirror(line, FLEET) if mirrored else None
        signature = Signature(name, "", WRITTEN_AT.isoformat())
        for plan in plans:
            published = publish(
                table,
                plan,
                Wish(unguarded=unguarded),
                LimitsTable(),
                signature=signature,
                clock=line,
                chance=line,
            )
            if mirror is not None and published.head is not None:
                with suppress(OutsideError):  # the command line says so, and the next publish tries again
                    bring_to_head(mirror, table, published.head)

    return Actor(name=name, number=number, body=body)


def enactor(
    name: str,
    number: int,
    *,
    cycles: int = 1,
    survey_seconds: float = 0.0,
    enactor_id: str = "",
    lives: int = 1,
    mirrored: bool = False,
    limits: LimitsTable | None = None,
    zones: Sequence[str] = (ZONE,),
) -> Actor:
    """Return an enactor that does some cycles; with a long pause between surveys the later ones go by memory.

    With several lives it is started again as often, with nothing left but what was on its disk; `mirrored`, it has the mirror.
    `limits` are its guards', and not its last gate's.
    """

    def body(line: Line) -> Any:
        disk = ThinDisk() if lives > 1 else None
        for _ in range(lives):
            mirror = WatchedMirror(line, FLEET) if mirrored else None
            own = {"zone_ids": tuple(zones), "limits": limits or LimitsTable()}
            one = new_enactor(line, enactor_id or name, disk, mirror, **own)
            for _ in range(cycles):
                of_cycle(one.cycle(survey_seconds=survey_seconds), line.probes)
                if line.claims.groundless:
                    raise Broken(line.claims.groundless[0])

    return Actor(name=name, number=number, body=body)


def healthy(name: str, number: int, zones: Sequence[str]) -> Actor:
    """Return an enactor that works until it has nothing more to do, or for as many cycles as that may take, and then looks."""

    def body(line: Line) -> Any:
        one = new_enactor(line, name, None, zone_ids=tuple(zones))
        for _ in range(HEALED_CYCLES_MAX):
            done = one.cycle()
            of_cycle(done, line.probes)
            if line.claims.groundless:
                raise Broken(line.claims.groundless[0])
            if not done.changes:
                break  # the next would see the very same
        return one.survey()

    return Actor(name=name, number=number, body=body)


def new_enactor(
    line: Line, enactor_id: str, disk: ThinDisk | None, mirror: Mirror | None = None, **more: Any
) -> Enactor:
    """Return the real enactor on a line; `more` is what is not as usual."""
    table, tally = line.plan_table(), Tally(Listener(line.probes, line.claims))
    given: dict[str, Any] = {"zone_ids": (ZONE,), "limits": LimitsTable()} | more
    return Enactor(
        fleet=FLEET,
        enactor=enactor_id,
        zones=line.hosted_zones(tally),
        store=table,
        library=Library(table, disk, mirror),
        clock=line,
        chance=line,
        tally=tally,
        **given,
    )


def collector(name: str, number: int, *, keep_newest: int = 1, zones: Sequence[str] = (ZONE,)) -> Actor:
    """Return a collect that keeps nothing for its age."""

    def body(line: Line) -> Any:
        report = collect(
            line.plan_table(),
            FleetZones(line.hosted_zones(ignored), FLEET),
            tuple(zones),
            dry_run=False,
            keep_newest=keep_newest,
            keep_hours=0,
            now=line.aws_now(),
            chance=line,
        )
        of_collect(report, line.probes)
        return report

    return Actor(name=name, number=number, body=body)


def at_the_wheel(
    name: str,
    number: int,
    *deeds: str,
    files: Mapping[str, Plan] | None = None,
    mirrored: bool = False,
    zone: str = ZONE,
) -> Actor:
    """Return a person who uses the product's verbs in one zone, one after the other; each deed is the verb and what else it takes.

    `files`: the plans that a heal is taken from, by name. What is refused, or has no answer, is read, and the person goes on.
    """

    def body(line: Line) -> Any:
        mirror = WatchedMirror(line, FLEET) if mirrored else None
        hands = Hands(line, name, files or {}, mirror, zone)
        for deed in deeds:
            hands.do(deed)

    return Actor(name=name, number=number, body=body)


def person(name: str, number: int, *deeds: ByHand | TableByHand | ZoneByHand | Passes) -> Actor:
    """Return a person at the console, or whoever else has a hand in what happens."""

    def body(line: Line) -> Any:
        for deed in deeds:
            line.ask(deed)

    return Actor(name=name, number=number, body=body, is_person=True)
