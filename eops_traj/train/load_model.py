"""The model that a run starts from, and its tokenizer with the chat template that rows are rendered by."""

from pathlib import Path
from typing import TYPE_CHECKING

from eops_traj.errors import InputError
from eops_traj.llm.chat_template import CACHED, ChatTemplate, load_tokenizer
from eops_traj.llm.settled_template import settle_template
from eops_traj.provenance.adapter import model_parts
from eops_traj.train.config import Lora, TrainingConfig
from eops_traj.train.precision import computes_in_bfloat16
from eops_traj.train.ranks import sharded, speaks

if TYPE_CHECKING:
    from peft import LoraConfig, PeftModel
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

ADAPTER = "adapter_config.json"
"""The file that makes a folder one of adapters."""


def load_training_tokenizer(config: TrainingConfig, checkpoint: Path | None) -> "PreTrainedTokenizerBase":
    """Load the tokenizer of the checkpoint that a run resumes from, else of its model, with a chat template.

    Raises InputError where there is no tokenizer, or none that renders conversations.
    """
    return set_chat_template(load_tokenizer(str(checkpoint or config.model)), config)


def set_chat_template(
    tokenizer: "PreTrainedTokenizerBase", config: TrainingConfig
) -> "PreTrainedTokenizerBase":
    """Give a tokenizer its template, by the config, and have the token that ends a reply end generation.

    Raises InputError without a template, or with one that cannot be trained on.
    """
    name = config.model or "the tokenizer"
    note = settle_template(tokenizer, name, config.chat_template, config.chat_template_kwargs)
    tokenizer.eos_token_id = ChatTemplate.of(tokenizer, name).end
    if note and speaks():
        print(note, flush=True)
    return tokenizer


SLOW = (
    "note: weights: bfloat16 on a processor without instructions for it; with weights=float32 a step takes a"
    " small part of the time, and the weights twice the memory"
)


def check_weights(config: TrainingConfig) -> None:
    """Raise InputError where bfloat16 weights themselves would be trained, with no float32 copy of them."""
    adapted = config.lora or _holds_adapters(config)
    if config.weights == "bfloat16" and not adapted and not (sharded() and config.bf16):
        raise InputError(
            "weights: bfloat16 without lora: a bfloat16 weight changes by steps of 1/256 of itself, and what"
            " the optimizer adds is less, so training is lost to rounding; give weights=float32 (bf16=true"
            " computes in bfloat16 all the same; see configs/train_full.yaml), or lora={rank: 16}"
        )


def _holds_adapters(config: TrainingConfig) -> bool:
    """Check whether the model of a config is a folder of adapters."""
    return (Path(str(config.model)) / ADAPTER).is_file()


def load_training_model(config: TrainingConfig) -> "PreTrainedModel | PeftModel":
    """Load the model that a config names, from safetensors; of a folder of adapters, those are trained.

    Raises InputError where there is none on this machine, where ``lora`` would put adapters on adapters, or
    where the weights could not be trained (:func:`check_weights`).
    """
    check_weights(config)
    if config.weights == "bfloat16" and not computes_in_bfloat16() and speaks():
        print(SLOW, flush=True)
    from transformers import set_seed

    set_seed(config.seed)
    if _holds_adapters(config):
        return _load_adapters(config)
    from transformers import AutoModelForCausalLM

    try:
        model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(
            str(config.model), dtype=config.weights, local_files_only=True, use_safetensors=True
        )
    except OSError as error:
        raise InputError(f"no safetensors of {config.model!r} on this machine; {CACHED}") from error
    return model


def _load_adapters(config: TrainingConfig) -> "PeftModel":
    """Load a model whose adapters were trained before, and go on being trained."""
    from peft import AutoPeftModelForCausalLM

    if config.lora:
        raise InputError(f"{config.model} holds adapters, which go on being trained: leave lora out")
    model_parts(str(config.model))  # a base that is missing or another is refused before a weight is loaded
    try:
        model: PeftModel = AutoPeftModelForCausalLM.from_pretrained(
            str(config.model), is_trainable=True, dtype=config.weights, local_files_only=True
        )
    except (OSError, ValueError) as error:
        raise InputError(f"the adapters of {config.model!r} do not load: {error}; {CACHED}") from error
    return model


def peft_config(lora: Lora | None) -> "LoraConfig | None":
    """Return the adapters in peft's terms; None where the model is trained whole."""
    if lora is None:
        return None
    from peft import LoraConfig

    return LoraConfig(
        task_type="CAUSAL_LM",
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules=lora.modules,
    )
