"""The families of models by how they write tool calls and reasoning, and the vLLM parsers that read them.

A name on the hub determines the family; for a folder its chat template does, whatever its name. The parsers
are vLLM's, by the names of its ``--tool-call-parser`` and ``--reasoning-parser``.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from eops_traj.errors import FormatError, InputError, UnknownName
from eops_traj.files import read_json
from eops_traj.untrusted.text_file import read_text

NEVER = "(?!)"
"""A pattern that nothing matches."""


class ModelFamily(NamedTuple):
    """The parsers of a family, the pattern of its names, and the words of its chat templates, in order.

    A reasoning parser is named only where a model always reasons or says when it does: given one, vLLM takes
    what does not end its reasoning for reasoning, all of it.
    """

    tool_parser: str
    reasoning_parser: str | None = None
    name: str = NEVER
    template: tuple[str, ...] = ()
    chat_template: str | None = None
    """A template in ``recipes``, where the model's own leaves the tools out."""


MOST_NAME_CHARS = 300

THOUGHTLESS = "set enable_thinking = false"
"""What stands in the template of a model that was trained not to think (llm/template_defaults.py): a
reasoning parser would take all that it says for thoughts."""

FAMILIES = {
    "nemotron_3": ModelFamily("qwen3_coder", "nemotron_v3", r"nemotron-3", ("truncate_history_thinking",)),
    "qwen3_coder": ModelFamily("qwen3_coder", None, r"qwen3-coder|qwen3-next.*coder"),
    "qwen3.5_thoughtless": ModelFamily("qwen3_coder", template=(THOUGHTLESS, "<function=")),
    "qwen3_thoughtless": ModelFamily("hermes", template=(THOUGHTLESS, "<tool_call>")),
    "qwen3.5": ModelFamily("qwen3_coder", "qwen3", r"qwen3\.[5-9]", ("<function=", "<think>")),
    "glm_4.7": ModelFamily("glm47", "glm47", r"glm-?(4\.7|5)"),
    "glm_4.5": ModelFamily("glm45", "glm45", r"glm-?4\.[56]", ("<arg_key>",)),
    "qwen3": ModelFamily("hermes", "qwen3", r"qwen3-(?!.*instruct)", ("<tool_call>", "enable_thinking")),
    "qwq": ModelFamily("hermes", "deepseek_r1", r"qwq"),
    "qwen3_thinking": ModelFamily("hermes", "qwen3", template=("<tool_call>", r"assistant\n<think>\n")),
    "smollm2": ModelFamily("hermes", None, r"smollm2", chat_template="chatml_tools.jinja"),
    "hermes": ModelFamily("hermes", None, r"hermes|qwen2\.5|qwen3-.*instruct|smollm3", ("<tool_call>",)),
    "gpt_oss": ModelFamily("openai", "openai_gptoss", r"gpt-oss", ("<|channel|>",)),
    "deepseek_v4": ModelFamily("deepseek_v4", "deepseek_v4", r"deepseek-v4(?!\.)"),
    "deepseek_v3.2": ModelFamily("deepseek_v32", "deepseek_v3", r"deepseek-v3\.2"),
    "deepseek_v3.1": ModelFamily("deepseek_v31", "deepseek_v3", r"deepseek-v3\.1"),
    "deepseek_v3": ModelFamily("deepseek_v3", None, r"deepseek-v3"),
    "deepseek_r1": ModelFamily("deepseek_v3", "deepseek_r1", r"deepseek-r1(?!-distill)"),
    "kimi_k2": ModelFamily("kimi_k2", "kimi_k2", r"kimi-k2", ("<|tool_calls_section_begin|>",)),
    "minimax_m2": ModelFamily("minimax_m2", "minimax_m2", r"minimax-m2", ("<minimax:tool_call>",)),
    "seed_oss": ModelFamily("seed_oss", "seed_oss", r"seed-oss", ("<seed:tool_call>",)),
    "gemma_4": ModelFamily("gemma4", "gemma4", r"gemma-4", ("<|tool_call>",)),
    "lfm2": ModelFamily("lfm2", None, r"lfm2", ("<|tool_call_start|>",)),
    "magistral": ModelFamily("mistral", "mistral", r"magistral", ("[THINK]",)),
    "mistral": ModelFamily("mistral", None, r"mi[sx]tral|ministral|devstral", ("[TOOL_CALLS]",)),
    "granite_4": ModelFamily("granite4", None, r"granite-4"),
    "granite_3": ModelFamily("granite", None, r"granite-3"),
    "phi_4_mini": ModelFamily("phi4_mini_json", None, r"phi-4-mini"),
    "xlam": ModelFamily("xlam", None, r"xlam"),
    "llama_4": ModelFamily("llama4_pythonic", None, r"llama-4", ("<|header_start|>", "tools")),
    "llama_3": ModelFamily("llama3_json", None, r"llama-3", ("<|start_header_id|>", "tools")),
}
"""By the name that configs give them. The first whose pattern is found is taken, so the order matters."""


def family_of(model: str, named: str | None = None) -> ModelFamily:
    """Return the family of a model, a folder or a name on the hub; ``named`` gives it where neither matches.

    Raises UnknownName for a family that is not here, InputError where nothing matches the model.
    """
    if named is not None:
        if named not in FAMILIES:
            raise UnknownName("model family", named, FAMILIES)
        return FAMILIES[named]
    folder = Path(model)
    name = family_by_template(read_chat_template(folder)) if folder.is_dir() else family_by_name(model)
    if name is None:
        clue = "its chat template" if folder.is_dir() else "its name"
        raise InputError(
            f"nothing in {clue} tells how {model!r} writes tool calls: give family, one of "
            f"{', '.join(sorted(FAMILIES))}, or vLLM's tool_parser"
        )
    return FAMILIES[name]


def family_by_name(model: str) -> str | None:
    """Return the name of the family that a name on the hub matches."""
    known = model.lower()[:MOST_NAME_CHARS]
    return next((name for name, f in FAMILIES.items() if re.search(f.name, known)), None)


def family_by_template(template: str) -> str | None:
    """Return the name of the family that a chat template matches."""
    return next((name for name, f in FAMILIES.items() if _holds(template, f.template)), None)


def _holds(template: str, words: Sequence[str]) -> bool:
    """Check whether a template holds these words, one after the other."""
    at = 0
    for word in words:
        if (at := template.find(word, at)) < 0:
            return False
        at += len(word)
    return bool(words)


def read_chat_template(folder: Path) -> str:
    """Read the chat template of a model's folder, empty where it has none."""
    if (path := folder / "chat_template.jinja").is_file():
        return read_text(path)
    try:
        config = read_json(folder / "tokenizer_config.json")
    except FormatError:
        return ""
    template = config.get("chat_template") or "" if isinstance(config, dict) else ""
    return template if isinstance(template, str) else json.dumps(template)
