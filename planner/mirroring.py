"""Put what was published into the plan mirror, after the commit and best effort: a mirror that is away keeps no plan from the table."""

from enactor.cli.options import session
from enactor.mirror import PlanMirror, plan_mirror
from enactor.plan import StoredPlan
from enactor.ports import OutsideError, PlanHead
from enactor.settings import Settings
from planner.publisher import PlannerStore


def mirrored(settings: Settings, fleet: str, table: PlannerStore, head: PlanHead | None) -> str | None:
    """Bring the mirror to HEAD, where one is set; return why that failed.

    It is looked at also where nothing new was published, so that a mirror that missed a plan gets it with the next run.
    """
    if not settings.plan_mirror or head is None:
        return None
    try:
        bring_to_head(plan_mirror(session(), settings.plan_mirror, fleet), table, head)
    except OutsideError as error:
        return f"generation {head.generation} is in the table and not in the mirror: {error}"
    return None


def bring_to_head(mirror: PlanMirror, table: PlannerStore, head: PlanHead) -> None:
    """Bring a mirror to the plan that HEAD was; raise where it cannot be told whether it is there."""
    stored = table.read(head.generation)
    if isinstance(stored, StoredPlan) and stored.digest == head.digest:
        mirror.save(stored, table.head)
