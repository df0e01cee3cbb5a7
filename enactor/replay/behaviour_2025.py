"""How an enactor worked in October 2025, as AWS told it: a small copy, kept here for the replay and its tests alone.

Four habits, each sound by itself. It checks once, when it picks a plan up, that the plan is newer than what is in force. It builds
the plan's record sets as a tree beside the old one and flips the endpoint's alias over, blindly, under a lock that says who writes and
not which plan. In the same transaction it points a rollback record at the plan in force. And it cleans up by age.

It writes with UPSERT and deletes by age, which the product never does; the house rules name this module as the one exception.
"""

from typing import Any, Final

from botocore.exceptions import ClientError

from enactor.replay.stage import ADDRESSES, API, PLANS, TTL_SECONDS, ZONE

KEEP_PLANS: Final = 2
"""Clean-up leaves the newest plans it knows of, and nothing else counts."""
LOCK: Final = f"_lock.{API}"
ROLLBACK: Final = f"rollback.{API}"


def tree_name(generation: int) -> str:
    """Return the name under which a plan's record sets stand."""
    return f"plan-{generation}.{API}"


class Automation2025:
    """One enactor of that day."""

    def __init__(self, name: str, route53: Any) -> None:
        self.name = name
        self._route53 = route53

    def in_force(self) -> int | None:
        """Return the generation the endpoint's alias points to."""
        alias = next((found["AliasTarget"] for found in self._at(API) if "AliasTarget" in found), None)
        return int(alias["DNSName"].split(".")[0].removeprefix("plan-")) if alias else None

    def picks_up(self, generation: int) -> bool:
        """Check, once, that a plan is newer than what is in force."""
        return generation > (self.in_force() or 0)

    def build_tree(self, generation: int) -> None:
        """Write a plan's record sets at their own name, where no client looks yet."""
        self._change([("UPSERT", record) for record in _tree(generation)])

    def take_lock(self) -> bool:
        """Take the endpoint's lock; False where another enactor has it."""
        try:
            self._change([("CREATE", self._lock())])
        except ClientError:
            return False
        return True

    def release_lock(self) -> None:
        """Give the endpoint's lock back."""
        self._change([("DELETE", self._lock())])

    def flip(self, generation: int) -> str | None:
        """Point the endpoint at a plan's tree, and the rollback record at the one in force; return why Route 53 refused."""
        before = self.in_force()
        changes = [("DELETE", self._lock()), ("CREATE", self._lock()), ("UPSERT", _alias(API, generation))]
        if before is not None:
            changes.append(("UPSERT", _alias(ROLLBACK, before)))
        try:
            self._change(changes)
        except ClientError as error:
            return str(error.response["Error"]["Message"])
        return None

    def old_trees(self) -> list[int]:
        """Begin a clean-up: list the trees that are old by now."""
        trees = sorted(generation for generation in PLANS if self._at(tree_name(generation)))
        return trees[:-KEEP_PLANS]

    def delete_trees(self, generations: list[int]) -> None:
        """End a clean-up: delete what was listed."""
        for generation in generations:
            self._change([("DELETE", found) for found in self._at(tree_name(generation))])

    def _lock(self) -> dict[str, Any]:
        return {"Name": LOCK, "Type": "TXT", "TTL": TTL_SECONDS, "ResourceRecords": [{"Value": f'"{self.name}"'}]}

    def _at(self, name: str) -> list[dict[str, Any]]:
        answer = self._route53.list_resource_record_sets(HostedZoneId=ZONE, StartRecordName=name)
        return [found for found in answer["ResourceRecordSets"] if found["Name"] == name]

    def _change(self, changes: list[tuple[str, dict[str, Any]]]) -> None:
        batch = [{"Action": action, "ResourceRecordSet": record} for action, record in changes]
        self._route53.change_resource_record_sets(HostedZoneId=ZONE, ChangeBatch={"Changes": batch})


def _tree(generation: int) -> list[dict[str, Any]]:
    return [
        {
            "Name": tree_name(generation),
            "Type": "A",
            "SetIdentifier": member,
            "Weight": 10,
            "TTL": TTL_SECONDS,
            "ResourceRecords": [{"Value": ADDRESSES[member]}],
        }
        for member in PLANS[generation]
    ]


def _alias(name: str, generation: int) -> dict[str, Any]:
    target = {"HostedZoneId": ZONE, "DNSName": tree_name(generation), "EvaluateTargetHealth": False}
    return {"Name": name, "Type": "A", "AliasTarget": target}
