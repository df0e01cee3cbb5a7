"""One fleet file with every kind of fault that can stand beside others: all of them are named at once."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from planner.cli import main

LONG = ".".join(["l" * 60] * 4)
LENGTHY = ".".join(["l" * 58] * 4)
MANY = "".join(f"    - {{id: m-{n}, addresses: [198.51.100.{n}]}}\n" for n in range(101))
FILE = r"""
fleet: Edge
speed: 1
[odd]: key
zones:
  main: {id: Z0EXAMPLE, name: example.com.}
  again: {id: /hostedzone/Z0EXAMPLE, name: example.net.}
  named: {id: example.org, name: example.org.}
  nameless: {id: Z0NAMELESS}
  spaced: {id: z-1, name: exam ple.com., note: x}
  flat: Z0FLAT
  7: {id: Z0SEVEN, name: seven.example.}
defaults: {ttl: 0, routing: latency, types: [A, A, CNAME], speed: 1}
pools:
  blue:
    - {id: lb-1, capacity: -1, addresses: [192.0.2.1, 192.0.2.2]}
    - {id: lb-1, addresses: [192.0.2.3]}
    - {id: lb 2, capacity: 1O0, enabled: maybe, addresses: 192.0.2.4}
    - {capacity: .inf, addresses: [nowhere, 010.0.0.1, "fe80::1%eth0", "::ffff:192.0.2.1", 5]}
    - {id: lb-3, capacity: true, addresses: [192.0.2.3], alias: {name: a b.example., zone: lb.example, evaluate_target_health: 1}}
    - {id: lb-4, health_check: a check}
    - {id: lb-5, addresses: [], weight: 1}
    - {id: lb-6, alias: lb.example.net.}
    - {id: lb-7, alias: {name: lb..example.net., zone: Z0ALIAS}}
    - lb-8
  green:
    - {id: lb-1, addresses: [192.0.2.77]}
    - {id: lb-9, addresses: ["2001:db8::9"]}
  teal:
    - {id: lb-9, addresses: ["2001:db8::9"]}
    - {id: lb-10, alias: {name: simple.example.com., zone: Z0EXAMPLE, evaluate_target_health: true}}
  flat: lb-1
  sea green:
    - {id: lb-11, capacity: 0}
  many:
MANYendpoints:
  - {name: bad name, zone: main, pools: {blue: 1.0}, types: [A], routing: weighted, ttl: 60}
  - {name: api.example.net, zone: main, pools: {blue: 0}, types: [A], routing: weighted, ttl: 60}
  - {name: api.example.com, zone: named, pools: {green: 1.0, teal: 1.0}, types: [AAAA]}
  - {name: api.example.com., zone: named, pools: {}, ttl: 86401, routing: fastest, types: []}
  - {name: www.example.com, zone: mian, pools: {red: 1.0}}
  - {name: WWW.example.com, zone: mian, pools: {8: 1.0}, zone: main}
  - {name: _fence.example.com, zone: main, pools: {sea green: -1}, types: A}
  - {name: LONG.example.com, zone: main, pools: {blue: 1.0, green: 1.0}, types: [A], routing: weighted}
  - {name: LENGTHY.example.com, zone: main, pools: {}}
  - {name: simple.example.com, zone: main, pools: {teal: 1.0, green: 0.5}, types: [A, AAAA], routing: simple, ttl: 60}
  - {name: multi.example.com, zone: main, pools: {teal: 1.0}, routing: multivalue, types: [A], ttl: 1.5}
  - {pools: blue, weight: 1}
  - {name: 5, zone: 5, pools: {many: many}, routing: multivalue, types: [A]}
  - api.example.com
  - {name: ep..example.com, zone: nameless, pools: {blue: 1.0}}
retired:
  - api.example.com
  - {name: simple.example.com}
  - {name: simple.example.com, zone: main}
  - {name: old.example.com, zone: main}
  - {name: OLD.example.com, zone: main}
  - {zone: moon, why: x}
