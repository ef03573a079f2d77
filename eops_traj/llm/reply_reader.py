"""Replies read from their tokens, as their model's chat template has them written."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eops_traj.llm.chat_template import own_template
from eops_traj.llm.rendering import Renderer
from eops_traj.llm.reply_parser import STYLES, ParsedReply, Style, parse_reply
from eops_traj.llm.template_abilities import SYSTEM, USER
from eops_traj.llm.vllm_parsers import FAMILIES, family_by_template

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def style_of(template: str) -> Style:
    """Return how the models of a chat template write calls and thoughts."""
    family = FAMILIES.get(family_by_template(template) or "")
    return STYLES.get(family.tool_parser, "hermes") if family else "hermes"


@dataclass(frozen=True)
class ReplyReader:
    """A tokenizer, with what its template says about replies."""

    tokenizer: "PreTrainedTokenizerBase"
    style: Style
    opened: bool
    """Whether the generation prompt has opened a thought."""

    @classmethod
    def of(cls, tokenizer: "PreTrainedTokenizerBase") -> "ReplyReader":
        """Take a tokenizer's own template. Raises InputError where it has none."""
        template = own_template(tokenizer, "the model")
        prompt = Renderer(tokenizer, template).text([SYSTEM, USER], [], reply_next=True)
        return cls(tokenizer, style_of(template), prompt.rstrip().endswith("<think>"))

    def read(self, ids: Sequence[int], *, cut: bool = False) -> ParsedReply:
        """Take a reply apart; no calls are read of a model whose calls are bare JSON."""
        channels = self.style == "harmony"  # which are special tokens
        text = str(self.tokenizer.decode(list(ids), skip_special_tokens=not channels))
        return parse_reply(text, thinking=self.opened, cut=cut, style=self.style if channels else "hermes")
