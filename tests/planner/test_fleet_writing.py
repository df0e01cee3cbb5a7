"""How a fleet file is written: what no YAML reader can misread, and what a person wants to keep."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from enactor import yaml_text
from planner.fleet_file import BalancerEntry, DefaultsEntry, EndpointEntry, FleetFile, RetiredEntry, ZoneEntry
from planner.fleet_writing import fleet_text, scalar

WHOLE = FleetFile(
    fleet="edge",
    zones={"main": ZoneEntry("Z0EXAMPLE", "example.com")},
    pools={"blue": (BalancerEntry(id="lb-1", capacity=0.5, addresses=("192.0.2.1", "2001:db8::1")),), "no": ()},
    endpoints=(EndpointEntry(name="*.example.com", zone="main", pools={"blue": 1.0, "no": 0.1}, types=("A",)),),
    defaults=DefaultsEntry(ttl=300, types=("A",)),
    retired=(RetiredEntry("old.example.com", "main"),),
)
WRITTEN = """\
# made of this
#   and that
fleet: edge

zones:
  main: {id: Z0EXAMPLE, name: example.com}

defaults: {ttl: 300, types: [A]}

pools:
  blue:
    - {id: lb-1, capacity: 0.5, addresses: [192.0.2.1, "2001:db8::1"]}
  "no": []

endpoints:
  - {name: "*.example.com", zone: main, pools: {blue: 1, "no": 0.1}, types: [A]}

retired:
  - {name: old.example.com, zone: main}

# left out: that
"""


def test_one_load_balancer_and_one_endpoint_a_line() -> None:
    """Blocks with an empty line between, what a person reads first at the top, comments around."""
    assert fleet_text(WHOLE, head=["made of this", "  and that"], tail=["left out: that"]) == WRITTEN


def test_what_says_nothing_is_left_out() -> None:
    """But what a fleet file must have is there, though it is empty."""
    empty = FleetFile(fleet="edge", zones={}, pools={}, endpoints=())
    assert fleet_text(empty) == "fleet: edge\n\nzones: {}\n\npools: {}\n\nendpoints: []\n"


def test_a_comment_stays_one() -> None:
    """Whatever a zone holds: what would end the line is shown as an escape."""
    text = fleet_text(WHOLE, tail=["a\nfleet: other", "b\u2028c", "plain é"])
    assert text.endswith("# a\\nfleet: other\n# b\\u2028c\n# plain é\n")
    assert yaml_text.load(text)["fleet"] == "edge"


PLAIN = ("lb-1", "api.example.com", "192.0.2.1", "111122223333.api.example.com", "111122223333-api", "Z0EXAMPLE")
QUOTED = (
    "1",
    "1.5",
    "1e3",
    "1.e3",
    "0x1f",
    "0o17",
    "1_000",
    "12:30:45",
    "2025-11-30",
    "no",
    "Yes",
    "y",
    "NULL",
    "true",
)
QUOTED_TOO = (
    "",
    "-",
    ".",
    "*.example.com",
    "2001:db8::1",
    "a: b",
    "a #b",
    "~",
    "=",
    "<<",
    ".inf",
    "_x.example.com",
)


@pytest.mark.parametrize("text", PLAIN)
def test_words_names_and_addresses_stand_plain(text: str) -> None:
    """As people write them."""
    assert scalar(text) == text
    assert yaml_text.load(text) == yaml.safe_load(text) == text


@pytest.mark.parametrize("text", [*QUOTED, *QUOTED_TOO])
def test_what_a_reader_may_take_for_something_else_is_quoted(text: str) -> None:
    """A number, a date, a boolean, nothing, or a sign of YAML, by its older or its newer version."""
    assert scalar(text) == f'"{text}"'


def test_escapes_of_names_stay_readable() -> None:
    r"""A name with \057 in it is not written with two backslashes."""
    assert scalar("a\\057b.example.com") == "'a\\057b.example.com'"


@given(
    st.one_of(
        st.from_regex(r"[A-Za-z0-9._:-]{1,12}", fullmatch=True), st.text(st.characters(codec="ascii"), max_size=12)
    )
)
def test_every_text_is_read_back(text: str) -> None:
    """By the product's reader and by YAML 1.1's, as a value and as a key; a fleet file holds nothing but ASCII."""
    line = f"- {{{scalar(text)}: {scalar(text)}}}"
    expected: list[Any] = [{text: text}]
    assert yaml.safe_load(line) == expected
    assert yaml_text.load(line) == expected


@given(st.one_of(st.booleans(), st.integers(-(10**6), 10**6), st.floats(0.001, 10**6, allow_nan=False)))
def test_every_number_and_flag_is_read_back(value: float) -> None:
    """As the number or the flag that it was."""
    assert yaml_text.load(scalar(value)) == value
