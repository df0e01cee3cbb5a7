"""What the settings are: from flags, the environment and a file, in that order, with every fault at once."""

from collections.abc import Mapping
from typing import Any

import pytest

from enactor.guards import Limits, LimitsTable, PlanLimits
from enactor.settings import VARIABLES, Settings, WrongSettings, folded_id, settle, zone_id

ROLE = "arn:aws:iam::123456789012:role/dns"
OTHER_ROLE = "arn:aws:iam::123456789012:role/other"
CHOICES: dict[str, tuple[str, Any, str, Any, Any, Any]] = {
    # setting: attribute, flag and its value, variable and its value -> what the file says stands last
    "table": ("table", "plans-flag", "plans-env", "plans-file", "plans-flag", "plans-env"),
    "fleet": ("fleet", "flag", "env", "file", "flag", "env"),
    "zones": ("zones", ("Z1",), "Z2, /hostedzone/Z3", ["Z4"], ("Z1",), ("Z2", "Z3")),
    "id": ("id", "az-1", "az-2", "az-3", "az-1", "az-2"),
    "roles": (
        "roles",
        (f"Z1={ROLE}",),
        f"Z2={ROLE},Z3={OTHER_ROLE}",
        {"Z4": ROLE},
        {"Z1": ROLE},
        {"Z2": ROLE, "Z3": OTHER_ROLE},
    ),
    "state-dir": ("state_dir", "/flag", "/env", "/file", "/flag", "/env"),
    "plan-mirror": ("plan_mirror", "s3://flag/p", "s3://env/p", "s3://file/p", "s3://flag/p", "s3://env/p"),
    "account-share": ("account_share", 0.1, "0.2", 0.3, 0.1, 0.2),
    "metrics": ("metrics", "127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3", "127.0.0.1:1", "127.0.0.1:2"),
    "critical": (
        "critical",
        "A.example",
        "b.example, c.example.",
        ["d.example."],
        ("a.example.",),
        ("b.example.", "c.example."),
    ),
}
DEFAULTS = {"zones": (), "critical": (), "id": "host-7", "roles": {}, "account-share": 0.5}


def told(
    flags: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None, file: Any = None
) -> Settings:
    return settle(flags or {}, environment or {}, {} if file is None else file, "host-7")


def faults(
    flags: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None, file: Any = None
) -> list[str]:
    with pytest.raises(WrongSettings) as caught:
        told(flags, environment, file)
    return [str(fault) for fault in caught.value.faults]


def test_every_variable_is_in_the_table_of_these_tests() -> None:
    """A setting that is added is tried here too."""
    assert set(CHOICES) == set(VARIABLES)
    assert all(variable == "ENACTOR_" + key.upper().replace("-", "_") for key, variable in VARIABLES.items())


@pytest.mark.parametrize("key", CHOICES)
def test_a_flag_goes_before_the_variable_before_the_file_before_the_default(key: str) -> None:
    """Each setting, from each of the three places."""
    attribute, flag, variable, file, from_flag, from_variable = CHOICES[key]
    flags, environment, config = {key: flag}, {VARIABLES[key]: variable}, {key: file}
    assert getattr(told(flags, environment, config), attribute) == from_flag
    assert getattr(told({}, environment, config), attribute) == from_variable
    from_file = tuple(file) if isinstance(file, list) else file
    assert getattr(told({}, {}, config), attribute) == from_file
    assert getattr(told(), attribute) == DEFAULTS.get(key, "")


@pytest.mark.parametrize("key", CHOICES)
def test_what_is_empty_is_not_told(key: str) -> None:
    """An unset flag and an empty variable do not hide what stands behind them."""
    attribute, _, _, file, _, _ = CHOICES[key]
    for nothing in (None, (), ""):
        made = told({key: nothing}, {VARIABLES[key]: ""}, {key: file})
        assert getattr(made, attribute) == (tuple(file) if isinstance(file, list) else file)


