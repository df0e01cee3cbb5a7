"""Keep the newest plan in an S3 object, best in another Region, so that enactors go on healing with the plan table away (promise 7).

It decides nothing: what is read is verified like a file on disk, and a plan from here is a candidate like any other. A planner
writes it after the commit, best effort; an enactor reads it when the table does not answer, or has lost its newest plan.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from enactor.aws_errors import AWS_ERRORS, PREPARING_ERRORS, AwsError, outside_error
from enactor.kept_form import LIMIT_OCTETS, Odd, encoded, parts_of, stored_of
from enactor.plan import StoredPlan
from enactor.ports import OutsideError, PlanHead

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

CONFIG: Final = Config(connect_timeout=2.0, read_timeout=5.0, retries={"mode": "standard", "total_max_attempts": 2})
"""An enactor asks in every cycle in which the table is away: a slow answer is worth no more than another try."""
GENERATION: Final = "generation"
DIGEST: Final = "digest"
TRIES: Final = 3
ABSENT: Final = frozenset({"404", "NoSuchKey", "NotFound"})
UNCHANGED: Final = frozenset({"304", "NotModified"})
OVERTAKEN: Final = frozenset({"412", "PreconditionFailed", "409", "ConditionalRequestConflict"})


class PlanMirror:
    """One fleet's object."""

    def __init__(self, client: "S3Client", bucket: str, key: str, fleet: str) -> None:
        self._client = client
        self._bucket = bucket
        self._key = key
        self._fleet = fleet
        self._tag = ""
        self._seen: StoredPlan | None = None
        self._where = f"s3://{bucket}/{key}"

    def load(self) -> StoredPlan | str | None:
        """Return the plan, a sentence about what is wrong, or None where there is none; an unchanged one is not sent again."""
        asked = {"IfNoneMatch": self._tag} if self._tag else {}
        try:
            answer = self._client.get_object(Bucket=self._bucket, Key=self._key, **asked)  # type: ignore[arg-type]  # a Literal key
            if answer["ContentLength"] > LIMIT_OCTETS:
                return f"the plan mirror {self._where} is passed over: it is larger than {LIMIT_OCTETS} octets"
            content = answer["Body"].read()
        except AWS_ERRORS as error:
            code = _code(error)
            if code in UNCHANGED:
                return self._seen
            if code in ABSENT:
                return None
            return str(outside_error(error, what="reading the plan mirror", where=self._where))
        except OSError as error:
            return f"reading the plan mirror {self._where} failed: {error}; the next cycle tries again"
        try:
            self._seen = stored_of(*parts_of(content))
        except Odd as odd:
            return f"the plan mirror {self._where} is passed over: {odd}; the next publish replaces it"
        if self._seen.plan.fleet != self._fleet:
            self._seen, self._tag = None, ""
            return f"the plan mirror {self._where} is passed over: it is of another fleet than {self._fleet}"
        self._tag = answer["ETag"]
        return self._seen

    def save(self, stored: StoredPlan, head_now: Callable[[], PlanHead | None]) -> None:
        """Put a committed plan there, unless a later one that HEAD knows of is there already; raise where it cannot be told.

        A mirrored plan above HEAD is one that the table has lost: it gives way. HEAD is asked after the mirror: another planner
        may have published and mirrored a plan since we last looked, and that one is no lost plan.
        """
        for _ in range(TRIES):
            mirrored, condition = self._standing()
            if mirrored is not None and mirrored.generation > stored.generation:
                head = head_now()
                if head is not None and mirrored.generation <= head.generation:
                    return
            if mirrored == PlanHead(stored.generation, stored.digest):
                return
            try:
                self._client.put_object(
                    Bucket=self._bucket,
                    Key=self._key,
                    Body=encoded(stored, self._fleet),
                    Metadata={GENERATION: str(stored.generation), DIGEST: stored.digest},
                    **condition,  # type: ignore[arg-type]  # one of two Literal keys
                )
            except AWS_ERRORS as error:
                if _code(error) in OVERTAKEN:
                    continue  # another planner was quicker: look at what it wrote
                raise outside_error(error, what="writing the plan mirror", where=self._where) from error
            return
        raise OutsideError(f"the plan mirror {self._where} was overtaken {TRIES} times; the next publish writes it")

    def _standing(self) -> tuple[PlanHead | None, dict[str, str]]:
        """Return what is mirrored, and the condition under which it may be replaced."""
        try:
            found = self._client.head_object(Bucket=self._bucket, Key=self._key)
        except AWS_ERRORS as error:
            if _code(error) in ABSENT:
                return None, {"IfNoneMatch": "*"}
            raise outside_error(error, what="reading the plan mirror", where=self._where) from error
        said = found["Metadata"]
        generation = said.get(GENERATION, "")
        head = PlanHead(int(generation), said.get(DIGEST, "")) if generation.isdecimal() else None
        return head, {"IfMatch": found["ETag"]}


def plan_mirror(session: boto3.Session, url: str, fleet: str) -> PlanMirror:
    """Return the mirror that a URL like s3://bucket/plans?region=us-west-2 names."""
    parts = urlsplit(url)
    region = parse_qs(parts.query).get("region", [None])[0]
    key = "/".join(part for part in (parts.path.strip("/"), f"plan-{fleet}.json") if part)
    try:
        client = session.client("s3", config=CONFIG, region_name=region)
    except PREPARING_ERRORS as error:
        raise outside_error(error, what="preparing to read the plan mirror", where="S3") from error
    return PlanMirror(client, parts.netloc, key, fleet)


def _code(error: AwsError) -> str:
    return str(error.response.get("Error", {}).get("Code", "")) if isinstance(error, ClientError) else ""
