"""Something between here and AWS answers with a page of its own and status 200: it is no answer, and no change was made by it."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import boto3
import pytest
from botocore.config import Config

from enactor.budget import AccountLimits, Budget
from enactor.gate import GateLimits
from enactor.hooks import ignore
from enactor.mirror import PlanMirror
from enactor.outcome import Unknown
from enactor.outside import SystemChance, SystemClock
from enactor.ports import Unavailable
from enactor.route53 import Route53Zones
from enactor.table import PlanTable, table_client
from enactor.table_items import Items, Write

from .kernel_builders import ZONE, batch, swap, weighted

PAGES = {
    "HTML": b"<!doctype html><title>Sign in</title><p>Please sign in<br>to go on",
    "XML": b'<?xml version="1.0"?><page><title>Sign in</title></page>',
    "nothing": b"",
}


@pytest.fixture(params=sorted(PAGES))
def proxy(request: pytest.FixtureRequest) -> Iterator[str]:
    """Serve one page, whatever is asked."""
    page = PAGES[request.param]

    class Page(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        do_GET = do_POST = do_PUT = answer  # noqa: N815 - the names that http.server looks for

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join(10.0)


@pytest.fixture
def session() -> boto3.Session:
    return boto3.Session("testing", "testing", region_name="eu-west-1")


def zones(session: boto3.Session, proxy: str) -> Route53Zones:
    client = session.client("route53", endpoint_url=proxy, config=Config(retries={"total_max_attempts": 1}))
    clock = SystemClock()
    return Route53Zones(
        lambda _: client,
        budget_of=lambda _: Budget(clock, 1.0, AccountLimits()),
        limits_of=lambda _: GateLimits(1.0, 1.0),
        clock=clock,
        chance=SystemChance(),
        hook=ignore,
        read_tries=1,
    )


def test_a_page_is_no_listing_and_no_zone(session: boto3.Session, proxy: str) -> None:
    """An empty listing would make every endpoint missing."""
    port = zones(session, proxy)
    for read in (lambda: port.listing(ZONE), lambda: port.zone_name(ZONE)):
        with pytest.raises(Unavailable, match=f"reading hosted zone {ZONE} failed at Route 53"):
            read()
    assert port.aws_now() is None


def test_a_page_does_not_say_that_a_change_was_made(session: boto3.Session, proxy: str) -> None:
    """Nor that it was not: the fence is read next."""
    made = weighted(1)
    outcome = zones(session, proxy).compare_and_swap(batch(swap((), (), (made,))))
    assert isinstance(outcome, Unknown)


def test_a_page_is_no_plan_table(session: boto3.Session, proxy: str) -> None:
    """HEAD that is not there would make a fleet without plans."""
    client = table_client(session, endpoint_url=proxy, hasty=True)
    table = PlanTable(client, "plans", "edge", clock=SystemClock(), chance=SystemChance())
    with pytest.raises(Unavailable, match="reading HEAD of fleet edge failed at table plans"):
        table.head()


def test_a_page_is_no_mirror(session: boto3.Session, proxy: str) -> None:
    """It is passed over with a sentence."""
    client = session.client("s3", endpoint_url=proxy, config=Config(retries={"total_max_attempts": 1}))
    found = PlanMirror(client, "bucket", "plan-edge.json", "edge").load()
    assert isinstance(found, str)
    assert "the plan mirror s3://bucket/plan-edge.json is passed over" in found


def test_a_page_does_not_say_that_a_plan_was_published(session: boto3.Session, proxy: str) -> None:
    """The transaction is sent again under its token, and then said to be unknown."""
    client = table_client(session, endpoint_url=proxy, hasty=True)
    items = Items(client, "plans", "edge", clock=SystemClock(), chance=SystemChance())
    with pytest.raises(Unavailable, match="publishing failed at table plans"):
        items.transact([Write(sk="head", item={"generation": 1})], what="publishing")
