"""Decide how an import is told: the comments in the file, and the lines beside it. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from planner.importing import LeftOut, Wanted, ZoneFinding, matches
from planner.wording import counted

WIDTH_CHARACTERS: Final = 120
"""How wide a comment is; reasons go on below."""


def head(findings: Sequence[ZoneFinding], wanted: Wanted, at: str | None) -> tuple[str, ...]:
    """Return what stands at the top: from what the file was made, and, where it was asked for, when."""
    dated = f" at {at}" if at else ""
    return (
        f"Fleet {wanted.fleet}, as `planner import` found it{dated}: a plan of this file changes no record set.",
        *(line for finding in findings for line in _of_zone(finding)),
        *((f"Only names were asked for that match {' or '.join(wanted.patterns)}.",) if wanted.patterns else ()),
    )


def _of_zone(finding: ZoneFinding) -> Iterator[str]:
    more = f", {len(finding.left_out)} left out (at the end, with the reasons)" if finding.left_out else ""
    yield f"From hosted zone {finding.zone} ({_bare(finding.zone_name)}): {counted(len(finding.endpoints), 'name')}{more}."


def tail(findings: Sequence[ZoneFinding]) -> tuple[str, ...]:
    """Return what stands at the end: each name that was left out, and why."""
    left_out = [one for finding in findings for one in finding.left_out]
    if not left_out:
        return ()
    return (
        "Left out. What stands at these names stays as it is, as no plan lists them:",
        *(line for one in left_out for line in _reasons(one)),
    )


def _reasons(one: LeftOut) -> Iterator[str]:
    yield f"- {_bare(one.name)} ({one.zone})"
    yield from (f"    {reason}" for reason in one.reasons)


def _bare(name: str) -> str:
    return name.removesuffix(".")


def lines(findings: Sequence[ZoneFinding]) -> tuple[str, ...]:
    """Return what is said beside the file: each name that was left out, what else a zone holds, and how many came in."""
    left_out = [one for finding in findings for one in finding.left_out]
    told = [f"left out {one.name} ({one.zone}): {'; '.join(one.reasons)}" for one in left_out]
    told += (_others(finding) for finding in findings if finding.others)
    count = sum(len(finding.endpoints) for finding in findings)
    more = f", {len(left_out)} left out (exit 3)" if left_out else ""
    return (*told, f"{counted(count, 'name')} imported{more}")


def _others(finding: ZoneFinding) -> str:
    what = ", ".join(f"{number} {kind}" for kind, number in finding.others.items())
    number = sum(finding.others.values())
    return f"zone {finding.zone} has {counted(number, 'record set')} of other types ({what}), which no plan holds or touches"


def idle_patterns(findings: Sequence[ZoneFinding], wanted: Wanted) -> tuple[str, ...]:
    """Return a sentence for each pattern that no name matches: most likely it is mistyped, and its names would be missing."""
    names = {one.name for finding in findings for one in finding.endpoints}
    names |= {one.name for finding in findings for one in finding.left_out}
    zones = ", ".join(finding.zone for finding in findings)
    return tuple(
        f"--names {pattern!r} matches no name with A, AAAA or CNAME record sets in zone {zones}"
        for pattern in wanted.patterns
        if not any(matches(name, [pattern]) for name in names)
    )
