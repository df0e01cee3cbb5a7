"""Serve the sandbox's AWS over HTTP: Route 53 from the zone model, everything else from moto.

One lock is around all evaluation, because moto has none; nothing that waits (a held request, a time-out) holds it.
This module decides nothing about zones: it recognises a request, lets a fault strike, has it evaluated, and counts.
"""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Self

from enactor.sandbox import answers, control, dynamo, http, wire, zone_names
from enactor.sandbox.dns import DnsServer
from enactor.sandbox.engine import CHANGE_OPERATION, OPERATIONS, ApiError, Engine, Settings
from enactor.sandbox.faults import RELEASE_WAIT_SECONDS, FaultBook, FaultRule, Held, Hit
from enactor.sandbox.ledger import OK, BatchRecord
from enactor.sandbox.moto_world import MotoWorld
from enactor.sandbox.wire import Reply, Request
from enactor.sandbox.zone_model import Zone

LOOPBACK = "127.0.0.1"
TIMEOUT_DEFAULT_SECONDS = 60.0
HELD_WAIT_SECONDS = 10.0


class Sandbox:
    """An AWS to try things on, and to break on purpose."""

    def __init__(
        self,
        *,
        host: str = LOOPBACK,
        port: int = 0,
        dns_port: int = 0,
        settings: Settings | None = None,
        alias_answers: Mapping[str, Sequence[str]] | None = None,
        random_source: random.Random | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._host = host
        self._port = port
        self.engine = Engine(clock=clock, now=now, settings=settings)
        self.faults = FaultBook(zone_names.folded)
        self._tokens = dynamo.TokenMemory(clock)
        self._alias_answers = alias_answers
        self._random_source = random_source
        self._dns_port = dns_port
        self._http: http.HttpServer | None = None
        self._dns: DnsServer | None = None
        self._moto: MotoWorld | None = None

    def start(self) -> Self:
        """Begin to serve; returns when the port is open."""
        try:
            self._moto = MotoWorld()
            self._http = http.HttpServer(self._host, self._port, self._serve, self.engine.now)
            self._dns = self._new_dns().start()
        except OSError:  # a port is taken
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End everything: held requests are dropped, connections closed, threads joined."""
        self.faults.close()
        dns, server, moto = self._dns, self._http, self._moto
        self._dns = self._http = self._moto = None
        if dns is not None:
            dns.stop()
        if server is not None:
            server.stop()
        if moto is not None:
            moto.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def endpoint_url(self) -> str:
        assert self._http is not None, "start the sandbox first"
        return f"http://{self._host}:{self._http.port}"

    @property
    def dns_address(self) -> tuple[str, int]:
        """Where DNS is answered, over UDP and TCP."""
        assert self._dns is not None, "start the sandbox first"
        return self._dns.address

    def answer_alias(self, name: str, addresses: Sequence[str]) -> None:
        """Say which addresses stand behind an alias to another zone."""
        assert self._dns is not None, "start the sandbox first"
        self._dns.alias_answers[zone_names.canonical(name)] = tuple(addresses)

    def environment(self) -> dict[str, str]:
        """Return the variables with which another process finds this AWS and no other."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint_url,
            "AWS_ACCESS_KEY_ID": "sandboxsandboxsandbox",
            "AWS_SECRET_ACCESS_KEY": "sandbox",
            "AWS_REGION": wire.DEFAULT_REGION,
            "AWS_DEFAULT_REGION": wire.DEFAULT_REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def configure(self, **changed: Any) -> Settings:
        """Change settings by name while running; see `Settings`."""
        self.engine.configure(control.changed_settings(self.engine.settings, changed))
        return self.engine.settings

    def create_zone(self, name: str, zone_id: str | None = None) -> str:
        return self.engine.create_zone(name, zone_id)

    def zone(self, zone_id: str) -> Zone:
        return self.engine.zone(zone_id)

    def edit(self, zone_id: str, changes: Sequence[Mapping[str, Any]]) -> None:
        """Change a zone as a person at the console would; raises ApiError when refused."""
        self.engine.edit(zone_id, changes)

    def add_fault(self, rule: FaultRule) -> str:
        return self.faults.add(rule)

    def remove_fault(self, handle: str) -> None:
        self.faults.remove(handle)

    def clear_faults(self) -> None:
        self.faults.clear()

    def held(self) -> tuple[Held, ...]:
        return self.faults.held()

    def wait_held(self, count: int = 1, timeout_seconds: float = HELD_WAIT_SECONDS) -> tuple[Held, ...]:
        """Wait until so many requests are held; raises TimeoutError otherwise."""
        if not self.faults.wait_held(count, timeout_seconds):
            raise TimeoutError(f"{len(self.held())} requests are held, not {count}")
        return self.held()

    def release(self, handle: str, *, wait_seconds: float = RELEASE_WAIT_SECONDS) -> int:
        """Let held requests go, by fault handle or token, and wait until they were evaluated."""
        return self.faults.release(handle, wait_seconds=wait_seconds)

    def calls(self, operation: str | None = None, outcome: str | None = None, service: str | None = None) -> int:
        with self.engine.lock:
            return self.engine.ledger.calls(operation, outcome, service)

    def batches(self, zone_id: str | None = None) -> tuple[BatchRecord, ...]:
        with self.engine.lock:
            return self.engine.ledger.batches(zone_id)

    def stats(self) -> dict[str, Any]:
        with self.engine.lock:
            return self.engine.ledger.stats()

    def reset_stats(self) -> None:
        with self.engine.lock:
            self.engine.ledger.reset()

    def _new_dns(self) -> DnsServer:
        return DnsServer(
            lambda: tuple(self.engine.zones().values()),
            host=self._host,
            port=self._dns_port,
            source=self._random_source,
            alias_answers=self._alias_answers,
        )

    def _serve(self, environ: dict[str, Any]) -> Reply:
        body = http.read_body(environ)
        if str(environ.get("PATH_INFO", "")).startswith(control.PREFIX):
            return control.handle(self, environ, body)
        try:
            request = wire.recognise(environ, body)
        except wire.MalformedRequestError as error:
            return wire.error_reply("route53", "InvalidInput", str(error), HTTPStatus.BAD_REQUEST)
        hold, fault = self.faults.meet(request.call)
        if hold is None:
            return self._answer(request, environ, fault)
        return self._answer_held(request, environ, hold, fault)

    def _answer_held(self, request: Request, environ: dict[str, Any], hold: Hit, fault: Hit | None) -> Reply:
        held = self.faults.keep(hold, request.call)
        try:
            if not self.faults.wait(held, hold.rule.seconds):
                raise http.DroppedError("the sandbox stopped")
            return self._answer(request, environ, fault)
        finally:
            held.settled.set()

    def _answer(self, request: Request, environ: dict[str, Any], fault: Hit | None) -> Reply:
        if fault is None:
            return self._evaluate(request, environ)
        rule = fault.rule
        match rule.action:
            case "timeout-before":
                self._note(request, rule.action, evaluated=False)
                self.faults.pause(rule.seconds if rule.seconds is not None else TIMEOUT_DEFAULT_SECONDS)
                raise http.DroppedError(rule.action)
            case "disconnect":
                self._note(request, rule.action, evaluated=False)
                raise http.DroppedError(rule.action)
            case "timeout-after":
                reply = self._evaluate(request, environ, rule.action)
                self.faults.pause(rule.seconds if rule.seconds is not None else TIMEOUT_DEFAULT_SECONDS)
                return reply
            case "error-after":
                self._evaluate(request, environ, rule.action)
                return wire.error_reply(request.call.service, *answers.fault_answer(rule, request.call))
            case _:
                code, message, status = answers.fault_answer(rule, request.call)
                self._note(request, code, evaluated=False)
                return wire.error_reply(request.call.service, code, message, status)

    def _evaluate(self, request: Request, environ: dict[str, Any], outcome: str | None = None) -> Reply:
        with self.engine.lock:
            reply, found = self._route53(request) if _is_ours(request) else self._by_moto(request, environ)
            self._note(request, outcome or found, evaluated=True)
        return reply

    def _route53(self, request: Request) -> tuple[Reply, str]:
        operation = request.call.operation
        try:
            return wire.route53_reply(operation, self.engine.call(operation, request.params)), OK
        except ApiError as error:
            return wire.error_reply("route53", error.code, error.message, error.status), error.code

    def _by_moto(self, request: Request, environ: dict[str, Any]) -> tuple[Reply, str]:
        moto = self._moto
        if moto is None:
            raise http.DroppedError("the sandbox stopped")

        def run() -> Reply:
            try:
                return moto.run(environ, request.body)
            except NotImplementedError as error:
                return wire.error_reply(request.call.service, "NotImplemented", str(error), HTTPStatus.NOT_IMPLEMENTED)

        is_table = request.call.service == "dynamodb"
        reply = dynamo.corrected(request, run, self._tokens, moto.account) if is_table else run()
        return reply, OK if reply.status < HTTPStatus.BAD_REQUEST else wire.error_code(reply)

    def _note(self, request: Request, outcome: str, *, evaluated: bool) -> None:
        """Count a call; a batch that never reached the engine is logged here, the others there."""
        with self.engine.lock:
            self.engine.ledger.count(request.call.service, request.call.operation, outcome)
            if request.call.operation == CHANGE_OPERATION and not evaluated:
                self.engine.note_unevaluated(request.params, outcome)


def _is_ours(request: Request) -> bool:
    return request.call.service == "route53" and request.call.operation in OPERATIONS
