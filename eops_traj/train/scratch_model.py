"""A small model from scratch, with a tokenizer of its own, for runs that start from no model."""

from collections.abc import Iterable
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, PositiveInt, model_validator

from eops_traj.config import Settings
from eops_traj.train.slot_tokens import SlotTokens

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

PAD, START, END = "<|pad|>", "<|im_start|>", "<|im_end|>"
"""The special tokens; the last ends a turn."""

PLAN_PIECES = "|".join(
    (
        r"\p{N}+\. (?=[\p{L}_]+\()",  # the number of a step
        r"[\p{L}_]+\((?:[\p{L}_]+=\"?)?",  # a call, up to the value of its first argument
        r"\"?, [\p{L}_]+=\"?",  # from one argument's value to the next
        r"\{?\$\p{N}+(?:\.[\p{L}_]+|\[[^\]\"\s]*\])*\}?",  # a reference
        r"[=!<>]=? \p{N}+\)",  # what a count is compared with
        r"[\p{L}_]+|\p{N}{1,2}| ?[^\s\p{L}\p{N}_$]+ ?|\s|.",  # words, digits in pairs, punctuation, spaces
    )
)
"""The longest texts that tokens of plans may span: none reaches from the plan's own words into a name."""

SLOT_PIECES = "|".join(
    (
        r"(?:\A|(?<=<\|im_start\|>))assistant\n",  # what begins a reply, whose first step is apart from it
        r"[\"'}\])]*\n?\p{N}+\. (?=[\p{L}_]+[ (]|\z)",  # the number of a step, the last before a tool's name
        r"[\"\])]* -- [^\[\n]*",  # the reason of a check, up to a slot
        r" [\p{L}',\- ]+(?=\n\p{N}+\. )",  # its end
        r"require\((?:count\()?| ?when count\(|for ",
        r" ?[\p{L}_]*\((?:[\p{L}_]+=[\"{\[]*)?",  # a call, up to the value of its first argument
        r"[\p{L}_]+(?:,[\p{L}_]+)+",  # a list of fields
        r"[\"'}\])]*, [\p{L}_]+=[\"{\[]*",  # from one argument's value to the next
        r"[\"}\])]*, \"[\p{L}_]+\": [\"{\[]*",  # the same within a value
        r"\", \"|\": [\"{\[]*",
        r" (?:in|[=!<>]=?) [\[\"]+",
        r"\[\*?[\p{L}_.]+(?:=| [!<>]=? )\"?",  # which rows
        r"(?::\p{N}{2})+",  # minutes and seconds
        r"(?:\.[\p{L}_]+|\[\p{N}+\])+",  # a path into what a step returned
        r"\{?\$row(?:\.[\p{L}_]+)*\}?",
        r"\)* ?[=!<>]=? (?:\p{N}+|true|false)\)",  # what a count or a field is compared with
        r" ?[\p{L}_]+|\p{N}{1,3}| ?[^\s\p{L}\p{N}_$\[]+|\s+|.",  # words with the space before them
    )
)
"""The same for plans that name values by slots: words take the space before them. Slots and tools, which have
tokens of their own, are cut out before. What plans say in the same words time and again may be one token: a
plan has four tenths fewer tokens than by words."""
_PIECES = {"plan": PLAN_PIECES, "slots": SLOT_PIECES}


