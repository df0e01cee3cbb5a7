"""Do something beside a worker's cycles, in a thread of its own: no endpoint waits for it, and no fault of it ends the worker."""

import threading
from collections.abc import Callable

from enactor.ports import OutsideError, Stopping


class Beside:
    """One piece of work, at most once at a time; what it fails of is told by its name."""

    def __init__(self, name: str, work: Callable[[], None], failed: Callable[[str, str], None]) -> None:
        self._name = name
        self._work = work
        self._failed = failed
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Begin, unless it is still under way."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def join(self, seconds: float) -> None:
        """Wait for the end of what is under way."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self) -> None:
        try:
            self._work()
        except Stopping:
            pass  # asked to stop: nothing of it is owed to anybody
        except OutsideError as error:
            self._failed(self._name, str(error))
        except Exception as error:  # noqa: BLE001 - a fault of it must not be silent, and ends no worker
            self._failed(self._name, f"{type(error).__name__}: {error}")
