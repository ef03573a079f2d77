"""The tokens of an exported row that carry loss, measured with a tokenizer, and the problems with them.

A conversation is trained on wherever the assistant speaks (:mod:`eops_traj.llm.chat_template`). A row with a
prompt is trained on what comes after it: TRL tokenizes the prompt alone, and prompt and reply together, and
puts loss on the tokens that only the second has. So the second must begin with the first, to the token.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from eops_traj.errors import InputError
from eops_traj.llm.chat_template import ChatTemplate
from eops_traj.messages import Message

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from eops_traj.export.checks import Row

REPLIES = ("completion", "chosen", "rejected")
"""The columns that hold what a model is to say, or not to say, after the prompt."""


@dataclass(frozen=True)
class TokenCounts:
    """A row in tokens: its longest sequence, all of them, those with loss; and the problem, if any."""

    longest: int
    tokens: int
    with_loss: int
    leak: str | None = None


class LossMask(Protocol):
    """A way of putting loss on rows."""

    def count_tokens(self, row: "Row") -> TokenCounts:
        """Count the tokens of a row. Raises what a chat template raises where it refuses the row."""
        ...


@dataclass(frozen=True)
class ConversationMask:
    """Loss on all that the assistant says in a conversation."""

    template: ChatTemplate

    @classmethod
    def of(cls, tokenizer: "PreTrainedTokenizerBase", name: str) -> "ConversationMask":
        """Make the mask. Raises InputError for a chat template that cannot be trained on so."""
        return cls(ChatTemplate.of(tokenizer, name))

    def count_tokens(self, row: "Row") -> TokenCounts:
        """Count the tokens of a row, in all the sequences that it is trained as."""
        sequences = self.template.sequences(row.messages, row.tools)
        lengths = [len(each.ids) for each in sequences]
        with_loss = sum(sum(each.mask) for each in sequences)
        leak = self.template.leak(row.messages, row.tools, sequences)
        return TokenCounts(max(lengths, default=0), sum(lengths), with_loss, leak)


@dataclass(frozen=True)
class ReplyMask:
    """Loss on the one message that follows the prompt; ``plain`` where it is text and nothing else."""

    tokenizer: "PreTrainedTokenizerBase"
    plain: bool = True

    @classmethod
    def of(cls, tokenizer: "PreTrainedTokenizerBase", name: str, *, plain: bool = True) -> "ReplyMask":
        """Make the mask. Raises InputError for a tokenizer without a chat template."""
        if not tokenizer.chat_template:
            raise InputError(f"{name}: the tokenizer has no chat template; give one as a .jinja file")
        return cls(tokenizer, plain)

    def count_tokens(self, row: "Row") -> TokenCounts:
        """Count the tokens of a row: a sequence for each reply, or the prompt alone where it has none."""
        prompt = row.record["prompt"]
        begin = self._ids(prompt, row.tools, add_generation_prompt=True)
        replies = [row.record[side] for side in REPLIES if side in row.record]
        wholes = [self._ids([*prompt, *reply], row.tools) for reply in replies]
        leaks = (self._leak(begin, whole, reply) for whole, reply in zip(wholes, replies, strict=True))
        lengths = [len(whole) for whole in wholes or [begin]]
        with_loss = sum(len(whole) - len(begin) for whole in wholes)
        return TokenCounts(max(lengths), sum(lengths), with_loss, next(filter(None, leaks), None))

    def _ids(self, messages: list[Message], tools: list[dict[str, Any]], **options: Any) -> list[int]:
        options |= {"tokenize": True, "return_dict": True, "tokenizer_kwargs": {"verbose": False}}
        rendered: Any = self.tokenizer.apply_chat_template(messages, tools=[*tools] or None, **options)
        return list(rendered["input_ids"])

    def _leak(self, begin: list[int], whole: list[int], reply: list[Message]) -> str | None:
        """Return the problem with the tokens that carry loss, if any: those after the prompt's."""
        if whole[: len(begin)] != begin:
            return "the chat template renders the prompt otherwise alone than before a reply"
        trained = whole[len(begin) :]
        text = str(self.tokenizer.decode(trained, skip_special_tokens=True)).strip()
        if self.plain and text != reply[0]["content"].strip():
            return f"the tokens with loss say {text[:80]!r}, which is not the reply's text"
        if not set(trained[-3:]) & set(self.tokenizer.all_special_ids):
            return "the token that ends a reply carries no loss, so a model would not learn to stop"
        return None
