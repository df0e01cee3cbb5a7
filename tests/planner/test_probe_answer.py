"""When the octets of an answer say a status, and what the checks of a look mean together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.observation import Aim, SourceFailed
from planner.probe_answer import HEAD_MAX_OCTETS, Checked, NoHttpError, Sign, signals_of, status_in

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
