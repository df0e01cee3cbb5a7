"""The promises that only the wire shows: what an adapter makes of the answers it gets, and what the budget is told of. Pure.

Written apart from the product's own reading of answers: it knows a few codes, and nothing of botocore's errors.
"""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

import msgspec

from enactor.outcome import Applied, Conflicted, Outcome, OverBudget, Unknown, ZoneBusy
from enactor.sandbox.wire import Reply

from .actors import Broken
from .claims import UNKNOWN

NEVER_A_STORM: Final = "never a storm"
MEANT: Final[tuple[tuple[bytes, type[Outcome]], ...]] = (
    (b"<Code>PriorRequestNotComplete<", ZoneBusy),
    (b"<Code>Throttling<", OverBudget),
    (b"but it already exists", Conflicted),
    (b"but it was not found", Conflicted),
    (b"do not match the current values", Conflicted),
)
"""What Route 53's answers mean for a batch; any other refusal may be read as the adapter likes."""


class Failure(msgspec.Struct, frozen=True):
    """No answer: which of botocore's errors its HTTP session raises."""

    kind: str
    lasts: bool = False
    """Whether the same request fails so however often it is sent, until its sender asks for something else."""


def judge(answers: Sequence[Reply | Failure], outcome: Outcome) -> None:
    """Hold what the adapter says of a batch against the answers that it got, by codes of its own."""
    last, said = answers[-1], type(outcome).__name__
    if any(isinstance(answer, Failure) or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR for answer in answers):
        if not isinstance(outcome, Unknown) and not (isinstance(outcome, Applied) and is_ok(last)):
            raise Broken(f"{UNKNOWN}: a batch of which an answer was lost is said to be {said}")
        return
    assert isinstance(last, Reply), "a failure is no answer"
    meant = next((kind for code, kind in MEANT if code in last.body), Applied if is_ok(last) else None)
    if meant is not None and not isinstance(outcome, meant):
        raise Broken(f"{UNKNOWN}: Route 53 answered {meant.__name__}, and {said} is said of the batch")


def is_ok(answer: Reply | Failure) -> bool:
    """Tell whether a request was carried out and its sender knows it."""
    return isinstance(answer, Reply) and answer.status == HTTPStatus.OK
