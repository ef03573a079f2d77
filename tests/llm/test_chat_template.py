"""Loss falls on the assistant's tokens; templates that get it wrong are found out."""

from importlib.resources import files
from pathlib import Path

import pytest

from eops_traj.errors import InputError
from eops_traj.llm.chat_template import ChatTemplate, load_tokenizer, read_template
from tests.tokenizers import row, tokenizer

START, END = "{% generation %}", "{% endgeneration %}"
TOOLS, CALLS, RESULT = (
    "{{ tools | tojson }}",
    "{{ m.tool_calls | tojson if m.tool_calls }}",
    "{{ m.content }}",
)
STOP = "<|im_end|>"


def template(
    tools: str = TOOLS, calls: str = CALLS, result: str = RESULT, start: str = START, stop: str = STOP + END
) -> str:
    """A short chat template; a test changes one part of it."""
    return (
        f"{tools}{{% for m in messages %}}<|im_start|>{{{{ m.role }}}}\n"
        f"{{% if m.role == 'assistant' %}}{start}{{{{ m.content }}}}{calls}{stop}"
        f"{{% elif m.role == 'tool' %}}{result}{STOP}"
        f"{{% else %}}{{{{ m.content }}}}{STOP}{{% endif %}}{{% endfor %}}"
    )


UNUSABLE = {
    "no chat template": "",
    "no {% generation %} markers": template(start="", stop=STOP),
    "would not learn to stop": template(stop=END + STOP),
    "leaves out .*probe_tool": template(tools=""),
    "leaves out .*probe_argument": template(calls=""),
    "leaves out .*probe_result": template(result=""),
    "does not take a conversation with tool calls": template(result="{{ raise_exception('no tools') }}"),
}


def leak(text: str | None = None) -> str | None:
    chosen = ChatTemplate.of(tokenizer(text), "it")
    said, tools = row()["messages"], row()["tools"]
    return chosen.leak(said, tools, chosen.encode(said, tools))


def test_what_is_trained_is_what_the_assistant_says() -> None:
    chosen = ChatTemplate.of(tokenizer(), "it")
    trained = chosen.tokenizer.decode(chosen.encode(row()["messages"], row()["tools"]).trained())
    call = '\n<tool_call>\n{"name": "find_user", "arguments": %s}\n</tool_call><|im_end|>'
    calls = call % '{"limit": 3, "name": "Odile Prat"}' + call % '{"name": "Bram"}'
    assert trained == calls + "Odile is user 7.<|im_end|>"
    assert leak() is None and leak(template()) is None


def test_loss_on_a_tool_result_is_found() -> None:
    assert leak(template(result=START + RESULT + END)) == "tokens that are not the assistant's carry loss"


def test_a_call_without_loss_is_found() -> None:
    assert leak(template(calls=END + CALLS + START)) == "tokens of the assistant carry no loss"


@pytest.mark.parametrize("problem", UNUSABLE)
def test_a_template_that_cannot_be_trained_on_is_refused(problem: str) -> None:
    with pytest.raises(InputError, match=f"the-model: .*{problem}"):
        ChatTemplate.of(tokenizer(UNUSABLE[problem]), "the-model")


def test_a_template_that_trl_knows_is_trained_in_its_training_variant() -> None:
    qwen = (files("trl") / "chat_templates" / "qwen2_5.jinja").read_text(encoding="utf-8")
    assert "generation %}" not in qwen and "generation %}" in ChatTemplate.of(tokenizer(qwen), "it").text
    assert leak(qwen) is None


def test_nothing_is_downloaded(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'no/such-model'.*nothing is downloaded"):
        load_tokenizer("no/such-model")
    with pytest.raises(InputError, match="no tokenizer at"):
        load_tokenizer(str(tmp_path))
    with pytest.raises(InputError, match="no chat template at"):
        read_template(tmp_path / "none.jinja")
