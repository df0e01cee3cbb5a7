"""The source `probe` against real sockets on loopback: what it calls healthy, why not, and when it will not judge at all."""

import contextlib
import os
import resource
import signal
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from enactor.outside import SystemChance, SystemClock
from enactor.plan_faults import Faults
from planner.observation import Aim, Observation, Signal, Source, SourceFailed, SourceKind
from planner.source_probe import KIND, ProbeSource
from tests.bench.targets import NAME, certificate

from .probe_targets import (
    Targets,
    answering,
    answering_for_ever,
    closing,
    hanging,
    resetting,
    secured,
)

OK = b"HTTP/1.1 200 OK\r\n\r\nok\n"
WITHIN_SECONDS = 60.0
PATIENT = "30s"
"""For checks that are meant to end by themselves, however busy the machine is."""
HASTY = "2s"
"""For checks that are meant to time out; half of it is how long the process may stand still meanwhile."""
NO_ROUTE = ("255.255.255.255", "224.0.0.1")
"""Linux has no route for TCP to broadcast and multicast addresses, whatever the network is."""


def aim(address: str, *more: str, name: str | None = None) -> Aim:
    return Aim(pool="blue", id=name or address, addresses=(address, *more), alias=None)


def source(port: int, **raw: Any) -> ProbeSource:
    faults = Faults()
    settings = KIND.read(
        {"protocol": "http", "timeout": PATIENT, "every": "30s", "port": port, **raw}, "checks", faults
    )
    assert settings is not None, faults.all()
    return KIND.open("checks", settings)


def look(port: int, *aims: Aim, **raw: Any) -> Observation:
    return source(port, **raw).observe(aims, WITHIN_SECONDS)


@pytest.fixture
def targets() -> Iterator[Targets]:
    with Targets() as made:
        yield made


def test_it_keeps_to_the_protocol() -> None:
    kind: SourceKind = KIND
    made: Source = source(80)
    assert (kind.gives_inventory, kind.gives_health, made.name) == (False, True, "checks")


