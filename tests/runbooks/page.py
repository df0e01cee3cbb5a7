"""Read a runbook: its sections, and the blocks of commands in them with what the page says a reader will see."""

import re
from pathlib import Path
from typing import Final

import msgspec

FOLDER: Final = Path(__file__).parents[2] / "runbooks"
INDEX: Final = "README.md"
DO: Final = "What to do now"
WORKED: Final = "How to know it worked"
SECTIONS: Final = ("What you see", "What it means", DO, WORKED, "What not to do", "How long it takes")
FENCE: Final = "```"
SEEN: Final = "You see"
NOT_SEEN: Final = "You do not see"
QUOTED: Final = re.compile(r"`([^`]+)`")
STATUS: Final = re.compile(r"exit status (\d+(?:, \d+)*(?: or \d+)?)")
EXPORT: Final = re.compile(r"^export ([A-Z_]+)=")


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """Commands to paste, and what follows from them: texts that come, texts that do not, and the status of what fails."""

    line: int
    commands: str
    seen: tuple[str, ...] = ()
    not_seen: tuple[str, ...] = ()
    statuses: frozenset[int] = frozenset({0})
    """With 0 among them it need not fail."""
    says_something: bool = False
    """Whether the page says what comes of it: a text that comes or does not, or an exit status."""


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """What stands below one heading, of any depth, down to the next."""

    heading: str
    depth: int
    blocks: tuple[Block, ...]
    text: str


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One runbook."""

    name: str
    text: str
    sections: tuple[Section, ...]

    def section(self, heading: str) -> Section:
        """Return the section with this heading."""
        found = [section for section in self.sections if section.heading == heading]
        assert len(found) == 1, f"{self.name} has {len(found)} sections {heading!r}"
        return found[0]

    @property
    def placeholders(self) -> frozenset[str]:
        """Return the variables that the page has its reader export."""
        lines = [line for section in self.sections for block in section.blocks for line in block.commands.splitlines()]
        return frozenset(found[1] for line in lines if (found := EXPORT.match(line)))


def pages() -> list[Page]:
    """Return every runbook, with the index."""
    return [read(path) for path in sorted(FOLDER.glob("*.md"))]


def read(path: Path) -> Page:
    """Read a page; an assertion says where its form is wrong."""
    text = path.read_text(encoding="utf-8")
    return Page(name=path.name, text=text, sections=tuple(_sections(path.name, text.splitlines())))


def _sections(name: str, lines: list[str]) -> list[Section]:
    starts = [number for number, line in _outside_blocks(lines) if re.match(r"#+ ", line)]
    found = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        marks, _, heading = lines[start].partition(" ")
        body = lines[start + 1 : end]
        blocks = tuple(_blocks(name, body, start + 2))
        found.append(Section(heading=heading.strip(), depth=len(marks), blocks=blocks, text="\n".join(body).strip()))
    return found


def _outside_blocks(lines: list[str]) -> list[tuple[int, str]]:
    inside, found = False, []
    for number, line in enumerate(lines):
        if line.startswith(FENCE):
            inside = not inside
        elif not inside:
            found.append((number, line))
    return found


def _blocks(name: str, lines: list[str], first: int) -> list[Block]:
    found: list[Block] = []
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        if not line.startswith(FENCE):
            at += 1
            continue
        where = f"{name}:{first + at}"
        assert lines[at] == f"{FENCE}sh", f"{where}: a block begins with ```sh at the margin, so that a test runs it"
        end = next((n for n in range(at + 1, len(lines)) if lines[n] == FENCE), None)
        assert end is not None, f"{where}: the block has no end"
        found.append(_block(first + at, lines[at + 1 : end], _paragraphs(lines[end + 1 :])))
        at = end + 1
    return found


def _paragraphs(lines: list[str]) -> list[str]:
    """Return the first sentences of the paragraphs after a block that say what a reader sees."""
    found = []
    for paragraph in "\n".join(lines).strip().split("\n\n"):
        words = " ".join(paragraph.split())
        if not words.startswith((SEEN, NOT_SEEN)):
            break
        found.append(words.split(". ")[0])
    return found


def _block(line: int, commands: list[str], said: list[str]) -> Block:
    told = [number for words in said for found in STATUS.findall(words) for number in re.findall(r"\d+", found)]
    return Block(
        line=line,
        commands="\n".join(commands),
        seen=tuple(text for words in said if words.startswith(SEEN) for text in QUOTED.findall(words)),
        not_seen=tuple(text for words in said if words.startswith(NOT_SEEN) for text in QUOTED.findall(words)),
        statuses=frozenset(map(int, told)) or frozenset({0}),
        says_something=any(QUOTED.search(words) or STATUS.search(words) for words in said),
    )
