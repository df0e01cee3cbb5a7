"""What a server scrapes of a fleet, second by second, and promtool's word on what the rules make of it.

A process has lives: outside of them its target is down, and each begins with what a new process exports. Time begins at 0 in
promtool, so a timestamp that the code exports as 0 before the first time is written as one that is as long ago as 1970 is.
"""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, get_args

from enactor.metrics import NOTICED
from enactor.report import AT_REST, Source, SwitchWord, Unread
from enactor.seen_outside import WORST_FIRST
from enactor.swap import State

ROOT: Final = Path(__file__).parents[2]
RULES: Final = ROOT / "deploy" / "prometheus" / "enactor.rules.yaml"
PROMTOOL: Final = shutil.which("promtool")
NO_PROMTOOL: Final = "promtool is not installed: it comes with Debian's package prometheus"
NEVER: Final = -1_700_000_000.0
STEP: Final = 30
MINUTE: Final = 60
HOUR: Final = 3_600
FOREVER: Final = 10**9
FIRST_CYCLE_SECONDS: Final = 30
DOCS: Final = "https://docs.example.net/enactor"
ZONES: Final = ("Z1", "Z2")

Value = float | None
Line = Callable[[int, int], Value]
"""A value by the seconds since the scene began and those since the process did; None: no such series then."""
Lives = Sequence[tuple[int, int]]
ALWAYS: Final[Lives] = ((-HOUR, FOREVER),)
"""A process that has been there for an hour."""


def constant(value: float) -> Line:
    return lambda _now, _age: value


def since_cycle(value: float) -> Line:
    """Return a gauge that is there from the end of the first cycle on."""
    return lambda _now, age: value if age >= FIRST_CYCLE_SECONDS else None


def stamp(first: int, every: int = STEP) -> Line:
    """Return the time of something that a process does for the first time after so long, and then every so often."""
    return lambda now, age: now - (age - first) % every if age >= first else NEVER


def overdue(every: int, first: int) -> Line:
    """Return when the next collection is overdue: four pauses after the last, or after the start."""
    return lambda now, age: 4 * every + (now - (age - first) % every if age >= first else now - age)


class Scene:
    """Every series of a fleet. Changes name a metric and labels; all of its series that have these labels change."""

    def __init__(self, *, fleet: str = "edge") -> None:
        self.fleet = fleet
        self._lines: dict[tuple[tuple[str, str], ...], tuple[Line, Lives]] = {}

    def add(self, metric: str, line: Line, lives: Lives, **labels: str) -> None:
        """Add a series; one that is there already gets further lives."""
        key = tuple({"__name__": metric, "fleet": self.fleet, **labels}.items())
        self._lines[key] = (line, (*self._lines.get(key, (line, ()))[1], *lives))

    def change(self, metric: str, line: Line, **labels: str) -> None:
        """Let what is there go another way; there has to be something."""
        wanted = {"__name__": metric, **labels}.items()
        keys = [key for key in self._lines if wanted <= dict(key).items()]
        assert keys, f"the scene has no {metric} with {labels}"
        for key in keys:
            self._lines[key] = (line, self._lines[key][1])

    def also(self, metric: str, line: Line, **labels: str) -> None:
        """Add a series at every enactor, such as that of a guard that refuses."""
        for key, (_, lives) in list(self._lines.items()):
            found = dict(key)
            if found["__name__"] == "enactor_ready":
                self.add(metric, line, lives, job="enactor", instance=found["instance"], **labels)

    def end(self, instance: str, at: int) -> None:
        """Let a process be dead from some instant on; its target stays."""
        for key, (line, lives) in self._lines.items():
            if ("instance", instance) in key:
                self._lines[key] = (line, tuple((begin, min(end, at)) for begin, end in lives))

    def drop(self, metric: str) -> None:
        self._lines = {key: line for key, line in self._lines.items() if key[0] != ("__name__", metric)}

    def metrics(self) -> set[str]:
        return {dict(key)["__name__"] for key in self._lines}

    def enactor(self, instance: str, lives: Lives = ALWAYS, *, digest: str = "0123456789ab") -> None:
        """Add a worker for which all is well."""
        self.add("up", constant(1), lives, job="enactor", instance=instance)
        for metric, line, labels in _enactor(digest):
            self.add(metric, line, lives, job="enactor", instance=instance, **labels)

    def planner(self, instance: str, lives: Lives = ALWAYS) -> None:
        """Add a planner for which all is well."""
        where = {"job": "planner", "instance": instance}
        self.add("up", constant(1), lives, **where)
        self.add("planner_last_good_look_timestamp_seconds", stamp(FIRST_CYCLE_SECONDS), lives, **where)
        self.add("planner_brake_endpoints", constant(0), lives, **where)
        self.add("planner_carried_endpoints", constant(0), lives, **where)

    def probe(self, instance: str, lives: Lives = ALWAYS, names: Iterable[str] = ("api.", "www.")) -> None:
        """Add a probe that asks two servers and gets answers."""
        where = {"job": "enactor-probe", "instance": instance}
        self.add("up", constant(1), lives, **where)
        for name in names:
            for server in ("192.0.2.53", "198.51.100.53"):
                for verdict in WORST_FIRST:
                    line = since_cycle(float(verdict == "answering"))
                    self.add("enactor_probe_verdict", line, lives, name=name, server=server, verdict=verdict, **where)

    def input_series(self, seconds: int, step: int) -> list[dict[str, str]]:
        """Return the series in promtool's words."""
        found = []
        for key, (line, lives) in self._lines.items():
            labels = dict(key)
            metric = labels.pop("__name__")
            text = ",".join(f'{name}="{value}"' for name, value in labels.items())
            values = _words(line, lives, range(0, seconds + 1, step), is_up=metric == "up")
            found.append({"series": f"{metric}{{{text}}}", "values": " ".join(values)})
        return found


