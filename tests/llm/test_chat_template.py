"""Loss falls on the assistant's tokens; templates that get it wrong are found out."""

from importlib.resources import files
from pathlib import Path

import pytest

from eops_traj.errors import InputError
from eops_traj.llm.chat_template import ChatTemplate, load_tokenizer, read_template
from tests.tokenizers import row, tokenizer

BEGIN = "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
TOOLS, CALLS, RESULT = (
    "{{ tools | tojson if tools }}",
    "{{ m.tool_calls | tojson if m.tool_calls }}",
    "{{ m.content }}",
)
STOP = "<|im_end|>"


def template(
    tools: str = TOOLS, calls: str = CALLS, result: str = RESULT, stop: str = STOP, begin: str = BEGIN
) -> str:
    """A short chat template; a test changes one part of it."""
    return (
        f"{tools}{{% for m in messages %}}<|im_start|>{{{{ m.role }}}}\n"
        f"{{% if m.role == 'assistant' %}}{{{{ m.content }}}}{calls}{stop}"
        f"{{% elif m.role == 'tool' %}}{result}{STOP}"
        f"{{% else %}}{{{{ m.content }}}}{STOP}{{% endif %}}{{% endfor %}}{begin}"
    )


UNUSABLE = {
    "no chat template": "",
    "no special token ends a reply": template(stop="."),
    "nothing begins a reply": template(begin=""),
    "renders the prompt otherwise alone": template(begin="{{ '<|im_start|>bot' if add_generation_prompt }}"),
    r"does not take a question and an answer \(no answers\)": template(
        stop="{{ raise_exception('no answers') }}"
    ),
}
MISSING = {
    "the list of tools": template(tools=""),
    "calls of tools": template(calls=""),
    "results of tools": template(result=""),
    "all but one of several calls in a reply": template(
        calls="{{ m.tool_calls[0] | tojson if m.tool_calls }}"
    ),
}
LEAKS = {
    "tokens that are not the assistant's carry loss": template(
        calls=CALLS + "{{ messages[1].content if m.tool_calls }}"
    ),
    "tokens of the assistant carry no loss": template(
        result="{{ messages[loop.index0 - 1].tool_calls | string }}" + RESULT
    ),
}


def leak(text: str | None = None) -> str | None:
    chosen = ChatTemplate.of(tokenizer(text), "it")
    said, tools = row()["messages"], row()["tools"]
    return chosen.leak(said, tools, chosen.sequences(said, tools))


def test_what_is_trained_is_what_the_assistant_says() -> None:
    chosen = ChatTemplate.of(tokenizer(), "it")
    trained = chosen.tokenizer.decode(chosen.encode(row()["messages"], row()["tools"]).trained())
    call = '\n<tool_call>\n{"name": "find_user", "arguments": %s}\n</tool_call><|im_end|>'
    calls = call % '{"limit": 3, "name": "Odile Prat"}' + call % '{"name": "Bram"}'
    assert trained == calls + "Odile is user 7.<|im_end|>"
    assert leak() is None and leak(template()) is None


@pytest.mark.parametrize("problem", LEAKS)
def test_a_mask_that_leaks_is_found(problem: str) -> None:
    assert leak(LEAKS[problem]) == problem


@pytest.mark.parametrize("problem", UNUSABLE)
def test_a_template_that_cannot_be_trained_on_is_refused(problem: str) -> None:
    with pytest.raises(InputError, match=f"the-model: .*{problem}"):
        ChatTemplate.of(tokenizer(UNUSABLE[problem]), "the-model")


@pytest.mark.parametrize("what", MISSING)
def test_a_conversation_that_the_template_would_shorten_is_refused(what: str) -> None:
    chosen = ChatTemplate.of(tokenizer(MISSING[what]), "it")
    asked, answer = row()["messages"][:2], {"role": "assistant", "content": "None."}
    assert chosen.sequences([*asked, answer], [])
    call = row()["messages"][2]["tool_calls"]
    twice = {"role": "assistant", "content": "", "tool_calls": call * 2}
    with pytest.raises(InputError, match=f"the chat template leaves out .*{what}"):
        chosen.sequences([*asked, twice, *row()["messages"][3:]], row()["tools"])


def test_markers_are_neither_needed_nor_in_the_way() -> None:
    trl = files("trl") / "chat_templates"
    plain, marked = ((trl / f"{name}.jinja").read_text() for name in ("qwen2_5", "qwen2_5_training"))
    assert "generation %}" not in plain and "generation %}" in marked
    said, tools = row()["messages"], row()["tools"]
    one, other = (ChatTemplate.of(tokenizer(text), "it").encode(said, tools) for text in (plain, marked))
    assert one == other and leak(plain) is None


def test_a_reply_after_a_start_carries_loss_and_those_before_none() -> None:
    chosen = ChatTemplate.of(tokenizer(), "it")
    said, tools = row()["messages"], row()["tools"]
    [tokens] = chosen.sequences(said, tools, start=len(said) - 1)
    assert chosen.tokenizer.decode(tokens.trained()) == "Odile is user 7.<|im_end|>"
    assert tokens.ids == chosen.encode(said, tools).ids


def test_what_the_assistant_says_twice_is_trained_once_where_the_past_is_written_otherwise() -> None:
    numbered = template(result="{{ messages | length }}" + RESULT)
    chosen = ChatTemplate.of(tokenizer(numbered), "it")
    said, tools = row()["messages"], row()["tools"]
    parts = chosen.sequences(said, tools)
    assert len(parts) == 2 and leak(numbered) is None  # the first result is behind the first reply
    trained = [token for part in parts for token in part.trained()]
    assert trained == ChatTemplate.of(tokenizer(template()), "it").encode(said, tools).trained()
    with pytest.raises(InputError, match="as 2 sequences"):
        ChatTemplate.of(tokenizer(numbered), "it").encode(said, tools)


def test_nothing_is_downloaded(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'no/such-model'.*nothing is downloaded"):
        load_tokenizer("no/such-model")
    with pytest.raises(InputError, match="no tokenizer at"):
        load_tokenizer(str(tmp_path))
    with pytest.raises(InputError, match="no chat template at"):
        read_template(tmp_path / "none.jinja")
