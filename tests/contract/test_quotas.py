"""What an account and a zone hold at most, and how Route 53 says so.

Where only the strict engine is asked, real AWS would have to be flooded or filled for it, and stock moto has no such limit.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from botocore.exceptions import ClientError

from enactor.sandbox.engine import Settings
from enactor.sandbox.faults import FaultRule
from enactor.sandbox.zone_model import ZONE_MAX_SETS

if TYPE_CHECKING:
    from tests.contract.conftest import Account, ContractZone

Zone: TypeAlias = "ContractZone"
Own: TypeAlias = "Account"

REQUESTS, REQUESTS_PER_SECOND = 50, 10
CHANGES, CHANGES_PER_SECOND = 1_500, 100
BUSY = "The request was rejected because Route 53 was still processing a prior request."


def error_of(call: Any) -> dict[str, Any]:
    """Return the whole answer of a call that must fail."""
    with pytest.raises(ClientError) as caught:
        call()
    answer: dict[str, Any] = dict(caught.value.response)
    return answer


def numbered(zone: Zone, first: int, count: int, action: str = "CREATE") -> list[tuple[str, dict[str, Any]]]:
    """`count` changes of one element each."""
    return [(action, zone.simple(f"n{number}", "192.0.2.1")) for number in range(first, first + count)]


def test_a_set_has_at_most_400_values(zone: Zone) -> None:
    """400 pass, one more does not; the enactor stays at a hundred, which an older quota allows too."""
    values = [f"198.18.{number // 250}.{number % 250}" for number in range(401)]
    assert "400" in zone.refused(("CREATE", zone.simple("a", *values)))
    zone.create(zone.simple("a", *values[:400]))
    assert len(zone.sets("a")[0]["ResourceRecords"]) == 400


def test_a_value_has_at_most_4000_characters(zone: Zone) -> None:
    """Quotation marks and the spaces between strings count."""
    longest = " ".join([f'"{"x" * 200}"'] * 19 + [f'"{"y" * 141}"'])
    assert len(longest) == 4_000
    zone.refused(("CREATE", zone.text("a", longest.replace("y", "yy", 1))))
    zone.create(zone.text("a", longest))
    assert zone.sets("a")[0]["ResourceRecords"] == [{"Value": longest}]


def test_a_change_is_insync_only_when_every_server_has_it(account: Own) -> None:
    """GetChange says PENDING until then and INSYNC ever after, while the listing shows the change from the first moment."""
    zone = account.zone
    account.sandbox.configure(insync_seconds=60)
    info = zone.change(("CREATE", zone.simple("a", "192.0.2.1")))["ChangeInfo"]
    seen = [info["Status"]]
    for seconds in (0, 59, 1, 3_600):
        account.clock.seconds += seconds
        seen.append(zone.route53.get_change(Id=info["Id"])["ChangeInfo"]["Status"])
        assert len(zone.sets("a")) == 1
    assert seen == ["PENDING", "PENDING", "PENDING", "INSYNC", "INSYNC"]


def test_a_zone_has_at_most_so_many_sets(account: Own) -> None:
    """10,000 by default, NS and SOA among them; a full zone takes a replacement, and no other set more."""
    zone = account.zone
    assert Settings().zone_max_sets == ZONE_MAX_SETS == 10_000
    account.sandbox.configure(zone_max_sets=5)
    zone.change(*numbered(zone, 0, 3))
    assert "limit of 5 exceeded" in zone.refused(*numbered(zone, 3, 1))
    zone.change(*numbered(zone, 0, 1, "DELETE"), *numbered(zone, 3, 1))
    assert len(zone.sets()) == 3


def test_requests_have_a_bucket(account: Own) -> None:
    """50 requests of whatever kind at once, then ten a second; a refused one takes none."""
    zone = account.zone
    account.sandbox.configure(requests_capacity=REQUESTS)
    zone.change(*numbered(zone, 0, 1))
    for _ in range(REQUESTS - 1):
        zone.page(MaxItems="1")
    for _ in range(3):
        assert error_of(zone.page)["Error"]["Code"] == "Throttling"
    account.clock.seconds += 1
    for _ in range(REQUESTS_PER_SECOND):
        zone.page(MaxItems="1")
    assert error_of(zone.page)["Error"]["Code"] == "Throttling"


def test_changes_have_a_bucket_of_their_own(account: Own) -> None:
    """1,500 changes at once, an UPSERT counting twice, then a hundred a second; a refused batch takes none; reads go on."""
    zone = account.zone
    account.sandbox.configure(changes_capacity=CHANGES)
    zone.refused(*numbered(zone, 0, 400), ("DELETE", zone.simple("none", "192.0.2.1")))
    zone.change(*numbered(zone, 0, 500, "UPSERT"))
    zone.change(*numbered(zone, 500, 500))
    account.clock.seconds += 1
    too_many = numbered(zone, 1_000, CHANGES_PER_SECOND + 1)
    before = len(zone.sets())
    for _ in range(3):
        assert error_of(lambda: zone.change(*too_many))["Error"]["Code"] == "Throttling"
    assert len(zone.sets()) == before == 1_000
    zone.change(*too_many[:-1])


def test_throttling_has_this_form(account: Own) -> None:
    """Status 400, the client's fault by its type, and no word of which bucket or how long to wait."""
    zone = account.zone
    account.sandbox.configure(requests_capacity=1, requests_refill_per_second=0)
    zone.page()
    for call in (zone.page, lambda: zone.change(*numbered(zone, 0, 1))):
        answer = error_of(call)
        assert answer["Error"] == {"Type": "Sender", "Code": "Throttling", "Message": "Rate exceeded"}
        assert answer["ResponseMetadata"]["HTTPStatusCode"] == 400
        assert answer["ResponseMetadata"]["RequestId"]


def test_a_busy_zone_has_this_form(account: Own) -> None:
    """PriorRequestNotComplete, status 400: nothing of the batch was applied, and the same batch passes later."""
    zone = account.zone
    account.sandbox.add_fault(FaultRule(action="busy", operation="ChangeResourceRecordSets", zone=zone.zone_id))
    answer = error_of(lambda: zone.change(*numbered(zone, 0, 1)))
    assert answer["Error"] == {"Type": "Sender", "Code": "PriorRequestNotComplete", "Message": BUSY}
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert zone.sets() == []
    zone.change(*numbered(zone, 0, 1))


def test_a_zone_says_how_many_sets_it_holds_and_may_hold(account: Own) -> None:
    """GetHostedZoneLimit, which `enactor doctor` asks; a raised quota shows there."""
    zone = account.zone
    zone.create(zone.simple("a", "192.0.2.1"))
    answer = zone.route53.get_hosted_zone_limit(Type="MAX_RRSETS_BY_ZONE", HostedZoneId=zone.zone_id)
    assert (answer["Limit"], answer["Count"]) == ({"Type": "MAX_RRSETS_BY_ZONE", "Value": ZONE_MAX_SETS}, 3)
    account.sandbox.configure(zone_max_sets=20_000)
    answer = zone.route53.get_hosted_zone_limit(Type="MAX_RRSETS_BY_ZONE", HostedZoneId=zone.zone_id)
    assert answer["Limit"]["Value"] == 20_000
