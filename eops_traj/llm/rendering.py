"""A conversation as a chat template writes it, reply by reply, cut as a model meets it.

What a model is given for a reply is the conversation so far with the template's generation prompt; what it
is to write is all that the template puts behind that, up to the token that ends the reply. Both are read off
the template's own output, so text that is trained on is the text that is served, whatever the template.

Some templates write an earlier reply otherwise once more of the conversation follows (Qwen3 drops thoughts,
gpt-oss those before a final answer). The prompt of a reply is then no longer the one that training would have
shown in the whole conversation; :mod:`eops_traj.llm.chat_template` cuts such conversations.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from eops_traj.errors import InputError
from eops_traj.messages import Message

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Tools = list[dict[str, Any]]

STUB: Message = {"role": "user", "content": "Go on."}
"""The shortest conversation that a reply can follow."""


class Unrenderable(InputError):
    """What a template writes cannot be split into what a model is given and what it is to write."""


@dataclass(frozen=True)
class RenderedTurn:
    """A reply as text: all that comes before it, and the reply with the token that ends it."""

    prompt: str
    reply: str


@dataclass(frozen=True)
class Renderer:
    """A tokenizer with the text of a chat template."""

    tokenizer: "PreTrainedTokenizerBase"
    template: str

    def text(self, messages: list[Message], tools: Tools, *, reply_next: bool = False) -> str:
        """Render a conversation, with the generation prompt where a reply comes next.

        Raises what the template raises where it refuses the conversation.
        """
        rendered = self.tokenizer.apply_chat_template(
            messages, tools=[*tools] or None, chat_template=self.template,
            add_generation_prompt=reply_next, tokenize=False,
        )  # fmt: skip
        return str(rendered)

    def turn(self, messages: list[Message], tools: Tools, at: int) -> RenderedTurn:
        """Render the reply at a place of a conversation, and what comes before it.

        Raises Unrenderable where the reply does not follow its prompt, or nothing ends it.
        """
        before, reply = messages[:at], messages[at]
        prompt = self.text(before, tools, reply_next=True)
        behind = self._behind(before, reply, tools, prompt)
        if behind is None:  # earlier thoughts were dropped, say: the reply itself is written the same
            behind = self._behind([STUB], reply, tools)
        if behind is None:
            raise Unrenderable("the chat template renders the prompt otherwise alone than before a reply")
        return RenderedTurn(prompt, self._ended(behind))

    def _behind(
        self, before: list[Message], reply: Message, tools: Tools, prompt: str | None = None
    ) -> str | None:
        """Return what the template writes behind the prompt; None where it does not begin with that."""
        start = self.text(before, tools, reply_next=True) if prompt is None else prompt
        whole = self.text([*before, reply], tools)
        return whole[len(start) :] if whole.startswith(start) else None

    def _ended(self, behind: str) -> str:
        """Return a reply up to the token that ends it, without the line break that templates put behind."""
        reply = behind.rstrip()
        if not reply.endswith(self._stops):
            raise Unrenderable(
                "no special token ends a reply, so a model would not learn to stop "
                f"(the last that it writes is {reply[-20:]!r})"
            )
        return reply

    @cached_property
    def _stops(self) -> tuple[str, ...]:
        added = self.tokenizer.added_tokens_decoder.values()
        special = {token.content for token in added if token.special} | {*self.tokenizer.all_special_tokens}
        return tuple(sorted(text for text in special if text.strip()))
