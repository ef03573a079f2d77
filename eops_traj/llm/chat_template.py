"""Which tokens of a conversation a model is trained on, and the proof that they are the assistant's alone.

A chat template marks the assistant's text with ``{% generation %}``. Templates get that wrong in ways
that no loss curve shows, so :meth:`ChatTemplate.leak` tries it on every conversation: with all other text
changed the trained tokens must stay the same, and with the assistant's text changed the others must.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import InputError
from eops_traj.messages import Message
from eops_traj.optional import require

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Tools = list[dict[str, Any]]

CACHED = "nothing is downloaded here: fetch a model first, with `hf download`"
"""The advice about a model that is not on this machine."""

OTHER = "Changed."
"""The text that stands in for another while its influence is tried."""


@dataclass(frozen=True)
class MaskedTokens:
    """A rendered conversation: token ids, and a mask that is 1 where the model is trained."""

    ids: list[int]
    mask: list[int]

    def trained(self) -> list[int]:
        """Return the ids that carry loss."""
        return [token for token, on in zip(self.ids, self.mask, strict=True) if on]

    def untrained(self) -> list[int]:
        """Return the ids that carry none."""
        return [token for token, on in zip(self.ids, self.mask, strict=True) if not on]


@dataclass(frozen=True)
class ChatTemplate:
    """A tokenizer with the chat template that training uses."""

    tokenizer: "PreTrainedTokenizerBase"
    text: str

    @classmethod
    def of(cls, tokenizer: "PreTrainedTokenizerBase", name: str) -> "ChatTemplate":
        """Take the tokenizer's own template, or TRL's training variant of it where TRL knows it.

        Raises InputError, which names the tokenizer, where neither can be trained on: no template, no
        ``{% generation %}`` markers, an end of turn that carries no loss, or tools that are not rendered.
        """
        if not tokenizer.chat_template:
            raise InputError(f"{name}: the tokenizer has no chat template; give one as a .jinja file")
        template = cls(tokenizer, _training_text(tokenizer, name))
        problem = template._problem()
        if problem:
            raise InputError(f"{name}: the chat template cannot be trained on: {problem}")
        return template

    def _problem(self) -> str | None:
        from trl.chat_template_utils import is_chat_template_stop_token_trained

        if not is_chat_template_stop_token_trained(self.tokenizer, chat_template=self.text):
            return "the token that ends a reply carries no loss, so a model would not learn to stop"
        try:
            rendered = str(self._render(*_probe(), tokenize=False))
        except Exception as error:  # noqa: BLE001 - a template raises whatever its author chose
            return f"it does not take a conversation with tool calls ({error})"
        missing = [word for word in ("probe_tool", "probe_argument", "probe_result") if word not in rendered]
        return (
            f"it leaves out tools, their calls or their results ({', '.join(missing)})" if missing else None
        )

    def _render(self, messages: list[Message], tools: Tools, **options: Any) -> Any:
        options |= {"chat_template": self.text, "tokenizer_kwargs": {"verbose": False}}
        return self.tokenizer.apply_chat_template(messages, tools=[*tools] or None, **options)

    def encode(self, messages: list[Message], tools: Tools) -> MaskedTokens:
        """Render and tokenize a conversation. Raises the template's own error where it refuses one."""
        out = self._render(
            messages, tools, tokenize=True, return_dict=True, return_assistant_tokens_mask=True
        )
        return MaskedTokens(list(out["input_ids"]), list(out["assistant_masks"]))

    def leak(self, messages: list[Message], tools: Tools, tokens: MaskedTokens) -> str | None:
        """Say what is wrong with the mask of an encoded conversation; None where it holds."""
        if not any(tokens.mask):
            return "no token carries loss"
        blank = [_blank_tool()] if tools else []
        others_changed = self.encode(_changed(messages, _change_other), blank)
        if others_changed.trained() != tokens.trained():
            return "tokens that are not the assistant's carry loss"
        all_changed = self.encode(_changed(_changed(messages, _change_other), _change_assistant), blank)
        if all_changed.untrained() != others_changed.untrained():
            return "tokens of the assistant carry no loss"
        return None


def _training_text(tokenizer: "PreTrainedTokenizerBase", name: str) -> str:
    from trl.chat_template_utils import get_training_chat_template, has_generation_markers

    own = tokenizer.chat_template
    own = own["default"] if isinstance(own, dict) else own
    if has_generation_markers(own):
        return str(own)
    try:
        return str(get_training_chat_template(tokenizer))
    except ValueError as error:
        raise InputError(
            f"{name}: the chat template cannot be trained on: it has no {{% generation %}} markers, "
            "and TRL knows no training variant of it"
        ) from error


def load_tokenizer(name: str) -> "PreTrainedTokenizerBase":
    """Load the tokenizer in a folder, or of a model in the local Hugging Face cache; nothing is downloaded.

    Raises InputError where there is none.
    """
    require("train")
    from transformers import AutoTokenizer

    try:
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(name, local_files_only=True)
    except (OSError, ValueError) as error:
        raise InputError(f"no tokenizer at {name!r}, nor in the Hugging Face cache; {CACHED}") from error
    return tokenizer


def read_template(path: Path) -> str:
    """Read the text of a chat template. Raises InputError where there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"no chat template at {str(path)!r}") from error


def _changed(messages: list[Message], change: Callable[[Message], Message]) -> list[Message]:
    return [change(message) for message in messages]


def _change_other(message: Message) -> Message:
    return message if message["role"] == "assistant" else {**message, "content": OTHER}


def _change_assistant(message: Message) -> Message:
    """Return the reply with other text and arguments. Tool names stay: templates may repeat them later."""
    if message["role"] != "assistant":
        return message
    changed = {**message, "content": OTHER if message["content"] else message["content"]}
    if "reasoning_content" in message:
        changed["reasoning_content"] = OTHER
    if "tool_calls" in message:
        changed["tool_calls"] = [
            {**call, "function": {**call["function"], "arguments": {"changed": OTHER}}}
            for call in message["tool_calls"]
        ]
    return changed


def _blank_tool() -> dict[str, Any]:
    parameters = {"type": "object", "properties": {}}
    return {"type": "function", "function": {"name": "x", "description": OTHER, "parameters": parameters}}


def _probe() -> tuple[list[Message], Tools]:
    """Return a conversation that uses all that a template must render."""
    call = {"name": "look_up", "arguments": {"key": "probe_argument"}}
    messages: list[Message] = [
        {"role": "system", "content": OTHER},
        {"role": "user", "content": OTHER},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "call_1", "type": "function", "function": call}],
        },
        {"role": "tool", "tool_call_id": "call_1", "name": "look_up", "content": "probe_result"},
        {"role": "assistant", "content": OTHER},
    ]
    tool = _blank_tool()
    return messages, [{**tool, "function": {**tool["function"], "name": "probe_tool"}}]
