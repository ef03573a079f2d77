"""SmolLM2-135M-Instruct for slow tests: unpacked once for all of them, whichever process asks first."""

from pathlib import Path

import pytest
from filelock import FileLock

from eops_traj.errors import InputError
from eops_traj.llm.smollm import find_gguf, unpack_smollm
from eops_traj.optional import require


def smollm_or_skip(shared: Path) -> Path:
    """Return the model's folder in a folder that the processes of a test run share.

    Skips the test where the wheel or its extra is not installed; the README's own command needs neither.
    """
    try:
        require("train")
        require("smollm")
        find_gguf()
    except InputError as missing:
        pytest.skip(f"{missing}")
    folder = shared / "smollm"
    with FileLock(shared / "smollm.lock"):
        return folder if folder.exists() else unpack_smollm(folder)
