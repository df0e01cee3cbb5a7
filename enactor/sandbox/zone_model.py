"""Decide what a change batch makes of a hosted zone: a new zone, or the errors Route 53 would answer. Pure.

It must never import the enactor's kernel, a clock, randomness or boto3: it is written apart on purpose, so that one
fault cannot blind both the enactor and the world it is tested against. A `Zone` is a value; nobody may change its
inner dicts. All or nothing: an error anywhere leaves the zone as it was.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from enactor.sandbox import zone_names, zone_rules
from enactor.sandbox.zone_rules import Change, Record, RecordSet, Step

ZONE_MAX_SETS = 10_000
PAGE_MAX_SETS = 300
NAME_SERVERS = ("ns-1.sandbox.invalid.", "ns-2.sandbox.invalid.", "ns-3.sandbox.invalid.", "ns-4.sandbox.invalid.")
NAME_SERVERS_TTL_SECONDS = 172_800
SOA_TTL_SECONDS = 900
SOA_VALUE = "ns-1.sandbox.invalid. hostmaster.sandbox.invalid. 1 7200 900 1209600 86400"

SetKey: TypeAlias = tuple[str, str]  # type, identifier
Node: TypeAlias = dict[SetKey, Record]
OrderKey: TypeAlias = tuple[str, str, str, str]  # reversed name, type, identifier, name


@dataclass(frozen=True, slots=True)
class Errors:
    """A refused batch: nothing of it was applied."""

    messages: tuple[str, ...]
    code: str = "InvalidChangeBatch"

    @property
    def text(self) -> str:
        """The message as it goes over the wire: InvalidChangeBatch answers a bracketed list."""
        joined = ", ".join(self.messages)
        return f"[{joined}]" if self.code == "InvalidChangeBatch" else joined


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a listing, with where the next one starts."""

    sets: tuple[RecordSet, ...]
    is_truncated: bool
    next_name: str | None = None
    next_type: str | None = None
    next_identifier: str | None = None


@dataclass(frozen=True, slots=True)
class Zone:
    """A hosted zone at one moment."""

    zone_id: str
    name: str
    nodes: dict[str, Node] = field(repr=False)
    order: list[OrderKey] = field(repr=False)
    max_sets: int = ZONE_MAX_SETS

    @staticmethod
    def empty(zone_id: str, name: str, max_sets: int = ZONE_MAX_SETS) -> "Zone":
        """Return a new zone: its NS and SOA and nothing else."""
        apex = zone_names.canonical(name)
        steps = zone_rules.read_batch([_create(apex, "NS"), _create(apex, "SOA")])
        node = {(step.record.type, ""): step.record for step in steps}
        order = sorted(_order_key(step.record.key) for step in steps)
        return Zone(zone_id, apex, {apex: node}, order, max_sets)

    def __len__(self) -> int:
        return len(self.order)

    def node(self, name: str) -> Node:
        """Return the sets at a canonical name; nobody may change the answer."""
        return self.nodes.get(name, {})

    def sets(self, name: str | None = None) -> tuple[RecordSet, ...]:
        """Return copies of every set in order, or of those at one name in any spelling."""
        wanted = None if name is None else zone_names.canonical(name)
        return tuple(_shown(self, key) for key in self.order if wanted is None or key[3] == wanted)


def apply(zone: Zone, changes: Sequence[Change]) -> Zone | Errors:
    """Play a batch on a zone, in its order."""
    try:
        steps = zone_rules.read_batch(changes)
    except zone_rules.BadInputError as fault:
        return Errors((str(fault),), code="InvalidInput")
    except zone_names.BadNameError as fault:
        return Errors((str(fault),))
    over = zone_rules.batch_faults(steps)
    if over:
        return Errors(tuple(over))
    play = _Play(zone, steps)
    messages = play.run()
    return Errors(tuple(messages)) if messages else play.result()


def page(
    zone: Zone,
    start_name: str | None = None,
    start_type: str | None = None,
    start_identifier: str | None = None,
    max_items: int = PAGE_MAX_SETS,
) -> Page:
    """Return the sets at or after a start, at most 300 whatever is asked."""
    start = 0
    if start_name is not None:
        key = (zone_names.order_key(start_name), start_type or "", start_identifier or "")
        start = bisect_left(zone.order, (*key, ""))
    end = start + max(1, min(max_items, PAGE_MAX_SETS))
    sets = tuple(_shown(zone, key) for key in zone.order[start:end])
    if end >= len(zone.order):
        return Page(sets, is_truncated=False)
    _, next_type, next_identifier, next_name = zone.order[end]
    return Page(sets, True, next_name, next_type, next_identifier or None)


