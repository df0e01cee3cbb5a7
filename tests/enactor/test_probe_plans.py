"""The plans that a probe holds answers against: read when they change, and never a reason to stop asking."""

import json
import os
from pathlib import Path

import pytest

from enactor.disk import PlanDisk
from enactor.plan import StoredPlan, canonical_json, digest_of
from enactor.plan_form import read_plan
from enactor.ports import FormFaults, Unavailable
from enactor.probe_plans import ENTRIES_OF_FOLDER_MAX, PLANS_OF_FOLDER_MAX, PlanFiles, PlansSeen

API, WEB = "api.example.test.", "web.example.test."


def text(*numbers: int) -> bytes:
    """Return a plan file that has these load balancers at both endpoints."""
    targets = [{"id": f"lb-{n}", "type": "A", "value": f"192.0.2.{n}"} for n in numbers]
    endpoints = [{"name": n, "zone": "Z1", "routing": "simple", "ttl": 60, "targets": targets} for n in (API, WEB)]
    return json.dumps({"format": 1, "fleet": "edge", "endpoints": endpoints}).encode()


def kept(folder: Path, generation: int) -> None:
    """Let an enactor keep a plan on its disk."""
    plan = read_plan(text(generation)).plan
    assert plan is not None
    body = canonical_json(plan)
    stored = StoredPlan(generation=generation, digest=digest_of(body), plan=plan, body=body)
    assert PlanDisk(folder, "edge").save(stored) is None


def numbers(seen: PlansSeen) -> list[list[int]]:
    """Return the load balancers of each plan, as far as it was read."""
    return [[int(str(t.value).split(".")[-1]) for e in plan.endpoints for t in e.targets] for plan in seen.plans]


def written(path: Path, content: bytes) -> Path:
    """Replace a file as a copying tool does, at once."""
    aside = path.with_suffix(".new")
    aside.write_bytes(content)
    return aside.replace(path)


def test_only_the_names_that_are_asked_about_are_kept_in_memory(tmp_path: Path) -> None:
    """A plan may have 20,000 endpoints, and there may be nineteen plans."""
    path = written(tmp_path / "plan.json", text(1))
    (plan,) = PlanFiles([str(path)], {API}).look().plans
    assert [endpoint.name for endpoint in plan.endpoints] == [API]


def test_a_file_is_read_again_when_it_changes_and_only_then(tmp_path: Path) -> None:
    """The same plan, to the very object, until it is another file."""
    path = written(tmp_path / "plan.json", text(1))
    files = PlanFiles([str(path)], {API})
    first = files.look()
    assert files.look().plans[0] is first.plans[0]
    written(path, text(2))
    assert (numbers(first), numbers(files.look())) == ([[1]], [[2]])


def test_what_was_read_counts_on_while_a_file_is_away_or_no_plan(tmp_path: Path) -> None:
    """And why is said; once it is right it is read."""
    path = written(tmp_path / "plan.json", text(1))
    files = PlanFiles([str(path)], {API})
    files.look()
    path.unlink()
    away = files.look()
    assert (numbers(away), away.problems) == (
        [[1]],
        (f"{path} cannot be read: No such file or directory; what was read of it before counts on",),
    )
    written(path, b'{"format": 1}')
    wrong = files.look()
    assert numbers(wrong) == [[1]]
    assert wrong.problems[0].startswith(f"{path}: 2 faults, the first ")
    assert files.look() == wrong, "and that is said for as long as it is so"
    written(path, text(3))
    assert (numbers(files.look()), files.look().problems) == ([[3]], ())


def test_of_a_file_that_was_never_right_nothing_counts(tmp_path: Path) -> None:
    """No plan at all calls nothing unplanned."""
    path = tmp_path / "plan.json"
    files = PlanFiles([str(path)], {API})
    assert files.look() == PlansSeen((), (f"{path} cannot be read: No such file or directory",))
    written(path, b"a" * 64 + b"\nno header\n")
    assert files.look() == PlansSeen((), (f"{path} is no plan: its checksum is wrong",))


def test_a_state_directory_is_read_as_enactors_write_it(tmp_path: Path) -> None:
    """The plan that came last first; its lock and what else lies there are passed over."""
    kept(tmp_path, 1)
    kept(tmp_path, 2)
    (tmp_path / ".hidden.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("by hand")
    for generation in (1, 2):
        (found,) = tmp_path.glob(f"plan-edge-*{generation}-*.json")
        os.utime(found, (generation, generation))
    files = PlanFiles([str(tmp_path)], {API})
    assert (numbers(files.look()), files.look().problems) == ([[2], [1]], ())
    kept(tmp_path, 3)
    assert numbers(files.look()) == [[3], [2], [1]]


def test_one_spoilt_file_of_a_folder_takes_none_of_the_others_away(tmp_path: Path) -> None:
    """It is named."""
    kept(tmp_path, 1)
    odd = written(tmp_path / "odd.json", b"{")
    seen = PlanFiles([str(tmp_path)], {API}).look()
    assert numbers(seen) == [[1]]
    assert [problem.split(":")[0] for problem in seen.problems] == [str(odd)]


def test_a_folder_counts_on_while_it_is_empty_or_gone(tmp_path: Path) -> None:
    """Whatever copies the files may begin by taking them away; what it held is not read again for that."""
    folder = tmp_path / "plans"
    folder.mkdir()
    kept(folder, 1)
    files = PlanFiles([str(folder)], {API})
    files.look()
    for path in folder.iterdir():
        path.unlink()
    empty = files.look()
    assert numbers(empty) == [[1]]
    assert empty.problems[0] == f"{folder} holds no plan (*.json); what was read there before counts on"
    folder.rmdir()
    gone = files.look()
    assert numbers(gone) == [[1]]
    assert (
        gone.problems[0] == f"{folder} cannot be read: No such file or directory; what was read there before counts on"
    )
    folder.mkdir()
    kept(folder, 2)
    assert (numbers(files.look()), files.look().problems) == ([[2]], ())


def test_a_folder_is_bounded(tmp_path: Path) -> None:
    """The newest files alone; one with very many is no folder of plans."""
    for number in range(1, PLANS_OF_FOLDER_MAX + 3):
        os.utime(written(tmp_path / f"{number}.json", text(number)), (number, number))
    newest = list(range(PLANS_OF_FOLDER_MAX + 2, 2, -1))
    assert numbers(PlanFiles([str(tmp_path)], {API}).look()) == [[number] for number in newest]
    for number in range(ENTRIES_OF_FOLDER_MAX):
        (tmp_path / f"{number}.log").touch()
    assert f"holds more than {ENTRIES_OF_FOLDER_MAX} files" in PlanFiles([str(tmp_path)], {API}).look().problems[0]


def test_a_single_look_fails_for_what_cannot_be_read(tmp_path: Path) -> None:
    """There is no look before it that could count on, and a pipeline must not take silence for an answer."""
    good = written(tmp_path / "good.json", text(1))
    with pytest.raises(Unavailable, match="cannot be read: No such file"):
        PlanFiles([str(good), str(tmp_path / "none.json")], {API}).once()
    with pytest.raises(FormFaults):
        PlanFiles([str(written(tmp_path / "bad.json", b"{}"))], {API}).once()
    with pytest.raises(Unavailable, match="is no file"):
        PlanFiles([os.devnull], {API}).once()
    (tmp_path / "folder").mkdir()
    with pytest.raises(Unavailable, match="holds no plan"):
        PlanFiles([str(tmp_path / "folder")], {API}).once()
    assert len(PlanFiles([str(good), str(good)], {API}).once()) == 2
