"""The reader of runbooks notices what a person would: a text that does not come, a status that the page does not tell, a wrong word."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from enactor.sandbox.isolation import isolated
from enactor.sandbox.world import ZONE

from .page import Block, Page, read
from .scene import Scene, Terminal

PAGE = """# A page

## What to do now

```sh
echo one
echo two
```

You see `one` and
`two`, with exit status 0, 3 or 28. And `more` of it.

You do not see `three`.

`four` is only told.

```sh
export NAME=api
false
```
"""
SCRIPT = Path(__file__).with_name("aws.py")


@pytest.fixture
def page(tmp_path: Path) -> Page:
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    return read(path)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    folder = tmp_path / "work"
    folder.mkdir()
    with Scene(folder) as made:
        yield made


@pytest.fixture
def terminal(scene: Scene, warm: str, tmp_path: Path) -> Iterator[Terminal]:
    home = tmp_path / "home"
    home.mkdir()
    made = Terminal(scene, home, warm)
    yield made
    made.close()


def test_a_block_has_what_the_first_sentences_after_it_say(page: Page) -> None:
    first, second = page.section("What to do now").blocks
    assert first.commands == "echo one\necho two"
    assert first.seen == ("one", "two")
    assert first.not_seen == ("three",)
    assert sorted(first.statuses) == [0, 3, 28]
    assert (first.line, first.says_something) == (5, True)
    assert not second.seen
    assert sorted(second.statuses) == [0]
    assert not second.says_something
    assert page.placeholders == {"NAME"}


def test_a_block_that_no_test_would_run_is_no_block_of_a_page(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("# A page\n\n```\nrm -r /\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="begins with ```sh"):
        read(path)


@pytest.mark.parametrize(
    ("block", "why"),
    [
        (Block(line=1, commands="echo one", seen=("two",)), "does not show"),
        (Block(line=1, commands="echo one", not_seen=("one",)), "shows"),
        (Block(line=1, commands="false\necho one"), "ended with {1}"),
        (Block(line=1, commands="true", statuses=frozenset({3})), "ended with {0}"),
        (Block(line=1, commands="false | true"), "ended with {1}"),
    ],
)
def test_what_a_page_does_not_say_fails(terminal: Terminal, page: Page, block: Block, why: str) -> None:
    with pytest.raises(AssertionError, match=why):
        terminal.paste(page, block)


def test_what_a_block_exports_is_there_in_the_next_and_a_reader_types_its_own(
    scene: Scene, terminal: Terminal, page: Page
) -> None:
    scene.values["NAME"] = "www"
    terminal.paste(page, Block(line=1, commands="export NAME=api\nexport MORE=$(echo more)"))
    terminal.paste(page, Block(line=2, commands='echo "<$NAME $MORE>"', seen=("<www more>",)))


def aws(scene: Scene, *words: str) -> subprocess.CompletedProcess[str]:
    told = isolated(scene.world.variables(), {})
    return subprocess.run([sys.executable, str(SCRIPT), *words], env=told, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "words",
    [
        ("route53",),
        ("route54", "list-hosted-zones"),
        ("route53", "list-hosted-zone"),
        ("route53", "get-hosted-zone", "--id", ZONE, "--colour", "red"),
        ("route53", "get-hosted-zone", ZONE),
        ("route53", "get-hosted-zone"),
        ("route53", "change-resource-record-sets", "--hosted-zone-id", ZONE, "--change-batch", "{"),
    ],
)
def test_a_word_that_aws_would_not_take_ends_with_its_status(scene: Scene, words: tuple[str, ...]) -> None:
    assert aws(scene, *words).returncode == 252


def test_aws_asks_every_page_and_shows_what_the_query_chooses(scene: Scene) -> None:
    scene.world.sandbox.configure(page_max_sets=1)
    wanted = ("route53", "list-resource-record-sets", "--hosted-zone-id", ZONE)
    assert len(json.loads(aws(scene, *wanted).stdout)["ResourceRecordSets"]) == 2
    texts = aws(scene, *wanted, "--query", "ResourceRecordSets[].[Type, TTL]", "--output", "text").stdout
    assert texts == "NS\t172800\nSOA\t900\n"
    gone = aws(scene, "route53", "get-hosted-zone", "--id", "Z0GONE")
    assert (gone.returncode, "NoSuchHostedZone" in gone.stderr) == (254, True)
