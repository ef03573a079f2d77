"""The shapes of tensors, from the headers of safetensors files, and whether an adapter's fit a model's.

A safetensors file begins with the length of its header, 8 bytes with the least first, and the header, JSON:
``{"NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {...}}``.
"""

import re
import struct
from pathlib import Path
from typing import NamedTuple

from eops_traj.errors import FormatError
from eops_traj.provenance.checkpoint import WEIGHTS
from eops_traj.untrusted.json_text import parse_json

MOST_HEADER_BYTES = 100_000_000
"""The limit that the format's own library has."""
PREFIX = "base_model.model."
FLOATS = ("F64", "F32", "F16", "BF16")
"""The types whose tensors have the module's shape; quantized ones are packed."""
_MATRIX = re.compile(r"\.lora_([AB])\.weight$")
_LAYER = re.compile(r"(?<=\.)\d+(?=\.)|^\d+(?=\.)")


class TensorShape(NamedTuple):
    """The type and the shape of a tensor."""

    dtype: str
    shape: tuple[int, ...]


def tensor_shapes(folder: Path) -> dict[str, TensorShape]:
    """Read the shapes of all tensors in a folder's safetensors. Raises FormatError for what is none."""
    shapes: dict[str, TensorShape] = {}
    for path in sorted(folder.glob(WEIGHTS)):
        shapes |= _read_header(path)
    return shapes


def _read_header(path: Path) -> dict[str, TensorShape]:
    with path.open("rb") as file:
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
        if not 0 < length <= MOST_HEADER_BYTES:
            raise FormatError(f"{path} is no safetensors file")
        header = parse_json(file.read(length))
    try:
        return {
            name: TensorShape(entry["dtype"], tuple(entry["shape"]))
            for name, entry in header.items()
            if name != "__metadata__"
        }
    except (AttributeError, KeyError, TypeError) as error:
        raise FormatError(f"{path} is no safetensors file: its header has another form") from error


def misfit(adapter: Path, base: Path) -> str | None:
    """Say where an adapter's matrices do not fit a base; None where they do, as far as names tell.

    ``lora_A`` is (rank, inputs), ``lora_B`` (outputs, rank), a module's weight (outputs, inputs). Names on
    the disk may lack what they begin with in memory, and some modules have others: those are passed over, but
    not a layer that the base lacks where it has others of the kind, nor an adapter that fits nothing.
    """
    weights = tensor_shapes(base)
    kinds = {_kind(name) for name in weights}
    fitting = 0
    for module, sides in _module_sides(adapter).items():
        names = [".".join(module.split(".")[n:]) + ".weight" for n in range(3)]
        found = next((name for name in names if name in weights), None)
        if found is None:
            if any(_kind(name) in kinds for name in names):
                return f"it has no {module}"
            continue
        fitting += 1
        weight = weights[found]
        if weight.dtype in FLOATS and not _fits(sides, weight.shape):
            return f"{module} has the shape {weight.shape} and not {tuple(sides.get(s) for s in 'BA')}"
    return None if fitting or not weights else "it has none of the modules that the adapter changes"


def _module_sides(adapter: Path) -> dict[str, dict[str, int]]:
    """Return the inputs (``A``) and outputs (``B``) of each module that an adapter changes."""
    modules: dict[str, dict[str, int]] = {}
    for name, tensor in tensor_shapes(adapter).items():
        if (match := _MATRIX.search(name)) and len(tensor.shape) == 2:
            module = name[: match.start()].removeprefix(PREFIX)
            modules.setdefault(module, {})[match[1]] = tensor.shape[1 if match[1] == "A" else 0]
    return modules


def _fits(sides: dict[str, int], shape: tuple[int, ...]) -> bool:
    """Check the sides of a module against its weight; GPT-2's are the other way round."""
    whole = (sides.get("B"), sides.get("A"))
    return None in whole or shape in (whole, whole[::-1])


def _kind(name: str) -> str:
    """Return a tensor's name without the number of its layer."""
    return _LAYER.sub("*", name)
