"""Blocks that are freed are used again, and not made anew by the system."""

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from eops_traj.train import kept_memory

PAGES = """
import resource, sys
from eops_traj.train.kept_memory import keep_freed_memory
if sys.argv[1] == "kept" and not keep_freed_memory():
    sys.exit("no glibc")
bytes(64 * 2**20)  # the first time its pages are made, however it is freed
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    bytearray(64 * 2**20)[:: 4096]
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def pages_made(how: str) -> int:
    """Return how many pages of memory were made for blocks that are allocated and freed five times."""
    ran = subprocess.run([sys.executable, "-c", PAGES, how], capture_output=True, text=True, check=False)
    if ran.returncode and "no glibc" in ran.stderr:
        pytest.skip("needs /proc: another C library than that of Linux")
    return int(ran.stdout)


@pytest.mark.parametrize(
    ("device", "weights", "small"), [("cpu", 9, True), ("cpu", 11, False), ("cuda", 9, False)]
)
def test_a_small_model_on_a_cpu_is_small(
    device: str, weights: int, small: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_memory, "SMALL", 10)
    model: Any = SimpleNamespace(parameters=lambda: [SimpleNamespace(numel=lambda: weights)])
    assert kept_memory.is_small(model, device) == small


def test_freed_blocks_are_used_again() -> None:
    assert pages_made("kept") < pages_made("given back") / 4
