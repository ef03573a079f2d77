"""A causal language model in this process: conversations rendered, a batch of replies generated."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import InputError
from eops_traj.llm.base import EndpointError, Language, Request
from eops_traj.llm.chat_template import CACHED, ChatTemplate, load_tokenizer, own_template
from eops_traj.llm.constrained_choice import ConstrainedChoice
from eops_traj.llm.local_rows import HalfDone, ReplyRow, length_of
from eops_traj.llm.local_sampling import WARPED, LogprobRecorder, make_processors
from eops_traj.llm.lora import apply_adapter
from eops_traj.llm.reply_parser import ParsedReply, Style, parse_reply
from eops_traj.llm.reply_reader import style_of
from eops_traj.llm.settled_template import settle_template
from eops_traj.llm.template_defaults import Value
from eops_traj.messages import Message

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_log = logging.getLogger(__name__)

SAMPLING = frozenset(
    {
        *("temperature", "top_p", "top_k", "min_p", "repetition_penalty"),
        *("max_tokens", "max_completion_tokens", "stop", "seed"),
    }
)
"""The sampling options that are known, by the names of the OpenAI API and of vLLM."""

STATIC_ROPE = frozenset({"default", "linear", "llama3", "yarn"})
"""Rotary embeddings, by their names in transformers, that are the same whatever the length of a batch."""


@dataclass(frozen=True)
class RenderedPrompt:
    """A rendered conversation."""

    ids: tuple[int, ...]
    thinking: bool
    """Whether it ends in an open ``<think>``."""
    style: Style = "hermes"
    """How the model writes calls."""
    language: Language | None = None
    """What the reply has to be of, unless it begins with thoughts."""


@dataclass(frozen=True)
class GeneratedReply:
    """A reply as it was generated, the token that ended it included."""

    prompt: RenderedPrompt
    text: str
    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    """Of each token, under the model's own distribution: before temperature, top-p and the like."""
    ended: bool
    """Whether the model ended it; otherwise it was cut short."""

    def parsed(self) -> ParsedReply:
        """Take the reply apart: thoughts, calls and text."""
        prompt = self.prompt
        return parse_reply(self.text, thinking=prompt.thinking, cut=not self.ended, style=prompt.style)