"""
WRONG = r"""
fleet.yaml:4:1: a key is plain text
fleet.yaml:143:58: the key 'zone' stands twice
speed: unknown key; known are fleet, zones, pools, endpoints, defaults, retired, sources, health, pace (line 3)
fleet: "Edge" does not match [a-z0-9-]{1,32} (line 2)
zones.7: 7 is a number, not text; put it in quotes (line 12)
zones.again.id: Z0EXAMPLE stands twice, first as zones.main (line 7)
zones.named.id: "example.org" looks like a name; a zone is given by its id (line 8)
zones.nameless.name: missing; write it like {id: Z0123456789ABC, name: example.com.} (line 9)
zones.spaced.note: unknown key; known are id, name (line 10)
zones.spaced.id: "z-1" is no hosted zone id (line 10)
zones.spaced.name: "exam ple.com." is no DNS name: it has a space in it; write \040 if that is meant (line 10)
zones.flat: "Z0FLAT" is text, not an object like {id: Z0123456789ABC, name: example.com.} (line 11)
pools."sea green": "sea green" does not match [A-Za-z0-9_-]{1,64} (line 33)
pools.blue[0].capacity: -1 is not above 0 (line 16)
pools.blue[0].addresses[1]: 192.0.2.2 is a second address of type A, after 192.0.2.1; a target holds one: give each its own id (line 16)
pools.blue[2].id: "lb 2" does not match [A-Za-z0-9._:-]{1,64} (line 18)
pools.blue[2].capacity: "1O0" is text, not a number above 0 (line 18)
pools.blue[2].enabled: "maybe" is text, not true or false (line 18)
pools.blue[2].addresses: "192.0.2.4" is text, not a list (line 18)
pools.blue[3].id: missing; write it like {id: lb-1, capacity: 100, addresses: [192.0.2.1, "2001:db8::1"]} (line 19)
pools.blue[3].capacity: inf is not finite (line 19)
pools.blue[3].addresses[0]: "nowhere" is no IPv4 or IPv6 address: it does not parse (line 19)
pools.blue[3].addresses[1]: "010.0.0.1" is no IPv4 or IPv6 address: leading zeros are read as octal by some (line 19)
pools.blue[3].addresses[2]: "fe80::1%eth0" has a scope, which DNS cannot carry (line 19)
pools.blue[3].addresses[3]: "::ffff:192.0.2.1" is an IPv4-mapped address; write 192.0.2.1 as type A (line 19)
pools.blue[3].addresses[4]: 5 is a number, not text; put it in quotes (line 19)
pools.blue[4].capacity: true is a boolean, not a number above 0 (line 20)
pools.blue[4]: addresses and alias exclude each other (line 20)
pools.blue[4].alias.name: "a b.example." is no DNS name: it has a space in it; write \040 if that is meant (line 20)
pools.blue[4].alias.zone: "lb.example" looks like a name; a zone is given by its id (line 20)
pools.blue[4].alias.evaluate_target_health: 1 is a number, not true or false (line 20)
pools.blue[5]: one of addresses and alias is required (line 21)
pools.blue[5].health_check: "a check" does not match [A-Za-z0-9-]{1,64} (line 21)
pools.blue[6].weight: unknown key; known are id, capacity, enabled, addresses, alias, drain, health_check (line 22)
pools.blue[6].addresses: empty; a load balancer out of service has enabled: false (line 22)
pools.blue[7].alias: "lb.example.net." is text, not an object like {name: lb.example.net., zone: Z0123456789ABC, evaluate_target_health: true} (line 23)
pools.blue[8].alias.evaluate_target_health: missing; write it like {name: lb.example.net., zone: Z0123456789ABC, evaluate_target_health: true} (line 24)
pools.blue[8].alias.name: "lb..example.net." is no DNS name: a label is empty (line 24)
pools.blue[9]: "lb-8" is text, not an object like {id: lb-1, capacity: 100, addresses: [192.0.2.1, "2001:db8::1"]} (line 25)
pools.blue[1].id: lb-1 stands twice in its pool, first as pools.blue[0] (line 17)
pools.flat: "lb-1" is text, not a list like [{id: lb-1, capacity: 100, addresses: [192.0.2.1, "2001:db8::1"]}] (line 32)
pools."sea green"[0].capacity: 0 is not above 0 (line 34)
pools."sea green"[0]: one of addresses and alias is required (line 34)
defaults.speed: unknown key; known are ttl, routing, types (line 13)
defaults.ttl: 0 is under 1 (line 13)
defaults.routing: "latency" is none of weighted, simple, multivalue (line 13)
defaults.types[2]: "CNAME" is none of A, AAAA (line 13)
defaults.types: ["A", "A", "CNAME"] names a type twice (line 13)
endpoints[0].name: "bad name" is no DNS name: it has a space in it; write \040 if that is meant (line 138)
pools.blue[4].addresses[0]: value 192.0.2.3 stands twice among the A targets of endpoints[0] and 3 endpoints more, first as pools.blue[1].addresses[0] (line 20)
endpoints[1].name: api.example.net. is not within zone example.com. (line 139)
endpoints[1].pools.blue: 0 is not above 0 (line 139)
endpoints[2].name: api.example.com. is not within zone example.org. (line 140)
endpoints[2].pools: lb-9 is in both pools green and teal; a load balancer stands behind an endpoint once (line 140)
endpoints[3].name: api.example.com. is not within zone example.org. (line 141)
endpoints[3].ttl: 86401 is over 86400 (line 141)
endpoints[3].routing: "fastest" is none of weighted, simple, multivalue (line 141)
endpoints[3].types: empty; an endpoint has A, AAAA or both (line 141)
endpoints[3].name: api.example.com. in zone "named" stands twice, first as endpoints[2] (line 141)
endpoints[4].zone: "mian" is none of the fleet's zones: 7, again, flat, main, named, nameless, spaced (line 142)
endpoints[4].pools.red: "red" is none of the fleet's pools: blue, flat, green, many, sea green, teal (line 142)
endpoints[5].zone: "mian" is none of the fleet's zones: 7, again, flat, main, named, nameless, spaced (line 143)
endpoints[5].pools.8: 8 is a number, not text; put it in quotes (line 143)
endpoints[5].name: www.example.com. in zone "mian" stands twice, first as endpoints[4] (line 143)
endpoints[6].name: label "_fence" of "_fence.example.com." belongs to fences, switches and self-tests (line 144)
endpoints[6].types: "A" is text, not a list (line 144)
endpoints[6].pools."sea green": "sea green" does not match [A-Za-z0-9_-]{1,64} (line 144)
endpoints[6].pools."sea green": -1 is not above 0 (line 144)
endpoints[7].name: "llllllllllllllllllllllllllllllllllllllll..." is no DNS name: 'LONG.example.com' is longer than 255 octets (line 145)
endpoints[7].pools: lb-1 is in both pools blue and green; a load balancer stands behind an endpoint once (line 145)
endpoints[8].name: the name of its fence would take 256 octets, over 255 (line 146)
endpoints[9].pools: lb-9 is in both pools teal and green; a load balancer stands behind an endpoint once (line 147)
pools.teal[1].alias: an alias stands alone in a simple A set, and simple.example.com. has 2 targets in it (line 31)
pools.teal[1].alias: an alias stands alone in a simple AAAA set, and simple.example.com. has 2 targets in it (line 31)
pools.teal[1].alias: simple.example.com. points to itself (line 31)
endpoints[10].ttl: 1.5 is a number with a point, not a whole number from 1 to 86400 (line 148)
pools.teal[1].alias: routing multivalue takes no alias (line 31)
endpoints[11].weight: unknown key; known are name, zone, pools, ttl, routing, types, health (line 149)
endpoints[11].name: missing; write it like {name: api.example.com, zone: main, pools: {blue: 1.0}} (line 149)
endpoints[11].zone: missing; write it like {name: api.example.com, zone: main, pools: {blue: 1.0}} (line 149)
endpoints[11].pools: "blue" is text, not an object like {blue: 1.0} (line 149)
endpoints[12].zone: 5 is none of the fleet's zones: 7, again, flat, main, named, nameless, spaced (line 150)
endpoints[12].name: 5 is a number, not text; put it in quotes (line 150)
endpoints[12].pools.many: "many" is text, not a number above 0 (line 150)
endpoints[12].targets: endpoints[12] has 101 targets of type A, over 100 (line 150)
endpoints[13]: "api.example.com" is text, not an object like {name: api.example.com, zone: main, pools: {blue: 1.0}} (line 151)
endpoints[14].name: "ep..example.com" is no DNS name: a label is empty (line 152)
retired[0]: "api.example.com" is text, not an object like {name: old.example.com, zone: main} (line 154)
retired[1].zone: missing; write it like {name: old.example.com, zone: main} (line 155)
retired[2].name: simple.example.com. in zone Z0EXAMPLE is also listed, as endpoints[9] (line 156)
retired[4].name: old.example.com. in zone Z0EXAMPLE is retired twice (line 158)
retired[5].why: unknown key; known are name, zone (line 159)
retired[5].name: missing; write it like {name: old.example.com, zone: main} (line 159)
retired[5].zone: "moon" is none of the fleet's zones: 7, again, flat, main, named, nameless, spaced (line 159)
"""


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`planner check` of a text, as the file `fleet.yaml` of the working directory: the lines on stderr, exit 1."""
    monkeypatch.chdir(tmp_path)

    def run(text: str) -> list[str]:
        (tmp_path / "fleet.yaml").write_text(text, encoding="utf-8")
        result = CliRunner().invoke(main, ["check", "fleet.yaml"], catch_exceptions=False)
        assert (result.exit_code, result.stdout) == (1, "")
        return result.stderr.splitlines()

    return run


