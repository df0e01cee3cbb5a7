"""Decide how a plan looks outside the plan table, on disk and in the mirror, and whether such bytes are a plan. Pure.

They are used only if their own checksum, their header and the plan's digest all agree. The checksum covers the header too,
because a generation that changed by one bit would be a plan from the future.
"""

import hashlib
from typing import Final

import msgspec

from enactor.plan import StoredPlan, digest_of
from enactor.plan_form import read_plan

LIMIT_OCTETS: Final = 80 * 1024 * 1024
"""Above the largest body that the table takes; what is larger is none of ours."""
CHECKSUM_DIGITS: Final = 64


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What the plan table says about a plan beside its body."""

    generation: int
    digest: str
    fleet: str
    parent: int
    created_at: str
    planner: str
    reason: str


class Odd(ValueError):  # noqa: N818 - a reason, not a failure
    """These bytes are no plan, and why."""


def encoded(stored: StoredPlan, fleet: str) -> bytes:
    """Return a plan as bytes: the checksum of all the rest, a line of header, the body to the letter."""
    header = Header(
        generation=stored.generation,
        digest=stored.digest,
        fleet=fleet,
        parent=stored.parent,
        created_at=stored.created_at,
        planner=stored.planner,
        reason=stored.reason,
    )
    rest = msgspec.json.encode(header) + b"\n" + stored.body
    return hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


def parts_of(content: bytes) -> tuple[Header, bytes]:
    """Return the header and the body, all digests verified; raise Odd where anything disagrees."""
    checksum, _, rest = content.partition(b"\n")
    if len(checksum) != CHECKSUM_DIGITS or hashlib.sha256(rest).hexdigest().encode() != checksum:
        raise Odd("its checksum is wrong")
    line, _, body = rest.partition(b"\n")
    try:
        header = msgspec.json.decode(line, type=Header)
    except msgspec.DecodeError as error:
        raise Odd(f"its header cannot be read: {error}") from None
    if digest_of(body) != header.digest:
        raise Odd("its plan does not have the digest of its header")
    return header, body


def stored_of(header: Header, body: bytes) -> StoredPlan:
    """Return the plan; raise Odd where this version cannot read it."""
    plan = read_plan(body).plan
    if plan is None or plan.fleet != header.fleet:
        raise Odd("this version cannot read its plan, or it is another fleet's")
    return StoredPlan(
        generation=header.generation,
        digest=header.digest,
        plan=plan,
        parent=header.parent,
        created_at=header.created_at,
        planner=header.planner,
        reason=header.reason,
        body=body,
    )
