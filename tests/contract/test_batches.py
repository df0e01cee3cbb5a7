"""What a change batch of Route 53 does, and what it refuses: one rule a test."""

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeAlias

import pytest
from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from tests.contract.conftest import ContractZone

Zone: TypeAlias = "ContractZone"


def test_a_batch_is_whole_or_not_at_all(zone: Zone) -> None:
    """When the second change is wrong, the first does not stay."""
    outside = {**zone.simple("b", "192.0.2.1"), "Name": "elsewhere.invalid"}
    zone.refused(("CREATE", zone.simple("a", "192.0.2.1")), ("CREATE", outside))
    assert zone.sets() == []


def test_changes_are_evaluated_in_order(zone: Zone) -> None:
    """A CNAME may take the place of an A that the same batch deletes first."""
    zone.create(zone.simple("a", "192.0.2.1"))
    zone.change(
        ("DELETE", zone.simple("a", "192.0.2.1")),
        ("CREATE", zone.simple("a", "elsewhere.test.", type="CNAME")),
    )
    assert [found["Type"] for found in zone.sets("a")] == ["CNAME"]


def test_the_order_of_a_batch_decides(zone: Zone) -> None:
    """The same two changes the other way round are refused: each CREATE is judged as it comes."""
    zone.create(zone.simple("a", "192.0.2.1"))
    message = zone.refused(
        ("CREATE", zone.simple("a", "elsewhere.test.", type="CNAME")),
        ("DELETE", zone.simple("a", "192.0.2.1")),
    )
    assert "conflicts with other records with the same DNS name" in message


def test_create_of_an_existing_set_fails(zone: Zone) -> None:
    """CREATE never overwrites, not even with the same value."""
    zone.create(zone.simple("a", "192.0.2.1"))
    message = zone.refused(("CREATE", zone.simple("a", "192.0.2.1")))
    assert message == (
        f"[Tried to create resource record set [name='{zone.name('a')}.', type='A'] but it already exists]"
    )


def test_create_of_an_existing_set_with_another_value_fails(zone: Zone) -> None:
    """A name and type has one simple set, whatever its values."""
    zone.create(zone.simple("a", "192.0.2.1"))
    assert "but it already exists" in zone.refused(("CREATE", zone.simple("a", "192.0.2.2")))


def test_create_of_an_existing_identifier_fails(zone: Zone) -> None:
    """The message names the set identifier."""
    zone.create(zone.weighted("a", "lb-1", "192.0.2.1"))
    message = zone.refused(("CREATE", zone.weighted("a", "lb-1", "192.0.2.2")))
    name = zone.name("a")
    assert f"[name='{name}.', type='A', set identifier='lb-1'] but it already exists" in message


def test_delete_of_an_absent_set_fails(zone: Zone) -> None:
    """DELETE is no clean-up: what it names must be there."""
    message = zone.refused(("DELETE", zone.simple("a", "192.0.2.1")))
    assert message == (
        f"[Tried to delete resource record set [name='{zone.name('a')}.', type='A'] but it was not found]"
    )


@pytest.mark.parametrize("wrong", ["value", "fewer", "more", "ttl"])
def test_delete_must_give_a_simple_set_exactly(zone: Zone, wrong: str) -> None:
    """Every value and the TTL, as they now stand."""
    zone.create(zone.simple("a", "192.0.2.1", "192.0.2.2"))
    given = {
        "value": zone.simple("a", "192.0.2.1", "192.0.2.3"),
        "fewer": zone.simple("a", "192.0.2.1"),
        "more": zone.simple("a", "192.0.2.1", "192.0.2.2", "192.0.2.3"),
        "ttl": zone.simple("a", "192.0.2.1", "192.0.2.2", ttl=61),
    }[wrong]
    assert "but the values provided do not match the current values" in zone.refused(("DELETE", given))


