"""The systemd units, by systemd's own word: right in form, and hardened."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from enactor.settings import VARIABLES

UNITS: Final = Path(__file__).parents[2] / "deploy" / "systemd"
SYSTEM: Final = Path("/lib/systemd/system")
EXPOSED_MAX: Final = 15
"""In tenths of systemd's word, of 100: what is left is the network, which is its work."""
NAMES: Final = ("enactor", "planner")

has_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None or not SYSTEM.is_dir(), reason="systemd is not installed"
)


def unit(name: str) -> dict[str, list[str]]:
    """Return what a unit says, by its keys."""
    found: dict[str, list[str]] = {}
    for key, value in re.findall(r"^(\w+)=(.*)$", (UNITS / f"{name}.service").read_text(), re.MULTILINE):
        found.setdefault(key, []).append(value)
    return found


@has_systemd
@pytest.mark.parametrize("name", NAMES)
def test_systemd_takes_it(tmp_path: Path, name: str) -> None:
    """In a root where the command is installed; an unknown key, a wrong value or a missing command would be said."""
    shutil.copytree(SYSTEM, tmp_path / "etc/systemd/system", symlinks=True, ignore_dangling_symlinks=True)
    shutil.copy(UNITS / f"{name}.service", tmp_path / "etc/systemd/system")
    command = tmp_path / unit(name)["ExecStart"][0].split()[0].lstrip("/")
    command.parent.mkdir(parents=True)
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    words = ["systemd-analyze", "verify", f"--root={tmp_path}", f"{name}.service"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@has_systemd
@pytest.mark.parametrize("name", NAMES)
def test_systemd_finds_it_hardened(name: str) -> None:
    """Without a user of its own, more rights, devices, namespaces, or a file system to write to."""
    words = ["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSED_MAX}", "--no-pager"]
    done = subprocess.run([*words, str(UNITS / f"{name}.service")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_it_always_comes_back_and_ends_in_the_time_that_it_needs(name: str) -> None:
    """SIGTERM ends it within ten seconds; nothing keeps systemd from starting it again, however often it ends."""
    found = unit(name)
    assert (found["Restart"], found["StartLimitIntervalSec"], found["TimeoutStopSec"]) == (["always"], ["0"], ["15s"])
    assert found["NoNewPrivileges"] == ["yes"]
    assert found["ProtectSystem"] == ["strict"]
    assert {"MemoryMax", "TasksMax", "LimitCORE"} <= set(found)


def test_the_enactor_alone_writes_and_what_it_writes_outlives_it() -> None:
    """Plans for the day the table cannot be read lie below /var/lib."""
    assert unit("enactor")["StateDirectory"] == ["enactor"]
    assert any("ENACTOR_STATE_DIR=%S/enactor" in line for line in unit("enactor")["Environment"])
    assert "StateDirectory" not in unit("planner")


@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_its_settings_names_settings(name: str) -> None:
    """Each is one of ours or of AWS's, and no secret stands there."""
    assert unit(name)["EnvironmentFile"] == [f"/etc/enactor/{name}.env"]
    told = re.findall(r"^([A-Z_]+)=", (UNITS / f"{name}.env.example").read_text(), re.MULTILINE)
    assert set(told) - {"AWS_REGION"} <= set(VARIABLES.values())
