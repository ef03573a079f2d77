"""Families of models by their real chat templates, with what each writes for a reply, written down by hand.

TRL ships most of the templates. Qwen3-Thinking-2507's is Qwen3's with another generation prompt.
"""

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, tzinfo
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from eops_traj.llm.chat_template import ChatTemplate, MaskedTokens
from eops_traj.llm.settled_template import settle_template
from eops_traj.messages import Message

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Write = Callable[[Message], str]
FIXTURES = Path(__file__).parents[1] / "fixtures" / "templates"
SPECIAL = (
    *("<|im_start|>", "<|im_end|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
    *("<start_of_turn>", "<end_of_turn>"),
    *("<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", "<|end|>", "<|call|>", "<|return|>"),
)
WORDS = ("<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
"""Qwen's tokens that are not special: decoding keeps them."""


class OneDay(datetime):
    """A clock that stands still: gpt-oss's template writes the day, and a test may run over midnight."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls(2026, 1, 1, tzinfo=tz)


class Family(NamedTuple):
    """A family's own template, and what its models write."""

    template: str
    write: Write
    variables: Mapping[str, Any] = MappingProxyType({})
    """What its template is told in a run."""


def bundled(name: str) -> str:
    """Return the text of a template that TRL ships."""
    return (files("trl") / "chat_templates" / f"{name}.jinja").read_text(encoding="utf-8")


def thinking_only(qwen3: str) -> str:
    """Turn Qwen3's template into Qwen3-Thinking-2507's: each prompt opens a thought."""
    head, _, _ = qwen3.rpartition("{%- if add_generation_prompt %}")
    opened = r"{{- '<|im_start|>assistant\n<think>\n' }}"
    return f"{head}{{%- if add_generation_prompt %}}\n    {opened}\n{{%- endif %}}"


def functions(reply: Message) -> list[tuple[str, str]]:
    """Return name and arguments, as JSON, of a reply's calls."""
    calls = [call["function"] for call in reply.get("tool_calls", ())]
    return [(call["name"], json.dumps(call["arguments"], ensure_ascii=False)) for call in calls]


def hermes(reply: Message) -> str:
    """Write as Qwen2.5, SmolLM2 with our template, and Qwen3 without thoughts."""
    calls = [
        f'<tool_call>\n{{"name": "{name}", "arguments": {given}}}\n</tool_call>'
        for name, given in functions(reply)
    ]
    return "\n".join([*([reply["content"]] if reply["content"] else []), *calls]) + "<|im_end|>"


def thinking(reply: Message) -> str:
    """Write as Qwen3 does when it may think."""
    return "<think>\n" + opened_thinking(reply)


def opened_thinking(reply: Message) -> str:
    """Write as Qwen3-Thinking-2507, whose prompt has opened the thought."""
    return reply.get("reasoning_content", "") + "\n</think>\n\n" + hermes(reply)


def llama(reply: Message) -> str:
    """Write as Llama 3.2."""
    calls = [f'{{"name": "{name}", "parameters": {given}}}' for name, given in functions(reply)]
    return (calls[0] if calls else reply["content"]) + "<|eot_id|>"


def gemma(reply: Message) -> str:
    """Write as Gemma 3."""
    return str(reply["content"]) + "<end_of_turn>"


def harmony(reply: Message) -> str:
    """Write as gpt-oss, whose template says a text beside a call as a thought."""
    thought = reply.get("reasoning_content") or (reply.get("tool_calls") and reply["content"])
    head = f"<|channel|>analysis<|message|>{thought}<|end|><|start|>assistant" if thought else ""
    for name, given in functions(reply):
        return f"{head} to=functions.{name}<|channel|>commentary json<|message|>{given}<|call|>"
    return f"{head}<|channel|>final<|message|>{reply['content']}<|return|>"


FAMILIES = {
    "Qwen3": lambda: Family(bundled("qwen3"), thinking),
    "Qwen3, thinking off": lambda: Family(bundled("qwen3"), hermes, {"enable_thinking": False}),
    "Qwen3-Thinking-2507": lambda: Family(thinking_only(bundled("qwen3")), opened_thinking),
    "Qwen3-Instruct-2507": lambda: Family(bundled("qwen3_instruct_2507"), hermes),
    "Qwen2.5": lambda: Family(bundled("qwen2_5"), hermes),
    "SmolLM2": lambda: Family((FIXTURES / "smollm2.jinja").read_text(encoding="utf-8"), hermes),
    "Llama-3.2": lambda: Family(bundled("llama3_2"), llama, {"date_string": "26 Jul 2024"}),
    "Gemma 3": lambda: Family(bundled("gemma3"), gemma),
    "gpt-oss": lambda: Family(bundled("gptoss"), harmony),
}


@functools.cache
def _trained() -> str:
    """Train a byte-level BPE that joins line breaks, as Qwen's does, and return it as JSON."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

    trained = Tokenizer(models.BPE())
    words = pre_tokenizers.Split(Regex(r"\p{L}+|\p{N}|[\r\n]+| ?[^\s\p{L}\p{N}]+|\s+"), "isolated")
    joined = [words, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    trained.pre_tokenizer = pre_tokenizers.Sequence(joined)
    trained.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet, show_progress=False)
    trained.train_from_iterator([bundled("gptoss"), "a\n\nb\n\n\n" * 50], trainer)
    return trained.to_str()


def tokenizer_of(family: Family) -> "PreTrainedTokenizerBase":
    """Return a small tokenizer with the family's special tokens and no others', and its settled template."""
    from tokenizers import AddedToken, Tokenizer
    from transformers import PreTrainedTokenizerFast

    made = PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_str(_trained()))
    made.add_tokens(
        [AddedToken(text, special=True, normalized=False) for text in SPECIAL if text in family.template]
    )
    made.add_tokens([AddedToken(text, normalized=False) for text in WORDS])
    made.add_special_tokens({"bos_token": "<|begin_of_text|>", "eos_token": "<|endoftext|>"})
    made.chat_template = family.template
    settle_template(made, "it", None, family.variables)
    return made


FIND = {
    "name": "Zoë 🌱",
    "filters": {"any": [{"city": "Łódź", "floor": None}, 1.5, True]},
    "note": 'a "b"\n\nc',
}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"The tool {name}.",
            "parameters": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
    }
    for name in ("find_user", "cancel")
]


def called(*calls: tuple[str, dict[str, Any]], content: str = "", first: int = 0) -> list[Message]:
    """Build a reply that calls tools, and their results."""
    asked = [
        {"id": f"call0000{n}", "type": "function", "function": {"name": name, "arguments": given}}
        for n, (name, given) in enumerate(calls, first)
    ]
    results = [
        {"role": "tool", "tool_call_id": call["id"], "name": name, "content": f'{{"id": {n}, "é": "x\\n"}}'}
        for n, (call, (name, _)) in enumerate(zip(asked, calls, strict=True))
    ]
    return [{"role": "assistant", "content": content, "tool_calls": asked}, *results]


def conversation(template: ChatTemplate, *, thoughts: bool = False, requests: int = 2) -> list[Message]:
    """Build a conversation of all that a template can render; of one request, or two."""
    can = template.abilities
    both = [("find_user", {"name": "Bo"}), ("cancel", {})][: 1 + can.parallel_calls]
    beside = "Two at once." if can.text_beside_calls and not thoughts else ""
    acting = [*called(("find_user", FIND)), *called(*both, content=beside, first=2)]
    again = called(("cancel", {"name": "Zoë 🌱"}), first=5)
    said: list[Message] = [
        {"role": "system", "content": "You help — «été»."},
        {"role": "user", "content": "Book a room for Zoë 🌱.\n\nNow."},
        *(acting if can.calls else []),
        {"role": "assistant", "content": "Booked.\n\nAnything else?"},
        {"role": "user", "content": "Cancel it."},
        *(again if can.calls else []),
        {"role": "assistant", "content": "Cancelled, Zoë 🌱."},
    ]
    one = next(n for n, message in enumerate(said[2:], 2) if message["role"] == "user")
    return list(_thinking(said if requests == 2 else said[:one], thoughts))


def _thinking(said: list[Message], thoughts: bool) -> Iterator[Message]:
    for number, message in enumerate(said):
        if thoughts and message["role"] == "assistant":
            message = {**message, "reasoning_content": f"Thought {number}:\n\nhm, é."}
        yield message


def runs(sequence: MaskedTokens) -> list[tuple[int, list[int]]]:
    """Return each run of tokens with loss: where it starts, and its tokens."""
    found: list[tuple[int, list[int]]] = []
    for at, (token, on) in enumerate(zip(sequence.ids, sequence.mask, strict=True)):
        if on and (at == 0 or not sequence.mask[at - 1]):
            found.append((at, []))
        if on:
            found[-1][1].append(token)
    return found
