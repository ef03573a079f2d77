"""The chat template that conversations are rendered by: the same in training, exams, rollouts, generation."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from eops_traj.llm.chat_template import own_template, read_template
from eops_traj.llm.template_defaults import Value, with_defaults
from eops_traj.llm.tool_template import FILE, needs_tools, with_tools

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def settle_template(
    tokenizer: "PreTrainedTokenizerBase", name: str, file: Path | None, variables: Mapping[str, Value]
) -> str | None:
    """Give a tokenizer its template: a file's or its own, with tools, told these variables.

    Returns the sentence to print where its own leaves tools out. Raises InputError, which names the model,
    for no template and for variables that it does not read.
    """
    if file:
        tokenizer.chat_template = read_template(file)
    text, note = own_template(tokenizer, name), None
    if needs_tools(tokenizer, text):
        text = with_tools(text)
        note = f"{name}: its chat template leaves tools out, so conversations with tools get recipes/{FILE}"
    tokenizer.chat_template = with_defaults(text, variables, name)
    return note
