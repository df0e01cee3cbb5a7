"""What a fleet file may say of `kind: elbv2`, and every fault with its path and value."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from enactor.plan_faults import Faults
from planner.elbv2_settings import OPTIONAL, REQUIRED, Elbv2Settings, read_settings

PATH = "sources.albs"
ROLE = "arn:aws:iam::123456789012:role/planner-read"
LEAST: Mapping[str, Any] = {"regions": ["eu-west-1"], "names": ["edge-*"]}


def read(raw: Any) -> tuple[Elbv2Settings | None, list[str]]:
    faults = Faults()
    settings = read_settings(raw, PATH, faults)
    return settings, [f"{fault.path}: {fault.message}" for fault in faults.all()]


def test_every_key_is_read() -> None:
    raw = {
        "regions": ["eu-west-1", "us-gov-east-1"],
        "roles": [ROLE],
        "tags": {"team": "edge", "stage": ["blue", ""]},
        "names": "edge-1",
        "type": "network",
        "scheme": "internal",
        "answer": "alias",
        "evaluate_target_health": False,
        "id": "region",
        "capacity_tag": "size",
        "drain_tag": "leave",
    }
    assert set(raw) == {*REQUIRED, *OPTIONAL} == set(msgspec.structs.asdict(Elbv2Settings(regions=())))
    assert read(raw) == (
        Elbv2Settings(
            regions=("eu-west-1", "us-gov-east-1"),
            roles=(ROLE,),
            tags=(("team", ("edge",)), ("stage", ("blue", ""))),
            names=("edge-1",),
            type="network",
            scheme="internal",
            answer="alias",
            evaluate_target_health=False,
            id="region",
            capacity_tag="size",
            drain_tag="leave",
        ),
        [],
    )


def test_what_is_left_out_has_its_default() -> None:
    assert read(LEAST) == (Elbv2Settings(regions=("eu-west-1",), names=("edge-*",)), [])


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"regions": []}, "regions: empty; write it like [eu-west-1]"),
        ({"regions": ["Ireland"]}, 'regions[0]: "Ireland" is not like [eu-west-1]'),
        ({"regions": ["eu-west-1", "eu-west-1"]}, 'regions[1]: "eu-west-1" stands twice'),
        ({"regions": [7]}, "regions[0]: 7 is a number, not text; put it in quotes"),
        ({"regions": {"a": 1}}, 'regions: {"a": 1} is an object, not a list'),
        ({"regions": None}, "regions: null is null, not a list"),
        ({"regions": [f"eu-{chr(97 + n // 26)}{chr(97 + n % 26)}-1" for n in range(101)]}, "regions: 101 entries are over 100"),
        ({"roles": "planner-read"}, 'roles: "planner-read" is not like [arn:aws:iam::123456789012:role/planner-read]'),
        ({"tags": []}, "tags: [] is not an object like {team: edge, stage: [blue, green]}"),
        ({"tags": {}}, "tags: {} is not an object like {team: edge, stage: [blue, green]}"),
        ({"tags": {"team": True}}, "tags.team: true is a boolean, not a list"),
        ({"tags": {"": "x"}}, 'tags."": "" is no tag key: it has 1 to 128 characters'),
        ({"tags": {8: "x"}}, "tags.8: 8 is a number, not text; put it in quotes"),
        ({"names": ["edge 1"]}, 'names[0]: "edge 1" is not like [edge-1, "edge-*"]'),
        ({"type": "gateway"}, 'type: "gateway" is none of application, network'),
        ({"scheme": True}, "scheme: true is none of internet-facing, internal"),
        ({"answer": "cname"}, 'answer: "cname" is none of alias, addresses'),
        ({"answer": "addresses", "type": "application"}, ("type: an Application Load Balancer has no addresses that stay; "
         "answer: alias is for it")),
        ({"answer": "addresses", "evaluate_target_health": True}, ("evaluate_target_health: only an alias has it, and "
         "answer is addresses; leave it out")),
        ({"evaluate_target_health": "yes"}, 'evaluate_target_health: "yes" is text, not true or false'),
        ({"id": "arn"}, 'id: "arn" is none of name, region, account'),
        ({"capacity_tag": ""}, 'capacity_tag: "" is no tag key: it has 1 to 128 characters'),
        ({"drain_tag": ["x"]}, 'drain_tag: ["x"] is a list, not text'),
        ({"tag": {"team": "edge"}}, ("tag: unknown key; known are regions, roles, tags, names, type, scheme, answer, "
         "evaluate_target_health, id, capacity_tag, drain_tag")),
    ],
)  # fmt: skip
def test_every_fault_has_its_path_and_value(changed: Mapping[str, Any], fault: str) -> None:
    assert read({**LEAST, **changed}) == (None, [f"{PATH}.{fault}"])


def test_a_source_without_regions_or_a_choice_says_both() -> None:
    settings, faults = read({})
    assert settings is None
    assert faults == [
        f"{PATH}.regions: missing; write it like {{kind: elbv2, regions: [eu-west-1], tags: {{team: edge}}}}",
        (
            f"{PATH}: one of tags and names is required, else every load balancer of the account is meant: "
            "{kind: elbv2, regions: [eu-west-1], tags: {team: edge}}"
        ),
    ]


@pytest.mark.parametrize("raw", [None, [], "all", 3])
def test_what_is_no_object_at_all_is_one_fault_and_the_missing_choice(raw: object) -> None:
    settings, faults = read(raw)
    assert settings is None
    assert any("not an object like" in fault or "empty" in fault for fault in faults)
