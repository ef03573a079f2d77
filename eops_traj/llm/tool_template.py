"""Tools for a model whose own chat template leaves them out.

SmolLM2's template, and those of many tuned models, drops the tools, and a model would be trained or asked
without them and nobody told. Where the tokenizer has ChatML's tokens, conversations with tools are rendered
by ``recipes/chatml_tools.jinja`` instead, in training and in generation; all others stay the model's own.
"""

from importlib.resources import files
from typing import TYPE_CHECKING

from eops_traj.llm.rendering import Renderer
from eops_traj.llm.template_abilities import SYSTEM, TOOL, USER

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

FILE = "chatml_tools.jinja"
CHATML = ("<|im_start|>", "<|im_end|>")
"""The tokens that a tokenizer must have for the template to be of use."""

_WITH_TOOLS = "{%- if tools or messages | selectattr('tool_calls', 'defined') | list %}"


def needs_tools(tokenizer: "PreTrainedTokenizerBase", template: str) -> bool:
    """Check whether a chat template leaves tools out without a word, and ours would render them."""
    known = tokenizer.get_vocab()
    if not all(token in known for token in CHATML):
        return False
    try:
        return "probe_tool" not in Renderer(tokenizer, template).text([SYSTEM, USER], [TOOL])
    except Exception:  # noqa: BLE001 - one that refuses them says so, in whatever its author chose
        return False


def with_tools(template: str) -> str:
    """Return a chat template that renders conversations with tools by ours, and others by its own text."""
    ours = (files("eops_traj.recipes") / FILE).read_text(encoding="utf-8")
    return f"{_WITH_TOOLS}{ours}{{%- else %}}{template}{{% endif %}}"
