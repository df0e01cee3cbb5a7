"""Decide whether a published generation is in force everywhere, from a survey: it is, it is not yet, or something keeps it back.

Pure. In force means that every zone the plan has endpoints in is open at that generation or above, and that every endpoint which
the plan lists is at rest on it. What a person or a guard keeps back is no reason to wait longer, and no reason to call it well.

    zone or endpoint                                                    found
    -------------------------------------------------------------------  ---------
    zone unreadable; table unreadable; the plan at hand is an older one  unknown: looked at again until the time is up
    zone stopped or absent, forked; a plan-wide refusal; endpoint held,  kept back: a person decides
      refused, foreign, garbled, retired though the plan lists it
    zone not open yet; endpoint behind, missing, empty, drifted,         not yet
      without its fence
    everything else                                                      in force
"""

from typing import Final

import msgspec

from enactor.report import SurveyEndpoint, SurveyReport, ZoneReport

KEPT_BACK: Final = frozenset({"held", "refused", "foreign", "fence-garbled", "retired"})
SENTENCES_MAX: Final = 20


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What one look found, a sentence each."""

    unknown: tuple[str, ...] = ()
    not_yet: tuple[str, ...] = ()
    kept_back: tuple[str, ...] = ()

    @property
    def is_settled(self) -> bool:
        """Tell whether waiting longer can change nothing."""
        return not self.unknown and not self.not_yet

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return what is told to a person: the first of each, and how many more there are."""
        return tuple(line for lines in (self.unknown, self.not_yet, self.kept_back) for line in _some(lines))


def found(report: SurveyReport, generation: int) -> Found:
    """Hold a survey against a published generation; a newer plan that was published since is as good."""
    unknown = [*report.problems, *(f"zone {zone.zone}: {zone.error}" for zone in report.zones if zone.error)]
    newest = report.plan.generation
    if newest is None or newest < generation:
        at_hand = "no plan" if newest is None else f"generation {newest}"
        unknown.append(f"{at_hand} is at hand to hold the zones against, and {generation} was published")
        return Found(unknown=tuple(unknown))
    kept_back = [f"plan {newest} is refused as a whole: {one.guard}: {one.message}" for one in report.refused]
    not_yet: list[str] = []
    closed = set()
    for zone in (one for one in report.zones if not one.error):
        if why := _closed(zone):
            closed.add(zone.zone)
            kept_back.append(why)
        elif (zone.open or 0) < generation and not report.refused:
            not_yet.append(f"zone {zone.zone} is open at {zone.open or 0}, not at {generation} yet")
    for endpoint in report.endpoints:
        if endpoint.wanted is None or endpoint.zone in closed or endpoint.state == "current":
            continue
        (kept_back if endpoint.state in KEPT_BACK else not_yet).append(_endpoint(endpoint))
    return Found(unknown=tuple(unknown), not_yet=tuple(not_yet), kept_back=tuple(kept_back))


def _closed(zone: ZoneReport) -> str | None:
    """Say why nothing of a plan is written in a zone until a person decides."""
    if zone.switch == "absent":
        return f"zone {zone.zone} has no switch, which means stop: `enactor init --zone {zone.zone}`"
    if zone.switch == "stop":
        return f"zone {zone.zone} is stopped: `enactor start --zone {zone.zone}`"
    if zone.plan in {"ahead", "forked"}:
        return f"zone {zone.zone} is {zone.plan} of every plan at hand: publish one above {zone.open}"
    return None


def _endpoint(endpoint: SurveyEndpoint) -> str:
    reasons = "; ".join(endpoint.reasons)
    return f"{endpoint.name} in zone {endpoint.zone} is {endpoint.state}" + (f": {reasons}" if reasons else "")


def _some(lines: tuple[str, ...]) -> tuple[str, ...]:
    rest = len(lines) - SENTENCES_MAX
    return (*lines[:SENTENCES_MAX], *([f"and {rest} more; `enactor survey` names them"] if rest > 0 else []))
