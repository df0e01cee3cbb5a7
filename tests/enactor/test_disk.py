"""Plans on disk: whole or not at all, believed only if everything agrees, bounded, shared, and never a reason to stop."""

import fcntl
import hashlib
import os
import threading
from pathlib import Path

import pytest

from enactor import disk as disk_module
from enactor.disk import KEEP_NEWEST_FILES, PlanDisk
from enactor.plan import Endpoint, Plan, StoredPlan, Target, canonical_json, digest_of

FLEET = "edge"


def stored(generation: int, value: str = "192.0.2.1", fleet: str = FLEET) -> StoredPlan:
    """Return a verified plan."""
    target = Target(id="lb-1", type="A", value=value, weight=10)
    endpoint = Endpoint(name="api.example.test.", zone="Z0EXAMPLE", routing="weighted", ttl=60, targets=(target,))
    plan = Plan(fleet=fleet, endpoints=(endpoint,))
    body = canonical_json(plan)
    return StoredPlan(
        generation=generation,
        digest=digest_of(body),
        plan=plan,
        parent=generation - 1,
        created_at="2026-11-01T00:00:00Z",
        planner="planner-1",
        reason="a test",
        body=body,
    )


@pytest.fixture
def disk(tmp_path: Path) -> PlanDisk:
    return PlanDisk(tmp_path / "state", FLEET)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "state"


def generations(disk: PlanDisk) -> list[int]:
    """Return what can be used."""
    return [plan.generation for plan in disk.load().plans]


def only_file(directory: Path) -> Path:
    """Return the one plan that is there."""
    (path,) = directory.glob("plan-*")
    return path


def test_a_kept_plan_comes_back(disk: PlanDisk) -> None:
    """With everything that the store added, in another process as well."""
    assert disk.save(stored(7)) is None
    assert disk.newest() == stored(7)
    assert disk.load().plans == (stored(7),)
    assert disk.load().problems == ()


def test_an_empty_or_absent_directory_has_no_plan(disk: PlanDisk) -> None:
    """The first start is no fault."""
    assert disk.newest() is None
    assert disk.load() == disk_module.DiskReading((), ())


def test_the_highest_generation_comes_first_and_the_number_is_bounded(disk: PlanDisk) -> None:
    """Whatever the order in which they came; the tenth generation is above the ninth."""
    for generation in (9, 11, 8, 10, 7):
        assert disk.save(stored(generation)) is None
    assert generations(disk) == [11, 10, 9]
    assert KEEP_NEWEST_FILES == 3


def test_asked_for_generations_stay(disk: PlanDisk) -> None:
    """A plan that is open in a zone outlives newer ones, for as long as somebody asks for it."""
    for generation in range(1, 8):
        disk.save(stored(generation), keep=[2])
    assert generations(disk) == [7, 6, 5, 2]
    disk.save(stored(8))
    assert generations(disk) == [8, 7, 6]


