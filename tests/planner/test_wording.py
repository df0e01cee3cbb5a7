"""What is said in words of numbers, of refusals and of changes."""

import pytest

from planner.members import Altered, ContentChange, Member, Reweighted
from planner.wording import change_lines, counted, refusal_words


def test_a_number_has_its_word() -> None:
    """Only one of a thing is one."""
    assert [counted(number, "endpoint") for number in (0, 1, 2)] == ["0 endpoints", "1 endpoint", "2 endpoints"]


@pytest.mark.parametrize(
    ("carried", "left_out", "says"),
    [
        (0, 0, ""),
        (1, 0, "1 of 5 endpoints is refused and keeps generation 7's content"),
        (2, 0, "2 of 5 endpoints are refused and keep generation 7's content"),
        (0, 1, "1 of 5 endpoints is refused and, being new, left out"),
        (
            2,
            3,
            "2 of 5 endpoints are refused and keep generation 7's content; 3 of 5 endpoints are refused and, being new, left out",
        ),
    ],
)
def test_what_becomes_of_refused_endpoints_is_said(carried: int, left_out: int, says: str) -> None:
    """Those that keep what they have, and those that have nothing yet."""
    assert refusal_words(5, carried=carried, left_out=left_out, parent=7) == says


def test_each_target_that_changes_has_a_line() -> None:
    """Added, removed, with another weight, or altered; a weight and an id where there is one, and a weight of 0 too."""
    change = ContentChange(
        added=(Member(type="A", target="192.0.2.1", weight=0, id="lb-1"), Member(type="AAAA", target="2001:db8::1")),
        removed=(Member(type="A", target="192.0.2.2", weight=10), Member(type="A", target="192.0.2.3", id="lb-3")),
        reweighted=(Reweighted(type="A", target="192.0.2.4", before=10, after=20),),
        altered=(Altered(type="A", target="192.0.2.5", what="ttl 60 to 30"),),
    )
    assert list(change_lines(change)) == [
        "+ A 192.0.2.1 weight 0 (lb-1)",
        "+ AAAA 2001:db8::1",
        "- A 192.0.2.2 weight 10",
        "- A 192.0.2.3 (lb-3)",
        "~ A 192.0.2.4 weight 10 to 20",
        "~ A 192.0.2.5 ttl 60 to 30",
    ]
