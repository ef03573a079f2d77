"""How many tokens a model takes, read from its settings alone: no weight is loaded for it."""

from pathlib import Path

from eops_traj.provenance.adapter import find_base, read_adapter
from eops_traj.provenance.checkpoint import is_adapter


def model_context(model: str) -> int | None:
    """Return the length of a model's context in tokens; of an adapter, that of its base.

    None where the model's settings do not tell, or are not on this machine. Raises InputError for an adapter
    that cannot be read.
    """
    from transformers import AutoConfig

    base = find_base(read_adapter(Path(model))) if is_adapter(Path(model)) else model
    try:
        config = AutoConfig.from_pretrained(base, local_files_only=True)
    except (OSError, ValueError):  # what loads the weights later says what is wrong with the place
        return None
    positions = getattr(config.get_text_config(), "max_position_embeddings", None)
    return int(positions) if positions else None