def _words(line: Line, lives: Lives, times: Iterable[int], *, is_up: bool) -> Iterator[str]:
    """Yield one value a scrape; whoever scrapes marks as stale what is gone."""
    was_there = False
    for now in times:
        born = next((begin for begin, end in lives if begin <= now < end), None)
        value = line(now, now - born) if born is not None else 0.0 if is_up else None
        if value is None:
            yield "stale" if was_there else "_"
        else:
            yield repr(float(value))
        was_there = value is not None


def _enactor(digest: str) -> Iterator[tuple[str, Line, dict[str, str]]]:
    yield "enactor_ready", constant(1), {}
    yield "enactor_last_cycle_timestamp_seconds", stamp(FIRST_CYCLE_SECONDS), {}
    yield "enactor_last_collect_timestamp_seconds", stamp(3 * HOUR, 6 * HOUR), {}
    yield "enactor_collect_overdue_timestamp_seconds", overdue(6 * HOUR, 3 * HOUR), {}
    yield "enactor_limits_info", constant(1), {"digest": digest}
    for event in NOTICED:
        yield "enactor_noticed_total", constant(0), {"event": event}
    for currency, capacity in (("requests", 8), ("changes", 250)):
        of = {"account": "own", "currency": currency}
        yield "enactor_budget_tokens", constant(capacity * 0.9), of
        yield "enactor_budget_capacity_tokens", constant(capacity), of
    yield "enactor_budget_pace_ratio", constant(1), {"account": "own"}
    for state in get_args(State):
        yield "enactor_endpoints", constant(40.0 if state == "current" else 0.0), {"state": state}
        if state not in AT_REST:
            yield "enactor_endpoints_longest_seconds", since_cycle(0), {"state": state}
    yield "enactor_endpoints_not_answering", since_cycle(0), {}
    yield "enactor_table_answers", since_cycle(1), {}
    yield "enactor_critical_endpoints_missing", since_cycle(0), {}
    for source in get_args(Source):
        yield "enactor_plan_source", since_cycle(float(source == "table")), {"source": source}
    for zone in ZONES:
        yield "enactor_zone_failed", since_cycle(0), {"zone": zone}
        for switch in (*get_args(SwitchWord), *get_args(Unread)):
            yield "enactor_zone_switch", since_cycle(float(switch == "run")), {"zone": zone, "switch": switch}


def fleet(enactors: int = 3, *, name: str = "edge") -> Scene:
    """Return a fleet for which all is well: enactors and two each of planners and probes."""
    scene = Scene(fleet=name)
    for number in range(enactors):
        scene.enactor(f"enactor-{number}")
    for number in range(2):
        scene.planner(f"planner-{number}")
        scene.probe(f"probe-{number}")
    return scene


def firing(at: int, *alerts: dict[str, str]) -> dict[str, Any]:
    """Return the claim that exactly these alerts fire at an instant."""
    rows = [
        f"ALERTS{{{', '.join(f'{name}={value!r}' for name, value in {**alert, 'alertstate': 'firing'}.items())}}}"
        for alert in alerts
    ]
    samples = [{"labels": row.replace("'", '"'), "value": 1} for row in rows]
    return {"expr": 'ALERTS{alertstate="firing"}', "eval_time": f"{at}s", "exp_samples": samples}


def promtool_says(
    folder: Path,
    scenes: Sequence[Scene],
    *,
    seconds: int,
    claims: Sequence[dict[str, Any]],
    alerts: Sequence[dict[str, Any]] = (),
    step: int = STEP,
) -> str:
    """Return what promtool finds wrong with claims about these fleets beside each other; nothing where all of them hold."""
    test = {
        "interval": f"{step}s",
        "external_labels": {"enactor_docs": DOCS},
        "input_series": [series for scene in scenes for series in scene.input_series(seconds, step)],
        "promql_expr_test": list(claims),
        "alert_rule_test": list(alerts),
    }
    file = folder / "test.yaml"
    told = {"rule_files": [str(RULES)], "evaluation_interval": f"{step}s", "tests": [test]}
    file.write_text(json.dumps(told))
    done = subprocess.run([str(PROMTOOL), "test", "rules", str(file)], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr
