"""Tell once of each newest plan where no enactor has opened it: what a planner can know of that from the plan table alone.

Enactors announce the highest generation that is open in any of their zones, about once a minute. So a plan that is refused as a
whole, a zone that is stopped, and enactors that are gone are seen here; that a guard keeps one endpoint out, or one zone of several
behind, is not. It is for people: nothing is decided by it, since an announcement may be late or never come.
"""

from typing import Final

from enactor.guards import some
from enactor.ports import OutsideError, PlanHead, PlanStore, Stopping

PATIENCE_SECONDS: Final = 180.0
"""How long a plan may be the newest before it is asked for: three times as long as enactors leave between two announcements."""


class InForce:
    """What is known of the newest plan."""

    def __init__(self, store: PlanStore) -> None:
        self._store = store
        self._head: PlanHead | None = None
        self._since = 0.0
        self._is_settled = False

    def missing(self, head: PlanHead, now: float) -> str | None:
        """Return a sentence where no enactor has opened the newest plan, once for each; `now` in monotonic seconds.

        One request for each plan, and again where the table had no answer.
        """
        if head != self._head:
            self._head, self._since, self._is_settled = head, now, False
        if self._is_settled or now - self._since < PATIENCE_SECONDS:
            return None
        try:
            seen = self._store.announcements()
        except Stopping:
            raise
        except OutsideError:
            return None
        self._is_settled = True
        if any(one.generation >= head.generation for one in seen):
            return None
        newest = {one.id: one for one in sorted(seen, key=lambda one: one.seen)}
        who = some(f"{one.id} has {one.generation} open (seen {one.seen})" for _, one in sorted(newest.items()))
        why = f"of the enactors {who}" if who else "no enactor has announced itself"
        return (
            f"generation {head.generation} is the newest since {PATIENCE_SECONDS:g} s or longer, and in force nowhere: {why}; "
            "`enactor survey` says what keeps it out"
        )
