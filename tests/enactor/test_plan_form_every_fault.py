"""One plan file with every kind of fault that can stand beside others: all of them are named at once."""

import json

from enactor.plan_form import read_plan

from .plan_file_builders import endpoint, plan

LONG = ".".join(["l" * 60] * 4)
LENGTHY = ".".join(["l" * 57] * 4)
MANY = ", ".join(f'{{"id": "m-{n}", "type": "A", "value": "198.51.100.{n}", "weight": 1}}' for n in range(101))
FILE = r"""
{"format": 2, "fleet": "Edge", "speed": 1, "retired": {}, "format": true,
 "endpoints": [
  {"name": "bad name.example.com", "zone": "example.com", "routing": "Weighted", "ttl": 0, "speed": 1, "targets": [
    {"id": "lb 1", "type": "a", "value": "192.0.2.256", "weight": 256, "health_check": "no check", "wieght": 1},
    {"id": "lb-2", "type": "MX", "value": "192.0.2.2", "weight": "1O0", "weight": -1},
    {"id": "lb-2", "type": "A", "value": "192.0.2.2", "weight": true},
    {"id": "lb-3", "type": "AAAA", "value": "192.0.2.2", "weight": 1.5},
    {"id": "lb-4", "type": "A", "value": "2001:db8::1", "weight": NaN},
    {"id": "lb-5", "type": "A", "value": "2001:db8::1", "weight": null},
    {"id": "lb-6", "type": "AAAA", "value": "fe80::1%eth0", "weight": 1e999},
    {"id": "lb-7", "type": "AAAA", "value": "::ffff:192.0.2.1"},
    {"id": "lb-8", "type": "TXT", "value": "192.0.2.01", "weight": NINES},
    {"id": "lb-9", "type": "NS", "value": "ns 1.example.net", "weight": 1},
    {"type": "A", "value": 3, "weight": 1},
    {"id": "lb-10", "value": "fe80::1%eth0", "weight": 1},
    {},
    "192.0.2.9"]},
  {"name": "api.example.com", "zone": "Z1", "routing": "weighted", "targets": [
    {"id": "lb-1", "type": "A", "weight": 1, "alias": {"name": "a b.example.net", "zone": "lb.example", "evaluate_target_health": 1}},
    {"id": "lb-1", "type": "A", "weight": 1, "alias": {"name": "lb.example.net", "zone": "lb.example", "evaluate_target_health": true}},
    {"id": "lb-3", "type": "A", "weight": 1, "alias": {"name": "LB.example.net", "zone": "lb.example", "evaluate_target_health": true}},
    {"id": "lb-4", "type": "A", "weight": 1, "alias": {"name": "api.example.com", "zone": "Z1", "evaluate_target_health": "yes"}},
    {"id": "lb-5", "type": "A", "weight": 1, "alias": {"name": "lb..example.net", "speed": 1}},
    {"id": "lb-6", "type": "A", "weight": 1, "alias": "lb.example.net", "value": "nowhere"},
    {"id": "lb-7", "type": "A", "weight": 300}]},
  {"name": "API.example.com.", "zone": "/hostedzone/Z1", "routing": "weighted", "ttl": 86401, "targets": [
    {"id": "c-1", "type": "CNAME", "value": "api.example.com", "weight": 300},
    {"id": "c-2", "type": "cname", "value": "a\tb.example.net", "weight": 1, "alias": {}},
    {"id": "c-3", "type": "A", "value": "192.0.2.1", "weight": 1, "health_check": 7}]},
  {"name": "simple.example.com", "zone": "Z1", "routing": "simple", "targets": [
    {"id": "lb-1", "type": "A", "value": "192.0.2.1", "weight": 300},
    {"id": "lb 2", "type": "A", "alias": {"name": "lb.example.net", "zone": "Z2"}, "health_check": "abc"},
    {"id": "c-1", "type": "CNAME", "value": "a..b", "weight": null},
    {"id": "c-2", "type": "CNAME", "value": "a.example.net", "health_check": "no check"}]},
  {"name": "multi.example.com", "zone": "Z1", "routing": "MULTIVALUE ", "ttl": "60", "targets": [
    {"id": 1, "type": "A", "weight": 1, "alias": "lb.example.net"},
    {"type": "CNAME", "value": "a.example.net", "weight": "x"}]},
  {"name": "many.example.com", "zone": "Z1", "routing": "latency", "ttl": 60, "targets": [MANY, {"type": "A", "value": "x"}]},
  {"name": "_apex.LENGTHY.example.com", "zone": "z1", "routing": null, "ttl": 60, "targets": {}},
  {"name": "LONG.example.com", "zone": "", "routing": [], "ttl": 60, "targets": []},
  {"name": "HUGE", "zone": 7, "routing": "simple", "ttl": 60, "targets": ["192.0.2.1"]},
  {"name": "ep..example.com", "zone": "example.com", "routing": "simple", "targets": ["192.0.2.1"]},
  {"name": "ep..example.com", "zone": "example.com", "routing": "simple", "targets": []},
  {"name": " api.example.com", "zone": "Z1", "routing": "simple", "targets": []},
  {"name": "twice.example.com", "routing": "simple", "targets": []},
  {"name": "twice.example.com", "routing": "simple", "targets": []},
  {"name": 5},
  {},
  "api.example.com"],
 "retired": [
  {"name": "api.example.com", "zone": "Z1", "why": "x"},
  {"name": "old.example.com", "zone": "Z1", "why": "x"},
  {"name": "OLD.example.com", "zone": "Z1"},
  {"name": "simple.example.com", "zone": "Z1"},
  {"name": "SIMPLE.example.com", "zone": "Z1"},
  {"name": "ep..example.com", "zone": "example.com"},
  {"name": "twice.example.com"},
  {"name": "a b.example.com"},
  {"zone": "moon"},
  "api.example.com"]}
"""
WRONG = r"""
format: the key stands twice
retired: the key stands twice
speed: unknown key; known are format, fleet, endpoints, retired
format: true is not the number 1
fleet: "Edge" does not match [a-z0-9-]{1,32}
endpoints[0].speed: unknown key; known are name, zone, routing, targets, ttl
endpoints[0].ttl: 0 is under 1
endpoints[0].routing: "Weighted" is none of weighted, simple, multivalue
endpoints[0].name: "bad name.example.com" is no DNS name: it has a space in it; write \040 if that is meant
endpoints[0].zone: "example.com" looks like a name; a zone is given by its id
endpoints[0].targets[0].wieght: unknown key; known are id, type, value, alias, weight, health_check
endpoints[0].targets[0].id: "lb 1" does not match [A-Za-z0-9._:-]{1,64}
endpoints[0].targets[0].type: "a" is none of A, AAAA, CNAME
endpoints[0].targets[0].weight: 256 is over 255
endpoints[0].targets[0].value: "192.0.2.256" is no IPv4 or IPv6 address: it does not parse
endpoints[0].targets[0].health_check: "no check" does not match [A-Za-z0-9-]{1,64}
endpoints[0].targets[1].weight: the key stands twice
endpoints[0].targets[1].type: "MX" is none of A, AAAA, CNAME
endpoints[0].targets[1].weight: -1 is under 0
endpoints[0].targets[2].weight: true is true or false, not a whole number from 0 to 255
endpoints[0].targets[3].weight: 1.5 is a number with a point, not a whole number from 0 to 255
endpoints[0].targets[3].value: "192.0.2.2" is an IPv4 address, which type AAAA cannot hold
endpoints[0].targets[4].weight: NaN is no JSON number, not a whole number from 0 to 255
endpoints[0].targets[4].value: "2001:db8::1" is an IPv6 address, which type A cannot hold
endpoints[0].targets[5].weight: null is null, not a whole number from 0 to 255
endpoints[0].targets[5].value: "2001:db8::1" is an IPv6 address, which type A cannot hold
endpoints[0].targets[6].weight: inf is a number with a point, not a whole number from 0 to 255
endpoints[0].targets[6].value: "fe80::1%eth0" has a scope, which DNS cannot carry
endpoints[0].targets[7].value: "::ffff:192.0.2.1" is an IPv4-mapped address; write 192.0.2.1 as type A
endpoints[0].targets[8].type: "TXT" is none of A, AAAA, CNAME
endpoints[0].targets[8].weight: NINES77... is a number of 5000 characters, not a whole number from 0 to 255
endpoints[0].targets[8].value: "192.0.2.01" is no IPv4 or IPv6 address: leading zeros are read as octal by some
endpoints[0].targets[9].type: "NS" is none of A, AAAA, CNAME
endpoints[0].targets[9].value: "ns 1.example.net" is no DNS name: it has a space in it; write \040 if that is meant
endpoints[0].targets[10].id: missing
endpoints[0].targets[10].value: 3 is a number, not text; put it in quotes
endpoints[0].targets[11].type: missing
endpoints[0].targets[11].value: "fe80::1%eth0" has a scope, which DNS cannot carry
endpoints[0].targets[12].id: missing
endpoints[0].targets[12].type: missing
endpoints[0].targets[12]: one of value and alias is required
endpoints[0].targets[13]: "192.0.2.9" is text, not an object
endpoints[0].targets[2].id: id lb-2 stands twice among the A targets of endpoints[0], first as endpoints[0].targets[1]
endpoints[0].targets[2].value: value 192.0.2.2 stands twice among the A targets of endpoints[0], first as endpoints[0].targets[1]
endpoints[0].targets[5].value: value 2001:db8::1 stands twice among the A targets of endpoints[0], first as endpoints[0].targets[4]
endpoints[0].targets[7].weight: missing; a weighted target needs a whole number from 0 to 255
endpoints[0].targets[12].weight: missing; a weighted target needs a whole number from 0 to 255
endpoints[1].targets[0].alias.name: "a b.example.net" is no DNS name: it has a space in it; write \040 if that is meant
endpoints[1].targets[0].alias.zone: "lb.example" looks like a name; a zone is given by its id
endpoints[1].targets[0].alias.evaluate_target_health: 1 is a number, not true or false
endpoints[1].targets[1].alias.zone: "lb.example" looks like a name; a zone is given by its id
endpoints[1].targets[2].alias.zone: "lb.example" looks like a name; a zone is given by its id
endpoints[1].targets[3].alias.evaluate_target_health: "yes" is text, not true or false
endpoints[1].targets[4].alias.speed: unknown key; known are name, zone, evaluate_target_health
endpoints[1].targets[4].alias.zone: missing
endpoints[1].targets[4].alias.evaluate_target_health: missing
endpoints[1].targets[4].alias.name: "lb..example.net" is no DNS name: a label is empty
endpoints[1].targets[5]: value and alias exclude each other
endpoints[1].targets[5].value: "nowhere" is no IPv4 or IPv6 address: it does not parse
endpoints[1].targets[5].alias: "lb.example.net" is text, not an object
endpoints[1].targets[6].weight: 300 is over 255
endpoints[1].targets[6]: one of value and alias is required
endpoints[1].ttl: missing; api.example.com. has targets that are no alias
endpoints[1].targets[1].id: id lb-1 stands twice among the A targets of api.example.com., first as endpoints[1].targets[0]
endpoints[1].targets[2].alias: alias lb.example.net. stands twice among the A targets of api.example.com., first as endpoints[1].targets[1]
endpoints[1].targets[3].alias: api.example.com. points to itself
endpoints[2].ttl: 86401 is over 86400
endpoints[2].targets[0].weight: 300 is over 255
endpoints[2].targets[1].type: "cname" is none of A, AAAA, CNAME
endpoints[2].targets[1]: value and alias exclude each other
endpoints[2].targets[1].value: "a\tb.example.net" is no DNS name: it has the character '\t' in it; write \011 if that is meant
endpoints[2].targets[1].alias.name: missing
endpoints[2].targets[1].alias.zone: missing
endpoints[2].targets[1].alias.evaluate_target_health: missing
endpoints[2].targets[1].alias: a CNAME is no alias; use value
endpoints[2].targets[2].health_check: 7 is a number, not text; put it in quotes
endpoints[2].targets[0].type: a CNAME stands alone at its name, and api.example.com. has A too
endpoints[2].targets[0].value: api.example.com. points to itself
endpoints[2].name: api.example.com. in zone Z1 stands twice, first as endpoints[1]
endpoints[3].targets[0].weight: 300 is over 255
endpoints[3].targets[1].id: "lb 2" does not match [A-Za-z0-9._:-]{1,64}
endpoints[3].targets[1].alias.evaluate_target_health: missing
endpoints[3].targets[2].weight: null is null, not a whole number from 0 to 255
endpoints[3].targets[2].value: "a..b" is no DNS name: a label is empty
endpoints[3].targets[3].health_check: "no check" does not match [A-Za-z0-9-]{1,64}
endpoints[3].ttl: missing; simple.example.com. has targets that are no alias
endpoints[3].targets[0].weight: 300 means nothing where routing is simple
endpoints[3].targets[2].weight: null means nothing where routing is simple
endpoints[3].targets[1].alias: an alias stands alone in a simple A set, and simple.example.com. has 2 targets in it
endpoints[3].targets[0].health_check: a simple A set has one health check, and its targets name abc, none
endpoints[3].targets[2].type: a CNAME stands alone at its name, and simple.example.com. has A too
endpoints[3].targets[3].value: a simple CNAME set holds one value, and simple.example.com. has 2
endpoints[4].ttl: "60" is text, not a whole number from 1 to 86400
endpoints[4].routing: "MULTIVALUE " is none of weighted, simple, multivalue
endpoints[4].targets[0].id: 1 is a number, not text; put it in quotes
endpoints[4].targets[0].alias: "lb.example.net" is text, not an object
endpoints[4].targets[1].id: missing
endpoints[4].targets[1].weight: "x" is text, not a whole number from 0 to 255
endpoints[4].targets[0].weight: 1 means nothing where routing is multivalue
endpoints[4].targets[1].weight: "x" means nothing where routing is multivalue
endpoints[4].targets[0].alias: routing multivalue takes no alias
endpoints[4].targets[1].type: routing multivalue takes no CNAME
endpoints[4].targets[1].type: a CNAME stands alone at its name, and multi.example.com. has A too
endpoints[5].routing: "latency" is none of weighted, simple, multivalue
endpoints[5].targets[101].id: missing
endpoints[5].targets[101].value: "x" is no IPv4 or IPv6 address: it does not parse
endpoints[5].targets: many.example.com. has 102 targets of type A, over 100
endpoints[6].routing: null is none of weighted, simple, multivalue
endpoints[6].name: label "_apex" of "_apex.llllllllllllllllllllllllllllllllll..." belongs to fences, switches and self-tests
endpoints[6].name: the name of its fence would take 258 octets, over 255
endpoints[6].zone: "z1" is no hosted zone id
endpoints[6].targets: {} is an object, not a list
endpoints[7].routing: [] is none of weighted, simple, multivalue
endpoints[7].name: "llllllllllllllllllllllllllllllllllllllll..." is no DNS name: 'LONG.example.com' is longer than 255 octets
endpoints[7].zone: "" is no hosted zone id
endpoints[8].name: "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh..." is no DNS name: it has 5000 characters, and a name at most 255 octets
endpoints[8].zone: 7 is a number, not text; put it in quotes
endpoints[8].targets[0]: "192.0.2.1" is text, not an object
endpoints[9].name: "ep..example.com" is no DNS name: a label is empty
endpoints[9].zone: "example.com" looks like a name; a zone is given by its id
endpoints[9].targets[0]: "192.0.2.1" is text, not an object
endpoints[9].ttl: missing; endpoints[9] has targets that are no alias
endpoints[10].name: "ep..example.com" is no DNS name: a label is empty
endpoints[10].zone: "example.com" looks like a name; a zone is given by its id
endpoints[10].name: ep..example.com in zone example.com stands twice, first as endpoints[9]
endpoints[11].name: " api.example.com" is no DNS name: it has a space in it; write \040 if that is meant
endpoints[11].name: api.example.com. in zone Z1 stands twice, first as endpoints[1]
endpoints[12].zone: missing
endpoints[13].zone: missing
endpoints[14].zone: missing
endpoints[14].routing: missing
endpoints[14].targets: missing
endpoints[14].name: 5 is a number, not text; put it in quotes
endpoints[15].name: missing
endpoints[15].zone: missing
endpoints[15].routing: missing
endpoints[15].targets: missing
endpoints[16]: "api.example.com" is text, not an object
retired[0].why: unknown key; known are name, zone
retired[0].name: api.example.com. in zone Z1 is also listed, as endpoints[1]
retired[1].why: unknown key; known are name, zone
retired[2].name: old.example.com. in zone Z1 is retired twice
retired[3].name: simple.example.com. in zone Z1 is also listed, as endpoints[3]
retired[4].name: simple.example.com. in zone Z1 is also listed, as endpoints[3]
retired[4].name: simple.example.com. in zone Z1 is retired twice
retired[5].name: "ep..example.com" is no DNS name: a label is empty
retired[5].zone: "example.com" looks like a name; a zone is given by its id
retired[5].name: ep..example.com in zone example.com is also listed, as endpoints[9]
retired[6].zone: missing
retired[7].zone: missing
retired[7].name: "a b.example.com" is no DNS name: it has a space in it; write \040 if that is meant
retired[8].name: missing
retired[8].zone: "moon" is no hosted zone id
retired[9]: "api.example.com" is text, not an object
format: 2 is unknown; this version reads format 1
retired: {} is an object, not a list
endpoints[0].targets[1].weight: "1O0" is text, not a whole number from 0 to 255
"""


