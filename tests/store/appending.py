"""A writer that begins when others do: ``python -m tests.store.appending URL START NUMBER...``."""

import sys
import time
from pathlib import Path

from eops_traj.store.store import Store
from tests.episodes import PROMPT, TOOLS, episode


def append(url: str, start: str, *numbers: str) -> None:
    """Append two episodes a number, each number in a commit, once there is a file named ``start``."""
    with Store.open(url) as store:
        Path(start + numbers[0]).touch()
        while not Path(start).exists():
            time.sleep(0.01)
        for number in numbers:
            store.append([episode(number), episode(number + "b")], prompts=[PROMPT], toolsets=[TOOLS])
            store.flush()


if __name__ == "__main__":
    append(*sys.argv[1:])
