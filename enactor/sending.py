"""Decide how one round's swaps are sent into a zone: what becomes of the switch, which batches, and what no call can hold.

Pure: nonces are drawn through a function that is handed in. `zone_cycle` sends what comes out, one batch after the other.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby

import msgspec

from enactor.aliases import beyond
from enactor.batch import CHARACTERS_MAX, ELEMENTS_MAX, Batch, Size, SwitchChange, followers, ordered, pack, sets_after
from enactor.fence import Garbled, Switch, switch_text, text_set
from enactor.guards import Finding
from enactor.observe import SwitchReading
from enactor.records import RecordSet, txt_quote
from enactor.standing import Choice
from enactor.swap import Swap

Nonce = Callable[[], str]


def switch_change(reading: SwitchReading, choice: Choice, fleet: str, nonce: Nonce) -> SwitchChange:
    """Return the assertion of the switch, or the opening of the working plan with a new nonce."""
    assert reading.record is not None, "a stopped zone is not written"
    if not choice.opens or choice.working is None:
        return SwitchChange(reading.record, plainly_running(reading.record, reading.switch, nonce))
    stored = choice.working.stored
    opened = Switch(fleet=fleet, mode="run", gen=stored.generation, plan=stored.short_digest, nonce=nonce())
    return SwitchChange(reading.record, text_set(reading.record.name, switch_text(opened)))


def plainly_running(record: RecordSet, switch: Switch | Garbled | None, nonce: Nonce) -> RecordSet:
    """Return the switch as it is, or where it runs by a stop that has ended or in a person's wording, plainly in run."""
    assert isinstance(switch, Switch), "a switch that cannot be read means stop"
    if record.values == (txt_quote(switch_text(switch)),) and switch.mode == "run" and switch.until is None:
        return record
    plain = msgspec.structs.replace(switch, mode="run", until=None, nonce=nonce())
    return text_set(record.name, switch_text(plain))


def packed(
    together: Sequence[Swap],
    alone: Sequence[Swap],
    *,
    start: str,
    zone: str,
    zone_name: str,
    switch: SwitchChange,
    comment: str,
    pointed: Iterable[tuple[str, str]],
) -> list[Batch]:
    """Fill batches, from the name `start` on; what goes alone goes behind the rest, so that it holds nobody up.

    The aliases to what goes alone go behind it: Route 53 rejects an alias whose target is not there yet.
    Each batch is made as if it were the first: `rebased` has the later ones assert what the first has written.
    """
    pointed = frozenset(pointed)
    lonely = frozenset(swap.name for swap in alone)
    behind = followers(together, lonely)
    groups = [ordered((swap for swap in together if swap.name not in behind), start)]
    row = ordered([*alone, *(swap for swap in together if swap.name in behind)])
    for is_behind, run in groupby(row, lambda swap: swap.name in behind):
        swaps = list(run)
        groups += [swaps] if is_behind else [[swap] for swap in swaps]
    return [
        batch
        for group in groups
        for batch in pack(group, zone=zone, zone_name=zone_name, switch=switch, comment=comment, pointed=pointed)
    ]


def rebased(batch: Batch, sets: Mapping[str, tuple[RecordSet, ...]], switch: RecordSet | None) -> Batch:
    """Return the batch with what its aliases lead to by now, asserting the switch where an earlier batch has written it."""
    touched = (record for swap in batch.swaps for record in (*swap.before, *swap.creates))
    batch = msgspec.structs.replace(batch, beyond=beyond(sets, touched, batch.zone))
    if batch.switch is None or switch is None or switch.values != batch.switch.after.values:
        return batch
    return msgspec.structs.replace(batch, switch=SwitchChange(switch, switch))


def takes_a_type(swap: Swap) -> bool:
    """Tell whether a swap leaves no set of a record type that stands now: what points there would point to nothing."""
    return not {record.type for record in swap.before} <= {record.type for record in sets_after(swap)}


def over_limits(size: Size) -> Finding:
    """Say what no call can hold: what stands there, or what is wanted, is too large to be replaced at once."""
    message = (
        f"changing it takes {size.elements} record elements and {size.characters} characters in one call, over "
        f"Route 53's {ELEMENTS_MAX} and {CHARACTERS_MAX}: take some of what stands there away by hand, or ask for less"
    )
    return Finding(guard="limit", message=message)
