"""The plan mirror's S3 object in memory, and a client of it: the product's real `PlanMirror` runs on it, on both tiers.

The object is kept beside the table's items under a key that no code of the product reads. What is left out are the S3 client's
own attempts and time-outs; the errors that come out of it are boto3's, by S3's codes. `tests/whole` has the mirror on an S3 of moto.
"""

import hashlib
import io
import json
from collections.abc import Mapping
from typing import Any, Final

from botocore.exceptions import ClientError, ReadTimeoutError

from enactor.mirror import GENERATION, PlanMirror
from enactor.plan import StoredPlan

from .actors import Line
from .mirror_reading import MIRROR
from .ops import MirrorGet, MirrorHead, MirrorOp, MirrorPut, Pairs, pairs
from .probes import MIRROR_DAMAGED, MIRROR_RACED
from .table_model import Table

ANY_TAG: Final = "*"
BUCKET: Final = "mirror"
KEY: Final = "plan.json"
NO_ANSWER: Final = ReadTimeoutError(endpoint_url="https://s3.example.test", error="timeout")


def apply(table: Table, op: MirrorOp) -> tuple[Table, Any]:
    """Play a request: the table after it, and the answer, an error where S3 has one."""
    stands = table.get(MIRROR)
    tag = tag_of(stands) if stands is not None else ""
    match op:
        case MirrorPut(item, if_match, if_none_match):
            if (if_none_match and tag) or (if_match and if_match != tag):
                return table, error("PreconditionFailed", "PutObject", 412)
            return {**table, MIRROR: item}, None
        case MirrorGet(if_none_match) if stands is not None and if_none_match == tag:
            return table, error("304", "GetObject", 304)
        case _ if stands is None:
            return table, error("NoSuchKey" if isinstance(op, MirrorGet) else "404", type(op).__name__, 404)
        case _:
            return table, stands


def error(code: str, operation: str, status: int) -> ClientError:
    """Return the error that boto3 raises for S3's answer."""
    response: Any = {"Error": {"Code": code, "Message": ""}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(response, operation)


def tag_of(item: Pairs) -> str:
    """Return an object's ETag."""
    return hashlib.sha256(repr(item).encode()).hexdigest()[:16]


class ThinS3:
    """What the mirror uses of boto3's S3 client, each call one operation."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def get_object(self, *, IfNoneMatch: str = "", **_: Any) -> dict[str, Any]:  # noqa: N803 - boto3's name
        item: Pairs = self._line.ask(MirrorGet(IfNoneMatch))
        body = bytes(dict(item)["body"])  # type: ignore[arg-type]  # the one value that is octets
        return {"ContentLength": len(body), "Body": io.BytesIO(body), "ETag": tag_of(item)}

    def head_object(self, **_: Any) -> dict[str, Any]:
        item: Pairs = self._line.ask(MirrorHead())
        said = {name: str(value) for name, value in item if name != "body"}
        return {"Metadata": said, "ETag": tag_of(item)}

    def put_object(
        self,
        *,
        Body: bytes,  # noqa: N803 - boto3's name
        Metadata: Mapping[str, str],  # noqa: N803
        IfMatch: str = "",  # noqa: N803
        IfNoneMatch: str = "",  # noqa: N803
        **_: Any,
    ) -> None:
        item = pairs({"body": Body, **Metadata})
        try:
            self._line.ask(MirrorPut(item, IfMatch, IfNoneMatch))
        except ClientError:
            self._line.probes.hit.add(MIRROR_RACED)
            raise


class WatchedMirror(PlanMirror):
    """The mirror, unchanged; it only sets a probe where what it read is no plan."""

    def __init__(self, line: Line, fleet: str) -> None:
        client: Any = ThinS3(line)
        super().__init__(client, BUCKET, KEY, fleet)
        self._probes = line.probes

    def load(self) -> StoredPlan | str | None:
        found = super().load()
        if isinstance(found, str) and "passed over" in found:
            self._probes.hit.add(MIRROR_DAMAGED)
        return found


def mixed_up(mirror: Pairs, other_body: bytes) -> Pairs:
    """Return the object with another plan's body under its header, and a checksum that fits: only the digest tells."""
    body = dict(mirror)["body"]
    assert isinstance(body, bytes), "an object is octets"
    header = body.split(b"\n", 2)[1]
    rest = header + b"\n" + other_body
    made = hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest
    return tuple(sorted({**dict(mirror), "body": made}.items()))


def leapt(mirror: Pairs) -> Pairs:
    """Return the object with one octet of its header changed: a plan from the future, and only the checksum tells."""
    body = dict(mirror)["body"]
    assert isinstance(body, bytes), "an object is octets"
    checksum, _, rest = body.partition(b"\n")
    header, _, plan = rest.partition(b"\n")
    generation = json.loads(header)["generation"]
    old, new = f'"{GENERATION}":{generation}', f'"{GENERATION}":{generation + 4}'
    assert old.encode() in header, "the header is canonical JSON"
    made = b"\n".join([checksum, header.replace(old.encode(), new.encode()), plan])
    return tuple(sorted({**dict(mirror), "body": made}.items()))
