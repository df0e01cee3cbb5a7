"""What docs/status-page.md tells of the costs comes from a command that still runs."""

from tests.bench.status_page import ASKED, costs


def test_each_kind_of_question_is_measured_on_the_real_page() -> None:
    """An answer of the port, whole and packed: no page of an error, which is small."""
    found = {(one.path, one.packed): one.octets for one in costs(60)}
    assert len(found) == len(ASKED)
    for path, least in (("/api/status", 60 * 200), ("/", 20_000)):
        assert found[path, False] > least
        assert found[path, False] > 2 * found[path, True]
