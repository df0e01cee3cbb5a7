"""The steps of the demo: what each expects, does and looks at. Every look is from outside: DNS, Route 53, the commands' output."""

import json
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import msgspec

from enactor.sandbox.ask import DnsReply, ask
from enactor.sandbox.world import SWITCH, WORKERS, ZONE, Ran, World, wait_for

ARRIVE_SECONDS_MAX: Final = 25.0
REPLAY_SECONDS_MAX: Final = 150.0
"""Two whole outages on a sandbox of its own: seconds on an idle machine, and much longer on one that others use."""
QUESTIONS_MAX: Final = 4_000
"""A target of weight 10 among 650 is met within these with near certainty."""
QUIET_SECONDS: Final = 5.0
"""Five pauses of each worker: long enough for all three to have looked, decided and written nothing."""
API: Final = "api.example.com"
FIPS: Final = "api-fips.example.com"
MORE: Final = range(7, 11)


class Facts:
    """What the steps know of the world, and what they changed."""

    def __init__(self, world: World, columns: int) -> None:
        self.world = world
        self.columns = columns
        self.fleet = world.fleet()

    def publish(self, *flags: str, fleet: dict[str, Any] | None = None) -> Ran:
        """Publish a fleet through the planner."""
        path: Path = self.world.write_fleet(fleet or self.fleet)
        return self.world.run("planner", "publish", str(path), "--reason", "demo", *flags)

    def survey(self) -> dict[str, Any]:
        """Return what `enactor survey` says."""
        found: dict[str, Any] = json.loads(self.world.run("enactor", "survey", "--json").stdout)
        return found

    def arrives(self, generation: int) -> bool:
        """Wait until a generation is open and every endpoint stands as it says."""

        def there() -> bool:
            if not self._is_open(generation):
                return False
            found = self.survey()
            return found["zones"][0]["open"] == generation and set(found["counts"]) == {"current"}

        return wait_for(there, ARRIVE_SECONDS_MAX)

    def opens(self, generation: int) -> bool:
        """Wait until a generation is open, whatever the endpoints say."""
        return wait_for(lambda: self._is_open(generation), ARRIVE_SECONDS_MAX)

    def _is_open(self, generation: int) -> bool:
        """Look at the switch in the zone: a survey, which is a process of its own, would take its time from the enactors."""
        return f" gen={generation} " in str(self.switch()["ResourceRecords"][0]["Value"])

    def ask(self, name: str, record_type: str) -> DnsReply:
        """Ask one DNS question over UDP."""
        return ask(self.world.sandbox.dns_address, name, record_type)

    def answers(self) -> tuple[str, bool]:
        """Ask for every endpoint until each of its addresses was met; say what came."""
        lines, all_right = [], True
        for name, wanted in expected_answers(self.fleet).items():
            parts = []
            for record_type, addresses in wanted.items():
                met = self._met(name, record_type, len(addresses))
                all_right &= met == addresses
                parts.append(f"{record_type} {len(met & addresses)} of {len(addresses)} addresses")
            lines.append(f"{name:32} {', '.join(parts)}")
        return "\n".join(lines), all_right

    def _met(self, name: str, record_type: str, count: int) -> set[str]:
        met: set[str] = set()
        for _ in range(QUESTIONS_MAX):
            met.update(self.ask(name, record_type).addresses)
            if len(met) >= count:
                break
        return met

    def switch(self) -> dict[str, Any]:
        """Return the switch's record set as Route 53 shows it."""
        listing = self.world.route53().list_resource_record_sets(
            HostedZoneId=ZONE, StartRecordName=SWITCH, StartRecordType="TXT", MaxItems="1"
        )
        found: dict[str, Any] = listing["ResourceRecordSets"][0]
        return found

    def change(self, *changes: tuple[str, dict[str, Any]]) -> None:
        """Change record sets as a person at the console does."""
        batch = [{"Action": action, "ResourceRecordSet": record} for action, record in changes]
        self.world.route53().change_resource_record_sets(HostedZoneId=ZONE, ChangeBatch={"Changes": batch})

    def applied(self) -> int:
        """Return how many batches Route 53 has applied."""
        return sum(batch.applied for batch in self.world.sandbox.batches(ZONE))


class Step(msgspec.Struct, frozen=True):
    """One step of the demo."""

    title: str
    expected: str
    play: Callable[[Facts], tuple[str, bool]]


def expected_answers(fleet: dict[str, Any]) -> dict[str, dict[str, set[str]]]:
    """Return the addresses that each endpoint of a fleet file should answer, by record type."""
    wanted: dict[str, dict[str, set[str]]] = {}
    for endpoint in fleet["endpoints"]:
        balancers = [one for pool in endpoint["pools"] for one in fleet["pools"][pool] if one.get("enabled", True)]
        addresses = {address for one in balancers for address in one["addresses"]}
        wanted[endpoint["name"]] = {
            record_type: {address for address in addresses if (":" in address) == (record_type == "AAAA")}
            for record_type in endpoint.get("types", fleet["defaults"]["types"])
        }
    return wanted


def initialise(facts: Facts) -> tuple[str, bool]:
    """Bring the zone into service."""
    ran = facts.world.run("enactor", "init", "--zone", ZONE, "--reason", "demo")
    text = str(facts.switch()["ResourceRecords"][0]["Value"]) if ran.status == 0 else "no switch"
    return f"exit {ran.status}: {ran.last_line}", ran.status == 0 and "mode=run gen=0 " in text


def publish_first(facts: Facts) -> tuple[str, bool]:
    """Publish the example fleet."""
    ran = facts.publish()
    return f"exit {ran.status}: {ran.last_line}", ran.status == 0 and "published generation 1 " in ran.stdout


def start_workers(facts: Facts) -> tuple[str, bool]:
    """Start three enactors and ask for every endpoint."""
    facts.world.start_workers()
    arrived = facts.arrives(1)
    said, right = facts.answers()
    return said, arrived and right and facts.world.workers_alive() == len(WORKERS)


def change_fleet(facts: Facts) -> tuple[str, bool]:
    """Let five load balancers join."""
    balancers = facts.fleet["pools"]["standard"]
    balancers[-1]["enabled"] = True
    for number in MORE:
        balancers.append(
            {"id": f"lb-{number}", "capacity": 50, "addresses": [f"192.0.2.{number}", f"2001:db8::{number:x}"]}
        )
    ran = facts.publish()
    arrived = facts.arrives(2)
    said, right = facts.answers()
    return f"exit {ran.status}: {ran.last_line}\n{said}", ran.status == 0 and arrived and right


def refuse_empty(facts: Facts) -> tuple[str, bool]:
    """Try to empty an endpoint, through the planner and past it."""
    bad = deepcopy(facts.fleet)
    for balancer in bad["pools"]["fips"]:
        balancer["enabled"] = False
    return _refused_twice(facts, bad, FIPS, {"empty"})


def refuse_shrink(facts: Facts) -> tuple[str, bool]:
    """Try to take nine of ten load balancers away, through the planner and past it."""
    bad = deepcopy(facts.fleet)
    for balancer in bad["pools"]["standard"][:-1]:
        balancer["enabled"] = False
    return _refused_twice(facts, bad, API, {"shrink-targets", "shrink-capacity"})


def _line_of(name: str, said: str) -> str:
    return " ".join(next(line for line in said.splitlines() if line.startswith(f"{name} ")).split())


def _refused_twice(facts: Facts, bad: dict[str, Any], name: str, guards: set[str]) -> tuple[str, bool]:
    guarded = facts.publish("--json", fleet=bad)
    carried = {
        found["name"]: {guard["guard"] for guard in found["guards"]} for found in json.loads(guarded.stdout)["carried"]
    }
    by_planner = guarded.status == 3 and guards <= carried.get(f"{name}.", set())
    forced = facts.publish("--unguarded", fleet=bad)
    number = re.search(r"published generation (\d+) ", forced.stdout)
    opened = number is not None and facts.opens(int(number[1]))
    endpoint = {found["name"]: found for found in facts.survey()["endpoints"]}[f"{name}."]
    by_enactors = endpoint["state"] == "refused" and endpoint["answering"]
    said, right = facts.answers()
    own = _line_of(name, said)
    lines = (
        f"planner    exit {guarded.status}: {name} refused by {', '.join(sorted(carried.get(f'{name}.', ())))}, kept as it was",
        f"unguarded  exit {forced.status}: {forced.last_line}",
        f"enactors   {name} is {endpoint['state']}: {'; '.join(endpoint['reasons'])}",
        f"clients    {own}",
    )
    return "\n".join(lines), by_planner and forced.status == 0 and opened and by_enactors and right


