"""Decide what a YAML text says, strictly: what YAML readers quietly accept and people do not mean is refused with its place.

Pure. Keys that stand twice, tabs as indentation, and texts built to grow are refused. Of the many words that YAML 1.1 turns into
something else, only true, false, null and decimal numbers are left: `no` is text, and `1:20` is not 80.
"""

import re
from typing import Any, Final

import yaml

SIZE_MAX_CHARACTERS: Final = 16_000_000
DEPTH_MAX_LEVELS: Final = 32
ALIASES_MAX: Final = 1_000
"""A few anchors save typing; thousands of them are a text that means to grow."""
_TAB: Final = re.compile(r"^ *\t", re.MULTILINE)


class YamlFaultError(ValueError):
    """A text that is no YAML we read; the message says where and why."""


def load(text: str) -> Any:
    """Return what a YAML text says, in plain lists, dicts, text, numbers and booleans."""
    if len(text) > SIZE_MAX_CHARACTERS:
        raise YamlFaultError(f"{len(text)} characters are over {SIZE_MAX_CHARACTERS}")
    tab = _TAB.search(text)
    if tab is not None:
        line, column = text.count("\n", 0, tab.end()) + 1, tab.end() - tab.start()
        raise YamlFaultError(f"line {line} column {column}: a tab cannot indent YAML; use spaces")
    loader = _Loader(text)
    try:
        return loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        raise YamlFaultError(_sentence(error)) from None
    except yaml.YAMLError as error:
        raise YamlFaultError(" ".join(str(error).split())) from None
    except (ValueError, OverflowError):
        raise YamlFaultError("a number in it has too many digits") from None
    finally:
        loader.dispose()


def _sentence(error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    where = f"line {mark.line + 1} column {mark.column + 1}: " if mark else ""
    context = f"{error.context}, " if error.context else ""
    return " ".join(f"{where}{context}{error.problem}".split())


class _Loader(yaml.SafeLoader):
    """The safe loader with limits, without the words that people do not mean."""

    def __init__(self, text: str) -> None:
        try:
            super().__init__(text)
        except yaml.YAMLError as error:
            raise YamlFaultError(" ".join(str(error).split())) from None
        self._depth_levels = 0
        self._aliases = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent):
            self._aliases += 1
        if self._aliases > ALIASES_MAX or self._depth_levels >= DEPTH_MAX_LEVELS:
            what = "aliases" if self._aliases > ALIASES_MAX else "levels of nesting"
            limit = ALIASES_MAX if self._aliases > ALIASES_MAX else DEPTH_MAX_LEVELS
            raise yaml.MarkedYAMLError(problem=f"more than {limit} {what}", problem_mark=event.start_mark)
        self._depth_levels += 1
        node = super().compose_node(parent, index)
        self._depth_levels -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(problem="a key is plain text", problem_mark=key.start_mark)
            if key.value in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {key.value[:64]!r} stands twice", problem_mark=key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


# The core schema of YAML 1.2 (section 10.3.2), without its octal and hexadecimal numbers.
_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    ("float", r"[-+]?(?:0|[1-9][0-9]*)?(?:\.[0-9]+|(?<=[0-9])\.)?(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("float", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", "-+."),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), list(_first))
