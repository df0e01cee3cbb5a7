"""The command that writes to the plan table: publish."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Final

import click
import msgspec

from enactor.cli.build import parts
from enactor.cli.history import remember
from enactor.cli.options import end
from enactor.cli.waiting import timeout_option, timeout_seconds
from enactor.fence import instant_text
from enactor.hooks import VerbEnded
from enactor.logs import logger, person_log
from enactor.marks import why_not_allowable
from enactor.outside import SystemChance, SystemClock
from enactor.plan import canonical_json, digest_of
from enactor.report import EXIT_FAILED, EXIT_KEPT_BACK, EXIT_OK, worst
from enactor.settings import Settings
from planner.awaiting import Awaited, await_in_force, status_of, told_of
from planner.deliberation import publish_seen
from planner.looking import look_once
from planner.mirroring import mirrored
from planner.options import (
    WholeType,
    json_option,
    open_table,
    plan_option,
    say_which_fleet,
    source_argument,
    told_all,
    warned_source,
    with_settings,
)
from planner.publisher import PlannerStore, Published, Signature, read_parent
from planner.publisher import publish as publish_plan
from planner.publishing import DIGEST_DIGITS_MIN, Carried, Mismatch, RefusedWhole, Store, Unchanged, Wish
from planner.reports import PublishReport
from planner.sources import Read
from planner.wording import counted, refusal_words

UNGUARDED: Final = "publish it with --unguarded"
ALLOWS_SHOWN_MAX: Final = 20
"""A plan that needs more of them is another plan."""
DIGEST_PATTERN: Final = r"[0-9a-fA-F]{12,64}"


def _digest(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch(DIGEST_PATTERN, value):
        raise click.BadParameter(f"a digest is {DIGEST_DIGITS_MIN} to 64 hex digits")
    return value


@click.command()
@source_argument
@plan_option
@with_settings("table", "id", "plan-mirror", "zones", "roles", "account-share", required=("table",))
@click.option("--unguarded", is_flag=True, help="Store it as it is. Enactors judge it all the same.")
@click.option("--expect-digest", metavar="DIGEST", callback=_digest, help="Store only what has this digest.")
@click.option(
    "--expect-parent",
    metavar="GEN",
    type=WholeType("generation", lowest=0),
    help="Store only on this generation (0: none).",
)
@click.option("--reason", default="", metavar="TEXT", help="Why, for people who look at the table later.")
@click.option("--wait", is_flag=True, help="Go on until it is in force in every zone, or something keeps it back.")
@timeout_option("--wait")
@json_option
def publish(
    *,
    fleet_path: str | None,
    plan_path: str | None,
    settings: Settings,
    unguarded: bool,
    expect_digest: str | None,
    expect_parent: int | None,
    reason: str,
    wait: bool,
    timeout: str | None,
    as_json: bool,
) -> None:
    """Store a plan as the next generation, as far as the guards let it.

    A fleet file's sources are asked once. One look brings a new target in where it is good, and takes none out.
    A plan file stays: a `planner run` publishes nothing more until a fleet file is published here.

    Exit status: 0 stored, or the same as the newest; 1 something failed, the form is wrong, or it is not what was expected;
    2 wrong usage; 3 a guard kept an endpoint or the whole plan back. With --wait 0 means in force everywhere; 1 also that the time
    was up, or a zone unreadable; 3 also that a brake, a guard or a state holds it back somewhere.
    """
    seconds = timeout_seconds(timeout, "--wait", waits=wait)
    with told_all(as_json=as_json):
        read = warned_source(fleet_path, plan_path)
        fleet = read.fleet_name
        say_which_fleet(fleet, settings)
        table = open_table(settings, fleet)
        stays = "a plan file" if plan_path is not None else None
        wish = Wish(
            unguarded=unguarded, expect_digest=expect_digest, expect_parent=expect_parent, stays=stays, looks_back=True
        )
        published = _published(read, table, wish, settings, reason)
        published = with_mirror(published, mirrored(settings, fleet, table, published.head))
    made = ended(published, fleet, reason)
    person_log(logger(planner=settings.id))(made)
    if made.outcome != "unchanged":  # a pipeline publishes the same many times a day
        remember(parts(msgspec.structs.replace(settings, fleet=fleet)), made, program="planner")
    if not wait or not isinstance(published.decision, Store | Unchanged):
        tell(published, as_json=as_json, unguarded=UNGUARDED)
        return
    status = (
        EXIT_OK if as_json else _said_text(published, UNGUARDED)
    )  # a person reads what is waited for, a machine the whole
    with told_all(as_json=as_json):
        awaited = await_in_force(published, msgspec.structs.replace(settings, fleet=fleet), seconds)
    if as_json:
        status = _said_json(published, awaited)
    end(worst(status, status_of(awaited)), told_of(awaited))


def _published(read: Read, table: PlannerStore, wish: Wish, settings: Settings, reason: str) -> Published:
    """Publish what a file means; where sources or the plan in force have a say in that, after one look."""
    clock, chance = SystemClock(), SystemChance()
    if read.settled is not None:
        signature = Signature(settings.id, reason, instant_text(datetime.now(UTC)))
        return publish_plan(table, read.settled, wish, settings.limits, signature=signature, clock=clock, chance=chance)
    seen = look_once(read, lambda: read_parent(table, datetime.now(UTC))[0].base)
    signature = Signature(settings.id, reason, instant_text(datetime.now(UTC)))
    published, thought = publish_seen(
        table, seen, wish, settings.limits, signature=signature, clock=clock, chance=chance
    )
    braked = tuple(one.message for one in thought.planned.braked)
    return msgspec.structs.replace(published, notes=(*published.notes, *braked))


def with_mirror(published: Published, trouble: str | None) -> Published:
    """Note beside what was published that the mirror could not be written."""
    return msgspec.structs.replace(published, notes=(*published.notes, trouble)) if trouble else published


def tell(published: Published, *, as_json: bool, unguarded: str) -> None:
    """Say what was published, and end with the status that goes with it; `unguarded` says how it gets past the planner's guards."""
    end(_said_json(published) if as_json else _said_text(published, unguarded))


