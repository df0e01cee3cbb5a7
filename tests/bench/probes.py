"""How fast the probe looks at a fleet, beside a plain pool of threads, in one run: `python -m tests.bench.probes`.

Each row is a process of its own. Targets are loopback addresses of one other process, so both share the machine's cores; CPU and memory
are the looking process's alone. `wrong` counts healthy targets that were called bad.
"""

import http.client
import multiprocessing
import os
import resource
import ssl
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import click

from enactor.outside import SystemChance, SystemClock
from planner.observation import Aim, SourceFailed
from planner.probe_settings import ProbeSettings, Protocol
from planner.source_probe import ProbeSource

from .targets import HANGING, HEALTHY, NAME, certificate, serving

TIMEOUT_SECONDS: Final = 2.0
WITHIN_SECONDS: Final = 600.0
HANGING_SHARES: Final = (0.0, 0.1, 1.0)
WAYS: Final = ("probe", "64 threads", "500 threads")

Row = tuple[float, float, float, int]
"""Seconds, CPU seconds, MiB at most, healthy targets called bad."""


def targets(count: int, hanging: float) -> list[str]:
    """Return addresses, every n-th of which hangs."""
    hang = round(count * hanging)
    good = [f"{HEALTHY}.{number // 250}.{number % 250 + 1}" for number in range(count - hang)]
    bad = [f"{HANGING}.{number // 250}.{number % 250 + 1}" for number in range(hang)]
    step = max(1, len(good) // max(1, len(bad)))
    mixed: list[str] = []
    while good or bad:
        mixed += good[:step] + bad[:1]
        good, bad = good[step:], bad[1:]
    return mixed


def by_probe(addresses: Sequence[str], port: int, protocol: Protocol) -> set[str]:
    """Return which addresses are healthy, by the source."""
    settings = ProbeSettings(protocol=protocol, port=port, host=NAME, timeout=TIMEOUT_SECONDS)
    source = ProbeSource("checks", settings, SystemClock(), SystemChance())
    aims = tuple(Aim(pool="p", id=address, addresses=(address,), alias=None) for address in addresses)
    signals = source.observe(aims, WITHIN_SECONDS).signals
    return {address for address, signal in signals.items() if signal.healthy}


def by_threads(size: int) -> Callable[[Sequence[str], int, Protocol], set[str]]:
    """Return a look by a plain pool of threads over the standard library's HTTP client."""

    def look(addresses: Sequence[str], port: int, protocol: Protocol) -> set[str]:
        tls = ssl.create_default_context() if protocol == "https" else None

        def check(address: str) -> bool:
            connection = http.client.HTTPConnection(address, port, timeout=TIMEOUT_SECONDS)
            try:
                if tls is not None:
                    connection.connect()
                    connection.sock = tls.wrap_socket(connection.sock, server_hostname=NAME)
                connection.request("GET", "/", headers={"Host": NAME, "Connection": "close"})
                return connection.getresponse().status == 200
            except OSError:
                return False
            finally:
                connection.close()

        with ThreadPoolExecutor(size) as pool:
            return {address for address, good in zip(addresses, pool.map(check, addresses), strict=True) if good}

    return look


def measured(way: str, port: int, protocol: Protocol, count: int, hanging: float) -> Row | str:
    """Run one row in a fresh process."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_measure, (way, port, protocol, count, hanging))


def _measure(way: str, port: int, protocol: Protocol, count: int, hanging: float) -> Row | str:
    addresses = targets(count, hanging)
    good = {address for address in addresses if address.startswith(HEALTHY)}
    look = by_probe if way == "probe" else by_threads(int(way.split(maxsplit=1)[0]))
    began, cpu = time.monotonic(), time.process_time()
    try:
        healthy = look(addresses, port, protocol)
    except SourceFailed as failed:
        return f"{time.monotonic() - began:.1f} | {time.process_time() - cpu:.1f} | {failed}"
    seconds, spent = time.monotonic() - began, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    assert healthy <= good, "a hanging target was called healthy"
    return seconds, spent, peak, len(good - healthy)


@click.command()
@click.option("--targets", "count", default=2_000, show_default=True)
@click.option("--way", "ways", multiple=True, default=WAYS, show_default=True)
def main(count: int, ways: Sequence[str]) -> None:
    """Print the table."""
    print(f"{count} targets, time-out {TIMEOUT_SECONDS:g} s, {os.cpu_count()} cores\n")
    print("| what | hanging | way | a look (s) | CPU (s) | memory (MiB) | wrong |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        pem = certificate(Path(folder))
        os.environ["SSL_CERT_FILE"] = str(pem)
        protocols: tuple[Protocol, ...] = ("http", "https")
        for protocol in protocols:
            with serving(pem if protocol == "https" else None) as port:
                for hanging in HANGING_SHARES:
                    for way in ways:
                        found = measured(way, port, protocol, count, hanging)
                        cells = found if isinstance(found, str) else _cells(found)
                        print(f"| {protocol} | {hanging:.0%} | {way} | {cells} |", flush=True)


def _cells(row: Row) -> str:
    seconds, cpu, peak, wrong = row
    return f"{seconds:.1f} | {cpu:.1f} | {peak:.0f} | {wrong}"


if __name__ == "__main__":
    main()
