"""What a fleet file may say of `kind: probe`, and every fault with its path and value."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from enactor.plan_faults import Faults
from planner.probe_settings import OPTIONAL, REQUIRED, ProbeSettings, read_settings

PATH = "sources.checks"
TCP: Mapping[str, Any] = {"protocol": "tcp", "port": 443}
HTTP: Mapping[str, Any] = {"protocol": "http"}
HTTPS: Mapping[str, Any] = {"protocol": "https", "host": "api.example.com"}


def read(raw: Any) -> tuple[ProbeSettings | None, list[str]]:
    faults = Faults()
    settings = read_settings(raw, PATH, faults)
    return settings, [f"{fault.path}: {fault.message}" for fault in faults.all()]


def test_every_key_is_read() -> None:
    raw = {
        "protocol": "https",
        "port": 8443,
        "path": "/healthz?full=1",
        "host": "api.example.com",
        "expect": ["200-299", 304],
        "verify": False,
        "every": "1.5m",
        "timeout": "250ms",
        "at_once": 50,
        "families": "ipv4",
    }
    assert set(raw) == {*REQUIRED, *OPTIONAL} == set(msgspec.structs.asdict(ProbeSettings(protocol="tcp", port=1)))
    assert read(raw) == (
        ProbeSettings(
            protocol="https",
            port=8443,
            path="/healthz?full=1",
            host="api.example.com",
            expect=((200, 299), (304, 304)),
            verify=False,
            every=90.0,
            timeout=0.25,
            at_once=50,
            families=("ipv4",),
        ),
        [],
    )


@pytest.mark.parametrize(
    ("raw", "settings"),
    [
        (TCP, ProbeSettings(protocol="tcp", port=443)),
        (HTTP, ProbeSettings(protocol="http", port=80)),
        (HTTPS, ProbeSettings(protocol="https", port=443, host="api.example.com")),
        ({"protocol": "https", "verify": False}, ProbeSettings(protocol="https", port=443, verify=False)),
        ({**HTTP, "expect": 204}, ProbeSettings(protocol="http", port=80, expect=((204, 204),))),
    ],
)
def test_what_is_left_out_has_its_default(raw: Mapping[str, Any], settings: ProbeSettings) -> None:
    assert read(raw) == (settings, [])


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        ({}, "protocol: missing; write it like {kind: probe, protocol: https, host: api.example.com, path: /healthz, every: 10s, timeout: 2s}"),
        ({"protocol": "icmp"}, 'protocol: "icmp" is none of tcp, http, https'),
        ({"protocol": ["tcp"]}, 'protocol: ["tcp"] is none of tcp, http, https'),
        ({"protocol": "tcp"}, "port: missing; protocol tcp has none of its own, write it like port: 443"),
        ({**TCP, "port": 0}, "port: 0 is under 1"),
        ({**TCP, "port": "443"}, 'port: "443" is text, not a whole number from 1 to 65535'),
        ({**TCP, "port": True}, "port: true is a boolean, not a whole number from 1 to 65535"),
        ({**TCP, "path": "/x"}, "path: only protocol http and https have it; leave it out"),
        ({**TCP, "verify": True}, "verify: only protocol https has it; leave it out"),
        ({**HTTP, "verify": True}, "verify: only protocol https has it; leave it out"),
        ({**HTTP, "path": "healthz"}, 'path: "healthz" is not like /healthz'),
        ({**HTTP, "path": "/a b"}, 'path: "/a b" is not like /healthz'),
        ({**HTTP, "path": "/a\r\nHost: b"}, 'path: "/a\\r\\nHost: b" is not like /healthz'),
        ({**HTTP, "host": "api.example.com:8443"}, 'host: "api.example.com:8443" is not like api.example.com'),
        ({**HTTP, "host": "a..b"}, 'host: "a..b" is not like api.example.com'),
        ({**HTTP, "host": f"{'a' * 64}.b"}, f'host: "{"a" * 40}..." is not like api.example.com'),
        ({"protocol": "https"}, "host: missing; a certificate is verified for a name and targets are addresses: give the name that the certificate is for, or write verify: false"),
        ({**HTTP, "expect": []}, 'expect: 0 status codes; write 1 to 20 of them like ["200-299", 304]'),
        ({**HTTP, "expect": "ok"}, 'expect: "ok" is no status code like 200 and no range like 200-299'),
        ({**HTTP, "expect": [200, 600]}, "expect[1]: 600 is no status code like 200 and no range like 200-299"),
        ({**HTTP, "expect": [True]}, "expect[0]: true is no status code like 200 and no range like 200-299"),
        ({**HTTP, "expect": "299-200"}, 'expect: "299-200" ends before it begins'),
        ({**HTTP, "every": 10}, "every: 10 has no unit; write a time like 10s, 1.5m or 2h"),
        ({**HTTP, "every": "10 s"}, 'every: "10 s" is not a time like 10s, 1.5m or 2h'),
        ({**HTTP, "every": "\u0661s"}, 'every: "\\u0661s" is not a time like 10s, 1.5m or 2h'),
        ({**HTTP, "every": "2h"}, "every: 2h is not between 1s and 1h"),
        ({**HTTP, "timeout": "50ms"}, "timeout: 50ms is not between 100ms and 30s"),
        ({**HTTP, "timeout": True}, "timeout: true is a boolean, not a time like 10s, 1.5m or 2h"),
        ({**HTTP, "every": "1s"}, "timeout: 2s is longer than every, 1s: a look would outlast the next one"),
        ({**HTTP, "at_once": 10_001}, "at_once: 10001 is over 10000"),
        ({**HTTP, "families": ["ipv5"]}, 'families[0]: "ipv5" is not like [ipv4, ipv6]'),
        ({**HTTP, "families": []}, "families: empty; write it like [ipv4, ipv6]"),
        ({**HTTP, "interval": "10s"}, "interval: unknown key; known are protocol, port, path, host, expect, verify, every, timeout, at_once, families"),
    ],
)  # fmt: skip
def test_every_fault_has_its_path_and_value(raw: Mapping[str, Any], fault: str) -> None:
    assert read(raw) == (None, [f"{PATH}.{fault}"])


def test_no_fault_hides_another() -> None:
    _, faults = read({"protocol": "tcp", "path": 7, "every": "soon", "families": "none"})
    assert [fault.split(":")[0].removeprefix(f"{PATH}.") for fault in faults] == [
        "path",
        "every",
        "families",
        "port",
        "path",
    ]
