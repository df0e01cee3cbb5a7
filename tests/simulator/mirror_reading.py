"""Read what the plan mirror holds, apart from the product's own reading. Pure."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from .table_model import Table

MIRROR: Final = "(mirror)"
"""Where the model's table keeps the mirror's object; no code of the product reads that key."""


def mirrored(table: Table) -> tuple[int, str, Mapping[str, Any]] | None:
    """Return (generation, digest, plan) of a sound mirror, read apart from the product's code; None where there is none."""
    if MIRROR not in table:
        return None
    body = dict(table[MIRROR])["body"]
    assert isinstance(body, bytes), "an object is octets"
    checksum, _, rest = body.partition(b"\n")
    line, _, plan = rest.partition(b"\n")
    if hashlib.sha256(rest).hexdigest().encode() != checksum:
        return None
    header = json.loads(line)
    if hashlib.sha256(plan).hexdigest() != header["digest"]:
        return None
    return header["generation"], header["digest"], json.loads(plan)
