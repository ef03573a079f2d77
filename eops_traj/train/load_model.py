"""The model that a run starts from, and its tokenizer with the chat template that rows are rendered by."""

from pathlib import Path
from typing import TYPE_CHECKING

from eops_traj.errors import InputError
from eops_traj.llm.chat_template import CACHED, load_tokenizer, read_template
from eops_traj.train.config import Lora, TrainingConfig

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
    """Give a tokenizer the template of the config, where it names one. Raises InputError without any."""
    if config.chat_template:
        tokenizer.chat_template = read_template(config.chat_template)
    if not tokenizer.chat_template:
        raise InputError(
            f"{config.model}: the tokenizer has no chat template; give one as chat_template: FILE.jinja"
        )
    return tokenizer


def load_training_model(config: TrainingConfig) -> "PreTrainedModel | PeftModel":
    """Load the model that a config names, from safetensors; of a folder of adapters, those are trained.

    Raises InputError where there is none on this machine, or where ``lora`` would put adapters on adapters.
    """
    from transformers import set_seed

    set_seed(config.seed)
    if (Path(str(config.model)) / ADAPTER).is_file():
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
