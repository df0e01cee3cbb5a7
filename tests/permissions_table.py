"""Write the tables of docs/permissions.md: what the template lets each role do, and by which statement.

python -m tests.permissions_table
"""

from pathlib import Path
from typing import Any, Final

from cfnlint.decode.cfn_yaml import load

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "permissions.md"
TEMPLATE: Final = ROOT / "deploy" / "cloudformation.yaml"
BEGIN: Final = "<!-- written by python -m tests.permissions_table -->\n"
END: Final = "<!-- end -->\n"
ROLES: Final = {
    "enactor": "EnactorPolicy",
    "planner": "PlannerPolicy",
    "reader": "ReadOnlyPolicy",
    "operator": "OperatorPolicy",
}


def table() -> str:
    """Return a row for each action, with a mark for each role."""
    resources: Any = load(str(TEMPLATE))["Resources"]
    granted: dict[str, set[str]] = {}
    for role, name in ROLES.items():
        for statement in resources[name]["Properties"]["PolicyDocument"]["Statement"]:
            action = statement["Action"]
            for one in [action] if isinstance(action, str) else action:
                granted.setdefault(one, set()).add(role)
    lines = [f"| action | {' | '.join(ROLES)} |", f"| --- |{' :-: |' * len(ROLES)}"]
    lines += [
        f"| `{action}` | {' | '.join('x' if role in roles else '' for role in ROLES)} |"
        for action, roles in sorted(granted.items())
    ]
    return "\n".join(lines) + "\n"


def renewed(page: str) -> str:
    """Return the page with its table as the template has it."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
