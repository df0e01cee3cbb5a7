"""Whatever stands in a fleet file under a source, its reader says what is wrong and never raises."""

from typing import Any, Final

import jsonschema
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from enactor.plan_faults import Faults
from planner import elbv2_settings, probe_settings
from planner.elbv2_settings import Elbv2Settings
from planner.probe_settings import ProbeSettings
from planner.schemas import schema_of

GOOD: dict[str, Any] = {
    "regions": ["eu-west-1"],
    "names": ["edge-*"],
    "tags": {"team": "edge"},
    "answer": "addresses",
    "type": "network",
    "protocol": "https",
    "host": "api.example.com",
    "port": 443,
    "every": "10s",
    "timeout": "2s",
    "expect": ["200-299"],
}
KEYS = sorted({*elbv2_settings.REQUIRED, *elbv2_settings.OPTIONAL, *probe_settings.REQUIRED, *probe_settings.OPTIONAL})
odd = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["10s", "ipv4", "http", "tcp"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=3),
    max_leaves=6,
)
raws = st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=8), odd, max_size=6).map(lambda some: GOOD | some) | odd


@pytest.mark.parametrize(
    ("read", "kind"), [(elbv2_settings.read_settings, Elbv2Settings), (probe_settings.read_settings, ProbeSettings)]
)
@given(raw=raws, chosen=st.sets(st.sampled_from(KEYS)))
def test_a_reader_never_raises_and_gives_settings_only_without_faults(
    read: Any, kind: type, raw: Any, chosen: set[str]
) -> None:
    faults = Faults()
    some = {key: value for key, value in raw.items() if key in chosen} if isinstance(raw, dict) else raw
    found = read(some, "sources.any", faults)
    assert isinstance(found, kind) == (not faults.all())
    assert all(fault.path.startswith("sources.any") and len(fault.message) < 500 for fault in faults.all())


_FLEET: Final = schema_of("fleet")
SCHEMA: Final = jsonschema.Draft202012Validator({"$ref": "#/$defs/SourceEntry", "$defs": _FLEET["$defs"]})
times = st.builds("{}{}".format, st.integers(0, 4000), st.sampled_from(["ms", "s", "m", "h", "d"]))
TEXTS: Final = ["eu-west-1", "us-gov-east-1", "edge-*", "a?b", "", "moon", "arn:aws:iam::123456789012:role/x", "a b"]
texts = st.sampled_from(TEXTS)
some = texts | st.lists(texts, max_size=2)
codes = st.integers(90, 610) | st.sampled_from(["200", "200-299", "299", "ok", ""])
ELBV2: Final[dict[str, st.SearchStrategy[Any]]] = {
    "regions": some,
    "roles": some,
    "tags": st.dictionaries(texts, some, max_size=2),
    "names": some,
    "type": st.sampled_from(["application", "network", "gateway"]),
    "scheme": st.sampled_from(["internal", "internet-facing", "both"]),
    "answer": st.sampled_from(["alias", "addresses", "both"]),
    "evaluate_target_health": st.booleans(),
    "id": st.sampled_from(["name", "region", "account", "arn"]),
    "capacity_tag": texts,
    "drain_tag": texts,
}
PROBE: Final[dict[str, st.SearchStrategy[Any]]] = {
    "protocol": st.sampled_from(["tcp", "http", "https", "udp"]),
    "port": st.integers(-1, 70_000),
    "path": st.sampled_from(["/", "/healthz?x=1", "healthz", "/a b", ""]),
    "host": st.sampled_from(["api.example.com", "a..b", "", "api.example.com:1"]),
    "expect": codes | st.lists(codes, max_size=3),
    "verify": st.booleans(),
    "every": times,
    "timeout": times,
    "at_once": st.integers(-1, 20_000),
    "families": some | st.sampled_from(["ipv4", ["ipv6"], ["ipv4", "ipv6"]]),
}
GOOD_OF: Final[dict[str, dict[str, Any]]] = {
    "elbv2": {"regions": "eu-west-1", "names": ["edge-*"]},
    "probe": {"protocol": "https", "host": "a.example.com"},
}
KEYS_OF: Final = {"elbv2": ELBV2, "probe": PROBE}
READERS: Final = {"elbv2": elbv2_settings.read_settings, "probe": probe_settings.read_settings}


@pytest.mark.parametrize("kind", sorted(READERS))
@given(data=st.data())
def test_what_a_reader_takes_the_schema_takes(kind: str, data: st.DataObject) -> None:
    """An editor never underlines what the planner would run with."""
    keys = data.draw(st.sets(st.sampled_from(sorted(KEYS_OF[kind])), max_size=2))
    raw = GOOD_OF[kind] | {key: data.draw(KEYS_OF[kind][key]) for key in sorted(keys)}
    faults = Faults()
    READERS[kind](raw, "sources.any", faults)
    assume(not faults.all())
    SCHEMA.validate({"kind": kind, "max_gone": 0.2, **raw})


@pytest.mark.parametrize("kind", sorted(READERS))
@given(data=st.data())
def test_one_key_that_a_reader_refuses_by_itself_the_schema_refuses(kind: str, data: st.DataObject) -> None:
    """But for what a schema cannot say: how long a time is, which of two is larger, what stands twice."""
    key = data.draw(st.sampled_from(sorted({*KEYS_OF[kind]} - {"every", "timeout", "expect"})))
    raw = GOOD_OF[kind] | {key: data.draw(KEYS_OF[kind][key])}
    faults = Faults()
    READERS[kind](raw, "sources.any", faults)
    unsaid = ("stands twice", "only an alias has it", "no addresses that stay")
    assume(faults.all() and not any(word in fault.message for fault in faults.all() for word in unsaid))
    assert not SCHEMA.is_valid({"kind": kind, **raw})
