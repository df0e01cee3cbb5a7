"""The real clock, real chance, and AWS clients from boto3's default session, or from a role assumed out of it.

One SDK attempt for Route 53: a change that may have landed must never be sent again by itself, and reads are tried again
where every try is paid for. Honours boto3's standard variables, `AWS_ENDPOINT_URL*` among them.
"""

import secrets
import threading
import time
from typing import Any, Final

import boto3
from botocore.config import Config
from botocore.credentials import AssumeRoleCredentialFetcher, DeferredRefreshableCredentials
from botocore.session import get_session

from enactor.aws_errors import PREPARING_ERRORS, outside_error
from enactor.budget import GOVCLOUD, AccountLimits, Budget
from enactor.gate import GateLimits
from enactor.guards import LimitsTable
from enactor.hooks import Hook
from enactor.live_report import LiveBudget
from enactor.ports import Chance, Clock, Stopping
from enactor.route53 import Route53Zones
from enactor.settings import Settings

CONNECT_TIMEOUT_SECONDS: Final = 3.0
READ_TIMEOUT_SECONDS: Final = 10.0
"""Route 53 answers a change in well under a second; what takes longer than this is looked at, not waited for."""
POOL_CONNECTIONS: Final = 4


class SystemClock:
    """Monotonic time, and waits that a stop ends."""

    def __init__(self) -> None:
        self._stop = threading.Event()

    def now(self) -> float:
        """Return monotonic seconds."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait; raise Stopping when the process is asked to stop meanwhile."""
        if self._stop.wait(max(0.0, seconds)):
            raise Stopping("asked to stop; nothing more was sent")

    def stop(self) -> None:
        """End every wait from now on; safe in a signal handler."""
        self._stop.set()

    @property
    def stopping(self) -> bool:
        """Tell whether the process was asked to stop."""
        return self._stop.is_set()


class SystemChance:
    """Chance from the operating system."""

    def __init__(self) -> None:
        self._random = secrets.SystemRandom()

    def nonce(self) -> str:
        """Return 16 fresh hex digits."""
        return secrets.token_hex(8)

    def uniform(self, low: float, high: float) -> float:
        """Return a number between two."""
        return self._random.uniform(low, high)


def gate_limits(limits: LimitsTable, name: str) -> GateLimits:
    """Return what the last gate lets one swap take away."""
    found = limits.of(name)
    return GateLimits(targets=found.shrink_targets, capacity=found.shrink_capacity)


def route53_client(session: boto3.Session) -> Any:
    """Return a Route 53 client that tries once, with explicit time-outs."""
    config = Config(
        connect_timeout=CONNECT_TIMEOUT_SECONDS,
        read_timeout=READ_TIMEOUT_SECONDS,
        max_pool_connections=POOL_CONNECTIONS,
        retries={"mode": "standard", "total_max_attempts": 1},
    )
    # Route 53 is global; the region only picks the partition, and a session without one still has to reach it.
    return session.client("route53", config=config, region_name=session.region_name or "us-east-1")


def assumed(session: boto3.Session, role: str, name: str) -> boto3.Session:
    """Return a session of a role, whose credentials are fetched when first needed and refreshed by botocore."""
    source = session.get_credentials()
    if source is None:
        return session
    fetcher = AssumeRoleCredentialFetcher(
        client_creator=session._session.create_client,  # noqa: SLF001 - botocore's fetcher wants botocore's factory
        source_credentials=source,
        role_arn=role,
        extra_args={"RoleSessionName": name},
    )
    core = get_session()
    core._credentials = DeferredRefreshableCredentials(  # type: ignore[attr-defined]  # noqa: SLF001 - the documented recipe
        refresh_using=fetcher.fetch_credentials, method="assume-role"
    )
    return boto3.Session(botocore_session=core, region_name=session.region_name)


class ZoneAccess:
    """The Route 53 client and the budget of each zone: one of each for every account."""

    def __init__(self, settings: Settings, session: boto3.Session, clock: Clock) -> None:
        self._settings = settings
        self._session = session
        self._clock = clock
        self._clients: dict[str, Any] = {}
        self._budgets: dict[str, Budget] = {}
        self._enactors = 1
        self._making = threading.Lock()
        """A collection asks beside the cycles, and the port shows the budgets: no account has two."""
        region = session.region_name or ""
        self._account_limits = GOVCLOUD if region.startswith("us-gov-") else AccountLimits()

    def client(self, zone: str) -> Any:
        """Return the client that reaches a zone."""
        role = self._settings.roles.get(zone, "")
        if role not in self._clients:
            try:
                session = assumed(self._session, role, f"enactor-{self._settings.id}") if role else self._session
                self._clients[role] = route53_client(session)
            except PREPARING_ERRORS as error:
                raise outside_error(error, what=f"preparing to reach zone {zone}", where="Route 53") from error
        return self._clients[role]

    def budget(self, zone: str) -> Budget:
        """Return the budget of the account that a zone lies in."""
        role = self._settings.roles.get(zone, "")
        account = role.split(":")[4] if role else ""
        with self._making:
            if account not in self._budgets:
                share, limits = self._settings.account_share, self._account_limits
                self._budgets[account] = Budget(self._clock, share, limits, threading.Lock())
                self._budgets[account].divide(self._enactors)
            return self._budgets[account]

    def divide(self, enactors: int) -> None:
        """Use an equal part of the fleet's share in every account, beside so many enactors that live."""
        with self._making:
            self._enactors = enactors
            for budget in self._budgets.values():
                budget.divide(enactors)

    def levels(self) -> tuple[LiveBudget, ...]:
        """Return how full the buckets of each account are."""
        return tuple(LiveBudget(account=account, level=one.level()) for account, one in sorted(self._known().items()))

    def _known(self) -> dict[str, Budget]:
        with self._making:
            return dict(self._budgets)

    def requests_per_second(self) -> float:
        """Return how many requests the slowest of the accounts gives this process a second."""
        rates = [budget.level().requests_per_second for budget in self._known().values()]
        whole = self._settings.account_share * self._account_limits.requests_per_second / self._enactors
        return min(rates, default=whole)


def route53_zones(
    settings: Settings,
    session: boto3.Session,
    clock: Clock,
    chance: Chance,
    hook: Hook,
    *,
    access: ZoneAccess | None = None,
) -> Route53Zones:
    """Return the Route 53 adapter for a process; who wants to see its budgets brings the access to the accounts."""
    access = access or ZoneAccess(settings, session, clock)
    return Route53Zones(
        access.client,
        budget_of=access.budget,
        limits_of=lambda name: gate_limits(settings.limits, name),
        clock=clock,
        chance=chance,
        hook=hook,
    )