ENDING: Mapping[str, tuple[Callable[[Targets], str], bool, str]] = {
    "healthy": (lambda t: t.add(answering(OK)), True, "http://{} answered 200"),
    "old": (lambda t: t.add(answering(b"HTTP/1.0 204\n\n")), True, "http://{} answered 204"),
    "slowly": (lambda t: t.add(answering(b"HT", b"TP/1.1 20", b"0 O", b"K\r\n")), True, "http://{} answered 200"),
    "interim": (
        lambda t: t.add(answering(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n", b"\r\n" + OK)),
        True,
        "http://{} answered 200",
    ),
    "huge body": (lambda t: t.add(answering_for_ever(OK, b"x" * 65_536)), True, "http://{} answered 200"),
    "endless body": (lambda t: t.add(answering_for_ever(OK, b"x", 0.05)), True, "http://{} answered 200"),
    "error": (
        lambda t: t.add(answering(b"HTTP/1.1 500 Oops\r\n\r\n")),
        False,
        "http://{} answered 500, not 200-299",
    ),
    "redirect": (
        lambda t: t.add(answering(b"HTTP/1.1 301 Moved\r\nLocation: http://192.0.2.1/\r\n\r\n")),
        False,
        "http://{} answered 301, not 200-299",
    ),
    "switching": (
        lambda t: t.add(answering(b"HTTP/1.1 101 Switching\r\n\r\n")),
        False,
        "http://{} answered 101, not 200-299",
    ),
    "refusing": (lambda t: t.nobody(), False, "connect to {} failed: connection refused"),
    "closing": (lambda t: t.add(closing), False, "http://{} closed the connection without an answer"),
    "cut off": (
        lambda t: t.add(answering(b"HTTP/1.1 20")),
        False,
        "http://{} closed the connection without an answer",
    ),
    "resetting": (lambda t: t.add(resetting), False, "http://{} failed: connection reset by peer"),
    "other protocol": (lambda t: t.add(answering(b"SSH-2.0-x\r\n")), False, "http://{} answered what is no HTTP/1"),
    "garbled": (lambda t: t.add(answering(b"HTTP/1.1 OK\r\n")), False, "http://{} answered what is no HTTP/1"),
    "no line": (
        lambda t: t.add(answering_for_ever(b"HTTP/1.1 200 ", b"x" * 4096)),
        False,
        "http://{} answered what is no HTTP/1",
    ),
}


@pytest.fixture(scope="module")
def ended() -> Mapping[str, tuple[str, Signal]]:
    """One look at every target that makes its check end: the address as shown, and the signal."""
    with Targets() as targets:
        addresses = {name: make(targets) for name, (make, _, _) in ENDING.items()}
        found = look(targets.port, *(aim(address, name=name) for name, address in addresses.items()))
        return {name: (f"{at}:{targets.port}", found.signals[name]) for name, at in addresses.items()}


@pytest.mark.parametrize("name", ENDING)
def test_what_an_answer_means(ended: Mapping[str, tuple[str, Signal]], name: str) -> None:
    """The status line decides; what follows it is not waited for, and nobody follows a redirect."""
    place, found = ended[name]
    _, healthy, why = ENDING[name]
    shown = place if why.startswith("connect") else f"{place}/"
    assert (found.healthy, found.why) == (healthy, why.format(shown))


@pytest.mark.parametrize(
    ("protocol", "host"), [("tcp", None), ("http", None), ("https", NAME)], ids=["tcp", "http", "https"]
)
def test_what_hangs_times_out_where_it_hangs(targets: Targets, protocol: str, host: str | None) -> None:
    """A queue that is full lets connections hang; one that is accepted and never answered hangs later."""
    full, mute, refusing = targets.full(), targets.add(hanging), targets.nobody()
    more = {} if host is None else {"host": host}
    found = look(targets.port, aim(full), aim(mute), aim(refusing), protocol=protocol, timeout=HASTY, **more).signals
    assert found[full].why == f"connect to {full}:{targets.port} timed out after 2 s"
    assert found[refusing].why == f"connect to {refusing}:{targets.port} failed: connection refused"
    if protocol == "tcp":
        assert (found[mute].healthy, found[mute].why) == (True, f"{mute}:{targets.port} accepts connections")
    else:
        assert found[mute].why == f"{protocol}://{mute}:{targets.port}/ gave no answer within 2 s"


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def tls(pem: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return context


OTHER_NAME = (
    "TLS with {} failed: its certificate is not trusted, Hostname mismatch, "
    "certificate is not valid for 'other.example.com'"
)


@pytest.mark.parametrize(
    ("trusted", "raw", "healthy", "why"),
    [
        (True, {"host": NAME}, True, "https://{}/ answered 200"),
        (False, {"host": NAME}, False, "TLS with {} failed: its certificate is not trusted, self-signed certificate"),
        (True, {"host": "other.example.com"}, False, OTHER_NAME),
        (False, {"verify": False}, True, "https://{}/ answered 200"),
    ],
    ids=["trusted", "untrusted", "other name", "not verified"],
)
def test_certificates(
    targets: Targets,
    tls: ssl.SSLContext,
    pem: Path,
    *,
    trusted: bool,
    raw: Mapping[str, Any],
    healthy: bool,
    why: str,
) -> None:
    """The system's authorities are asked, as SSL_CERT_FILE names them, for the name that is told."""
    with pytest.MonkeyPatch.context() as patch:
        if trusted:
            patch.setenv("SSL_CERT_FILE", str(pem))
        made = source(targets.port, protocol="https", **raw)
    at = targets.add(secured(tls, answering(OK)))
    found = made.observe((aim(at),), WITHIN_SECONDS).signals[at]
    assert (found.healthy, found.why) == (healthy, why.format(f"{at}:{targets.port}"))


def test_what_speaks_no_tls_is_no_target_of_https(targets: Targets, tls: ssl.SSLContext) -> None:
    plain, closed, reset = targets.add(answering(OK)), targets.add(closing), targets.add(resetting)
    mute = targets.add(secured(tls, closing))
    aims = (aim(plain), aim(closed), aim(reset), aim(mute))
    found = look(targets.port, *aims, protocol="https", verify=False).signals
    assert found[plain].why == f"TLS with {plain}:{targets.port} failed: wrong version number"
    assert found[closed].why.startswith(f"TLS with {closed}:{targets.port} failed: ")
    assert found[reset].why == f"https://{reset}:{targets.port}/ failed: connection reset by peer"
    assert found[mute].why == f"https://{mute}:{targets.port}/ closed the connection without an answer"
    assert not any(signal.healthy for signal in found.values())


def test_what_is_asked(targets: Targets) -> None:
    """One request, with the path and the host that were told; without a host, the address and port that are asked."""
    asked: list[bytes] = []

    def noting(connection: Any) -> None:
        asked.append(connection.recv(4096))
        connection.sendall(b"HTTP/1.1 503 Busy\r\n\r\n")

    at = targets.add(noting)
    raw = {"path": "/healthz?full=1", "host": NAME, "expect": [204, "500-503"]}
    assert look(targets.port, aim(at), **raw).signals[at] == Signal(
        healthy=True, why=f"http://{at}:{targets.port}/healthz?full=1 answered 503"
    )
    assert (
        look(targets.port, aim(at), expect=[204, "300-399"]).signals[at].why.endswith("answered 503, not 204, 300-399")
    )
    assert asked[0].startswith(b"GET /healthz?full=1 HTTP/1.1\r\nHost: target.example.com\r\n")
    assert asked[0].endswith(b"\r\nConnection: close\r\n\r\n")
    assert f"Host: {at}:{targets.port}\r\n".encode() in asked[1]


def test_every_address_of_a_target_must_answer_over_ipv6_too(targets: Targets) -> None:
    six, four = targets.add(answering(OK), "::1"), targets.add(answering(OK))
    bad = targets.add(answering(b"HTTP/1.1 500 Oops\r\n\r\n"))
    aims = (aim(four, six, name="both"), aim(six, bad, name="half"), aim(bad, targets.nobody(), name="none"))
    found = look(targets.port, *aims).signals
    url = f"http://{bad}:{targets.port}/ answered 500, not 200-299"
    assert found == {
        "both": Signal(healthy=True, why=f"http://{four}:{targets.port}/ answered 200; http://[::1]:{targets.port}/ answered 200"),
        "half": Signal(healthy=False, why=url),
        "none": Signal(healthy=False, why=f"{url}, and 1 more of its addresses"),
    }  # fmt: skip


def test_an_alias_and_a_family_left_out_get_no_signal(targets: Targets) -> None:
    """An alias has no address, and the probe resolves nothing."""
    at = targets.add(answering(OK))
    nothing = Aim(pool="blue", id="alias", addresses=(), alias=None)
    found = look(targets.port, aim(at, "2001:db8::1"), aim("2001:db8::2"), nothing, families=["ipv4"])
    assert (set(found.signals), found.signals[at].healthy) == ({at}, True)
    assert look(targets.port, nothing).signals == {}


def test_silence_of_everything_is_no_word_about_the_targets(targets: Targets) -> None:
    """The planner's own network may be gone: nothing is told, rather than that every target is bad."""
    full = [targets.full(), targets.full()]
    with pytest.raises(
        SourceFailed, match=r"^source checks: nothing came back from any of 2 addresses \(connect to 127"
    ) as failed:
        look(targets.port, *map(aim, full), protocol="tcp", timeout=HASTY)
    assert "check this host's network" in str(failed.value)
    found = look(targets.port, *map(aim, full), aim(targets.nobody()), protocol="tcp", timeout=HASTY)
    assert [signal.healthy for signal in found.signals.values()] == [False] * 3, "a refusal shows that the way is there"


def test_no_route_to_a_whole_family_is_no_word_about_the_targets(targets: Targets) -> None:
    """The system says so itself. One address of several without a route is that target's matter."""
    six = targets.add(answering(OK), "::1")
    with pytest.raises(
        SourceFailed, match=r"no way to any of 2 IPv4 addresses .*: network is unreachable\).* `families`"
    ):
        look(targets.port, *map(aim, NO_ROUTE), aim(six), protocol="tcp")
    found = look(targets.port, aim(NO_ROUTE[0]), aim(targets.nobody()), protocol="tcp").signals
    assert found[NO_ROUTE[0]].why == f"connect to {NO_ROUTE[0]}:{targets.port} failed: network is unreachable"


@pytest.mark.parametrize("left", [0, 2, 4], ids=["none", "no event loop", "one connection"])
def test_a_host_out_of_file_descriptors_fails_the_look(targets: Targets, left: int) -> None:
    """Not one target is called bad for it, and the next look is whole again."""
    aims = (*(aim(targets.full()) for _ in range(3)), aim(targets.nobody()))
    made = source(targets.port, timeout=HASTY)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken: list[int] = []
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (512, before[1]))
        with contextlib.suppress(OSError):
            while True:
                taken.append(os.dup(0))
        for _ in range(left):  # an event loop takes three
            os.close(taken.pop())
        with pytest.raises(
            SourceFailed, match=r"too many open files; raise this process's limit .* or lower `at_once`"
        ):
            made.observe(aims, WITHIN_SECONDS)
    finally:
        for descriptor in taken:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert set(_whole_look(made, aims).signals) == {one.id for one in aims}


def _whole_look(made: ProbeSource, aims: tuple[Aim, ...]) -> Observation:
    """Look until this machine has time for it: a process that stood still says so, and is no answer."""
    for _ in range(4):
        try:
            return made.observe(aims, WITHIN_SECONDS)
        except SourceFailed as error:
            if "stood still" not in str(error):
                raise
    return made.observe(aims, WITHIN_SECONDS)


def test_no_more_connections_than_told_are_open_at_once(targets: Targets) -> None:
    """While three are open and nothing ends, no fourth is made; when checks end, all have their turn."""
    made = source(targets.port, at_once=3)
    mute = tuple(aim(targets.add(hanging)) for _ in range(12))

    def close() -> None:
        targets.wait_accepted(3)
        threading.Event().wait(0.5)
        made.close()

    closer = threading.Thread(target=close)
    closer.start()
    with pytest.raises(SourceFailed, match="asked to stop"):
        made.observe(mute, WITHIN_SECONDS)
    closer.join()
    assert targets.accepted == 3
    aims = [aim(targets.add(answering(OK))) for _ in range(12)]
    assert [signal.healthy for signal in look(targets.port, *aims, at_once=3).signals.values()] == [True] * 12


def test_a_look_that_does_not_end_in_time_fails(targets: Targets) -> None:
    mute, quick = targets.add(hanging), targets.nobody()
    made = source(targets.port)
    with pytest.raises(SourceFailed, match=r"source checks: 1 of 2 checks were done within 1 s; raise `at_once`"):
        made.observe((aim(mute), aim(quick)), 1.0)


def test_a_source_that_is_closed_ends_its_look(targets: Targets) -> None:
    made = source(targets.port)
    aims = (aim(targets.add(hanging)),)

    def close() -> None:
        targets.wait_accepted(1)
        made.close()

    closer = threading.Thread(target=close)
    closer.start()
    with pytest.raises(SourceFailed, match="source checks: asked to stop"):
        made.observe(aims, WITHIN_SECONDS)
    closer.join()
    with pytest.raises(SourceFailed, match="asked to stop"):
        made.observe(aims, WITHIN_SECONDS)


class SetClock(SystemClock):
    """A clock that a test sets."""

    seconds = 100.0

    def now(self) -> float:
        return self.seconds


def test_a_look_before_its_time_is_the_last_one_again(targets: Targets) -> None:
    """It must not count twice, so it is the same object; other aims, or a look that failed, are looked at anew."""
    at, other = targets.add(answering(OK)), targets.add(answering(OK))
    clock = SetClock()
    settings = KIND.read({"protocol": "http", "port": targets.port, "every": "5s", "timeout": "5s"}, "checks", Faults())
    assert settings is not None
    made = ProbeSource("checks", settings, clock, SystemChance())
    first = made.observe((aim(at),), WITHIN_SECONDS)
    clock.seconds += 4.4
    assert made.observe((aim(at),), WITHIN_SECONDS) is first
    assert set(made.observe((aim(at), aim(other)), WITHIN_SECONDS).signals) == {at, other}
    clock.seconds += 4.6
    again = made.observe((aim(at),), WITHIN_SECONDS)
    assert again == first
    assert again is not first


STANDING_STILL = """
import sys
from planner.observation import Aim, SourceFailed
from planner.source_probe import KIND
from enactor.plan_faults import Faults
at, port, nobody = sys.argv[1], int(sys.argv[2]), sys.argv[3]
settings = KIND.read({"protocol": "http", "port": port, "timeout": "2s"}, "checks", Faults())
aims = tuple(Aim(pool="blue", id=one, addresses=(one,), alias=None) for one in (nobody, at))
try:
    print(KIND.open("checks", settings).observe(aims, 60.0).signals)
except SourceFailed as failed:
    print(failed)
"""


def test_time_outs_of_a_process_that_stood_still_say_nothing(targets: Targets) -> None:
    """A planner that is stopped for a while, by a hypervisor or for want of CPU, must not take its own pause for theirs."""
    at = targets.add(hanging)
    command = [sys.executable, "-c", STANDING_STILL, at, str(targets.port), targets.nobody()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        targets.wait_accepted(1)
        process.send_signal(signal.SIGSTOP)
        threading.Event().wait(3.5)
        process.send_signal(signal.SIGCONT)
        said, _ = process.communicate()
    assert "source checks: this process stood still for " in said, said
    assert "while 1 checks of 2 s timed out, which says nothing of the targets; give it more CPU" in said
