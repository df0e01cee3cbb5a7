"""What may stand in a zone together: aliases and their targets, sets of one name under one policy, CNAMEs, the apex."""

from typing import TYPE_CHECKING, TypeAlias

import pytest

if TYPE_CHECKING:
    from tests.contract.conftest import ContractZone

Zone: TypeAlias = "ContractZone"


def test_an_alias_needs_its_target(zone: Zone) -> None:
    """A target in the zone must exist when the alias is evaluated."""
    message = zone.refused(("CREATE", zone.alias("a", zone.name("t"))))
    assert f"Tried to create an alias that targets {zone.name('t')}., type A in zone {zone.zone_id}" in message
    assert "but that target was not found" in message


def test_an_alias_may_follow_its_target_in_one_batch(zone: Zone) -> None:
    """Alias targets go before aliases."""
    zone.create(zone.simple("t", "192.0.2.1"), zone.alias("a", zone.name("t")))
    assert len(zone.sets()) == 2


def test_an_alias_before_its_target_in_one_batch_fails(zone: Zone) -> None:
    """The target may not be written later in the same batch."""
    message = zone.refused(("CREATE", zone.alias("a", zone.name("t"))), ("CREATE", zone.simple("t", "192.0.2.1")))
    assert "but that target was not found" in message


def test_an_alias_before_its_target_is_replaced_fails(zone: Zone) -> None:
    """Nor may an existing target be replaced later in the same batch."""
    target = zone.simple("t", "192.0.2.1")
    zone.create(target)
    zone.refused(("CREATE", zone.alias("a", zone.name("t"))), ("DELETE", target), ("CREATE", target))


def test_an_alias_needs_a_target_of_its_own_type(zone: Zone) -> None:
    """An AAAA alias to a name with only an A is refused."""
    zone.create(zone.simple("t", "192.0.2.1"))
    assert "but that target was not found" in zone.refused(("CREATE", zone.alias("a", zone.name("t"), type="AAAA")))


def test_an_alias_into_its_zone_must_lie_in_it(zone: Zone) -> None:
    """A target outside with this zone's id is refused."""
    message = zone.refused(("CREATE", zone.alias("a", "elsewhere.invalid.")))
    assert "but the alias target name does not lie within the target zone" in message


def test_the_target_of_an_alias_may_be_deleted(zone: Zone) -> None:
    """Nothing protects it: that was the outage."""
    zone.create(zone.simple("t", "192.0.2.1"))
    zone.create(zone.alias("a", zone.name("t")))
    zone.change(("DELETE", zone.simple("t", "192.0.2.1")))
    assert [found["Name"] for found in zone.sets()] == [f"{zone.name('a')}."]


def test_an_alias_has_no_ttl(zone: Zone) -> None:
    """An alias with a TTL is wrong in form."""
    zone.create(zone.simple("t", "192.0.2.1"))
    zone.refused(("CREATE", zone.alias("a", zone.name("t"), TTL=60)), code="InvalidInput")


def test_a_simple_set_cannot_join_weighted_ones(zone: Zone) -> None:
    """One name and type has one simple set or sets of one policy."""
    zone.create(zone.weighted("a", "lb-1", "192.0.2.1"))
    message = zone.refused(("CREATE", zone.simple("a", "192.0.2.2")))
    name = zone.name("a")
    assert (
        f"RRSet with DNS name {name}., type A cannot be created as other RRSets exist with the same name and type."
        in message
    )


def test_a_weighted_set_cannot_join_a_simple_one(zone: Zone) -> None:
    """The same from the other side."""
    zone.create(zone.simple("a", "192.0.2.1"))
    message = zone.refused(("CREATE", zone.weighted("a", "lb-1", "192.0.2.2")))
    assert "SetIdentifier lb-1 cannot be created as a non-weighted set exists with the same name and type." in message


def test_a_weighted_set_cannot_join_multivalue_ones(zone: Zone) -> None:
    """Policies do not mix."""
    zone.create(zone.multivalue("a", "lb-1", "192.0.2.1"))
    assert "cannot be created" in zone.refused(("CREATE", zone.weighted("a", "lb-2", "192.0.2.2")))


def test_weighted_sets_share_one_ttl(zone: Zone) -> None:
    """A second TTL is refused."""
    zone.create(zone.weighted("a", "lb-1", "192.0.2.1", ttl=60))
    message = zone.refused(("CREATE", zone.weighted("a", "lb-2", "192.0.2.2", ttl=30)))
    assert "SetIdentifier lb-2 cannot be created as weighted sets must contain the same TTL." in message


def test_all_deletes_of_a_name_go_before_its_creates(zone: Zone) -> None:
    """A TTL changes in one batch only when every old set goes first."""
    old = [zone.weighted("a", f"lb-{n}", f"192.0.2.{n}", ttl=60) for n in (1, 2)]
    new = [zone.weighted("a", f"lb-{n}", f"192.0.2.{n}", ttl=30) for n in (1, 2)]
    zone.create(*old)
    interleaved = [
        (action, record_set)
        for pair in zip(old, new, strict=True)
        for action, record_set in zip(("DELETE", "CREATE"), pair, strict=True)
    ]
    assert "must contain the same TTL" in zone.refused(*interleaved)
    zone.change(*(("DELETE", one) for one in old), *(("CREATE", one) for one in new))
    assert {found["TTL"] for found in zone.sets()} == {30}


def test_a_cname_stands_alone(zone: Zone) -> None:
    """No CNAME beside another type."""
    zone.create(zone.simple("a", "192.0.2.1"))
    message = zone.refused(("CREATE", zone.simple("a", "elsewhere.test.", type="CNAME")))
    assert (
        f"RRSet of type CNAME with DNS name {zone.name('a')}. is not permitted as it conflicts with other records "
        f"with the same DNS name in zone {zone.zone_name}." in message
    )


def test_nothing_stands_beside_a_cname(zone: Zone) -> None:
    """No other type beside a CNAME."""
    zone.create(zone.simple("a", "elsewhere.test.", type="CNAME"))
    assert "conflict" in zone.refused(("CREATE", zone.simple("a", "192.0.2.1")))


def test_no_cname_at_the_apex(zone: Zone) -> None:
    """NS and SOA stand there."""
    apex = {**zone.simple("a", "elsewhere.test.", type="CNAME"), "Name": zone.zone_name}
    zone.refused(("CREATE", apex))


@pytest.mark.parametrize("record_type", ["NS", "SOA"])
def test_the_apex_keeps_its_servers(zone: Zone, record_type: str) -> None:
    """Apex NS and SOA cannot be deleted."""
    sets = zone.page(StartRecordName=zone.zone_name, StartRecordType=record_type, MaxItems="1")
    (found,) = sets["ResourceRecordSets"]
    assert (found["Name"], found["Type"]) == (f"{zone.zone_name}.", record_type)
    zone.refused(("DELETE", found))
