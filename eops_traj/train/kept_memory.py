"""Memory that tensors gave back, kept for the next ones.

On a CPU each step of training allocates and frees the same large blocks. The C library of Linux gives such
blocks back to the system at once, and each time their pages have to be made anew: a model of two million
weights then trains a quarter slower. What is kept is more than what is used at a time, 7.8 GB in a run of it.
"""

import ctypes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

SMALL = 20_000_000
"""The weights up to which making memory anew takes as long as computing. Kept memory is some gigabytes."""
TRIM_THRESHOLD, MMAP_MAX = -1, -4
"""The parameters of ``mallopt`` (mallopt(3)): how much may lie free, and how many blocks are mapped alone."""
NEVER = 2**31 - 1


def keep_freed_memory() -> bool:
    """Have this process keep what it frees for what it allocates next; return False where it cannot."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another C library than glibc
        return False
    return bool(mallopt(MMAP_MAX, 0) and mallopt(TRIM_THRESHOLD, NEVER))


def is_small(model: "torch.nn.Module", device: str) -> bool:
    """Check whether a model on such a device is held up by memory rather than by computing."""
    return device == "cpu" and sum(weight.numel() for weight in model.parameters()) <= SMALL
