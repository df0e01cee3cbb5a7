"""Read a plan file as a person keeps it, up to the size that the plan table takes. Decides nothing."""

from pathlib import Path
from typing import Final

from enactor.ports import Unavailable
from enactor.table_reading import BODY_LIMIT_OCTETS

READ_OCTETS: Final = BODY_LIMIT_OCTETS + 1
"""One more than there may be: what is larger is seen, and not read into memory."""


def file_octets(path: str) -> bytes:
    """Return what a file holds."""
    try:
        with Path(path).open("rb") as file:
            return within_limit(file.read(READ_OCTETS), path)
    except OSError as error:
        raise Unavailable(f"{path} cannot be read: {error.strerror or error}") from None


def within_limit(octets: bytes, shown: str) -> bytes:
    """Return the same, unless it is more than a plan can have."""
    if len(octets) > BODY_LIMIT_OCTETS:
        raise Unavailable(f"{shown} is larger than {BODY_LIMIT_OCTETS} octets, the most that the plan table takes")
    return octets