WRONG: list[tuple[str, Any, str]] = [
    ("fleet", "Edge", "'Edge' is not 1 to 32 of a-z, 0-9 and -"),
    ("fleet", "e" * 33, f"'{'e' * 33}' is not 1 to 32 of a-z, 0-9 and -"),
    ("fleet", 7, "7 is not text"),
    ("id", "az_1", "'az_1' is not 1 to 32 of a-z, 0-9 and -"),
    (
        "zones",
        "Z1,example.test.",
        "'example.test.' is no hosted zone id (like Z0123456789ABC); a zone is never chosen by its name",
    ),
    ("zones", 5, "5 is not a list of text"),
    ("zones", ["Z1", 5], "['Z1', 5] is not a list of text"),
    ("roles", "Z1=admin", "'admin' is no role ARN (like arn:aws:iam::123456789012:role/dns)"),
    ("roles", f"example.test.={ROLE}", "'example.test.' is no hosted zone id"),
    ("roles", 5, "5 is not a list of text"),
    (
        "plan-mirror",
        "https://bucket/plan",
        "'https://bucket/plan' is no S3 URL (like s3://bucket/plans/edge, or s3://bucket/plans?region=us-west-2)",
    ),
    ("account-share", "half", "half is not a share above 0 and up to 1"),
    ("account-share", 0, "0 is not a share above 0 and up to 1"),
    ("account-share", "1.01", "1.01 is not a share above 0 and up to 1"),
    ("account-share", "nan", "nan is not a share above 0 and up to 1"),
    ("account-share", True, "True is not a share above 0 and up to 1"),
    ("table", 5, "5 is not text"),
]


@pytest.mark.parametrize(("key", "value", "message"), WRONG, ids=[f"{key}-{value}"[:40] for key, value, _ in WRONG])
def test_what_cannot_be_meant_is_refused_with_its_place(key: str, value: Any, message: str) -> None:
    """Case 61: nothing is guessed, least of all a zone from its name; the fault says where it was told."""
    (fault,) = faults(file={key: value})
    assert fault.startswith(f"{key}: {message}")
    if isinstance(value, str):
        (fault,) = faults(environment={VARIABLES[key]: value}, file={})
        assert fault.startswith(f"{VARIABLES[key]}: {message}")
        (fault,) = faults({key: value})
        assert fault.startswith(f"--{key}: {message}")


def test_all_faults_are_listed_at_once() -> None:
    """Flags, variables, file, unknown names and limits: whoever corrects them reads them all."""
    found = faults(
        {"fleet": "A"},
        {"ENACTOR_ZONES": "x.test."},
        {"id": "_", "tabel": "plans", "limits": {"shrink-targets": 2, "endpoints": [{"shrink-targets": 1}]}},
    )
    assert sorted(fault.split(": ")[0] for fault in found) == [
        "--fleet",
        "ENACTOR_ZONES",
        "id",
        "limits.endpoints[0]",
        "limits.shrink-targets",
        "tabel",
    ]
    known = "account-share, critical, fleet, id, limits, metrics, plan-mirror, roles, state-dir, table, zones"
    assert f"tabel: unknown setting, most like table; known are {known}" in found


def test_a_fault_in_the_file_names_the_file_and_no_other_does() -> None:
    """A key may stand in several files; a flag and a variable stand nowhere else."""
    with pytest.raises(WrongSettings) as caught:
        settle(
            {"fleet": "A"},
            {"ENACTOR_ZONES": "x.test."},
            {"id": "_", "speed": 1, "limits": {"vanishd": 0, "endpoints": [{"match": "a", "vanished": 0}, 5]}},
            "host-7",
            file_name="c.yaml",
        )
    assert sorted(str(fault).split(": ")[0] for fault in caught.value.faults) == [
        "--fleet",
        "ENACTOR_ZONES",
        *["c.yaml"] * 5,
    ]
    assert "c.yaml: limits.endpoints[1]: a rule is a mapping" in str(caught.value)
    assert caught.value.wrong == {"fleet", "zones", "id"}
    with pytest.raises(WrongSettings) as caught:
        settle({}, {}, {"limits": 5}, "host-7", file_name="c.yaml")
    assert str(caught.value) == "c.yaml: limits: 5 is not a mapping of guard labels to limits"


