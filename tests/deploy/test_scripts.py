"""Every shell script of the repository is clean to shellcheck."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def scripts() -> list[Path]:
    """Return the files that a shell runs: by their first line, wherever they lie."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split(
        "\n"
    )
    there = [ROOT / name for name in listed if name] or list(ROOT.glob(".ci/*"))
    return [
        path
        for path in there
        if path.is_file() and path.read_bytes()[:20].startswith((b"#!/bin/sh", b"#!/usr/bin/env bash"))
    ]


def test_shellcheck_finds_nothing() -> None:
    """At its strictest."""
    found = scripts()
    assert ROOT / ".ci" / "run" in found
    done = subprocess.run(
        [str(Path(sys.executable).parent / "shellcheck"), "--severity=style", *map(str, found)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")