def test_every_kind_of_fault_is_listed_at_once(check: Any) -> None:
    """Whoever mends what is listed is done: no fault waits behind another one."""
    text = FILE.replace("MANY", MANY).replace("LENGTHY", LENGTHY).replace("LONG", LONG)
    expected = WRONG.replace("LONG", LONG).strip().splitlines()
    assert check(text) == [*expected, f"fleet.yaml: {len(expected)} faults; nothing was done with it"]


SMALL = """
fleet: edge
zones: {main: {id: Z0EXAMPLE, name: example.com.}}
pools:
  blue:
    - {id: lb-1, capacity: 10, addresses: [192.0.2.1]}
    - {id: lb-1, capacity: 10, addresses: [192.0.2.2]}
    - {id: lb-3, capacity: 10, addresses: [192.0.2.2]}
endpoints:
  - {name: bad name, zone: main, pools: {blue: 1.0}}
  - {name: api.example.org, zone: main, pools: {blue: 1.0}}
  - {name: api.example.org, zone: main, pools: {blue: 1.0}}
retired: [{name: api.example.org, zone: main}]
"""
HIDDEN = (
    "pools.blue[1].id: lb-1 stands twice in its pool, first as pools.blue[0]",
    "pools.blue[2].addresses[0]: value 192.0.2.2 stands twice among the A targets of",
    'endpoints[0].name: "bad name" is no DNS name: it has a space in it',
    "endpoints[1].name: api.example.org. is not within zone example.com.",
    "endpoints[2].name: api.example.org. in zone",
    "retired[0].name: api.example.org. in zone",
)


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("fleet: edge", "fleet: Edge"),
        ("id: Z0EXAMPLE", "id: example.com"),
        ("id: Z0EXAMPLE, ", ""),
        ("{id: lb-1, capacity: 10, addresses: [192.0.2.2]", "{id: lb-1, capacity: -1, addresses: [192.0.2.2, nowhere]"),
        ("zone: main, pools: {blue: 1.0}", "zone: main, ttl: 0, routing: fast, pools: {blue: none}"),
        ("endpoints:", "defaults: {ttl: 0, types: [A, MX]}\nendpoints:"),
        ("{id: lb-3, ", "{id: lb 3, "),
        ("fleet: edge", "fleet: edge\nfleet: west"),
    ],
)
def test_no_fault_hides_another(check: Any, good: str, bad: str) -> None:
    """Whatever else is wrong, an id, an address or a name that stands twice and a wrong name are said."""
    plain, more = check(SMALL), check(SMALL.replace(good, bad))
    for message in HIDDEN:
        assert [line for line in plain if line.startswith(message)], message
        assert [line for line in more if line.startswith(message)], message
    assert len(more) > len(plain)
    assert "in zone ?" not in "\n".join(more)


