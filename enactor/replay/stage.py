"""The stage both acts are played on: a sandbox, one zone, the plans of the story, and the timeline that people read."""

import random
from collections.abc import Mapping
from typing import Final, Self

import msgspec

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


class Row(msgspec.Struct, frozen=True):
    """One line of a timeline."""

    actor: str
    text: str
    reply: DnsReply
    broken: tuple[str, ...] = ()


class Stage:
    """A sandbox with the zone of the story, and what has happened so far."""

    def __init__(self) -> None:
        self.sandbox = Sandbox(random_source=random.Random(SEED))  # noqa: S311 - which address answers, the same each time
        self.rows: list[Row] = []

    def __enter__(self) -> Self:
        self.sandbox.start()
        self.sandbox.create_zone(ZONE_NAME, ZONE)
        return self

    def __exit__(self, *_: object) -> None:
        self.sandbox.stop()

    def ask(self, name: str = API) -> DnsReply:
        """Ask what clients get."""
        return ask_until_steady(self.sandbox.dns_address, name, questions=QUESTIONS)

    def tell(self, actor: str, text: str, broken: tuple[str, ...] = ()) -> None:
        """Note what somebody did, and what clients get since then."""
        self.rows.append(Row(actor, text, self.ask(), broken))


def members(generation: int) -> str:
    """Return a plan's load balancers as people read them."""
    return " ".join(PLANS[generation])
