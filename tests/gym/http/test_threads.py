import asyncio
import threading
from functools import partial

import pytest

from eops_traj.gym.http.threads import Threads, TimedOut

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"


def test_late_work_is_stopped_and_undone(tiny):
    async def go():
        threads, database = Threads(2, 0.2), tiny.template().open()
        sql = f"{ENDLESS} INSERT INTO users (user_id, email) SELECT 'USER_1' || x, x || '@x.org' FROM n"
        write = partial(database.record, lambda: database.connection.execute(sql))
        running = asyncio.create_task(threads.run(write, database.interrupt))
        while not running.done():
            await asyncio.sleep(0.05)
            threads.stop_late()
        with pytest.raises(TimedOut, match=r"stopped after 0\.2 s"):
            await running
        assert threads.running == 0
        assert database.changeset() == b""
        assert database.run_sql("SELECT count(*) FROM users").rows == ((2,),)

    asyncio.run(go())


def test_who_is_cancelled_waits_until_the_database_is_free(tiny):
    async def go():
        threads, database = Threads(2, 60), tiny.template().open()
        count = partial(database.connection.execute, f"{ENDLESS} SELECT count(*) FROM n")
        running = asyncio.create_task(threads.run(count, database.interrupt))
        await asyncio.sleep(0.2)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert database.run_sql("SELECT count(*) FROM users").rows == ((2,),)

    asyncio.run(go())


def test_the_loop_goes_on_beside_work():
    async def go():
        threads, released = Threads(2, 60), threading.Event()
        running = asyncio.create_task(threads.run(lambda: released.wait(60)))
        await asyncio.sleep(0.01)
        assert not running.done()
        released.set()  # by the loop, which no work holds up
        assert await running is True

    asyncio.run(go())
