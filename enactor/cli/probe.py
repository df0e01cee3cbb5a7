"""`enactor probe`: ask DNS as a client does. It needs no AWS permission, and nothing of this system alive."""

import importlib
import ipaddress
import signal
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from types import FrameType
from typing import Any, Final

import click
import msgspec
from prometheus_client import CollectorRegistry

from enactor.cli.options import end, ending, seconds_of
from enactor.cli.serving import serve
from enactor.cli.views import console, table
from enactor.log_stream import say
from enactor.names import NameFault, canonical
from enactor.ports import Unavailable
from enactor.probe_metrics import ProbeMetrics
from enactor.probe_plans import PlanFiles
from enactor.report import EXIT_FAILED, EXIT_KEPT_BACK, EXIT_OK
from enactor.seen_outside import DNS_PORT, EndpointSeen, ProbeReport, Reply, Server, ServerSeen, Sight, Verdict
from enactor.wsgi import application, health_route, metrics_route

EVERY_MIN_SECONDS: Final = 0.5
EVERY_MAX_SECONDS: Final = 3600.0
NAMES_MAX: Final = 200
"""More is no look from outside but a survey: each name is asked three times at each server, every few seconds."""
STYLES: Final[dict[Verdict, str]] = {"answering": "green", "unknown": "yellow", "empty": "bold red"}


def add_to(group: click.Group) -> None:
    """Add the command."""
    group.add_command(probe)


class ServerType(click.ParamType[Server]):
    """A server's address on the command line: 192.0.2.53, 192.0.2.53:5353, [2001:db8::53]:53."""

    name = "address"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Server:
        text = str(value)
        host, port = text, str(DNS_PORT)
        if text.startswith("["):
            host, _, rest = text[1:].partition("]")
            port = rest.removeprefix(":") or port
        elif text.count(":") == 1:
            host, _, port = text.partition(":")
        try:
            address = str(ipaddress.ip_address(host))
            number = int(port)
        except ValueError:
            self.fail(f"{text!r} is no address of a server, like 192.0.2.53 or [2001:db8::53]:53", param, ctx)
        if not 0 < number < 65_536:
            self.fail(f"{text!r} has port {number}, which is not between 1 and 65535", param, ctx)
        return Server(address, number)


@click.command()
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option(
    "--resolver",
    "resolvers",
    multiple=True,
    type=ServerType(),
    metavar="ADDRESS[:PORT]",
    help="A resolver to ask, may be given again (default: this machine's).",
)
@click.option("--authoritative", is_flag=True, help="Ask the zone's own name servers, each of them, past every cache.")
@click.option(
    "--port",
    default=DNS_PORT,
    show_default=True,
    type=click.IntRange(1, 65_535),
    help="The name servers' port, with --authoritative.",
)
@click.option(
    "--plan",
    "paths",
    multiple=True,
    type=click.Path(),
    help="A plan file, or a folder of them like a --state-dir: addresses that no such plan has are told; may be given again.",
)
@click.option("--every", default=None, help="Go on asking with this pause, e.g. 5s, until SIGTERM or Ctrl-C.")
@click.option("--metrics", default=None, help="Address and port to serve Prometheus metrics on, with --every.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each look (see `planner schema`).")
@ending("enactor")
def probe(
    *,
    names: tuple[str, ...],
    resolvers: tuple[Server, ...],
    authoritative: bool,
    port: int,
    paths: tuple[str, ...],
    every: str | None,
    metrics: str | None,
    as_json: bool,
) -> None:
    """Ask DNS whether endpoints answer, from outside: no AWS permission, no table, no plan is needed.

    Each name is asked for A and AAAA at each server, and its fence for the generation that is in force there. A resolver tells
    what clients get, caches included; --authoritative tells what Route 53 has, and for how long its servers disagree.

    Exit status: 0 every name answers everywhere; 1 one is empty or unknown somewhere; 2 wrong usage; 3 an answer is in none of
    the plans given. With --every 0 once it was asked to stop.
    """
    seconds = (
        None if every is None else seconds_of(every, "--every", lowest=EVERY_MIN_SECONDS, highest=EVERY_MAX_SECONDS)
    )
    if metrics is not None and seconds is None:
        raise click.UsageError("--metrics needs --every: one look is over before anybody scrapes it")
    dns = asking()
    found = wanted(names)
    sights = sights_of(dns, found, resolvers or dns.system_servers(), port if authoritative else None)
    prober = dns.Prober(sights, recursive=not authoritative)
    files = PlanFiles(paths, found)
    try:
        if seconds is None:
            seen = prober.look(files.once())
            show(seen, as_json=as_json)
            end(status(seen))
        keep_asking(prober, files, seconds, metrics, as_json=as_json)
    finally:
        prober.close()
    end(EXIT_OK)


def asking() -> Any:
    """Return the module that asks: no other command needs a DNS library, and a worker starts without it."""
    return importlib.import_module("enactor.dns_asking")