def test_delete_must_give_the_weight(zone: Zone) -> None:
    """A weighted set is another set when its weight is another."""
    zone.create(zone.weighted("a", "lb-1", "192.0.2.1", weight=10))
    message = zone.refused(("DELETE", zone.weighted("a", "lb-1", "192.0.2.1", weight=11)))
    assert "but the values provided do not match the current values" in message


def test_delete_must_give_the_alias_target(zone: Zone) -> None:
    """An alias is its target and whether the target's health counts."""
    zone.create(zone.simple("t1", "192.0.2.1"), zone.simple("t2", "192.0.2.2"))
    zone.create(zone.alias("a", zone.name("t1")))
    message = zone.refused(("DELETE", zone.alias("a", zone.name("t2"))))
    assert "but the values provided do not match the current values" in message


def test_delete_takes_values_in_any_order(zone: Zone) -> None:
    """Values are a set."""
    zone.create(zone.simple("a", "192.0.2.1", "192.0.2.2", "192.0.2.3"))
    zone.change(("DELETE", zone.simple("a", "192.0.2.3", "192.0.2.1", "192.0.2.2")))
    assert zone.sets() == []


def test_delete_of_a_value_that_was_there_once_fails(zone: Zone) -> None:
    """Only what stands now counts, not what stood."""
    zone.create(zone.text("a", '"one"'))
    zone.change(("DELETE", zone.text("a", '"one"')), ("CREATE", zone.text("a", '"two"')))
    message = zone.refused(("DELETE", zone.text("a", '"one"')))
    assert "but the values provided do not match the current values" in message


def test_a_stale_compare_and_swap_fails_whole(zone: Zone) -> None:
    """The fence: two writers from one base, and the second loses, with everything else in its batch."""
    zone.create(zone.text("fence", '"one"'), zone.simple("a", "192.0.2.1"))
    zone.change(("DELETE", zone.text("fence", '"one"')), ("CREATE", zone.text("fence", '"two"')))
    zone.refused(
        ("DELETE", zone.text("fence", '"one"')),
        ("CREATE", zone.text("fence", '"three"')),
        ("DELETE", zone.simple("a", "192.0.2.1")),
    )
    assert [found["ResourceRecords"] for found in zone.sets("fence")] == [[{"Value": '"two"'}]]


def test_of_many_swaps_from_one_base_one_wins(zone: Zone) -> None:
    """Batches for one zone are serialised: eight at once, one applied, seven refused."""
    zone.create(zone.text("fence", '"base"'))

    def swap(number: int) -> str:
        try:
            zone.change(("DELETE", zone.text("fence", '"base"')), ("CREATE", zone.text("fence", f'"w{number}"')))
        except ClientError as error:
            return str(error.response["Error"]["Code"])
        return "applied"

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(swap, range(8))) == ["InvalidChangeBatch"] * 7 + ["applied"]


def test_upsert_overwrites_blindly(zone: Zone) -> None:
    """UPSERT asks nothing: that is why no enactor may use it."""
    zone.change(("UPSERT", zone.simple("a", "192.0.2.1")))
    zone.change(("UPSERT", zone.simple("a", "192.0.2.9", ttl=5)))
    (found,) = zone.sets("a")
    assert (found["TTL"], found["ResourceRecords"]) == (5, [{"Value": "192.0.2.9"}])


@pytest.mark.parametrize("kind", ["text", "simple", "weighted", "multivalue", "alias"])
def test_delete_then_create_of_the_same_set_is_an_assertion(zone: Zone, kind: str) -> None:
    """DELETE and an identical CREATE change nothing, and may be repeated."""
    zone.create(zone.simple("t", "192.0.2.1"))
    given = {
        "text": zone.text("a", '"v=1 x"'),
        "simple": zone.simple("a", "192.0.2.1", "192.0.2.2"),
        "weighted": zone.weighted("a", "lb-1", "192.0.2.1"),
        "multivalue": zone.multivalue("a", "lb-1", "192.0.2.1"),
        "alias": zone.alias("a", zone.name("t")),
    }[kind]
    zone.create(given)
    before = zone.sets()
    for _ in range(2):
        zone.change(("DELETE", given), ("CREATE", given))
    assert zone.sets() == before


