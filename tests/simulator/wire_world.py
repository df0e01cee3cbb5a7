"""The wire tier's world: every request is answered by the sandbox, its strict zones and moto's DynamoDB, in this process.

A state of the sandbox is a value here as in the thin tier: it is put in before a request and read back after it. So searching,
shrinking, replaying and the judging of promises are the same code, and what a request makes of a state is computed once.
"""

import base64
import json
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import formatdate
from http import HTTPStatus
from typing import Any, Final

from botocore.awsrequest import AWSRequest
from botocore.httpsession import URLLib3Session
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType, Item

from enactor.sandbox import answers, wire
from enactor.sandbox.engine import Settings
from enactor.sandbox.moto_world import MotoWorld
from enactor.sandbox.server import Sandbox
from enactor.sandbox.wire import DEFAULT_REGION, Reply
from enactor.table_items import _decoded, _encoded

from .actors import Answer
from .cast import FLEET, ZONE_NAMES
from .clocks import AWS_NOW
from .hosted import Trouble, refusal_of, state_of
from .ops import Cas, DeleteAll, Op, Pairs, Sent, Transact, is_write, zone_id_of
from .probes import ZONE_DENIED, ZONE_GONE, of_answer
from .stage import Tier
from .table_model import Table
from .wire_clients import TABLE, WirePorts, clients
from .wire_promises import Failure
from .wire_requests import SIGNED_AS, environ, is_table
from .world import BUSY, DARK, DOWN, HOLD, THROTTLE, Fault, World

UNREACHABLE: Final = "unreachable"
"""No connection can be made, however often it is tried."""
CLOSED: Final = "closed"
"""The connection ends without an answer, once."""
ERROR: Final = "error 500"
GATEWAY: Final = "error 503"
"""A proxy on the way answers, and not in the service's language."""
SAID: Final = {THROTTLE: "throttle", BUSY: "busy", ERROR: "error"}
"""The sandbox's names of the faults that have an answer."""
FAILURES: Final = {
    HOLD: Failure("timeout"),
    DOWN: Failure("timeout", lasts=True),
    UNREACHABLE: Failure("unreachable", lasts=True),
    CLOSED: Failure("closed"),
}
TOKEN: Final = "(token) "
"""Marks in the table's value the transactions that DynamoDB remembers by their token; no code of the product reads it."""
VOLATILE_HEADERS: Final = frozenset({"x-amzn-requestid", "date", "server", "connection", "content-length"})
PAGE_SETS: Final = 3
"""Route 53 lists 300 record sets a page; so few that others write between the pages that an actor reads."""
HEALS_ONE_OF: Final = 8
"""Healing takes twice as many requests as the story it ends."""
NOWHERE: Final = "http://127.0.0.1:9"
"""In this process nothing is sent, and what would be sent all the same finds nobody."""
CREDENTIALS: Final = {
    "AWS_ACCESS_KEY_ID": "simulator",
    "AWS_SECRET_ACCESS_KEY": "simulator",
    "AWS_REGION": DEFAULT_REGION,
    "AWS_DEFAULT_REGION": DEFAULT_REGION,
    "AWS_EC2_METADATA_DISABLED": "true",
}
PARTITION: Final = f"fleet#{FLEET}"