def wanted(given: Sequence[str]) -> tuple[str, ...]:
    """Return the names in their one spelling, each once; end with status 2 and every fault."""
    faults, found = [], []
    for text in given:
        try:
            found.append(canonical(text))
        except NameFault as fault:
            faults.append(f"{text!r} is no DNS name: {fault}")
    if len(set(found)) > NAMES_MAX:
        faults.append(f"{len(set(found))} names are more than {NAMES_MAX}; `enactor survey` looks at a whole fleet")
    if faults:
        raise click.UsageError("; ".join(faults))
    return tuple(dict.fromkeys(found))


def sights_of(dns: Any, found: Sequence[str], resolvers: Sequence[Server], port: int | None) -> tuple[Sight, ...]:
    """Return whom to ask about each name: the resolvers, or with a port the name servers of its zone."""
    finder = dns.Finder(resolvers)
    zones = {name: finder.zone_name(name) for name in found}
    if port is None:
        return tuple(Sight(name=name, zone_name=zones[name], servers=tuple(resolvers)) for name in found)
    lost = [name for name, zone in zones.items() if zone is None]
    if lost:
        asked = ", ".join(map(str, resolvers))
        raise Unavailable(
            f"no zone of {', '.join(lost)} was found at {asked}: ask another --resolver, or leave --authoritative out"
        )
    servers = {zone: finder.servers_of(zone, port) for zone in set(zones.values()) if zone is not None}
    return tuple(Sight(name=name, zone_name=zone, servers=servers[zone]) for name, zone in zones.items() if zone)


def status(seen: Sequence[EndpointSeen]) -> int:
    """Return the exit status of one look."""
    if any(one.verdict != "answering" for one in seen):
        return EXIT_FAILED
    return EXIT_KEPT_BACK if any(server.unplanned for one in seen for server in one.servers) else EXIT_OK


class _Asked(BaseException):
    """SIGTERM or Ctrl-C: nothing is written here, so a look may end anywhere."""


def keep_asking(prober: Any, files: PlanFiles, every: float, metrics: str | None, *, as_json: bool) -> None:
    """Look again and again until a signal; tell every look as JSON, or each change of a verdict in a line."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise _Asked

    registry = CollectorRegistry()
    count = ProbeMetrics(registry)
    routes = {"/metrics": metrics_route(registry), "/healthz": health_route(lambda: None)}
    served = (
        serve(metrics, application(routes, failed=lambda path, error: say(f"enactor: {path}: {error}")))
        if metrics
        else None
    )
    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    told: dict[tuple[str, str], str] = {}
    said_before: tuple[str, ...] = ()
    try:
        while True:  # ends by a signal
            began = time.monotonic()
            at_hand = files.look()
            for problem in at_hand.problems:
                if problem not in said_before:
                    say(f"enactor: {problem}")
            said_before = at_hand.problems
            seen = prober.look(at_hand.plans)
            count(seen)
            if as_json:
                show(seen, as_json=True)
            else:
                tell_changes(seen, told)
            time.sleep(max(0.0, every - (time.monotonic() - began)))
    except _Asked:
        pass  # asked to stop: the way this loop ends
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if served is not None:
            served.close()


def tell_changes(seen: Sequence[EndpointSeen], told: dict[tuple[str, str], str]) -> None:
    """Print a line for each server and name whose verdict, generation or plan is not what was told last."""
    stamp = datetime.now(UTC).strftime("%H:%M:%SZ")
    for endpoint in seen:
        for one in endpoint.servers:
            line = f"{one.verdict}{_generation(one)}{_unplanned(one)}"
            if told.get((endpoint.name, one.server)) != line:
                told[endpoint.name, one.server] = line
                click.echo(f"{stamp} {endpoint.name} {line} at {one.server}: {'; '.join(map(said, one.replies))}")


def _generation(one: ServerSeen) -> str:
    return "" if one.generation is None else f", generation {one.generation}"


def _unplanned(one: ServerSeen) -> str:
    return f", in no plan: {', '.join(one.unplanned)}" if one.unplanned else ""


def said(reply: Reply) -> str:
    """Return what a server said to one question, for a person."""
    found = [*(f"to {name}" for name in reply.names), *reply.values]
    if found:
        return f"{reply.type} {' '.join(found)}"
    return f"{reply.type} {reply.detail or (reply.rcode if reply.rcode != 'NOERROR' else 'none')}"


def show(seen: Sequence[EndpointSeen], *, as_json: bool) -> None:
    """Print one look."""
    if as_json:
        click.echo(msgspec.json.encode(ProbeReport(endpoints=tuple(seen))))
        return
    shown = table("name", "seen", "server", "answers", "generation", "seconds")
    for endpoint in seen:
        for one in endpoint.servers:
            shown.add_row(
                endpoint.name,
                f"[{STYLES[one.verdict]}]{one.verdict}[/]",
                one.server.replace("[", r"\["),
                "; ".join(map(said, one.replies)) + _unplanned(one),
                "-" if one.generation is None else str(one.generation),
                f"{max(reply.seconds for reply in one.replies):.3f}",
            )
    console().print(shown)