def test_a_name_cannot_be_held_against_a_zone_without_a_name(check: Any) -> None:
    """What nobody can know is not guessed: without the zone's name no name is outside of it, and one zone does not shadow another."""
    lines = check(SMALL.replace(", name: example.com.", ""))
    assert not [line for line in lines if "not within" in line]
    lines = check(SMALL.replace("zones: {main", "zones: {other: {id: other.example, name: other.example}, main"))
    assert [line for line in lines if "endpoints[1].name: api.example.org. is not within zone example.com." in line]


def test_a_missing_section_is_one_fault_and_not_one_for_each_that_refers_to_it(check: Any) -> None:
    """Where there are no zones at all, no endpoint's zone is wrong besides."""
    lines = check("fleet: edge\nendpoints: [{name: api.example.com, zone: main, pools: {blue: 1}}]")
    assert lines[:-1] == ["zones: missing", "pools: missing"]


def test_every_doubled_key_and_every_tab_has_its_place(check: Any) -> None:
    """YAML's own faults are labelled by file, line and column, all of them at once."""
    assert check(SMALL.replace("fleet: edge", "fleet: edge\nfleet: west\nfleet: east"))[:2] == [
        "fleet.yaml:3:1: the key 'fleet' stands twice",
        "fleet.yaml:4:1: the key 'fleet' stands twice",
    ]
    assert check("fleet:\n\tedge\nzones:\n \tmain: x\n") == [
        "fleet.yaml:2:1: a tab cannot indent YAML; use spaces",
        "fleet.yaml:4:2: a tab cannot indent YAML; use spaces",
        "fleet.yaml: 2 faults; nothing was done with it",
    ]
    assert check("fleet: [edge\nzones: {}")[0].startswith("fleet.yaml:2:6: while parsing a flow sequence")
    assert check("fleet: ed\x00ge")[0].startswith("fleet.yaml: unacceptable character #x0000")


