"""What a fleet file may say of sources, health and pace, and what is said about one that says it wrongly."""

from collections.abc import Mapping
from fractions import Fraction
from importlib.metadata import entry_points
from typing import Any

import jsonschema
import pytest

from enactor.plan_faults import Faults
from planner.fleet import Fleet, compile_fleet
from planner.fleet_file import SourceEntry
from planner.fleet_file_sources import ENTRIES
from planner.fleet_settings import Health, Pace
from planner.kinds import GROUP, InstalledKinds
from planner.observation import SourceKind
from planner.schemas import schema_of
from tests.planner.planner_world import ToldKind, ToldKinds, fleet

STATIC = {"id": "lb-1", "addresses": ["192.0.2.1"]}


def read(**changes: Any) -> Fleet:
    reading = compile_fleet(fleet(**changes), ToldKinds())
    assert reading.faults == ()
    assert reading.fleet is not None
    return reading.fleet


def faults(**changes: Any) -> list[str]:
    reading = compile_fleet(fleet(**changes), ToldKinds())
    assert (reading.fleet is None) == bool(reading.faults)
    return [str(fault) for fault in reading.faults]


def test_where_no_kind_is_at_hand_none_is_installed() -> None:
    """A reader that was handed none says so of each source, and of nothing else."""
    said = [str(fault) for fault in compile_fleet(fleet(sources={"albs": {"kind": "lists"}})).faults]
    assert said[0] == 'sources.albs.kind: "lists" is no installed kind of source: there are none'


def test_a_file_whose_sources_were_not_asked_is_right_in_form_and_means_no_plan_yet() -> None:
    """`check` connects to nothing; nor does an empty pool warn, as nobody knows that it is."""
    reading = compile_fleet(fleet(), ToldKinds())
    assert (reading.plan, reading.faults, reading.warnings) == (None, (), ())
    assert read().pool_sources == {"blue": ("albs",)}
    assert [spec.name for spec in read().sources] == ["albs", "checks"]


def test_a_plain_file_stays_what_it_was() -> None:
    """No source, no drain, no pace: the file alone is the plan."""
    plain = {"sources": None, "pools": {"blue": [STATIC]}}
    assert read(**plain).is_plain
    assert not read(**plain, pace={"warm_up": "10m"}).is_plain
    assert not read(**plain, pace={"max_weight_step": 0.5}).is_plain
    assert not read(**(plain | {"pools": {"blue": [STATIC | {"drain": True}]}})).is_plain
    assert read(**plain, pace={"gather": "5s", "ramp_down": "1m"}, health={"rise": 5}).is_plain


def test_everybody_who_gives_signals_is_heard_unless_the_file_says_whom() -> None:
    """For the fleet, and at an endpoint otherwise."""
    both = {"albs": {"kind": "both"}, "checks": {"kind": "checks"}}
    assert read(sources=both).endpoints[0].health.sources == ("albs", "checks")
    assert read(sources=both, health={"from": ["checks"]}).endpoints[0].health.sources == ("checks",)
    assert read(sources=both, health={"from": []}).endpoints[0].health.sources == ()
    here = {"name": "ep1.example.test", "zone": "main", "pools": {"blue": 1}, "health": {"from": ["albs"], "fall": 9}}
    found = read(sources=both, health={"rise": 7, "window": "1h"}, endpoints=[here]).endpoints[0].health
    assert found == Health(sources=("albs",), rise=7, fall=9, window_seconds=Fraction(3600))


