"""A zone that people made by hand comes into service through `planner import`, and not one record set of it changes."""

import json
from pathlib import Path
from typing import Any

from .world import World, record

ALIAS = {
    "DNSName": "dualstack.lb-1.eu-west-1.elb.amazonaws.com.",
    "HostedZoneId": "Z32O12XQLNTSW2",
    "EvaluateTargetHealth": True,
}
CHECK = "11111111-2222-3333-4444-555555555555"


def by_hand(world: World) -> None:
    """Make a zone of every routing that a fleet file can say, and some that it cannot."""

    def one(label: str, value: str, of: str = "A", **more: Any) -> dict[str, Any]:
        return record(value, name=f"{label}example.test.", of=of, **more)

    for number, weight in ((1, 100), (2, 100), (3, 50)):
        id_ = {"SetIdentifier": f"lb-{number}"}
        v4, v6 = f"192.0.2.{number}", f"2001:DB8:0:0::{number}"
        world.edit("CREATE", one("api.", v4, Weight=weight, **id_), one("api.", v6, "AAAA", Weight=weight, **id_))
        world.edit("CREATE", one("api-v4.", v4, Weight=weight // 10, **id_))
        world.edit("CREATE", one("many.", v4, MultiValueAnswer=True, HealthCheckId=CHECK, TTL=30, **id_))
    all_of_them = {"ResourceRecords": [{"Value": f"192.0.2.{number}"} for number in (3, 1, 2)]}
    world.edit("CREATE", one("www.", "", TTL=300) | all_of_them)
    for name in ("example.test.", "*.example.test."):
        world.edit("CREATE", {"Name": name, "Type": "A", "AliasTarget": ALIAS})
    world.edit("CREATE", {"Name": "*.example.test.", "Type": "AAAA", "AliasTarget": ALIAS})
    here = {"DNSName": "api.example.test.", "HostedZoneId": world.zone, "EvaluateTargetHealth": False}
    world.edit("CREATE", {"Name": "v2.example.test.", "Type": "A", "AliasTarget": here})
    world.edit("CREATE", one("mail.", "10 mx.example.net.", "MX"), one("docs.", "docs.example.net.", "CNAME"))
    for number, weight in ((1, 0), (2, 10)):
        world.edit("CREATE", one("drained.", f"192.0.2.{number}", SetIdentifier=f"lb-{number}", Weight=weight))


def standing(world: World) -> list[dict[str, Any]]:
    """What the zone holds besides switch and fences."""
    return [one for one in world.sandbox.zone(world.zone).sets() if "._fence." not in one["Name"]]


def test_a_zone_made_by_hand_is_imported_adopted_and_enacted_without_a_change(bare: World) -> None:
    """Import, init, publish, adopt --all, once: every imported name is current, and the zone is as it was made."""
    by_hand(bare)
    before = standing(bare)
    result = bare.plan("import")
    assert result.exit_code == 3
    path = Path(bare.folder / "imported.yaml")
    path.write_text(result.stdout)
    left_out = [
        line.split()[3] for line in result.stderr.splitlines() if "left out " in line and "imported" not in line
    ]
    assert left_out == ["docs.example.test.", "drained.example.test."]

    assert bare.run("init", "--zone", bare.zone).exit_code == 0
    published = bare.plan("publish", str(path))
    assert published.exit_code == 0, published.output
    assert bare.run("adopt", "--all", "--yes").exit_code == 0
    shown = json.loads(bare.plan("dry-run", str(path), "--json").stdout)["endpoints"]
    assert {(one["state"], one["action"], one["changes"]) for one in shown} == {("current", "none", 0)}
    assert not any(part for one in shown for part in one["change"].values())

    status, report = bare.once()
    assert status == 0, report
    assert {one["state"] for one in report["endpoints"]} == {"current"}
    assert {one["action"] for one in report["endpoints"]} == {"none"}
    assert len(report["endpoints"]) == 7
    assert standing(bare) == before

    again = bare.plan("dry-run", str(path), "--detailed-exitcode")
    assert again.exit_code == 0, again.output
    assert bare.plan("import").stdout == result.stdout
