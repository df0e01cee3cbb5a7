"""The sandbox as a process of its own: it says how to reach it, and ends on a signal."""

import os
import signal
import subprocess
import sys

import pytest

from enactor.sandbox.control import SandboxControl

PROGRAM = (
    "from enactor.sandbox.main import run_sandbox\nraise SystemExit(run_sandbox(zones={'example.test': 'Z0TEST'}))\n"
)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_runs_until_a_signal(number: signal.Signals) -> None:
    """It says at once how to reach it, in a pipe too; exit status 0, and the last line says so."""
    told = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True, env=told) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line.strip())
            if "Ctrl-C" in line:
                break
        endpoint = lines[0].split()[3].rstrip(",")
        assert SandboxControl(endpoint).info()["zones"] == {"Z0TEST": "example.test."}
        process.send_signal(number)
        rest = process.stdout.read()
        assert process.wait(15) == 0
    assert "zone example.test has the id Z0TEST" in lines
    assert any(line.startswith("dig @127.0.0.1 -p ") for line in lines)
    assert f"export AWS_ENDPOINT_URL={endpoint}" in lines
    assert rest.strip() == "sandbox stopped"