class Aws:
    """The sandbox, whose state is put in and read out as values."""

    def __init__(self, sandbox: Sandbox, *, over_socket: bool) -> None:
        self._sandbox = sandbox
        self._http = URLLib3Session() if over_socket else None
        self.requests = 0
        self._table_in_place: Table | None = None
        assert sandbox._moto is not None, "the table is moto's"
        self._backend = dynamodb_backends[sandbox._moto.account][DEFAULT_REGION]
        made = sandbox._serve(environ(new_table()))
        assert made.status == HTTPStatus.OK, made.body

    def answer(self, request: Sent) -> Reply:
        """Have a request answered by the state that is in place."""
        self.requests += 1
        self._sandbox.engine._id_number = 0  # ids of changes are counted: the same request gets the same answer
        self._sandbox.engine.ledger.reset()
        reply = self._over_socket(request) if self._http else self._sandbox._serve(environ(request))
        headers = {name.lower(): value for name, value in reply.headers if name.lower() not in VOLATILE_HEADERS}
        headers["date"] = formatdate(AWS_NOW.timestamp(), usegmt=True)
        headers["x-amzn-requestid"] = (
            "SIMULATED"  # what has none is a proxy's page, and one of its own would differ in each run
        )
        return Reply(reply.status, reply.body, tuple(sorted(headers.items())))

    def _over_socket(self, request: Sent) -> Reply:
        assert self._http is not None, "asked for a socket"
        url = self._sandbox.endpoint_url + request.target
        made = AWSRequest(method=request.method, url=url, headers=dict(request.headers), data=request.body)
        answer = self._http.send(made.prepare())
        return Reply(answer.status_code, answer.content, tuple(answer.headers.items()))

    def put_table(self, table: Table) -> None:
        """Make the table hold this, and DynamoDB remember these tokens."""
        if table is self._table_in_place:
            return
        items: dict[Any, dict[Any, Item]] = defaultdict(dict)
        key = DynamoType({"S": PARTITION})
        tokens: OrderedDict[str, Any] = OrderedDict()
        for sk, pairs in table.items():
            if sk.startswith("("):
                if sk.startswith(TOKEN):
                    tokens[sk.removeprefix(TOKEN)] = _remembered(dict(pairs))
                continue
            attributes = {"pk": {"S": PARTITION}, "sk": {"S": sk}} | {name: _stored(value) for name, value in pairs}
            items[key][DynamoType({"S": sk})] = Item(key, DynamoType({"S": sk}), attributes)
        self._backend.tables[TABLE].items = items
        self._sandbox._tokens._seen = tokens
        self._table_in_place = table

    def read_table(self) -> Table:
        """Return what the table holds after a write, with the tokens that DynamoDB remembers."""
        before = self._table_in_place or {}
        found: dict[str, Pairs] = {sk: item for sk, item in before.items() if sk.startswith("(")}
        for sk, attributes in self._items():
            item = {name: value for name, value in _decoded(attributes).items() if name != "sk"}
            found[sk] = tuple(sorted(item.items()))
        for token, (_, digest, reply) in self._sandbox._tokens._seen.items():
            found[TOKEN + token] = (("body", reply.body), ("digest", digest))
        self._table_in_place = None  # whoever interns it says which value it is
        return found

    def is_in_place(self, table: Table) -> None:
        """Say which value the table holds by now."""
        self._table_in_place = table

    def _items(self) -> Iterator[tuple[str, dict[str, Any]]]:
        table = self._backend.tables[TABLE]  # not kept: a refused transaction puts a copy in its place
        for under in table.items.values():
            for sk, item in under.items():
                yield sk.value, {name: value.to_regular_json() for name, value in item.attrs.items()}


def _stored(value: Any) -> dict[str, Any]:
    encoded: Any = _encoded(value)
    return {"B": base64.b64encode(value).decode()} if isinstance(value, bytes) else encoded


def _remembered(mark: Mapping[str, Any]) -> tuple[float, str, Reply]:
    reply = Reply(HTTPStatus.OK, mark["body"], (("Content-Type", "application/x-amz-json-1.0"),))
    return 0.0, str(mark["digest"]), reply


