"""Who takes part: the product's own code, each part built as the command line builds it, on a line to the outside."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from enactor.brake import Table
from enactor.collect import FleetZones, collect
from enactor.cycle import Enactor, Tally, comment_text
from enactor.endpoint_verbs import EndpointOperator, Place, remedy_of_file
from enactor.guards import LimitsTable
from enactor.hooks import Event, Hook
from enactor.library import Library
from enactor.outcome import ZonePort
from enactor.plan import Plan
from enactor.table import PlanTable
from enactor.verbs import Operator
from enactor.wheel import Wheel
from planner.publisher import Signature, publish
from planner.publishing import Wish

from .actors import Actor, Line
from .ops import ByHand, TableByHand
from .probes import Listener, of_collect
from .thin_ports import ThinDisk, ThinTable, ThinZones

FLEET = "edge"
ZONE = "Z0SIMULATED"
ZONE_NAME = "example.test."
ZONE_NAMES = {ZONE: ZONE_NAME}
WRITTEN_AT = datetime(2026, 1, 1, tzinfo=UTC)


class ThinPorts:
    """The thin tier: each verb of a port is one operation."""

    def zones(self, line: Line, _hook: Hook) -> ZonePort:
        return ThinZones(line, ZONE_NAMES)

    def table(self, line: Line) -> PlanTable:
        return ThinTable(line, FLEET)


def ignored(_event: Event) -> None:
    """Hear of calls that nobody counts."""


def planner(name: str, number: int, plans: Sequence[Plan], *, unguarded: bool = False) -> Actor:
    """Return a planner that publishes some plans, one after the other."""

    def body(line: Line) -> Any:
        table = line.plan_table()
        signature = Signature(name, "", WRITTEN_AT.isoformat())
        for plan in plans:
            publish(
                table,
                plan,
                Wish(unguarded=unguarded),
                LimitsTable(),
                signature=signature,
                clock=line,
                chance=line,
            )

    return Actor(name=name, number=number, body=body)


def enactor(
    name: str, number: int, *, cycles: int = 1, survey_seconds: float = 0.0, enactor_id: str = "", lives: int = 1
) -> Actor:
    """Return an enactor that does some cycles; with a long pause between surveys the later ones go by memory.

    With several lives it is started again as often, with nothing left but what was on its disk.
    """

    def body(line: Line) -> Any:
        disk = ThinDisk() if lives > 1 else None
        for _ in range(lives):
            one = new_enactor(line, enactor_id or name, disk)
            for _ in range(cycles):
                one.cycle(survey_seconds=survey_seconds)

    return Actor(name=name, number=number, body=body)


def new_enactor(line: Line, enactor_id: str, disk: ThinDisk | None) -> Enactor:
    """Return the real enactor on a line."""
    table, tally = line.plan_table(), Tally(Listener(line.probes))
    return Enactor(
        fleet=FLEET,
        enactor=enactor_id,
        zone_ids=(ZONE,),
        limits=LimitsTable(),
        zones=line.hosted_zones(tally),
        store=table,
        library=Library(table, disk),
        clock=line,
        chance=line,
        tally=tally,
    )


def collector(name: str, number: int, *, keep_newest: int = 1) -> Actor:
    """Return a collect that keeps nothing for its age."""

    def body(line: Line) -> Any:
        report = collect(
            line.plan_table(),
            FleetZones(line.hosted_zones(ignored), FLEET),
            (ZONE,),
            dry_run=False,
            keep_newest=keep_newest,
            keep_hours=0,
            now=WRITTEN_AT,
            chance=line,
        )
        of_collect(report, line.probes)
        return report

    return Actor(name=name, number=number, body=body)


def operator(name: str, number: int, *verbs: str) -> Actor:
    """Return a person who uses the product's verbs: init, stop, start."""

    def body(line: Line) -> Any:
        table, zones = line.plan_table(), line.hosted_zones(ignored)
        comment = comment_text(FLEET, name, "")
        wheel = Wheel(fleet=FLEET, enactor=name, zones=zones, clock=line, chance=line, comment=comment)
        one = Operator(wheel)

        def said() -> Table:
            return Table(table.head(), table.floor())

        done: dict[str, Callable[[], Any]] = {
            "stop": lambda: one.stop(ZONE, said),
            "start": lambda: one.start(ZONE, said, None),
        }
        for verb in verbs:
            done[verb]()

    return Actor(name=name, number=number, body=body)


def at_the_wheel(name: str, number: int, *deeds: str, newest: Plan | None = None) -> Actor:
    """Return a person who uses the verbs of an endpoint; each deed is the verb, the endpoint, and what else it takes.

    `newest`: the plan that a heal is taken from, as a person has it who cannot reach the table.
    """

    def body(line: Line) -> Any:
        comment = comment_text(FLEET, name, "")
        wheel = Wheel(
            fleet=FLEET, enactor=name, zones=line.hosted_zones(ignored), clock=line, chance=line, comment=comment
        )
        hand = EndpointOperator(wheel)
        for deed in deeds:
            verb, label, *more = deed.split()
            place = Place(ZONE, f"{label}.{ZONE_NAME}")
            match verb:
                case "hold":
                    hand.hold(place, 3600.0)
                case "release":
                    hand.release(place)
                case "allow":
                    hand.allow(place, more[0], int(more[1]), 3600.0)
                case "retire":
                    hand.retire(place, None, 0)
                case "adopt":
                    hand.adopt(place)
                case "heal":
                    assert newest is not None, "a heal takes its content from somewhere"
                    remedy = remedy_of_file(newest.endpoints, place, "a file")
                    hand.heal_preview(place, remedy)  # the command line always shows it first
                    hand.heal(place, remedy)
                case _:
                    raise AssertionError(f"no verb {verb}")

    return Actor(name=name, number=number, body=body)


def person(name: str, number: int, *deeds: ByHand | TableByHand) -> Actor:
    """Return a person at the console."""

    def body(line: Line) -> Any:
        for deed in deeds:
            line.ask(deed)

    return Actor(name=name, number=number, body=body, is_person=True)


def pinner(name: str, number: int, generation: int) -> Actor:
    """Return a person who pins a plan by the product's verb."""

    def body(line: Line) -> Any:
        line.plan_table().pin(generation, reason="", by=name, created_at=WRITTEN_AT.isoformat())

    return Actor(name=name, number=number, body=body)
