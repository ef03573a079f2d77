import asyncio
from dataclasses import replace
from functools import partial

import pytest

from eops_traj.gym.http.databases import DEFAULT, Databases, Limits, ServerFull, UnknownDatabase
from eops_traj.gym.identity import default_caller
from eops_traj.gym.server import Identity

ROW = "INSERT INTO users (user_id, email) VALUES ('USER_002', 'u2@x.org');"


class Watch:
    """A clock that stands still until it is moved."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def watch():
    return Watch()


async def count(databases, server, database_id):
    async with databases.use(server, database_id) as held:
        return held.database.run_sql("SELECT count(*) FROM users").rows[0][0]


def tiny_users(tiny):
    return tiny.template().open().run_sql("SELECT count(*) FROM users").rows[0][0]


def test_a_database_lives_until_its_idle_time(tiny, watch):
    async def go():
        databases = Databases(Limits(idle_seconds=10), now=watch)
        await databases.seed(tiny, "a")
        await databases.seed(tiny, "b")
        watch.seconds = 9
        await count(databases, tiny, "a")
        watch.seconds = 15
        databases.sweep()
        assert await count(databases, tiny, "a") == 2
        with pytest.raises(UnknownDatabase, match="'b' not found"):
            await count(databases, tiny, "b")

    asyncio.run(go())


def test_the_default_database_keeps_its_rows_however_long_it_is_idle(tiny, watch):
    async def go():
        databases = Databases(Limits(idle_seconds=10), now=watch)
        async with databases.use(tiny, DEFAULT) as held:
            tiny.call(held.database, "add_user", {"email": "new@x.org"})
        before = await count(databases, tiny, DEFAULT)
        watch.seconds = 11
        databases.sweep()
        assert await count(databases, tiny, DEFAULT) == before == tiny_users(tiny) + 1

    asyncio.run(go())


def test_a_clone_has_the_caller_of_its_original(tiny):
    async def go():
        identity = Identity("x-token", "SELECT * FROM users WHERE user_id = :value")
        databases, here = Databases(), replace(tiny, identity=identity)
        await databases.seed(here, "a")
        async with databases.use(here, "a") as held:
            caller = held.caller
            held.database.connection.execute("UPDATE users SET active = 0 WHERE user_id = ?", (caller,))
        async with databases.use(here, await databases.clone(here, "a")) as held:
            assert held.caller == caller != default_caller(here, held.database)

    asyncio.run(go())


def test_their_number_is_bounded_and_idle_ones_make_room(tiny, watch):
    async def go():
        databases = Databases(Limits(databases=2, idle_seconds=10), now=watch)
        await databases.seed(tiny, "a")
        await databases.seed(tiny, "b")
        await databases.seed(tiny, "b")  # in place of the older one
        for refused in (databases.seed(tiny, "c"), databases.clone(tiny, "a")):
            with pytest.raises(ServerFull, match="full: 2 databases are open"):
                await refused
        watch.seconds = 11
        await databases.seed(tiny, "c")
        assert databases.count(tiny) == 1

    asyncio.run(go())


def test_their_memory_is_bounded(tiny):
    async def go():
        databases = Databases(Limits(megabytes=1))
        await databases.seed(tiny, "a", ROW)
        row = "".join(
            f"INSERT INTO users (user_id, email, note) VALUES ('USER_1{n}', '{n}@x.org', '{'x' * 90_000}');"
            for n in range(10)
        )
        with pytest.raises(ServerFull, match="full: 1 MB are in use"):
            await databases.seed(tiny, "b", row)
        assert await count(databases, tiny, "a") == 1
        assert databases.count(tiny) == 1

    asyncio.run(go())


def test_one_database_serves_one_at_a_time(tiny):
    async def go():
        databases, order = Databases(), []
        await databases.seed(tiny, "a")

        async def hold(name):
            async with databases.use(tiny, "a"):
                order.append(name)
                await asyncio.sleep(0)
                order.append(name)

        await asyncio.gather(hold(1), hold(2))
        assert order == [1, 1, 2, 2]

    asyncio.run(go())


def test_who_waits_for_a_database_that_goes_is_told(tiny):
    async def go():
        databases = Databases()
        await databases.seed(tiny, "a")
        async with databases.use(tiny, "a"):
            deleting = asyncio.create_task(databases.delete(tiny, "a"))
            waiting = asyncio.create_task(count(databases, tiny, "a"))
            await asyncio.sleep(0)
        assert await deleting > 0
        with pytest.raises(UnknownDatabase):
            await waiting

    asyncio.run(go())


def test_who_waits_for_a_database_that_is_seeded_anew_finds_the_new_one(tiny):
    async def go():
        databases = Databases()
        await databases.seed(tiny, "a")
        async with databases.use(tiny, "a") as held:
            seeding = asyncio.create_task(databases.seed(tiny, "a", ROW))
            while not held.lock._waiters:
                await asyncio.sleep(0.005)
            waiting = asyncio.create_task(count(databases, tiny, "a"))
            await asyncio.sleep(0)
        await seeding
        assert await waiting == 1

    asyncio.run(go())


def add(n, size=90_000):
    note = chr(97 + n) * size
    sql = f"INSERT INTO users (user_id, email, note) VALUES ('USER_1{n}', '{n}@x.org', '{note}')"
    return lambda database: database.record(lambda: database.connection.execute(sql))


def test_writes_are_refused_where_memory_is_full_and_reads_go_on(tiny):
    async def go():
        databases, accepted = Databases(Limits(megabytes=2)), 0
        await databases.seed(tiny, "a")
        for n in range(20):
            async with databases.use(tiny, "a") as held:
                try:
                    await databases.run(held, partial(add(n), held.database))
                    accepted += 1
                except ServerFull:
                    pass
        assert 2 < accepted < 12
        assert await count(databases, tiny, "a") == accepted + 2
        async with databases.use(tiny, "a") as held:
            assert held.database.memory() < 2_000_000

    asyncio.run(go())


def test_what_a_database_had_grown_by_is_free_again_after_a_reset(tiny):
    async def write(databases, n):
        async with databases.use(tiny, "a") as held:
            await databases.run(held, partial(add(n), held.database))

    async def go():
        databases = Databases(Limits(megabytes=2))
        await databases.seed(tiny, "a")
        with pytest.raises(ServerFull):
            for n in range(20):
                await write(databases, n)
        await databases.reset(tiny, "a")
        await write(databases, 0)
        await databases.seed(tiny, "b")

    asyncio.run(go())


def test_the_default_database_is_made_once(tiny):
    async def go():
        databases = Databases()
        assert await asyncio.gather(*(count(databases, tiny, DEFAULT) for _ in range(5))) == [2] * 5
        assert databases.count(tiny) == 1

    asyncio.run(go())


def test_a_reset_database_repeats_itself(tiny):
    async def go():
        databases, made = Databases(), []
        await databases.seed(tiny, "a", ROW)
        for _ in range(2):
            await databases.reset(tiny, "a")
            async with databases.use(tiny, "a") as held:
                made.append(tiny.call(held.database, "add_user", {"email": "new@x.org"}).text)
        assert made[0] == made[1]

    asyncio.run(go())


@pytest.mark.parametrize(
    ("required", "user", "caller"),
    [
        (True, "", "USER_001"),
        (False, "", None),
        (False, "u7@x.org", "USER_007"),
        (True, "USER_007", "USER_007"),
    ],
)
def test_somebody_stands_in_for_a_caller_without_header(tiny, required, user, caller):
    identity = Identity("x-token", "SELECT * FROM users WHERE user_id = :value", required)
    assert default_caller(replace(tiny, identity=identity), tiny.template().open(), user) == caller


def test_the_stand_in_is_the_first_active_admin(tiny):
    database = tiny.template().open()
    database.connection.execute(
        "UPDATE users SET role = 'admin'; UPDATE users SET active = 0 WHERE user_id = 'USER_001'"
    )
    identity = Identity("x-token", "SELECT * FROM users WHERE user_id = :value")
    assert default_caller(replace(tiny, identity=identity), database) == "USER_007"