@pytest.mark.parametrize("text", ["", "# only a remark\n", "null\n"])
def test_an_empty_file_is_said_to_be_empty(check: Any, text: str) -> None:
    """And what belongs into it."""
    assert check(text)[0] == "fleet.yaml: it is empty; a fleet file has fleet, zones, pools, endpoints"


def test_a_file_that_is_something_else_is_named(check: Any) -> None:
    """A fault of the whole file bears the file's name."""
    assert check("- a\n- b\n")[0] == 'fleet.yaml: ["a", "b"] is a list, not an object'


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        (
            "retired: [{name: api.example.org, zone: main}]",
            "retired: [old.example.com]",
            'retired[0]: "old.example.com" is text, not an object like {name: old.example.com, zone: main}',
        ),
        (
            "retired: [{name: api.example.org, zone: main}]",
            "retired: [{name: old.example.com}]",
            "retired[0].zone: missing; write it like {name: old.example.com, zone: main}",
        ),
        (
            "retired: [{name: api.example.org, zone: main}]",
            "retired:",
            "retired: empty, not a list like [{name: old.example.com, zone: main}]",
        ),
        (
            "    - {id: lb-3, capacity: 10, addresses: [192.0.2.2]}",
            "    - 192.0.2.2",
            'pools.blue[2]: "192.0.2.2" is text, not an object like {id: lb-1, capacity: 100, addresses: [192.0.2.1, "2001:db8::1"]}',
        ),
        (
            "pools: {blue: 1.0}}",
            "pools: [blue]}",
            'endpoints[0].pools: ["blue"] is a list, not an object like {blue: 1.0}',
        ),
        (
            "  - {name: bad name, zone: main, pools: {blue: 1.0}}",
            "  - api.example.com",
            'endpoints[0]: "api.example.com" is text, not an object like {name: api.example.com, zone: main, pools: {blue: 1.0}}',
        ),
    ],
)
def test_a_wrong_form_is_answered_with_a_right_one(check: Any, good: str, bad: str, message: str) -> None:
    """Retired names, pools and endpoints: the message has an example to copy."""
    assert message in [line.rpartition(" (line ")[0] for line in check(SMALL.replace(good, bad))]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("[{a: [1, {b: c}]}, 2, 3, 4, 5]", '[{"a": [...]}, 2, 3, 4, ...] is a list, not text'),
        ("{a: [], b: {}, 5: null}", '{"a": [], "b": {}, 5: null} is an object, not text'),
        ("&x [*x, no]", '[[[...], "no"], "no"] is a list, not text'),
        ("true", "true is a boolean, not text"),
        ("5", "5 is a number, not text; put it in quotes"),
    ],
)
def test_what_stands_where_text_should_is_shown_as_it_was_written(check: Any, bad: str, message: str) -> None:
    """In the words of YAML and JSON, cut short, and not in Python's; with the line to go to."""
    lines = check(SMALL.replace("name: bad name", f"name: {bad}"))
    assert f"endpoints[0].name: {message} (line 10)" in lines


