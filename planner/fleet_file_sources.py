"""What a fleet file may hold for each kind of source that is installed with the planner, as types: the schema comes from here.

Pure. The kinds' own readers (`elbv2_settings`, `probe_settings`, `source_file`) decide what may stand there; a test holds the two
together. Of another package's kind nothing is known here, and its keys are left open.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from planner.elbv2_settings import (
    CAPACITY_TAG,
    DRAIN_TAG,
    NAME,
    REGION,
    ROLE,
    TAG_KEY_MAX_CHARACTERS,
    TAG_VALUE,
    Answer,
    Naming,
)
from planner.fleet_file import Duration, SourceEntry
from planner.probe_settings import AT_ONCE_MAX, HOST, PATH, STATUS_RANGES_MAX, STATUSES, Protocol
from planner.source_forms import TEXT_MAX_CHARACTERS, TEXTS_MAX

FewTexts = Meta(min_length=1, max_length=TEXTS_MAX)
Region = Annotated[str, Meta(pattern=f"^{REGION}$")]
Role = Annotated[str, Meta(pattern=f"^{ROLE}$", max_length=TEXT_MAX_CHARACTERS)]
Name = Annotated[str, Meta(pattern=f"^{NAME}$")]
TagKey = Annotated[str, Meta(min_length=1, max_length=TAG_KEY_MAX_CHARACTERS)]
TagValue = Annotated[str, Meta(pattern=f"^{TAG_VALUE}$")]
Code = Annotated[int, Meta(ge=100, le=599)]
Codes = Annotated[str, Meta(pattern=f"^{STATUSES.pattern}$")]
Family = Literal["ipv4", "ipv6"]


class FileSourceEntry(SourceEntry, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Load balancers that a YAML file lists, or every `*.yaml` and `*.yml` of a directory."""

    kind: Literal["file"]
    path: Annotated[str, Meta(min_length=1, description="A file or a directory, relative to the fleet file.")]


class Elbv2SourceEntry(SourceEntry, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Application and Network Load Balancers, and how the targets behind them are. One of `tags` and `names` is required."""

    kind: Literal["elbv2"]
    regions: Annotated[Region | Annotated[tuple[Region, ...], FewTexts], Meta(description="The regions to look in.")]
    roles: (
        Annotated[
            Role | Annotated[tuple[Role, ...], FewTexts],
            Meta(description="Role ARNs, one for each account. Default the planner's own account."),
        ]
        | None
    ) = None
    tags: (
        Annotated[
            dict[TagKey, TagValue | Annotated[tuple[TagValue, ...], FewTexts]],
            Meta(
                min_length=1, description="Each key with a value, or values of which one must fit. All keys must fit."
            ),
        ]
        | None
    ) = None
    names: (
        Annotated[
            Name | Annotated[tuple[Name, ...], FewTexts],
            Meta(description="Names, or patterns with * and ?, of which one must fit."),
        ]
        | None
    ) = None
    type: Annotated[Literal["application", "network"], Meta(description="Default both.")] | None = None
    scheme: Annotated[Literal["internet-facing", "internal"], Meta(description="Default both.")] | None = None
    answer: Annotated[Answer, Meta(description="An alias, or the static addresses. Default alias.")] = "alias"
    evaluate_target_health: Annotated[bool, Meta(description="Of every alias. Default true.")] = True
    id: Annotated[Naming, Meta(description="Name; name and region; or name, region and account. Default name.")] = (
        "name"
    )
    capacity_tag: Annotated[TagKey, Meta(description=f"Says the capacity. Default {CAPACITY_TAG}.")] = CAPACITY_TAG
    drain_tag: Annotated[TagKey, Meta(description=f"True lets it leave gently. Default {DRAIN_TAG}.")] = DRAIN_TAG


class ProbeSourceEntry(SourceEntry, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The planner's own checks of every target."""

    kind: Literal["probe"]
    protocol: Annotated[Protocol, Meta(description="tcp: it connects; http and https: the status is expected.")]
    port: Annotated[int, Meta(ge=1, le=65_535, description="Default 80 and 443; tcp must say it.")] | None = None
    path: Annotated[str, Meta(pattern=f"^{PATH.pattern}$", description="What GET asks for. Default /.")] = "/"
    host: (
        Annotated[
            str,
            Meta(
                pattern=f"^{HOST.pattern}$",
                description="The Host header, and the name of the certificate. Required for https, unless verify is false.",
            ),
        ]
        | None
    ) = None
    expect: Annotated[
        Code | Codes | Annotated[tuple[Code | Codes, ...], Meta(min_length=1, max_length=STATUS_RANGES_MAX)],
        Meta(description="A status code, a range, or a list of them. Default 200-299."),
    ] = "200-299"
    verify: Annotated[bool, Meta(description="Of https: the certificate must be valid. Default true.")] = True
    every: Annotated[Duration, Meta(description="From a look to the next, 1s to 1h. Default 10s.")] = "10s"
    timeout: Annotated[Duration, Meta(description="For a whole check, 100ms to 30s. Default 2s.")] = "2s"
    at_once: Annotated[int, Meta(ge=1, le=AT_ONCE_MAX, description="Open connections. Default 500.")] = 500
    families: Annotated[
        Family | Annotated[tuple[Family, ...], FewTexts], Meta(description="Which addresses are checked. Default both.")
    ] = ("ipv4", "ipv6")


ENTRIES: Final[Mapping[str, type[SourceEntry]]] = {
    "file": FileSourceEntry,
    "elbv2": Elbv2SourceEntry,
    "probe": ProbeSourceEntry,
}
"""By kind."""


def _where(protocol: str, then: Mapping[str, Any], **others: Any) -> dict[str, Any]:
    is_it = {"properties": {"protocol": {"const": protocol}, **others}, "required": ["protocol"]}
    return {"if": is_it, "then": then}


RULES: Final[Mapping[str, Mapping[str, Any]]] = {
    "elbv2": {"anyOf": [{"required": ["tags"]}, {"required": ["names"]}]},
    "probe": {
        "allOf": [
            _where(
                "tcp",
                {"required": ["port"], "properties": dict.fromkeys(("path", "host", "expect", "verify"), False)},
            ),
            _where("http", {"properties": {"verify": False}}),
            _where("https", {"required": ["host"]}, verify={"not": {"const": False}}),
        ]
    },
}
"""What keys of a kind demand of each other, as JSON Schema says it."""


def with_kinds(parts: Mapping[str, Any], ref_template: str) -> dict[str, Any]:
    """Return the parts of a schema with the keys of each kind beside `kind`: chosen by its word, so that an editor names the key."""
    choices = [
        {
            "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
            "then": {"$ref": ref_template.format(name=entry.__name__)},
        }
        for kind, entry in ENTRIES.items()
    ]
    ruled = {entry.__name__: parts[entry.__name__] | RULES.get(kind, {}) for kind, entry in ENTRIES.items()}
    return {**parts, **ruled, SourceEntry.__name__: parts[SourceEntry.__name__] | {"allOf": choices}}
