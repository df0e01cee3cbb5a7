"""Let other processes set the sandbox over HTTP: settings, faults, held requests, counts, a zone's contents.

JSON under one path that no AWS service uses. It decides nothing; it calls the same methods that in-process tests call.
"""

import json
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError

from enactor.sandbox.engine import ApiError, Settings
from enactor.sandbox.faults import FaultRule
from enactor.sandbox.wire import Reply

if TYPE_CHECKING:
    from enactor.sandbox.server import Sandbox

PREFIX = "/_sandbox/"
CONTROL_TIMEOUT_SECONDS = 30.0
JSON_HEADERS = (("Content-Type", "application/json"),)


class ControlError(Exception):
    """The sandbox refused what was asked of it."""


def changed_settings(settings: Settings, changed: Mapping[str, Any]) -> Settings:
    """Return settings with some changed; a ValueError names what does not exist."""
    known = {setting.name for setting in fields(Settings)}
    unknown = sorted(set(changed) - known)
    if unknown:
        raise ValueError(f"no such setting: {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    return replace(settings, **changed)


def handle(sandbox: "Sandbox", environ: Mapping[str, Any], body: bytes) -> Reply:
    """Answer one control request."""
    verb = str(environ["PATH_INFO"]).removeprefix(PREFIX)
    command = COMMANDS.get(verb)
    if command is None:
        return _json({"error": f"no such command: {verb}; there are {', '.join(sorted(COMMANDS))}"}, 404)
    try:
        return _json(command(sandbox, json.loads(body or b"{}")))
    except (ValueError, TypeError, KeyError, TimeoutError, ApiError) as error:
        return _json({"error": f"{type(error).__name__}: {error}"}, 400)


class SandboxControl:
    """The same controls from another process."""

    def __init__(self, endpoint_url: str) -> None:
        self._base = endpoint_url.rstrip("/") + PREFIX

    def configure(self, **changed: Any) -> dict[str, Any]:
        return self._ask("configure", changed)

    def create_zone(self, name: str, zone_id: str | None = None) -> str:
        return str(self._ask("create-zone", {"name": name, "zone_id": zone_id})["zone_id"])

    def sets(self, zone_id: str) -> list[dict[str, Any]]:
        return list(self._ask("sets", {"zone_id": zone_id})["sets"])

    def edit(self, zone_id: str, changes: Sequence[Mapping[str, Any]]) -> None:
        self._ask("edit", {"zone_id": zone_id, "changes": list(changes)})

    def add_fault(self, rule: FaultRule) -> str:
        return str(self._ask("add-fault", asdict(rule))["handle"])

    def remove_fault(self, handle: str) -> None:
        self._ask("remove-fault", {"handle": handle})

    def clear_faults(self) -> None:
        self._ask("clear-faults", {})

    def held(self) -> list[dict[str, Any]]:
        return list(self._ask("held", {})["held"])

    def wait_held(self, count: int = 1, timeout_seconds: float = 10.0) -> list[dict[str, Any]]:
        return list(self._ask("wait-held", {"count": count, "timeout_seconds": timeout_seconds})["held"])

    def release(self, handle: str) -> int:
        return int(self._ask("release", {"handle": handle})["released"])

    def stats(self) -> dict[str, Any]:
        return self._ask("stats", {})

    def calls(self, operation: str | None = None, outcome: str | None = None, service: str | None = None) -> int:
        asked = {"operation": operation, "outcome": outcome, "service": service}
        return int(self._ask("calls", asked)["calls"])

    def reset_stats(self) -> None:
        self._ask("reset-stats", {})

    def info(self) -> dict[str, Any]:
        return self._ask("info", {})

    def _ask(self, verb: str, given: Mapping[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(  # noqa: S310 - the sandbox's own address
            self._base + verb, json.dumps(given).encode(), {"Content-Type": "application/json"}, method="POST"
        )
        try:
            with urllib.request.urlopen(request, timeout=CONTROL_TIMEOUT_SECONDS) as answer:  # noqa: S310 - the same
                parsed: dict[str, Any] = json.load(answer)
        except HTTPError as error:
            with error:
                raise ControlError(json.load(error)["error"]) from None
        return parsed


def _json(answer: Mapping[str, Any], status: int = 200) -> Reply:
    return Reply(status, json.dumps(answer, default=str).encode(), JSON_HEADERS)


def _configure(sandbox: "Sandbox", given: dict[str, Any]) -> dict[str, Any]:
    return asdict(sandbox.configure(**given))


def _create_zone(sandbox: "Sandbox", given: dict[str, Any]) -> dict[str, Any]:
    return {"zone_id": sandbox.create_zone(given["name"], given.get("zone_id"))}


def _sets(sandbox: "Sandbox", given: dict[str, Any]) -> dict[str, Any]:
    return {"sets": sandbox.zone(given["zone_id"]).sets()}


def _edit(sandbox: "Sandbox", given: dict[str, Any]) -> dict[str, Any]:
    sandbox.edit(given["zone_id"], given["changes"])
    return {}


def _add_fault(sandbox: "Sandbox", given: dict[str, Any]) -> dict[str, Any]:
    names = given.pop("names", None)
    return {"handle": sandbox.add_fault(FaultRule(**given, names=tuple(names) if names is not None else None))}


def _remove_fault(sandbox: "Sandbox", given: dict[str, Any]) -> dict[str, Any]:
    sandbox.remove_fault(given["handle"])
    return {}


def _clear_faults(sandbox: "Sandbox", _given: dict[str, Any]) -> dict[str, Any]:
    sandbox.clear_faults()
    return {}


def _held(sandbox: "Sandbox", _given: dict[str, Any]) -> dict[str, Any]:
    return {
        "held": [
            {
                "token": held.token,
                "fault": held.fault,
                "service": held.call.service,
                "operation": held.call.operation,
                "zone": held.call.zone,
                "names": sorted(held.call.names),
            }
            for held in sandbox.held()
        ]
    }


def _wait_held(sandbox: "Sandbox", given: dict[str, Any]) -> dict[str, Any]:
    sandbox.wait_held(given["count"], given["timeout_seconds"])
    return _held(sandbox, {})


def _release(sandbox: "Sandbox", given: dict[str, Any]) -> dict[str, Any]:
    return {"released": sandbox.release(given["handle"])}


def _calls(sandbox: "Sandbox", given: dict[str, Any]) -> dict[str, Any]:
    return {"calls": sandbox.calls(given.get("operation"), given.get("outcome"), given.get("service"))}


def _stats(sandbox: "Sandbox", _given: dict[str, Any]) -> dict[str, Any]:
    return sandbox.stats()


def _reset_stats(sandbox: "Sandbox", _given: dict[str, Any]) -> dict[str, Any]:
    sandbox.reset_stats()
    return {}


def _info(sandbox: "Sandbox", _given: dict[str, Any]) -> dict[str, Any]:
    zones = {zone_id: zone.name for zone_id, zone in sandbox.engine.zones().items()}
    return {
        "endpoint_url": sandbox.endpoint_url,
        "environment": sandbox.environment(),
        "settings": asdict(sandbox.engine.settings),
        "zones": zones,
    }


COMMANDS: Mapping[str, Callable[["Sandbox", dict[str, Any]], dict[str, Any]]] = {
    "configure": _configure,
    "create-zone": _create_zone,
    "sets": _sets,
    "edit": _edit,
    "add-fault": _add_fault,
    "remove-fault": _remove_fault,
    "clear-faults": _clear_faults,
    "held": _held,
    "wait-held": _wait_held,
    "release": _release,
    "calls": _calls,
    "stats": _stats,
    "reset-stats": _reset_stats,
    "info": _info,
}
