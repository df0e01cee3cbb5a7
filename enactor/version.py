"""Say which version runs, and of which commit: at three in the morning "0.1.0" is not enough.

An installation has its commit in a file that the build put beside this one (deploy/build/hook.py); a checkout has a repository.
"""

from pathlib import Path
from typing import Final

from enactor import __version__

HERE: Final = Path(__file__).parent
COMMIT_FILE: Final = "_commit.txt"
SHOWN_DIGITS: Final = 12


def commit(package: Path = HERE) -> str | None:
    """Return the commit's hexadecimal digits, None where nothing tells."""
    found = _read(package / COMMIT_FILE) or _head(package.parent / ".git")
    return found if found and all(digit in "0123456789abcdef" for digit in found) else None


def version_text(package: Path = HERE) -> str:
    """Return what `--version` prints."""
    found = commit(package)
    return f"{__version__} (commit {found[:SHOWN_DIGITS] if found else 'unknown'})"


def _head(repository: Path) -> str:
    """Return what HEAD of a repository names; git itself need not be there."""
    said = _read(repository)
    if said.startswith("gitdir: "):  # a work tree beside its repository
        repository = Path(said.removeprefix("gitdir: "))
    head = _read(repository / "HEAD")
    if not head.startswith("ref: "):
        return head
    ref, common = head.removeprefix("ref: "), _read(repository / "commondir")
    places = [repository, *([repository / common] if common else [])]
    for place in places:
        if found := _read(place / ref):
            return found
    packed = "\n".join(_read(place / "packed-refs") for place in places)
    return next((line.split(" ")[0] for line in packed.splitlines() if line.endswith(f" {ref}")), "")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
