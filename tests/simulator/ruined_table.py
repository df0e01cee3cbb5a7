"""What a person's hand, or bad luck, makes of the plan table: pointers that lead nowhere, plans that are gone or are not what they were.

Pure. Each is a state that no code of ours makes; docs/healing.md says what leads out of it.
"""

import zlib
from typing import Final, get_args

from enactor.plan import digest_of
from enactor.table_items import Value
from enactor.table_keys import CHUNKS, HEAD, PLANS
from enactor.table_reading import chunk_digest

from .ops import Pairs, TableRuin
from .table_model import Table

RUINS: Final[frozenset[str]] = frozenset(get_args(TableRuin))
FURTHER: Final = 3
"""So far above the newest plan HEAD points where it points at nothing."""
NOT_OURS: Final = b'{"form":99,"says":"nothing that this version reads"}'
"""A body whose digest is right and whose form is another version's."""


def ruined(table: Table, hand: TableRuin) -> Table:
    """Return what a hand leaves; a table that has nothing of the kind stays as it is."""
    plans = sorted(sk for sk in table if sk.startswith(PLANS))
    if not plans:
        return table
    newest, after = plans[-1], dict(table)
    match hand:
        case "take HEAD away":
            after.pop(HEAD, None)
        case "point HEAD at nothing":
            after[HEAD] = _head(_generation(newest) + FURTHER, "d" * 64)
        case "move HEAD back":
            after[HEAD] = _head(_generation(plans[0]), str(dict(table[plans[0]])["digest"]))
        case "lose the newest manifest":
            del after[newest]
        case "lose every plan but the newest":
            for sk in plans[:-1]:
                del after[sk]
        case "make the newest plan unreadable":
            after |= _of_another_form(table, newest)
        case "lose a chunk":
            for sk in chunks_of(table, newest)[:1]:
                del after[sk]
        case _:
            after |= _other_chunk(table, newest, hand)
    return after


def chunks_of(table: Table, plan: str) -> list[str]:
    """Return the keys of a plan's chunks."""
    return [sk for sk in sorted(table) if sk.startswith(f"{CHUNKS}{dict(table[plan])['upload']!s}#")]


def _other_chunk(table: Table, newest: str, hand: TableRuin) -> dict[str, Pairs]:
    """Return the newest plan's first chunk as it is after a hand: the same octets in another order, or an older plan's."""
    mine = chunks_of(table, newest)[:1]
    others = [sk for sk in sorted(table) if sk.startswith(CHUNKS) and sk not in chunks_of(table, newest)]
    match hand:
        case "alter a chunk":
            return {sk: _with(table[sk], data=bytes(reversed(_data(table[sk])))) for sk in mine}
        case "replay an older chunk" if others:
            return {sk: _with(table[sk], data=_data(table[others[0]])) for sk in mine}
        case _:
            return {}


def _of_another_form(table: Table, newest: str) -> dict[str, Pairs]:
    """Return the newest plan as a planner of another version would have written it: every digest is right."""
    chunk = chunks_of(table, newest)[:1]
    if not chunk:
        return {}
    data, digest = zlib.compress(NOT_OURS), digest_of(NOT_OURS)
    found = {
        chunk[0]: _with(table[chunk[0]], data=data),
        newest: _with(table[newest], digest=digest, octets=len(NOT_OURS), chunks=(chunk_digest(data),)),
    }
    if HEAD in table and dict(table[HEAD])["generation"] == _generation(newest):
        found[HEAD] = _with(table[HEAD], digest=digest)
    return found


def _head(generation: int, digest: str) -> Pairs:
    return (("digest", digest), ("generation", generation), ("token", "by hand"))


def _generation(plan: str) -> int:
    return int(plan.removeprefix(PLANS))


def _data(item: Pairs) -> bytes:
    data = dict(item)["data"]
    assert isinstance(data, bytes), "a chunk is octets"
    return data


def _with(item: Pairs, **changed: Value) -> Pairs:
    return tuple(sorted({**dict(item), **changed}.items()))
