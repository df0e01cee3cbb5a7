"""docs/sources.md says what the code does: every key with its default, the permissions, and examples that are right."""

import json
import re
import types
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from enactor import yaml_text
from enactor.plan_faults import Faults
from planner import elbv2_calls, elbv2_settings, probe_settings
from planner.elbv2_settings import Elbv2Settings
from planner.observation import Offer, Source, SourceFailed, SourceKind
from planner.probe_settings import ProbeSettings
from planner.source_elbv2 import KIND as ELBV2
from planner.source_probe import JITTER, LAG_SHARE_MAX, STARTS_PER_SECOND
from planner.source_probe import KIND as PROBE

PAGE: Final = (Path(__file__).parents[2] / "docs" / "sources.md").read_text(encoding="utf-8")
HEADINGS: Final = {"elbv2": "## elbv2", "probe": "## probe", "another": "## Another kind"}


def section(name: str) -> str:
    """Return what stands below a heading, down to the next."""
    return PAGE.split(f"\n{HEADINGS[name]}", maxsplit=1)[1].split("\n## ", maxsplit=1)[0]


def rows(text: str) -> dict[str, str]:
    """Return the default of each key in a section's table."""
    return dict(re.findall(r"^\| `([a-z_0-9]+)` \| ([^|]*) \| .* \|$", text, flags=re.MULTILINE))


def block(text: str, language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return str(found)


def shown(default: Any) -> str:
    """Return how the page writes a default."""
    if default is None or default == ():
        return "none"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if isinstance(default, float):
        return f"`{default:g}s`"
    if default == ((200, 299),):
        return "`200-299`"
    if isinstance(default, tuple):
        return ", ".join(f"`{one}`" for one in default)
    return str(default) if isinstance(default, int) else f"`{default}`"


@pytest.mark.parametrize(
    ("name", "module", "kind", "told"),
    [
        ("elbv2", elbv2_settings, Elbv2Settings, {"regions": "required", "type": "both", "scheme": "both"}),
        ("probe", probe_settings, ProbeSettings, {"protocol": "required", "port": "80, 443", "host": "the address"}),
    ],
)
def test_every_key_stands_there_with_its_default(name: str, module: types.ModuleType, kind: Any, told: Any) -> None:
    defaults = {field.name: shown(field.default) for field in msgspec.structs.fields(kind)}
    assert rows(section(name)) == defaults | told
    assert set(defaults) == {*module.REQUIRED, *module.OPTIONAL}


@pytest.mark.parametrize(("name", "kind"), [("elbv2", ELBV2), ("probe", PROBE)])
def test_the_example_is_right(name: str, kind: SourceKind) -> None:
    ((_, raw),) = yaml_text.load(block(section(name), "yaml"))["sources"].items()
    faults = Faults()
    assert raw.pop("kind") == name
    assert kind.read(raw, "sources.it", faults) is not None, faults.all()


def test_the_permissions_are_those_of_the_calls_that_are_made() -> None:
    source = Path(elbv2_calls.__file__).read_text(encoding="utf-8")
    calls = {
        f"elasticloadbalancing:{word.title().replace('_', '')}" for word in re.findall(r'"(describe_\w+)"', source)
    }
    (statement,) = json.loads(block(section("elbv2"), "json"))["Statement"]
    assert set(statement["Action"]) == calls


def test_the_numbers_are_those_of_the_code() -> None:
    config: Any = elbv2_calls.CONFIG
    assert (
        f"a request has {config.connect_timeout:g} s to connect and {config.read_timeout:g} s"
        in section("elbv2").lower()
    )
    assert (elbv2_calls.TRIES, elbv2_calls.AT_ONCE, elbv2_calls.TAGS_ARNS_MAX) == (5, 8, 20)
    assert f"{STARTS_PER_SECOND} a second at most" in section("probe")
    assert (JITTER, LAG_SHARE_MAX) == (0.1, 0.5)
    assert f"`{probe_settings.EVERY_LOW}` to `{probe_settings.EVERY_HIGH}`" in section("probe")
    assert f"`{probe_settings.TIMEOUT_LOW}` to `{probe_settings.TIMEOUT_HIGH}`" in section("probe")


def test_the_example_of_another_kind_works(tmp_path: Path) -> None:
    """The module of the page, as it stands there, keeps to the protocol."""
    scope: dict[str, Any] = {"__name__": "planner_list"}
    exec(compile(block(section("another"), "python"), "docs/sources.md", "exec"), scope)
    kind: SourceKind = scope["KIND"]
    faults = Faults()
    assert kind.read({"file": "x"}, "sources.it", faults) is None
    assert [fault.path for fault in faults.all()] == ["sources.it.file", "sources.it.path"]
    listed = tmp_path / "list"
    source: Source = kind.open("it", kind.read({"path": str(listed)}, "sources.it", Faults()))
    with pytest.raises(SourceFailed, match=r"source it: .* cannot be read"):
        source.observe((), 1.0)
    listed.write_text("lb-1 192.0.2.1\n", encoding="utf-8")
    assert source.observe((), 1.0).offers == (Offer(id="lb-1", addresses=("192.0.2.1",), origin=str(listed)),)
    listed.write_text("lb-1\n", encoding="utf-8")
    with pytest.raises(SourceFailed, match="is not an id and an address"):
        source.observe((), 1.0)
    source.close()
