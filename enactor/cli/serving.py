"""Serve metrics over HTTP."""

from typing import Any

from prometheus_client import CollectorRegistry, start_http_server

from enactor.ports import OutsideError


def serve_metrics(address: str, registry: CollectorRegistry) -> Any:
    """Serve metrics over HTTP; loopback unless another address is told."""
    host, _, port = address.rpartition(":")
    try:
        return start_http_server(int(port), addr=host or "127.0.0.1", registry=registry)
    except (OSError, ValueError, OverflowError) as error:
        raise OutsideError(
            f"metrics cannot be served on {address!r}: {error}; give a free one like 127.0.0.1:9553"
        ) from None