def test_defaults_are_the_documented_ones() -> None:
    """What holds where the file says nothing."""
    assert (
        read().pace
        == Pace()
        == Pace(
            gather_seconds=Fraction(60),
            max_weight_step=Fraction(1),
            warm_up_seconds=Fraction(0),
            ramp_down_seconds=Fraction(300),
        )
    )
    assert read().endpoints[0].health == Health(
        sources=("checks",), rise=3, fall=3, brake=Fraction(3, 10), window_seconds=Fraction(600)
    )
    assert [spec.max_gone for spec in read().sources] == [Fraction(1, 2)] * 2
    pace = read(pace={"gather": "1.5m", "max_weight_step": 0.1, "warm_up": "0.5h", "ramp_down": "0s"}).pace
    assert pace == Pace(
        gather_seconds=Fraction(90),
        max_weight_step=Fraction(1, 10),
        warm_up_seconds=Fraction(1800),
        ramp_down_seconds=Fraction(0),
    )


def test_a_pool_may_list_load_balancers_beside_its_sources() -> None:
    """They are in the pool whatever the sources offer."""
    found = read(pools={"blue": {"from": ["albs"], "balancers": [STATIC]}})
    assert [one.id for one in found.pools["blue"]] == ["lb-1"]


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        (
            {"sources": ["albs"]},
            'sources: ["albs"] is a list, not an object like {files: {kind: file, path: inventory/}}',
        ),
        (
            {"sources": {"albs": {"kind": "lists"}, "checks": {"kind": "checks"}, "x": "file"}},
            'sources.x: "file" is text, not an object like {kind: file, path: inventory/}',
        ),
        (
            {"sources": {"albs": {"kind": "lists"}, "checks": {}}},
            "sources.checks.kind: missing; write it like {kind: file, path: inventory/}",
        ),
        (
            {"sources": {"albs": {"kind": "lists"}, "checks": {"kind": "elb"}}},
            'sources.checks.kind: "elb" is no installed kind of source: both, checks, lists',
        ),
        (
            {"sources": {"albs": {"kind": "lists", "speed": 1, "max_gone": 2}, "checks": {"kind": "checks"}}},
            "sources.albs.max_gone: 2 is not a share from 0 to 1",
        ),
        (
            {"pools": {"blue": {"from": ["alb"]}}},
            'pools.blue.from[0]: "alb" is none of the fleet\'s sources: albs, checks',
        ),
        (
            {"pools": {"blue": {"from": []}}},
            "pools.blue.from: empty; name a source, or make the pool a list of load balancers",
        ),
        ({"pools": {"blue": {"balancers": []}}}, "pools.blue.from: missing; write it like {from: [albs]}"),
        ({"pools": {"blue": {"from": "albs"}}}, 'pools.blue.from: "albs" is text, not a list'),
        (
            {"pools": {"blue": {"from": ["albs"], "balancers": [{"id": "lb-1"}]}}},
            "pools.blue.balancers[0]: one of addresses and alias is required",
        ),
        (
            {"pools": {"blue": {"from": ["checks"]}}},
            "pools.blue.from[0]: source checks is of kind checks, which gives no inventory",
        ),
        ({"pools": {"blue": {"from": ["albs", "albs"]}}}, "pools.blue.from[1]: albs stands twice"),
        ({"health": {"from": ["albs"]}}, "health.from[0]: source albs is of kind lists, which gives no health"),
        ({"health": {"rise": 0}}, "health.rise: 0 is under 1"),
        ({"health": {"fall": 101}}, "health.fall: 101 is over 100"),
        ({"health": {"brake": 1.1}}, "health.brake: 1.1 is not a share from 0 to 1"),
        ({"health": {"brake": "30%"}}, 'health.brake: "30%" is text, not a share from 0 to 1'),
        ({"health": {"window": "9s"}}, "health.window: 9s is not between 10s and 1d"),
        ({"health": {"window": "ten"}}, 'health.window: "ten" is not a time like 10s, 1.5m or 2h'),
        ({"health": {"windows": "1h"}}, "health.windows: unknown key; known are from, rise, fall, brake, window"),
        ({"pace": {"gather": 60}}, "pace.gather: 60 has no unit; write a time like 10s, 1.5m or 2h"),
        ({"pace": {"gather": "2h"}}, "pace.gather: 2h is not between 0s and 1h"),
        ({"pace": {"max_weight_step": 0}}, "pace.max_weight_step: 0 is not a share above 0 and up to 1"),
        (
            {"pace": []},
            "pace: [] is a list, not an object like {gather: 60s, max_weight_step: 0.25, warm_up: 10m, ramp_down: 5m}",
        ),
        (
            {"pools": {"blue": [STATIC | {"drain": 1}]}},
            "pools.blue[0].drain: 1 is a number, not true or false",
        ),
        (
            {"pools": {"blue": [STATIC | {"health_check": "a b"}]}},
            'pools.blue[0].health_check: "a b" does not match [A-Za-z0-9-]{1,64}',
        ),
        (
            {"endpoints": [{"name": "a.example.test", "zone": "main", "pools": {"blue": 1}, "health": {"fall": "3"}}]},
            'endpoints[0].health.fall: "3" is text, not a whole number from 1 to 100',
        ),
    ],
)
def test_every_fault_has_its_path_and_value(changes: dict[str, Any], wanted: str) -> None:
    """As everywhere in a fleet file."""
    assert wanted in faults(**changes)


