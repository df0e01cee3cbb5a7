"""How addresses are spelled: one form on every Python version, because a content's digest goes by it."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor.records import RecordSet, canonical_value, content_digest, content_of

MAPPED_FIRST = int(ipaddress.IPv6Address("::ffff:0:0"))
HEX_SPELLING = "::ffff:102:304"
DOTTED_SPELLING = "::ffff:1.2.3.4"


def digest(value: str) -> str:
    return content_digest(content_of([RecordSet(name="api.example.com.", type="AAAA", ttl=60, values=(value,))]))


@pytest.mark.parametrize(
    "spelling",
    [
        HEX_SPELLING,
        DOTTED_SPELLING,
        "::FFFF:1.2.3.4",
        "0:0:0:0:0:ffff:102:304",
        "0000::ffff:0102:0304",
        " ::ffff:1.2.3.4 ",
    ],
)
def test_a_mapped_address_has_one_spelling(spelling: str) -> None:
    """RFC 5952 section 5: an IPv4-mapped address ends in dotted decimals, whatever `str` makes of it."""
    assert canonical_value("AAAA", spelling) == DOTTED_SPELLING
    assert digest(spelling) == digest(DOTTED_SPELLING)


@pytest.mark.parametrize("theirs", [HEX_SPELLING, DOTTED_SPELLING])
def test_the_spelling_does_not_rest_on_the_version_of_python(theirs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.13 changed what `str` makes of a mapped address: both ways of it give one spelling here."""
    plain = ipaddress.IPv6Address.__str__

    def spelled(address: ipaddress.IPv6Address) -> str:
        return theirs if address.ipv4_mapped is not None else plain(address)

    monkeypatch.setattr(ipaddress.IPv6Address, "__str__", spelled)
    assert canonical_value("AAAA", HEX_SPELLING) == DOTTED_SPELLING


@pytest.mark.parametrize(
    ("given_as", "canonical"),
    [
        ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"),
        ("2001:db8::0:1", "2001:db8::1"),
        ("::1.2.3.4", "::102:304"),
        ("64:ff9b::192.0.2.1", "64:ff9b::c000:201"),
        ("::ffff:0:1.2.3.4", "::ffff:0:102:304"),
    ],
)
def test_other_addresses_are_spelled_in_hex(given_as: str, canonical: str) -> None:
    """Neither 3.11 nor 3.13 writes dots in any but a mapped address, and nor do we."""
    assert canonical_value("AAAA", given_as) == canonical


@pytest.mark.parametrize("value", ["::ffff:1.2.3.4%eth0", "fe80::1%2", "nonsense", "::ffff:1.2.3"])
def test_what_is_no_address_stays_as_it_is(value: str) -> None:
    """A scope means nothing in DNS: what carries one is no address, and is compared to the letter."""
    assert canonical_value("AAAA", value) == value


@given(st.integers(min_value=0, max_value=2**128 - 1) | st.integers(MAPPED_FIRST, MAPPED_FIRST + 2**32 - 1))
def test_a_spelling_reads_back_and_is_its_own_spelling(number: int) -> None:
    """Whatever the address, the spelling means the same address, and spelling it again changes nothing."""
    spelling = canonical_value("AAAA", ipaddress.IPv6Address(number).exploded)
    assert int(ipaddress.IPv6Address(spelling)) == number
    assert canonical_value("AAAA", spelling) == spelling
