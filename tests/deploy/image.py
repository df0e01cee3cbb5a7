"""Read deploy/Dockerfile, and do what it says without an engine: copy what it copies, run what it runs, below a folder of one's own."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
DOCKERFILE: Final = ROOT / "deploy" / "Dockerfile"
PLACES: Final = ("/opt", "/src", "/locks", "/wheels", "/state", "/var/lib/enactor")
"""Where the image's build works; all of it goes below the folder."""


class Step(NamedTuple):
    """One instruction."""

    stage: int
    word: str
    rest: str


def steps() -> list[Step]:
    """Return the instructions, with their continuation lines joined, and the stage that each belongs to."""
    text = re.sub(r"\\\n", " ", "\n".join(line for line in DOCKERFILE.read_text().splitlines() if line[:1] != "#"))
    found, stage = [], -1
    for line in filter(None, map(str.strip, text.splitlines())):
        word, _, rest = line.partition(" ")
        stage += word == "FROM"
        found.append(Step(stage, word, rest.strip()))
    return found


def only(word: str, stage: int = 1) -> str:
    """Return what the one instruction of this word in a stage says."""
    (found,) = [step.rest for step in steps() if step.word == word and step.stage == stage]
    return found


def ignored() -> list[str]:
    """Return what the build's context leaves in: the lines of the ignore file that begin with an exclamation mark."""
    lines = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text().splitlines()
    assert "*" in lines, "everything else stays out"
    return [line[1:] for line in lines if line[:1] == "!"]


def built(folder: Path, *, commit: str) -> Path:
    """Do the first stage below a folder; return where the second one would find `/opt/enactor`."""

    def moved(text: str) -> str:
        return re.sub(rf"(?<![\w/.])({'|'.join(map(re.escape, PLACES))})(?=[/\s]|$)", rf"{folder}\1", text)

    place, environment = folder / "src", {"HOME": str(folder), "PATH": os.defpath, "COMMIT": commit}
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to(sys.executable)
    environment["PATH"] = f"{folder / 'bin'}:{os.environ['PATH']}"
    place.mkdir()
    for step in (one for one in steps() if one.stage == 0):
        match step.word:
            case "ENV":
                environment |= dict(pair.split("=", 1) for pair in step.rest.split())
            case "COPY":
                *sources, target = step.rest.split()
                for source in sources:
                    _copy(ROOT / source, Path(moved(target)) if target.startswith("/") else place / target, target)
            case "RUN":
                subprocess.run(["sh", "-euc", moved(step.rest)], cwd=place, env=environment, check=True, timeout=300)
            case "FROM" | "ARG" | "WORKDIR":
                continue
            case _:
                raise AssertionError(f"{step.word} is not known here")
    return folder / "opt" / "enactor"


def _copy(source: Path, target: Path, written: str) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        return
    if written.endswith("/"):
        target /= source.name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


def exec_form(text: str) -> list[str]:
    """Return the words of an instruction that needs no shell."""
    words = json.loads(text[text.index("[") :])
    assert isinstance(words, list)
    return words
