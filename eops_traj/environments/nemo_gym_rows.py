"""Rows of a NeMo Gym dataset, one task each, and what an agent's rollout of one ended with.

A row holds what a model is asked (``responses_create_params``, in the shape of the Responses API) and which
task it is (``task_id``), and nothing by which the task is judged: that stays with the server.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from eops_traj.environments.served_tasks import ServedTasks, TaskView
from eops_traj.errors import FormatError

Wire = dict[str, Any]
SAID = {"output_text": "text", "refusal": "refusal"}
"""The parts of a message that its model said, by their type, and where each has its text."""


def rows(tasks: ServedTasks, agent: str) -> Iterator[Wire]:
    """Yield the row of each task; ``agent`` is the name of the agent server that rolls it out."""
    for task in tasks.tasks:
        yield row(tasks.view(task), agent)


def row(view: TaskView, agent: str) -> Wire:
    """Return the row of a task."""
    said = [{"role": message["role"], "content": message["content"]} for message in view.messages]
    tools = [{"type": "function", **tool["function"], "strict": False} for tool in view.tools]
    return {
        "task_id": view.task_id,
        "domain": view.domain,
        "split": view.split,
        "mode": view.mode,
        "responses_create_params": {"input": said, "tools": tools},
        "agent_ref": {"type": "responses_api_agents", "name": agent},
    }


def write_rows(tasks: ServedTasks, agent: str, out: Path) -> int:
    """Write the rows as JSON lines; return how many. Raises FormatError where that cannot be done."""
    beside, count = out.parent / f".{out.name}.{uuid4().hex}.part", 0
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            for one in rows(tasks, agent):
                file.write(json.dumps(one, ensure_ascii=False, allow_nan=False) + "\n")
                count += 1
        beside.replace(out)
    except OSError as error:
        raise FormatError(f"{out}: {error.strerror or error}") from None
    finally:
        beside.unlink(missing_ok=True)
    return count


def last_reply(body: Mapping[str, Any]) -> str:
    """Return the text with which a rollout ended; "" where it ended in a call, or in nothing.

    Raises FormatError where the body of ``/verify`` holds no response.
    """
    response = body.get("response")
    output = response.get("output") if isinstance(response, dict) else None
    if not isinstance(output, list):
        raise FormatError("response.output has to be the list of a rollout's items")
    last = output[-1] if output else {}
    if not isinstance(last, dict) or last.get("type") != "message" or last.get("role") != "assistant":
        return ""
    content = last.get("content")
    if isinstance(content, str):
        return content
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    told = ((part, SAID.get(str(part.get("type")))) for part in parts)
    return "".join(str(part.get(name, "")) for part, name in told if name)