def _noted(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(f"planner: {line}", err=True)


def ended(published: Published, fleet: str, reason: str, *, verb: str = "publish") -> VerbEnded:
    """Return what is logged of a publish: one JSON line on stderr, beside the sentences for people."""
    generation = published.head.generation if published.head else None
    event = partial(VerbEnded, verb=verb, fleet=fleet, reason=reason, generation=generation)
    match published.decision:
        case Mismatch(why):
            return event(outcome="refused", detail=f"{why}; nothing was stored")
        case RefusedWhole(findings=findings):
            labels = sorted({finding.guard for finding in findings})
            return event(outcome="refused", detail=f"refused by {', '.join(labels)}; nothing was stored")
        case Store(carried=carried):
            return event(
                outcome="changed", detail=f"published; {counted(len(carried), 'endpoint')} carried or left out"
            )
        case Unchanged(carried=(_, *_) as carried):
            what = f"everything new was refused: {counted(len(carried), 'endpoint')} carried or left out"
            return event(outcome="refused", detail=f"{what}; nothing was stored")
        case Unchanged():
            return event(outcome="unchanged", detail="unchanged; the newest plan says the same")


def _said_json(published: Published, awaited: Awaited | None = None) -> int:
    """Print the one object, and return the status that goes with it."""
    _noted(published.notes)
    report = report_of(published)
    if awaited is not None:
        held_back = awaited.found.sentences
        report = msgspec.structs.replace(report, in_force=not held_back, held_back=held_back)
    click.echo(msgspec.json.encode(report))
    match published.decision:
        case Mismatch(why):
            _noted([f"{why}; nothing was stored"])
            return EXIT_FAILED
        case RefusedWhole() | Store(carried=(_, *_)) | Unchanged(carried=(_, *_)):
            return EXIT_KEPT_BACK
        case Store() | Unchanged():
            return EXIT_OK


def report_of(published: Published) -> PublishReport:
    """Return what `--json` prints."""
    decision, head = published.decision, published.head
    return PublishReport(
        generation=head.generation if head else None,
        digest=head.digest if head else None,
        created=isinstance(decision, Store),
        refused=decision.findings if isinstance(decision, RefusedWhole) else (),
        carried=() if isinstance(decision, Mismatch) else decision.carried,
    )


def _said_text(published: Published, unguarded: str) -> int:
    """Say what was published to a person, and return the status that goes with it."""
    _noted(published.notes)
    decision = published.decision
    match decision:
        case Mismatch(why):
            _noted([f"{why}; nothing was stored"])
            return EXIT_FAILED
        case RefusedWhole(findings=findings):
            _noted(f"refused by {finding.guard}: {finding.message}" for finding in findings)
            _noted([*_carried(decision.carried), "nothing was stored", *_if_meant(published, unguarded)])
            return EXIT_KEPT_BACK
        case Store() | Unchanged():
            assert published.head is not None, "what was published, or is the same, has a HEAD"
            word = "published" if isinstance(decision, Store) else "unchanged"
            click.echo(
                f"{word} generation {published.head.generation} digest {published.head.digest[:DIGEST_DIGITS_MIN]}"
            )
            for line in _carried(decision.carried):
                click.echo(line)
            if not decision.carried:
                return EXIT_OK
            click.echo(_explained(published, decision.carried))
            _noted(_if_meant(published, unguarded))
            return EXIT_KEPT_BACK


def _explained(published: Published, carried: tuple[Carried, ...]) -> str:
    """Say once what `carried` and `left out` mean, and that the digest above is of what stands in the table."""
    left_out = sum(one.left_out for one in carried)
    kept = len(carried) - left_out
    words = refusal_words(len(published.plan.endpoints), carried=kept, left_out=left_out, parent=published.parent)
    asked = digest_of(canonical_json(published.plan))[:DIGEST_DIGITS_MIN]
    return f"{words} (exit 3); what was asked for as a whole has digest {asked}"


def _if_meant(published: Published, unguarded: str) -> list[str]:
    """Say how what guards refused gets in all the same, where a person means it and the guard can be lifted."""
    decision, number = published.decision, published.next
    whole = decision.findings if isinstance(decision, RefusedWhole) else ()
    lines = [
        f"if it is meant: `enactor allow '*' --guard {guard} --generation {number} --reason R`, and publish again"
        for guard in sorted({one.guard for one in whole if not why_not_allowable(one.guard, of_plan=True)})
    ]
    if isinstance(decision, Mismatch) or whole:
        return lines
    allows = [
        f"`enactor allow {one.name} --guard {guard} --generation {number} --reason R`"
        for one in decision.carried
        for guard in sorted({finding.guard for finding in one.guards})
        if not one.left_out and not why_not_allowable(guard, of_plan=False)
    ]
    if allows:
        lines.append(f"if it is meant: {unguarded} (generation {number}), then")
        lines += [f"  {one}" for one in allows[:ALLOWS_SHOWN_MAX]]
    if len(allows) > ALLOWS_SHOWN_MAX:
        lines.append(f"  and {len(allows) - ALLOWS_SHOWN_MAX} more, each in `enactor survey` then")
    return lines


def _carried(carried: tuple[Carried, ...]) -> list[str]:
    return [
        f"{'left out' if one.left_out else 'carried'} {one.name} ({one.zone}): "
        + "; ".join(f"{finding.guard}: {finding.message}" for finding in one.guards)
        for one in carried
    ]
