"""ReAct: the model calls tools until it answers without a call."""

from collections.abc import Sequence

from eops_traj.collect.conversation import ConversationState, opening_messages
from eops_traj.collect.orchestrator import AgentContext, OrchestratorKind
from eops_traj.config import Settings
from eops_traj.messages import Message, reply_message
from eops_traj.schema import Turn


class ReactOptions(Settings):
    """ReAct has nothing to choose."""


class SingleConversation:
    """An orchestrator, or the last part of one, that is a single conversation of the executor."""

    async def resume(self, context: AgentContext, state: ConversationState) -> None:
        """Work to the end from the middle of a conversation, whose turns the context has."""
        await converse(context, state.messages, nudge=state.nudge)


class React(SingleConversation):
    """The policy as system prompt, the request as it is, and every tool shown from the start."""

    def __init__(self, options: ReactOptions) -> None:
        """There is nothing to set up."""

    async def work(self, context: AgentContext) -> None:
        """Work the task to its end."""
        await converse(context, opening_messages(context.task, context.task.user_prompt))


async def converse(context: AgentContext, messages: Sequence[Message], *, nudge: str | None = None) -> Turn:
    """Have the executor go on from these messages until it replies without a call; return that reply.

    ``nudge`` is the last message's text, where that is not the task's own request.
    """
    conversation = list(messages)
    while True:
        turn = await context.ask(conversation, nudge=nudge)
        if not turn.tool_calls:
            return turn
        nudge = None
        conversation += [reply_message(turn), *await context.run_calls(turn)]


REACT = OrchestratorKind(React, ReactOptions, roles=("executor",))
