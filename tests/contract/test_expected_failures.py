"""The written list of what moto gets wrong is kept honest."""

from pathlib import Path


def test_every_expected_failure_names_a_test(expected_failures: list[str]) -> None:
    """A test that was renamed must not leave its excuse behind."""
    sources = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    unknown = [name for name in expected_failures if f"def {name.partition('[')[0]}(" not in sources]
    assert unknown == []