class _Play:
    """A batch being played on a working copy: nodes are copied when first touched."""

    def __init__(self, zone: Zone, steps: Sequence[Step]) -> None:
        self.zone = zone
        self.steps = steps
        self.nodes = dict(zone.nodes)
        self.touched: set[str] = set()
        # Names with an error earlier in the batch: what follows there would only repeat that error in other words.
        self.tainted: set[str] = set()
        self.last_write = {step.record.key[:2]: number for number, step in enumerate(steps)}

    def run(self) -> list[str]:
        repeated = _repeated(self.steps)
        messages = [_repeated_fault(key) for key in repeated]
        self.tainted.update(key[0] for key in repeated)
        for number, step in enumerate(self.steps):
            if step.record.key in repeated:
                continue
            found = list(self._judge(step, number))
            messages.extend(found)
            if found:
                self.tainted.add(step.record.name)
            else:
                self._write(step)
        return messages or self._quota_faults()

    def result(self) -> Zone:
        before: set[OrderKey] = set()
        after: set[OrderKey] = set()
        for name in self.touched:
            before.update(_order_key((name, *key)) for key in self.zone.node(name))
            after.update(_order_key((name, *key)) for key in self.nodes.get(name, {}))
        return replace(self.zone, nodes=self.nodes, order=_reordered(self.zone.order, before - after, after - before))

    def _quota_faults(self) -> list[str]:
        grown = sum(len(self.nodes.get(name, {})) - len(self.zone.node(name)) for name in self.touched)
        if grown <= 0 or len(self.zone) + grown <= self.zone.max_sets:
            return []
        return [f"Number of resource record sets limit of {self.zone.max_sets} exceeded in zone {self.zone.zone_id}"]

    def _judge(self, step: Step, number: int) -> Iterator[str]:
        record, zone_name = step.record, self.zone.name
        if not zone_names.is_within(record.name, zone_name):
            yield f"RRSet with DNS name {record.name} is not permitted in zone {zone_name}"
            return
        if step.action == "DELETE":
            yield from self._judge_delete(record)
            return
        faults = zone_rules.record_faults(record, zone_name)
        yield from faults
        if faults or record.name in self.tainted:
            return
        yield from self._judge_write(step, number)

    def _judge_delete(self, record: Record) -> Iterator[str]:
        stored = self._node(record.name).get((record.type, record.identifier))
        if stored is None:
            yield f"{zone_rules.tried('delete', record)} but it was not found"
        elif not zone_rules.same(stored, record):
            yield f"{zone_rules.tried('delete', record)} but the values provided do not match the current values"
        elif record.name == self.zone.name and record.type == "SOA" and not self._written_later(record):
            yield "A HostedZone must contain exactly one SOA record."
        elif record.name == self.zone.name and record.type == "NS" and not self._written_later(record):
            yield "A HostedZone must contain at least one NS record for the zone itself."

    def _judge_write(self, step: Step, number: int) -> Iterator[str]:
        record = step.record
        node = self._node(record.name)
        exists = (record.type, record.identifier) in node
        if exists and step.action == "CREATE":
            yield f"{zone_rules.tried('create', record)} but it already exists"
            return
        yield from _neighbour_faults(node, record, self.zone.name)
        yield from _group_faults(node, record)
        if record.alias is not None and record.alias.zone == self.zone.zone_id:
            yield from self._alias_faults(record, number)

    def _alias_faults(self, record: Record, number: int) -> Iterator[str]:
        assert record.alias is not None
        target = record.alias.name
        text = f"Tried to create an alias that targets {target}, type {record.type} in zone {self.zone.zone_id}"
        if not zone_names.is_within(target, self.zone.name):
            yield f"{text}, but the alias target name does not lie within the target zone"
            return
        found = any(key[0] == record.type for key in self._node(target)) and target != record.name
        rewritten_later = self.last_write.get((target, record.type), -1) > number
        if (not found or rewritten_later) and target not in self.tainted:
            yield f"{text}, but that target was not found"

    def _written_later(self, record: Record) -> bool:
        """The apex sets may be replaced within a batch; they may not be gone at its end."""
        return any(step.action != "DELETE" and step.record.key == record.key for step in self.steps)

    def _node(self, name: str) -> Node:
        return self.nodes.get(name, {})

    def _write(self, step: Step) -> None:
        name, key = step.record.name, (step.record.type, step.record.identifier)
        node = self.nodes.get(name, {})
        if name not in self.touched:
            self.touched.add(name)
            node = dict(node)
        if step.action == "DELETE":
            del node[key]
        else:
            node[key] = step.record
        if node:
            self.nodes[name] = node
        else:
            self.nodes.pop(name, None)


