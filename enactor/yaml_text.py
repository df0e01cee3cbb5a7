"""Decide what a YAML text says, strictly: what YAML readers quietly accept and people do not mean is refused with its place.

Pure. Keys that stand twice, tabs as indentation, and texts built to grow are refused. Of the many words that YAML 1.1 turns into
something else, only true, false, null and decimal numbers are left: `no` is text, and `1:20` is not 80.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

import msgspec
import yaml

SIZE_MAX_CHARACTERS: Final = 16_000_000
DEPTH_MAX_LEVELS: Final = 32
ALIASES_MAX: Final = 1_000
"""A few anchors save typing; thousands of them are a text that means to grow."""
NUMBER_MAX_CHARACTERS: Final = 1_000
"""Nothing that is meant comes near; Python refuses to read an integer of some thousand digits."""
TAG: Final = "tag:yaml.org,2002:"
FAULTS_MAX: Final = 1_000
"""Nobody reads on after so many."""
_TAB: Final = re.compile(r"^ *\t", re.MULTILINE)


class YamlFault(msgspec.Struct, frozen=True, kw_only=True):
    """One thing wrong with a text as YAML, and where it stands, counted from 1; None where no one place is at fault."""

    problem: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return self.problem if self.line is None else f"line {self.line} column {self.column}: {self.problem}"


class YamlReading(msgspec.Struct, frozen=True, kw_only=True):
    """What a text says as far as it can be read, and everything that is wrong with it."""

    value: Any = None
    faults: tuple[YamlFault, ...] = ()
    is_read: bool
    """Whether there is a value at all: a doubled key is a fault, and what stands beside it can still be judged."""
    places: "Places | None" = None
    """Where each part of the value stands in the text."""


class Places:
    """Finds the line on which a part of a text stands. Looks only where it is asked, as shared anchors may be a huge tree."""

    def __init__(self, root: yaml.Node | None) -> None:
        self._root = root
        self._keys: dict[int, dict[str, tuple[yaml.Node, yaml.Node]]] = {}

    def line_of(self, steps: Iterable[str | int]) -> int | None:
        """Return the line, counted from 1, of the last step that is there; None where not even the first is."""
        node, line = self._root, None
        for step in steps:
            found = self._step(node, step)
            if found is None:
                break
            node, line = found[1], found[0].start_mark.line + 1
        return line

    def _step(self, node: yaml.Node | None, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
        """Return the node that marks where a key or an item stands, and the node of its value."""
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            return node.value[step], node.value[step]
        if isinstance(node, yaml.MappingNode) and isinstance(step, str):
            if id(node) not in self._keys:
                scalars = (pair for pair in reversed(node.value) if isinstance(pair[0], yaml.ScalarNode))
                self._keys[id(node)] = {key.value: (key, value) for key, value in scalars}
            return self._keys[id(node)].get(step)
        return None


class YamlFaultError(ValueError):
    """A text that is no YAML we read; the message says where and why."""


def load(text: str) -> Any:
    """Return what a YAML text says, in plain lists, dicts, text, numbers and booleans."""
    reading = read(text)
    if reading.faults:
        raise YamlFaultError(str(reading.faults[0]))
    return reading.value


def read(text: str) -> YamlReading:
    """Return what a YAML text says, with every fault; it never raises."""
    if len(text) > SIZE_MAX_CHARACTERS:
        return _unread(YamlFault(problem=f"{len(text)} characters are over {SIZE_MAX_CHARACTERS}"))
    tabs = tuple(_tabs(text))
    if tabs:
        return _unread(*tabs)
    try:
        loader = _Loader(text)
    except yaml.reader.ReaderError as error:
        return _unread(YamlFault(problem=_unprintable(error, text)))
    try:
        root = loader.get_single_node()
        value = None if root is None else loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        return _unread(*loader.faults, _fault(error))
    except yaml.YAMLError as error:
        return _unread(YamlFault(problem=" ".join(str(error).split())))
    except (ValueError, OverflowError):
        return _unread(*loader.faults, YamlFault(problem="an escape in it names a character that does not exist"))
    finally:
        loader.dispose()
    return YamlReading(value=value, faults=_in_order(loader.faults), is_read=True, places=Places(root))


def _unread(*faults: YamlFault) -> YamlReading:
    return YamlReading(faults=_in_order(faults), is_read=False)


def _in_order(faults: Iterable[YamlFault]) -> tuple[YamlFault, ...]:
    return tuple(sorted(faults, key=lambda fault: (fault.line or 0, fault.column or 0)))


def _tabs(text: str) -> Iterator[YamlFault]:
    line, seen = 1, 0
    for tab in islice(_TAB.finditer(text), FAULTS_MAX):
        line, seen = line + text.count("\n", seen, tab.end()), tab.end()
        yield YamlFault(problem="a tab cannot indent YAML; use spaces", line=line, column=tab.end() - tab.start())


def _fault(error: yaml.MarkedYAMLError) -> YamlFault:
    context = f"{error.context}, " if error.context else ""
    return _marked(" ".join(f"{context}{error.problem}".split()), error.problem_mark or error.context_mark)


def _marked(problem: str, mark: yaml.Mark | None) -> YamlFault:
    if mark is None:
        return YamlFault(problem=problem)
    return YamlFault(problem=problem, line=mark.line + 1, column=mark.column + 1)


def _unprintable(error: yaml.reader.ReaderError, text: str) -> str:
    before = text[: error.position]
    place = f"line {before.count(chr(10)) + 1} column {len(before) - before.rfind(chr(10))}"
    return f"unacceptable character #x{ord(text[error.position]):04x}: {error.reason}, at {place}"


class _Loader(yaml.SafeLoader):
    """The safe loader with limits, without the words that people do not mean."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.faults: list[YamlFault] = []
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
        """Read the mapping without what is wrong with its keys, so that what else is wrong in the text is found too."""
        if not isinstance(node, yaml.MappingNode):
            raise yaml.MarkedYAMLError(problem="the tag !!map stands before what is none", problem_mark=node.start_mark)
        seen: set[str] = set()
        sound = []
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._note("a key is plain text", key)
            elif key.value in seen:
                self._note(f"the key {key.value[:64]!r} stands twice", key)
            else:
                seen.add(key.value)
                sound.append((key, value))
        return super().construct_mapping(yaml.MappingNode(node.tag, sound, node.start_mark, node.end_mark), deep)

    def construct_as_untagged(self, node: yaml.Node) -> Any:
        """Read what stands behind a tag that is not ours, so that what else is wrong in the text is found too."""
        word = node.tag.replace(TAG, "!!")[:64]
        self._note(f"the tag {word} is none that is read here; leave it out", node)
        if isinstance(node, yaml.MappingNode):
            return self.construct_mapping(node, deep=True)
        if isinstance(node, yaml.SequenceNode):
            return self.construct_sequence(node, deep=True)
        assert isinstance(node, yaml.ScalarNode), "YAML has three kinds of nodes"
        return self.construct_scalar(node)

    def construct_plain(self, node: yaml.Node) -> Any:
        """Read a scalar of the core schema; a tag that says what the text is not, and a number without end, are noted."""
        kind = node.tag.removeprefix(TAG)
        is_so = isinstance(node, yaml.ScalarNode) and self._is(kind, node.value)
        if is_so and len(node.value) <= NUMBER_MAX_CHARACTERS:
            return yaml.SafeLoader.yaml_constructors[node.tag](self, node)
        self._note("the number has too many digits" if is_so else f"the tag !!{kind} stands before what is none", node)
        return None

    def _is(self, kind: str, text: str) -> bool:
        """Tell whether a text is what its tag says; a whole number is a float too."""
        found = self.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
        return found == TAG + kind or (kind == "float" and found == f"{TAG}int")

    def _note(self, problem: str, node: yaml.Node) -> None:
        if len(self.faults) < FAULTS_MAX:
            self.faults.append(_marked(problem, node.start_mark))


_Loader.yaml_constructors = {
    **{TAG + kind: yaml.SafeLoader.yaml_constructors[TAG + kind] for kind in ("str", "seq", "map")},
    **{TAG + kind: _Loader.construct_plain for kind in ("null", "bool", "int", "float")},
    None: _Loader.construct_as_untagged,
}
"""Nothing else is built of a tag: no set, no date, no octets."""
# The core schema of YAML 1.2 (section 10.3.2), without its octal and hexadecimal numbers.
_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    ("float", r"[-+]?(?:0|[1-9][0-9]*)?(?:\.[0-9]+|(?<=[0-9])\.)?(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("float", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", "-+."),
):
    _Loader.add_implicit_resolver(TAG + _tag, re.compile(f"^(?:{_pattern})$"), list(_first))