class ScratchConfig(Settings):
    """Sizes of a model and of its vocabulary, and aids to copying names it has never seen."""

    architecture: Literal["llama", "lfm2"] = "llama"
    """A Llama, or an LFM2, whose first layer is a convolution: it learns to copy in half the steps."""
    vocabulary: Annotated[int, Field(ge=300)] = 2000
    """The tokens that are learnt from texts; of pieces ``slots`` those of slots and tools come on top."""
    hidden: PositiveInt = 192
    layers: PositiveInt = 4
    heads: PositiveInt = 6
    intermediate: PositiveInt = 512
    tie_embeddings: bool = True
    pieces: Literal["text", "plan", "slots"] = "text"
    """The pieces that a token may span: text as GPT-2 cuts it, or the pieces of a plan, with words apart from
    the spaces and quotes around them: a name is then the same tokens everywhere, and a reference is one; or
    those of a plan that names values by slots, whose names need not be told apart. There each slot and each
    tool is a token."""
    copying: Annotated[int, Field(ge=0)] = 0
    """How many steps of copying random tokens come before the first row, at most."""
    renaming: Annotated[float, Field(ge=0, le=1)] = 0.0
    """The share of rows whose names and numbers are exchanged for others, in prompt and reply alike; of
    pieces ``slots`` it is the numbers of slots."""

    @model_validator(mode="after")
    def _whole_heads(self) -> "ScratchConfig":
        if self.hidden % self.heads:
            raise ValueError(f"hidden is a multiple of heads, and {self.hidden} is none of {self.heads}")
        return self


def chat_template() -> str:
    """Read the chat template of models from scratch: ``recipes/chatml.jinja``."""
    return (files("eops_traj.recipes") / "chatml.jinja").read_text(encoding="utf-8")


def train_tokenizer(
    rows: Iterable[dict[str, Any]], vocabulary: int, *, pieces: str = "text"
) -> "PreTrainedTokenizerBase":
    """Train a byte-level BPE tokenizer on ``messages`` and ``tools`` as the template renders them.

    Of pieces ``slots`` each slot and each tool that is called is a token besides.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

    core = Tokenizer(models.BPE())
    bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pieces == "text")
    if pieces == "text":
        core.pre_tokenizer = bytes_
    else:
        cut = pre_tokenizers.Split(Regex(_PIECES[pieces]), "isolated")
        core.pre_tokenizer = pre_tokenizers.Sequence([cut, bytes_])
    core.decoder = decoders.ByteLevel()
    untrained, rows = _wrap(core), list(rows)
    own = SlotTokens(row["messages"] for row in (rows if pieces == "slots" else ()))
    texts = (
        str(untrained.apply_chat_template(r["messages"], tools=r["tools"] or None, tokenize=False))
        for r in rows
    )
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[PAD, START, END],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    core.train_from_iterator(map(own.between, texts), trainer)
    core.add_tokens(own.added())
    return _wrap(core)


def _wrap(core: Any) -> "PreTrainedTokenizerBase":
    from transformers import PreTrainedTokenizerFast

    tokenizer_class: Any = PreTrainedTokenizerFast
    tokenizer: PreTrainedTokenizerBase = tokenizer_class(tokenizer_object=core, pad_token=PAD, eos_token=END)
    tokenizer.chat_template = chat_template()
    return tokenizer


def make_scratch_model(
    scratch: ScratchConfig, tokenizer: "PreTrainedTokenizerBase", positions: int
) -> "PreTrainedModel":
    """Make a model with random weights for conversations of up to ``positions`` tokens."""
    from transformers import Lfm2Config, Lfm2ForCausalLM, LlamaConfig, LlamaForCausalLM

    common: dict[str, Any] = {
        "vocab_size": len(tokenizer),
        "hidden_size": scratch.hidden,
        "num_hidden_layers": scratch.layers,
        "num_attention_heads": scratch.heads,
        "num_key_value_heads": scratch.heads,
        "intermediate_size": scratch.intermediate,
        "tie_word_embeddings": scratch.tie_embeddings,
        "max_position_embeddings": positions,
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    if scratch.architecture == "llama":
        return LlamaForCausalLM(LlamaConfig(**common))
    layers = ["conv", *["full_attention"] * (scratch.layers - 1)]
    own: dict[str, Any] = {"layer_types": layers, "conv_L_cache": 5, "block_auto_adjust_ff_dim": False}
    return Lfm2ForCausalLM(Lfm2Config(**common, **own))