class FailingKinds(ToldKinds):
    """A kind whose reader has a mistake in it, and one that cannot be loaded."""

    def names(self) -> tuple[str, ...]:
        return ("checks", "lists")

    def find(self, name: str) -> SourceKind | str:
        if name == "lists":
            return "the kind lists (x:KIND) cannot be loaded: ImportError: no x"
        found = super().find(name)
        assert not isinstance(found, str)
        return Mistaken(self.sources, inventory=False, health=True)


class Mistaken(ToldKind):
    def read(self, raw: Mapping[str, Any], path: str, faults: Faults) -> Any | None:
        raise KeyError("regions")


def test_a_kind_that_fails_is_a_fault_of_the_file() -> None:
    """A third party's code ends in a sentence."""
    reading = compile_fleet(fleet(), FailingKinds())
    assert [str(fault) for fault in reading.faults] == [
        "sources.albs.kind: the kind lists (x:KIND) cannot be loaded: ImportError: no x",
        "sources.checks: its kind cannot read it: KeyError: 'regions'",
    ]


def test_a_source_that_nobody_asks_is_warned_of() -> None:
    """Most likely a `from` was forgotten."""
    reading = compile_fleet(fleet(pools={"blue": [STATIC]}, health={"from": []}), ToldKinds())
    assert [str(one) for one in reading.warnings] == [
        "sources.albs: nobody asks it: no pool names it under from, nor does health",
        "sources.checks: nobody asks it: no pool names it under from, nor does health",
    ]


def test_health_checks_pass_through() -> None:
    """Every record set of the load balancer carries it, and a wrong one is the only fault of a simple endpoint."""
    checked = STATIC | {"health_check": "11111111-2222-3333-4444-555555555555"}
    plan = compile_fleet(fleet(sources=None, pools={"blue": [checked]})).plan
    assert plan is not None
    assert plan.endpoints[0].targets[0].health_check == "11111111-2222-3333-4444-555555555555"
    two = [STATIC, {"id": "lb-2", "addresses": ["192.0.2.2"], "health_check": "a b"}]
    simple = {"defaults": {"routing": "simple"}, "pools": {"blue": two}}
    assert faults(**simple) == ['pools.blue[1].health_check: "a b" does not match [A-Za-z0-9-]{1,64}']


def test_the_schema_knows_all_of_it() -> None:
    """What an editor checks as a person types."""
    schema = schema_of("fleet")
    whole = fleet(
        health={"from": ["checks"], "rise": 3, "fall": 3, "brake": 0.3, "window": "10m"},
        pace={"gather": "60s", "max_weight_step": 0.25, "warm_up": "10m", "ramp_down": "5m"},
        pools={
            "blue": {"from": ["albs"], "balancers": [STATIC | {"drain": True, "health_check": "abc"}]},
            "green": [STATIC],
        },
        sources={"albs": {"kind": "lists", "max_gone": 0.2, "regions": ["eu-west-1"]}, "checks": {"kind": "checks"}},
    )
    whole["endpoints"][0]["health"] = {"fall": 5}
    jsonschema.validate(whole, schema)
    faulty: list[dict[str, Any]] = [
        {"pace": {"gather": 60}},
        {"health": {"rise": 0}},
        {"pools": {"blue": {"balancers": []}}},
    ]
    for wrong in faulty:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(whole | wrong, schema)


