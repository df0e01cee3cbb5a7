"""`--version` says the commit: of an installation from the file that the build put there, of a checkout from its repository."""

import subprocess
from pathlib import Path

import pytest

from enactor import __version__
from enactor.version import COMMIT_FILE, commit, version_text

ONE, OTHER = "0123456789abcdef" * 2 + "01234567", "f" * 40


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder of code in a checkout."""
    found = tmp_path / "checkout" / "enactor"
    found.mkdir(parents=True)
    return found


def written(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")


def test_an_installation_has_it_from_its_build(package: Path) -> None:
    """Whatever repository it is unpacked in."""
    written(package / COMMIT_FILE, ONE)
    written(package.parent / ".git" / "HEAD", OTHER)
    assert version_text(package) == f"{__version__} (commit 0123456789ab)"


@pytest.mark.parametrize("kind", ["detached", "branch", "packed", "worktree"])
def test_a_checkout_has_it_from_its_repository(package: Path, kind: str) -> None:
    """Without git itself: HEAD names a commit or a branch, a branch may be packed, and a work tree lies beside its repository."""
    git = package.parent / ".git"
    if kind == "worktree":
        written(git, f"gitdir: {package.parent.parent / 'main' / 'worktrees' / 'one'}")
        git = package.parent.parent / "main" / "worktrees" / "one"
        written(git / "commondir", "../..")
        written(git / "HEAD", "ref: refs/heads/main")
        written(package.parent.parent / "main" / "refs" / "heads" / "main", ONE)
    elif kind == "packed":
        written(git / "HEAD", "ref: refs/heads/main")
        written(git / "packed-refs", f"# pack-refs with: peeled\n{OTHER} refs/heads/maintenance\n{ONE} refs/heads/main")
    else:
        written(git / "HEAD", ONE if kind == "detached" else "ref: refs/heads/main")
        written(git / "refs" / "heads" / "main", ONE)
    assert commit(package) == ONE


def test_what_nothing_tells_is_unknown(package: Path) -> None:
    """Nor is what somebody else's file says taken for a commit."""
    assert version_text(package) == f"{__version__} (commit unknown)"
    written(package / COMMIT_FILE, "unknown")
    assert commit(package) is None


def test_this_very_checkout_says_what_git_says() -> None:
    """Where it is one."""
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False, cwd=Path(__file__).parent
    )
    if done.returncode:
        pytest.skip("no repository here")
    assert commit() == done.stdout.strip()
