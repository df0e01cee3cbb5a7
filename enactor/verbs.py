"""Do what a person asks of a zone's switch: init, stop, start.

Their batches rest on the compare-and-swap of what they change and leave the rest alone, so they work while stopped, with the
table unreachable and the planner dead, unless said otherwise.
"""

from collections.abc import Callable, Sequence

from enactor import brake
from enactor.batch import Batch, Change, SwitchChange
from enactor.fence import Garbled, Mode, Switch, instant_text, is_running, switch_text, text_set
from enactor.guards import Finding
from enactor.insist import KeptBack, NotDone
from enactor.names import switch_name
from enactor.observe import FenceRange
from enactor.selftest import SelfTest
from enactor.wheel import Done, Ending, Wheel

TableWord = Callable[[], brake.Table | None]
"""Read what the table says about generations, None where it cannot be read. Asked after the fences, at every try: what was read
before a wait may be older than what the zone is open at by now."""

Judge = Callable[[FenceRange, int], Sequence[Finding]]
"""What plan-wide guards say of a generation that a start would open in a zone."""


def nothing_refused(_found: FenceRange, _generation: int) -> Sequence[Finding]:
    """Refuse nothing, where there is no table to read plans from."""
    return ()


class Operator:
    """A person at the wheel of one fleet."""

    def __init__(self, wheel: Wheel) -> None:
        self._wheel = wheel
        self._fleet = wheel.fleet
        self._zones = wheel.zones

    def init(self, zone: str, table: TableWord, told: int | None) -> Done:
        """Bring a zone into service: self-test first, then the switch in run. An existing switch stays as it is."""
        found = self._zones.fences(zone, self._fleet)
        if found.switch.record is not None:
            return Done(f"zone {zone} has a switch already; it stays as it is: {_said(found)}", None)
        self._generation(found, table(), told)  # raises before anything is written where no generation can be told
        proven = SelfTest(self._zones, zone, self._wheel.clock, self._wheel.chance).run()
        change = self._turn(
            zone, "run", lambda now: None if now.switch.record else self._generation(now, table(), told)
        )
        found = self._zones.fences(zone, self._fleet)
        return Done(f"zone {zone} ({found.zone_name}) is in service: {_said(found)}", change, proven)

    def stop(self, zone: str, table: TableWord, seconds: float | None = None) -> Done:
        """Stop every enactor in a zone, for good or for a time; batches on their way fail whole from then on."""
        found = self._zones.fences(zone, self._fleet)
        if found.switch.record is None:
            if found.others:
                raise NotDone(_no_switch(zone, found, self._fleet))
            return Done(_no_switch(zone, found, self._fleet), None)
        ending = Ending(self._wheel, seconds)

        def wanted(now: FenceRange) -> tuple[int, str] | None:
            until = ending.reckon(getattr(now.switch.switch, "until", None))
            if now.switch.record is None or brake.is_done(now, "stop", until):
                return None
            try:  # a brake waits for no table where the switch itself says what is open; start asks for the rest
                return self._generation(now, None if isinstance(now.switch.switch, Switch) else table(), None)
            except brake.Unclear:
                return None  # a text typed by hand already stops; what it lacks, start asks for

        change = self._turn(zone, "stop", wanted, ending)
        stands = self._zones.fences(zone, self._fleet)
        is_over = is_running(stands.switch.switch, self._zones.aws_now())
        kept = "; it was stopped so already, and --for shortens no stop: `enactor start` ends it"
        more = kept if seconds is not None and change is None and not is_over else ""
        return Done(f"zone {zone} {'runs again' if is_over else 'is stopped'}: {_said(stands)}{more}", change)

    def start(self, zone: str, table: TableWord, told: int | None, judge: Judge = nothing_refused) -> Done:
        """Bring run back, with a new nonce, at the generation that was open; unclear, at the highest that anything at hand shows."""
        found = self._zones.fences(zone, self._fleet)
        if found.switch.record is None and not brake.is_ours(found, self._fleet):
            raise NotDone(
                f"zone {zone} has no switch and no fence of fleet {self._fleet}: bring it in with `enactor init`"
            )
        first = found.switch.record

        def wanted(now: FenceRange) -> tuple[int, str] | None:
            if brake.is_done(now, "run"):
                return None
            if now.switch.record != first:
                raise NotDone(
                    f"somebody set the switch of zone {zone} while it was being started: {_said(now)}; look, then try again"
                )
            goal = self._generation(now, table(), told)
            if findings := judge(now, goal[0]) if goal[0] > brake.told_by_switch(now) else ():
                raise KeptBack(
                    f"the switch of zone {zone} does not say what was open, and plan {goal[0]} is refused as a whole: "
                    f"{findings[0].message}. Publish one that is not (`planner republish GEN`), then start"
                )
            return goal

        change = self._turn(zone, "run", wanted)
        stands = self._zones.fences(zone, self._fleet)
        return Done(f"zone {zone} runs: {_said(stands)}{_unused(stands, told)}", change)

    def _generation(self, found: FenceRange, table: brake.Table | None, told: int | None) -> tuple[int, str]:
        return brake.generation_of(brake.of_fleet(found, self._fleet), table, told)

    def _turn(
        self,
        zone: str,
        mode: Mode,
        wanted: Callable[[FenceRange], tuple[int, str] | None],
        ending: Ending | None = None,
    ) -> str | None:
        """Write the switch as wanted on what a fresh reading shows, until it stands."""

        def decide() -> Batch | None:
            now = self._zones.fences(zone, self._fleet)
            goal = wanted(now)
            if goal is None:
                return None
            until = ending.end if ending else None
            switch = brake.new_switch(self._fleet, mode, *goal, nonce=self._wheel.chance.nonce(), until=until)
            after = text_set(switch_name(self._fleet, now.zone_name), switch_text(switch))
            change = SwitchChange(now.switch.record, after)
            ground = None
            if now.switch.record is None:
                ground = brake.ground(now, self._fleet, self._wheel.chance.nonce())
            extra = () if ground is None else (Change("DELETE", ground[0]), Change("CREATE", ground[1]))
            return self._wheel.batch(zone, now.zone_name, switch=change, extra=extra, generation=goal[0])

        return self._wheel.insist(decide, what=f"{mode} of zone {zone}")


def _no_switch(zone: str, found: FenceRange, fleet: str) -> str:
    """Say what a stop found instead of its switch; a person in a hurry may have named another fleet than the one that writes."""
    others = f"; other fleets have {', '.join(found.others)} there" if found.others else ""
    missing = f"zone {zone} has no switch {switch_name(fleet, found.zone_name)}, so fleet {fleet} writes nothing there"
    return f"{missing}; nothing was changed{others}"


def _unused(found: FenceRange, told: int | None) -> str:
    """Say why a generation that a person told is not the one that stands; nothing where it is, or where none was told."""
    switch = found.switch.switch
    if told is None or not isinstance(switch, Switch) or switch.gen == told:
        return ""
    why = (
        f"{switch.gen} was open, and what is open never falls" if told < switch.gen else "its switch was in run already"
    )
    return f"; --generation {told} was not used: {why}"


def _said(found: FenceRange) -> str:
    match found.switch.switch:
        case Switch() as switch:
            end = f" until {instant_text(switch.until)}" if switch.until else ""
            return f"mode={switch.mode}{end}, generation {switch.gen}"
        case Garbled(why):
            return f"its text is not a switch's ({why}), which means stop"
        case None:
            return "there is no switch, which means stop"
