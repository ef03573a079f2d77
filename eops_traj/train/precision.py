"""What a run computes in: bfloat16 where the device has it, float32 elsewhere."""

import functools

from eops_traj.train.ranks import on_cpu


@functools.cache
def computes_in_bfloat16() -> bool:
    """Check whether the device multiplies matrices of bfloat16 at speed.

    A processor without instructions for it (x86 before AVX-512) does so one number at a time: a product takes
    forty to seventy times as long as in float32.
    """
    import torch

    if not on_cpu():
        return bool(torch.cuda.is_bf16_supported())
    asked = getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", None)  # not every build has it
    return bool(torch.backends.mkldnn.is_available() and asked and asked())  # type: ignore[no-untyped-call]