def test_an_address_that_stands_twice_is_said_once_for_all_that_use_its_pool(check: Any) -> None:
    """One mistake in a pool is one line, at the first endpoint, with how many more there are."""
    file = SMALL.split("endpoints:", maxsplit=1)[0].replace(
        "{id: lb-1, capacity: 10, addresses: [192.0.2.2]}", "{id: lb-2, addresses: [192.0.2.2]}"
    )
    names = "".join(f"  - {{name: ep{n}.example.com, zone: main, pools: {{blue: 1.0}}}}\n" for n in range(5))
    what = "pools.blue[2].addresses[0]: value 192.0.2.2 stands twice among the A targets of ep0.example.com."
    first = "first as pools.blue[1].addresses[0] (line 8)"
    for used, more in (
        (1, ""),
        (2, " and 1 endpoint more"),
        (3, " and 2 endpoints more"),
        (5, " and 4 endpoints more"),
    ):
        listed = "".join(names.splitlines(keepends=True)[:used])
        assert check(f"{file}endpoints:\n{listed}")[0] == f"{what}{more}, {first}"


def test_warnings_are_shown_while_faults_remain(check: Any) -> None:
    """What is sure however the file is mended: an address that nobody reaches, and a pool that no endpoint names."""
    text = SMALL.replace("[192.0.2.1]", "[127.0.0.1]").replace("pools:\n", "pools:\n  green: []\n  red: 5\n", 1)
    assert [line for line in check(text) if line.startswith("warning: ")] == [
        "warning: pools.blue[0].addresses[0]: 127.0.0.1 is a loopback address: a client reaches itself there (line 8)",
        "warning: pools.green: no endpoint uses it (line 5)",
        "warning: pools.red: no endpoint uses it (line 6)",
    ]
    assert not [line for line in check(text.replace("pools: {blue: 1.0}", "pools: blue", 1)) if "no endpoint" in line]


def test_a_tag_is_a_fault_with_its_place(check: Any) -> None:
    """And what stands behind it is judged all the same."""
    lines = check(SMALL.replace("name: bad name", "name: !secret bad name"))
    assert lines[0] == "fleet.yaml:10:12: the tag !secret is none that is read here; leave it out"
    assert [line for line in lines if line.startswith("endpoints[0].name: ")]


def test_a_space_that_is_meant_is_written_as_an_escape(check: Any) -> None:
    """Octets that DNS can carry are still possible, as Route 53 writes them."""
    lines = check(SMALL.replace("bad name", r"bad\040name.example.com"))
    assert not [line for line in lines if line.startswith("endpoints[0].name")]
