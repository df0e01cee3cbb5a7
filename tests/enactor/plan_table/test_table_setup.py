"""Making the table: once, with its protections; an existing one stays as it is, and what it lacks is said."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from enactor.ports import Denied, OutsideError, Unavailable

from .world import World

pytestmark = pytest.mark.xdist_group("table_setup")


@pytest.fixture
def bare(world: World) -> World:
    """Return a world whose table is not made yet."""
    world.raw.delete_table(TableName=world.table)
    return world


def error(code: str, operation: str = "Op") -> ClientError:
    """Return an answer of DynamoDB's that is an error."""
    return ClientError({"Error": {"Code": code, "Message": "no"}}, operation)


def test_a_new_table_has_every_protection(bare: World) -> None:
    """On demand, point-in-time recovery, deletion protection, and an expiry for announcements; told as made once."""
    store = bare.store()
    made = store.create_table()
    assert (made.made, made.lacks) == (True, ())
    table = bare.raw.describe_table(TableName=bare.table)["Table"]
    assert table["DeletionProtectionEnabled"]
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    expiry = bare.raw.describe_time_to_live(TableName=bare.table)["TimeToLiveDescription"]
    assert (expiry["TimeToLiveStatus"], expiry["AttributeName"]) == ("ENABLED", "ttl")
    backups = bare.raw.describe_continuous_backups(TableName=bare.table)["ContinuousBackupsDescription"]
    assert backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"
    again = store.create_table()
    assert (again.made, again.lacks) == (False, ())
    bare.raw.update_table(TableName=bare.table, DeletionProtectionEnabled=False)


def test_what_an_existing_table_lacks_is_said(world: World) -> None:
    """A table that somebody else made is taken as it is; a protection that may not be switched on is a sentence, no failure."""
    store, hooks = world.actor()
    hooks.replies["update_continuous_backups"] = _denies
    made = store.create_table()
    assert not made.made
    assert [lack.split(" ")[0] for lack in made.lacks] == ["switching", "deletion"]
    assert "point-in-time recovery on failed" in made.lacks[0]


def _denies(_: dict[str, Any]) -> Any:
    raise error("AccessDeniedException")


def test_two_inits_at_once_both_succeed(bare: World) -> None:
    """The other one made it between our look and our call: fine."""
    store, hooks = bare.actor()

    def taken(_: dict[str, Any]) -> Any:
        bare.store().create_table()
        raise error("ResourceInUseException", "CreateTable")

    hooks.replies["create_table"] = taken
    assert not store.create_table().made
    bare.raw.update_table(TableName=bare.table, DeletionProtectionEnabled=False)


def test_a_table_with_other_keys_is_refused(bare: World) -> None:
    """Somebody's other table is not written to."""
    bare.raw.create_table(
        TableName=bare.table,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
    )
    with pytest.raises(OutsideError, match="no plan table; choose another"):
        bare.store().create_table()


def test_a_table_that_never_becomes_active_is_not_waited_for_without_end(world: World) -> None:
    """After three minutes of CREATING somebody has to look."""
    store, hooks = world.actor()
    hooks.replies["describe_table"] = lambda _: {"Table": {"TableStatus": "CREATING"}}
    with pytest.raises(Unavailable, match="is CREATING after 180 s"):
        store.create_table()
    assert 180 <= world.clock.seconds < 185


def test_backups_that_come_a_moment_later_are_waited_for(bare: World) -> None:
    """A table's backups cannot be switched on in its first seconds."""
    store, hooks = bare.actor()
    answers = [error("ContinuousBackupsUnavailableException")] * 2

    def reply(arguments: dict[str, Any]) -> Any:
        if answers:
            raise answers.pop()
        return bare.raw.update_continuous_backups(**arguments)

    hooks.replies["update_continuous_backups"] = reply
    assert store.create_table().lacks == ()
    bare.raw.update_table(TableName=bare.table, DeletionProtectionEnabled=False)


def test_wrong_credentials_are_said_at_once(bare: World) -> None:
    """No table is made by somebody who may not look for it."""
    store, hooks = bare.actor()
    hooks.replies["describe_table"] = _denies
    with pytest.raises(Denied, match="looking for the plan table failed at table"):
        store.create_table()
