"""The first lines of a service's log say every setting, however many items it has."""

import io
import json
from contextlib import redirect_stderr
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from enactor.log_settings import say_settings
from enactor.logs import ITEMS_LOGGED_MAX, logger
from enactor.settings import CRITICAL_MAX, settle


def lines(settings: Any) -> list[dict[str, Any]]:
    stream = io.StringIO()
    with redirect_stderr(stream):
        say_settings(logger(enactor="a"), settings, version="0.1.0")
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def settled(**flags: Any) -> Any:
    return msgspec.to_builtins(settle(flags, {}, {}, "host"))


def test_few_settings_are_one_line() -> None:
    """As it was told, and the version beside it."""
    (line,) = lines(settled(zones=("Z1", "Z2"), table="plans"))
    assert (line["event"], line["version"]) == ("starting", "0.1.0")
    assert (line["settings"]["zones"], line["settings"]["table"]) == (["Z1", "Z2"], "plans")
    assert line["settings"]["limits"]["default"]["shrink-targets"] == 0.5


@given(zones=st.integers(1, 120), critical=st.integers(0, CRITICAL_MAX), octets=st.integers(1, 60))
def test_no_zone_role_or_critical_name_is_left_out(zones: int, critical: int, octets: int) -> None:
    """Put together again, all of them are there, in their order, and no line was cut."""
    wanted = {
        "zones": tuple(f"Z{number:03}" for number in range(zones)),
        "critical": tuple(
            f"{'a' * octets}{number}.{'b' * octets}.{'c' * octets}.example.test." for number in range(critical)
        ),
        "roles": {f"Z{number:03}": f"arn:aws:iam::123456789012:role/{'r' * octets * 8}" for number in range(zones)},
    }
    first, *more = lines(settled(**wanted))
    told: dict[str, list[Any]] = {}
    for line in more:
        assert (line["event"], line["first"]) == ("setting", len(told.setdefault(line["setting"], [])) + 1)
        assert len(line["items"]) <= ITEMS_LOGGED_MAX
        told[line["setting"]] += line["items"]
        assert line["of"] == len(wanted[line["setting"]])
    for key, value in wanted.items():
        found: Any = told[key] if key in told else first["settings"][key]
        if key == "roles" and key in told:
            found = {zone: role for one in found for zone, role in one.items()}
        assert found == (value if isinstance(value, dict) else list(value))


def test_rules_of_limits_are_told_too() -> None:
    """By their path in the file's words."""
    rules = {
        "limits": {"endpoints": [{"match": f"e{number}.example.test", "shrink-targets": 0.2} for number in range(45)]}
    }
    first, *more = lines(msgspec.to_builtins(settle({}, {}, rules, "host")))
    assert first["settings"]["limits"]["rules"] == "45 items, in lines of their own"
    assert [one["match"] for line in more for one in line["items"]] == [
        f"e{number}.example.test." for number in range(45)
    ]
