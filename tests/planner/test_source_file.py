"""The source `file`: a file or a directory of load balancers, read again at each look, wholly or not at all."""

import os
from fractions import Fraction
from pathlib import Path

import pytest

from enactor.plan_faults import Faults
from planner.kinds import InstalledKinds
from planner.observation import Observation, Offer, SourceFailed
from planner.source_file import KIND, FileSettings, FileSource

ONE = '- {id: lb-1, addresses: [192.0.2.1, "2001:db8::1"], capacity: 100}\n'
TWO = "- {id: lb-2, alias: {name: lb.example.net., zone: Z0ALIAS, evaluate_target_health: true}, drain: true}\n"


def source(folder: Path, path: str = "inventory") -> FileSource:
    return FileSource("files", FileSettings(path, str(folder)))


def ids(observation: Observation) -> list[str]:
    return [offer.id for offer in observation.offers]


def why(found: FileSource) -> str:
    with pytest.raises(SourceFailed) as raised:
        found.observe((), 1.0)
    return str(raised.value)


def test_a_directory_of_files_is_one_inventory(tmp_path: Path) -> None:
    """Every *.yaml and *.yml of it, and nothing else; each load balancer says where it stands."""
    (tmp_path / "inventory").mkdir()
    (tmp_path / "inventory" / "a.yaml").write_text(ONE)
    (tmp_path / "inventory" / "b.yml").write_text(TWO)
    (tmp_path / "inventory" / "README.md").write_text("no inventory")
    found = source(tmp_path).observe((), 1.0)
    assert (found.source, ids(found)) == ("files", ["lb-1", "lb-2"])
    assert found.offers[0] == Offer(
        id="lb-1",
        addresses=("192.0.2.1", "2001:db8::1"),
        capacity=Fraction(100),
        origin="inventory/a.yaml[0]",
    )
    assert found.offers[1].alias is not None
    assert (found.offers[1].drain, found.offers[1].capacity) == (True, None)


def test_a_file_is_read_again_when_it_changed(tmp_path: Path) -> None:
    """Also where its time and size are what they were."""
    path = tmp_path / "lbs.yaml"
    path.write_text(ONE)
    found = source(tmp_path, "lbs.yaml")
    assert ids(found.observe((), 1.0)) == ["lb-1"]
    before = path.stat()
    path.write_text(ONE.replace("lb-1", "lb-9"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert ids(found.observe((), 1.0)) == ["lb-9"]


def test_a_part_is_never_the_whole(tmp_path: Path) -> None:
    """One file that cannot be read, or is wrong in form, makes no inventory of the others; everything that is wrong is told."""
    folder = tmp_path / "inventory"
    folder.mkdir()
    found = source(tmp_path)
    assert why(found) == "source files: directory inventory has no *.yaml or *.yml in it"
    (folder / "a.yaml").write_text(ONE)
    (folder / "b.yaml").write_text("- {id: lb 2, addresses: [nowhere], speed: 1}\n- lb-3\n")
    with pytest.raises(SourceFailed) as raised:
        found.observe((), 1.0)
    assert [line.split(":")[1].strip() for line in raised.value.faults] == [
        "[0].speed",
        "[0].id",
        "[0].addresses[0]",
        "[1]",
    ]
    assert str(raised.value).startswith(
        "source files: 4 faults, the first of them inventory/b.yaml: [0].speed: unknown key"
    )
    (folder / "b.yaml").write_text("lb-2")
    assert why(found).startswith('source files: inventory/b.yaml: "lb-2" is text, not a list like')
    (folder / "b.yaml").write_bytes(b"\xff")
    assert why(found) == "source files: inventory/b.yaml: octet 0 is not UTF-8"
    (folder / "b.yaml").unlink()
    (folder / "b.yaml").symlink_to(folder / "gone.yaml")
    assert "cannot be read" in why(found)
    assert why(source(tmp_path, "nowhere.yaml")).endswith("nowhere.yaml cannot be read: No such file or directory")


def test_an_id_in_two_files_is_refused(tmp_path: Path) -> None:
    """Nobody knows which of them was meant."""
    folder = tmp_path / "inventory"
    folder.mkdir()
    (folder / "a.yaml").write_text(ONE)
    (folder / "b.yaml").write_text(ONE.replace("192.0.2.1", "192.0.2.9"))
    assert why(source(tmp_path)) == (
        "source files: inventory/b.yaml[0].id: lb-1 stands twice, first as inventory/a.yaml[0]"
    )


def test_settings_are_read_with_their_faults() -> None:
    """`path` and nothing else; nothing is opened."""
    faults = Faults()
    assert KIND.read({"paths": "x"}, "sources.files", faults) is None
    assert KIND.read({"path": 5}, "sources.files", faults) is None
    assert KIND.read({"path": ""}, "sources.files", faults) is None
    assert [str(fault) for fault in faults.all()] == [
        "sources.files.paths: unknown key; known are path",
        "sources.files.path: missing",
        "sources.files.path: 5 is a number, not text; put it in quotes",
        "sources.files.path: empty; name a file or a directory of YAML files",
    ]
    assert KIND.beside("fleets").read({"path": "lbs"}, "s", Faults()) == FileSettings("lbs", "fleets")


def test_the_kind_is_installed_as_an_entry_point() -> None:
    """As a third party's is; a fleet file beside another directory looks there."""
    kinds = InstalledKinds("fleets")
    assert {"elbv2", "file", "probe"} <= set(kinds.names())
    assert not any(isinstance(kinds.find(name), str) for name in ("elbv2", "file", "probe"))
    kind = kinds.find("file")
    assert not isinstance(kind, str)
    assert kind.read({"path": "lbs"}, "s", Faults()) == FileSettings("lbs", "fleets")
    assert isinstance(kinds.find("tape"), str)
