"""Find the kinds of source that are installed: the entry points of the group `planner.sources`. A kind is loaded when it is named."""

from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, Protocol, cast, runtime_checkable

from enactor.plan_faults import shown
from planner.observation import SourceKind

GROUP: Final = "planner.sources"


@runtime_checkable
class Located(Protocol):
    """A kind whose settings name files: it is told where the fleet file stands."""

    def beside(self, directory: str) -> SourceKind:
        """Return the kind for a fleet file of this directory."""
        ...


class InstalledKinds:
    """Every kind that is installed, for a fleet file of one directory."""

    def __init__(self, directory: str = ".") -> None:
        self._directory = directory
        self._points: dict[str, EntryPoint] = {point.name: point for point in entry_points(group=GROUP)}

    def names(self) -> Sequence[str]:
        """Return what a fleet file may name."""
        return tuple(sorted(self._points))

    def find(self, name: str) -> SourceKind | str:
        """Return a kind, or why it cannot be used: a third party's code may fail to load in any way."""
        point = self._points.get(name)
        if point is None:
            return f"{shown(name)} is no installed kind of source: {', '.join(self.names()) or 'there are none'}"
        try:
            kind: Any = point.load()
        except Exception as error:  # noqa: BLE001 - what another package raises while it loads is not ours to know
            return f"the kind {name} ({point.value}) cannot be loaded: {type(error).__name__}: {error}"
        return cast("SourceKind", kind.beside(self._directory) if isinstance(kind, Located) else kind)
