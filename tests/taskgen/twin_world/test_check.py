"""The twin world finds plans that only the database decides, and lets those pass that can be planned."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest

from eops_traj.taskgen.draft import build_task, play
from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import Family, families
from eops_traj.taskgen.result_ref import ResultRef
from eops_traj.taskgen.scene import Row, Scene
from eops_traj.taskgen.trial import Trial
from eops_traj.taskgen.twin_world.check import _keep_told, differences
from eops_traj.taskgen.twin_world.facts import Fact
from eops_traj.taskgen.twin_world.staging import Origin, Twin, play_on_tape
from eops_traj.taskgen.twin_world.world import ServerWorld

ADMIN = "SELECT * FROM user WHERE active AND role = 'admin'"
OPEN = "SELECT * FROM customer_case WHERE state IN ('new', 'in_progress') AND assigned_to IS NOT NULL"
MANY = "one two three four five six seven eight"
LATE = "because the person who looked after it so far is away for longer than anybody here had expected"


def problems(scenario: Callable[[Scene], None], domain: str = "csm") -> list[str]:
    """Return what the twin world shows of a scenario's plan."""
    family = Family("tried", domain, (domain,), scenario, (), None, None, False)
    trial = Trial(build_task(play((family,), 3, "twin"), "t", "s", None))
    try:
        return list(differences(Origin((family,), 3, "twin"), trial))
    finally:
        trial.close()


def ask(s: Scene, words: str, **slots: object) -> None:
    """Ask in these words, whichever of the wordings is taken."""
    s.ask(
        *[f"{words} This is needed today, and it matters to me {LATE}, so please see to it soon."] * 6,
        **slots,
    )


def one_case(s: Scene) -> tuple[Row, ResultRef]:
    """Ask for something about a case that is told by its number, and find it."""
    s.pick_caller(ADMIN)
    row = s.pick(OPEN)
    said = row["priority"] if s.facts.get("told") else "as before"
    ask(
        s,
        "Case {number} waits for the customer and keeps its priority, {said}.",
        number=row["number"],
        said=said,
    )
    return row, s.do("search_cases", "the case", number=row["number"])[0]


def copies_the_priority(s: Scene) -> None:
    row, case = one_case(s)
    s.do("update_case", "it waits", case_id=case["case_id"], state="pending", priority=row["priority"])


def is_told_the_priority(s: Scene) -> None:
    s.facts["told"] = True
    copies_the_priority(s)


def refers_to_the_priority(s: Scene) -> None:
    _, case = one_case(s)
    s.do("update_case", "it waits", case_id=case["case_id"], state="pending", priority=case["priority"])


def its_cases(s: Scene) -> tuple[list[Row], ResultRef]:
    """Ask for all open cases of an account to wait, and find them."""
    s.pick_caller(ADMIN)
    account = s.pick(
        f"""SELECT * FROM account a WHERE (SELECT COUNT(*) FROM ({OPEN}) c
        WHERE c.account_id = a.account_id) = 3"""
    )
    rows = s.rows(f"{OPEN} AND account_id = :id", id=account["account_id"])
    ask(
        s,
        "Whatever {account} has open with us, new or being worked on, waits for them now.",
        account=account["name"],
    )
    found = s.do("find_account", "the customer", name=account["name"])
    return rows, s.do("search_cases", "their cases", account_id=found["account_id"])


def one_step_for_each_row(s: Scene) -> None:
    rows, cases = its_cases(s)
    for row in rows:
        s.do("update_case", "it waits", case_id=cases.where(number=row["number"])["case_id"], state="pending")


def counts_the_rows(s: Scene) -> None:
    _, cases = its_cases(s)
    still = cases.every(("state", "in", ["new", "in_progress"]))
    for place in range(len(still.value)):
        s.do("update_case", "it waits", case_id=still[place]["case_id"], state="pending")


def loops_over_the_rows(s: Scene) -> None:
    _, cases = its_cases(s)
    still = cases.every(("state", "in", ["new", "in_progress"]))
    s.do_each(still, "update_case", "it waits", case_id=ROW["case_id"], state="pending")


def takes_the_first(s: Scene) -> None:
    _, cases = its_cases(s)
    s.do("update_case", "it waits", case_id=cases[0]["case_id"], escalation=1, escalation_reason="vip")


