"""Decide what the settings are: one typed object, from flags, the environment and a file, in that order.

Pure but for the mapping and the text it is handed. Every fault is listed at once; nothing is guessed.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

import msgspec

from enactor import names
from enactor.guards import ZONE_RECORD_SETS_MAX, LimitRule, Limits, LimitsTable, PlanLimits
from enactor.plan import Fault

SHARE_DEFAULT: Final = 0.5
CRITICAL_MAX: Final = 100
"""So many endpoints may have metrics of their own: Prometheus keeps several series for each."""

_MIRROR: Final = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^?#\s]*)?(\?region=[a-z0-9-]+)?")
_ROLE: Final = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:role/\S{1,512}")
_ID_OTHER: Final = re.compile(r"[^a-z0-9-]+")

WINDOW_MAX_SECONDS: Final = 86_400.0
_AnyLimits = TypeVar("_AnyLimits", Limits, PlanLimits)

VARIABLES: Final = {
    "table": "ENACTOR_TABLE",
    "fleet": "ENACTOR_FLEET",
    "zones": "ENACTOR_ZONES",
    "id": "ENACTOR_ID",
    "roles": "ENACTOR_ROLES",
    "state-dir": "ENACTOR_STATE_DIR",
    "plan-mirror": "ENACTOR_PLAN_MIRROR",
    "account-share": "ENACTOR_ACCOUNT_SHARE",
    "metrics": "ENACTOR_METRICS",
    "critical": "ENACTOR_CRITICAL",
}
"""Each setting's name in the file and as a flag, and its variable."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything an enactor or a planner is told. Empty text means not told."""

    table: str = ""
    fleet: str = ""
    zones: tuple[str, ...] = ()
    id: str = ""
    roles: Mapping[str, str] = {}
    state_dir: str = ""
    plan_mirror: str = ""
    account_share: float = SHARE_DEFAULT
    metrics: str = ""
    """Address and port of the metrics endpoint, `127.0.0.1:9553`; empty: none."""
    critical: tuple[str, ...] = ()
    """Canonical names of the endpoints that have metrics of their own."""
    limits: LimitsTable = LimitsTable()


class WrongSettings(ValueError):  # noqa: N818 - the reader sees the list of faults
    """Settings that cannot be meant, with every fault; `settings` is what the others say, `wrong` the keys that say nothing."""

    def __init__(self, faults: list[Fault], settings: Settings, wrong: Iterable[str]) -> None:
        self.faults = tuple(faults)
        self.settings = settings
        self.wrong = frozenset(wrong)
        super().__init__("; ".join(map(str, faults)))


def zone_id(text: str) -> str:
    """Return a hosted zone's id without `/hostedzone/`; a zone's name is refused, because two zones can have one name."""
    bare = names.hosted_zone_id(text.strip())
    if bare is None:
        raise ValueError(f"{text!r} is no hosted zone id (like Z0123456789ABC); a zone is never chosen by its name")
    return bare


def folded_id(text: str) -> str:
    """Return a host name as an enactor id: lower case, other characters as a dash, at most 32."""
    return _ID_OTHER.sub("-", text.lower())[:32].strip("-") or "enactor"


def settle(
    flags: Mapping[str, Any],
    environment: Mapping[str, str],
    file: Mapping[str, Any],
    host_name: str,
    *,
    file_name: str = "",
) -> Settings:
    """Return the settings: a flag before the variable before the file; raise WrongSettings with every fault.

    A fault in the file begins with `file_name`: a key may stand in several files, and who mends it must know in which.
    """
    within = f"{file_name}: " if file_name else ""
    known = [*VARIABLES, "limits"]
    unknown = sorted(str(key) for key in file if key not in known)
    faults = [Fault(f"{within}{key}", _unknown(key, "setting", known)) for key in unknown]
    wrong: list[str] = []

    def told(key: str, read: Callable[[Any], Any], default: Any) -> Any:
        where, value = _first(key, flags, environment, file, within)
        if value is None or value in ("", ()):
            return default
        try:
            return read(value)
        except (ValueError, TypeError) as error:
            faults.append(Fault(where, str(error)))
            wrong.append(key)
            return default

    settings = Settings(
        table=told("table", _text, ""),
        fleet=told("fleet", _identifier, ""),
        zones=told("zones", _zones, ()),
        id=told("id", _identifier, folded_id(host_name)),
        roles=told("roles", _roles, {}),
        state_dir=told("state-dir", _text, ""),
        plan_mirror=told("plan-mirror", _mirror, ""),
        account_share=told("account-share", _share, SHARE_DEFAULT),
        metrics=told("metrics", _address, ""),
        critical=told("critical", _critical, ()),
        limits=_limits(file.get("limits", {}), f"{within}limits", faults),
    )
    if faults:
        raise WrongSettings(faults, settings, wrong)
    return settings


def _unknown(word: str, what: str, known: Iterable[str]) -> str:
    """Say that a word is none of those that are known, which these are, and which of them it is most like."""
    listed = sorted(known)
    near = difflib.get_close_matches(word, listed, n=1)
    meant = f", most like {near[0]}" if near else ""
    return f"unknown {what}{meant}; known are {', '.join(listed)}"


def _first(
    key: str, flags: Mapping[str, Any], environment: Mapping[str, str], file: Mapping[str, Any], within: str
) -> tuple[str, Any]:
    flag = flags.get(key)
    if flag not in (None, (), ""):
        return f"--{key}", flag
    variable = VARIABLES[key]
    if environment.get(variable):
        return variable, environment[variable]
    return f"{within}{key}", file.get(key)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value.strip()