def test_create_before_delete_of_one_set_fails(zone: Zone) -> None:
    """The other way round it is no replacement but an invalid set of changes."""
    zone.create(zone.simple("a", "192.0.2.1"))
    message = zone.refused(("CREATE", zone.simple("a", "192.0.2.2")), ("DELETE", zone.simple("a", "192.0.2.1")))
    name = zone.name("a")
    assert f"The request contains an invalid set of changes for a resource record set 'A {name}.'" in message


def test_a_batch_may_not_name_one_set_twice(zone: Zone) -> None:
    """Two CREATEs of one set are an invalid set of changes."""
    message = zone.refused(("CREATE", zone.simple("a", "192.0.2.1")), ("CREATE", zone.simple("a", "192.0.2.2")))
    assert "The request contains an invalid set of changes for a resource record set" in message


def test_delete_with_an_identifier_takes_that_set_alone(zone: Zone) -> None:
    """Another name's set with the same identifier stays."""
    zone.create(zone.weighted("a", "lb-1", "192.0.2.1"), zone.weighted("b", "lb-1", "192.0.2.1"))
    zone.change(("DELETE", zone.weighted("a", "lb-1", "192.0.2.1")))
    assert [found["Name"] for found in zone.sets()] == [f"{zone.name('b')}."]


def test_delete_without_an_identifier_leaves_weighted_sets_alone(zone: Zone) -> None:
    """There is no simple set to delete beside weighted ones."""
    zone.create(zone.weighted("a", "lb-1", "192.0.2.1"), zone.weighted("a", "lb-2", "192.0.2.2"))
    assert "but it was not found" in zone.refused(("DELETE", zone.simple("a", "192.0.2.1")))


def test_multivalue_left_out_of_a_delete_is_forgiven(zone: Zone) -> None:
    """So no comparison may rest on an omitted field."""
    given = zone.multivalue("a", "lb-1", "192.0.2.1")
    zone.create(given)
    zone.change(("DELETE", {key: value for key, value in given.items() if key != "MultiValueAnswer"}))
    assert zone.sets() == []


def test_every_independent_error_is_told(zone: Zone) -> None:
    """The message is a bracketed list with an entry for each."""
    zone.create(zone.simple("b", "192.0.2.1"))
    message = zone.refused(
        ("DELETE", zone.simple("a", "192.0.2.1")),
        ("CREATE", zone.simple("b", "192.0.2.2")),
    )
    assert message.startswith("[")
    assert message.endswith("]")
    assert f"name='{zone.name('a')}.', type='A'] but it was not found" in message
    assert f"name='{zone.name('b')}.', type='A'] but it already exists" in message


def test_an_unknown_zone_is_named(zone: Zone) -> None:
    """NoSuchHostedZone, status 404."""
    with pytest.raises(ClientError) as caught:
        zone.route53.list_resource_record_sets(HostedZoneId="Z0NOSUCHZONE")
    assert caught.value.response["Error"]["Code"] == "NoSuchHostedZone"
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 404


def test_a_comment_has_at_most_256_characters(zone: Zone) -> None:
    """One more is refused."""
    zone.change(("CREATE", zone.simple("a", "192.0.2.1")), comment="x" * 256)
    with pytest.raises(ClientError) as caught:
        zone.change(("CREATE", zone.simple("b", "192.0.2.1")), comment="x" * 257)
    assert caught.value.response["Error"]["Code"] == "InvalidInput"


def test_a_change_starts_pending(zone: Zone) -> None:
    """PENDING first, INSYNC once every server has it; GetChange knows it by its id."""
    info = zone.change(("CREATE", zone.simple("a", "192.0.2.1")))["ChangeInfo"]
    assert info["Status"] == "PENDING"
    assert zone.route53.get_change(Id=info["Id"])["ChangeInfo"]["Status"] in ("PENDING", "INSYNC")
