"""Give each sandbox a moto of its own: moto's state is one per process, so each sandbox takes its own account.

moto has no locks, so one lock is around every call to it, whichever sandbox asks. Decides nothing about AWS.
"""

import threading
from typing import Any

from moto.core.base_backend import BackendDict
from moto.core.model_instances import reset_model_data
from moto.server import DomainDispatcherApplication, create_backend_app

from enactor.sandbox.http import run_wsgi
from enactor.sandbox.wire import Reply

FIRST_ACCOUNT = 123456789012
ACCOUNTS_MAX = 1_000

_lock = threading.RLock()
_taken: set[str] = set()


class MotoWorld:
    """All of AWS that is not Route 53's record sets, empty at the start."""

    def __init__(self) -> None:
        with _lock:
            if not _taken:
                BackendDict.reset()
                reset_model_data()
            self.account = _free_account()
            _taken.add(self.account)
            self._app = DomainDispatcherApplication(create_backend_app)

    def run(self, environ: dict[str, Any], body: bytes) -> Reply:
        """Have moto answer a request as this sandbox's account, whatever the credentials say."""
        with _lock:
            reply = run_wsgi(self._app, environ | {"HTTP_X_MOTO_ACCOUNT_ID": self.account}, body)
            # moto notes every object it ever made, the table copies of each transaction too: that would grow for ever.
            reset_model_data()
            return reply

    def close(self) -> None:
        """Forget everything of this account; buckets by name too, since S3's names are one space."""
        with _lock:
            for backends in list(BackendDict._instances):  # noqa: SLF001 - moto has no way to drop one account
                dropped = backends.pop(self.account, None)
                if dropped is not None:
                    dropped.reset()
            _taken.discard(self.account)


def _free_account() -> str:
    for number in range(FIRST_ACCOUNT, FIRST_ACCOUNT + ACCOUNTS_MAX):
        if str(number) not in _taken:
            return str(number)
    raise RuntimeError(f"{ACCOUNTS_MAX} sandboxes run in this process: stop some")