def takes_the_told_one(s: Scene) -> None:
    row, case = one_case(s)
    cases = s.do("search_cases", "all of theirs", account_id=case["account_id"])
    s.do("update_case", "it waits", case_id=cases.where(number=row["number"])["case_id"], state="pending")


def meeting(s: Scene) -> ResultRef:
    """Ask for a meeting by the caller's clock, and find whose clock that is."""
    s.pick_caller("SELECT u.* FROM users u WHERE u.is_active AND u.provider = 'corvane-sso'")
    ask(s, 'Put "Stock round" on my own calendar for 14 January 2026 at 15:00 by my clock, half an hour.')
    return s.do("get_calendar", "by which clock", calendarId="primary")


def converts_the_time_itself(s: Scene) -> None:
    meeting(s)
    start = datetime(2026, 1, 14, 15, tzinfo=ZoneInfo(s.caller["timezone"])).astimezone(UTC)
    end = start + timedelta(minutes=30)
    s.do("create_event", "the meeting", calendarId="primary", summary="Stock round",
         start={"dateTime": f"{start:%Y-%m-%dT%H:%M:00}", "timeZone": "UTC"},
         end={"dateTime": f"{end:%Y-%m-%dT%H:%M:00}", "timeZone": "UTC"})  # fmt: skip


def leaves_it_to_the_calendar(s: Scene) -> None:
    zone = meeting(s)["timeZone"]
    s.do("create_event", "the meeting", calendarId="primary", summary="Stock round",
         start={"dateTime": "2026-01-14T15:00:00", "timeZone": zone},
         end={"dateTime": "2026-01-14T15:30:00", "timeZone": zone})  # fmt: skip


@pytest.mark.parametrize(
    ("scenario", "domain", "found"),
    [
        (copies_the_priority, "csm", "the database decides"),
        (one_step_for_each_row, "csm", "the database decides"),
        (counts_the_rows, "csm", "the database decides"),
        (takes_the_first, "csm", "the plan works on what happens to come first"),
        (converts_the_time_itself, "calendar", "the database decides"),
    ],
)
def test_what_the_database_decides_is_found(scenario, domain, found) -> None:
    assert [problem[: len(found)] for problem in problems(scenario, domain)] == [found]


@pytest.mark.parametrize(
    ("scenario", "domain"),
    [
        (is_told_the_priority, "csm"),
        (refers_to_the_priority, "csm"),
        (loops_over_the_rows, "csm"),
        (takes_the_told_one, "csm"),
        (leaves_it_to_the_calendar, "calendar"),
    ],
)
def test_what_can_be_planned_passes(scenario, domain) -> None:
    assert problems(scenario, domain) == []


def test_a_value_of_several_words_is_found_in_the_request_that_tells_it() -> None:
    """Whatever order a set has its words in; what is not found costs all the others."""
    told, other = (Fact("csm", "t", n, "c", "old", new) for n, new in enumerate((MANY, "another")))
    query: Any = SimpleNamespace(server="csm", rows=[{"c": "old"}], origins=[("t", "c")], read={"c"})
    world = ServerWorld(cast(Any, None), cast(Any, None), [told, other])
    before, after = (cast(Any, SimpleNamespace(request=f"It is {value}.")) for value in ("old", MANY))
    tape: Any = SimpleNamespace(queries=[query])
    assert _keep_told(Twin(cast(Any, None), before, tape, {"csm": world}), after)
    assert world.facts == [other]


@pytest.mark.parametrize(("domain", "name"), [("csm", "join_group"), ("drive", "new_folder")])
def test_a_task_that_has_just_been_made_is_not_played_again(domain: str, name: str) -> None:
    """Its play on tape makes the same task and the same twin world as a second one."""
    family = next(family for family in families([domain]) if family.name == name)
    first, plain = play_on_tape((family,), 3, "taped"), play((family,), 3, "taped")
    trial = Trial(build_task(first.draft, "t", "s", None))
    assert trial.task == build_task(plain, "t", "s", None)
    origin = Origin((family,), 3, first.draft.draw)
    known, again = (Twin.of(origin, trial.gold[1], one) for one in (first, None))
    assert known.draft is first.draft and again.draft is not first.draft
    for name, world in known.worlds.items():
        assert world.facts and world.facts == again.worlds[name].facts
        assert world.clones == again.worlds[name].clones
    trial.close()