def _identifier(value: Any) -> str:
    text = _text(value)
    if not names.IDENTIFIER.fullmatch(text):
        raise ValueError(f"{text!r} is not 1 to 32 of a-z, 0-9 and -")
    return text


def _words(value: Any) -> list[str]:
    if isinstance(value, str):
        return [word.strip() for word in value.split(",") if word.strip()]
    if isinstance(value, list | tuple) and all(isinstance(word, str) for word in value):
        return list(value)
    raise TypeError(f"{value!r} is not a list of text")


def _zones(value: Any) -> tuple[str, ...]:
    read: dict[str, None] = {}
    wrong: list[str] = []
    for word in _words(value):
        try:
            read[zone_id(word)] = None
        except ValueError as error:
            wrong.append(str(error))
    if wrong:
        raise ValueError("; ".join(wrong))
    return tuple(read)


def _roles(value: Any) -> dict[str, str]:
    pairs = value.items() if isinstance(value, dict) else [word.partition("=")[::2] for word in _words(value)]
    roles = {zone_id(_text(zone)): str(role) for zone, role in pairs}
    for role in roles.values():
        if not _ROLE.fullmatch(role):
            raise ValueError(f"{role!r} is no role ARN (like arn:aws:iam::123456789012:role/dns)")
    return roles


def _mirror(value: Any) -> str:
    text = _text(value)
    if not _MIRROR.fullmatch(text):
        raise ValueError(f"{text!r} is no S3 URL (like s3://bucket/plans/edge, or s3://bucket/plans?region=us-west-2)")
    return text


def _address(value: Any) -> str:
    text = _text(value)
    _, _, port = text.rpartition(":")
    if not port.isdecimal() or not 0 < int(port) < 65_536:
        raise ValueError(f"{text!r} is no address and port like 127.0.0.1:9553")
    return text


def _critical(value: Any) -> tuple[str, ...]:
    read: dict[str, None] = {}
    wrong: list[str] = []
    for word in _words(value):
        try:
            read[names.canonical(word)] = None
        except names.NameFault as fault:
            wrong.append(f"{word!r} is no DNS name: {fault}")
    if wrong:
        raise ValueError("; ".join(wrong))
    if len(read) > CRITICAL_MAX:
        raise ValueError(f"{len(read)} endpoints are critical, and {CRITICAL_MAX} may be: each has metrics of its own")
    return tuple(read)


def _share(value: Any) -> float:
    try:
        share = float(value)
    except ValueError:
        share = 0.0
    if isinstance(value, bool) or not 0 < share <= 1:
        raise ValueError(f"{value} is not a share above 0 and up to 1")
    return share


def _limits(file: Any, path: str, faults: list[Fault]) -> LimitsTable:
    """Read the guards' limits: shares by label, and rules for endpoint patterns under `endpoints`."""
    if not isinstance(file, dict):
        faults.append(Fault(path, f"{file!r} is not a mapping of guard labels to limits"))
        return LimitsTable()
    of_endpoint, of_plan = _labels(Limits()), _labels(PlanLimits())
    known = [*of_endpoint, *of_plan, "zone-record-sets", "endpoints"]
    unknown = [str(key) for key in file if key not in known]
    faults += [Fault(f"{path}.{key}", _unknown(key, "limit", known)) for key in unknown]
    quota = file.get("zone-record-sets", ZONE_RECORD_SETS_MAX)
    if isinstance(quota, bool) or not isinstance(quota, int) or quota < 1:
        faults.append(Fault(f"{path}.zone-record-sets", f"{quota!r} is no number of record sets"))
        quota = ZONE_RECORD_SETS_MAX
    default = _shares({key: file[key] for key in file if key in of_endpoint}, Limits(), path, faults)
    return LimitsTable(
        default=default,
        plan=_shares({key: file[key] for key in file if key in of_plan}, PlanLimits(), path, faults),
        rules=_rules(file.get("endpoints", []), default, f"{path}.endpoints", faults),
        zone_record_sets=quota,
    )


def _rules(rules: Any, default: Limits, path: str, faults: list[Fault]) -> tuple[LimitRule, ...]:
    if not isinstance(rules, list):
        faults.append(Fault(path, f"{rules!r} is not a list"))
        return ()
    known = ["match", *_labels(default)]
    found: list[LimitRule] = []
    for index, rule in enumerate(rules):
        where = f"{path}[{index}]"
        if not isinstance(rule, dict) or not isinstance(rule.get("match"), str):
            faults.append(Fault(where, "a rule is a mapping with `match`, a pattern like *.internal.example.com"))
            continue
        pattern = rule["match"].lower()
        unknown = [str(key) for key in rule if key not in known]
        faults += [Fault(f"{where}.{key}", _unknown(key, "limit of an endpoint", known)) for key in unknown]
        limits = _shares({key: rule[key] for key in rule if key in known[1:]}, default, where, faults)
        found.append(LimitRule(match=pattern if pattern.endswith(("*", ".")) else pattern + ".", limits=limits))
    return tuple(found)


def _labels(limits: Limits | PlanLimits) -> dict[str, str]:
    """Return each limit's name in the file, and the field that holds it."""
    return {field.encode_name: field.name for field in msgspec.structs.fields(limits)}


def _shares(file: Mapping[str, Any], base: _AnyLimits, path: str, faults: list[Fault]) -> _AnyLimits:
    fields = _labels(base)
    told: dict[str, float] = {}
    for key, value in file.items():
        highest, what = (WINDOW_MAX_SECONDS, "time") if key.endswith("-seconds") else (1.0, "share")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= highest:
            faults.append(Fault(f"{path}.{key}", f"{value!r} is not a {what} from 0 to {highest:g}"))
        else:
            told[fields[key]] = float(value)
    return msgspec.structs.replace(base, **told)