def test_a_key_of_a_file_that_is_no_text_is_a_fault_like_any_other() -> None:
    """YAML reads `5:` as a number; the file's author reads a sentence, not a stack."""
    assert [fault.split(":")[0] for fault in faults(file={5: "x", "tabel": "y"})] == ["5", "tabel"]
    (fault,) = faults(file={"roles": {5: ROLE}})
    assert fault.startswith("roles: ")


@pytest.mark.parametrize("text", ["Z0EXAMPLE", "/hostedzone/Z0EXAMPLE", " Z0EXAMPLE "])
def test_a_zone_id_is_taken_with_and_without_its_prefix(text: str) -> None:
    """AWS gives it in both forms."""
    assert zone_id(text) == "Z0EXAMPLE"


def test_zones_that_stand_twice_are_one() -> None:
    """The order is kept."""
    assert told({"zones": "Z2,Z1,/hostedzone/Z2"}).zones == ("Z2", "Z1")


@pytest.mark.parametrize(
    ("host", "wanted"),
    [
        ("IP-10-0-0-1.ec2.internal", "ip-10-0-0-1-ec2-internal"),
        ("_", "enactor"),
        ("a" * 40, "a" * 32),
        ("Ärmel", "rmel"),
    ],
)
def test_a_host_name_is_folded_to_the_allowed_characters(host: str, wanted: str) -> None:
    """An enactor always has an id that a fence can carry."""
    assert folded_id(host) == wanted


def limits(file: Any) -> LimitsTable:
    return told(file={"limits": file}).limits


def test_the_default_limits_are_those_that_are_documented() -> None:
    """Shrinks 0.5, vanished 0, changed-share off."""
    table = told().limits
    assert table.default == Limits(shrink_targets=0.5, shrink_capacity=0.5)
    assert table.plan == PlanLimits(vanished=0.0, changed_share=1.0)
    assert table.zone_record_sets == 10_000


def test_limits_are_read_by_guard_label() -> None:
    """Endpoint guards, plan guards and the zone's quota stand side by side in the file."""
    table = limits(
        {"shrink-targets": 0.2, "shrink-capacity": 1, "vanished": 0.1, "changed-share": 0, "zone-record-sets": 20_000}
    )
    assert table.default == Limits(shrink_targets=0.2, shrink_capacity=1.0)
    assert table.plan == PlanLimits(vanished=0.1, changed_share=0.0)
    assert table.zone_record_sets == 20_000


def test_limits_by_endpoint_pattern_rest_on_the_default_and_the_first_that_fits_wins() -> None:
    """A rule says only what differs; patterns are read in any case, with or without trailing dot."""
    table = limits(
        {
            "shrink-capacity": 0.4,
            "endpoints": [
                {"match": "API.Example.Test", "shrink-targets": 0.1},
                {"match": "*.internal.example.test.", "shrink-targets": 1},
                {"match": "api*", "shrink-targets": 0.9},
            ],
        }
    )
    assert table.of("api.example.test.") == Limits(shrink_targets=0.1, shrink_capacity=0.4)
    assert table.of("a.b.internal.example.test.") == Limits(shrink_targets=1.0, shrink_capacity=0.4)
    assert table.of("api-fips.example.test.") == Limits(shrink_targets=0.9, shrink_capacity=0.4)
    assert table.of("internal.example.test.") == Limits(shrink_targets=0.5, shrink_capacity=0.4)


