"""A running sandbox with one zone, and short ways to say record sets and changes."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config

from enactor.sandbox.server import Sandbox

ZONE_ID = "Z0TEST"


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(random_source=random.Random(1)) as running:
        running.create_zone("example.test", ZONE_ID)
        yield running


@pytest.fixture
def client(sandbox: Sandbox) -> Callable[..., Any]:
    """Make a boto3 client of the sandbox; by default patient, and never trying twice."""

    def make(service: str = "route53", read_timeout_seconds: float = 10) -> Any:
        config = Config(retries={"total_max_attempts": 1}, read_timeout=read_timeout_seconds)
        return boto3.client(  # type: ignore[call-overload]
            service,
            endpoint_url=sandbox.endpoint_url,
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
            config=config,
        )

    return make
