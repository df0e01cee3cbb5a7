"""One server of warm processes for all blocks of a test run."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .scene import warmed


@pytest.fixture(scope="session")
def warm() -> Iterator[str]:
    """A folder with a short name: a socket's path has at most 107 octets."""
    with tempfile.TemporaryDirectory(prefix="rb-") as folder, warmed(Path(folder)) as path:
        yield path
