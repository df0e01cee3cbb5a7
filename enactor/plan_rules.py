"""Decide which rules of form an endpoint breaks once each of its parts has been read: the rules that need to see them together.

Pure. Shared by the plan file's reader and the fleet file's, which is why every target comes with the path it has in its file.
A target with a fault of its own is judged as far as it could be read: a rule speaks only where it is broken however that is mended.
Rules that need the zone's name or another plan are guards', not ours.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Final

import msgspec

from enactor.plan import TARGETS_PER_TYPE_MAX, WEIGHT_MAX, Routing, Target
from enactor.plan_faults import Faults
from enactor.records import MANAGED_TYPES, Alias, ManagedType

CHECKS_SHOWN: Final = 10
"""How many health checks a message names: more do not help a person."""


class OpenAlias(msgspec.Struct, frozen=True):
    """An alias with a fault: what is known of where it points."""

    name: str | None = None
    zone: str | None = None
    """Its zone's id, or the text that stands there: one name with one text most likely means one place."""


class OpenTarget(msgspec.Struct, frozen=True, kw_only=True):
    """A target with a fault: what is known of it. None is what is not known, or not there."""

    id: str | None = None
    type: ManagedType | None = None
    value: str | None = None
    weight: int | str | None = None
    """A wrong one as messages show it."""
    alias: Alias | OpenAlias | None = None
    """Never None where there is any."""
    health_check: str | None = None
    has_wrong_check: bool = False
    needs_ttl: bool = True
    is_object: bool = True


class Placed(msgspec.Struct, frozen=True):
    """A target, and where it stands in its file."""

    path: str
    target: Target | OpenTarget
    has_parts: bool = True
    """False where one line of the file is the whole target, as an address in a fleet file is."""

    def at(self, part: str) -> str:
        """Return the path of one part of the target."""
        return f"{self.path}.{part}" if self.has_parts else self.path


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint as far as it could be read: None for a part that is missing or wrong, which has its own fault already."""

    path: str
    name: str | None
    zone: str | None
    routing: Routing | None
    ttl: int | None
    ttl_wrong: bool = False
    targets: tuple[Placed, ...]

    @property
    def shown(self) -> str:
        """Return what messages call the endpoint."""
        return self.name or self.path

    def of_type(self, record_type: str) -> tuple[Placed, ...]:
        return tuple(placed for placed in self.targets if placed.target.type == record_type)


def apply_rules(shape: Shape, faults: Faults) -> None:
    """Note every rule that the endpoint breaks."""
    for rule in RULES:
        rule(shape, faults)


def _ttl_present(shape: Shape, faults: Faults) -> None:
    """An alias has its target's TTL; every other set needs one."""
    if shape.ttl is None and not shape.ttl_wrong and any(_needs_ttl(placed.target) for placed in shape.targets):
        faults.add(f"{shape.path}.ttl", f"missing; {shape.shown} has targets that are no alias", "ttl")


def _needs_ttl(target: Target | OpenTarget) -> bool:
    return target.needs_ttl if isinstance(target, OpenTarget) else target.alias is None


def _few_enough(shape: Shape, faults: Faults) -> None:
    """Route 53's limit is for one name and type (cases 31, 71)."""
    for record_type in MANAGED_TYPES:
        count = len(shape.of_type(record_type))
        if count > TARGETS_PER_TYPE_MAX:
            what = f"{shape.shown} has {count} targets of type {record_type}, over {TARGETS_PER_TYPE_MAX}"
            faults.add(f"{shape.path}.targets", what, "limit")


def _ids_unique(shape: Shape, faults: Faults) -> None:
    _unique(shape, faults, "id", lambda target: target.id, lambda target: f"id {target.id}")


def _members_unique(shape: Shape, faults: Faults) -> None:
    """Two targets of one address would count twice in every share that a guard takes."""
    _unique(shape, faults, "value", lambda target: target.value, lambda target: f"value {target.value}")
    _unique(
        shape,
        faults,
        "alias",
        _where_alias_points,
        lambda target: f"alias {target.alias and target.alias.name}",
    )


def _where_alias_points(target: Target | OpenTarget) -> tuple[str, str] | None:
    alias = target.alias
    if alias is None or alias.name is None or alias.zone is None:
        return None
    return (alias.name, alias.zone)


