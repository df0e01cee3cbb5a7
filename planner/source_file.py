"""The source `file`: load balancers listed in a YAML file, or in every `*.yaml` of a directory, in the form of a pool of the fleet file.

Read again at each look; what has not changed is not parsed again. A file that cannot be read, a fault anywhere in one, an id that
stands in two, or a directory without a file is no partial answer but none. Whoever writes these files should write beside them
and rename: a file that is half written may be right in form.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from enactor import yaml_text
from enactor.plan_faults import Faults, read_object, read_text
from enactor.plan_file import file_octets
from enactor.ports import Unavailable
from planner.fleet_forms import LIKE_BALANCER, as_written, read_forms
from planner.observation import Aim, Observation, Offer, Source, SourceFailed
from planner.pools import Balancer, read_balancer

FILES_MAX: Final = 1_000
"""More files than anybody keeps an inventory in; a directory that has more is most likely the wrong one."""
PATTERNS: Final = ("*.yaml", "*.yml")


class FileSettings(msgspec.Struct, frozen=True):
    """Where the inventory is kept."""

    path: str
    """As the fleet file has it, which messages show."""
    directory: str
    """What a relative path is relative to: the fleet file's own directory."""


class FileKind:
    """The kind `file`."""

    gives_inventory = True
    gives_health = False

    def __init__(self, directory: str = ".") -> None:
        self._directory = directory

    def beside(self, directory: str) -> "FileKind":
        """Return the kind for a fleet file of this directory."""
        return FileKind(directory)

    def read(self, raw: Mapping[str, Any], path: str, faults: Faults) -> FileSettings | None:
        """Return the settings; nothing is opened."""
        found = read_object(dict(raw), path, faults, required=("path",)) or {}
        text = read_text(as_written(found["path"]), f"{path}.path", faults) if "path" in found else None
        if text == "":
            faults.add(f"{path}.path", "empty; name a file or a directory of YAML files")
        return FileSettings(text, self._directory) if text else None

    def open(self, name: str, settings: FileSettings) -> Source:
        """Return the source."""
        return FileSource(name, settings)


KIND: Final = FileKind()


class FileSource:
    """One file or directory of load balancers."""

    def __init__(self, name: str, settings: FileSettings) -> None:
        self.name = name
        self._settings = settings
        self._read: dict[str, tuple[bytes, tuple[Offer, ...]]] = {}
        """By path: what was read last, and what it means."""

    def observe(self, aims: tuple[Aim, ...], within_seconds: float) -> Observation:  # noqa: ARG002 - the protocol's; a disk answers or does not
        """Return everything that is listed now."""
        read: dict[str, tuple[bytes, tuple[Offer, ...]]] = {}
        for shown, path in self._files():
            try:
                octets = file_octets(str(path))
            except Unavailable as error:
                raise SourceFailed(f"source {self.name}: {error}") from None
            before = self._read.get(shown)
            read[shown] = before if before and before[0] == octets else (octets, self._offers(shown, octets))
        self._read = read
        offers = tuple(offer for _, found in read.values() for offer in found)
        self._refuse_doubles(offers)
        return Observation(source=self.name, offers=offers)

    def close(self) -> None:
        """Let go of what was read."""
        self._read = {}

    def _files(self) -> list[tuple[str, Path]]:
        told = Path(self._settings.path)
        root = Path(self._settings.directory) / told
        try:
            if not root.is_dir():
                return [(str(told), root)]
            found = sorted({path for pattern in PATTERNS for path in root.glob(pattern)})
        except OSError as error:
            raise SourceFailed(f"source {self.name}: {told} cannot be read: {error.strerror or error}") from None
        if not found:
            raise SourceFailed(f"source {self.name}: directory {told} has no {' or '.join(PATTERNS)} in it")
        if len(found) > FILES_MAX:
            raise SourceFailed(f"source {self.name}: directory {told} has {len(found)} files, over {FILES_MAX}")
        return [(str(told / path.name), path) for path in found]

    def _offers(self, shown: str, octets: bytes) -> tuple[Offer, ...]:
        try:
            text = octets.decode("utf-8")
        except UnicodeDecodeError as error:
            raise SourceFailed(f"source {self.name}: {shown}: octet {error.start} is not UTF-8") from None
        found = yaml_text.read(text)
        faults = Faults()
        wrong = [f"{shown}: {fault}" for fault in found.faults]
        items = read_forms(found.value, "", faults, like=LIKE_BALANCER) if found.is_read else []
        read = [read_balancer(item, f"[{index}]", faults) for index, item in enumerate(items)]
        wrong += [f"{shown}: {fault}".replace(": : ", ": ") for fault in faults.all()]
        if wrong:
            raise SourceFailed(f"source {self.name}: {_some(wrong)}", wrong)
        return tuple(_offer(one, shown) for one in read if one is not None)

    def _refuse_doubles(self, offers: tuple[Offer, ...]) -> None:
        first: dict[str, Offer] = {}
        wrong = [
            f"{offer.origin}.id: {offer.id} stands twice, first as {first[offer.id].origin}"
            for offer in offers
            if first.setdefault(offer.id, offer) is not offer
        ]
        if wrong:
            raise SourceFailed(f"source {self.name}: {_some(wrong)}", wrong)


def _offer(balancer: Balancer, shown: str) -> Offer:
    alias = balancer.members[0].alias
    return Offer(
        id=balancer.id,
        addresses=() if alias else tuple(member.value for member in balancer.members if member.value is not None),
        alias=alias,
        capacity=balancer.capacity if balancer.has_capacity else None,
        enabled=balancer.enabled,
        drain=balancer.drain,
        origin=f"{shown}{balancer.path}",
        health_check=balancer.health_check,
    )


def _some(wrong: list[str]) -> str:
    return wrong[0] if len(wrong) == 1 else f"{len(wrong)} faults, the first of them {wrong[0]}"
