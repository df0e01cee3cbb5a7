"""Decide what a fleet file says about Elastic Load Balancing: which load balancers are meant, and how they are answered.

Pure. `regions`, and one of `tags` and `names`, are required: a source that took every load balancer of an account because a line is
missing would publish names that nobody meant.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from enactor.plan_faults import Faults, read_text, shown
from planner.fleet_forms import as_written, read_form
from planner.source_forms import read_one_of, read_texts, read_yes

Answer = Literal["alias", "addresses"]
Naming = Literal["name", "region", "account"]

LIKE: Final = "{kind: elbv2, regions: [eu-west-1], tags: {team: edge}}"
LIKE_TAGS: Final = "{team: edge, stage: [blue, green]}"
LIKE_REGION: Final = "[eu-west-1]"
LIKE_ROLE: Final = "[arn:aws:iam::123456789012:role/planner-read]"
LIKE_NAMES: Final = '[edge-1, "edge-*"]'
REGION: Final = r"[a-z]{2,6}(-[a-z]{2,12}){1,3}-[0-9]{1,2}"
ROLE: Final = r"arn:aws[a-z-]{0,20}:iam::[0-9]{12}:role/[A-Za-z0-9_+=,.@/-]{1,512}"
NAME: Final = r"[A-Za-z0-9?*-]{1,64}"
"""A load balancer's name, at most 32 of letters, digits and hyphens, or a pattern with * and ?."""
TAG_KEY_MAX_CHARACTERS: Final = 128
TAG_VALUE_MAX_CHARACTERS: Final = 256
TAG_VALUE: Final = rf".{{0,{TAG_VALUE_MAX_CHARACTERS}}}"
CAPACITY_TAG: Final = "planner:capacity"
DRAIN_TAG: Final = "planner:drain"
REQUIRED: Final = ("regions",)
OPTIONAL: Final = (
    "roles",
    "tags",
    "names",
    "type",
    "scheme",
    "answer",
    "evaluate_target_health",
    "id",
    "capacity_tag",
    "drain_tag",
)


class Elbv2Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What one source of this kind looks at, and how it answers."""

    regions: tuple[str, ...]
    roles: tuple[str, ...] = ()
    """Role ARNs, one for each account to look at; none: the account of the planner's own credentials."""
    tags: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Each key with the values that fit; all keys must fit."""
    names: tuple[str, ...] = ()
    """Names or patterns, one of which must fit; none: every name."""
    type: str | None = None
    """`application` or `network`; None: both."""
    scheme: str | None = None
    """`internet-facing` or `internal`; None: both."""
    answer: Answer = "alias"
    evaluate_target_health: bool = True
    """Of every alias."""
    id: Naming = "name"
    capacity_tag: str = CAPACITY_TAG
    drain_tag: str = DRAIN_TAG


def read_settings(raw: Mapping[str, Any], path: str, faults: Faults) -> Elbv2Settings | None:
    """Return the settings, or None with every fault noted."""
    before = len(faults)
    form = read_form(raw, path, faults, like=LIKE, required=REQUIRED, optional=OPTIONAL) or {}
    if "tags" not in form and "names" not in form:
        faults.add(path, f"one of tags and names is required, else every load balancer of the account is meant: {LIKE}")
    found: dict[str, Any] = {}
    for key, (pattern, like) in _TEXTS.items():
        if key in form:
            found[key] = read_texts(form[key], f"{path}.{key}", faults, pattern=pattern, like=like)
    for key, choices in _CHOICES.items():
        if key in form:
            found[key] = read_one_of(form[key], f"{path}.{key}", faults, choices)
    if "tags" in form:
        found["tags"] = _read_tags(form["tags"], f"{path}.tags", faults)
    for key in ("capacity_tag", "drain_tag"):
        if key in form:
            found[key] = _read_key(form[key], f"{path}.{key}", faults)
    if "evaluate_target_health" in form:
        where = f"{path}.evaluate_target_health"
        found["evaluate_target_health"] = read_yes(form["evaluate_target_health"], where, faults)
        if form.get("answer") == "addresses":
            faults.add(where, "only an alias has it, and answer is addresses; leave it out")
    if form.get("answer") == "addresses" and form.get("type") == "application":
        faults.add(f"{path}.type", "an Application Load Balancer has no addresses that stay; answer: alias is for it")
    return Elbv2Settings(**found) if len(faults) == before else None


_TEXTS: Final = {
    "regions": (REGION, LIKE_REGION),
    "roles": (ROLE, LIKE_ROLE),
    "names": (NAME, LIKE_NAMES),
}
_CHOICES: Final = {
    "type": ("application", "network"),
    "scheme": ("internet-facing", "internal"),
    "answer": ("alias", "addresses"),
    "id": ("name", "region", "account"),
}


def _read_tags(value: object, path: str, faults: Faults) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict) or not value:
        faults.add(path, f"{shown(as_written(value))} is not an object like {LIKE_TAGS}")
        return ()
    found = []
    for key, wanted in value.items():
        where = f"{path}.{key if isinstance(key, str) and key.isidentifier() else shown(key)}"
        if _read_key(key, where, faults) is not None:
            found.append((key, read_texts(wanted, where, faults, pattern=TAG_VALUE, like=LIKE_TAGS)))
    return tuple(found)


def _read_key(value: object, path: str, faults: Faults) -> str | None:
    text = read_text(as_written(value), path, faults)
    if text is None:
        return None
    if not text or len(text) > TAG_KEY_MAX_CHARACTERS:
        faults.add(path, f"{shown(text)} is no tag key: it has 1 to {TAG_KEY_MAX_CHARACTERS} characters")
        return None
    return text