class LocalModel:
    """A model with its tokenizer, on one device."""

    def __init__(
        self, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", in_parts: bool = True
    ) -> None:
        """Take both as they are, the model where it is. The tokenizer has a chat template.

        Without ``in_parts`` transformers is asked once for each batch, as ranks have to that share a model.
        """
        self.tokenizer, self._in_parts = tokenizer, in_parts
        self._model: Any = model
        self._device = model.device
        self._ends = _ends(model, tokenizer)
        self._template = ChatTemplate(tokenizer, own_template(tokenizer, "the model"))
        self._style = style_of(self._template.text)
        self.positions: int | None = getattr(model.config, "max_position_embeddings", None)
        self._furthest = max if _computes_positions(model.config) else min
        # a batch is wider than its rows are long: transformers would warn of a context that none of them left
        logging.getLogger("transformers.generation.stopping_criteria").setLevel(logging.ERROR)

    @classmethod
    def load(
        cls, path: str, template: Path | None, device: str | None, dtype: str,
        adapter: Path | None = None, speaker: str | None = None,
        variables: Mapping[str, Value] | None = None,
    ) -> "LocalModel":  # fmt: skip
        """Load a checkpoint, and an adapter over it; ``speaker`` has the tokenizer, where that is elsewhere.

        Raises InputError where there is none, or its tokenizer has no chat template.
        """
        import torch

        tokenizer = load_tokenizer(speaker or path)
        if note := settle_template(tokenizer, speaker or path, template, variables or {}):
            _log.warning("%s", note)
        model = load_weights(path, dtype)
        model.generation_config.use_cache = True  # one that was saved while it learnt may say otherwise
        if adapter is not None:
            model = apply_adapter(model, adapter)
        model.to(torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))).eval()
        return cls(model, tokenizer)

    def prompt(self, request: Request) -> RenderedPrompt:
        """Render a conversation with its chat template.

        Raises EndpointError where the template refuses it or leaves tools out, or no room is left to reply.
        """
        messages = [_with_objects(message) for message in request.messages]
        tools: list[Any] = list(request.tools)
        try:
            text = self.tokenizer.apply_chat_template(
                messages, tools=tools or None, add_generation_prompt=True, tokenize=False
            )  # fmt: skip
        except Exception as error:
            raise EndpointError("request", f"the chat template refuses the conversation: {error}") from error
        if missing := self._template.abilities.missing(messages, tools):
            raise EndpointError("request", f"the chat template leaves out {', '.join(missing)}")
        ids = tuple(self.tokenizer(str(text), add_special_tokens=False, verbose=False)["input_ids"])
        if self.positions is not None and len(ids) >= self.positions:
            raise EndpointError("context", f"{len(ids)} tokens; the model takes {self.positions}")
        style = self._style if tools or self._style == "harmony" else "hermes"
        thinking = str(text).rstrip().endswith("<think>")
        return RenderedPrompt(ids, thinking, style, None if thinking else request.language)

    def generate(
        self, prompts: Sequence[RenderedPrompt], sampling: Mapping[str, Any], seeds: Sequence[int | None]
    ) -> list[GeneratedReply]:
        """Generate a reply to each prompt, all sampled alike, each by a seed of its own where it has one.

        Each has the room that its own prompt leaves; where ranks share a model, what the longest leaves.
        """
        import torch

        rows = [
            ReplyRow(prompt.ids, prompt.language, _generator(seed, self._device), most)
            for prompt, seed, most in zip(prompts, seeds, self._bounds(sampling, prompts), strict=True)
        ]
        left = rows
        with torch.inference_mode():
            while left:
                self._generate_part(left, sampling, self._furthest(row.left for row in left))
                left = [row for row in left if not row.ended and row.left]
        return [self._reply(prompt, row) for prompt, row in zip(prompts, rows, strict=True)]

    def _generate_part(self, rows: Sequence[ReplyRow], sampling: Mapping[str, Any], most: int) -> None:
        """Go on with rows of equally many tokens, by so many at most, until half of them are done."""
        import torch

        ids, mask = self._padded([row.read for row in rows])
        width, stops = ids.shape[1], sampling.get("stop") or ()
        logprobs, languages = LogprobRecorder(), [row.language for row in rows]
        starts = [width - len(row.ids) for row in rows]
        told = ConstrainedChoice(self.tokenizer, languages, starts, self._ends)
        constrained = [told] if any(languages) else []
        full = torch.tensor([width + row.left for row in rows], device=self._device)
        out = self._model.generate(
            input_ids=ids, attention_mask=mask, tokenizer=self.tokenizer, max_new_tokens=most,
            logits_processor=[logprobs, *self._processors(sampling, rows), *constrained],
            stopping_criteria=[HalfDone(self._ends, full)] if self._in_parts and not stops else [],
            **self._config(sampling),
        )[:, width:]  # fmt: skip
        parts = zip(rows, languages, out.tolist(), logprobs.of(out).tolist(), strict=True)
        for row, language, new, chances in parts:
            row.language = language
            whole = [*row.ids, *new]  # a stop word may begin in one part and end in the next
            row.take(new, chances, length_of(whole, self._ends, stops, self._decode))

    def _decode(self, ids: list[int]) -> str:
        return str(self.tokenizer.decode(ids))

    def _processors(self, sampling: Mapping[str, Any], rows: Sequence[ReplyRow]) -> list[Any]:
        """Return what changes the scores, by the options given, or else by those of the checkpoint."""
        own = self._model.generation_config
        given = {name: value for name, value in sampling.items() if value is not None}
        settings = {name: getattr(own, name, None) for name in (*WARPED, "repetition_penalty")} | given
        longest = max(len(row.read) for row in rows)
        paddings = [longest - len(row.read) for row in rows]
        return make_processors(settings, [row.generator for row in rows], paddings)

    def _padded(self, read: Sequence[Sequence[int]]) -> "tuple[torch.Tensor, torch.Tensor]":
        """Return token ids and attention mask (batch, longest of what is read), padded on the left."""
        import torch

        longest, pad = max(map(len, read)), self._ends[0]
        ids = [[pad] * (longest - len(row)) + list(row) for row in read]
        mask = [[0] * (longest - len(row)) + [1] * len(row) for row in read]
        return torch.tensor(ids, device=self._device), torch.tensor(mask, device=self._device)

    def _bounds(self, sampling: Mapping[str, Any], prompts: Sequence[RenderedPrompt]) -> list[int]:
        """Return the most tokens that the reply to each prompt may have."""
        asked = int(sampling.get("max_completion_tokens") or sampling.get("max_tokens") or 0)
        if self.positions is None:
            return [asked or 1024] * len(prompts)
        rooms = [self.positions - len(prompt.ids) for prompt in prompts]
        rooms = rooms if self._in_parts else [min(rooms)] * len(rooms)
        return [min(asked or room, room) for room in rooms]

    def _config(self, sampling: Mapping[str, Any]) -> dict[str, Any]:
        """Return what ends replies; what changes the scores comes after the recorder, and is ours."""
        stops = sampling.get("stop")
        return {
            **({"stop_strings": stops} if stops is not None else {}),
            "repetition_penalty": 1.0,
            **dict.fromkeys(WARPED),  # the sampler does these
            "do_sample": False,
            "eos_token_id": self._ends,
            "pad_token_id": self._ends[0],
        }

    def _reply(self, prompt: RenderedPrompt, row: ReplyRow) -> GeneratedReply:
        """Return the reply that a row has come to."""
        spoken = row.ids[:-1] if row.ids and row.ids[-1] in self._ends else row.ids
        whole = prompt.style == "harmony"  # its channels are special tokens
        text = str(self.tokenizer.decode(spoken, skip_special_tokens=not whole))
        return GeneratedReply(prompt, text, tuple(row.ids), tuple(row.logprobs), row.ended)


