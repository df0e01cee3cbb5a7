"""Speak to Elastic Load Balancing: the four reads that the source `elbv2` rests on, each whole or failed.

Each request is sent once by the SDK and tried again here, with jitter, until the deadline; nothing of botocore leaves this module.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import boto3
import botocore.session
import msgspec
import tenacity
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from enactor.aws_errors import PREPARING_ERRORS, error_code, outside_error
from enactor.outside import assumed
from enactor.ports import Chance, Clock, Denied, OutsideError, Throttled, Unavailable
from planner.elbv2_health import GroupHealth, group_health
from planner.elbv2_reading import Balancer, balancer_of

if TYPE_CHECKING:
    from mypy_boto3_elbv2 import ElasticLoadBalancingv2Client

AT_ONCE: Final = 8
"""Requests on their way together: enough to hide the distance to other regions, few enough not to be throttled."""
CONFIG: Final = Config(
    connect_timeout=3.0,
    read_timeout=5.0,
    max_pool_connections=AT_ONCE,
    retries={"mode": "standard", "total_max_attempts": 1},
)
TRIES: Final = 5
WAIT_FIRST_SECONDS: Final = 0.3
WAIT_MAX_SECONDS: Final = 5.0
PAGES_MAX: Final = 1_000
"""Far over what an account may have: a listing that never ends is a fault, not a large account."""
TAGS_ARNS_MAX: Final = 20
"""ARNs that one DescribeTags takes (API reference)."""
ROLE_SESSION_NAME_MAX_CHARACTERS: Final = 64
GONE: Final = frozenset({"LoadBalancerNotFound", "TargetGroupNotFound"})
STRANGE: Final = "the answer is not AWS's; check AWS_ENDPOINT_URL and for a proxy on the way"
"""A proxy's page comes with status 200 too, and must not read as an account without load balancers."""
ADVISE: Final[Mapping[type[OutsideError], str]] = {
    Throttled: "look less often, or at fewer load balancers, if it lasts",
    Unavailable: "check the network and the health of the service; the next look tries again",
    Denied: "check the credentials, their expiry, this machine's clock, and the role's trust and policy",
}


class Gone(OutsideError):  # noqa: N818 - one of the family
    """What was listed a moment ago is no more: the look begins anew."""


class Place(msgspec.Struct, frozen=True, order=True):
    """One region, looked at with one role (empty: the planner's own credentials)."""

    region: str
    role: str

    def __str__(self) -> str:
        return f"Elastic Load Balancing in {self.region}" + (f" as {self.role}" if self.role else "")


class Group(msgspec.Struct, frozen=True):
    """One target group, and the load balancers that send to it."""

    place: Place
    arn: str
    name: str
    balancers: tuple[str, ...]


