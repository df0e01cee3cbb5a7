"""Take single steps out of the code that ships (a nonce, a look, one of collect's), and see which promise breaks."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

import msgspec

from enactor import swap, table_collecting, zone_cycle
from enactor.batch import Batch
from enactor.collect import _Collect
from enactor.fence import Fence
from enactor.outcome import Applied, Outcome
from enactor.references import Verdict
from enactor.report_collect import CollectedPlan

from .claims import UNKNOWN
from .promises import NEVER_COLLECT
from .scenarios import OCTOBER, PINNED
from .scenarios_guards import DROPPED_AGAIN
from .teeth import Tooth, _put


def _same_fence_nonce() -> AbstractContextManager[None]:
    real = swap._fence_after

    def fence_after(*given: Any) -> Fence:
        return msgspec.structs.replace(real(*given), nonce="0" * 16)

    return _put((swap, "_fence_after", fence_after))


def _lost_is_applied() -> AbstractContextManager[None]:
    """Take a batch without an answer for one that landed, without a look."""

    def resolved(*_: Any) -> Outcome:
        return Applied("unknown")

    return _put((zone_cycle, "resolved", resolved))


def lost_stays_unknown() -> AbstractContextManager[None]:
    """Never look what became of a batch without an answer."""

    def resolved(_crew: Any, _batch: Batch, unknown: Outcome) -> Outcome:
        return unknown

    return _put((zone_cycle, "resolved", resolved))


def _deletes_without_condemning() -> AbstractContextManager[None]:
    """Look again, table and fences, and delete: nobody is told before."""

    def go(self: _Collect, verdicts: Sequence[Verdict]) -> list[CollectedPlan]:
        chosen = {verdict.entry.generation for verdict in verdicts}
        if not chosen:
            return []
        entries = self._store.list()
        left = [entry for entry in entries if entry.generation in chosen]
        looked = self._judged(entries, left, self._read_zones())
        return [self._delete(verdict) if verdict.goes else self._stay(verdict) for verdict in looked]

    return _put((_Collect, "_go", go), (table_collecting, "PLAN_IS_OURS_TO_DELETE", "attribute_exists(pk)"))


def fences_before_table() -> AbstractContextManager[None]:
    """Read the fences first and the table then, when collect looks again at what it condemned."""

    def go(self: _Collect, verdicts: Sequence[Verdict]) -> list[CollectedPlan]:
        plans = [self._refused(verdict) for verdict in verdicts]
        refused = [plan for plan in plans if plan is not None]
        if len(refused) == len(plans):
            return refused
        zones = self._read_zones()
        entries = self._store.list()
        condemned = [entry for entry in entries if entry.condemned == self._token]
        looked = self._judged(entries, condemned, zones)
        acted = [self._delete(verdict) if verdict.goes else self._stay(verdict) for verdict in looked]
        return [*refused, *acted]

    return _put((_Collect, "_go", go))


STEP_TEETH: Final = (
    Tooth(
        name="each fence has a nonce of its own",
        promises=frozenset({UNKNOWN}),
        scenario=DROPPED_AGAIN,
        out=_same_fence_nonce,
    ),
    Tooth(
        name="a lost batch is applied only where its nonce is read",
        promises=frozenset({UNKNOWN}),
        scenario=OCTOBER,
        out=_lost_is_applied,
    ),
    Tooth(
        name="collect condemns before it looks and deletes",
        promises=frozenset({NEVER_COLLECT}),
        scenario=PINNED,
        out=_deletes_without_condemning,
    ),
)
