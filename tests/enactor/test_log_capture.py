"""What libraries and threads would write to a service's stderr is a line of its log like any other."""

import json
import subprocess
import sys

from enactor.log_capture import FRAMES_LOGGED_MAX

STORY = """
import gc, logging, threading, warnings
from enactor.log_capture import capture
from enactor.logs import logger

capture(logger(enactor="a"))
logging.getLogger("waitress").warning("queue depth is %d", 4)
logging.getLogger("botocore.credentials").info("Found credentials in environment variables.")
logging.getLogger("urllib3").error("%d", "no number")
warnings.warn("odd")
try:
    raise ValueError("inner")
except ValueError:
    logging.getLogger("waitress").exception("while serving")

def dies():
    dies_of = {}["x"]

thread = threading.Thread(target=dies, name="collect")
thread.start()
thread.join()

class Heavy:
    def __del__(self):
        raise RuntimeError("in a destructor")

Heavy()
gc.collect()

def deep(n):
    return deep(n - 1) if n else 1 / 0

deep(30)
"""


def test_everything_on_stderr_is_a_line() -> None:
    """A library's warning, an error with its exception, Python's own warnings, a thread's death, a destructor's, and the crash."""
    done = subprocess.run([sys.executable, "-c", STORY], capture_output=True, text=True, check=False)
    assert done.stdout == ""
    found = [json.loads(line) for line in done.stderr.splitlines()]
    assert [(line["event"], line["level"]) for line in found] == [
        ("library", "warning"),
        ("library", "warning"),
        ("library", "warning"),
        ("library", "error"),
        ("thread-failed", "error"),
        ("thread-failed", "warning"),
        ("crashed", "critical"),
    ]
    depth, lost, odd, raised, thread, destructor, crash = found
    assert (depth["library"], depth["message"]) == ("waitress", "queue depth is 4")
    assert (lost["library"], lost["message"]) == ("urllib3", "a message of it could not be put together")
    assert "UserWarning: odd" in odd["message"]
    assert (raised["message"], raised["why"]) == ("while serving", "ValueError: inner")
    assert (thread["thread"], thread["why"]) == ("collect", "KeyError: 'x'")
    assert destructor["why"] == "RuntimeError: in a destructor"
    assert crash["why"] == "ZeroDivisionError: division by zero"
    assert len(crash["where"]) == FRAMES_LOGGED_MAX
    assert crash["where"][-1].endswith(" deep")
