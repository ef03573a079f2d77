"""Which tokens of a conversation a model is trained on, and the proof that they are the assistant's alone.

Loss falls on each reply from where the template's generation prompt ends to the token that ends the reply:
what a model writes when it is served, and no token more. No ``{% generation %}`` markers are needed for that,
nor a template that anybody has seen before. Where a template writes earlier replies otherwise once others
follow, a conversation becomes several sequences, each of which is what the model would have been given.

:meth:`ChatTemplate.leak` proves it for a conversation: with all other text changed the trained tokens must
stay the same, and with the assistant's text changed the others must.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from eops_traj.errors import InputError
from eops_traj.llm.changed_messages import OTHER, blank_tool, change_others, change_replies
from eops_traj.llm.rendering import RenderedTurn, Renderer, Unrenderable
from eops_traj.llm.rendering import Tools as Tools
from eops_traj.llm.template_abilities import Abilities
from eops_traj.messages import Message
from eops_traj.optional import require

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

TRL = "trl:"
"""What names a chat template that TRL bundles, in a file's place."""

CACHED = "nothing is downloaded here: fetch a model first, with `hf download`"
"""The advice about a model that is not on this machine."""


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
        """Take the tokenizer's own template.

        Raises InputError, which names the tokenizer, where it cannot be trained on: no template, nothing that
        begins or ends a reply, or tokens that depend on what stands before a special token.
        """
        template = cls(tokenizer, own_template(tokenizer, name))
        problem = template._problem()
        if problem:
            raise InputError(f"{name}: the chat template cannot be trained on: {problem}")
        return template

    @cached_property
    def abilities(self) -> Abilities:
        """What the template renders."""
        return Abilities.of(self._renderer)

    @cached_property
    def end(self) -> int:
        """The token that ends an answer."""
        asked, answer = _probe()
        return self._ids(self._renderer.turn([*asked, answer], [], len(asked)).reply)[-1]

    @cached_property
    def _renderer(self) -> Renderer:
        return Renderer(self.tokenizer, self.text)

    def _problem(self) -> str | None:
        asked, answer = _probe()
        try:
            turn = self._renderer.turn([*asked, answer], [], len(asked))
            begun = self._renderer.text(asked, [])
        except Unrenderable as problem:
            return str(problem)
        except Exception as error:  # noqa: BLE001 - a template raises whatever its author chose
            return f"it does not take a question and an answer ({error})"
        if turn.prompt == begun and not turn.reply.lstrip().startswith(str(answer["content"])):
            return "nothing begins a reply: it has no text for add_generation_prompt"
        said = turn.prompt + turn.reply
        if self._ids(said + said) != self._ids(said) * 2:
            return "the tokenizer splits text behind a special token otherwise than alone"
        return None

    def _ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def sequences(self, messages: list[Message], tools: Tools, start: int = 0) -> list[MaskedTokens]:
        """Render and tokenize a conversation, with loss on all replies from message ``start`` on.

        One sequence, or several where the template would show the model another conversation before a later
        reply than before an earlier one; each reply carries loss once. Raises InputError where the template
        leaves out what the conversation has, and the template's own error where it refuses the conversation.
        """
        missing = self.abilities.missing(messages, tools)
        if missing:
            raise Unrenderable(f"the chat template leaves out {', '.join(missing)}")
        if not self.abilities.thoughts:
            messages = [_thoughtless(message) for message in messages]
        growing: list[_Sequence] = []
        for at in range(start, len(messages)):
            if messages[at]["role"] == "assistant":
                turn = self._renderer.turn(messages, tools, at)
                if not growing or not turn.prompt.startswith(growing[-1].text):
                    growing.append(_Sequence("", [], []))
                growing[-1] = self._grown(growing[-1], turn)
        return [MaskedTokens(each.ids, each.mask) for each in growing]

    def _grown(self, sequence: "_Sequence", turn: RenderedTurn) -> "_Sequence":
        """Return a sequence with one more reply; it ends in a special token, so what follows stands alone."""
        prompt = self._ids(turn.prompt[len(sequence.text) :])
        both = self._ids(turn.prompt[len(sequence.text) :] + turn.reply)
        # a token that reaches over the end of the prompt is none that the model was served with
        reply = both[len(prompt) :] if both[: len(prompt)] == prompt else self._ids(turn.reply)
        mask = [0] * len(prompt) + [1] * len(reply)
        return _Sequence(turn.prompt + turn.reply, [*sequence.ids, *prompt, *reply], [*sequence.mask, *mask])

    def encode(self, messages: list[Message], tools: Tools) -> MaskedTokens:
        """Render and tokenize a conversation as one sequence. Raises InputError where it takes several."""
        sequences = self.sequences(messages, tools)
        if len(sequences) != 1:
            raise InputError(f"the chat template renders the conversation as {len(sequences)} sequences")
        return sequences[0]

    def unservable(self, prompt: list[Message], reply: list[Message], tools: Tools) -> str | None:
        """Say why a model would not be given, when it is served, what stands before a reply in their text."""
        if missing := self.abilities.missing([*prompt, *reply], tools):
            return f"the chat template leaves out {', '.join(missing)}"
        begin = self._ids(self._renderer.text(prompt, tools, reply_next=True))
        if self._ids(self._renderer.text([*prompt, *reply], tools))[: len(begin)] != begin:
            return "the chat template renders the prompt otherwise alone than before a reply"
        return None

    def leak(self, messages: list[Message], tools: Tools, sequences: Iterable[MaskedTokens]) -> str | None:
        """Say what is wrong with the masks of an encoded conversation; None where they hold."""
        found = list(sequences)
        trained = [token for each in found for token in each.trained()]
        if not trained:
            return "no token carries loss"
        blank = [blank_tool()] if tools else []
        others_changed = self.sequences(change_others(messages), blank)
        if [token for each in others_changed for token in each.trained()] != trained:
            return "tokens that are not the assistant's carry loss"
        if len(found) > 1:  # the replies before a later one are given there, and carry loss in their own
            return None
        all_changed = self.sequences(change_replies(change_others(messages)), blank)
        if [each.untrained() for each in all_changed] != [each.untrained() for each in others_changed]:
            return "tokens of the assistant carry no loss"
        return None


@dataclass(frozen=True)
class _Sequence:
    """A sequence that is growing: its text, tokens and mask."""

    text: str
    ids: list[int]
    mask: list[int]


def own_template(tokenizer: "PreTrainedTokenizerBase", name: str) -> str:
    """Return the text of a tokenizer's chat template. Raises InputError, which names it, for none."""
    own = tokenizer.chat_template
    if isinstance(own, dict):
        own = own.get("default")
    if not own:
        raise InputError(f"{name}: the tokenizer has no chat template; give one as chat_template: FILE.jinja")
    return str(own)


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
    """Read the text of a chat template, a file or ``trl:NAME``. Raises InputError where there is none."""
    try:
        return _template_file(path).read_text(encoding="utf-8")
    except ModuleNotFoundError:
        require("train")
        raise
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"no chat template at {str(path)!r}") from error


def _template_file(path: Path) -> Traversable:
    name = str(path).removeprefix(TRL)
    return path if name == str(path) else files("trl") / "chat_templates" / f"{name}.jinja"


def _thoughtless(message: Message) -> Message:
    """Return the message without its thoughts, as it stands in the history of a model that has none."""
    return {key: value for key, value in message.items() if key != "reasoning_content"}


def _probe() -> tuple[list[Message], Message]:
    """Return a question, and its answer."""
    asked = [{"role": "system", "content": OTHER}, {"role": "user", "content": OTHER}]
    return asked, {"role": "assistant", "content": "Answered."}
