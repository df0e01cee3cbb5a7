"""Prove, on scratch names of the real zone, that the ground bears the fence: what `enactor init` asks before it writes mode=run.

AWS documents that a DELETE must match and that a batch is all or nothing. That a DELETE and an identical CREATE are accepted is
known for TXT; for weighted and alias sets it is proven here. An emulator that accepts a stale DELETE would protect nobody, and
is found out. Nothing outside `_selftest-<nonce>._fence.<zone>` is touched; the last gate sees to that.
"""

from collections.abc import Callable, Sequence
from typing import Final

from enactor import names
from enactor.batch import Batch, Change
from enactor.fence import text_set
from enactor.outcome import Applied, Conflicted, Outcome, OverBudget, Rejected, ZoneBusy, ZonePort
from enactor.ports import Chance, Clock, OutsideError
from enactor.records import Alias, RecordSet, same

ADDRESSES: Final = ("192.0.2.1", "192.0.2.2")
"""TEST-NET-1 (RFC 5737): never routed."""
TTL_SECONDS: Final = 60
BUSY_TRIES_MAX: Final = 10
BUSY_WAIT_SECONDS: Final = 1.0


class SelfTestFailed(OutsideError):  # noqa: N818 - one of the family
    """The zone does not behave as the fence needs it to; the message says what was expected and what was seen."""


class SelfTest:
    """One run over one zone."""

    def __init__(self, zones: ZonePort, zone: str, clock: Clock, chance: Chance) -> None:
        self._zones = zones
        self._zone = zone
        self._clock = clock
        self._zone_name = zones.zone_name(zone)
        self._base = f"{names.SELFTEST_PREFIX}{chance.nonce()}.{names.fence_base(self._zone_name)}"
        self._placed: dict[tuple[str, str, str], RecordSet] = {}

    def run(self) -> tuple[str, ...]:
        """Prove each claim and clean up; return the claims in the order they were proven, or raise SelfTestFailed."""
        proven: list[str] = []
        steps: Sequence[tuple[str, Callable[[], None]]] = (
            ("a DELETE of a value that no longer stands is refused, with all that goes with it", self._stale),
            ("a batch is all or nothing", self._atomic),
            ("a DELETE with an identical CREATE is accepted for TXT", self._assert_txt),
            ("a DELETE with an identical CREATE is accepted for weighted sets", self._assert_weighted),
            ("a DELETE with an identical CREATE is accepted for alias sets", self._assert_alias),
        )
        try:
            for claim, step in steps:
                step()
                proven.append(claim)
        finally:
            self._clean_up()
        return tuple(proven)

    def _stale(self) -> None:
        first, second, third = (self._txt(word) for word in ("one", "two", "three"))
        self._must_apply("CREATE", first)
        self._replace(first, second)
        self._must_refuse("a stale DELETE", Change("DELETE", first), Change("CREATE", third))
        self._must_stand(second)

    def _atomic(self) -> None:
        there = self._txt("two")
        other = text_set(f"atomic.{self._base}", "selftest")
        self._must_refuse("a batch whose second change is wrong", Change("CREATE", other), Change("CREATE", there))
        if self._zones.at(self._zone, [other.name]):
            self._placed[other.key] = other
            raise SelfTestFailed(self._sentence("a refused batch left its first change behind"))

    def _assert_txt(self) -> None:
        self._replace(self._txt("two"), self._txt("two"))

    def _assert_weighted(self) -> None:
        for number, address in enumerate(ADDRESSES):
            self._must_apply("CREATE", self._weighted(number, address))
        self._replace(self._weighted(0, ADDRESSES[0]), self._weighted(0, ADDRESSES[0]))

    def _assert_alias(self) -> None:
        target = Alias(f"weighted.{self._base}", self._zone, evaluate_target_health=False)
        alias = RecordSet(name=f"alias.{self._base}", type="A", alias=target)
        self._must_apply("CREATE", alias)
        self._replace(alias, alias)

    def _txt(self, word: str) -> RecordSet:
        return text_set(self._base, f"selftest {word}")

    def _weighted(self, number: int, address: str) -> RecordSet:
        return RecordSet(
            name=f"weighted.{self._base}",
            type="A",
            set_identifier=f"selftest-{number}",
            ttl=TTL_SECONDS,
            weight=1,
            values=(address,),
        )

    def _replace(self, old: RecordSet, new: RecordSet) -> None:
        outcome = self._send(Change("DELETE", old), Change("CREATE", new))
        if not isinstance(outcome, Applied):
            raise SelfTestFailed(
                self._sentence(f"a DELETE and CREATE of {old.type} {old.name} was not accepted: {outcome}")
            )
        self._placed[new.key] = new
        self._must_stand(new)

    def _must_apply(self, action: str, record: RecordSet) -> None:
        outcome = self._send(Change("CREATE", record))
        if not isinstance(outcome, Applied):
            raise SelfTestFailed(
                self._sentence(f"a {action} of {record.type} {record.name} was not accepted: {outcome}")
            )
        self._placed[record.key] = record

    def _must_refuse(self, what: str, *changes: Change) -> None:
        outcome = self._send(*changes)
        if isinstance(outcome, Applied):
            for change in changes:
                if change.action == "CREATE":
                    self._placed[change.record.key] = change.record
            raise SelfTestFailed(self._sentence(f"{what} was accepted; no fence can hold on this endpoint"))
        if not isinstance(outcome, Conflicted | Rejected):
            raise SelfTestFailed(self._sentence(f"{what} had no clear answer: {outcome}"))

    def _must_stand(self, record: RecordSet) -> None:
        found = [other for other in self._zones.at(self._zone, [record.name]) if other.key == record.key]
        if len(found) != 1 or not same(found[0], record):
            raise SelfTestFailed(
                self._sentence(f"{record.type} {record.name} should read {record.values} and reads {found}")
            )

    def _send(self, *changes: Change) -> Outcome:
        """Send scratch changes; a busy zone or a throttle is waited for, a bounded number of times."""
        batch = Batch(
            zone=self._zone,
            zone_name=self._zone_name,
            origin="selftest",
            switch=None,
            swaps=(),
            comment="enactor self-test",
            extra=changes,
        )
        outcome = self._zones.compare_and_swap(batch)
        for _ in range(BUSY_TRIES_MAX):
            if not isinstance(outcome, ZoneBusy | OverBudget):
                break
            self._clock.sleep(BUSY_WAIT_SECONDS)
            outcome = self._zones.compare_and_swap(batch)
        return outcome

    def _clean_up(self) -> None:
        """Take the scratch sets out, the alias before its target; whatever cannot go is harmless below the fence range."""
        for record in sorted(self._placed.values(), key=lambda record: record.alias is None):
            self._send(Change("DELETE", record))

    def _sentence(self, what: str) -> str:
        return f"the self-test of zone {self._zone} failed, and mode=run was not written: {what}"