class WireWorld(World):
    """A world in which actors ask by HTTP."""

    def __init__(self, aws: Aws) -> None:
        super().__init__(ZONE_NAMES)
        self._aws = aws

    def faults_of(self, op: Op) -> tuple[Fault, ...]:
        if not isinstance(op, Sent):
            return super().faults_of(op)
        match op.means:
            case Cas():
                return (HOLD, HOLD, HOLD, THROTTLE, BUSY, DOWN, ERROR, GATEWAY)  # the delayed writer is the one to fear
            case Transact():
                return (HOLD, THROTTLE, BUSY, DOWN, UNREACHABLE, CLOSED, ERROR)
            case means if is_write(means):
                return (HOLD, THROTTLE, DOWN, UNREACHABLE, CLOSED, ERROR)
            case _:
                return (DOWN, THROTTLE, UNREACHABLE, CLOSED, ERROR, GATEWAY)

    def fault_answer(self, op: Op, fault: Fault) -> int:
        if not isinstance(op, Sent):
            return super().fault_answer(op, fault)
        value = FAILURES[fault] if fault in FAILURES else fault_reply(op, fault)
        return self.answers.number(("fault", repr(value)), lambda: Answer(value))

    def _stepped_zone(self, zone: int, op: int) -> tuple[int, int]:
        asked = self.ops[op]
        if not isinstance(asked, Sent):
            return super()._stepped_zone(zone, op)
        engine, moment = self._aws._sandbox.engine, self.zones[zone]
        state = moment.at(zone_id_of(asked))
        if state is None or state.trouble:
            return zone, self._refused(asked, state.trouble if state else "gone")
        engine.replace_zone(state.zone)
        answer = self._answered(asked, state.records)
        after = engine.zone(state.zone_id)
        return zone if after is state.zone else self.moment(moment.with_part(state_of(after))), answer

    def _refused(self, asked: Sent, trouble: Trouble) -> int:
        """Return Route 53's answer for a zone that is gone, or that nobody may touch."""
        self.probes.hit.add(ZONE_GONE if trouble == "gone" else ZONE_DENIED)
        reply = wire.error_reply("route53", *refusal_of(trouble))
        return self.answers.number(("reply", repr(reply)), lambda: Answer(reply))

    def _stepped_table(self, table: int, op: int) -> tuple[int, int]:
        asked = self.ops[op]
        if not isinstance(asked, Sent):
            return super()._stepped_table(table, op)
        if DARK in self.tables[table]:
            return table, self.fault_answer(asked, DOWN)
        self._aws.put_table(self.tables[table])
        answer = self._answered(asked, ())
        if not is_write(asked):
            return table, answer
        after = self.table(self._aws.read_table())
        self._aws.is_in_place(self.tables[after])
        return after, answer

    def _answered(self, asked: Sent, zone_records: tuple[Any, ...]) -> int:
        reply = self._aws.answer(asked)
        applied = reply.status == HTTPStatus.OK
        of_answer(asked.means, applied=applied, zone_records=zone_records, probes=self.probes)
        return self.answers.number(("reply", repr(reply)), lambda: Answer(reply))


def fault_reply(request: Sent, fault: Fault) -> Reply:
    """Return the answer of a service that is busy, over its limits or broken, in its own words."""
    service = "dynamodb" if is_table(request) else "route53"
    if fault == GATEWAY:
        return Reply(
            503, b"<html><body><h1>503 Service Unavailable</h1></body></html>", (("content-type", "text/html"),)
        )
    if fault == BUSY and isinstance(request.means, Transact):
        return contended(len(request.means.writes))
    return wire.error_reply(service, *answers.ANSWERS[SAID[fault]][service])


def contended(count: int) -> Reply:
    """Return DynamoDB's word for a transaction that met another one."""
    reasons = [{"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}]
    reasons += [{"Code": "None", "Message": ""}] * (count - 1)
    codes = ", ".join(reason["Code"] for reason in reasons)
    kind = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException"
    message = f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
    body = json.dumps({"__type": kind, "Message": message, "CancellationReasons": reasons}).encode()
    return Reply(400, body, (("content-type", "application/x-amz-json-1.0"),))


def new_table() -> Sent:
    """Return the request that makes the plan table."""
    keys = (("pk", "HASH"), ("sk", "RANGE"))
    asked = {
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name, _ in keys],
        "KeySchema": [{"AttributeName": name, "KeyType": kind} for name, kind in keys],
    }
    headers = (
        ("authorization", SIGNED_AS.format(f"{DEFAULT_REGION}/dynamodb/aws4_request")),
        ("content-type", "application/x-amz-json-1.0"),
        ("x-amz-target", "DynamoDB_20120810.CreateTable"),
    )
    return Sent(DeleteAll(()), "POST", "/", headers, json.dumps(asked).encode(), 1)


@contextmanager
def wire_tier(
    *,
    over_socket: bool = False,
    page_sets: int = PAGE_SETS,
    heals_one_of: int = HEALS_ONE_OF,
    time_outs_last: bool = True,
) -> Iterator[Tier]:
    """Have a sandbox for a while, and the tier of real clients on it; only where asked for do requests go over a socket."""
    settings = Settings(page_max_sets=page_sets)
    sandbox = Sandbox(settings=settings, clock=lambda: 0.0, now=AWS_NOW.timestamp)
    if over_socket:
        sandbox.start()
    else:
        sandbox._moto = MotoWorld()
    try:
        for zone, name in ZONE_NAMES.items():
            sandbox.create_zone(name, zone)
        aws = Aws(sandbox, over_socket=over_socket)
        environment = {**CREDENTIALS, "AWS_ENDPOINT_URL": sandbox.endpoint_url if over_socket else NOWHERE}
        with clients(environment) as made:
            yield Tier("wire", WirePorts(made, time_outs_last=time_outs_last), lambda: WireWorld(aws), heals_one_of)
    finally:
        sandbox.stop()
