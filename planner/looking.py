"""Look once at everything that a fleet file names: ask the sources, and fill the pools; or say why no plan can be made.

The shell of `inventory`. It remembers what each source offered last, and nothing else.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from enactor.outside import SystemClock
from enactor.plan import Plan
from enactor.plan_faults import Faults
from enactor.ports import OutsideError
from planner import inventory
from planner.asking import Asker, AtOnce
from planner.combining import Refusal, Stock
from planner.fleet import Fleet
from planner.fleet_settings import SourceSpec
from planner.observation import Aim, Observation, Source, SourceFailed
from planner.pools import Balancer
from planner.sources import Read, WrongFile

LOOK_SECONDS: Final = 60.0
"""How long a source may take for one look."""


class NoPlan(OutsideError):  # noqa: N818 - the family of the design
    """What the sources say makes no plan; the one in force stays."""

    def __init__(self, refusals: Sequence[Refusal], details: Sequence[str] = ()) -> None:
        self.refusals = tuple(refusals)
        self.details = tuple(details)
        """Everything that is wrong with what a source holds, a line each."""
        super().__init__("; ".join(one.message for one in refusals))


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What one whole look gave."""

    read: Read
    fleet: Fleet
    """With its pools filled."""
    observations: Mapping[str, Observation]
    told_again: frozenset[str] = frozenset()
    """The sources that told their last look again: the same observation, by its identity."""


class Lookout:
    """Holds the sources of a fleet file open from look to look."""

    def __init__(self, asker: Asker, *, look_seconds: float = LOOK_SECONDS) -> None:
        self._asker = asker
        self._look_seconds = look_seconds
        self._open: dict[str, tuple[SourceSpec, Source]] = {}
        self._offered: dict[str, Stock] = {}
        self._filled: tuple[object, Read] | None = None
        self._told: dict[str, Observation] = {}

    def look(self, read: Read, newest: Callable[[], Plan | None]) -> Seen:
        """Return what is there; raise NoPlan, or WrongFile where file and offers together have faults.

        `newest` reads the newest plan, which tells at a source's first look what it offered before; it may raise NoPlan.
        """
        fleet = read.fleet
        assert fleet is not None, "a plan file has no sources"
        self._open_all(read, fleet)
        observations = self._ask(dict.fromkeys(inventory.asked_first(fleet), ()))
        filled, offered = self._fill(read, fleet, observations, newest)
        assert filled.fleet is not None, "a fleet file that is right has its meaning"
        if unclear := inventory.ambiguities(inventory.aims_of(filled.fleet)):
            raise NoPlan(unclear)
        observations |= self._ask({name: inventory.aims_of(filled.fleet, name) for name in inventory.asked_then(fleet)})
        self._offered = {name: inventory.stock_of(name, offered) for name in inventory.asked_first(fleet)}
        again = frozenset(name for name, found in observations.items() if self._told.get(name) is found)
        self._told = observations
        return Seen(read=filled, fleet=filled.fleet, observations=observations, told_again=again)

    def close(self) -> None:
        """Let every source go."""
        for _, source in self._open.values():
            self._asker.dismiss(source)
        self._open = {}
        self._asker.end()

    def _open_all(self, read: Read, fleet: Fleet) -> None:
        """Open what is new, and what has other settings; close what is gone."""
        wanted = {spec.name: spec for spec in fleet.sources}
        for name in [name for name, (spec, _) in self._open.items() if wanted.get(name) != spec]:
            self._asker.dismiss(self._open.pop(name)[1])
            self._offered.pop(name, None)
            self._told.pop(name, None)
        for name, spec in wanted.items():
            if name not in self._open:
                self._open[name] = (spec, self._opened(read, spec))

    def _opened(self, read: Read, spec: SourceSpec) -> Source:
        assert read.text is not None, "what names sources is a fleet file"
        kind = read.text.kinds.find(spec.kind)
        assert not isinstance(kind, str), "a kind that cannot be used is a fault of the file"
        try:
            return kind.open(spec.name, spec.settings)
        except SourceFailed as error:
            why = str(error)
        except Exception as error:  # noqa: BLE001 - a third party's code may fail in any way
            why = f"{type(error).__name__}: {error}"
        message = f"source {spec.name} cannot be opened: {why}"
        raise NoPlan([Refusal(event="source-failed", sources=(spec.name,), message=message)])

    def _ask(self, aims: Mapping[str, tuple[Aim, ...]]) -> dict[str, Observation]:
        """Ask each of these sources about the load balancers that it is to judge."""
        sources = {name: self._open[name][1] for name in aims}
        of = {id(source): aims[name] for name, source in sources.items()}
        within = self._look_seconds
        answers = (
            self._asker.ask(sources, lambda source: source.observe(of[id(source)], within), within) if sources else {}
        )
        failed = {name: found for name, found in answers.items() if isinstance(found, SourceFailed)}
        if failed:
            raise NoPlan(
                [Refusal(event="source-failed", sources=(name,), message=str(why)) for name, why in failed.items()],
                [line for why in failed.values() for line in why.faults],
            )
        return {name: found for name, found in answers.items() if isinstance(found, Observation)}

    def _fill(
        self, read: Read, fleet: Fleet, observations: Mapping[str, Observation], newest: Callable[[], Plan | None]
    ) -> tuple[Read, Mapping[str, tuple[Balancer, ...]]]:
        """Return the file with its pools filled, and what they are filled with; what was offered before is not compiled again."""
        assert read.text is not None, "what names sources is a fleet file"
        faults = Faults()
        offered = inventory.offered_to(fleet, observations, faults)
        if len(faults):
            raise WrongFile(read.name, dict.fromkeys(faults.all()))
        is_first = any(name not in self._offered for name in observations)
        is_first |= any(name not in self._told for name in inventory.asked_then(fleet))
        before = newest() if is_first else None
        refused = inventory.refusals(fleet, offered, observations, self._offered, before)
        if refused:
            raise NoPlan(refused)
        key = (read.text.octets, offered)
        if self._filled is None or self._filled[0] != key:
            self._filled = (key, read.text.compiled(offered))
        return self._filled[1], offered


def look_once(read: Read, newest: Callable[[], Plan | None]) -> Seen:
    """Look once with every source opened for it, as commands do that look once."""
    lookout = Lookout(AtOnce(SystemClock()))
    try:
        return lookout.look(read, newest)
    finally:
        lookout.close()
