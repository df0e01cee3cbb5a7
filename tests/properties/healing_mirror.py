"""The plan mirror as any history may have left it: for `test_healing`. The product's own mirror reads it, over an S3 object in memory."""

from typing import Any, Final, Literal

import msgspec

from enactor.kept_form import encoded
from enactor.mirror import PlanMirror
from enactor.plan import StoredPlan, canonical_json, digest_of
from tests.simulator import mirror_model
from tests.simulator.actors import Line
from tests.simulator.cast import FLEET
from tests.simulator.mirror_reading import MIRROR
from tests.simulator.ops import MirrorOp, Pairs, pairs
from tests.simulator.table_model import Table

MirrorHand = Literal[
    "none", "no object", "sound", "header altered", "body of another", "cut short", "other fleet", "no answer"
]
SOUND: Final[MirrorHand] = "sound"


class Mirrored(msgspec.Struct, frozen=True):
    """Which generation was written there last, and what was done to the object by hand; `none`: no mirror is configured."""

    at: int = 4
    hand: MirrorHand = "none"


def object_of(stored: StoredPlan, other: StoredPlan, hand: MirrorHand) -> Pairs | None:
    """Return what stands in the bucket."""
    if hand in {"none", "no object"}:
        return None
    if hand == "other fleet":
        plan = msgspec.structs.replace(stored.plan, fleet="core")
        body = canonical_json(plan)
        stored = msgspec.structs.replace(stored, plan=plan, body=body, digest=digest_of(body))
    fleet = "core" if hand == "other fleet" else FLEET
    made = pairs({"body": encoded(stored, fleet), "generation": str(stored.generation), "digest": stored.digest})
    match hand:
        case "header altered":
            return mirror_model.leapt(made)
        case "body of another":
            return mirror_model.mixed_up(made, other.body)
        case "cut short":
            whole = dict(made)["body"]
            assert isinstance(whole, bytes), "an object is octets"
            return pairs({**dict(made), "body": whole[: len(whole) // 2]})
        case _:
            return made


def mirror_on(line: Line) -> PlanMirror:
    """Return the product's mirror on a line."""
    client: Any = mirror_model.ThinS3(line)
    return PlanMirror(client, mirror_model.BUCKET, mirror_model.KEY, FLEET)


def answered(item: Pairs | None, op: MirrorOp, hand: MirrorHand) -> Any:
    """Answer a request as S3 does."""
    if hand == "no answer":
        raise mirror_model.NO_ANSWER
    table: Table = {} if item is None else {MIRROR: item}
    _, value = mirror_model.apply(table, op)
    if isinstance(value, Exception):
        raise value
    return value
