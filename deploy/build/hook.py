"""Put the commit that is built into the wheel, where `--version` finds it. hatchling calls this; see pyproject.toml.

ENACTOR_COMMIT says it where there is no repository, as in an image's build: `docker build --build-arg COMMIT=$(git rev-parse HEAD)`.
"""
# ruff: noqa: INP001 - hatchling loads this file by its path; it is part of no package

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommitHook(BuildHookInterface[Any]):
    """Writes one file into each wheel that is not editable."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file; `version` is how it is built, `standard` or `editable`."""
        if version != "standard":
            return
        commit = os.environ.get("ENACTOR_COMMIT") or self._asked()
        with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False, encoding="utf-8") as file:
            file.write(f"{commit}\n")
        build_data["force_include"][file.name] = "enactor/_commit.txt"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatchling's
        """Take the file away again."""
        for path, place in build_data["force_include"].items():
            if place == "enactor/_commit.txt":
                Path(path).unlink(missing_ok=True)

    def _asked(self) -> str:
        try:
            done = subprocess.run(
                ["git", "rev-parse", "HEAD"],  # noqa: S607 - wherever the builder has it
                cwd=self.root,
                capture_output=True,
                text=True,
                check=False,
            )
        except OSError:
            return "unknown"
        return done.stdout.strip() or "unknown"