def go_back(facts: Facts) -> tuple[str, bool]:
    """Publish the good fleet again."""
    ran = facts.publish()
    number = re.search(r"generation (\d+) ", ran.stdout)
    arrived = number is not None and facts.arrives(int(number[1]))
    return f"exit {ran.status}: {ran.last_line}; every endpoint is current", ran.status == 0 and arrived


def wipe_by_hand(facts: Facts) -> tuple[str, bool]:
    """Delete an endpoint's record sets behind the enactors' back."""
    answer = facts.world.route53().list_resource_record_sets(HostedZoneId=ZONE, StartRecordName=f"{API}.")
    found = [record for record in answer["ResourceRecordSets"] if record["Name"] == f"{API}." and record["Type"] == "A"]
    facts.change(*(("DELETE", record) for record in found))
    emptied = facts.ask(API, "A")
    returned = wait_for(lambda: bool(facts.ask(API, "A").addresses), ARRIVE_SECONDS_MAX, 0.1)
    said, right = facts.answers()
    own = _line_of(API, said)
    return f"{len(found)} record sets deleted: {emptied}\nreturned: {own}", bool(found) and returned and right


def stop_by_hand(facts: Facts) -> tuple[str, bool]:
    """Type mode=stop into the switch, publish, see nothing move, and start again."""
    old = facts.switch()
    facts.change(("DELETE", old), ("CREATE", {**old, "ResourceRecords": [{"Value": '"mode=stop"'}]}))
    applied = facts.applied()
    facts.fleet["pools"]["standard"][-1]["enabled"] = False
    ran = facts.publish()
    number = re.search(r"published generation (\d+) ", ran.stdout)
    moved = wait_for(lambda: facts.applied() > applied, QUIET_SECONDS)
    stopped = facts.survey()["zones"][0]["switch"]
    started = facts.world.run("enactor", "start", "--zone", ZONE, "--reason", "demo")
    arrived = number is not None and facts.arrives(int(number[1]))
    lines = (
        f"stopped    the zone's switch is {stopped}; {ran.last_line}; {facts.applied() - applied if moved else 0} batches applied",
        f"started    exit {started.status}: {started.last_line}",
        f"arrived    {'every endpoint is current' if arrived else 'not every endpoint is current'}",
    )
    return "\n".join(lines), not moved and stopped == "stop" and started.status == 0 and arrived


def end_workers(facts: Facts) -> tuple[str, bool]:
    """End the workers by SIGTERM."""
    statuses = facts.world.stop_workers()
    said = ", ".join(f"{name} exit {status}" for name, status in statuses.items())
    return said, set(statuses.values()) == {0} and len(statuses) == len(WORKERS)


def replay_october(facts: Facts) -> tuple[str, bool]:
    """Play 19 October 2025."""
    ran = facts.world.run("enactor", "replay", "october", columns=facts.columns, seconds_max=REPLAY_SECONDS_MAX)
    return f"exit {ran.status}\n{ran.stdout}", ran.status == 0


STEPS: Final = (
    Step(
        "A zone is brought into service",
        "a table, a self-test on scratch names, a switch in run at generation 0",
        initialise,
    ),
    Step("The example fleet is published", "generation 1", publish_first),
    Step("Three enactors start", "every address of every endpoint is answered over UDP", start_workers),
    Step("Five load balancers join the fleet", "generation 2 arrives everywhere", change_fleet),
    Step(
        "A plan would empty an endpoint",
        "refused by the planner; published past it, refused by the enactors; clients keep every address",
        refuse_empty,
    ),
    Step(
        "A plan would take nine of ten load balancers away",
        "refused by the planner; published past it, refused by the enactors; clients keep every address",
        refuse_shrink,
    ),
    Step("The right fleet is published again", "every endpoint is current", go_back),
    Step("A person deletes an endpoint's record sets", "they return by themselves", wipe_by_hand),
    Step(
        "A person types mode=stop into the switch at the console, and a plan is published",
        "nothing is written until `enactor start`; then the plan arrives",
        stop_by_hand,
    ),
    # Before the replay, so that it does not share the processors with three enactors that nobody watches any more.
    Step("The enactors are told to end", "three times exit status 0, no process left", end_workers),
    Step(
        "October 2025 is played again",
        "by the automation of that day: empty and stuck; by the real enactors: every promise holds",
        replay_october,
    ),
)
