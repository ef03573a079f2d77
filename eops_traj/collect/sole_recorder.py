"""One recording process for an agent and a store: two would give the same numbers to different attempts.

The lock is a file beside the store's journal, which a store behind a URL has on each machine. It is let go of
when the process ends, however that comes.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from eops_traj.files import alone
from eops_traj.schema import Agent
from eops_traj.store.store import Store

_HASH_CHARS = 12


@contextmanager
def sole_recorder(
    store: Store, agent: Agent, kind: str, advice: str, *, numbers: str = "attempts"
) -> Iterator[None]:
    """Hold a store against other recorders of this agent, with all that the last one left in its tables.

    ``kind`` is what records it, here as there: a server, a collection. What has other ``numbers`` may record
    beside it. Raises InputError, with the advice, where another one is recording, and where the lock cannot
    be made.
    """
    journal = store.journal_path
    lock = journal.with_name(f"{journal.stem}-{agent.agent_hash[:_HASH_CHARS]}-{numbers}.lock")
    with alone(lock, f"another {kind} records {agent.model!r} in {store.url}; {advice}"):
        store.flush()
        yield
