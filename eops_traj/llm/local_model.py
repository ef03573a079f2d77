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
from eops_traj.llm.local_sampling import LogprobRecorder, SeededSampler, make_warpers
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

WARPED = ("temperature", "top_k", "top_p", "min_p")
"""The options that cut the distribution down; where one is not given, the checkpoint's own setting holds."""


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

    def __init__(self, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> None:
        """Take both as they are, the model where it is. The tokenizer has a chat template."""
        self.tokenizer = tokenizer
        self._model: Any = model
        self._device = model.device
        self._ends = _ends(model, tokenizer)
        self._template = ChatTemplate(tokenizer, own_template(tokenizer, "the model"))
        self._style = style_of(self._template.text)
        self.positions: int | None = getattr(model.config, "max_position_embeddings", None)

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
        """Generate a reply to each prompt, all sampled alike, each by a seed of its own where it has one."""
        import torch

        ids, mask = self._padded(prompts)
        logprobs, languages = LogprobRecorder(), [prompt.language for prompt in prompts]
        told = ConstrainedChoice(self.tokenizer, languages, ids.shape[1], self._ends)
        constrained = [told] if any(languages) else []
        with torch.inference_mode():
            out = self._model.generate(
                input_ids=ids, attention_mask=mask, tokenizer=self.tokenizer,
                logits_processor=[logprobs, *self._samplers(sampling, seeds), *constrained],
                **self._config(sampling, ids.shape[1]),
            )[:, ids.shape[1] :]  # fmt: skip
        rows = zip(prompts, out.tolist(), logprobs.of(out).tolist(), strict=True)
        return [self._reply(prompt, row, token_logprobs) for prompt, row, token_logprobs in rows]

    def _samplers(self, sampling: Mapping[str, Any], seeds: Sequence[int | None]) -> list[SeededSampler]:
        """Return the sampler; none at temperature 0, where the likeliest token is taken."""
        defaults = {name: getattr(self._model.generation_config, name, None) for name in WARPED}
        settings = defaults | {name: sampling[name] for name in WARPED if sampling.get(name) is not None}
        return (
            []
            if settings["temperature"] == 0
            else [SeededSampler(make_warpers(settings), seeds, self._device)]
        )

    def _padded(self, prompts: Sequence[RenderedPrompt]) -> "tuple[torch.Tensor, torch.Tensor]":
        """Return token ids and attention mask (batch, longest prompt), padded on the left."""
        import torch

        longest, pad = max(len(prompt.ids) for prompt in prompts), self._ends[0]
        ids = [[pad] * (longest - len(prompt.ids)) + list(prompt.ids) for prompt in prompts]
        mask = [[0] * (longest - len(prompt.ids)) + [1] * len(prompt.ids) for prompt in prompts]
        return torch.tensor(ids, device=self._device), torch.tensor(mask, device=self._device)

    def _config(self, sampling: Mapping[str, Any], prompt: int) -> dict[str, Any]:
        """Return the length of replies, and the changes to the scores that transformers makes first."""
        room = None if self.positions is None else self.positions - prompt
        length = sampling.get("max_completion_tokens") or sampling.get("max_tokens") or room or 1024
        options = {
            "repetition_penalty": sampling.get("repetition_penalty"),
            "stop_strings": sampling.get("stop"),
        }
        return {
            **{name: value for name, value in options.items() if value is not None},
            **dict.fromkeys(WARPED),  # the sampler does these
            "do_sample": False,
            "max_new_tokens": length if room is None else min(length, room),
            "eos_token_id": self._ends,
            "pad_token_id": self._ends[0],
        }

    def _reply(self, prompt: RenderedPrompt, row: Sequence[int], logprobs: Sequence[float]) -> GeneratedReply:
        """Return the reply in a row of the batch, without the padding after its end."""
        length = next((n for n, token in enumerate(row, 1) if token in self._ends), None)
        ids = tuple(row if length is None else row[:length])
        spoken = ids if length is None else ids[:-1]
        whole = prompt.style == "harmony"  # its channels are special tokens
        text = str(self.tokenizer.decode(list(spoken), skip_special_tokens=not whole))
        return GeneratedReply(prompt, text, ids, tuple(logprobs[: len(ids)]), ended=length is not None)


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
