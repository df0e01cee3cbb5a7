"""Every property of the suite draws the same examples each time and has no deadline: a busy machine is no reason to fail."""

from _pytest.terminal import TerminalReporter
from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Say how much the simulator's searches saw, however many processes they ran in."""
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for key, value in report.user_properties:
            if key == "searched":
                terminalreporter.write_line(f"searched {value}")
