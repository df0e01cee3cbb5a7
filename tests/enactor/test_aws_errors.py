"""Errors of botocore become one of the small family of ports, in one sentence: what, where, why, what to do."""

import pytest
from botocore import exceptions
from botocore.exceptions import BotoCoreError, ClientError

from enactor.aws_errors import REASON_LIMIT_CHARACTERS, error_code, is_not_aws, outside_error, without_secrets
from enactor.ports import Busy, Denied, Missing, OutsideError, Throttled, Unavailable

WHERE = "table plans in eu-west-1"


def answer(code: str, message: str = "no", status: int = 400) -> ClientError:
    """Return an error that AWS answered with."""
    return ClientError(
        {"Error": {"Code": code, "Message": message}, "ResponseMetadata": {"HTTPStatusCode": status}},  # type: ignore[typeddict-item]
        "GetItem",
    )


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("Throttling", Throttled),
        ("ThrottlingException", Throttled),
        ("ProvisionedThroughputExceededException", Throttled),
        ("RequestLimitExceeded", Throttled),
        ("PriorRequestNotComplete", Busy),
        ("NoSuchHostedZone", Missing),
        ("ResourceNotFoundException", Missing),
        ("AccessDenied", Denied),
        ("AccessDeniedException", Denied),
        ("UnrecognizedClientException", Denied),
        ("InvalidClientTokenId", Denied),
        ("ExpiredToken", Denied),
        ("ExpiredTokenException", Denied),
        ("SignatureDoesNotMatch", Denied),
        ("InternalServerError", Unavailable),
        ("ServiceUnavailable", Unavailable),
        ("ValidationException", OutsideError),
    ],
)
def test_an_answer_is_known_by_its_code(code: str, kind: type[OutsideError]) -> None:
    """Each code has its place, whatever the operation; a code that has none is an error that trying again will not mend."""
    assert type(outside_error(answer(code), what="reading HEAD", where=WHERE)) is kind


@pytest.mark.parametrize("code", ["", "502", "Whatever"])
def test_any_fault_of_the_server_is_unavailable(code: str) -> None:
    """A 5xx says nothing about what happened, by whatever name; a known code beats the status."""
    assert type(outside_error(answer(code, status=502), what="reading HEAD", where=WHERE)) is Unavailable
    assert type(outside_error(answer("Throttling", status=503), what="reading HEAD", where=WHERE)) is Throttled


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (exceptions.NoCredentialsError(), Denied),
        (exceptions.PartialCredentialsError(provider="env", cred_var="AWS_SECRET_ACCESS_KEY"), Denied),
        (exceptions.CredentialRetrievalError(provider="sso", error_msg="no"), Denied),
        (exceptions.ProfileNotFound(profile="prod"), Denied),
        (exceptions.UnauthorizedSSOTokenError(), Denied),
        (exceptions.EndpointConnectionError(endpoint_url="there"), Unavailable),
        (exceptions.ConnectTimeoutError(endpoint_url="there"), Unavailable),
        (exceptions.ReadTimeoutError(endpoint_url="there"), Unavailable),
        (exceptions.ConnectionClosedError(endpoint_url="there"), Unavailable),
        (exceptions.SSLError(endpoint_url="there", error=ValueError("bad certificate")), Unavailable),
        (exceptions.NoRegionError(), OutsideError),
        (exceptions.ParamValidationError(report="bad"), OutsideError),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BotoCoreError) else "",
)
def test_a_failure_of_the_client_is_known_by_its_class(error: BotoCoreError, kind: type[OutsideError]) -> None:
    """No credentials, no answer and no region are three things to do something else about."""
    assert type(outside_error(error, what="reading HEAD", where=WHERE)) is kind


def test_a_login_that_lapsed_is_denied() -> None:
    """Newer botocores have a login error of their own; it is known by its name, for older ones lack it."""

    class LoginError(BotoCoreError):
        fmt = "log in again"

    assert type(outside_error(LoginError(), what="reading HEAD", where=WHERE)) is Denied


def test_the_sentence_says_what_where_why_and_what_to_do() -> None:
    """All four, in one line."""
    text = str(outside_error(answer("ResourceNotFoundException", "Table not found."), what="reading HEAD", where=WHERE))
    assert text == (
        "reading HEAD failed at table plans in eu-west-1: ResourceNotFoundException: Table not found; "
        "check the table's name and the region, or create it with `enactor init`"
    )


def test_a_long_reason_is_cut_and_stays_one_line() -> None:
    """AWS repeats policies over many lines."""
    text = str(outside_error(answer("AccessDenied", "x\n" * 1000), what="reading HEAD", where=WHERE))
    assert "\n" not in text
    assert len(text) < REASON_LIMIT_CHARACTERS + 200


def test_an_answer_without_a_body_is_survived() -> None:
    """A proxy's error has neither code nor message."""
    error = ClientError({}, "GetItem")
    assert error_code(error) == ""
    assert "an error without a code" in str(outside_error(error, what="reading HEAD", where=WHERE))


@pytest.mark.parametrize(
    ("answer", "not_aws"),
    [
        ({"ResponseMetadata": {"RequestId": "1A2B"}}, False),
        ({"ResponseMetadata": {"RequestId": ""}}, True),
        ({"ResponseMetadata": {"HTTPStatusCode": 200}}, True),
        ({"ResponseMetadata": {}}, True),
        ({"Item": {}}, False),
    ],
)
def test_an_answer_without_an_id_of_its_request_is_none_of_awss(answer: dict[str, object], not_aws: bool) -> None:
    """A proxy's page with status 200 reads as an answer without content; one without any metadata never was on the wire."""
    assert is_not_aws(answer) is not_aws


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ('Could not connect to "http://me:pass@here:9/x"', 'Could not connect to "http://here:9/x"'),
        ("https://token@here and http://a:b@there", "https://here and http://there"),
        ("mail me@example.com about http://here/a@b", "mail me@example.com about http://here/a@b"),
    ],
)
def test_no_password_of_an_address_is_said(said: str, shown: str) -> None:
    """What stands before the @ of a URL's host is for nobody's eyes; an @ elsewhere is no password."""
    assert without_secrets(said) == shown


@pytest.mark.parametrize(
    "quoted",
    [
        "The Canonical String for this request should have been 'POST / host:here x-amz-security-token:SECRET== x-amz-target:T'",
        "not a valid key=value pair in Authorization header: 'AWS4-HMAC-SHA256 Credential=SECRET/20261201, Signature=SECRET'",
        "GET /?X-Amz-Credential=SECRET%2F2026&X-Amz-Security-Token=SECRET&X-Amz-Signature=SECRET",
    ],
)
def test_what_aws_quotes_of_a_request_is_said_without_what_signed_it(quoted: str) -> None:
    """A clock that is wrong is enough to be answered so."""
    error = answer("SignatureDoesNotMatch", quoted)
    said = str(outside_error(error, what="listing", where="Route 53"))
    assert "SECRET" not in said
    assert "SignatureDoesNotMatch" in said


def test_an_address_that_is_none_says_which_variables_to_look_at() -> None:
    """boto3 raises a bare ValueError of urllib's for it."""
    found = outside_error(ValueError("Invalid IPv6 URL"), what="preparing", where="DynamoDB")
    assert type(found) is OutsideError
    assert str(found).startswith("preparing failed at DynamoDB: Invalid IPv6 URL; check AWS_ENDPOINT_URL")
