"""Generation with a model that is in parts on several ranks, as FSDP has it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def generating_whole(model: Any) -> Iterator[None]:
    """Have a sharded model's own parts put together for as long as ``generate`` runs.

    FSDP puts the parts of a layer together when it is called. Those of the outermost module (embeddings, the
    last norm) come together when that module is called, and peft's ``generate`` calls the one inside it.
    """
    from torch import distributed

    if not (distributed.is_available() and distributed.is_initialized() and hasattr(model, "peft_config")):
        yield
        return
    from torch.distributed.fsdp import register_fsdp_forward_method

    before = vars(model).get("generate")
    register_fsdp_forward_method(model, "generate")  # of a model that is no FSDP module nothing changes
    try:
        yield
    finally:
        vars(model).pop("generate", None)
        if before is not None:
            vars(model)["generate"] = before
