"""Generated tasks: each asks for one case of the default company to be reopened once more."""

import json
from pathlib import Path
from typing import Any

from eops_traj.gym import registry
from eops_traj.hashing import canonical_json
from eops_traj.schema import Json, Server, Task, Verifier
from eops_traj.tasks import dump_task

SERVER, COUNT = "sn-csm-server", 9
LOOK_UP = "find_case_slas"
TOOLS = (
    *("find_user", "find_user_group", "find_account", "find_contacts", "find_product", "find_contracts"),
    *("search_cases", "update_case", "assign_case_to_user", "set_case_assignment_group", LOOK_UP),
    *("find_interactions", "register_new_interaction", "send_notification", "retrieve_knowledge"),
)


def admin() -> str:
    """Return the address of an admin of the default company."""
    query = "SELECT email FROM user WHERE role = 'admin' AND active = 1 ORDER BY user_id LIMIT 1"
    return str(registry.server("csm").template().open().run_sql(query).rows[0][0])


def task(case: int = 5, **fields: Any) -> Task:
    """Make the task of one case."""
    query = f"SELECT reopen_count FROM customer_case WHERE case_id = {case}"
    check = {"query": query, "expected_value": COUNT, "comparison_type": "equals"}
    row = {
        "server": "sn-csm-server",
        "table": "customer_case",
        "operation": "update",
        "key": {"case_id": case},
    }
    changed = canonical_json(row | {"columns": ["reopen_count", "sys_updated_on"]})
    rows = {"rows": [{"row": changed, "count": 1}]}
    columns: dict[str, Any] = {
        "task_id": f"case_{case:03}",
        "domain": "csm",
        "mode": "oracle",
        "suite": "tests",
        "split": "train",
        "system_prompt": "You look after the service desk. Look a record up before you change it.",
        "user_prompt": f"Case {case} was reopened again: put its reopen count to {COUNT}.",
        "servers": (
            Server(
                name=SERVER,
                seed="",
                context=Json(canonical_json({"x-user-email": admin()})),
                details=Json(canonical_json({"company": 0})),
            ),
        ),
        "tools": TOOLS,
        "verifiers": (
            Verifier(
                name="Counted", kind="database_state", server="sn-csm-server", config=Json(json.dumps(check))
            ),
            Verifier(name="Nothing else", kind="recorded_changes", config=Json(json.dumps(rows))),
        ),
        "feasible": True,
        "plan": f"1. {LOOK_UP}(case_id={case}) -- see what it is\n"
        f"2. update_case(case_id={case}, reopen_count={COUNT}) -- put its count right",
    }
    return Task(**(columns | fields))


def write_tasks(at: Path, count: int) -> Path:
    """Write so many tasks into a folder."""
    at.mkdir(parents=True)
    for case in range(1, count + 1):
        one = task(case)
        (at / f"oracle__csm__{one.task_id}.json").write_text(json.dumps(dump_task(one)))
    return at
