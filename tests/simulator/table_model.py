"""The plan table in memory: DynamoDB's items, conditions and transactions, as far as the product uses them. Pure.

Written apart from the adapter on purpose; `tests/properties/test_thin_table.py` holds the two together on moto.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from enactor.table_items import Refusal, Value

from .ops import DeleteAll, Get, OneWrite, Pairs, Put, TableRead, TableWrite, Transact, Under, as_item

Table = Mapping[str, Pairs]
"""Sort key to item; nobody may change one."""
Attributes = Mapping[str, Value]
Test = Callable[[Attributes | None, Attributes], bool]

_TOKEN: Final = re.compile(r"\s*(attribute_exists|attribute_not_exists|AND|OR|<>|<|=|\(|\)|[#:]?\w+)")


def read(table: Table, op: Get | Under) -> tuple[Pairs, ...] | Pairs | None:
    """Answer a read."""
    if isinstance(op, Get):
        found = table.get(op.sk)
        return None if found is None else _with_key(op.sk, found)
    chosen = sorted((sk for sk in table if sk.startswith(op.prefix)), reverse=op.newest_first)
    return tuple((("sk", sk),) if op.keys_only else _with_key(sk, table[sk]) for sk in chosen)


def write(table: Table, op: Put | Transact | DeleteAll) -> tuple[Table, Refusal | None]:
    """Play a write: the table after it, and which conditions refused it."""
    match op:
        case Put(sk, item):
            return {**table, sk: item}, None
        case DeleteAll(sks):
            return {sk: item for sk, item in table.items() if sk not in sks}, None
        case Transact(writes):
            return _transacted(table, writes)


def apply(table: Table, op: TableRead | TableWrite) -> tuple[Table, object]:
    """Play any operation."""
    if isinstance(op, Get | Under):
        return table, read(table, op)
    return write(table, op)


def _transacted(table: Table, writes: tuple[OneWrite, ...]) -> tuple[Table, Refusal | None]:
    failed = tuple(not _holds(table, one) for one in writes)
    if any(failed):
        items = tuple(
            as_item(_with_key(one.sk, table[one.sk])) if bad and one.sk in table else None
            for one, bad in zip(writes, failed, strict=True)
        )
        return table, Refusal(failed, items)
    after = dict(table)
    for one in writes:
        if one.item is not None:
            after[one.sk] = one.item
        elif one.delete:
            after.pop(one.sk, None)
        elif one.update:
            after[one.sk] = _updated(table.get(one.sk, ()), one)
    return after, None


def _with_key(sk: str, item: Pairs) -> Pairs:
    return (*item, ("sk", sk))


def _holds(table: Table, one: OneWrite) -> bool:
    if not one.condition:
        return True
    stored = table.get(one.sk)
    return _compiled(one.condition)(None if stored is None else dict(stored), dict(one.values))


def _updated(item: Pairs, one: OneWrite) -> Pairs:
    found = dict(item)
    verb, _, rest = one.update.partition(" ")
    if verb == "REMOVE":
        found.pop(rest.removeprefix("#"), None)
    else:
        assert verb == "SET", one.update
        name, _, value = rest.partition(" = ")
        found[name.removeprefix("#")] = dict(one.values)[value.removeprefix(":")]
    return tuple(sorted(found.items()))


@cache
def _compiled(text: str) -> Test:
    tokens = _TOKEN.findall(text)
    test, rest = _either(tokens)
    assert not rest, f"{text}: what is {rest}?"
    return test


def _either(tokens: list[str]) -> tuple[Test, list[str]]:
    left, rest = _both(tokens)
    while rest[:1] == ["OR"]:
        right, rest = _both(rest[1:])
        left = _joined(left, right, any)
    return left, rest


def _both(tokens: list[str]) -> tuple[Test, list[str]]:
    left, rest = _one(tokens)
    while rest[:1] == ["AND"]:
        right, rest = _one(rest[1:])
        left = _joined(left, right, all)
    return left, rest


def _joined(left: Test, right: Test, how: Callable[[tuple[bool, bool]], bool]) -> Test:
    return lambda item, values: how((left(item, values), right(item, values)))


def _one(tokens: list[str]) -> tuple[Test, list[str]]:
    match tokens:
        case ["(", *inside]:
            test, rest = _either(inside)
            assert rest[:1] == [")"], tokens
            return test, rest[1:]
        case ["attribute_exists", "(", name, ")", *rest]:
            return (lambda item, _: _has(item, name)), rest
        case ["attribute_not_exists", "(", name, ")", *rest]:
            return (lambda item, _: not _has(item, name)), rest
        case [name, "=" | "<" | "<>" as sign, value, *rest]:
            return _comparison(name[1:], sign, value[1:]), rest
        case _:
            raise AssertionError(f"no condition the product uses: {tokens}")


def _has(item: Attributes | None, name: str) -> bool:
    return item is not None and (name == "pk" or name.removeprefix("#") in item)


def _comparison(name: str, sign: str, value: str) -> Test:
    def test(item: Attributes | None, values: Attributes) -> bool:
        if item is None or name not in item:
            return sign == "<>"  # what is not there differs from everything
        mine, theirs = item[name], values[value]
        if sign == "<":
            assert isinstance(mine, int), "only generations are compared"
            assert isinstance(theirs, int), "only generations are compared"
            return mine < theirs
        return (mine == theirs) == (sign == "=")

    return test
