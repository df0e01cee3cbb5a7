"""Put one HTML document together that needs nothing from outside: its style and script stand in it, and its policy allows no others.

Decides nothing. Text that is not `Html` is escaped where it is put, so what people, plans or zones say can never become markup: a page
that forgot to escape cannot be written with this.
"""

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from html import escape
from importlib.resources import files
from typing import Final

NO_OTHERS: Final = "default-src 'none'; base-uri 'none'; form-action 'none'"
"""Also said in the document itself, where a page is a file and no server sends a header."""
NO_FRAMES: Final = "frame-ancestors 'none'"
"""Only a header can say this (W3C CSP 3, section 6.4.2)."""


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


NOTHING: Final = Html("")
LOOK: Final = "look.css"
"""The style that every page begins with."""
VOID: Final = frozenset({"br", "meta", "hr"})
"""Elements that have no end tag (HTML Living Standard, section 13.1.2)."""

Child = str | int | None
"""What may stand in an element: markup, or text that is escaped; None is nothing."""


def el(tag: str, /, *children: Child | Iterable[Child], **attributes: str | int | bool | None) -> Html:
    """Return an element. An attribute's name ends in `_` where Python has the word, and has `-` for `_`; None and False leave it out."""
    said = "".join(
        _attribute(key, value) for key, value in attributes.items() if value is not None and value is not False
    )
    return Html(f"<{tag}{said}>") if tag in VOID else Html(f"<{tag}{said}>{joined(*children)}</{tag}>")


def joined(*children: Child | Iterable[Child]) -> Html:
    """Return children after one another, with what is no markup escaped."""
    return Html("".join(_child(child) for child in children))


def _child(child: Child | Iterable[Child]) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, str | int):
        return escape(str(child))
    return "".join(_child(one) for one in child)


def _attribute(key: str, value: str | int | bool) -> str:
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'


@cache
def asset(name: str) -> str:
    """Return a style or script that stands beside this module."""
    return files("enactor.page").joinpath(name).read_text(encoding="utf-8")


def document(
    title: str, body: Html, *, styles: tuple[str, ...], script: str, connects: bool = False, head: Html = NOTHING
) -> tuple[str, str]:
    """Return a document, and the policy that its server sends with it. `connects`: its script may ask the server it came from."""
    style = "\n".join(styles)
    policy = f"{NO_OTHERS}; script-src {_hash(script)}; style-src {_hash(style)}"
    if connects:
        policy += "; connect-src 'self'"
    page = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n{head}</head>\n"
        f"<body>\n{body}\n<script>{script}</script>\n</body>\n</html>\n"
    )
    return page, f"{policy}; {NO_FRAMES}"


@cache
def _hash(text: str) -> str:
    """Return what a policy calls an inline style or script (W3C CSP 3, section 2.3.1: a hash source)."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
