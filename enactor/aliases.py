"""Decide what an alias leads to through the sets of its own zone: to an answer, or to nothing.

Pure. An alias whose target has no set, whose chain ends in nothing, or that only runs in a circle, is *dead*: Route 53 answers
NOERROR with nothing, as in October 2025, though a record set stands (promise 1). What stands in another zone cannot be seen
from here and counts as an answer. Computed once for a whole zone, never for each endpoint.
"""

from collections.abc import Iterable, Mapping, Sequence

from enactor import names
from enactor.records import KINDS_OF_TYPE, Kind, RecordSet, kinds_of

Node = tuple[str, str]
"""A name and a type: what an alias points to."""


def target_of(record: RecordSet, zone: str) -> Node | None:
    """Return what an alias to its own zone points to; None for every other set."""
    if record.alias is None or record.alias.zone != zone:
        return None
    try:
        return (names.canonical(record.alias.name), record.type)
    except names.NameFault:
        return (record.alias.name.lower(), record.type)


def dangles(record: RecordSet, zone: str, targets: frozenset[Node] | None) -> bool:
    """Tell whether a set is an alias within its zone to something that is not among the possible targets (None: unknown)."""
    if targets is None or record.alias is None:
        return False
    target = target_of(record, zone)
    return target is not None and target not in targets


def answered(group: Iterable[RecordSet]) -> list[RecordSet]:
    """Return the sets of a name and type that Route 53 answers from: weight 0 only where nothing else has weight."""
    sets = list(group)
    return [record for record in sets if record.serves] or sets


def leading(sets: Iterable[RecordSet], zone: str) -> frozenset[Node]:
    """Return every (name, type) that leads to an answer.

    The least such group: what is reached from an answer backwards. So a circle with no way out of it leads nowhere.
    """
    groups: dict[Node, list[RecordSet]] = {}
    for record in sets:
        groups.setdefault((record.name, record.type), []).append(record)
    found: set[Node] = set()
    pointers: dict[Node, list[Node]] = {}
    for node, group in groups.items():
        for record in answered(group):
            target = target_of(record, zone)
            if target is None:
                found.add(node)
            else:
                pointers.setdefault(target, []).append(node)
    waiting = [target for target in pointers if target in found]
    while waiting:
        for node in pointers.get(waiting.pop(), ()):
            if node not in found:
                found.add(node)
                waiting.append(node)
    return frozenset(found)


def circles(sets: Iterable[RecordSet], zone: str) -> dict[Node, tuple[str, ...]]:
    """Return, for every (name, type) that aliases lead from and back to, the names of its circle."""
    edges: dict[Node, list[Node]] = {}
    for record in sets:
        target = target_of(record, zone)
        if target is not None:
            edges.setdefault((record.name, record.type), []).append(target)
    found: dict[Node, tuple[str, ...]] = {}
    for component in _components(edges):
        first = component[0]
        if len(component) > 1 or first in edges.get(first, ()):
            found |= dict.fromkeys(component, tuple(sorted(name for name, _ in component)))
    return found


def _components(edges: Mapping[Node, Sequence[Node]]) -> list[list[Node]]:
    """Return what lies in circles together (Kosaraju, without recursion: a chain may be as long as a zone)."""
    back: dict[Node, list[Node]] = {}
    for node, targets in edges.items():
        for target in targets:
            back.setdefault(target, []).append(node)
    seen: set[Node] = set()
    order = [node for start in edges for node in _finished(start, edges, seen)]
    seen = set()
    return [found for start in reversed(order) if (found := _finished(start, back, seen))]


def _finished(start: Node, edges: Mapping[Node, Sequence[Node]], seen: set[Node]) -> list[Node]:
    """Return what is newly reached from a start, each behind everything that it reaches."""
    done: list[Node] = []
    stack = [(start, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            done.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(target, False) for target in edges.get(node, ()) if target not in seen]
    return done


def silenced(
    before: Iterable[RecordSet],
    after: Iterable[RecordSet],
    zone: str,
    now: frozenset[Node] | None,
    then: frozenset[Node] | None,
) -> list[Kind]:
    """Return the kinds that keep a set and would have a worse way to an answer than before, or none."""
    old, new = list(before), list(after)
    return [
        kind for kind in sorted(kinds_of(new)) if _strength(kind, new, zone, then) < _strength(kind, old, zone, now)
    ]


def _strength(kind: Kind, sets: Iterable[RecordSet], zone: str, targets: frozenset[Node] | None) -> int:
    """Return 2 where some answers of a kind come, 1 where only a set that nobody is sent to would give one, 0 for none."""
    group = [record for record in sets if kind in KINDS_OF_TYPE.get(record.type, frozenset())]
    if any(not dangles(record, zone, targets) for record in answered(group)):
        return 2
    return int(any(not dangles(record, zone, targets) for record in group))


def beyond(sets: Mapping[str, Sequence[RecordSet]], written: Iterable[RecordSet], zone: str) -> tuple[RecordSet, ...]:
    """Return every observed set that the aliases among some sets lead to, step by step, so that the last gate can follow them."""
    waiting = [target for record in written if (target := target_of(record, zone))]
    seen: dict[Node, None] = {}
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen[node] = None
            waiting += [target for record in _at(sets, node) if (target := target_of(record, zone))]
    return tuple(record for node in seen for record in _at(sets, node))


def _at(sets: Mapping[str, Sequence[RecordSet]], node: Node) -> list[RecordSet]:
    name, record_type = node
    return [record for record in sets.get(name, ()) if record.type == record_type]