def test_every_kind_of_fault_is_listed_at_once() -> None:
    """Whoever mends what is listed is done: no fault waits behind another one, nor behind a format that is not known."""
    text = FILE.replace("MANY", MANY).replace("LENGTHY", LENGTHY).replace("LONG", LONG)
    reading = read_plan(text.replace("NINES", "9" * 5000).replace("HUGE", "h" * 5000))
    expected = WRONG.replace("NINES77", "9" * 77).replace("LONG", LONG).strip().splitlines()
    assert [str(fault) for fault in reading.faults] == expected
    assert reading.plan is None


def test_both_values_of_a_doubled_key_are_judged() -> None:
    """Whoever mends it may keep either of them."""
    text = json.dumps(plan(endpoint())).replace('"ttl": 60', '"ttl": 0, "ttl": 60, "ttl": "x"')
    assert [str(fault) for fault in read_plan(text).faults] == [
        "endpoints[0].ttl: the key stands twice",
        'endpoints[0].ttl: "x" is text, not a whole number from 1 to 86400',
        "endpoints[0].ttl: 0 is under 1",
    ]


def test_as_many_values_are_judged_as_any_key_has() -> None:
    """Whichever key has the most, and wherever it stands: nobody knows which of them is kept."""
    twice, thrice = '"routing": "weighted", "routing": "weighted"', '"ttl": 60, "ttl": "x", "ttl": 60'
    text = json.dumps(
        plan(endpoint(ttl=1, routing="simple"), endpoint(name="ep2.example.test", ttl=1, routing="simple"))
    )
    first = text.replace('"ttl": 1', thrice, 1).replace('"routing": "simple"', twice).replace('"ttl": 1', '"ttl": 60')
    paths = [fault.path for fault in read_plan(first).faults if "stands twice" not in fault.message]
    assert paths == ["endpoints[0].ttl"]


def test_four_values_of_a_key_are_judged_and_no_more() -> None:
    """The first three and the last, as each takes a reading of the whole file."""
    text = json.dumps(plan(endpoint())).replace('"ttl": 60', ", ".join(f'"ttl": {n}' for n in (0, -1, -2, -3, -4, -5)))
    said = [fault.message for fault in read_plan(text).faults]
    assert said == ["the key stands twice", *(f"{n} is under 1" for n in (-5, 0, -1, -2))]
