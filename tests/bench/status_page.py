"""What the status page costs a worker's processor beside its endpoints: `python -m tests.bench.status_page`.

The report is built from a cycle as a worker builds it, and asked for over the real port by one client. What is counted is the
processor time of this process: server, client and what lies between them, so a little more than a worker's own.
"""

import http.client
import time
from collections.abc import Iterator
from typing import Final, NamedTuple

import click

from enactor.live_report import Put, Recalled
from enactor.page.status import StatusPage
from tests.bench.cardinality import cycled
from tests.enactor.kernel_builders import ZONE
from tests.page.worlds import serving

SIZES: Final = (200, 2_000, 20_000)
LATER: Final = 5
"""So many answers after the first one are measured; the slowest counts."""
PUT: Final = Put(at="2026-06-01T10:30:00Z", verb="swap", by="az-2", generation=7, cause="behind")
PUTS: Final = 3
"""As many as the history tells of each endpoint, on the average, where it is read to its bound: 300 items of 200 names."""
ASKED: Final = (("api/status", ""), ("api/status", "gzip"), ("", ""), ("", "gzip"))


class Cost(NamedTuple):
    """What one kind of question costs: octets of the answer, and CPU seconds after a cycle and later."""

    endpoints: int
    path: str
    packed: bool
    octets: int
    first: float
    later: float


def _asked(port: int, path: str, coding: str) -> tuple[int, float]:
    """Return the octets of an answer, and the CPU seconds that it took."""
    began = time.process_time()
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    client.request("GET", f"/{path}", headers={"Accept-Encoding": coding} if coding else {})
    octets = len(client.getresponse().read())
    client.close()
    return octets, time.process_time() - began


def costs(size: int) -> Iterator[Cost]:
    """Yield what each kind of question costs; every one is asked after a cycle of its own."""
    for path, coding in ASKED:
        world, names, _ = cycled(size)
        world.live.recalled = Recalled(since=PUT.at, puts={(ZONE, name): (PUT,) * PUTS for name in names})
        with serving(StatusPage(world.live.report)) as address:
            port = int(address.rsplit(":", 1)[1].strip("/"))
            octets, first = _asked(port, path, coding)
            later = max(_asked(port, path, coding)[1] for _ in range(LATER))
        yield Cost(size, f"/{path}", coding == "gzip", octets, first, later)


@click.command()
@click.argument("sizes", nargs=-1, type=int)
def main(sizes: tuple[int, ...]) -> None:
    """Print a table for fleets of these SIZES."""
    click.echo("| endpoints | path | packed | octets | CPU seconds, first after a cycle | later, the slowest of 5 |")
    click.echo("| ---: | --- | --- | ---: | ---: | ---: |")
    for size in sizes or SIZES:
        for cost in costs(size):
            word = "gzip" if cost.packed else "no"
            click.echo(f"| {size:,} | `{cost.path}` | {word} | {cost.octets:,} | {cost.first:.3f} | {cost.later:.3f} |")


if __name__ == "__main__":
    main()
