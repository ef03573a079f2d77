"""Blocks that are freed are used again, and not made anew by the system."""

import subprocess
import sys

import pytest

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


def test_freed_blocks_are_used_again() -> None:
    assert pages_made("kept") < pages_made("given back") / 4