def _neighbour_faults(node: Node, record: Record, zone_name: str) -> Iterator[str]:
    """A CNAME stands alone at its name."""
    types = {key[0] for key in node}
    if record.type == "CNAME" and types - {"CNAME"}:
        yield (
            f"RRSet of type CNAME with DNS name {record.name} is not permitted as it conflicts with other records "
            f"with the same DNS name in zone {zone_name}"
        )
    elif record.type != "CNAME" and "CNAME" in types:
        yield (
            f"RRSet of type {record.type} with DNS name {record.name} is not permitted because a conflicting RRSet "
            f"of type CNAME with the same DNS name already exists in zone {zone_name}"
        )


def _group_faults(node: Node, record: Record) -> Iterator[str]:
    """One name and type has one simple set, or sets of one routing policy; weighted sets share a TTL."""
    others = [other for key, other in node.items() if key[0] == record.type and key[1] != record.identifier]
    if not others:
        return
    label = zone_rules.label(record)
    if record.policy is None:
        yield f"{label} cannot be created as other RRSets exist with the same name and type."
    elif any(other.policy != record.policy for other in others):
        word = zone_rules.POLICIES[record.policy]
        yield f"{label} cannot be created as a non-{word} set exists with the same name and type."
    elif record.policy == "Weight" and _mixed_ttl(record, others):
        yield f"{label} cannot be created as weighted sets must contain the same TTL."
    elif len(others) >= zone_rules.GROUP_MAX_SETS:
        yield f"{label} cannot be created as {zone_rules.GROUP_MAX_SETS} sets exist with the same name and type."


def _mixed_ttl(record: Record, others: Sequence[Record]) -> bool:
    """Aliases have no TTL, so they agree with every one."""
    found = {other.ttl_seconds for other in (record, *others) if other.ttl_seconds is not None}
    return len(found) > 1


def _repeated(steps: Sequence[Step]) -> list[tuple[str, str, str]]:
    """Find the sets that a batch names more than once in any way but DELETE, then CREATE."""
    actions: dict[tuple[str, str, str], list[str]] = {}
    for step in steps:
        actions.setdefault(step.record.key, []).append(step.action)
    return [key for key, names in actions.items() if len(names) > 1 and names != ["DELETE", "CREATE"]]


def _repeated_fault(key: tuple[str, str, str]) -> str:
    return f"The request contains an invalid set of changes for a resource record set '{key[1]} {key[0]}'"


def _order_key(key: tuple[str, str, str]) -> OrderKey:
    name, record_type, identifier = key
    return (zone_names.order_key(name), record_type, identifier, name)


def _reordered(order: list[OrderKey], gone: set[OrderKey], new: set[OrderKey]) -> list[OrderKey]:
    """Most batches replace sets in place: then the order is the very same list, shared."""
    if not gone and not new:
        return order
    kept = [key for key in order if key not in gone] if gone else list(order)
    kept.extend(new)
    kept.sort()  # two sorted runs: linear
    return kept


def _shown(zone: Zone, key: OrderKey) -> RecordSet:
    return deepcopy(zone.nodes[key[3]][key[1], key[2]].data)


def _create(name: str, record_type: str) -> Change:
    values, ttl = ([SOA_VALUE], SOA_TTL_SECONDS) if record_type == "SOA" else (NAME_SERVERS, NAME_SERVERS_TTL_SECONDS)
    records = [{"Value": value} for value in values]
    return {
        "Action": "CREATE",
        "ResourceRecordSet": {"Name": name, "Type": record_type, "TTL": ttl, "ResourceRecords": records},
    }