EVERY_LIMIT = "changed-share, endpoints, shrink-capacity, shrink-targets, slow-drain, slow-drain-seconds, vanished, zone-record-sets"
WRONG_LIMITS: list[tuple[Any, str]] = [
    (None, "limits: None is not a mapping of guard labels to limits"),
    ([0.5], "limits: [0.5] is not a mapping of guard labels to limits"),
    ({"shrink-targets": 1.1}, "limits.shrink-targets: 1.1 is not a share from 0 to 1"),
    ({"shrink-targets": -0.1}, "limits.shrink-targets: -0.1 is not a share from 0 to 1"),
    ({"shrink-capacity": float("nan")}, "limits.shrink-capacity: nan is not a share from 0 to 1"),
    ({"vanished": True}, "limits.vanished: True is not a share from 0 to 1"),
    ({"changed-share": "1"}, "limits.changed-share: '1' is not a share from 0 to 1"),
    ({"shrink-target": 0.5}, f"limits.shrink-target: unknown limit, most like shrink-targets; known are {EVERY_LIMIT}"),
    ({"vanish": 0.5}, f"limits.vanish: unknown limit, most like vanished; known are {EVERY_LIMIT}"),
    ({"empty": 0.5}, f"limits.empty: unknown limit; known are {EVERY_LIMIT}"),
    ({"zone-record-sets": 0}, "limits.zone-record-sets: 0 is no number of record sets"),
    ({"zone-record-sets": True}, "limits.zone-record-sets: True is no number of record sets"),
    ({"endpoints": {}}, "limits.endpoints: {} is not a list"),
    ({"endpoints": ["api"]}, "limits.endpoints[0]: a rule is a mapping with `match`"),
    ({"endpoints": [{"match": 5}]}, "limits.endpoints[0]: a rule is a mapping with `match`"),
    (
        {"endpoints": [{"match": "a", "vanished": 0}]},
        "limits.endpoints[0].vanished: unknown limit of an endpoint; known are match, shrink-capacity, shrink-targets, slow-drain",
    ),
    ({"endpoints": [{"match": "a", "shrink-targets": 2}]}, "limits.endpoints[0].shrink-targets: 2 is not a share"),
]


@pytest.mark.parametrize(("file", "message"), WRONG_LIMITS, ids=[message[:50] for _, message in WRONG_LIMITS])
def test_a_limit_that_cannot_be_meant_is_refused(file: Any, message: str) -> None:
    """A mistyped limit never becomes a loose one, and no limit turns `empty` off."""
    (fault,) = faults(file={"limits": file})
    assert fault.startswith(message)


def test_critical_endpoints_are_names_and_few() -> None:
    """Each has series of its own in Prometheus, so there are at most a hundred, and a name that is none is said with all others."""
    many = [f"a{number}.example" for number in range(101)]
    assert faults(file={"critical": many}) == [
        "critical: 101 endpoints are critical, and 100 may be: each has metrics of its own"
    ]
    assert len(told(file={"critical": [*many[:100], "A0.EXAMPLE."]}).critical) == 100
    (fault,) = faults(environment={"ENACTOR_CRITICAL": "a..b,ok.example,-" + "x" * 64})
    assert fault.startswith("ENACTOR_CRITICAL: 'a..b' is no DNS name: ")
    assert "; '-" in fault


@pytest.mark.parametrize("text", ["9553", ":9553", "[::1]:9553", "localhost:1", "127.0.0.1:65535"])
def test_the_metrics_endpoint_has_a_port(text: str) -> None:
    """From 1 to 65535; the address before it is for the system to judge."""
    assert settle({}, {}, {"metrics": text}, "host").metrics == text


@pytest.mark.parametrize(
    "text", ["127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:http", "127.0.0.1:-1"]
)
def test_a_metrics_endpoint_without_a_port_is_refused(text: str) -> None:
    """With what it was, and what it is like."""
    with pytest.raises(WrongSettings) as told:
        settle({}, {}, {"metrics": text}, "host")
    assert [str(fault) for fault in told.value.faults] == [
        f"metrics: {text!r} is no address and port like 127.0.0.1:9553"
    ]
