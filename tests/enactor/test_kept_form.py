"""How a plan is kept outside the plan table, and what is not believed to be one."""

import hashlib

import msgspec
import pytest

from enactor.kept_form import Header, Odd, encoded, parts_of, stored_of
from enactor.plan import Plan, StoredPlan, canonical_json, digest_of

PLAN = Plan(fleet="edge", endpoints=())
BODY = canonical_json(PLAN)
HEADER = Header(
    generation=7,
    digest=digest_of(BODY),
    fleet="edge",
    parent=6,
    created_at="2026-11-01T00:00:00Z",
    planner="planner-1",
    reason="a test",
)
STORED = StoredPlan(
    generation=7,
    digest=digest_of(BODY),
    plan=PLAN,
    parent=6,
    created_at="2026-11-01T00:00:00Z",
    planner="planner-1",
    reason="a test",
    body=BODY,
)


def sealed(rest: bytes) -> bytes:
    """Return bytes with a checksum that is right."""
    return hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


def test_what_is_kept_comes_back_with_every_word_of_its_header() -> None:
    """The body to the letter, although it may have lines of its own."""
    assert parts_of(encoded(STORED, "edge")) == (HEADER, BODY)
    assert stored_of(HEADER, BODY) == STORED
    several = BODY + b"\n\n"
    odd = msgspec.structs.replace(STORED, body=several, digest=digest_of(several))
    assert parts_of(encoded(odd, "edge"))[1] == several


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", r"^its checksum is wrong$"),
        (encoded(STORED, "edge")[1:], r"^its checksum is wrong$"),
        (encoded(STORED, "edge") + b" ", r"^its checksum is wrong$"),
        (encoded(STORED, "edge").replace(b'"generation":7', b'"generation":8'), r"^its checksum is wrong$"),
        (sealed(b"{}\n" + BODY), r"^its header cannot be read: .*generation"),
        (sealed(b"no json\n" + BODY), r"^its header cannot be read: "),
        (
            sealed(msgspec.json.encode(HEADER) + b"\n" + BODY + b" "),
            r"^its plan does not have the digest of its header$",
        ),
    ],
)
def test_what_disagrees_with_itself_is_no_plan(content: bytes, why: str) -> None:
    """Checksum, header and digest must all be right, and the first that is not is told."""
    with pytest.raises(Odd, match=why):
        parts_of(content)


@pytest.mark.parametrize(
    ("header", "body"), [(msgspec.structs.replace(HEADER, fleet="other"), BODY), (HEADER, b'{"format":99}')]
)
def test_another_fleets_plan_and_one_of_another_version_are_told(header: Header, body: bytes) -> None:
    """Such bytes are whole, and of no use here."""
    with pytest.raises(Odd, match=r"^this version cannot read its plan, or it is another fleet's$"):
        stored_of(header, body)
