"""What `check` warns of: files that are right in form and will not work, or say what is seldom meant."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from planner.cli import main
from planner.fleet import compile_fleet
from planner.fleet_warnings import plan_warnings
from tests.enactor.kernel_builders import cname, entry, plan, simple, weighted

NO_TARGET = "so it has no target, and the guard empty refuses that"


def balancer(number: int, **changes: Any) -> dict[str, Any]:
    return {"id": f"lb-{number}", "capacity": 100, "addresses": [f"192.0.2.{number}"]} | changes


def warnings(*balancers: Any, pools: dict[str, Any] | None = None, **endpoint: Any) -> list[str]:
    """Return the warnings about a file with one endpoint over the pool blue."""
    good = {"name": "api.example.test", "zone": "main", "pools": {"blue": 1.0}} | endpoint
    raw = {
        "fleet": "edge",
        "zones": {"main": {"id": "Z0EXAMPLE", "name": "example.test"}},
        "pools": {"blue": list(balancers)} | (pools or {}),
        "endpoints": [good],
    }
    reading = compile_fleet(raw)
    assert reading.faults == ()
    return [str(warning) for warning in reading.warnings]


def test_a_plain_fleet_has_no_warning() -> None:
    """Whole numbers, an address of one of the types, every pool used: not a word."""
    assert warnings(balancer(1), balancer(2, enabled=False)) == []


def test_an_endpoint_without_a_target() -> None:
    """No pool, an empty one, or one in which everything is disabled: the guard will refuse it, and it is said now."""
    nothing = f"endpoints[0].pools: no load balancer of api.example.test. is enabled (its pools: blue), {NO_TARGET}"
    assert warnings() == [nothing]
    assert warnings(balancer(1, enabled=False)) == [nothing]


def test_an_endpoint_that_names_no_pool() -> None:
    """And the pool that nobody uses then."""
    reading = compile_fleet(
        {
            "fleet": "edge",
            "zones": {"main": {"id": "Z0EXAMPLE", "name": "example.test"}},
            "pools": {"blue": [balancer(1)]},
            "endpoints": [{"name": "api.example.test", "zone": "main", "pools": {}}],
        }
    )
    assert [str(warning) for warning in reading.warnings] == [
        f"endpoints[0].pools: api.example.test. names no pool, {NO_TARGET}",
        "pools.blue: no endpoint uses it",
    ]


def test_types_that_match_no_address() -> None:
    """IPv6 alone over load balancers that have none."""
    what = f"no load balancer of api.example.test. has an address of type AAAA (its pools: blue), {NO_TARGET}"
    assert warnings(balancer(1), types=["AAAA"]) == [f"endpoints[0].types: {what}"]
    assert warnings(balancer(1, addresses=["2001:db8::1"]), types=["AAAA"]) == []


@pytest.mark.parametrize(
    ("capacities", "words"),
    [
        ([1000, 10, 1], "1000 is over 255: the largest, 1000 of lb-0, becomes 255, and the smallest, 1 of lb-2, 1"),
        ([0.5, 2], "0.5 is no whole number: the largest, 2 of lb-1, becomes 255, and the smallest, 0.5 of lb-0, 64"),
        ([300], "300 is over 255: the largest, 300 of lb-0, becomes 255"),
        ([300, 300], "300 is over 255: the largest, 300 of lb-0, becomes 255"),
        (
            [255, 1.5, 0.5],
            "1.5 is no whole number: the largest, 255 of lb-0, becomes 255, and the smallest, 0.5 of lb-2, 1",
        ),
        (
            [10**15, 10**15 - 1],
            "1e+15 is over 255: the largest, 1e+15 of lb-0, becomes 255, and the smallest, 999999999999999 of lb-1, 255",
        ),
        ([10**400], "over 1000000000000000 is over 255: the largest, over 1000000000000000 of lb-0, becomes 255"),
    ],
)
def test_scaled_capacity_is_said_with_its_numbers(capacities: list[float], words: str) -> None:
    """One that joins would rewrite the others: whoever wrote 1000 should know."""
    many = [balancer(number, capacity=capacity) for number, capacity in enumerate(capacities)]
    assert warnings(*many) == [f"endpoints[0].pools: capacity x share is scaled to weights, as {words}"]
    assert warnings(*many, routing="multivalue") == []


def test_an_unused_pool() -> None:
    """Capacity that nobody is sent to."""
    assert warnings(balancer(1), pools={"green": [], "red": []}) == [
        "pools.green: no endpoint uses it",
        "pools.red: no endpoint uses it",
    ]


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("127.0.0.53", "127.0.0.53 is a loopback address"),
        ("::1", "::1 is a loopback address"),
        ("0.0.0.0", "0.0.0.0 is the unspecified address"),
        ("::", ":: is the unspecified address"),
        ("169.254.169.254", "169.254.169.254 is a link-local address"),
        ("fe80::1", "fe80::1 is a link-local address"),
        ("224.0.0.1", "224.0.0.1 is a multicast address"),
        ("ff02::1", "ff02::1 is a multicast address"),
    ],
)
def test_an_address_that_no_client_reaches(address: str, what: str, tmp_path: Path) -> None:
    """In a fleet file and in a plan file; a private address is right in a private zone."""
    (said,) = warnings(balancer(1, addresses=[address]))
    assert said.startswith(f"pools.blue[0].addresses[0]: {what}: ")
    assert warnings(balancer(1, addresses=["10.0.0.1", "fd00::1"])) == []
    target = {"id": "lb-1", "type": "AAAA" if ":" in address else "A", "value": address, "weight": 1}
    endpoint = {"name": "api.example.test", "zone": "Z1", "routing": "weighted", "ttl": 60, "targets": [target]}
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"format": 1, "fleet": "edge", "endpoints": [endpoint]}), encoding="utf-8")
    result = CliRunner().invoke(main, ["check", "--plan", str(plan)], catch_exceptions=False)
    assert (result.exit_code, result.stderr.startswith(f"warning: api.example.test. lb-1: {what}: ")) == (0, True)


def test_check_prints_warnings_on_stderr_alone(tmp_path: Path) -> None:
    """Exit 0, one line each on stderr, and stdout as it was; `compile` prints the plan and no warning."""
    path = tmp_path / "fleet.yaml"
    path.write_text(
        "fleet: edge\nzones: {main: {id: Z0EXAMPLE, name: example.test}}\npools: {blue: []}\nendpoints:\n"
        "  - {name: api.example.test, zone: main, pools: {blue: 1.0}}\n",
        encoding="utf-8",
    )
    result = CliRunner().invoke(main, ["check", str(path)], catch_exceptions=False)
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, 1)
    assert result.stderr == (
        f"warning: endpoints[0].pools: no load balancer of api.example.test. is enabled (its pools: blue), {NO_TARGET} (line 5)\n"
    )
    compiled = CliRunner().invoke(main, ["compile", str(path)], catch_exceptions=False)
    assert (compiled.stderr, json.loads(compiled.stdout)["fleet"]) == ("", "edge")
    plan = tmp_path / "plan.json"
    plan.write_text(compiled.stdout, encoding="utf-8")
    result = CliRunner().invoke(main, ["check", "--plan", str(plan)], catch_exceptions=False)
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: api.example.test.: the guard empty refuses it: ")
    path.write_text(path.read_text().split("endpoints")[0] + "endpoints: []", encoding="utf-8")
    result = CliRunner().invoke(main, ["check", str(path)], catch_exceptions=False)
    assert (result.exit_code, result.stderr.splitlines()) == (
        0,
        [
            "warning: endpoints: empty; the guard empty-plan refuses a plan without endpoints (line 4)",
            "warning: pools.blue: no endpoint uses it (line 3)",
        ],
    )


def test_an_endpoint_of_several_pools_names_all_of_them() -> None:
    """In the order in which it does."""
    raw = {
        "fleet": "edge",
        "zones": {"main": {"id": "Z0EXAMPLE", "name": "example.test"}},
        "pools": {"blue": [balancer(1, enabled=False)], "green": [balancer(2)]},
        "endpoints": [
            {"name": "a.example.test", "zone": "main", "pools": {"green": 1, "blue": 1}, "types": ["AAAA"]},
            {"name": "b.example.test", "zone": "main", "pools": {"blue": 1}},
        ],
    }
    types = "no load balancer of a.example.test. has an address of type AAAA (its pools: green, blue)"
    assert [str(warning) for warning in compile_fleet(raw).warnings] == [
        f"endpoints[0].types: {types}, {NO_TARGET}",
        f"endpoints[1].pools: no load balancer of b.example.test. is enabled (its pools: blue), {NO_TARGET}",
    ]


def test_a_capacity_that_is_a_weight_as_it_stands_is_not_scaled() -> None:
    """Up to 255, whole; and where routing has no weights nothing is scaled at all."""
    assert warnings(balancer(1, capacity=255), balancer(2, capacity=1)) == []
    assert warnings(balancer(1, capacity=300), routing="simple") == []


def test_warnings_stand_in_the_order_of_the_file_endpoints_first() -> None:
    """Then load balancers, then pools that nobody uses, by name."""
    raw = {
        "fleet": "edge",
        "zones": {"main": {"id": "Z0EXAMPLE", "name": "example.test"}},
        "pools": {
            "red": [],
            "blue": [balancer(1, addresses=["::1"]), balancer(2, addresses=["127.0.0.1", "fe80::1"])],
            "green": [],
        },
        "endpoints": [
            {"name": "b.example.test", "zone": "main", "pools": {}},
            {"name": "a.example.test", "zone": "main", "pools": {"blue": 0.001}},
        ],
    }
    assert [str(warning).split(": ")[0] for warning in compile_fleet(raw).warnings] == [
        "endpoints[0].pools",
        "endpoints[1].pools",
        "pools.blue[0].addresses[0]",
        "pools.blue[1].addresses[0]",
        "pools.blue[1].addresses[1]",
        "pools.green",
        "pools.red",
    ]


@pytest.mark.parametrize("endpoints", [{}, None, "api.example.test", [5], [{"pools": 5}]])
def test_where_endpoints_cannot_be_read_no_pool_is_said_to_be_unused(endpoints: Any) -> None:
    """Nor that there are none: it is sure only where every endpoint's pools are known."""
    raw = {"fleet": "edge", "zones": {}, "pools": {"blue": [balancer(1)]}, "endpoints": endpoints}
    reading = compile_fleet(raw)
    assert (reading.warnings, bool(reading.faults)) == ((), True)


def test_a_plan_files_warnings_name_the_endpoint() -> None:
    """First what the guards would refuse of its content, then addresses that no client reaches; a host name is no address."""
    sets = (weighted(1, 0), weighted(2, 0))
    loop = msgspec.structs.replace(simple(1, name="b.example.test."), values=("192.0.2.1", "127.0.0.1"))
    found = plan_warnings(
        plan(
            entry(cname("localhost.", name="c.example.test."), name="c.example.test."),
            entry(loop, name="b.example.test."),
            entry(name="d.example.test."),
            entry(*sets),
        )
    )
    assert [(one.path, one.message) for one in found] == [
        (
            "d.example.test.",
            (
                "the guard empty refuses it: the plan lists no target; an endpoint never goes empty: give it one, or, where the name "
                "is to go, list it under retired, and `enactor retire` takes it away"
            ),
        ),
        ("ep1.example.test.", "the guard zero-weights refuses it: all 2 A targets have weight 0"),
        ("b.example.test. t-1", "127.0.0.1 is a loopback address: a client reaches itself there"),
    ]
    assert [(one.path, one.message) for one in plan_warnings(plan())] == [
        ("endpoints", "empty; the guard empty-plan refuses a plan without endpoints")
    ]
