"""Take out what holds a watching planner back, and see which promise breaks."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any, Final

import msgspec

from planner import deliberation, endpoint_planning, publisher
from planner.publishing import Wish
from planner.signal_brake import Ruling, Taken

from .scenarios_signals import ROLLED_BACK, SIGNALS
from .signal_promises import BRAKE_HOLDS, ROLLBACK_STAYS
from .teeth import Tooth, _put


def _no_brake() -> AbstractContextManager[None]:
    def rule(_stood: Any, _others: Any, wished: Iterable[Taken], *_: Any, **__: Any) -> Ruling:
        return Ruling(allowed=frozenset(one.id for one in wished), held=(), lost=Fraction(0))

    return _put((endpoint_planning, "rule", rule))


def _nothing_stays() -> AbstractContextManager[None]:
    return _put((publisher, "_staying", lambda _: None))


def _on_any_plan() -> AbstractContextManager[None]:
    """Store a plan on whatever is the newest by then, with the guards alone asked again."""
    real = publisher.publish

    def publish(store: Any, plan: Any, wish: Wish, *given: Any, **named: Any) -> Any:
        return real(store, plan, msgspec.structs.replace(wish, expect_parent=None), *given, **named)

    return _put((deliberation, "publish", publish))


SIGNAL_TEETH: Final = (
    Tooth(
        name="the brake holds signals back",
        promises=frozenset({BRAKE_HOLDS}),
        scenario=SIGNALS,
        out=_no_brake,
    ),
    Tooth(
        name="a running planner leaves a rollback alone",
        promises=frozenset({ROLLBACK_STAYS}),
        scenario=ROLLED_BACK,
        out=_nothing_stays,
    ),
    Tooth(
        name="a plan is stored on the plan that it was made from",
        promises=frozenset({ROLLBACK_STAYS}),
        scenario=ROLLED_BACK,
        out=_on_any_plan,
    ),
)
