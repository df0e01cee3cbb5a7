"""Decide which of the small family of `ports` an error of botocore belongs to, and say it in one sentence.

The adapters of Route 53, the plan table and the mirror all come here, so that nothing of botocore leaks past them. What the
answer means for a write ("not applied" or "unknown") is the adapter's own to say; this module never decides to try again.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from botocore import exceptions
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from enactor.ports import Busy, Denied, Missing, OutsideError, Throttled, Unavailable

REASON_LIMIT_CHARACTERS: Final = 300
"""AWS repeats whole ARNs and policies in a refusal; a sentence for a person ends before that."""
SERVER_FAULT_STATUS: Final = 500

_THROTTLED: Final = frozenset(
    {
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "TooManyRequestsException",
        "LimitExceededException",
        "BandwidthLimitExceeded",
        "SlowDown",
    }
)
_BUSY: Final = frozenset({"PriorRequestNotComplete"})
_MISSING: Final = {
    "NoSuchHostedZone": "check the zone id among the configured zones; a zone made again has another id",
    "ResourceNotFoundException": "check the table's name and the region, or create it with `enactor init`",
    "TableNotFoundException": "check the table's name and the region, or create it with `enactor init`",
    "NoSuchBucket": "check the bucket's name",
    "NoSuchKey": "check the object's name",
    "404": "check the object's name",
}
_DENIED: Final = frozenset(
    {
        "AuthFailure",
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "IncompleteSignatureException",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "MissingAuthenticationTokenException",
        "NotAuthorized",
        "OptInRequired",
        "RequestExpired",
        "RequestTimeTooSkewed",
        "SignatureDoesNotMatch",
        "UnauthorizedOperation",
        "UnrecognizedClientException",
        "403",
    }
)
_UNAVAILABLE: Final = frozenset(
    {
        "InternalError",
        "InternalFailure",
        "InternalServerError",
        "InternalServiceError",
        "RequestTimeout",
        "RequestTimeoutException",
        "ServiceUnavailable",
        "ServiceUnavailableException",
    }
)
_NO_CREDENTIALS: Final = (
    exceptions.NoCredentialsError,
    exceptions.PartialCredentialsError,
    exceptions.CredentialRetrievalError,
    exceptions.MetadataRetrievalError,
    exceptions.NoAuthTokenError,
    exceptions.TokenRetrievalError,
    exceptions.SSOError,
    exceptions.ProfileNotFound,
)
_NO_CREDENTIALS_NAME: Final = "LoginError"
"""Named, not imported: the oldest botocore that we run with does not have it yet."""
_NO_ANSWER: Final = (
    exceptions.ConnectionError,
    exceptions.HTTPClientError,
    exceptions.IncompleteReadError,
)
_NO_PLACE: Final = (exceptions.NoRegionError, exceptions.InvalidRegionError, exceptions.UnknownEndpointError)

PREPARING_ERRORS: Final = (BotoCoreError, ValueError)
"""What making a client raises; ValueError where an endpoint or a proxy is told by something that is no URL."""
_PASSWORD: Final = re.compile(r"(?<=://)[^/\s]+@")
_SIGNED: Final = re.compile(r"(x-amz-security-token[:=]|credential[:=]|signature=)[^\s,;&'\"]+", re.IGNORECASE)
"""What AWS quotes of a request whose signature is wrong: the canonical request with its session token, or the header that signs it
(IAM User Guide, "Troubleshoot Signature Version 4"; a machine whose clock is wrong is enough to get it)."""
AwsError = ClientError | BotoCoreError | ResponseParserError
AWS_ERRORS: Final = (ClientError, BotoCoreError, ResponseParserError)
"""What a call through botocore raises. An answer that it cannot read, such as a proxy's page with status 200, has no base in common
with the rest; it says nothing about what the service did."""

NOT_AWS: Final = "the answer is not AWS's: something between here and AWS gave it"
ADVICE_THROTTLED: Final = "wait, then decide again; lower the account share if it lasts"
ADVICE_BUSY: Final = "wait for the zone's earlier change, then decide again"
ADVICE_DENIED: Final = "check the credentials, their expiry, this machine's clock, and the role's policy"
ADVICE_UNAVAILABLE: Final = "look at what stands there before going on, and check the network and the service's health"
ADVICE_REGION: Final = "set AWS_REGION, or the profile's region, to a region that exists"
ADVICE_ADDRESS: Final = "check AWS_ENDPOINT_URL, its variants for one service, and the proxy variables"
ADVICE_OTHER: Final = "read the reason given; trying the same again will not help"


def outside_error(
    error: AwsError | ValueError, *, what: str, where: str, advise: Mapping[type[OutsideError], str] | None = None
) -> OutsideError:
    """Return an error of botocore as one of the family: `what` was tried (`reading HEAD`), `where` (`table plans in eu-west-1`).

    `advise` says what to do instead of the usual, where a service is only read and has no budget of ours.
    """
    kind, usual = _of_answer(error) if isinstance(error, ClientError) else _of_client(error)
    advice = (advise or {}).get(kind, usual)
    return kind(f"{what} failed at {where}: {_reason(error)}; {advice}")


def without_secrets(text: str) -> str:
    """Return a text without what stands before the @ of its URLs, and without what signed a request.

    Errors name the address that did not answer, or the proxy; and AWS quotes a request whose signature does not match.
    """
    return _SIGNED.sub(r"\1…", _PASSWORD.sub("", text))


def is_not_aws(answer: Any) -> bool:
    """Tell whether a page of a proxy passed for an answer without content: each one of AWS's bears the id of its request."""
    metadata = answer.get("ResponseMetadata")
    return metadata is not None and not metadata.get("RequestId")


def error_code(error: ClientError) -> str:
    """Return the service's code of a refusal, empty where it gave none."""
    return str(error.response.get("Error", {}).get("Code", ""))


def _of_answer(error: ClientError) -> tuple[type[OutsideError], str]:
    code = error_code(error)
    if code in _THROTTLED:
        return Throttled, ADVICE_THROTTLED
    if code in _BUSY:
        return Busy, ADVICE_BUSY
    if code in _MISSING:
        return Missing, _MISSING[code]
    if code in _DENIED or code.startswith("AccessDenied"):
        return Denied, ADVICE_DENIED
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code in _UNAVAILABLE or status >= SERVER_FAULT_STATUS:
        return Unavailable, ADVICE_UNAVAILABLE
    return OutsideError, ADVICE_OTHER


def _of_client(error: BotoCoreError | ResponseParserError | ValueError) -> tuple[type[OutsideError], str]:
    if isinstance(error, _NO_CREDENTIALS) or any(kind.__name__ == _NO_CREDENTIALS_NAME for kind in type(error).__mro__):
        return Denied, ADVICE_DENIED
    if isinstance(error, (*_NO_ANSWER, ResponseParserError)):
        return Unavailable, ADVICE_UNAVAILABLE
    if isinstance(error, _NO_PLACE):
        return OutsideError, ADVICE_REGION
    if isinstance(error, ValueError) and not isinstance(error, BotoCoreError):
        return OutsideError, ADVICE_ADDRESS
    return OutsideError, ADVICE_OTHER


def _reason(error: AwsError | ValueError) -> str:
    if isinstance(error, ClientError):
        message = str(error.response.get("Error", {}).get("Message", ""))
        text = f"{error_code(error)}: {message}" if message else error_code(error) or "an error without a code"
    else:
        text = str(error)
    text = " ".join(without_secrets(text).split()).rstrip(".;")
    return text if len(text) <= REASON_LIMIT_CHARACTERS else text[: REASON_LIMIT_CHARACTERS - 1] + "…"
