"""Write lines to stderr so that nothing ever waits or fails for them."""

import os
import select
import sys
import threading
from contextlib import suppress
from typing import Final, TextIO

PATIENCE_MILLISECONDS: Final = 1_000
"""How long a reader of the log that stands still is waited for, once; then nothing waits for it until it reads again."""


class Unfailing:
    """A stream for the log that swallows what cannot be written: a full disk or a reader that is gone must not stop an enactor.

    Nor may a reader that reads no more: a write into its full pipe would never return, and a signal would not end it.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        """None in a process that was started with stderr closed."""
        self._writing = threading.Lock()
        self._patience = PATIENCE_MILLISECONDS
        self._is_torn = False
        """The last line was lost in its middle."""

    def write(self, text: str) -> None:
        """Write, or lose the text."""
        if self._stream is None:
            return
        with suppress(OSError), self._writing:
            try:
                descriptor = self._stream.fileno()
            except OSError:
                self._stream.write(text)  # no file of the system, so nothing of it blocks
            else:
                self._stream.flush()
                self._write_to(descriptor, text)

    def _write_to(self, descriptor: int, text: str) -> None:
        """Write by pieces that a pipe takes at once where it is ready for any (POSIX: PIPE_BUF), and lose the rest where it is not."""
        left = f"{chr(10) if self._is_torn else ''}{text}".encode(errors="backslashreplace")
        ready, begun = select.poll(), False
        ready.register(descriptor, select.POLLOUT)
        while left:
            if not ready.poll(self._patience):
                self._patience, self._is_torn = 0, self._is_torn or begun
                return
            left, begun = left[os.write(descriptor, left[: select.PIPE_BUF]) :], True
        self._patience, self._is_torn = PATIENCE_MILLISECONDS, False

    def flush(self) -> None:
        """Flush, or lose what was written."""
        if self._stream is not None:
            with suppress(OSError):
                self._stream.flush()


def say(line: str) -> None:
    """Say a sentence to a person on stderr, or lose it."""
    stream = Unfailing(sys.stderr)
    stream.write(f"{line}\n")
    stream.flush()
