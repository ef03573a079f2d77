"""A first conversation with a model: does a tool call come back parsed, and an answer as text?

A wrong tool parser or chat template does not make an endpoint fail: it makes every episode one of a model
that talks about calling tools. So two tools of the gym are sent before anything is collected.
"""

import json
from typing import Any

from eops_traj.errors import InputError
from eops_traj.hashing import canonical_json
from eops_traj.llm.base import Chat, Request
from eops_traj.messages import Message, function_tools, reply_message
from eops_traj.schema import ToolSet, Turn

SERVER, TOOLS = "csm", ("find_user", "list_users")
POLICY = "You are a service desk agent. Use the tools; do not guess."
QUESTION = "What is the e-mail address of Odile Prat? Look her up with find_user."
USER_RECORD = {"user_id": 7, "name": "Odile Prat", "email": "odile.prat@example.com", "active": 1}


def preflight_messages() -> list[Message]:
    """Return the messages that ought to be answered with a call of find_user."""
    return [{"role": "system", "content": POLICY}, {"role": "user", "content": QUESTION}]


def preflight_tools() -> list[dict[str, Any]]:
    """Return the two tools, as functions."""
    from eops_traj.gym import registry

    server = registry.server(SERVER)
    return function_tools(ToolSet.of([server.tools[name].listing() for name in TOOLS]))


async def preflight(chat: Chat) -> list[Turn]:
    """Have the model call a tool and then answer; return its two replies.

    Raises InputError where a call does not come back parsed or the answer not as text, EndpointError where
    the endpoint fails.
    """
    messages = preflight_messages()
    call_reply = await chat.reply(Request(messages, preflight_tools(), episode="preflight"))
    check_call(chat.model, call_reply)
    messages += [
        reply_message(call_reply),
        *(tool_result(call.id, call.name) for call in call_reply.tool_calls),
    ]
    answer = await chat.reply(Request(messages, preflight_tools(), episode="preflight"))
    if not answer.text and not answer.tool_calls:
        raise InputError(f"{chat.model}: after a tool's result, no text came back: {_quoted(answer)}")
    return [call_reply, answer]


def check_call(model: str, turn: Turn) -> None:
    """Raise InputError unless the reply is a parsed call of a tool that was offered."""
    if not turn.tool_calls:
        raise InputError(
            f"{model}: a request to call a tool came back without a parsed call: {_quoted(turn)}; "
            "is the tool parser the model's, and does its chat template show it the tools?"
        )
    for call in turn.tool_calls:
        if call.raw is not None:
            raise InputError(f"{model}: the arguments of a tool call did not parse: {call.raw[:200]!r}")
        if call.name not in TOOLS:
            raise InputError(f"{model}: it called {call.name!r}, a tool that was not offered")


def tool_result(call_id: str, name: str) -> Message:
    """Return the message with the result of either tool."""
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": canonical_json(USER_RECORD)}


def _quoted(turn: Turn) -> str:
    """Return the contents of a reply, shortened."""
    parts = {"text": turn.text, "reasoning": turn.reasoning, "finish_reason": turn.finish_reason}
    return json.dumps({name: part[:200] for name, part in parts.items() if part}, ensure_ascii=False)
