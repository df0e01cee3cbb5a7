"""The writer of history: after the cycle, bounded, silent about a table that is away but for one word."""

from datetime import UTC, datetime, timedelta

from enactor.historian import AWAY_SECONDS, FLUSH_SECONDS_MAX, MISSED, WAITING_MAX, Historian
from enactor.history import Facts
from enactor.hooks import BatchEnded, CycleEnded, Event, Noticed, Written
from enactor.table_events import EventsRead
from tests.simulator.ops import Op

from .ground import Ground
from .kernel_builders import ZONE

DATE = datetime(2026, 11, 30, 12, tzinfo=UTC)
ENDED = CycleEnded(
    outcome="changed", generation=8, source="table", seconds=1.0, states={}, reads=1, writes=1, changes=1
)


def applied(name: str = "api.example.test.", outcome: str = "applied") -> BatchEnded:
    written = Written(name=name, generation=8, plan="0123456789ab", nonce="00aa", cause="behind", purpose="advance")
    return BatchEnded(
        zone=ZONE, outcome=outcome, generation=8, change_id="C1", names=(name,), opened=False, written=(written,)
    )


class Slow:
    """A clock that a test moves, and that moves by itself with every write."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


class Desk:
    """A historian over the product's table on the simulator's items."""

    def __init__(self) -> None:
        self.ground = Ground()
        self.clock = Slow()
        self.date: datetime | None = DATE
        self.told: list[Event] = []
        self.seconds_of_a_write = 0.0
        self.heard = 0
        self.historian = Historian(
            self.told.append,
            lambda: self,
            lambda: self.date,
            lambda: DATE + timedelta(seconds=self.heard / 1000),
            clock=self.clock,
            chance=self.ground.line,
            by="az-1",
        )

    def record(self, facts: Facts, *, at: datetime, event: str) -> None:
        self.clock.seconds += self.seconds_of_a_write
        self.ground.table.record(facts, at=at, event=event)

    def cycle(self, *batches: BatchEnded) -> None:
        for one in batches:
            self.hear(one)
        self.hear(ENDED)

    def hear(self, event: Event) -> None:
        self.heard += 1
        self.historian(event)

    def history(self) -> EventsRead:
        return self.ground.table.events(DATE - timedelta(days=1), lambda _: True, most=10_000)

    def asked(self) -> list[Op]:
        """Return what the table was asked since the last asking."""
        found, self.ground.line.of_table = self.ground.line.of_table, []
        return found

    def missed(self) -> list[dict[str, object]]:
        return [one.facts for one in self.told if isinstance(one, Noticed) and one.event == MISSED]


def test_what_was_applied_is_written_once_the_cycle_is_over() -> None:
    """Nothing that heals waits for the history; everything heard is handed on."""
    desk = Desk()
    desk.hear(applied("a.example.test."))
    desk.hear(applied("b.example.test.", outcome="conflicted"))
    desk.hear(applied("c.example.test."))
    assert desk.asked() == []
    desk.hear(ENDED)
    events = desk.history().events
    assert [one.swaps[0].split()[0] for one in events] == ["c.example.test.", "a.example.test."]
    assert [one.time for one in events] == ["2026-11-30T12:00:00.003000Z", "2026-11-30T12:00:00.001000Z"]
    assert {one.by for one in events} == {"az-1"}
    assert len(desk.told) == 4


def test_nothing_is_written_twice_and_a_cycle_without_writes_asks_nothing() -> None:
    """A quiet enactor costs the table nothing."""
    desk = Desk()
    desk.cycle(applied())
    desk.asked()
    desk.cycle()
    assert desk.asked() == []
    assert len(desk.history().events) == 1


def test_a_table_that_is_away_is_asked_once_a_minute_and_told_once() -> None:
    """The first failure ends the writing of that cycle; the second minute tries one write again."""
    desk = Desk()
    desk.ground.line.dark = True
    desk.cycle(applied(), applied(), applied())
    desk.cycle(applied())
    assert len(desk.asked()) == 1
    desk.clock.seconds += AWAY_SECONDS
    desk.cycle(applied())
    assert len(desk.asked()) == 1
    (facts,) = desk.missed()
    assert (facts["lost"], "does not answer" in str(facts["why"])) == (3, True)


def test_a_table_that_is_back_is_written_and_its_next_absence_told_again() -> None:
    """What was lost meanwhile stays lost: the fence says what is there."""
    desk = Desk()
    desk.ground.line.dark = True
    desk.cycle(applied())
    desk.ground.line.dark = False
    desk.clock.seconds += AWAY_SECONDS
    desk.cycle(applied("b.example.test."))
    assert [one.swaps[0].split()[0] for one in desk.history().events] == ["b.example.test."]
    desk.ground.line.dark = True
    desk.cycle(applied(), applied())
    assert [facts["lost"] for facts in desk.missed()] == [1, 2]


def test_a_slow_table_costs_a_cycle_a_few_seconds_at_most() -> None:
    """The rest of that cycle's history is lost, and told."""
    desk = Desk()
    desk.seconds_of_a_write = 2.0
    desk.cycle(*(applied() for _ in range(10)))
    assert len(desk.history().events) == 3
    assert desk.clock.seconds <= FLUSH_SECONDS_MAX + desk.seconds_of_a_write
    assert [facts["lost"] for facts in desk.missed()] == [7]


def test_no_more_waits_than_a_cycle_can_write() -> None:
    """A limit on everything: memory too."""
    desk = Desk()
    desk.cycle(*(applied() for _ in range(WAITING_MAX + 2)))
    assert len(desk.history().events) == WAITING_MAX
    assert [facts["lost"] for facts in desk.missed()] == [1]


def test_without_a_date_of_aws_nothing_is_written() -> None:
    """A time by this machine's clock would sort among true ones."""
    desk = Desk()
    desk.date = None
    desk.cycle(applied())
    assert desk.history().events == ()
    assert len(desk.missed()) == 1
