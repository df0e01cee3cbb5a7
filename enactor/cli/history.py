"""Remember in the plan table what a person did, with the caller's ARN: best effort, after the deed, in at most a few seconds."""

import boto3
import click

from enactor.aws_errors import AWS_ERRORS
from enactor.cli.build import Parts, utc_now
from enactor.hooks import VerbEnded
from enactor.ports import OutsideError
from enactor.table import PlanTable
from enactor.table_setup import HASTY, table_client

TEXT_MAX_CHARACTERS = 1_000
UNKNOWN_CALLER = "unknown"


def remember(doors: Parts, ended: VerbEnded, *, program: str = "enactor") -> None:
    """Write a verb into the history; where that fails, say so and go on."""
    settings = doors.settings
    if not settings.table:
        return
    facts = {
        "verb": ended.verb,
        "outcome": ended.outcome,
        "reason": ended.reason[:TEXT_MAX_CHARACTERS],
        "detail": ended.detail[:TEXT_MAX_CHARACTERS],
        "zone": ended.zone or "",
        "name": ended.name or "",
        "generation": str(ended.generation or ""),
        "change_id": ended.change_id or "",
        "by": settings.id,
        "caller": caller(doors.session),
    }
    try:
        client = table_client(doors.session, hasty=True)
        table = PlanTable(client, settings.table, settings.fleet, clock=doors.clock, chance=doors.chance)
        table.record(facts, at=utc_now(), event=doors.chance.nonce())
    except OutsideError as error:
        click.echo(f"{program}: the history in the plan table lacks this {ended.verb}: {error}", err=True)


def caller(session: boto3.Session) -> str:
    """Return the ARN of whoever runs the command, where STS says it."""
    try:
        return str(session.client("sts", config=HASTY).get_caller_identity()["Arn"])
    except AWS_ERRORS:
        return UNKNOWN_CALLER
