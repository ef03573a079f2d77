"""One task as text for people."""

import json
from typing import Any

from eops_traj.schema import Task, Verifier


def shown(task: Task) -> str:
    """Request, servers, plan, verifiers, tools, and the policy last, since it is long."""
    made = json.loads(task.details).get("made", {})
    feasible = {True: "feasible", False: "to be declined", None: "feasibility not said"}[task.feasible]
    about = [f"{task.task_id}: {task.domain}, {task.mode}, split {task.split}, {feasible}"]
    about += [f"{key}: {value}" for key, value in sorted(made.items())]
    servers = [f"{server.name}, seed {server.seed}, as {server.context}" for server in task.servers]
    sections = {
        "Task": "\n".join(about),
        "Request": task.user_prompt,
        "Servers": "\n".join(servers),
        "Plan": task.plan or "none",
        "Verifiers": "\n".join(map(_verifier, task.verifiers)),
        "Tools": ", ".join(task.tools),
        "Policy": task.system_prompt,
    }
    return "\n\n".join(f"# {title}\n{text}" for title, text in sections.items())


def row(task: Task) -> dict[str, Any]:
    """The task in a line: id, split, domain, feasibility, steps of its gold plan, how the request starts."""
    made, said = json.loads(task.details).get("made", {}), task.user_prompt
    return {
        "task": task.task_id,
        "split": task.split,
        "domain": task.domain,
        "feasible": task.feasible,
        "steps": made.get("steps"),
        "request": said if len(said) < 70 else said[:69] + "\u2026",
    }


def _verifier(verifier: Verifier) -> str:
    config = json.loads(verifier.config)
    query = config.get("query", config.get("sql_query", ""))
    expected = f" -> {json.dumps(config['expected_value'])}" if "expected_value" in config else ""
    head = f"- {verifier.name} ({verifier.category or verifier.kind}): {verifier.description or ''}"
    return head + (f"\n    {query}{expected}" if query else "")
