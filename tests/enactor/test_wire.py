"""Record sets and errors as Route 53 says them: there and back without loss, and which message names which record."""

from typing import Any

import pytest

from enactor.records import Alias, RecordSet
from enactor.wire import entries, is_stale, listed_name, named_in, names_target, record_from_wire, record_to_wire

VALUES = {"TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}
ALIAS = {
    "AliasTarget": {
        "HostedZoneId": "Z35SXDOTRQ7X7K",
        "DNSName": "dualstack.lb.example.net.",
        "EvaluateTargetHealth": True,
    }
}
LISTED: dict[str, dict[str, Any]] = {
    "simple": VALUES,
    "several values in their order": {"TTL": 60, "ResourceRecords": [{"Value": "192.0.2.3"}, {"Value": "192.0.2.1"}]},
    "weighted": {"SetIdentifier": "lb-1", "Weight": 10, "HealthCheckId": "check-1", **VALUES},
    "weight 0": {"SetIdentifier": "lb-1", "Weight": 0, **VALUES},
    "multivalue": {"SetIdentifier": "lb-1", "MultiValueAnswer": True, **VALUES},
    "alias": ALIAS,
    "weighted alias": {"SetIdentifier": "lb-1", "Weight": 10, **ALIAS},
    "failover": {"SetIdentifier": "one", "Failover": "PRIMARY", "HealthCheckId": "check-1", **VALUES},
    "latency": {"SetIdentifier": "one", "Region": "eu-west-1", **VALUES},
    "geolocation": {"SetIdentifier": "one", "GeoLocation": {"CountryCode": "US", "SubdivisionCode": "CA"}, **VALUES},
    "geoproximity": {
        "SetIdentifier": "one",
        "GeoProximityLocation": {"AWSRegion": "us-east-1", "Bias": -5},
        **VALUES,
    },
    "IP-based": {"SetIdentifier": "one", "CidrRoutingConfig": {"CollectionId": "c", "LocationName": "*"}, **VALUES},
    "an attribute of next year": {"SetIdentifier": "one", "Moon": {"Phase": ["new", 1]}, **VALUES},
}


@pytest.mark.parametrize("what", LISTED)
def test_a_listed_set_goes_back_with_everything_it_had(what: str) -> None:
    """Whatever we must create again is never created poorer: attributes of other policies and of later years ride along."""
    item = {"Name": "ep1.example.test.", "Type": "A", **LISTED[what]}
    assert record_to_wire(record_from_wire(item)) == item


def test_what_a_plan_cannot_say_is_kept_apart() -> None:
    """`extra` is canonical, so that two listings of one set are one; a set that a plan can say has none."""
    item = {"Name": "ep1.example.test.", "Type": "A", "SetIdentifier": "one", **VALUES}
    one = record_from_wire(item | {"GeoLocation": {"SubdivisionCode": "CA", "CountryCode": "US"}})
    other = record_from_wire(item | {"GeoLocation": {"CountryCode": "US", "SubdivisionCode": "CA"}})
    assert one == other
    assert one.extra == '{"GeoLocation":{"CountryCode":"US","SubdivisionCode":"CA"}}'
    assert record_from_wire(item | {"Weight": 1}).extra == ""


def test_weight_0_is_not_an_absent_weight() -> None:
    """It is listed as 0 and goes back as 0."""
    item = {"Name": "ep1.example.test.", "Type": "A", "SetIdentifier": "lb-1", **VALUES}
    assert record_from_wire(item | {"Weight": 0}).weight == 0
    assert "Weight" not in record_to_wire(record_from_wire(item))


def test_case_43_a_wildcard_is_listed_and_sent_escaped_and_held_plain() -> None:
    """Case 43: inside, a wildcard is `*`; Route 53 gives and gets it as an octal escape."""
    record = record_from_wire({"Name": "\\052.example.test.", "Type": "A", **VALUES})
    assert record.name == "*.example.test."
    assert record_to_wire(record)["Name"] == "\\052.example.test."
    assert record_from_wire({"Name": "A.\\052.Example.test", "Type": "A", **VALUES}).name == "a.\\052.example.test."


def test_values_and_alias_targets_are_kept_to_the_letter() -> None:
    """A DELETE must give them as they stand, so nothing is folded on the way."""
    odd = {"TTL": 60, "ResourceRecords": [{"Value": "2001:0DB8::0001"}]}
    assert record_from_wire({"Name": "a.test.", "Type": "AAAA", **odd}).values == ("2001:0DB8::0001",)
    item = {"Name": "a.test.", "Type": "A", "AliasTarget": {**ALIAS["AliasTarget"], "DNSName": "LB.Example.net."}}
    assert record_from_wire(item).alias == Alias("LB.Example.net.", "Z35SXDOTRQ7X7K", evaluate_target_health=True)


def test_an_alias_goes_without_ttl() -> None:
    """Route 53 refuses an alias that has one."""
    record = RecordSet(name="a.test.", type="A", ttl=60, alias=Alias("b.test.", "Z1", evaluate_target_health=False))
    assert set(record_to_wire(record)) == {"Name", "Type", "AliasTarget"}


def test_a_name_that_nobody_could_ask_for_stays_as_it_is() -> None:
    """A zone may hold odd names that are not ours; reading it does not fail."""
    assert listed_name("Ü.Example.test.") == "ü.example.test."
    assert listed_name("a..b.") == "a..b."


SET = "resource record set [name='ep1.example.test.', type='A'"
EXISTS = f"Tried to create {SET}] but it already exists"
WEIGHTED_EXISTS = f"Tried to create {SET}, set identifier='lb-1'] but it already exists"
ABSENT = f"Tried to delete {SET}] but it was not found"
DIFFERS = f"Tried to delete {SET}] but the values provided do not match the current values"
NO_TARGET = "Tried to create an alias that targets ep1.example.test., type A in zone Z1, but that target was not found"
OUTSIDE = (
    "Tried to create an alias that targets ep1.example.test., type A in zone Z1, "
    "but the alias target name does not lie within the target zone"
)
OTHERS = (
    "RRSet with DNS name ep1.example.test., type A cannot be created as other RRSets exist with the same name and type."
)
MIXED_TTL = (
    "RRSet with DNS name ep1.example.test., type A, SetIdentifier a cannot be created as weighted sets must contain "
    "the same TTL."
)
CNAME = (
    "RRSet of type CNAME with DNS name ep1.example.test. is not permitted as it conflicts with other records with the "
    "same DNS name in zone example.test."
)
TWICE = "The request contains an invalid set of changes for a resource record set 'A ep1.example.test.'"
DUPLICATE = "Duplicate Resource Record: '192.0.2.1'"
ILLEGAL = (
    "Invalid Resource Record: FATAL problem: ARRDATAIllegalIPv4Address (Value is not a valid IPv4 address) "
    "encountered with '192.0.2.256'"
)
NAMING = (EXISTS, WEIGHTED_EXISTS, ABSENT, DIFFERS, OTHERS, MIXED_TTL, CNAME, TWICE)
STALE = (EXISTS, WEIGHTED_EXISTS, ABSENT, DIFFERS)
ALL = (*NAMING, NO_TARGET, OUTSIDE, DUPLICATE, ILLEGAL)


@pytest.mark.parametrize("message", NAMING)
def test_a_message_names_its_record(message: str) -> None:
    """In every form in which Route 53 names one."""
    assert named_in([message]) == (("ep1.example.test.", message),)


@pytest.mark.parametrize("message", [NO_TARGET, OUTSIDE])
def test_a_message_about_an_alias_names_the_target(message: str) -> None:
    """Of an alias that cannot be created Route 53 tells only where it points: whoever points there is at fault."""
    assert named_in([message]) == (("ep1.example.test.", message),)


def test_a_message_that_names_nobody_is_left_out() -> None:
    """Case 23: then the endpoint is found by bisection."""
    assert named_in([DUPLICATE, ILLEGAL]) == ()


def test_a_named_record_is_given_in_canonical_form() -> None:
    """So that it is found among the endpoints and fences of the batch."""
    message = "Tried to create resource record set [name='\\052.Example.test.', type='A'] but it already exists"
    assert named_in([message]) == (("*.example.test.", message),)
    fence = "Tried to delete resource record set [name='ep1._fence.example.test.', type='TXT'] but it was not found"
    assert named_in([fence]) == (("ep1._fence.example.test.", fence),)


def test_a_bracketed_list_is_cut_into_its_messages() -> None:
    """Several entries are possible, and commas stand inside them too."""
    assert entries(f"[{', '.join(ALL)}]") == ALL
    assert entries(f" [{EXISTS}] ") == (EXISTS,)
    assert entries("Rate exceeded") == ("Rate exceeded",)
    assert entries("[]") == entries("") == ()


@pytest.mark.parametrize("message", ALL)
def test_only_what_no_longer_stands_is_stale(message: str) -> None:
    """A stale decision is decided again; what Route 53 will not have in any case is not."""
    assert is_stale(message) == (message in STALE)


def test_a_message_with_one_bracket_is_read_as_it_stands() -> None:
    """Only a whole bracketed list is one."""
    assert entries("[Tried to do it") == ("[Tried to do it",)
    assert entries("Tried to do it]") == ("Tried to do it]",)


def test_a_message_about_an_alias_names_the_target_that_is_not_there() -> None:
    """So whoever points to it is meant, and not an endpoint of that name."""
    message = "Tried to create an alias that targets a.example.test., type A in zone Z1, but the alias target name does not exist"
    assert names_target(message)
    assert not names_target(
        "Tried to create resource record set [name='a.example.test.', type='A'] but it already exists"
    )
