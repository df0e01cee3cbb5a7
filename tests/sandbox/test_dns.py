"""What the sandbox answers to real DNS questions over UDP and TCP."""

import random
import socket
from collections import Counter
from typing import Any

import dns.flags
import dns.message
import dns.query
import dns.rcode
import dns.rdatatype
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from enactor.sandbox.dns import DnsServer
from enactor.sandbox.server import Sandbox
from enactor.sandbox.zone_model import Zone, apply

ZONE_ID = "Z0TEST"
FOREIGN = "Z0FOREIGN"


def fill(sandbox: Sandbox, *sets: dict[str, Any]) -> None:
    sandbox.edit(ZONE_ID, [{"Action": "CREATE", "ResourceRecordSet": one} for one in sets])


def simple(label: str, *values: str, type: str = "A", ttl: int = 60) -> dict[str, Any]:  # noqa: A002
    records = [{"Value": value} for value in values]
    return {"Name": f"{label}.example.test", "Type": type, "TTL": ttl, "ResourceRecords": records}


def weighted(label: str, identifier: str, value: str, weight: int) -> dict[str, Any]:
    return simple(label, value) | {"SetIdentifier": identifier, "Weight": weight}


def alias(label: str, target: str, zone: str = ZONE_ID, type: str = "A") -> dict[str, Any]:  # noqa: A002
    behind = {"HostedZoneId": zone, "DNSName": target, "EvaluateTargetHealth": False}
    return {"Name": f"{label}.example.test", "Type": type, "AliasTarget": behind}


def ask(sandbox: Sandbox, label: str, type: str = "A", tcp: bool = False) -> dns.message.Message:  # noqa: A002
    host, port = sandbox.dns_address
    query = dns.message.make_query(f"{label}.example.test." if label else "example.test.", type)
    send = dns.query.tcp if tcp else dns.query.udp
    return send(query, host, timeout=5, port=port)


def values(message: dns.message.Message) -> list[str]:
    return sorted(rdata.to_text() for rrset in message.answer for rdata in rrset)


def test_addresses_are_answered_over_udp_and_tcp(sandbox: Sandbox) -> None:
    """With their TTL, and with authority."""
    fill(sandbox, simple("a", "192.0.2.1", "192.0.2.2"), simple("a", "2001:db8::1", type="AAAA"))
    for tcp in (False, True):
        answer = ask(sandbox, "a", tcp=tcp)
        assert values(answer) == ["192.0.2.1", "192.0.2.2"]
        assert answer.answer[0].ttl == 60
        assert answer.flags & dns.flags.AA
        assert values(ask(sandbox, "a", "AAAA", tcp=tcp)) == ["2001:db8::1"]


def test_text_comes_by_octets(sandbox: Sandbox) -> None:
    """Route 53's octal escapes are not DNS's decimal ones."""
    fill(sandbox, simple("a", '"one" "two\\101\\""', type="TXT"))
    (rdata,) = ask(sandbox, "a", "TXT").answer[0]
    assert rdata.strings == (b"one", b'twoA"')


def test_apex_servers_are_answered(sandbox: Sandbox) -> None:
    """NS and SOA."""
    assert len(values(ask(sandbox, "", "NS"))) == 4
    assert len(values(ask(sandbox, "", "SOA"))) == 1


def test_a_cname_is_followed_within_the_sandbox(sandbox: Sandbox) -> None:
    """And answered alone where it leads away."""
    fill(sandbox, simple("t", "192.0.2.1"), simple("a", "T.example.test", type="CNAME"))
    fill(sandbox, simple("b", "elsewhere.invalid.", type="CNAME"))
    assert values(ask(sandbox, "a")) == ["192.0.2.1", "t.example.test."]
    assert values(ask(sandbox, "b")) == ["elsewhere.invalid."]


def test_an_alias_answers_with_its_own_name(sandbox: Sandbox) -> None:
    """Over several steps, with the target's TTL."""
    fill(sandbox, simple("t", "192.0.2.1", ttl=17), alias("m", "t.example.test"), alias("a", "m.example.test"))
    answer = ask(sandbox, "a")
    assert values(answer) == ["192.0.2.1"]
    assert (str(answer.answer[0].name), answer.answer[0].ttl) == ("a.example.test.", 17)


def test_a_dangling_alias_answers_nothing(sandbox: Sandbox) -> None:
    """NOERROR, zero answers, the SOA in authority: the morning of 19 October 2025."""
    target = simple("t", "192.0.2.1")
    fill(sandbox, target, alias("a", "t.example.test"))
    sandbox.edit(ZONE_ID, [{"Action": "DELETE", "ResourceRecordSet": target}])
    answer = ask(sandbox, "a")
    assert answer.rcode() == dns.rcode.NOERROR
    assert answer.answer == []
    assert [rrset.rdtype for rrset in answer.authority] == [dns.rdatatype.SOA]


def test_an_alias_to_elsewhere_answers_from_the_table(sandbox: Sandbox) -> None:
    """And nothing where the table has nothing."""
    fill(sandbox, alias("a", "LB.example.net", FOREIGN), alias("a", "lb.example.net", FOREIGN, "AAAA"))
    assert values(ask(sandbox, "a")) == []
    sandbox.answer_alias("lb.example.net", ["198.51.100.1", "2001:db8::9"])
    assert values(ask(sandbox, "a")) == ["198.51.100.1"]
    assert values(ask(sandbox, "a", "AAAA")) == ["2001:db8::9"]