BUILT_IN: dict[str, dict[str, Any]] = {
    "file": {"kind": "file", "path": "inventory/", "max_gone": 0.2},
    "elbv2": {"kind": "elbv2", "regions": ["eu-west-1"], "tags": {"team": "edge"}},
    "probe": {"kind": "probe", "protocol": "https", "host": "api.example.com", "every": "10s"},
    "another package's": {"kind": "consul", "tags": 5},
}


@pytest.mark.parametrize("kind", BUILT_IN)
def test_the_schema_knows_the_keys_of_each_kind(kind: str) -> None:
    """What another package's kind has for keys only its own reader knows."""
    schema = schema_of("fleet")
    jsonschema.validate(fleet(sources={"albs": BUILT_IN[kind]}), schema)
    unknown = fleet(sources={"albs": BUILT_IN[kind] | {"pth": "x"}})
    assert jsonschema.Draft202012Validator(schema).is_valid(unknown) == (kind == "another package's")


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("file", {"path": ""}),
        ("file", {"path": None}),
        ("file", {"max_gone": 2}),
        ("elbv2", {"regions": []}),
        ("elbv2", {"regions": "Ireland"}),
        ("elbv2", {"tags": None}),
        ("elbv2", {"tags": {}}),
        ("elbv2", {"answer": "both"}),
        ("probe", {"protocol": "udp"}),
        ("probe", {"protocol": "tcp", "host": None}),
        ("probe", {"protocol": "http", "verify": True}),
        ("probe", {"host": None}),
        ("probe", {"expect": 99}),
        ("probe", {"every": 10}),
        ("another package's", {"kind": 5}),
    ],
)
def test_the_schema_refuses_what_a_kind_refuses(kind: str, wrong: dict[str, Any]) -> None:
    """A key that is None here is left out there: some are missed by name."""
    changed = {key: value for key, value in (BUILT_IN[kind] | wrong).items() if value is not None}
    assert not jsonschema.Draft202012Validator(schema_of("fleet")).is_valid(fleet(sources={"albs": changed}))


LEAST: dict[str, dict[str, Any]] = {
    "elbv2": {"regions": "eu-west-1", "names": "edge-1"},
    "file": {"path": "inventory/"},
    "probe": {"protocol": "https", "host": "api.example.com"},
}


@pytest.mark.parametrize("kind", sorted(LEAST))
def test_a_default_of_the_schema_is_the_readers(kind: str) -> None:
    """Who writes down what the schema says is the default changes nothing, and no key is missing there or too many."""
    reader, faults = InstalledKinds().find(kind), Faults()
    assert not isinstance(reader, str)
    entry, of_all = ENTRIES[kind](kind=kind, **LEAST[kind]), SourceEntry.__struct_fields__
    told = {key: getattr(entry, key) for key in entry.__struct_fields__ if key not in of_all}
    written = {key: list(one) if isinstance(one, tuple) else one for key, one in told.items() if one is not None}
    settings = reader.read(LEAST[kind], "it", faults)
    assert settings is not None
    assert reader.read(written, "it", faults) == settings
    everything = {*settings.__struct_fields__} - {"directory"}
    assert (everything, faults.all()) == (set(told), ())


def test_every_kind_that_is_installed_with_the_planner_has_its_keys_in_the_schema() -> None:
    """A new one is not forgotten."""
    ours = {point.name for point in entry_points(group=GROUP) if point.value.startswith("planner.")}
    assert ours == set(ENTRIES)
