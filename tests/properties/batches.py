"""Random change batches, most of them nearly right: what stands, said again, said wrongly, or joined by what may not join it."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from .dumb_zone import Change, Set

ZONE = "Z0TEST"
ZONE_NAME = "example.test."
APEX_TYPES = ("NS", "SOA")
INSIDE = (
    "a.example.test.",
    "b.example.test.",
    "c.a.example.test.",
    "a-b.example.test.",
    "*.example.test.",
    "*.a.example.test.",
    "a\\056b.example.test.",
    "b.a.example.test.",
    "x@y.example.test.",
    ZONE_NAME,
)
OUTSIDE = ("evilexample.test.", "a.example.net.", "test.")
IDENTIFIERS = ("one", "two", "lb 3", "lb-10")
VALUES = {
    "A": ("192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.256", "192.0.2", "192.0.2.01"),
    "AAAA": ("2001:db8::1", "2001:DB8:0::1", "2001:db8::2", "2001:db8::g", "192.0.2.1"),
    "CNAME": ("a.example.net", "A.example.net.", "b.example.net.", "b..example.net"),
    "NS": ("ns1.example.net.", "ns2.example.net", "NS2.example.net."),
    "TXT": ('"a"', '"a" "b"', '"ab"', '"\\141"', "a", '"a', '"' + "a" * 256 + '"', '"\\é"', '"é"', '"\\"" ""'),
}
GOOD = {"A": 3, "AAAA": 3, "CNAME": 3, "NS": 3, "TXT": 4}
"""How many of them, from the first on, are well formed."""


def rarely(draw: st.DrawFn, one_in: int) -> bool:
    """Draw True once in so many; never where Hypothesis looks first, at the ends."""
    return draw(st.integers(0, one_in - 1)) == one_in // 2


def respelled(draw: st.DrawFn, name: str) -> str:
    """Draw one of the spellings of a canonical name."""
    how = draw(st.integers(0, 5))
    if how == 1:
        return name.upper() if "\\" not in name else name
    if how == 2:
        return name.removesuffix(".")
    if how == 3:
        return name.replace("*", "\\052")
    if how == 4 and name.startswith("a"):
        return "\\141" + name[1:]
    return name


@st.composite
def fresh_sets(draw: st.DrawFn, beside: Sequence[Set] = ()) -> Set:
    """Draw a record set of any name, or of the name of one of these, mostly of its type too."""
    pool = OUTSIDE if rarely(draw, 20) else INSIDE
    other = draw(st.sampled_from(beside)) if beside else None
    name = other["Name"] if other else draw(st.sampled_from(pool))
    record_type = draw(st.sampled_from(("A", "A", "A", "AAAA", "CNAME", "TXT", "NS")))
    if other and other["Type"] in VALUES and draw(st.integers(0, 3)):
        record_type = other["Type"]
    one: Set = {"Name": respelled(draw, name), "Type": record_type}
    routing = draw(st.sampled_from((None, None, "Weight", "Weight", "MultiValueAnswer", "Region")))
    if routing is not None:
        one["SetIdentifier"] = draw(st.sampled_from(IDENTIFIERS))
        one[routing] = {"Weight": draw(st.sampled_from((0, 10, 255))), "MultiValueAnswer": True, "Region": "eu-west-1"}[
            routing
        ]
    if record_type in ("A", "AAAA") and rarely(draw, 4):
        return one | {"AliasTarget": _target(draw)}
    many = draw(st.integers(1, 3)) if (routing != "Weight" and record_type != "CNAME") or rarely(draw, 10) else 1
    values = draw(st.lists(_values(draw, record_type), min_size=many, max_size=many, unique=not rarely(draw, 6)))
    return one | {"TTL": draw(st.sampled_from((60, 60, 60, 300))), "ResourceRecords": [{"Value": v} for v in values]}


def _values(draw: st.DrawFn, record_type: str) -> st.SearchStrategy[str]:
    good = VALUES[record_type][: GOOD[record_type]]
    return st.sampled_from(VALUES[record_type] if rarely(draw, 12) else good)


def _target(draw: st.DrawFn) -> dict[str, Any]:
    outside = rarely(draw, 10)
    return {
        "HostedZoneId": ZONE if draw(st.integers(0, 4)) else "ZELSEWHERE",
        "DNSName": respelled(draw, draw(st.sampled_from(OUTSIDE if outside else INSIDE[:4]))),
        "EvaluateTargetHealth": draw(st.booleans()),
    }


@st.composite
def changed_sets(draw: st.DrawFn, stands: Set) -> Set:
    """Draw a set like one that stands, with one thing about it another."""
    one = deepcopy(stands)
    fields = [field for field in ("TTL", "Weight", "ResourceRecords", "AliasTarget", "SetIdentifier") if field in one]
    field = draw(st.sampled_from((*fields, "HealthCheckId")))
    if field == "TTL":
        one["TTL"] += 1
    elif field == "Weight":
        one["Weight"] = (one["Weight"] + 1) % 256
    elif field == "ResourceRecords":
        pool = VALUES.get(one["Type"], ("1",))
        one["ResourceRecords"] = [{"Value": draw(st.sampled_from(pool))}, *one["ResourceRecords"][1:]]
    elif field == "AliasTarget":
        one["AliasTarget"] = _target(draw)
    elif field == "SetIdentifier":
        one["SetIdentifier"] = draw(st.sampled_from(IDENTIFIERS))
    else:
        one["HealthCheckId"] = "11111111-2222-4333-8444-555555555555"
    return one


def said_again(draw: st.DrawFn, stands: Set) -> Set:
    """Return a set as it stands, in another spelling where one is drawn."""
    one = deepcopy(stands) | {"Name": respelled(draw, stands["Name"])}
    if "ResourceRecords" in one and draw(st.booleans()):
        one["ResourceRecords"].reverse()
    if rarely(draw, 4):
        one.pop("MultiValueAnswer", None)
    return one


def malformed(draw: st.DrawFn, one: Set) -> Set:
    """Return a set whose form is wrong, or whose numbers are at a border."""
    wrong: Set = draw(
        st.sampled_from(
            (
                {"Name": "a..example.test"},
                {"Name": "a\\8.example.test"},
                {"Name": "é.example.test"},
                {"Name": "x" * 64 + ".example.test"},
                {"Weight": 256, "SetIdentifier": "one"},
                {"Weight": -1, "SetIdentifier": "one"},
                {"Weight": 255, "SetIdentifier": "one"},
                {"TTL": -1},
                {"TTL": 2**31},
                {"Weight": 1, "Region": "eu-west-1", "SetIdentifier": "one"},
                {"Region": "eu-west-1"},
                {"SetIdentifier": "x" * 129},
                {"SetIdentifier": "x" * 128},
                {"AliasTarget": {"HostedZoneId": ZONE, "DNSName": "a.example.test", "EvaluateTargetHealth": False}},
                {"ResourceRecords": []},
            )
        )
    )
    return one | wrong


def _steps(draw: st.DrawFn, stands: Sequence[Set], *, spoil: bool) -> list[Change]:
    """Draw one or two changes that belong together."""
    how = draw(st.integers(0, 13))
    if not stands or how < 4 or how > 11:
        action = draw(st.sampled_from(("UPSERT", "DELETE"))) if how == 3 else "CREATE"
        one = draw(fresh_sets(stands if how > 11 else ()))
        return [_change(action, malformed(draw, one) if spoil and rarely(draw, 20) else one)]
    old = draw(st.sampled_from(stands))
    again, other = said_again(draw, old), draw(changed_sets(old))
    match how:
        case 4 | 5:
            return [_change("DELETE", again)]
        case 6:
            return [_change("DELETE", other)]
        case 7:
            return [_change("DELETE", again), _change("CREATE", old)]
        case 8 | 9:
            return [_change("DELETE", again), _change("CREATE", other)]
        case 10:
            return [_change("CREATE", again)]
        case _:
            return [_change("UPSERT", other)]


def _change(action: str, one: Set) -> Change:
    return {"Action": action, "ResourceRecordSet": deepcopy(one)}


def first_batch() -> list[Change]:
    """Return a batch that gives a new zone something to be wrong about: a weighted group, a CNAME, a simple set, an alias."""
    names = [_plain(INSIDE[0], "A", "192.0.2.1"), _plain(INSIDE[0], "A", "192.0.2.2")]
    group = [one | {"SetIdentifier": word, "Weight": 10} for one, word in zip(names, IDENTIFIERS, strict=False)]
    alone = [_plain(INSIDE[2], "CNAME", "a.example.net"), _plain(INSIDE[1], "TXT", '"a"')]
    target = {"HostedZoneId": ZONE, "DNSName": INSIDE[0], "EvaluateTargetHealth": False}
    alias = {"Name": INSIDE[3], "Type": "A", "AliasTarget": target}
    return [_change("CREATE", one) for one in (*group, *alone, alias)]


def odd_batches(apex: Sequence[Set]) -> list[list[Change]]:
    """Return batches that are wrong at the apex, or in what no draw finds often enough."""
    two_hosts = {"ResourceRecords": [{"Value": "a.example.net"}, {"Value": "b.example.net"}]}
    return [
        *([_change("DELETE", one)] for one in apex),
        *([_change("DELETE", one), _change("CREATE", one | {"TTL": one["TTL"] + 1})] for one in apex),
        [_change("CREATE", _plain(ZONE_NAME, "CNAME", "a.example.net"))],
        [_change("CREATE", _plain(INSIDE[8], "CNAME", "a.example.net") | two_hosts)],
        [_change("UPSERT", _plain(INSIDE[0] + "..", "A", "192.0.2.1"))],
    ]


def _plain(name: str, record_type: str, value: str) -> Set:
    return {"Name": name, "Type": record_type, "TTL": 60, "ResourceRecords": [{"Value": value}]}


@st.composite
def batches(draw: st.DrawFn, stands: Sequence[Set], *, spoil: bool = True) -> list[Change]:
    """Draw a batch on a zone where these sets stand, some of them of a form that no client sends unless not to be spoilt."""
    elsewhere = [one for one in stands if one["Type"] not in APEX_TYPES]
    steps: list[Change] = []
    for _ in range(draw(st.sampled_from((1, 1, 2, 2, 3)))):
        steps += _steps(draw, stands if rarely(draw, 6) else elsewhere, spoil=spoil)
    order = draw(st.integers(0, 3))
    if order == 0:
        steps = draw(st.permutations(steps))
    elif order == 1:
        steps.sort(key=lambda step: str(step["Action"]) != "DELETE")
    return steps
