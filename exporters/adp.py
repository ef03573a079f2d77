"""Trajectories of the Agent Data Protocol, schema 1.5 (arXiv 2510.24702): one line an episode.

Policy, request and nudges are text observations, a reply is a message action and an API action a call, its
results are observations by id. The last action's reward is the outcome. The declarations of the tools are in
``details``, and there, under ``eops_traj``, what the format has no field for. Arguments are objects in the
format: what a model wrote that was none is in ``details`` too, by the call's id.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from eops_traj.bundle import EpisodeBundle
from eops_traj.collectors.importers.adp import SYSTEM, TOOLS, VERSION, validate_trajectory
from eops_traj.config import problems
from eops_traj.export.checks import CHECKS, Check, CheckedRow, Row
from eops_traj.interchange.extension_key import KEY
from eops_traj.interchange.reader import Record
from eops_traj.interchange.writer import ExchangeLines, decoded_arguments
from eops_traj.messages import Message, result_message, was_asked
from eops_traj.schema import PASSED, UNVERIFIED, Episode, ToolCall, Turn

RAW = "raw_arguments"
"""The detail that holds what was written as arguments and was no plain JSON, by the call's id."""


class Adp(ExchangeLines):
    """One trajectory a line."""

    name = "adp"
    title = "Agent Data Protocol trajectories"
    trains = teaches = imitates = False
    keeps_written = True
    keeps_raw = True

    def document(self, bundle: EpisodeBundle) -> Record:
        """Return the trajectory of an episode."""
        episode = bundle.episode
        content = [_text(bundle.system_prompt, "environment", name=SYSTEM)] if bundle.system_prompt else []
        content += [_text(episode.user_prompt, "user")] if was_asked(episode) else []
        for index, turn in enumerate(episode.turns):
            content += _turn(turn, index)
        tools, written = bundle.tools(), _written(episode)
        details = ({TOOLS: tools} if tools else {}) | ({RAW: written} if written else {})
        return {
            "schema_version": VERSION,
            "id": episode.episode_id,
            "content": _rewarded(content, episode),
            "details": details,
        }

    def extended(self, record: Record, ours: Any) -> Record:
        """Put our own key in ``details``, the format's place for such."""
        return {**record, "details": {**record["details"], KEY: ours}}

    def row(self, place: str, record: Record) -> Row:
        """Return the row that a line holds, its content as messages."""
        return Row(place, record, list(_messages(record)), record["details"].get(TOOLS) or [])

    def checks(self) -> Mapping[str, Check]:
        """Return the checks of every line."""
        plain = {name: check for name, check in CHECKS.items() if name != "reads_as_written"}
        return {**plain, "valid_adp": valid_adp}


def valid_adp(checked: CheckedRow) -> str | None:
    """The line is a trajectory of schema 1.5, every call with one result and every result with a call."""
    record = checked.row.record
    try:
        trajectory = validate_trajectory(record)
    except ValidationError as error:
        return "; ".join(problems(error)[:3])
    asked = [i.tool_call_id for i in trajectory.content if i.class_ == "api_action"]
    given = [i.tool_call_id for i in trajectory.content if i.source == "environment" and i.tool_call_id]
    if len(set(asked)) < len(asked) or asked != given:
        return "its calls and their results do not belong together"
    return None


def _text(text: str, source: str, **more: Any) -> Record:
    return {"class_": "text_observation", "content": text, "source": source, **more}


def _turn(turn: Turn, index: int) -> Iterator[Record]:
    """Yield a reply and what came of it; a call without a result has an empty one, which the format wants."""
    if turn.nudge is not None:
        yield _text(turn.nudge, "user")
    thought = {"reasoning_content": turn.reasoning} if turn.reasoning else {}
    if turn.text or not turn.tool_calls:
        yield {"class_": "message_action", "content": turn.text, **thought}
        thought = {}
    for place, call in enumerate(turn.tool_calls):
        yield {**_action(call), "tool_call_id": _id(index, place), **thought}
        thought = {}
    for place, call in enumerate(turn.tool_calls):
        yield _text(result_message(call)["content"], "environment", tool_call_id=_id(index, place))


def _id(turn: int, place: int) -> str:
    """Return a call's id: ids of models may repeat, and here they may not."""
    return f"call_{turn}_{place}"


def _written(episode: Episode) -> dict[str, str]:
    """Return what was written as arguments and was no plain JSON, by the call's id."""
    calls = ((n, m, call) for n, turn in enumerate(episode.turns) for m, call in enumerate(turn.tool_calls))
    return {_id(n, m): call.raw for n, m, call in calls if call.raw is not None}


def _action(call: ToolCall) -> Record:
    arguments = decoded_arguments(call.arguments)
    return {"class_": "api_action", "function": call.name, "kwargs": arguments}


def _rewarded(content: list[Record], episode: Episode) -> list[Record]:
    """Return the content with the outcome as the last action's reward, where there is a verdict."""
    actions = [n for n, item in enumerate(content) if item["class_"].endswith("_action")]
    if actions and episode.outcome not in (UNVERIFIED, "error"):
        last = actions[-1]
        content[last] = {**content[last], "reward": float(episode.outcome in PASSED)}
    return content


def _messages(record: Record) -> Iterator[Message]:
    """Yield the content as chat messages, for the checks that every format shares."""
    written = record["details"].get(RAW, {})
    for item in record["content"]:
        match item["class_"]:
            case "api_action":
                arguments = written.get(item["tool_call_id"], item["kwargs"])
                function = {"name": item["function"], "arguments": arguments}
                call = {"id": item["tool_call_id"], "type": "function", "function": function}
                yield {"role": "assistant", "content": "", "tool_calls": [call]}
            case "message_action":
                yield {"role": "assistant", "content": item["content"]}
            case _ if "tool_call_id" in item:
                yield {"role": "tool", "tool_call_id": item["tool_call_id"], "content": item["content"]}
            case _:
                role = "system" if item.get("name") == SYSTEM else "user"
                yield {"role": role, "content": item["content"]}
