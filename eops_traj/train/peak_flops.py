"""The most that a device computes, by its maker's figures: the measure of how well training uses it."""

import re

_T = 10**12

PEAKS = (
    (r"B200", 2250 * _T),  # DGX B200 datasheet: a quarter of the sparse FP8 of 72 PFLOPS over 8 GPUs
    (r"H200 NVL", 836 * _T),  # H200 datasheet: 1,671 with sparsity
    (r"(?:H200|GH200|H800(?! PCIe))", 989 * _T),  # H200 datasheet: 1,979 with sparsity
    (r"H100 (?:80GB HBM3|SXM\w*)", 989 * _T),  # H100 datasheet: 1,979 with sparsity
    (r"H100 NVL", 835 * _T),  # H100 datasheet: 1,671 with sparsity
    (r"H100 PCIe", 756 * _T),  # H100 datasheet: 1,513 with sparsity
    (r"H20", 148 * _T),  # H20 datasheet
    (r"(?:A100|A800)", 312 * _T),  # A100 datasheet
    (r"A40", 149.7 * _T),  # A40 datasheet
    (r"A30", 165 * _T),  # A30 datasheet
    (r"A10", 125 * _T),  # A10 datasheet
    (r"L40S", 362 * _T),  # L40S datasheet: 733 with sparsity
    (r"L40", 181 * _T),  # L40 datasheet
    (r"L4", 121 * _T),  # L4 datasheet: 242 with sparsity
    (r"RTX 4090(?! (?:D|Laptop)\b)", 165.2 * _T),  # Ada architecture whitepaper, BF16 with FP32 accumulation
    (r"RTX 3090(?! (?:Ti|Laptop)\b)", 71 * _T),  # GA102 architecture whitepaper, BF16 with FP32 accumulation
    (r"MI300X", 1307 * _T),  # AMD Instinct MI300X datasheet
)
"""FLOPs a second of dense bfloat16 matrix products, by a word of the name that torch gives the device."""


def peak_flops(device_name: str) -> float | None:
    """Return the peak of a device in FLOPs a second; None for one not listed, or a part of one (MIG)."""
    if re.search(r"\bMIG\b", device_name):
        return None
    return next((float(peak) for name, peak in PEAKS if re.search(rf"\b{name}\b", device_name)), None)