def _unique(
    shape: Shape,
    faults: Faults,
    part: str,
    key: Callable[[Target | OpenTarget], Hashable],
    words: Callable[[Target | OpenTarget], str],
) -> None:
    first: dict[Hashable, str] = {}
    for placed in shape.targets:
        value = key(placed.target)
        if value is None or placed.target.type is None:
            continue
        before = first.setdefault((placed.target.type, value), placed.path)
        if before != placed.path:
            what = f"{words(placed.target)} stands twice among the {placed.target.type} targets of {shape.shown}"
            faults.add(placed.at(part), f"{what}, first as {before}", "duplicate")


def _weights_fit(shape: Shape, faults: Faults) -> None:
    """Weighted needs every weight (case 56); elsewhere a weight would silently mean nothing."""
    for placed in shape.targets:
        if isinstance(placed.target, OpenTarget) and not placed.target.is_object:
            continue
        has_weight = placed.target.weight is not None
        if shape.routing == "weighted" and not has_weight:
            faults.add(placed.at("weight"), f"missing; a weighted target needs a whole number from 0 to {WEIGHT_MAX}")
        elif shape.routing in {"simple", "multivalue"} and has_weight:
            faults.add(placed.at("weight"), f"{placed.target.weight} means nothing where routing is {shape.routing}")


def _simple_is_one_set(shape: Shape, faults: Faults) -> None:
    """A simple endpoint is one set for each type: every value, or one alias, and one health check."""
    if shape.routing != "simple":
        return
    for record_type in MANAGED_TYPES:
        placed = shape.of_type(record_type)
        aliases = [one for one in placed if one.target.alias]
        if aliases and len(placed) > 1:
            what = f"an alias stands alone in a simple {record_type} set, and {shape.shown} has {len(placed)} targets in it"
            faults.add(aliases[0].at("alias"), what)
        checks = sorted({one.target.health_check or "none" for one in placed if not _has_wrong_check(one.target)})
        if len(checks) > 1:
            what = f"a simple {record_type} set has one health check, and its targets name {_some(checks)}"
            faults.add(placed[0].at("health_check"), what)


def _has_wrong_check(target: Target | OpenTarget) -> bool:
    return isinstance(target, OpenTarget) and target.has_wrong_check


def _some(words: Sequence[str]) -> str:
    more = f" and {len(words) - CHECKS_SHOWN} more" if len(words) > CHECKS_SHOWN else ""
    return ", ".join(words[:CHECKS_SHOWN]) + more


def _multivalue_fits(shape: Shape, faults: Faults) -> None:
    """Route 53 has no multivalue alias and no multivalue CNAME."""
    if shape.routing != "multivalue":
        return
    for placed in shape.targets:
        if placed.target.alias:
            faults.add(placed.at("alias"), "routing multivalue takes no alias")
        if placed.target.type == "CNAME":
            faults.add(placed.at("type"), "routing multivalue takes no CNAME")


def _cname_alone(shape: Shape, faults: Faults) -> None:
    """RFC 1034 section 3.6.2: a CNAME has no other data beside it; and one CNAME set holds one value."""
    cnames = shape.of_type("CNAME")
    others = sorted({placed.target.type or "CNAME" for placed in shape.targets} - {"CNAME"}) if cnames else []
    if others:
        faults.add(
            cnames[0].at("type"), f"a CNAME stands alone at its name, and {shape.shown} has {', '.join(others)} too"
        )
    if shape.routing == "simple" and len(cnames) > 1:
        what = f"a simple CNAME set holds one value, and {shape.shown} has {len(cnames)}"
        faults.add(cnames[1].at("value"), what)


def _points_elsewhere(shape: Shape, faults: Faults) -> None:
    """A name that answers with itself answers nothing."""
    for placed in shape.targets:
        target = placed.target
        if target.type == "CNAME" and target.value is not None and target.value == shape.name:
            faults.add(placed.at("value"), f"{shape.shown} points to itself")
        points_to = _where_alias_points(target)
        if points_to is not None and points_to == (shape.name, shape.zone):
            faults.add(placed.at("alias"), f"{shape.shown} points to itself")


RULES: Final[Sequence[Callable[[Shape, Faults], None]]] = (
    _ttl_present,
    _few_enough,
    _ids_unique,
    _members_unique,
    _weights_fit,
    _simple_is_one_set,
    _multivalue_fits,
    _cname_alone,
    _points_elsewhere,
)
