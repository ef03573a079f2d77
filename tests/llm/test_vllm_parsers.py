"""A model's name or chat template tells how vLLM reads its tool calls; templates are those that TRL ships."""

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from eops_traj.errors import InputError, UnknownName
from eops_traj.llm.template_defaults import with_defaults
from eops_traj.llm.vllm_parsers import (
    FAMILIES,
    NEVER,
    family_by_name,
    family_by_template,
    family_of,
    read_chat_template,
)
from eops_traj.train.scratch_model import chat_template
from tests.llm.template_families import thinking_only

NAMES = {
    "Qwen/Qwen2.5-7B-Instruct": "hermes",
    "Qwen/Qwen3-8B": "qwen3",
    "Qwen/Qwen3-4B-Thinking-2507": "qwen3",
    "Qwen/Qwen3-4B-Instruct-2507": "hermes",
    "Qwen/Qwen3-Coder-30B-A3B-Instruct": "qwen3_coder",
    "Qwen/Qwen3.5-27B": "qwen3.5",
    "NousResearch/Hermes-3-Llama-3.1-8B": "hermes",
    "meta-llama/Llama-3.1-8B-Instruct": "llama_3",
    "meta-llama/Llama-4-Scout-17B-16E-Instruct": "llama_4",
    "Salesforce/Llama-xLAM-2-8b-fc-r": "xlam",
    "mistralai/Mistral-Small-3.2-24B-Instruct-2506": "mistral",
    "mistralai/Magistral-Small-2506": "magistral",
    "deepseek-ai/DeepSeek-V3.1": "deepseek_v3.1",
    "deepseek-ai/DeepSeek-R1-0528": "deepseek_r1",
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B": None,
    "openai/gpt-oss-20b": "gpt_oss",
    "zai-org/GLM-4.6": "glm_4.5",
    "moonshotai/Kimi-K2-Thinking": "kimi_k2",
    "HuggingFaceTB/SmolLM2-135M-Instruct": "smollm2",
    "ibm-granite/granite-4.0-h-tiny": "granite_4",
    "someone/something": None,
}
TEMPLATES = {
    "qwen2_5": "hermes",
    "qwen3": "qwen3",
    "qwen3_instruct_2507": "hermes",
    "qwen3_5_think": "qwen3.5",
    "glm4moe": "glm_4.5",
    "gptoss": "gpt_oss",
    "gemma4": "gemma_4",
    "lfm2_v2": "lfm2",
    "llama3_1": "llama_3",
    "llama3": None,
    "nemotron_3_nano": "nemotron_3",
    "phi3": None,
}


@pytest.mark.parametrize(("model", "expected"), NAMES.items())
def test_a_name_tells_the_family(model: str, expected: str | None) -> None:
    assert family_by_name(model) == expected


@pytest.mark.parametrize(("template", "expected"), TEMPLATES.items())
def test_a_chat_template_tells_the_family(template: str, expected: str | None) -> None:
    text = (files("trl") / "chat_templates" / f"{template}.jinja").read_text(encoding="utf-8")
    assert family_by_template(text) == expected


def test_thoughts_are_parsed_only_of_a_model_that_has_them() -> None:
    """vLLM's parser takes all that does not end a thought for one."""
    qwen3 = (files("trl") / "chat_templates" / "qwen3.jinja").read_text(encoding="utf-8")
    off = family_by_template(with_defaults(qwen3, {"enable_thinking": False}, "it"))
    on = family_by_template(with_defaults(qwen3, {"enable_thinking": True}, "it"))
    assert off and FAMILIES[off] == FAMILIES["hermes"]._replace(name=NEVER, template=FAMILIES[off].template)
    assert on == "qwen3" and FAMILIES[on].reasoning_parser == "qwen3"
    opened = family_by_template(thinking_only(qwen3))
    assert opened == "qwen3_thinking" and FAMILIES[opened].reasoning_parser == "qwen3"


def test_a_folder_is_told_by_its_template_not_by_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "qwen3-8b"
    folder.mkdir()
    with pytest.raises(InputError, match=r"nothing in its chat template .* give family, one of .*hermes"):
        family_of(str(folder))
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": chat_template()}))
    assert family_of(str(folder)) == FAMILIES["hermes"]
    (folder / "chat_template.jinja").write_text("{{ tools }} <|start_header_id|> {{ tools }}")
    assert read_chat_template(folder).startswith("{{ tools }}")
    assert family_of(str(folder)) == FAMILIES["llama_3"]


def test_a_family_can_be_said_and_a_wrong_one_lists_the_choices() -> None:
    assert family_of("someone/something", "qwen3").reasoning_parser == "qwen3"
    with pytest.raises(UnknownName, match=r"unknown model family 'nope'; choose from .*qwen3"):
        family_of("Qwen/Qwen3-8B", "nope")
    with pytest.raises(InputError, match="nothing in its name tells how 'someone/something'"):
        family_of("someone/something")


def test_every_pattern_compiles_and_every_template_of_ours_is_there() -> None:
    for found in FAMILIES.values():
        assert re.compile(found.name)
        assert not found.chat_template or (files("eops_traj.recipes") / found.chat_template).is_file()
