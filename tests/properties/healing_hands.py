"""One healthy enactor, and a person who reads its survey and does what it says: for `test_healing`."""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from enactor.brake import Table, Unclear
from enactor.cli.views import zone_notes
from enactor.cycle import Enactor, Tally, comment_text
from enactor.endpoint_verbs import EndpointOperator, Place
from enactor.guards import LimitsTable
from enactor.insist import NotDone
from enactor.library import Library
from enactor.report import SurveyReport
from enactor.verbs import Operator
from enactor.wheel import Wheel
from tests.simulator.cast import FLEET, ZONE, ZONE_NAMES, ignored
from tests.simulator.thin_ports import ThinTable, ThinZones

from .healing_mirror import mirror_on
from .healing_world import LATEST, Lab, OldDisk, Ruin, publish_to, stored

CYCLES: Final = 3
"""One repairs what the fence names, the next brings the newest plan, which the guards hold against what then stands; one to spare."""
SECONDS_BETWEEN: Final = 60.0
HIGHEST_EVER: Final = 5
"""What a person tells `start` who is asked for the highest generation ever published."""

_COMMAND: Final = re.compile(r"`((?:enactor|planner) [^`]+)`")


class Hands:
    """One healthy enactor, and a person who reads its survey and does what it says."""

    def __init__(self, ruin: Ruin) -> None:
        self.lab = Lab(ruin)
        self._zones = ThinZones(self.lab, ZONE_NAMES)
        self._table = ThinTable(self.lab, FLEET)
        disk = OldDisk([stored(generation) for generation in ruin.disk], damaged=ruin.disk_damaged)
        tally = Tally(ignored)
        self._enactor = Enactor(
            fleet=FLEET,
            enactor="healthy",
            zone_ids=(ZONE,),
            limits=LimitsTable(),
            zones=self._zones,
            store=self._table,
            library=Library(self._table, disk, mirror_on(self.lab) if ruin.mirror.hand != "none" else None),
            clock=self.lab,
            chance=self.lab,
            tally=tally,
        )
        comment = comment_text(FLEET, "person", "")
        self._wheel = Wheel(
            fleet=FLEET, enactor="person", zones=self._zones, clock=self.lab, chance=self.lab, comment=comment
        )

    def cycles(self) -> SurveyReport:
        """Work for some cycles, and look."""
        for _ in range(CYCLES):
            done = self._enactor.cycle()
            self.lab.sleep(SECONDS_BETWEEN)
            if not done.changes:
                break  # the next would see the very same
        return self._enactor.survey()

    def obey(self, command: str) -> None:
        """Do what a command of the survey does, in the product's own words."""
        words, flags = parsed(command)
        place = Place(ZONE, words[2]) if len(words) > 2 else Place(ZONE, "")
        one, switch = EndpointOperator(self._wheel), Operator(self._wheel)
        done: dict[str, Callable[[], object]] = {
            "publish": lambda: publish_to(self.lab, LATEST),
            "adopt": lambda: one.adopt(place, flags.get("from-fleet")),
            "release": lambda: one.release(place),
            "allow": lambda: self._allow(one, place, flags),
            "stop": lambda: switch.stop(ZONE, self._said),
            "start": lambda: self._start(switch, flags),
            "init": lambda: None,  # beside `start`, for a zone that never was in service
            "retire": lambda: None,  # beside listing the name again
        }
        # A verb that was not done says why: no alias is taken before its target stands, and the next round tries again.
        with suppress(NotDone):
            done[words[1]]()

    def _said(self) -> Table:
        return Table(self._table.head(), self._table.floor())

    def _start(self, switch: Operator, flags: dict[str, str]) -> None:
        """Start; where it asks for the highest generation ever published, or says that init is the way, do that."""
        told = HIGHEST_EVER if flags.get("generation") == "N" else None
        try:
            switch.start(ZONE, self._said, told)
        except Unclear:
            switch.start(ZONE, self._said, HIGHEST_EVER)
        except (
            NotDone
        ):  # no fence shows that the zone was ever in service: `init` is the other way that the survey names
            switch.init(ZONE, self._said, HIGHEST_EVER)

    def _allow(self, one: EndpointOperator, place: Place, flags: dict[str, str]) -> None:
        if place.name == "'*'":
            return  # the plan that is published beside it makes it needless
        one.allow(place, flags["guard"], int(flags["generation"]), 3600.0)


def parsed(command: str) -> tuple[list[str], dict[str, str]]:
    """Return a command's words, and its flags by name."""
    words, flags = [], {}
    rest = command.split()
    while rest:
        word = rest.pop(0)
        if word.startswith("--"):
            flags[word.removeprefix("--")] = rest.pop(0)
        else:
            words.append(word)
    return words, flags


def commands(report: SurveyReport, name: str) -> list[str]:
    """Return the commands that a survey names for an endpoint, each once; to publish or to list again is one too."""
    texts = told(report, name)
    found = [command for text in texts for command in _COMMAND.findall(text)]
    if any("publish again" in text or "list it again" in text for text in texts):
        found.append("planner publish")
    named = (f"{command} {name}" if command == "enactor adopt" else command for command in found)
    return list(dict.fromkeys(named))


def told(report: SurveyReport, name: str) -> list[str]:
    """Return every sentence of a survey that can speak of an endpoint: its own, its zone's, the plan's and the table's."""
    own = [reason for one in report.endpoints if one.name == name for reason in one.reasons]
    refused = [finding.message for finding in report.refused]
    return [*own, *zone_notes(report.zones, report.plan), *refused, *report.problems]
