"""One document that needs nothing else: what is no markup is escaped, the policy names what stands in it, and the wheel has the files."""

import base64
import hashlib
import re
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from enactor.page.frame import Html, asset, document, el, joined
from enactor.page.parts import sentence

HOSTILE = "<script>alert('1')</script> & \"x\""
ROOT = Path(__file__).parents[2]


def test_text_is_escaped_and_markup_is_not() -> None:
    """Wherever it stands: in an element, an attribute, a list."""
    assert joined(HOSTILE) == "&lt;script&gt;alert(&#x27;1&#x27;)&lt;/script&gt; &amp; &quot;x&quot;"
    assert el("p", Html("<b>"), ["<", None, 3]) == "<p><b>&lt;3</p>"
    assert el("a", class_='"><b>', hidden=True, title=None, open=False, aria_label="x") == (
        '<a class="&quot;&gt;&lt;b&gt;" hidden aria-label="x"></a>'
    )
    assert el("br") == "<br>"


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("so: `enactor heal <x>` mends it", "<bdi>so: <code>enactor heal &lt;x&gt;</code> mends it</bdi>"),
        ("one ` alone", "<bdi>one ` alone</bdi>"),
        (None, ""),
    ],
)
def test_what_can_be_copied_is_marked(text: str | None, markup: str) -> None:
    """A command in backticks; a backtick without its partner is a backtick."""
    assert sentence(text) == markup


def test_the_policy_allows_what_stands_in_the_document_and_nothing_else() -> None:
    """By hash, in the header and, for a page that is a file, in the document itself."""
    page, policy = document(
        "a < b", el("p", "x"), styles=("p { color: red }", "q { color: blue }"), script="let a = 1 < 2;"
    )
    style = re.findall(r"<style>(.*)</style>", page, re.DOTALL)
    script = re.findall(r"<script>(.*)</script>", page, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in (*script, *style)]
    wanted = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'"
    )
    assert policy == f"{wanted}; frame-ancestors 'none'"
    assert f'content="{wanted}"'.replace("'", "&#x27;") in page
    assert "<title>a &lt; b</title>" in page
    assert "connect-src 'self'" in document("", Html(""), styles=(), script="", connects=True)[1]


@pytest.mark.parametrize("name", ["look.css", "status.css", "status.js"])
def test_nothing_in_it_names_another_place(name: str) -> None:
    """No address, no import, no font: the page works on a day when nothing else does."""
    text = asset(name)
    assert not re.search(r"https?:|//[a-z]+\.|@import|url\(|</s", text)
    assert not re.search(r"\.innerHTML\s*=(?!=)|insertAdjacentHTML|document\.write|eval\(", text)


def test_the_wheel_has_the_files(tmp_path: Path) -> None:
    """They are no modules, so only a built wheel shows whether they are there."""
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    names = set(zipfile.ZipFile(built).namelist())
    assets = {
        f"enactor/page/{path.name}" for path in (ROOT / "enactor" / "page").iterdir() if path.suffix in {".css", ".js"}
    }
    assert assets
    assert assets <= names
