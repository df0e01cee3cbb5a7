"""The stage both acts are played on: a sandbox, one zone, the plans of the story, and the timeline that people read."""

import random
from collections.abc import Callable, Mapping
from typing import Final, Self

import msgspec

from enactor.names import fence_name
from enactor.sandbox.ask import DnsReply, ask_until_steady
from enactor.sandbox.server import Sandbox

ZONE: Final = "Z0OCTOBER"
ZONE_NAME: Final = "example.com."
API: Final = "api.example.com."
"""The endpoint of the story: in 2025 it was dynamodb.us-east-1.amazonaws.com."""
PAYMENTS: Final = "payments.example.com."
"""An endpoint whose content comes from an older plan, because a guard refuses what the newer ones say."""
TTL_SECONDS: Final = 60
QUESTIONS: Final = 60
"""Enough to meet each member of a weighted group of four with near certainty, from a seeded source."""
SEED: Final = 20251019

ADDRESSES: Final[Mapping[str, str]] = {f"lb-{number}": f"192.0.2.{number}" for number in range(1, 10)}
PLANS: Final[Mapping[int, tuple[str, ...]]] = {
    1: ("lb-1", "lb-2"),
    2: ("lb-1", "lb-2", "lb-3"),
    3: ("lb-1", "lb-2"),
    4: ("lb-1", "lb-2", "lb-4"),
    5: ("lb-1", "lb-2", "lb-4", "lb-5"),
    6: ("lb-1", "lb-4", "lb-5", "lb-6"),
    7: ("lb-1", "lb-5", "lb-6", "lb-7"),
}
"""The load balancers behind the endpoint by plan. lb-3 joined in plan 2 and was gone in plan 3."""


MOMENTS: Final = (
    "Plan 1 comes into force",
    "Enactor A is delayed with plan 2",
    "Enactor B goes on to plan 5",
    "Enactor B begins to clean up",
    "Enactor A's late write arrives",
    "The clean-up ends",
    "Other hands",
    "Plan 6",
    "Plan 7",
)
"""The points of the night, the same in both acts: by them they stand side by side."""


class Belief(msgspec.Struct, frozen=True):
    """What somebody takes for true, and whether it is at that point: looked up in the zone, as nobody of them does."""

    actor: str
    text: str
    holds: bool


class Row(msgspec.Struct, frozen=True):
    """One line of a timeline."""

    actor: str
    text: str
    reply: DnsReply
    broken: tuple[str, ...] = ()
    moment: str = MOMENTS[0]
    beliefs: tuple[Belief, ...] = ()
    stands: tuple[str, ...] = ()
    """The record sets at the endpoint and its fence, a line for each."""


class Stage:
    """A sandbox with the zone of the story, and what has happened so far."""

    def __init__(self) -> None:
        self.sandbox = Sandbox(random_source=random.Random(SEED))  # noqa: S311 - which address answers, the same each time
        self.rows: list[Row] = []
        self._moment = MOMENTS[0]
        self._beliefs: dict[str, tuple[str, Callable[[], bool]]] = {}

    def __enter__(self) -> Self:
        self.sandbox.start()
        self.sandbox.create_zone(ZONE_NAME, ZONE)
        return self

    def __exit__(self, *_: object) -> None:
        self.sandbox.stop()

    def ask(self, name: str = API) -> DnsReply:
        """Ask what clients get."""
        return ask_until_steady(self.sandbox.dns_address, name, questions=QUESTIONS)

    def moment(self, number: int) -> None:
        """Go on to a point of the night; the first is 1."""
        self._moment = MOMENTS[number - 1]

    def believe(self, actor: str, text: str, holds: Callable[[], bool]) -> None:
        """Note what somebody takes for true from now on, and a way to look whether it is."""
        self._beliefs[actor] = (text, holds)

    def fence(self) -> tuple[str, ...]:
        """Return the texts of the endpoint's fence as they stand."""
        found = self.sandbox.zone(ZONE).sets(fence_name(API, ZONE_NAME))
        return tuple(value["Value"] for record in found for value in record.get("ResourceRecords", ()))

    def is_fence(self, seen: tuple[str, ...]) -> bool:
        """Tell whether the fence is still what it was."""
        return self.fence() == seen

    def stands(self) -> tuple[str, ...]:
        """Return what stands in Route 53 for the endpoint."""
        lines = []
        for record in self.sandbox.zone(ZONE).sets(API):
            if alias := record.get("AliasTarget"):
                target = str(alias["DNSName"])
                there = len(self.sandbox.zone(ZONE).sets(target))
                lines.append(f"alias to {target}: {there or 'no'} record set{'' if there == 1 else 's'} there")
            else:
                values = " ".join(str(value["Value"]) for value in record["ResourceRecords"])
                lines.append(f"{record['SetIdentifier']} {values}")
        return (*(lines or ["no record set"]), *(f"fence {text}" for text in self.fence()))

    def tell(self, actor: str, text: str, broken: tuple[str, ...] = ()) -> None:
        """Note what somebody did, what each takes for true, and what clients get since then."""
        beliefs = tuple(Belief(who, said, holds()) for who, (said, holds) in sorted(self._beliefs.items()))
        self.rows.append(Row(actor, text, self.ask(), broken, self._moment, beliefs, self.stands()))


def members(generation: int) -> str:
    """Return a plan's load balancers as people read them."""
    return " ".join(PLANS[generation])
