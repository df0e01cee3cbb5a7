"""An actor that is killed between two of its writes, in every run: what a random fault meets now and then is always there."""

from typing import Any

import greenlet
import msgspec

from .actors import Actor, Line
from .ops import Op, is_write


def dies_after(actor: Actor, *, writes: int) -> Actor:
    """Return an actor that is gone, as by kill -9, in place of its next write after so many."""

    def body(line: Line) -> Any:
        ask, left = line.ask, writes

        def asked(op: Op) -> Any:
            nonlocal left
            if is_write(op):
                if not left:
                    line.hang_up()
                    raise greenlet.GreenletExit
                left -= 1
            return ask(op)

        line.ask = asked  # type: ignore[method-assign]  # this very line, for this very run
        try:
            return actor.body(line)
        except greenlet.GreenletExit:
            return None

    return msgspec.structs.replace(actor, body=body)
