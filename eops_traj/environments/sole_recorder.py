"""One recording server for an agent and a store: two would give the same numbers to different attempts.

The lock is an empty file beside the store's journal, which a store behind a URL has on each machine. It is
let go of when the process ends, however that comes.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from eops_traj.errors import InputError, StoreError
from eops_traj.schema import Agent
from eops_traj.store.store import Store

_HASH_CHARS = 12


@contextlib.contextmanager
def sole_recorder(store: Store, agent: Agent) -> Iterator[None]:
    """Hold a store against other recorders of this agent, with all that the last one left in its tables.

    Raises InputError where another one is recording, StoreError where the lock cannot be made.
    """
    journal = store.journal_path
    descriptor = _opened(journal.with_name(f"{journal.stem}-{agent.agent_hash[:_HASH_CHARS]}.lock"))
    try:
        if not _taken(descriptor):
            raise InputError(
                f"another server records {agent.model!r} in {store.url}; "
                "choose another --agent or --record, or stop that one"
            )
        store.flush()
        yield
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}") from error


def _taken(descriptor: int) -> bool:
    """Take the lock of an open file, unless another process has it; return whether it was taken."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
