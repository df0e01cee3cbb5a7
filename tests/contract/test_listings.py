"""What a listing of Route 53 shows, in which order and pages."""

from typing import TYPE_CHECKING, TypeAlias

import pytest
from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from tests.contract.conftest import ContractZone

Zone: TypeAlias = "ContractZone"


def test_a_new_zone_has_its_servers(zone: Zone) -> None:
    """NS and SOA at the apex, first in the listing."""
    found = zone.page(MaxItems="2")["ResourceRecordSets"]
    assert [(one["Name"], one["Type"]) for one in found] == [
        (f"{zone.zone_name}.", "NS"),
        (f"{zone.zone_name}.", "SOA"),
    ]


def test_a_write_is_seen_at_once(zone: Zone) -> None:
    """The newest state, PENDING included."""
    zone.create(zone.simple("a", "192.0.2.1"))
    assert len(zone.sets("a")) == 1


def test_order_is_by_reversed_labels_with_the_dot(zone: Zone) -> None:
    """The trailing dot counts: `-` comes before it, so `a-b` before everything below `a`, and `a` before both."""
    for label in ("b", "a", "x.a", "a-b", "a0"):
        zone.create(zone.simple(label, "192.0.2.1"))
    labels = [one["Name"].removesuffix(f".{zone.base}.") for one in zone.sets()]
    assert labels == ["a-b", "a", "x.a", "a0", "b"]


def test_order_is_then_by_type_and_identifier(zone: Zone) -> None:
    """Types by their letters, identifiers by theirs."""
    zone.create(
        zone.text("a", '"x"'),
        zone.weighted("a", "lb-2", "192.0.2.2"),
        zone.weighted("a", "lb-10", "192.0.2.1"),
        zone.simple("a", "2001:db8::1", type="AAAA"),
    )
    assert [(one["Type"], one.get("SetIdentifier")) for one in zone.sets()] == [
        ("A", "lb-10"),
        ("A", "lb-2"),
        ("AAAA", None),
        ("TXT", None),
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_pages_are_complete_without_repeats(zone: Zone, size: int) -> None:
    """A weighted group may straddle pages: the next identifier is carried."""
    zone.create(*(zone.weighted(f"n{n}", f"lb-{m}", f"192.0.2.{m}") for n in range(3) for m in range(4)))
    keys = [(one["Name"], one["Type"], one.get("SetIdentifier")) for one in zone.sets(max_items=size)]
    assert len(keys) == len(set(keys)) == 12
    assert keys == [(one["Name"], one["Type"], one.get("SetIdentifier")) for one in zone.sets()]


def test_a_page_has_at_most_300_sets(zone: Zone) -> None:
    """Whatever MaxItems asks."""
    for start in range(0, 400, 100):
        zone.create(*(zone.simple(f"n{n}", "192.0.2.1") for n in range(start, start + 100)))
    answer = zone.page(MaxItems="1000", StartRecordName=zone.base)
    assert len(answer["ResourceRecordSets"]) == 300
    assert answer["IsTruncated"]


def test_a_listing_starts_at_or_after_its_name(zone: Zone) -> None:
    """The name that comes back may be another: check it."""
    zone.create(zone.simple("a", "192.0.2.1"), zone.simple("c", "192.0.2.1"))
    answer = zone.page(StartRecordName=zone.name("b"), StartRecordType="A", MaxItems="1")
    assert [one["Name"] for one in answer["ResourceRecordSets"]] == [f"{zone.name('c')}."]


def test_a_listing_starts_within_a_group(zone: Zone) -> None:
    """StartRecordIdentifier is honoured."""
    zone.create(*(zone.weighted("a", f"lb-{n}", f"192.0.2.{n}") for n in range(3)))
    answer = zone.page(StartRecordName=zone.name("a"), StartRecordType="A", StartRecordIdentifier="lb-1", MaxItems="1")
    assert [one["SetIdentifier"] for one in answer["ResourceRecordSets"]] == ["lb-1"]


def test_a_start_type_needs_a_start_name(zone: Zone) -> None:
    """A type alone is InvalidInput."""
    with pytest.raises(ClientError) as caught:
        zone.page(StartRecordType="A")
    assert caught.value.response["Error"]["Code"] == "InvalidInput"


def test_names_come_back_lower_case_with_a_dot(zone: Zone) -> None:
    """Whatever case they were sent in; a start name is folded as well."""
    zone.create({**zone.simple("a", "192.0.2.1"), "Name": zone.name("MiXeD")})
    answer = zone.page(StartRecordName=zone.name("MIXED"), StartRecordType="A", MaxItems="1")
    assert [one["Name"] for one in answer["ResourceRecordSets"]] == [f"{zone.name('mixed')}."]


@pytest.mark.parametrize(
    ("sent", "shown"),
    [("*", "\\052"), ("\\052", "\\052"), ("a@b", "a\\100b"), ("a\\057b", "a\\057b"), ("_x-1", "_x-1")],
    ids=["wildcard", "escape", "at-sign", "slash", "plain"],
)
def test_names_come_back_escaped(zone: Zone, sent: str, shown: str) -> None:
    """Every character but a-z 0-9 - _ and the dot as three octal digits."""
    zone.create(zone.simple(sent, "192.0.2.1"))
    assert [one["Name"] for one in zone.sets()] == [f"{shown}.{zone.base}."]


def test_one_spelling_is_one_name(zone: Zone) -> None:
    """A set created as `*` is deleted as its escape, in any case."""
    zone.create(zone.simple("*.b", "192.0.2.1"))
    zone.change(("DELETE", zone.simple("\\052.B", "192.0.2.1")))
    assert zone.sets() == []


def test_alias_targets_come_back_canonical(zone: Zone) -> None:
    """Lower case, with the dot."""
    zone.create(zone.simple("t", "192.0.2.1"), zone.alias("a", zone.name("T")))
    (found,) = zone.sets("a")
    assert found["AliasTarget"]["DNSName"] == f"{zone.name('t')}."
    assert "TTL" not in found


@pytest.mark.parametrize("value", ['"a" "b"', '"MiXeD"', '"say \\"x\\""'])
def test_text_comes_back_as_sent(zone: Zone, value: str) -> None:
    """One value may be two strings; case and escapes are kept."""
    zone.create(zone.text("a", value))
    (found,) = zone.sets("a")
    assert found["ResourceRecords"] == [{"Value": value}]


def test_a_zone_made_again_has_another_id(zone: Zone) -> None:
    """So a zone is never chosen by name."""
    if zone.world.name == "aws":
        pytest.skip("no zones are made in a person's account")
    made = zone.route53.create_hosted_zone(Name=zone.zone_name, CallerReference=zone.zone_id + "again")
    again = made["HostedZone"]["Id"].removeprefix("/hostedzone/")
    assert again != zone.zone_id
    zone.route53.delete_hosted_zone(Id=again)
    with pytest.raises(ClientError) as caught:
        zone.route53.get_hosted_zone(Id=again)
    assert caught.value.response["Error"]["Code"] == "NoSuchHostedZone"