class Calls:
    """The clients of a source, one for each place, and what is asked of them. Made by one thread, then used by several."""

    def __init__(self, places: Sequence[Place], session_name: str, clock: Clock, chance: Chance) -> None:
        self._clock = clock
        self._chance = chance
        self._clients = _clients(places, session_name[:ROLE_SESSION_NAME_MAX_CHARACTERS])

    def close(self) -> None:
        for client in self._clients.values():
            client.close()

    def balancers(self, place: Place, deadline: float) -> list[Balancer]:
        """Return every load balancer of a place, without tags; `deadline` is in the clock's seconds."""
        items = self._pages(place, "describe_load_balancers", "LoadBalancers", deadline)
        return [balancer_of(item) for item in items]

    def tagged(self, place: Place, balancers: Sequence[Balancer], deadline: float) -> list[Balancer]:
        """Return load balancers with their tags."""
        tags: dict[str, dict[str, str]] = {}
        for start in range(0, len(balancers), TAGS_ARNS_MAX):
            arns = [one.arn for one in balancers[start : start + TAGS_ARNS_MAX]]
            for found in self._ask(place, "describe_tags", "TagDescriptions", deadline, ResourceArns=arns)[0]:
                tags[found["ResourceArn"]] = {tag["Key"]: tag.get("Value", "") for tag in found.get("Tags", ())}
        missing = [one.arn for one in balancers if one.arn not in tags]
        if missing:
            raise Gone(f"{place} gave no tags of {missing[0]}")
        return [msgspec.structs.replace(one, tags=tags[one.arn]) for one in balancers]

    def groups(self, place: Place, deadline: float) -> list[Group]:
        """Return every target group of a place."""
        items = self._pages(place, "describe_target_groups", "TargetGroups", deadline)
        return [
            Group(place, item["TargetGroupArn"], item["TargetGroupName"], tuple(item.get("LoadBalancerArns", ())))
            for item in items
        ]

    def health(self, group: Group, deadline: float) -> GroupHealth:
        """Return how a target group's targets are."""
        key = "TargetHealthDescriptions"
        told, _ = self._ask(group.place, "describe_target_health", key, deadline, TargetGroupArn=group.arn)
        return group_health(group.name, told)

    def _pages(self, place: Place, operation: str, key: str, deadline: float) -> list[Any]:
        found: list[Any] = []
        cursor: dict[str, str] = {}
        for _ in range(PAGES_MAX):
            items, marker = self._ask(place, operation, key, deadline, **cursor)
            found += items
            if not marker:
                return found
            cursor = {"Marker": marker}
        raise Unavailable(f"{place} listed more than {PAGES_MAX} pages and did not end; report this, it is a fault")

    def _ask(
        self, place: Place, operation: str, key: str, deadline: float, **asked: Any
    ) -> tuple[Sequence[Any], str | None]:
        """Return the list that an answer has under a key, and the marker of the next page."""
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type((Throttled, Unavailable)),
            stop=lambda state: state.attempt_number >= TRIES or self._clock.now() >= deadline,
            wait=self._wait_seconds,
            sleep=self._clock.sleep,
            reraise=True,
        )
        return retrying(self._ask_once, place, operation, key, asked)

    def _wait_seconds(self, state: tenacity.RetryCallState) -> float:
        longest = min(WAIT_MAX_SECONDS, WAIT_FIRST_SECONDS * 2.0 ** (state.attempt_number - 1))
        return self._chance.uniform(longest / 2, longest)

    def _ask_once(
        self, place: Place, operation: str, key: str, asked: Mapping[str, Any]
    ) -> tuple[Sequence[Any], str | None]:
        what, call = operation.replace("_", " "), getattr(self._clients[place], operation)
        try:
            answer = call(**asked)
        except (ClientError, BotoCoreError) as error:
            fault = outside_error(error, what=what, where=str(place), advise=ADVISE)
            gone = isinstance(error, ClientError) and error_code(error) in GONE
            raise (Gone(str(fault)) if gone else fault) from error
        except (ResponseParserError, KeyError) as error:  # botocore looks for a result that another page has not
            raise OutsideError(f"{what} failed at {place}: {STRANGE}") from error
        if key not in answer:
            raise OutsideError(f"{what} failed at {place}: {STRANGE}")
        return answer[key], answer.get("NextMarker")


def _clients(places: Sequence[Place], session_name: str) -> dict[Place, "ElasticLoadBalancingv2Client"]:
    """Return a client for each place: from boto3's default session, or from a role assumed out of it."""
    try:
        core = botocore.session.get_session()
        core.set_default_client_config(CONFIG)  # STS, where a role's credentials come from, is bounded too
        own = boto3.Session(botocore_session=core)
        roles = dict.fromkeys(place.role for place in places)
        sessions = {role: assumed(own, role, session_name) if role else own for role in roles}
        return {
            place: sessions[place.role].client("elbv2", region_name=place.region, config=CONFIG) for place in places
        }
    except PREPARING_ERRORS as error:
        raise outside_error(error, what="preparing", where="Elastic Load Balancing", advise=ADVISE) from error
