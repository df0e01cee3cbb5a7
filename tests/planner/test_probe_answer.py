"""When the octets of an answer say a status, and what the checks of a look mean together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.observation import Aim, SourceFailed
from planner.probe_answer import (
    HEAD_MAX_OCTETS,
    Checked,
    NoHttpError,
    Sign,
    addresses_of,
    of_status,
    request_to,
    signals_of,
    status_in,
    url_of,
)
from planner.probe_settings import ProbeSettings

PIECES = (b"HTTP/1.1 ", b"HTTP/1.0 ", b"200", b"100", b"103", b"999", b" OK", b"\r\n", b"\n", b"A: b", b"x", b"")
octets = st.lists(st.sampled_from(PIECES) | st.binary(max_size=4), max_size=12).map(b"".join)


def said(answer: bytes) -> int | str | None:
    try:
        return status_in(answer)
    except NoHttpError:
        return "no HTTP"


@given(octets, octets)
def test_what_was_said_stays_said_whatever_comes_behind_it(answer: bytes, more: bytes) -> None:
    """The reader may stop at the first status: no further octet changes the judgement, and none makes it fail."""
    first = said(answer)
    if first is not None:
        assert said(answer + more) == first


@given(st.binary(max_size=64))
def test_every_beginning_of_an_answer_waits_for_the_rest(body: bytes) -> None:
    answer = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 404 Not Found\r\n"
    assert [said(answer[:length]) for length in range(len(answer))] == [None] * len(answer)
    assert said(answer + body) == 404


@pytest.mark.parametrize("beginning", [b"HTTP/1.1 200 ", b"HTTP/1.1 100 Continue\r\nA: "])
def test_an_answer_without_an_end_is_given_up(beginning: bytes) -> None:
    assert said(beginning.ljust(HEAD_MAX_OCTETS - 1, b"x")) is None
    assert said(beginning.ljust(HEAD_MAX_OCTETS, b"x")) == "no HTTP"


@pytest.mark.parametrize(("interim", "meaning"), [(10, 200), (11, "no HTTP"), (1_000, "no HTTP"), (100_000, "no HTTP")])
def test_a_target_that_is_never_done_with_interim_answers_is_given_up(interim: int, meaning: int | str) -> None:
    assert said(b"HTTP/1.1 100 C\n\n" * interim + b"HTTP/1.1 200 OK\n") == meaning


def checks(**signs: Sign) -> dict[str, Checked]:
    """Return bad checks by address: `v4_1` is 192.0.2.1 and `v6_1` is 2001:db8::1."""
    prefixes = {"v4": "192.0.2.", "v6": "2001:db8::"}
    return {
        prefixes[name[:2]] + name[3:]: Checked(healthy=sign == "answer", why=name, sign=sign)
        for name, sign in signs.items()
    }


@pytest.mark.parametrize(
    ("signs", "failed"),
    [
        ({"v4_1": "silence"}, "nothing came back from any of 1 addresses (v4_1)"),
        ({"v4_1": "silence", "v4_2": "silence"}, "nothing came back from any of 2 addresses"),
        ({"v4_1": "silence", "v6_1": "silence"}, "nothing came back from any of 2 addresses"),
        ({"v4_1": "silence", "v4_2": "no-route"}, "nothing came back from any of 2 addresses"),
        ({"v4_1": "no-route"}, "no way to any of 1 IPv4 addresses (v4_1)"),
        ({"v4_1": "answer", "v6_1": "no-route", "v6_2": "no-route"}, "no way to any of 2 IPv6 addresses (v6_1)"),
        ({"v4_1": "answer", "v4_2": "silence"}, None),
        ({"v4_1": "answer", "v4_2": "no-route"}, None),
        ({"v4_1": "answer", "v6_1": "silence"}, None),
        ({"v4_1": "answer", "v6_1": "no-route", "v6_2": "silence"}, None),
        ({}, None),
    ],
)
def test_a_look_counts_only_if_something_came_back(signs: dict[str, Sign], failed: str | None) -> None:
    """No word of the own system about a family, and no silence of everything, is a word about the targets."""
    checked = checks(**signs)
    aims = [Aim(pool="blue", id=address, addresses=(address,), alias=None) for address in checked]
    if failed is None:
        found = {one: signal.healthy for one, signal in signals_of(aims, checked).items()}
        assert found == {address: one.healthy for address, one in checked.items()}
        return
    with pytest.raises(SourceFailed) as told:
        signals_of(aims, checked)
    assert failed in str(told.value)


@pytest.mark.parametrize(
    ("address", "host", "url", "asked"),
    [
        ("192.0.2.1", None, "https://192.0.2.1:8443/up?a=b", b"192.0.2.1:8443"),
        ("2001:db8::1", None, "https://[2001:db8::1]:8443/up?a=b", b"[2001:db8::1]:8443"),
        ("2001:db8::1", "api.example.com", "https://[2001:db8::1]:8443/up?a=b", b"api.example.com"),
    ],
)
def test_a_check_asks_the_address_for_a_path_under_the_host_that_was_told(
    address: str, host: str | None, url: str, asked: bytes
) -> None:
    """Without one under the address itself; the connection is for one answer."""
    settings = ProbeSettings(protocol="https", port=8443, path="/up?a=b", host=host)
    assert url_of(address, settings) == url
    assert request_to(address, settings) == (
        b"GET /up?a=b HTTP/1.1\r\nHost: " + asked + b"\r\nUser-Agent: planner-probe\r\nAccept: */*\r\n"
        b"Connection: close\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("status", "healthy"),
    [(199, False), (200, True), (299, True), (300, False), (303, False), (304, True), (305, False), (500, False)],
)
def test_a_status_is_healthy_within_the_ranges_with_their_ends(status: int, healthy: bool) -> None:
    """One that is not is told with what was expected."""
    settings = ProbeSettings(protocol="http", port=80, expect=((200, 299), (304, 304)))
    why = f"http://192.0.2.1:80/ answered {status}" + ("" if healthy else ", not 200-299, 304")
    assert of_status(status, "http://192.0.2.1:80/", settings) == Checked(healthy=healthy, why=why, sign="answer")


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (b"HTTP/1.1 199 A\r\n\r\nHTTP/1.1 200 B\r\n", 200),
        (b"HTTP/1.1 101 A\r\n\r\nHTTP/1.1 200 B\r\n", 101),
        (b"HTTP/1.1 200\r\n", 200),
        (b"HTTP/1.0 999 A\n", 999),
        (b"HTTP/1.1 099 A\n", "no HTTP"),
        (b"HTTP/1.2 200 A\n", "no HTTP"),
        (b"HTTP/2 200\n", "no HTTP"),
        (b"", None),
        (b"HTTP/1.1 100 A\r\nB: c\r\n", None),
    ],
)
def test_the_status_is_that_of_the_first_answer_that_is_not_interim(answer: bytes, status: int | str | None) -> None:
    """101 is the last word of HTTP on a connection, and no interim one (RFC 9110 section 15.2.2)."""
    assert said(answer) == status


def aim(name: str, *addresses: str) -> Aim:
    return Aim(pool="blue", id=name, addresses=addresses, alias=None)


@pytest.mark.parametrize(
    ("families", "wanted"),
    [
        (("ipv4", "ipv6"), ("192.0.2.1", "2001:db8::1", "192.0.2.2")),
        (("ipv4",), ("192.0.2.1", "192.0.2.2")),
        (("ipv6",), ("2001:db8::1",)),
    ],
)
def test_each_address_of_the_families_is_checked_once(families: tuple[str, ...], wanted: tuple[str, ...]) -> None:
    """In the order of the aims, whichever aims share it."""
    settings = ProbeSettings(protocol="tcp", port=80, families=families)
    assert (
        addresses_of([aim("lb-1", "192.0.2.1", "2001:db8::1"), aim("lb-2", "192.0.2.2", "192.0.2.1")], settings)
        == wanted
    )


def test_a_load_balancer_is_healthy_where_all_its_addresses_are() -> None:
    """A client may get any of them; one that was not checked has no signal, and one bad pool makes an id bad in all."""
    good, bad, worse = (
        Checked(healthy=True, why="answers"),
        Checked(healthy=False, why="refused"),
        Checked(healthy=False, why="reset"),
    )
    checked = {"192.0.2.1": good, "192.0.2.2": good, "192.0.2.3": bad, "192.0.2.4": worse}
    found = signals_of(
        [
            aim("both", "192.0.2.1", "192.0.2.2"),
            aim("half", "192.0.2.1", "192.0.2.3"),
            aim("none", "192.0.2.3", "192.0.2.4"),
            aim("unchecked", "2001:db8::1"),
            aim("turns-bad", "192.0.2.1"),
            aim("turns-bad", "192.0.2.4"),
            aim("stays-bad", "192.0.2.3"),
            aim("stays-bad", "192.0.2.1"),
        ],
        checked,
    )
    assert {name: (one.healthy, one.why) for name, one in found.items()} == {
        "both": (True, "answers; answers"),
        "half": (False, "refused"),
        "none": (False, "refused, and 1 more of its addresses"),
        "turns-bad": (False, "reset"),
        "stays-bad": (False, "refused"),
    }


def test_what_nothing_came_back_from_is_told_with_the_first_of_them() -> None:
    """And a family to which there is no way with the first of that family; each with what to do."""
    with pytest.raises(SourceFailed) as told:
        signals_of([], checks(v4_1="silence", v4_2="silence"))
    assert str(told.value) == (
        "nothing came back from any of 2 addresses (v4_1): the targets are gone or the way to them is, and from here nobody can "
        "tell; check this host's network"
    )
    with pytest.raises(SourceFailed) as told:
        signals_of([], checks(v4_1="answer", v6_1="no-route", v6_2="no-route"))
    assert str(told.value) == (
        "this host has no way to any of 2 IPv6 addresses (v6_1); give it one, or leave IPv6 out of `families`"
    )
