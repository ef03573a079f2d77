"""A chat template and a parser of replies for rollouts with tools, where TRL's own choice would give up.

TRL knows a template only where it equals a bundled one to the letter: one with our default for thinking in
front, or with tools added, it does not. Here a template is known by what it renders. Rollouts also need one
that leaves earlier replies as they were written; Qwen3's does not, and TRL bundles a variant that does.
"""

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import InputError
from eops_traj.llm.chat_template import TRL, own_template, read_template
from eops_traj.llm.rendering import Renderer
from eops_traj.llm.template_abilities import SYSTEM, TOOL, USER, probe_reply, probe_result
from eops_traj.llm.vllm_parsers import FAMILIES, family_by_template
from eops_traj.messages import Message

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

VARIANT = "_training"
"""How the names of TRL's variants end."""

_ASKED = [SYSTEM, USER]
_DONE = probe_reply(content="Done.")
_THOUGHTFUL = probe_reply(content="Done.", reasoning_content="probe_thought")
FIRST_REPLIES: tuple[list[Message], ...] = (
    _ASKED,
    [USER],
    [*_ASKED, _DONE],
    [*_ASKED, _THOUGHTFUL],
    [*_ASKED, probe_reply(1)],
    [*_ASKED, probe_reply(1, content="I look.", reasoning_content="probe_thought")],
)
"""Conversations of one reply at most: what a template does to earlier ones does not show in them."""
LONGER: tuple[list[Message], ...] = (
    [*_ASKED, probe_reply(1), probe_result(), _DONE],
    [*_ASKED, probe_reply(1, reasoning_content="probe_thought"), probe_result(), _THOUGHTFUL, USER, _DONE],
)


def prepare_rollouts(tokenizer: "PreTrainedTokenizerBase", name: str) -> None:
    """Give a tokenizer the parser of its model's replies, and a template that leaves earlier ones alone.

    Raises InputError, which names the model, where TRL has neither.
    """
    from trl.chat_template_utils import is_chat_template_prefix_preserving

    text = own_template(tokenizer, name)
    if getattr(tokenizer, "response_template", None) is None:
        tokenizer.response_template = _reply_parser(text, name)
    if not is_chat_template_prefix_preserving(tokenizer):
        tokenizer.chat_template = _preserving(tokenizer, text, name)


def _reply_parser(text: str, name: str) -> Any:
    """Return TRL's parser of the calls that a template's models write."""
    from trl import chat_template_utils as trl

    parsers = {
        "hermes": trl.qwen3_template,
        "openai": trl.gptoss_template,
        "llama3_json": trl.llama3_template,
        "qwen3_coder": trl.qwen3_5_template,
        "glm45": trl.glm4moe_template,
    }
    family = FAMILIES.get(family_by_template(text) or "")
    if family is None or family.tool_parser not in parsers:
        raise InputError(
            f"{name}: nothing in its chat template tells TRL how it writes calls; train act=plan"
        )
    return parsers[family.tool_parser]


def _preserving(tokenizer: "PreTrainedTokenizerBase", text: str, name: str) -> str:
    """Return TRL's variant of a template, told what the template is told. Raises InputError for none."""
    variant = find_variant(tokenizer, text)
    if variant is None:
        raise InputError(
            f"{name}: its chat template writes earlier replies otherwise once others follow, and TRL has no "
            "variant of it that does not: give one as chat_template"
        )
    return _split_defaults(text)[0] + read_template(Path(f"{TRL}{variant}"))


def find_variant(tokenizer: "PreTrainedTokenizerBase", text: str) -> str | None:
    """Return the name of TRL's variant of a template, once it renders prompts and first replies the same."""
    own = Renderer(tokenizer, _split_defaults(text)[1])
    for variant in _bundled():
        original = Renderer(tokenizer, read_template(Path(f"{TRL}{variant.removesuffix(VARIANT)}")))
        changed = Renderer(tokenizer, read_template(Path(f"{TRL}{variant}")))
        same = _same(own, original, FIRST_REPLIES) and _same(own, original, LONGER)
        if same and _same(own, changed, FIRST_REPLIES):
            return variant
    return None


def _split_defaults(text: str) -> tuple[str, str]:
    """Split off the defaults that :mod:`eops_traj.llm.template_defaults` puts in front of a template."""
    own = text
    while own.startswith("{%- if ") and " is not defined %}{%- set " in own.partition("{%- endif %}")[0]:
        own = own.partition("{%- endif %}")[2]
    return text[: len(text) - len(own)], own


def _bundled() -> list[str]:
    """Return the names of TRL's variants, of those whose original it has."""
    names = {file.name.removesuffix(".jinja") for file in (files("trl") / "chat_templates").iterdir()}
    return sorted(name for name in names if name.endswith(VARIANT) and name.removesuffix(VARIANT) in names)


def _same(one: Renderer, other: Renderer, conversations: tuple[list[Message], ...]) -> bool:
    """Check whether two templates render conversations the same: tools or none, thinking on and off."""
    return all(
        _rendered(one, said, *how) == _rendered(other, said, *how)
        for said in conversations
        for how in (([TOOL], True), ([TOOL], False), ([], True))
    )


def _rendered(renderer: Renderer, said: list[Message], tools: list[dict[str, Any]], next_: bool) -> str:
    texts = []
    for thinking in (True, False):
        told = Renderer(
            renderer.tokenizer, f"{{%- set enable_thinking = {str(thinking).lower()} %}}{renderer.template}"
        )
        try:
            texts.append(told.text(said, tools, reply_next=next_))
        except Exception as error:  # noqa: BLE001 - a template raises whatever its author chose
            texts.append(f"{type(error).__name__}: {error}")
    return "\0".join(texts)
