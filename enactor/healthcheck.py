"""Ask this machine's worker whether it lives: what a container's health check runs, because its image needs no shell and no curl.

python -m enactor.healthcheck     # at ENACTOR_METRICS; status 0 it lives, 1 it does not, or nobody answers
"""

import http.client
import os
import sys
from typing import Final

ASK_SECONDS: Final = 3.0
DEFAULT: Final = "127.0.0.1:9553"
EVERYWHERE: Final = {"", "0.0.0.0", "::", "[::]"}  # noqa: S104 - what a server listens on, not what is asked
OK: Final = 200


def main() -> int:
    """Ask `/healthz`; say what it answers where that is not OK."""
    host, _, port = (os.environ.get("ENACTOR_METRICS") or DEFAULT).rpartition(":")
    asked = http.client.HTTPConnection(
        "127.0.0.1" if host in EVERYWHERE else host.strip("[]"), int(port), timeout=ASK_SECONDS
    )
    try:
        asked.request("GET", "/healthz")
        answer = asked.getresponse()
        text = answer.read(1_000).decode(errors="replace").strip()
    except (OSError, http.client.HTTPException) as error:
        sys.stdout.write(f"nobody answers at {host}:{port}: {error}\n")
        return 1
    finally:
        asked.close()
    if answer.status != OK:
        sys.stdout.write(f"{answer.status}: {text}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
