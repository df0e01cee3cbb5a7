"""Decide where in a stored plan an endpoint stands, and what content it gives it. Pure; computed once for each plan."""

from collections.abc import Mapping

from enactor.plan import Broken, Endpoint, StoredPlan, content_of_endpoint
from enactor.records import Content, content_digest
from enactor.report import Source


class PlanIndex:
    """A stored plan, looked at by zone and name."""

    def __init__(self, stored: StoredPlan, source: Source) -> None:
        self.stored = stored
        self.source: Source = source
        self.by_zone: dict[str, dict[str, Endpoint | Broken]] = {}
        self.contents: dict[tuple[str, str], Content] = {}
        self.digests: dict[tuple[str, str], str] = {}
        for part in stored.plan.listed:
            self.by_zone.setdefault(part.zone, {})[part.name] = part
        for endpoint in stored.plan.endpoints:
            content = content_of_endpoint(endpoint)
            self.contents[endpoint.key] = content
            self.digests[endpoint.key] = content_digest(content)
        self.retired = frozenset(retired.key for retired in stored.plan.retired)

    @property
    def identity(self) -> tuple[int, str]:
        """Return what makes a plan one: generation and digest."""
        return (self.stored.generation, self.stored.digest)

    def zone(self, zone: str) -> Mapping[str, Endpoint | Broken]:
        """Return what the plan lists in one zone."""
        return self.by_zone.get(zone, {})
