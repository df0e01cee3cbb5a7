"""Decide which untouched sets a swap asserts beside its change. Pure; promise 1 rests on it where others write meanwhile."""

from collections.abc import Iterable
from typing import Final

from enactor.aliases import Node, dangles
from enactor.records import RecordSet, kinds_of

RANKS: Final = (0, 1, 2)
"""What a set is worth to its kind: 0 answers; 1 has weight 0; 2 is an alias to nothing."""


def survivors(
    kept: Iterable[RecordSet], creates: Iterable[RecordSet], zone: str, standing: frozenset[Node] | None
) -> tuple[RecordSet, ...]:
    """Return one untouched set, the best there is, of each kind that the swap creates none of at least that worth of.

    The guards judged what was observed; a set that the batch does not name may have been deleted since by somebody else. To
    DELETE and CREATE it again asserts that it still stands, or the whole batch fails. Asked for by every swap that deletes
    anything, or that writes the fence alone: where nothing better is left, weight 0 and an alias to nothing are asserted too,
    or the last set of a kind could go.
    """
    untouched, made = list(kept), list(creates)
    again: list[RecordSet] = []
    for rank in RANKS:
        covered = set(kinds_of(record for record in (*made, *again) if _rank(record, zone, standing) <= rank))
        for record in untouched:
            if _rank(record, zone, standing) == rank and kinds_of((record,)) - covered:
                again.append(record)
                covered |= kinds_of((record,))
    return tuple(again)


def _rank(record: RecordSet, zone: str, standing: frozenset[Node] | None) -> int:
    return 2 if dangles(record, zone, standing) else 0 if record.serves else 1