def _computes_positions(config: Any) -> bool:
    """Return whether a row may go on beyond the model's context while others write, and changes none of them.

    A table of positions ends there, and rotary embeddings of the other types change for the whole batch.
    """
    rope = getattr(config, "rope_parameters", None) or {}
    return rope.get("rope_type") in STATIC_ROPE


def _generator(seed: int | None, device: "torch.device") -> "torch.Generator | None":
    import torch

    return None if seed is None else torch.Generator(device).manual_seed(seed)


def load_weights(path: str, dtype: str) -> Any:
    """Load a model from safetensors, as transformers has it. Raises InputError where it is not here."""
    from transformers import AutoModelForCausalLM

    try:
        return AutoModelForCausalLM.from_pretrained(
            path, dtype=dtype, local_files_only=True, use_safetensors=True
        )
    except (OSError, ValueError) as error:
        raise InputError(f"no safetensors of {path!r} on this machine; {CACHED}") from error


def _ends(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> list[int]:
    """Return the tokens that end a reply: those of the model's generation config, and the tokenizer's."""
    configured = getattr(model.generation_config, "eos_token_id", None)
    listed = configured if isinstance(configured, list) else [configured]
    return list(dict.fromkeys(int(t) for t in (*listed, tokenizer.eos_token_id) if t is not None))


def _with_objects(message: Message) -> Message:
    """Return the message with the arguments of its calls as objects, as templates want them."""
    if not message.get("tool_calls"):
        return message
    calls = [
        {**call, "function": {**call["function"], "arguments": _object(call["function"]["arguments"])}}
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def _object(arguments: Any) -> Any:
    return json.loads(arguments) if isinstance(arguments, str) else arguments
