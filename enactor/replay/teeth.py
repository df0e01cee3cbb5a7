"""Take one protection of the real enactor out, for as long as a replay runs, to show what it is there for.

By putting another function in its place from here: the product has no switch for it, so none can be left on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Literal

import boto3

from enactor import collect, outside, route53
from enactor.batch import Batch
from enactor.gate import GateRefusal
from enactor.plan import Plan
from enactor.ports import PlanEntry
from enactor.references import Needs, Verdict

Protection = Literal["fence", "gate", "collect-check"]


@contextmanager
def without(protection: Protection | None) -> Iterator[None]:
    """Run with one protection out, or with all of them."""
    match protection:
        case None:
            yield
        case "fence":
            make = outside.route53_client
            with _replaced(outside, "route53_client", lambda session: _Blind(make(session))):
                yield
        case "gate":
            with _replaced(route53, "refusals", _nothing_refused):
                yield
        case "collect-check":
            with _replaced(collect, "judged", _old_enough):
                yield


@contextmanager
def _replaced(module: ModuleType, name: str, stand_in: Any) -> Iterator[None]:
    real = getattr(module, name)
    setattr(module, name, stand_in)
    try:
        yield
    finally:
        setattr(module, name, real)


class _Blind:
    """A Route 53 client for which switch and fences say only who wrote last: they are overwritten, whatever stood there."""

    def __init__(self, client: boto3.Session) -> None:
        self._client: Any = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def change_resource_record_sets(self, **request: Any) -> Any:
        batch = request["ChangeBatch"]
        return self._client.change_resource_record_sets(
            **{**request, "ChangeBatch": {**batch, "Changes": _overwriting(batch["Changes"])}}
        )


def _overwriting(changes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the changes with every compare-and-swap of a TXT record made a blind write."""
    kept = []
    for change in changes:
        if change["ResourceRecordSet"]["Type"] != "TXT":
            kept.append(change)
        elif change["Action"] == "CREATE":
            kept.append({**change, "Action": "UPSERT"})
    return kept


def _nothing_refused(_batch: Batch, _limits_of: object) -> tuple[GateRefusal, ...]:
    return ()


def _old_enough(entry: PlanEntry, _plan: Plan | None, _zones: object, needs: Needs) -> tuple[Verdict, Needs]:
    """Judge a plan by its age alone, as the clean-up of 2025 did: who needs it, and who may still write it, is not asked."""
    return Verdict(entry, True, ("old",)), needs
