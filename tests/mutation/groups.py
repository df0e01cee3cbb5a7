"""Which modules are mutated together, and which tests may kill their mutants."""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Group(NamedTuple):
    """Modules that are mutated in one copy, and the tests that may kill their mutants: fast ones, near them."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    package: str = "enactor"


GROUPS: Final[Mapping[str, Group]] = {
    "writes": Group(
        ("gate", "swap", "survivors", "drain", "batch", "sending", "guards", "plan_guards", "aliases"),
        (
            "enactor/test_gate",
            "enactor/test_gate_counts",
            "enactor/test_gate_permits",
            "enactor/test_gate_one_type",
            "enactor/test_swap",
            "enactor/test_drain",
            "enactor/test_swap_refusals",
            "enactor/test_swap_survivors",
            "enactor/test_batch",
            "enactor/test_batch_answers",
            "enactor/test_sending",
            "enactor/test_aliases",
            "enactor/test_guards",
            "enactor/test_guard_numbers",
            "enactor/test_plan_guards",
        ),
    ),
    "zones": Group(
        (
            "fence",
            "references",
            "standing",
            "judge",
            "marks",
            "brake",
            "observe",
            "plan_index",
            "names",
            "records",
            "wire",
        ),
        (
            "enactor/test_names_and_fences",
            "enactor/test_observe",
            "enactor/test_references",
            "enactor/test_standing",
            "enactor/test_judge",
            "enactor/test_judge_surroundings",
            "enactor/test_marks",
            "enactor/test_marks_texts",
            "enactor/test_brake",
            "enactor/test_brake_generations",
            "enactor/test_records",
            "enactor/test_address_spelling",
            "enactor/test_wire",
            "properties/test_fence_texts",
            "properties/test_names",
        ),
    ),
    "reports": Group(
        ("report", "cycle_report", "backoff", "budget"),
        (
            "enactor/test_report",
            "enactor/test_cycle_report",
            "enactor/test_troubles",
            "enactor/test_backoff",
            "enactor/test_budget",
        ),
    ),
    "live": Group(
        ("live_report", "live", "live_overview", "chores", "recalled"),
        ("enactor/test_live", "enactor/test_live_overview", "enactor/test_chores", "enactor/test_recalled"),
    ),
    "outside": Group(("seen_outside",), ("enactor/test_seen_outside",)),
    "looks": Group(
        ("history", "diagnosis", "diagnosis_zone", "diagnosis_machine", "zone_facts"),
        (
            "enactor/test_history",
            "enactor/test_diagnosis",
            "enactor/test_diagnosis_zone",
            "enactor/test_diagnosis_machine",
        ),
    ),
    "waits": Group(("everywhere",), ("planner/test_everywhere",), package="planner"),
    "plans": Group(
        ("plan", "plan_form", "plan_rules", "plan_faults", "plan_assembly"),
        (
            "enactor/test_plan_faults",
            "enactor/test_plan_rules",
            "enactor/test_plan_assembly",
            "enactor/test_plan_form",
            "enactor/test_plan_form_every_fault",
            "enactor/test_plan_form_no_fault_hides",
            "enactor/test_plan_form_usable",
            "enactor/test_address_spelling",
            "enactor/test_records",
        ),
    ),
    "planner": Group(
        (
            "fleet",
            "fleet_endpoints",
            "fleet_forms",
            "fleet_warnings",
            "members",
            "pools",
            "weights",
            "rehearsal",
            "publishing",
        ),
        (
            "planner/test_fleet",
            "planner/test_fleet_endpoints",
            "planner/test_fleet_forms",
            "planner/test_fleet_sources",
            "planner/test_fleet_warnings",
            "planner/test_every_fault",
            "planner/test_members",
            "planner/test_pools",
            "planner/test_weights",
            "planner/test_rehearsal",
            "planner/test_publishing",
            "planner/test_combining",
            "planner/test_endpoint_planning",
        ),
        package="planner",
    ),
    "healing": Group(
        ("tombstones", "remedy", "parting", "library", "pace", "renewal"),
        (
            "enactor/test_tombstones",
            "enactor/test_remedy",
            "enactor/test_parting",
            "enactor/test_library",
            "enactor/test_pace",
            "enactor/test_renewal",
        ),
    ),
    "signals": Group(
        (
            "streaks",
            "combining",
            "signal_brake",
            "moving",
            "past",
            "gathering",
            "inventory",
            "endpoint_planning",
            "planning",
            "deliberation",
            "reasons",
        ),
        (
            "planner/test_streaks",
            "planner/test_combining",
            "planner/test_signal_brake",
            "planner/test_moving",
            "planner/test_past",
            "planner/test_gathering",
            "planner/test_inventory",
            "planner/test_endpoint_planning",
            "planner/test_deliberation",
            "planner/test_reasons",
            "planner/test_runner",
            "planner/test_mended_brake",
            "planner/test_mended_sources",
            "planner/test_stays",
        ),
        package="planner",
    ),
    "sources": Group(
        (
            "fleet_settings",
            "probe_settings",
            "probe_answer",
            "elbv2_settings",
            "elbv2_reading",
            "elbv2_health",
            "source_forms",
        ),
        (
            "planner/test_fleet_sources",
            "planner/test_probe_settings",
            "planner/test_probe_answer",
            "planner/test_elbv2_settings",
            "planner/test_elbv2_reading",
            "planner/test_elbv2_health",
            "planner/test_source_file",
            "planner/test_source_forms",
        ),
        package="planner",
    ),
    "imports": Group(
        ("import_endpoints", "import_file", "import_pools", "import_words", "importing", "fleet_writing", "wording"),
        ("planner/test_importing", "planner/test_fleet_writing", "planner/test_members", "planner/test_wording"),
        package="planner",
    ),
    "forms": Group(
        ("settings", "yaml_text", "aws_errors", "kept_form"),
        (
            "enactor/test_settings",
            "enactor/test_settings_told",
            "enactor/test_yaml_text",
            "enactor/test_aws_errors",
            "enactor/test_kept_form",
        ),
    ),
}
"""Left out: what starts processes or the sandbox (a second for each mutant, and a process knows no mutant), and what reads sources."""
NOT_JUDGED_YET: Final = frozenset({"planner", "sources", "imports", "forms", "live", "looks", "waits"})
"""Groups that run only where they are named: their survivors were not all looked at."""
LEFT_OUT: Final[Mapping[str, str]] = {
    "enactor.report_collect": "types alone, and one sum",
    "enactor.table_keys": "its tests are the plan table's, which run on moto and on the simulator",
    "planner.fleet_file": "types alone: the schema that editors read",
    "planner.fleet_file_sources": "types alone, and the few lines that join them to that schema",
    "planner.reports": "types alone: the schemas of what commands print",
    "planner.schemas": "it reads types, and its tests are those of whole commands",
}
"""Pure modules that are in no group, and why. The sandbox is left out whole: it decides nothing of the product."""