def test_weights_are_honoured(sandbox: Sandbox) -> None:
    """One set an answer, in proportion; weight 0 gets nothing."""
    fill(
        sandbox,
        weighted("a", "x", "192.0.2.1", 1),
        weighted("a", "y", "192.0.2.2", 3),
        weighted("a", "z", "192.0.2.3", 0),
    )
    seen = Counter(tuple(values(ask(sandbox, "a"))) for _ in range(400))
    assert set(seen) == {("192.0.2.1",), ("192.0.2.2",)}
    assert 60 < seen["192.0.2.1",] < 140


def test_weights_that_are_all_zero_are_equal(sandbox: Sandbox) -> None:
    """Then every set gets its turn."""
    fill(sandbox, weighted("a", "x", "192.0.2.1", 0), weighted("a", "y", "192.0.2.2", 0))
    assert {tuple(values(ask(sandbox, "a"))) for _ in range(50)} == {("192.0.2.1",), ("192.0.2.2",)}


def test_multivalue_answers_up_to_eight(sandbox: Sandbox) -> None:
    """Different ones each time."""
    fill(
        sandbox,
        *(simple("a", f"192.0.2.{n}") | {"SetIdentifier": f"lb-{n}", "MultiValueAnswer": True} for n in range(12)),
    )
    answers = [values(ask(sandbox, "a")) for _ in range(20)]
    assert {len(answer) for answer in answers} == {8}
    assert len({tuple(answer) for answer in answers}) > 1


def test_a_wildcard_answers_what_does_not_exist(sandbox: Sandbox) -> None:
    """But not for a name that exists, not for one below it, nor for another type's sake."""
    fill(sandbox, simple("*.w", "192.0.2.1"), simple("x.w", '"text"', type="TXT"))
    assert values(ask(sandbox, "any.w")) == ["192.0.2.1"]
    assert values(ask(sandbox, "deep.down.w")) == ["192.0.2.1"]
    assert values(ask(sandbox, "x.w")) == []
    assert ask(sandbox, "below.x.w").rcode() == dns.rcode.NXDOMAIN


def test_no_such_name_is_not_no_such_data(sandbox: Sandbox) -> None:
    """An empty non-terminal exists."""
    fill(sandbox, simple("b.a", "192.0.2.1"))
    assert ask(sandbox, "nothing").rcode() == dns.rcode.NXDOMAIN
    for label, record_type in (("a", "A"), ("b.a", "AAAA")):
        answer = ask(sandbox, label, record_type)
        assert answer.rcode() == dns.rcode.NOERROR
        assert answer.answer == []
        assert answer.authority[0].ttl == 900


def test_names_below_a_delegation_are_occluded(sandbox: Sandbox) -> None:
    """A referral, not an answer."""
    fill(sandbox, simple("d", "ns.elsewhere.invalid.", type="NS"), simple("a.d", "192.0.2.1"))
    answer = ask(sandbox, "a.d")
    assert answer.answer == []
    assert [rrset.rdtype for rrset in answer.authority] == [dns.rdatatype.NS]


def test_other_zones_are_refused(sandbox: Sandbox) -> None:
    """As an authoritative server does."""
    host, port = sandbox.dns_address
    answer = dns.query.udp(dns.message.make_query("elsewhere.invalid.", "A"), host, timeout=5, port=port)
    assert answer.rcode() == dns.rcode.REFUSED


def test_a_large_answer_is_truncated_over_udp(sandbox: Sandbox) -> None:
    """TC sends the client to TCP; EDNS lets more through."""
    fill(sandbox, simple("a", *(f"192.0.2.{n}" for n in range(60))))
    assert ask(sandbox, "a").flags & dns.flags.TC
    assert len(values(ask(sandbox, "a", tcp=True))) == 60
    host, port = sandbox.dns_address
    query = dns.message.make_query("a.example.test.", "A", use_edns=0, payload=4096)
    answer = dns.query.udp(query, host, timeout=5, port=port)
    assert not answer.flags & dns.flags.TC
    assert answer.edns == 0


def test_rubbish_is_ignored(sandbox: Sandbox) -> None:
    """And the next question is answered."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        for packet in (b"", b"x", b"\0" * 11, b"\xff" * 40, b"\0" * 4000):
            udp.sendto(packet, sandbox.dns_address)
    with socket.create_connection(sandbox.dns_address) as tcp:
        tcp.sendall(b"\0\5hello")
    assert ask(sandbox, "", "SOA").rcode() == dns.rcode.NOERROR


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=80))
def test_no_packet_ends_a_thread(packet: bytes) -> None:
    """Whatever arrives, it is answered or dropped."""
    FUZZED.answer(packet, over_udp=True)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 60), st.binary(min_size=1, max_size=6))
def test_no_damaged_question_ends_a_thread(at: int, damage: bytes) -> None:
    """Nor does a real question with octets overwritten: opcode, counts, label lengths, type."""
    whole = dns.message.make_query("a.example.test.", "A", use_edns=0).to_wire()
    FUZZED.answer(whole[:at] + damage + whole[at + len(damage) :], over_udp=False)


@pytest.fixture(scope="module", autouse=True)
def _close_fuzzed() -> Any:
    yield
    FUZZED._udp.server_close()
    FUZZED._tcp.server_close()


def _a_zone() -> Zone:
    zone = apply(
        Zone.empty(ZONE_ID, "example.test"),
        [{"Action": "CREATE", "ResourceRecordSet": simple("a", "192.0.2.1")}],
    )
    assert isinstance(zone, Zone)
    return zone


FUZZED = DnsServer(lambda: (_a_zone(),), source=random.Random(1))
