"""Bring one zone to the working plan: decide, pack, send, look, decide again.

The shell of one zone. A decision and the batch that rests on it are made in one round; after a conflict, a throttle, a wait or
a lost answer nothing is sent again as it was: the switch, the newest plan and the fences are read, and everything is decided
anew. Every loop here ends: by work done, by everything waiting, by the deadline, or by the number of rounds.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from enactor import pace
from enactor.batch import Batch, fitting, halves, turned
from enactor.crew import Crew, batch_ended, bearings, resolved
from enactor.cycle_report import ZoneResult
from enactor.gate import GateRefusal
from enactor.guards import Finding
from enactor.hooks import Noticed
from enactor.judge import Bench, Judged, endpoint_names, judge
from enactor.library import Shelf
from enactor.memory import ZoneMemory
from enactor.outcome import (
    Applied,
    Conflicted,
    Impossible,
    Outcome,
    OverBudget,
    Rejected,
    Stopped,
    Unknown,
    ZoneBusy,
)
from enactor.ports import OutsideError, Stopping
from enactor.report import Action
from enactor.sending import over_limits, packed, rebased, switch_change, takes_a_type
from enactor.standing import Choice, Standing
from enactor.swap import Swap, decide
from enactor.wire import names_target

Sent = Literal["done", "again", "over"]
"""What a batch leaves: nothing to do, something to decide again, or a zone that cannot be worked on in this cycle."""


class ZoneCycle:
    """One zone in one cycle; what happened there is its `result`."""

    def __init__(self, crew: Crew, memory: ZoneMemory, shelf: Shelf) -> None:
        self.crew = crew
        self.memory = memory
        self.shelf = shelf
        self.actions: dict[str, Action] = {}
        self.change_ids: dict[str, str] = {}
        self.gate_findings: dict[str, tuple[Finding, ...]] = {}
        self.changes = 0
        self.opened = False
        self.error: str | None = None
        self.standing: Standing
        self.choice: Choice
        self.judged: dict[str, Judged] = {}
        self._conflicted: set[str] = set()
        self._lost: Counter[str] = Counter()
        """How often each endpoint was named by a conflict in this cycle."""
        self._read_since = 0.0
        self._has_tokens = False
        """Whether the last call was waited for until its tokens were there, and its decision too old by then."""
        self._start: str | None = None
        """Where the row of work begins, for as long as nobody else is met there; after a conflict it begins somewhere else."""
        self._take_bearings()

    def run(self, deadline: float, look_again: Callable[[], Shelf], *, read_since: float) -> None:
        """Work in rounds until everything is at rest or waits; `read_since` is when this cycle began to read."""
        self._read_since = read_since
        try:
            for attempt in range(pace.ROUNDS_MAX):
                if attempt and not self._before_next_round(attempt, deadline, look_again):
                    break
                self._has_tokens = False
                if self._round(deadline) != "again":
                    break
                if self._has_tokens and not self.changes:  # another zone would spend them again and again
                    deadline = max(deadline, self.crew.clock.now() + pace.ROUND_SECONDS_MAX)
                if self.crew.clock.now() >= deadline:
                    break
        except Stopping:
            raise
        except OutsideError as error:
            self.error = str(error)
        self.look()

    def look(self) -> None:
        """Judge everything and write nothing."""
        self.judged = self._judge(self.crew.chance.nonce())

    def ready(self) -> list[Swap]:
        """Return what there is to write now. For a look ahead: `run` is for another object."""
        is_open = self.standing.running and self.memory.switch.record is not None
        return self._all_ready(self._judge(self.crew.chance.nonce())) if is_open else []

    def result(self) -> ZoneResult:
        """Return what was seen and done, for the report."""
        return ZoneResult(
            zone=self.memory.zone,
            switch_text=" ".join(record.values) if (record := self.memory.switch.record) else None,
            standing=self.standing,
            choice=self.choice,
            judged=self.judged,
            actions=self.actions,
            change_ids=self.change_ids,
            gate_findings=self.gate_findings,
            changes=self.changes,
            opened=self.opened,
            error=self.error,
            switch=self.memory.switch.switch,
            record_sets=self.memory.total,
        )

    def _before_next_round(self, attempt: int, deadline: float, look_again: Callable[[], Shelf]) -> bool:
        """Wait with full jitter, then read the switch, the newest plan and the fences again; False when time is up."""
        seconds = self.crew.chance.uniform(0.0, pace.round_wait_seconds(attempt))
        if self.crew.clock.now() + seconds >= deadline:
            return False
        self.crew.clock.sleep(seconds)
        self._read_since = self.crew.clock.now()
        self.memory.read_switch()
        self.shelf = look_again()
        self.memory.refresh(self._conflicted, self.crew.clock.now())
        self._conflicted = set()
        self.error = None
        # A conflict is of the round it happened in: what stopped meanwhile decides nothing more, and stopped alone is no failure.
        self.actions = {name: action for name, action in self.actions.items() if action != "conflict"}
        self._take_bearings()
        return True

    def _take_bearings(self) -> None:
        """Hold the switch against the plans at hand, and tell of what is older than it was."""
        for name, seen, generation in self.memory.went_back():
            facts = {"zone": self.memory.zone, "endpoint": name, "seen": seen, "generation": generation}
            self.crew.hook(Noticed(event="fence-went-back" if name else "switch-went-back", facts=facts))
        self.standing, self.choice = bearings(self.crew, self.memory, self.shelf)

    def _judge(self, nonce: str) -> dict[str, Judged]:
        bench = Bench(
            fleet=self.crew.fleet,
            enactor=self.crew.enactor,
            limits=self.crew.limits,
            choice=self.choice,
            lookup=self.crew.library,
            nonce=nonce,
            aws_now=self.crew.zones.aws_now(),
        )
        return judge(self.memory, bench, endpoint_names(self.memory, self.choice, self.crew.fleet))

    def _round(self, deadline: float) -> Sent:
        """Decide once, send what was decided, and say whether to decide again.

        What was decided is not sent for longer than a moment: then the switch, the newest plan and the fences are read again.
        """
        until = min(deadline, self.crew.clock.now() + pace.ROUND_SECONDS_MAX)
        if not self.standing.running or self.memory.switch.record is None:
            return "over"
        judged = self._judge(self.crew.chance.nonce())
        if any(one.swap is not None and takes_a_type(one.swap) for one in judged.values()):
            judged = self._seen_whole(judged)
        queue = self._packed(self._all_ready(judged))
        while queue:  # ends: a batch leaves for good, or as two smaller ones, or without the endpoint at fault
            if self.crew.clock.now() >= until:
                return "again"
            self.crew.clock.sleep(0.0)  # a stop is seen before each batch: what is not on its way yet is not sent
            sent, parts = self._send(rebased(queue.pop(0), self.memory.sets, self.memory.switch.record))
            if sent != "done":
                return sent
            queue[:0] = parts
        return "done"

    def _seen_whole(self, judged: dict[str, Judged]) -> dict[str, Judged]:
        """Judge on a listing of this round: somebody may have pointed an alias to what goes since the zone was last read whole."""
        surveyed = self.memory.surveyed_at
        if surveyed is not None and surveyed >= self._read_since:
            return judged
        self.memory.read_all(self.crew.clock.now())
        return self._judge(self.crew.chance.nonce())

    def _all_ready(self, judged: dict[str, Judged]) -> list[Swap]:
        return [swap for one in judged.values() if (swap := self._ready(one)) is not None]

    def _ready(self, judged: Judged) -> Swap | None:
        """Return what is sent of a judgement now; while the plan's content waits, what the fence names is repaired."""
        swap = judged.swap
        if swap is None or not self._waits(swap):
            return swap
        if swap.purpose == "repair":
            return None
        instead = decide(msgspec.structs.replace(judged.question, may_advance=False))
        return instead if isinstance(instead, Swap) and not self._waits(instead) else None

    def _packed(self, ready: list[Swap]) -> list[Batch]:
        """Fill batches with what is ready; what no call can hold is put off, and what lost again and again goes alone."""
        switch = switch_change(self.memory.switch, self.choice, self.crew.fleet, self.crew.chance.nonce)
        fit, over = fitting(ready, self.memory.zone_name, switch)
        for swap, size in over:
            self.gate_findings[swap.name] = (over_limits(size),)
            self.actions[swap.name] = "refused"
        if self._start is None:
            self._start = turned(fit, self.crew.enactor if not self._lost else self.crew.chance.nonce())
        return packed(
            [swap for swap in fit if self._lost[swap.name] < pace.LOST_TOGETHER_MAX],
            [swap for swap in fit if self._lost[swap.name] >= pace.LOST_TOGETHER_MAX],
            start=self._start,
            zone=self.memory.zone,
            zone_name=self.memory.zone_name,
            switch=switch,
            comment=self.crew.comment.format(generation=self._generation()),
            pointed=self.memory.pointed,
        )

    def _generation(self) -> int:
        return self.choice.working.stored.generation if self.choice.working else 0

    def _waits(self, swap: Swap) -> bool:
        key = (swap.zone, swap.name)
        urgent = swap.state in pace.URGENT_STATES
        wait = self.crew.backoff.waiting(key, swap.fence_after.plan, self.crew.clock.now(), urgent=urgent)
        if wait is None:
            return False
        if wait.is_contested:
            self.gate_findings[swap.name] = (Finding(guard="contested", observed=wait.attempts, message=wait.why),)
        if self.actions.get(swap.name) not in {"failed", "swapped"}:
            self.actions[swap.name] = "refused" if wait.is_contested else "waiting"
        return True

    def _send(self, batch: Batch) -> tuple[Sent, list[Batch]]:
        """Send one batch and do what its outcome asks for; return batches that take its place."""
        outcome = self.crew.zones.compare_and_swap(batch)
        if isinstance(outcome, Unknown):
            outcome = resolved(self.crew, batch, outcome)
        self._tell(batch, outcome)
        match outcome:
            case Applied(change_id):
                self._applied(batch, change_id)
                return "done", []
            case Conflicted(names=record_names):
                return self._lost_to_others(batch, record_names)
            case ZoneBusy() | OverBudget():
                self._has_tokens = isinstance(outcome, OverBudget) and outcome.is_over
                self._mark(batch, "conflict")
                return "again", []
            case Unknown(why):
                self.error = why if outcome.is_unread else self.error
                self._conflicted |= {swap.name for swap in batch.swaps}
                self._mark(batch, "failed")
                return "again", []
            case Rejected(messages, by_name):
                return self._rejected(batch, messages, by_name)
            case Stopped(reasons):
                return self._gated(batch, reasons)
            case Impossible(why):
                self.error = why
                self._mark(batch, "failed")
                return "over", []

    def _applied(self, batch: Batch, change_id: str) -> None:
        self.memory.applied(batch)
        self.changes += len(batch.changes)
        if batch.opens:
            self.opened = True
            self._take_bearings()
        for swap in batch.swaps:
            self.actions[swap.name] = "swapped"
            self.change_ids[swap.name] = change_id
            self._settle(swap)

    def _settle(self, swap: Swap) -> None:
        """Forget what failed there before; a repair is counted, because somebody made it necessary."""
        key, backoff = (swap.zone, swap.name), self.crew.backoff
        if swap.state not in pace.REPAIRED_STATES or (swap.state == "missing" and not backoff.was_written(key)):
            backoff.succeeded(key)
            return
        now, jitter = self.crew.clock.now(), self.crew.chance.uniform(0.0, 1.0)
        backoff.repaired(key, swap.fence_after.plan, now=now, jitter=jitter, urgent=swap.state in pace.URGENT_STATES)

    def _mark(self, batch: Batch, action: Action) -> None:
        for swap in batch.swaps:
            self.actions[swap.name] = action

    def _rejected(
        self, batch: Batch, messages: tuple[str, ...], by_name: tuple[tuple[str, str], ...]
    ) -> tuple[Sent, list[Batch]]:
        """Drop the endpoints that Route 53 named and send the rest; where none is named, find the bad one by halves."""
        bad = batch.endpoints_at(name for name, message in by_name if not names_target(message))
        bad |= batch.endpoints_pointing_to(name for name, message in by_name if names_target(message))
        if not bad and len(batch.swaps) > 1:
            return "done", list(halves(batch))
        if not batch.swaps:
            self.error = f"Route 53 rejects the opening of generation {self._generation()}: {'; '.join(messages)}"
            return "over", []
        bad = bad or {batch.swaps[0].name}
        why = "; ".join(messages)
        for swap in batch.swaps:
            if swap.name in bad:
                self._put_off(swap, why)
        self._conflicted |= bad
        rest = tuple(swap for swap in batch.swaps if swap.name not in bad)
        return "done", [msgspec.structs.replace(batch, swaps=rest)] if rest or batch.opens else []

    def _put_off(self, swap: Swap, why: str) -> None:
        now, jitter = self.crew.clock.now(), self.crew.chance.uniform(0.0, 1.0)
        key, urgent = (swap.zone, swap.name), swap.state in pace.URGENT_STATES
        self.crew.backoff.failed(key, swap.fence_after.plan, why, now=now, jitter=jitter, urgent=urgent)
        self.actions[swap.name] = "failed"
        self.crew.hook(Noticed(event="endpoint-rejected", facts={"zone": swap.zone, "endpoint": swap.name, "why": why}))

    def _lost_to_others(self, batch: Batch, record_names: Sequence[str]) -> tuple[Sent, list[Batch]]:
        """Read again what conflicted; an endpoint that loses again and again waits, and the rest goes on without it."""
        named = batch.endpoints_at(record_names)
        self._conflicted |= named or {swap.name for swap in batch.swaps}
        self._start = None
        self._mark(batch, "conflict")
        self._lost.update(named)
        for swap in batch.swaps:
            if self._lost[swap.name] >= pace.LOST_MAX:
                self._put_off(swap, f"it conflicted {pace.LOST_MAX} times in one cycle: somebody else writes there")
        return "again", []

    def _gated(self, batch: Batch, reasons: tuple[GateRefusal, ...]) -> tuple[Sent, list[Batch]]:
        """The last gate refused: the endpoints it names wait, the rest goes on; a refusal of the whole batch is our fault."""
        ours = {swap.name for swap in batch.swaps}
        whole = [reason.why for reason in reasons if reason.name is None or reason.name not in ours]
        if whole:
            self.error = f"the last gate refused a batch, which is a fault of this program: {'; '.join(whole)}"
            self._mark(batch, "failed")
            return "over", []
        for swap in batch.swaps:
            found = tuple(
                Finding(guard=reason.guard, message=f"last gate: {reason.why}")
                for reason in reasons
                if reason.name == swap.name
            )
            if found:
                self._put_off(swap, "; ".join(finding.message for finding in found))
                self.actions[swap.name] = "refused"
                self.gate_findings[swap.name] = found
        rest = tuple(swap for swap in batch.swaps if swap.name not in self.gate_findings)
        return "done", [msgspec.structs.replace(batch, swaps=rest)] if rest or batch.opens else []

    def _tell(self, batch: Batch, outcome: Outcome) -> None:
        self.crew.hook(batch_ended(batch, outcome, self._generation()))
