"""A session's record is of its last try, whenever the harness drops the databases of the one before."""

import asyncio
import contextlib

import pytest

from eops_traj.gym import registry
from eops_traj.harness.recording import SESSION, RecordedDatabases, RecordedSession

SERVER = registry.server("csm")


async def open_a_group(databases: RecordedDatabases, database_id: str, name: str) -> None:
    """Add a group with this name, as a served call does."""
    arguments = {"name": name, "type": "support", "active": True}
    async with databases.use(SERVER, database_id) as held:
        reply = SERVER.call(held.database, "add_new_user_group", arguments, held.caller)
        assert not reply.is_error, reply.text
        databases.observe(SERVER, database_id, "add_new_user_group", arguments, reply)


async def two_tries(databases: RecordedDatabases, dropped: str) -> RecordedSession:
    """Play two tries, of which the first is dropped before the second, while that runs, or never."""
    SESSION.set("mine")
    await databases.seed(SERVER, "first")
    await open_a_group(databases, "first", "Of the first try")
    if dropped == "before":
        await databases.delete(SERVER, "first")
    await databases.seed(SERVER, "second")
    await open_a_group(databases, "second", "Of the second try")
    if dropped == "while":
        await open_a_group(databases, "first", "Too late")
        await databases.delete(SERVER, "first")
    return await databases.take("mine")


@pytest.mark.parametrize("dropped", ["before", "while", "never"])
def test_only_the_last_try_is_recorded(dropped: str) -> None:
    with contextlib.closing(RecordedDatabases()) as databases:
        record = asyncio.run(two_tries(databases, dropped))
    assert [call.arguments["name"] for call in record.calls] == ["Of the second try"]
    (changeset,) = record.changesets.values()
    assert b"Of the second try" in changeset and b"Of the first try" not in changeset


def test_sessions_do_not_mix_and_are_forgotten_once_taken() -> None:
    async def play(databases: RecordedDatabases) -> list[RecordedSession]:
        for session in ("one", "other"):
            SESSION.set(session)
            await databases.seed(SERVER, f"of {session}")
        for session in ("other", "one"):
            await open_a_group(databases, f"of {session}", session)
        return [await databases.take(session) for session in ("one", "other", "one")]

    with contextlib.closing(RecordedDatabases()) as databases:
        one, other, again = asyncio.run(play(databases))
    assert [[call.arguments["name"] for call in record.calls] for record in (one, other)] == [
        ["one"],
        ["other"],
    ]
    assert again == RecordedSession()
