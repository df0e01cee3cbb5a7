"""The last gate, blind to how a batch was made: each rule is shown by a batch that breaks only that rule."""

import msgspec
import pytest

from enactor.batch import Batch, SwitchChange
from enactor.fence import Fence, Switch, fence_text, switch_text, text_set
from enactor.gate import GateLimits, refusals
from enactor.names import fence_name, switch_name
from enactor.records import RecordSet, content_digest, content_of
from enactor.swap import Swap

ZONE = "example.test."
NAME = "api.example.test."


def weighted(number: int, weight: int = 10, record_type: str = "A") -> RecordSet:
    value = f"192.0.2.{number}" if record_type == "A" else f"2001:db8::{number}"
    return RecordSet(name=NAME, type=record_type, set_identifier=f"lb-{number}", ttl=60, weight=weight, values=(value,))


def switch(generation: int, digit: str = "a") -> RecordSet:
    text = switch_text(Switch(fleet="edge", mode="run", gen=generation, plan=digit * 12, nonce="0" * 16))
    return text_set(switch_name("edge", ZONE), text)


def fence(plan: str, state: str = "live") -> Fence:
    made = Fence(fleet="edge", gen=2, plan=plan, by="tester", nonce="1" * 16)
    return msgspec.structs.replace(made, state=state)


def batch(before: list[RecordSet], deletes: list[RecordSet], creates: list[RecordSet]) -> Batch:
    swap = Swap(
        name=NAME,
        zone="Z1",
        state="behind",
        purpose="advance",
        fence_before=text_set(fence_name(NAME, ZONE), fence_text(fence("c" * 12))),
        fence_after=fence("d" * 12),
        deletes=tuple(deletes),
        creates=tuple(creates),
        before=tuple(before),
    )
    return Batch(
        zone="Z1",
        zone_name=ZONE,
        origin="cycle",
        switch=SwitchChange(switch(1), switch(2)),
        swaps=(swap,),
        comment="",
    )


def labels(made: Batch) -> set[str]:
    return {found.guard for found in refusals(made, lambda _: GateLimits(targets=0.5, capacity=0.5))}


def test_a_harmless_batch_passes() -> None:
    """One of two targets may go at a limit of one half."""
    assert labels(batch([weighted(1), weighted(2)], [weighted(2)], [])) == set()


@pytest.mark.parametrize("last", [weighted(1), weighted(1, record_type="AAAA")])
def test_the_last_set_of_a_kind_never_goes(last: RecordSet) -> None:
    """Promise 1: whatever else stands, a kind that was answered is answered."""
    rest = [weighted(8), weighted(9, record_type="AAAA")]
    others = [record for record in rest if record.type != last.type]
    assert "empty" in labels(batch([last, *others], [last], []))


def test_all_weights_to_zero_is_refused() -> None:
    """A set of weight 0 gets no traffic while any other has some: a kind that had weight keeps some."""
    assert "zero-weights" in labels(batch([weighted(1)], [weighted(1)], [weighted(1, weight=0)]))


def test_a_shrink_past_the_limit_is_refused() -> None:
    """Two of three targets are more than one half."""
    before = [weighted(1), weighted(2), weighted(3)]
    assert labels(batch(before, before[:2], [])) == {"shrink-targets", "shrink-capacity"}


def test_a_repair_may_shrink_only_to_what_the_fence_names() -> None:
    """The permit is checked against the observed fence and the result, and lifts nothing else."""
    before = [weighted(1), weighted(2), weighted(3)]
    made = batch(before, before[:2], [])
    digest = content_digest(content_of(before[2:]))
    old = text_set(fence_name(NAME, ZONE), fence_text(fence(digest)))
    repair = msgspec.structs.replace(made.swaps[0], fence_before=old, fence_after=fence(digest))
    assert labels(msgspec.structs.replace(made, swaps=(repair,))) == set()
    wrong = msgspec.structs.replace(repair, fence_after=fence("e" * 12))
    assert labels(msgspec.structs.replace(made, swaps=(wrong,))) == {"shrink-targets", "shrink-capacity"}


def test_a_set_that_an_alias_points_to_stays() -> None:
    """October 2025: the records that the endpoint pointed to were deleted."""
    made = batch([weighted(1), weighted(2, record_type="AAAA")], [weighted(1)], [])
    assert "alias-target" in labels(msgspec.structs.replace(made, pointed=frozenset({(NAME, "A")})))


def test_the_switch_comes_first_and_never_goes_back() -> None:
    """Promise 2: a cycle's batch asserts the switch, and its generation does not fall or change its plan."""
    made = batch([weighted(1), weighted(2)], [weighted(2)], [])
    assert labels(msgspec.structs.replace(made, switch=None)) == {"switch"}
    for after in (switch(0), switch(1, "b")):
        assert "switch" in labels(msgspec.structs.replace(made, switch=SwitchChange(switch(1), after)))


def test_a_set_that_was_not_observed_so_is_not_deleted() -> None:
    """A batch that would fail, or act on what nobody saw, is our own mistake and is not sent."""
    assert "malformed" in labels(batch([weighted(1), weighted(2)], [weighted(2, weight=9)], []))
