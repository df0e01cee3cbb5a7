"""The image, as far as a machine without an engine can go: its steps are done in a folder, and what they make is started."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from enactor import __version__
from enactor.sandbox.server import Sandbox
from tests.loopback import free_port

from .image import DOCKERFILE, ROOT, built, exec_form, ignored, only, steps

HADOLINT = Path(sys.executable).parent / "hadolint"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
ZONE = "Z0IMAGE"
PATIENCE_SECONDS = 40.0
PLAN = {
    "format": 1,
    "fleet": "edge",
    "endpoints": [
        {
            "name": "api.example.test",
            "zone": ZONE,
            "routing": "simple",
            "ttl": 60,
            "targets": [{"id": "lb-1", "type": "A", "value": "192.0.2.1"}],
        }
    ],
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What the first stage makes."""
    folder = tmp_path_factory.mktemp("image")
    yield built(folder, commit=COMMIT)
    shutil.rmtree(folder)


@pytest.mark.skipif(not HADOLINT.exists(), reason="hadolint has no wheel for this machine")
def test_hadolint_finds_nothing() -> None:
    """No rule is ignored."""
    done = subprocess.run([str(HADOLINT), str(DOCKERFILE)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_base_is_pinned_and_one() -> None:
    """By the digest of its content: a tag may move."""
    bases = {step.rest.split()[0] for step in steps() if step.word == "FROM"}
    assert len(bases) == 1
    assert re.fullmatch(r"python:3\.\d+-slim@sha256:[0-9a-f]{64}", bases.pop())


def test_nobody_s_user_runs_it_without_a_shell() -> None:
    """A number, so that a cluster that demands a user other than root can see it; words, so that no shell is needed."""
    user = re.fullmatch(r"(\d+):(\d+)", only("USER"))
    assert user is not None
    assert int(user[1]) > 1_000
    assert exec_form(only("CMD")) == ["enactor", "run"]
    assert exec_form(only("HEALTHCHECK")) == ["python", "-m", "enactor.healthcheck"]
    assert only("STOPSIGNAL") == "SIGTERM"
    assert not [step for step in steps() if step.stage == 1 and step.word == "RUN"]


def test_the_context_holds_what_is_copied() -> None:
    """What is not copied stays out: no tests, no repository, no environment of a developer."""
    copied = {
        source
        for step in steps()
        if step.word == "COPY" and "--from" not in step.rest
        for source in step.rest.split()[:-1]
    }
    let_in = ignored()
    assert [
        source for source in copied if not any(source == one or source.startswith(f"{one}/") for one in let_in)
    ] == []
    assert all((ROOT / one).exists() for one in let_in)


def test_it_holds_what_the_lock_names_and_no_sandbox(installed: Path) -> None:
    """Moto and its many dependencies are for trying things out."""
    python = installed / "bin" / "python"
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format", "json"], capture_output=True, text=True, check=True
    )
    there = {one["name"].lower().replace("_", "-"): one["version"] for one in json.loads(listed.stdout)}
    lock = (ROOT / "requirements.lock").read_text()
    locked = {
        name.lower(): version for name, version in re.findall(r"^([\w.-]+)==([\w.]+)(?: \\| ;)", lock, re.MULTILINE)
    }
    ours = {name: version for name, version in there.items() if name not in {"pip", "setuptools", "enactor"}}
    assert ours == {name: version for name, version in locked.items() if name in ours}
    assert {"boto3", "waitress", "msgspec"} <= set(ours)
    assert not {"moto", "pytest", "hatchling"} & set(there)


def test_it_says_its_version_and_commit(installed: Path) -> None:
    """Both commands, from a folder that is no checkout."""
    for command in ("enactor", "planner"):
        done = subprocess.run(
            [installed / "bin" / command, "--version"], cwd="/", capture_output=True, text=True, check=True
        )
        assert done.stdout == f"{__version__} (commit {COMMIT[:12]})\n"


def test_its_command_does_the_main_job_and_its_health_check_sees_it(installed: Path, tmp_path: Path) -> None:
    """With nothing of the environment but what the image and an operator say; SIGTERM ends it with 0."""
    state, port = tmp_path / "state", free_port()
    state.mkdir()
    own = dict(pair.split("=", 1) for pair in only("ENV").split())
    assert own["ENACTOR_STATE_DIR"] == "/var/lib/enactor"
    with Sandbox() as sandbox:
        sandbox.create_zone("example.test", ZONE)
        told = {
            **sandbox.environment(),
            "PATH": f"{installed / 'bin'}:{os.defpath}",
            "ENACTOR_TABLE": "plans",
            "ENACTOR_FLEET": "edge",
            "ENACTOR_ZONES": ZONE,
            "ENACTOR_ID": "image",
            "ENACTOR_STATE_DIR": str(state),
            "ENACTOR_METRICS": f"0.0.0.0:{port}",
        }
        (tmp_path / "plan.json").write_text(json.dumps(PLAN))
        for words in (
            ["enactor", "init", "--zone", ZONE],
            ["planner", "publish", "--plan", str(tmp_path / "plan.json")],
        ):
            subprocess.run(
                words, env=told, cwd=state, check=True, capture_output=True, executable=installed / "bin" / words[0]
            )
        check, command = (exec_form(only(word)) for word in ("HEALTHCHECK", "CMD"))
        early = subprocess.run(check, env=told, cwd=state, capture_output=True, text=True, check=False)
        assert (early.returncode, early.stdout.startswith("nobody answers")) == (1, True)
        with subprocess.Popen(command, env=told, cwd=state, stderr=subprocess.DEVNULL) as worker:
            until = time.monotonic() + PATIENCE_SECONDS
            while not sandbox.zone(ZONE).sets("api.example.test.") and time.monotonic() < until:
                time.sleep(0.1)
            healthy = subprocess.run(check, env=told, cwd=state, capture_output=True, text=True, check=False)
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
                page = answer.read().decode()
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(timeout=PATIENCE_SECONDS) == 0
        assert sandbox.zone(ZONE).sets("api.example.test.")
    assert (healthy.returncode, healthy.stdout) == (0, "")
    assert "enactor_build_info" in page
    assert list(state.glob("plan-edge-*.json"))
