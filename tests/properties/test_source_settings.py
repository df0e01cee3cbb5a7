"""Whatever stands in a fleet file under a source, its reader says what is wrong and never raises."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from enactor.plan_faults import Faults
from planner import elbv2_settings, probe_settings
from planner.elbv2_settings import Elbv2Settings
from planner.probe_settings import ProbeSettings

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
