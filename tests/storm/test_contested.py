"""Another tool rewrites an endpoint every minute: three enactors together spend a bounded number of calls on it, and say so."""

from collections.abc import Callable

import pytest
from prometheus_client import CollectorRegistry

from enactor.cycle import Enactor
from enactor.fence import Switch, switch_text
from enactor.hooks import Event
from enactor.metrics import Metrics
from enactor.plan import Endpoint, Plan, Target

from .three_enactors import FLEET, PAUSE_SECONDS, ZONE, ZONE_NAME, Day

HOUR_SECONDS = 3600.0
REWRITE_SECONDS = 60.0
CALLS_AN_HOUR_MAX = 3 * (3 + 7 + 6)
"""Each of three enactors counts by itself: three repairs, seven waits that double from ten seconds, then one in ten minutes."""
NAME = f"api.{ZONE_NAME}"


class HeardDay(Day):
    """A day whose events are counted as a worker's are."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._metrics = Metrics(self.registry)
        super().__init__()

    def _heard(self, event: Event) -> None:
        super()._heard(event)
        self._metrics(event)


def test_a_contested_endpoint_costs_a_bounded_number_of_calls_an_hour_and_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The tool goes on all the while; then it stops, and the plan's content stands within the longest wait."""
    day = HeardDay()
    text = switch_text(Switch(fleet=FLEET, mode="run", gen=0, plan="none", nonce="0" * 16))
    switch = {"Name": f"_switch-{FLEET}._fence.{ZONE_NAME}", "Type": "TXT", "TTL": 60}
    day.engine.edit(
        ZONE,
        [{"Action": "CREATE", "ResourceRecordSet": switch | {"ResourceRecords": [{"Value": f'"{text}"'}]}}],
    )
    targets = tuple(Target(id=f"lb-{n}", type="A", value=f"192.0.2.{n}", weight=10) for n in (1, 2))
    day.plans.publish(
        Plan(fleet=FLEET, endpoints=(Endpoint(name=NAME, zone=ZONE, routing="weighted", ttl=60, targets=targets),))
    )

    def weights() -> list[int]:
        return sorted(int(record["Weight"]) for record in day.engine.zone(ZONE).sets(NAME))

    day.until(lambda: weights() == [10, 10])
    day.change_calls()
    end = day.time.now + HOUR_SECONDS

    def rewrite() -> None:
        while day.time.now < end:
            day.time.wait(REWRITE_SECONDS)
            old = day.engine.zone(ZONE).sets(NAME)[0]
            new = old | {"Weight": 99}
            if old != new:
                day.engine.edit(
                    ZONE,
                    [
                        {"Action": "DELETE", "ResourceRecordSet": old},
                        {"Action": "CREATE", "ResourceRecordSet": new},
                    ],
                )

    def work(enactor: Enactor) -> Callable[[], None]:
        def cycles() -> None:
            while day.time.now < end:
                enactor.cycle()
                day.time.wait(PAUSE_SECONDS)

        return cycles

    day.time.run([rewrite, *(work(enactor) for enactor in day.enactors)])
    calls = day.change_calls()
    with capsys.disabled():
        print(f"\nan endpoint rewritten every minute for an hour: {calls} change calls of three enactors")
    assert 3 < calls <= CALLS_AN_HOUR_MAX
    contested = {"guard": "contested"}
    told = [
        sample
        for family in day.registry.collect()
        for sample in family.samples
        if sample.name == "enactor_refusals_total" and contested.items() <= sample.labels.items()
    ]
    assert [sample.value > 0 for sample in told] == [True]
    day.until(lambda: weights() == [10, 10])