def test_what_is_asked_for_is_bounded_too(disk: PlanDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking does not fill the disk: the newest of the asked stay."""
    monkeypatch.setattr(disk_module, "KEEP_ASKED_FILES", 2)
    for generation in range(1, 8):
        disk.save(stored(generation), keep=range(10))
    assert generations(disk) == [7, 6, 5, 4, 3]


def test_two_plans_of_one_generation_are_both_kept(disk: PlanDisk) -> None:
    """Identity is generation and digest: which of the two counts, the switch says."""
    disk.save(stored(7))
    disk.save(stored(7, "192.0.2.2"))
    assert {plan.digest for plan in disk.load().plans} == {stored(7).digest, stored(7, "192.0.2.2").digest}


@pytest.mark.parametrize("place", [0, 40, 70, 90, 200, -1], ids=lambda place: f"octet {place}")
def test_one_changed_bit_anywhere_is_seen(disk: PlanDisk, directory: Path, place: int) -> None:
    """In the checksum, the header or the plan: the file is passed over and named, and the one below it is used."""
    disk.save(stored(6))
    disk.save(stored(7))
    path = max(directory.glob("plan-*"))
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    assert disk.newest() == stored(6)
    (problem,) = disk.load().problems
    assert str(path) in problem
    assert "passed over" in problem


def test_a_generation_changed_by_hand_is_seen(disk: PlanDisk, directory: Path) -> None:
    """A file renamed to a generation of the future, or with a header that was forged and sealed again, is no plan."""
    disk.save(stored(7))
    path = only_file(directory)
    future = path.with_name(path.name.replace("000000000007", "000000000947"))
    path.rename(future)
    assert disk.newest() is None
    assert "do not agree" in disk.load().problems[0]
    rest = future.read_bytes().partition(b"\n")[2].replace(b"192.0.2.1", b"192.0.2.9")
    path.write_bytes(hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest)
    assert "does not have the digest" in disk.load().problems[1]


def test_a_truncated_or_empty_file_is_seen(disk: PlanDisk, directory: Path) -> None:
    """What a full disk or a power cut leaves behind."""
    disk.save(stored(7))
    path = only_file(directory)
    content = path.read_bytes()
    for size in (0, 10, 64, 65, len(content) - 1):
        path.write_bytes(content[:size])
        assert disk.newest() is None, size


def test_a_damaged_file_does_not_stand_in_a_sound_ones_place(disk: PlanDisk, directory: Path) -> None:
    """Three damaged files of high generations do not keep the next plan from being kept."""
    for generation in (7, 8, 9):
        disk.save(stored(generation))
    for path in directory.glob("plan-*"):
        path.write_bytes(b"noise")
    assert disk.save(stored(5)) is None
    assert generations(disk) == [5]
    assert only_file(directory).name.startswith("plan-edge-000000000005-")


def test_a_damaged_file_is_written_again(disk: PlanDisk, directory: Path) -> None:
    """Saving the same plan mends it, and leaves a sound file alone."""
    disk.save(stored(7))
    path = only_file(directory)
    path.write_bytes(b"noise")
    disk.save(stored(7))
    assert disk.newest() == stored(7)
    before = path.stat().st_mtime_ns
    disk.save(stored(7))
    assert path.stat().st_mtime_ns == before


def test_a_crash_while_writing_leaves_the_old_plan_and_no_litter(
    disk: PlanDisk, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed before the rename: the old plan is there, the half file is none, and the next save takes it away."""
    disk.save(stored(6))

    def die(_: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", die)
        with pytest.raises(KeyboardInterrupt):
            disk.save(stored(7))
    assert generations(disk) == [6]
    assert len(list(directory.glob(".unfinished-*"))) == 1
    assert disk.save(stored(7)) is None
    assert generations(disk) == [7, 6]
    assert list(directory.glob(".unfinished-*")) == []


def test_a_file_is_flushed_before_it_appears(disk: PlanDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fsync of the file, rename, fsync of the directory: in this order."""
    steps: list[str] = []
    replace, fsync = Path.replace, os.fsync

    def flushed(handle: int) -> None:
        steps.append("fsync")
        fsync(handle)

    def renamed(path: Path, target: Path) -> Path:
        steps.append("rename")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr(Path, "replace", renamed)
    disk.save(stored(7))
    assert steps == ["fsync", "rename", "fsync"]


def test_a_full_disk_is_a_sentence_and_no_litter(
    disk: PlanDisk, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An enactor goes on without it."""
    disk.save(stored(6))

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    why = disk.save(stored(7))
    assert why is not None
    assert "plan 7 cannot be kept" in why
    assert "No space left on device" in why
    assert list(directory.glob(".unfinished-*")) == []
    assert generations(disk) == [6]


def test_a_path_that_is_no_directory_is_a_sentence(tmp_path: Path) -> None:
    """A state directory that is a file stops nothing."""
    (tmp_path / "state").write_text("a file")
    disk = PlanDisk(tmp_path / "state", FLEET)
    assert "cannot be kept" in (disk.save(stored(7)) or "")
    assert "cannot be read" in disk.load().problems[0]
    assert disk.newest() is None


def test_a_process_paused_with_the_lock_blocks_nobody(disk: PlanDisk, directory: Path) -> None:
    """The other one does not wait: it says so, reads all the same, and saves at its next turn."""
    disk.save(stored(6))
    with (directory / ".lock").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert "another process writes" in (disk.save(stored(7)) or "")
        assert generations(disk) == [6]
    assert disk.save(stored(7)) is None


def test_many_writers_share_a_directory(directory: Path) -> None:
    """Two enactors and more on one machine: whatever is there is whole, bounded, and the newest got through."""
    disks = [PlanDisk(directory, FLEET) for _ in range(4)]

    def work(disk: PlanDisk) -> None:
        for generation in range(1, 11):
            while disk.save(stored(generation)) is not None:
                pass

    threads = [threading.Thread(target=work, args=(disk,)) for disk in disks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    reading = disks[0].load()
    assert [plan.generation for plan in reading.plans] == [10, 9, 8]
    assert reading.problems == ()


def test_fleets_share_a_directory_and_nothing_else(directory: Path) -> None:
    """Neither sees nor prunes the other's, whatever their names."""
    edge, west = PlanDisk(directory, FLEET), PlanDisk(directory, "edge-west")
    west.save(stored(1, fleet="edge-west"))
    for generation in range(5, 10):
        edge.save(stored(generation))
    assert generations(west) == [1]
    assert generations(edge) == [9, 8, 7]


def test_another_fleets_plan_under_our_name_is_no_plan(disk: PlanDisk) -> None:
    """The body says whose it is."""
    disk.save(stored(7, fleet="west"))
    assert disk.newest() is None
    assert "another fleet's" in disk.load().problems[0]


def test_strange_files_are_left_alone(disk: PlanDisk, directory: Path) -> None:
    """A person's notes in the directory are neither read nor removed."""
    directory.mkdir()
    (directory / "plan-notes.json").write_text("{}")
    disk.save(stored(7))
    assert (directory / "plan-notes.json").exists()
    assert disk.load().problems == ()


def test_a_file_too_large_is_not_read(disk: PlanDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit on everything."""
    disk.save(stored(7))
    monkeypatch.setattr(disk_module, "LIMIT_OCTETS", 10)
    assert disk.newest() is None
    assert "larger than 10 octets" in disk.load().problems[0]


def test_what_can_neither_be_read_nor_removed_does_not_stop_saving(disk: PlanDisk, directory: Path) -> None:
    """A directory under a plan's name is as bad as a file on a bad sector: it is passed over, and the plan is kept."""
    disk.save(stored(6))
    (directory / f"plan-edge-000000000009-{'0' * 64}.json" / "inside").mkdir(parents=True)
    (directory / ".unfinished-1").mkdir()
    assert disk.save(stored(7)) is None
    assert generations(disk) == [7, 6]
