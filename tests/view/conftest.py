"""A viewer served over real HTTP, of a store with all that its pages show."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from eops_traj.gym.http.sockets import listen
from eops_traj.hashing import canonical_json
from eops_traj.schema import Change, Episode, Json, Run, Selection, SelectionRow, ToolCall, Turn, Verdict
from eops_traj.store.store import Store
from eops_traj.view.app import make_app
from eops_traj.view.data import EpisodeSource
from tests.episodes import PROMPT, TOOLS, episode

SCRIPT = '<script>document.title="owned"</script><img src=x onerror="document.title=\'owned\'">'
web = httpx.Client(verify=False, timeout=60, limits=httpx.Limits(max_keepalive_connections=0))
"""Asks viewers: httpx's own functions read every certificate of the machine for each request."""
PLAN = '1. find_user(name="Odile")\n2. update_user(user_id=$1.user_id, role="admin")\n3. tell(id=$1.user_id)'


@contextlib.contextmanager
def viewing(folder: Path, reader: str | None = None) -> Iterator[str]:
    """Serve a viewer of a store from a thread, and yield its address; of a reader it takes labels."""
    with Store.open(folder) as opened, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder.parent / "cache"))
        source = EpisodeSource(opened, reader)
        source.search.update()
        bound = listen("127.0.0.1", {"viewer": 0})["viewer"]
        server = uvicorn.Server(uvicorn.Config(make_app(source), log_level="warning"))
        thread = threading.Thread(target=server.run, args=([bound],))
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:  # a test that fails ends, too
            server.should_exit = True
            thread.join()
            source.search.close()


@contextlib.contextmanager
def viewing_what(folder: Path, fill: Callable[[Store], object], reader: str | None = None) -> Iterator[str]:
    """Make a store in a folder, have it filled, and serve a viewer of it; yield its address."""
    with Store.open(folder / "store", create=True) as opened:
        fill(opened)
    with viewing(folder / "store", reader) as address:
        yield address


def call(name: str, result: str, /, *changes: Change, **arguments: Any) -> ToolCall:
    """Return a call that was answered."""
    return ToolCall(
        id="c", name=name, arguments=Json(canonical_json(arguments)), result=result, changes=changes
    )


def opened_episode() -> Episode:
    """Return the episode that is opened: a plan, changes, verdicts, a foreign identifier, and a script."""
    change = Change(
        server="hr", table="user", operation="update", key=Json('{"user_id":7}'),
        before=Json('{"role":"agent"}'), after=Json('{"role":"manager"}'),
    )  # fmt: skip
    turns = (
        Turn(
            text="", reasoning="Who is it?", tool_calls=(call("find_user", '{"user_id": 7}', name="Odile"),)
        ),
        Turn(text="", tool_calls=(call("update_user", SCRIPT, change, user_id=7, role="manager"),)),
        Turn(text="", tool_calls=(call("find_user", json.dumps(list(range(200))), user_id="U-999"),)),
        Turn(text=f"Done. {SCRIPT}"),
    )
    verdict = Verdict(
        name="role_updated", kind="database_state", query="SELECT role FROM user", expected=Json('"admin"'),
        actual=Json('"manager"'), comparison="equals", passed_strict=False, passed_parity=False,
    )  # fmt: skip
    return episode(
        "shown", turns=turns, verdicts=(verdict,), outcome="failure", success_strict=False, n_turns=4,
        n_steps=3, orchestrator="expert", details=Json(canonical_json({"plan": PLAN})),
        failure_modes=("unseen_identifier",), causes=("wrong_value", "missing_write"),
        user_prompt="Make Odile an admin.",
    )  # fmt: skip


def fill(opened: Store, count: int) -> None:
    """Put in the episode that is opened, a sibling that parts from it, and others, with run and selection."""
    first = opened_episode()
    part = (
        *first.turns[:1],
        Turn(text="", tool_calls=(call("tell", "told", user_id=7),)),
        Turn(text="Told."),
    )
    sibling = episode("sibling", attempt=2, turns=part)
    domains = ("csm", "hr", "itsm")
    others = [
        episode(f"other{n:04}", task_id=f"task_{n}", task_hash=f"t{n}", n_steps=n, domain=domains[n % 3])
        for n in range(1, count)
    ]
    run = Run(
        run_id="r0", kind="collect", config=Json("{}"), version="0.1.0", started_at="2026-01-02T03:04:05"
    )
    opened.append([first, sibling, *others], prompts=[PROMPT], toolsets=[TOOLS], runs=[run])
    opened.flush()
    rows = [SelectionRow(episode_id="shown", dropped_by="verified"), SelectionRow(episode_id="sibling")]
    config = Json('{"rules":[{"no_error":{}},{"verified":{"label":"strict"}}]}')
    at = {"store_version": opened.version(), "created_at": "2026-01-02T03:04:05"}
    opened.save_selection(Selection(name="a/b", config=config, rows=tuple(rows), **at))


def new_page(browser: Any, **options: Any) -> Any:
    """Return a page with a context of its own that is patient: a busy machine takes its time."""
    page = browser.new_page(**options)
    page.set_default_timeout(120_000)
    return page


def first_of(held: list[Any], page: Any) -> Any:
    """Return the first request that a page's route holds back, once there is one."""
    for _ in range(6_000):
        if held:
            break
        page.wait_for_timeout(10)
    return held[0]


@pytest.fixture(scope="session")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a viewer of 230 episodes."""
    folder = tmp_path_factory.mktemp("view") / "store"
    with Store.open(folder, create=True) as opened:
        fill(opened, 229)
    with viewing(folder) as address:
        yield address


@pytest.fixture
def view(tmp_path: Path) -> Iterator[Callable[[Callable[[Store], None]], str]]:
    """A viewer of a store that a function fills."""
    with contextlib.ExitStack() as stack:

        def of(filling: Callable[[Store], None]) -> str:
            return stack.enter_context(viewing_what(tmp_path, filling))

        yield of
