"""Say in words for people how many there are, and what differs between two contents. Pure."""

from collections.abc import Iterator

from planner.members import ContentChange, Member


def counted(number: int, word: str) -> str:
    """Return a number with its word: one endpoint, two endpoints."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def refusal_words(listed: int, *, carried: int, left_out: int, parent: int | None) -> str:
    """Say what becomes of the endpoints that guards refuse: the word `carried` tells nobody what they answer with."""
    words = []
    if carried:
        keep = "is refused and keeps" if carried == 1 else "are refused and keep"
        words.append(f"{carried} of {counted(listed, 'endpoint')} {keep} generation {parent}'s content")
    if left_out:
        new = "is refused and, being new, left out" if left_out == 1 else "are refused and, being new, left out"
        words.append(f"{left_out} of {counted(listed, 'endpoint')} {new}")
    return "; ".join(words)


def change_lines(change: ContentChange) -> Iterator[str]:
    """Yield a line for each target that is added (+), removed (-), reweighted or altered (~)."""
    for member in change.added:
        yield f"+ {_member(member)}"
    for member in change.removed:
        yield f"- {_member(member)}"
    for one in change.reweighted:
        yield f"~ {one.type} {one.target} weight {one.before} to {one.after}"
    for other in change.altered:
        yield f"~ {other.type} {other.target} {other.what}"


def _member(member: Member) -> str:
    weight = "" if member.weight is None else f" weight {member.weight}"
    name = "" if member.id is None else f" ({member.id})"
    return f"{member.type} {member.target}{weight}{name}"
