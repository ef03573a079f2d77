"""A held-out task in the data is found, by whatever of it went in; and a comparison of nothing is no pass."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from eops_traj.errors import InputError, WorkError
from eops_traj.hashing import canonical_json
from eops_traj.provenance.contamination import Leak, LeakReport, find_leaks
from eops_traj.provenance.held_out_index import KINDS
from eops_traj.schema import Json, Server, Task
from eops_traj.store.store import Store
from eops_traj.tasks import dump_task
from eops_traj.train.config import Leak as Kind
from tests.certified import certify, write_rows
from tests.collect.case_tasks import SERVER, task
from tests.episodes import PROMPT, TOOLS, episode

REQUEST = (
    "Case 81 of the bakery in Lund was reopened again by its owner, who waits for a word from us; "
    "please put its count to nine, and see to it that nothing else in it is any different from before."
)
PLAN = "1. find_case_slas(case_id=81) -- look\n2. update_case(case_id=81, reopen_count=9) -- do it"


def on(company: int) -> tuple[Server, ...]:
    return (Server(name=SERVER, seed="", details=Json(canonical_json({"company": company}))),)


def task_details(families: list[str], **more: Any) -> Json:
    return Json(canonical_json({"made": {"families": families, **more}}))


TRAIN = [replace(task(n), servers=on(n % 2), details=task_details(["reopen"])) for n in range(1, 5)]
HELD = replace(
    task(81), task_id="held", split="test", user_prompt=REQUEST, plan=PLAN, servers=on(200),
    details=task_details(["reopen"], twin="held_twin"),
)  # fmt: skip
OOD = replace(
    HELD, task_id="far", split="test_ood", user_prompt="Close the oldest case, would you?", servers=on(300),
    details=task_details(["close"]), plan=None,
)  # fmt: skip
SUITE = [*TRAIN, HELD, OOD]


def folder(at: Path, tasks: list[Task]) -> str:
    at.mkdir()
    for one in tasks:
        (at / f"oracle__csm__{one.task_id}.json").write_text(json.dumps(dump_task(one)))
    return str(at)


@pytest.fixture
def suite(tmp_path: Path) -> str:
    return folder(tmp_path / "suite", SUITE)


def row(of: Task, says: str = "Done.", **fields: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": of.user_prompt}, {"role": "assistant", "content": says}]
    return {"task_id": of.task_id, "messages": messages, **fields}


def data(at: Path, *rows: dict[str, Any]) -> Path:
    write_rows(at, rows)
    certify(at, "sft")
    return at


def leaking_kinds(tmp_path: Path, suite: str, *rows: dict[str, Any], split: str = "test") -> set[str]:
    """Return the kinds that leak."""
    return {leak.kind for leak in find_leaks(data(tmp_path / "export", *rows), split, suite).leaks}


def test_a_training_can_go_without_every_kind() -> None:
    assert get_args(Kind) == (*KINDS,)


def test_training_tasks_pass_and_it_says_what_was_compared(tmp_path: Path, suite: str, cli: Callable) -> None:
    export = data(tmp_path / "export", *map(row, TRAIN))
    ran = cli("leaks", export, "test", "--tasks", suite)
    assert ran.code == 0 and "compared: 4 rows x 1 tasks" in ran.out
    facts = json.loads(cli("leaks", export, "test_ood", "--tasks", suite, "--json").out)
    counts = {kind["kind"]: (kind["held_out"], kind["rows"]) for kind in facts["kinds"]}
    assert counts == {
        "task": (1, 4), "twin": (0, 0), "prompt": (1, 4), "wording": (0, 0), "database": (1, 4),
        "family": (1, 4), "plan": (0, 0),
    }  # fmt: skip


def test_a_held_out_task_leaks_in_every_way(tmp_path: Path, suite: str) -> None:
    assert leaking_kinds(tmp_path, suite, row(TRAIN[0]), row(HELD)) == {"task", "prompt", "database"}


def test_its_twin_leaks(tmp_path: Path, suite: str) -> None:
    twin = replace(TRAIN[0], task_id="held_twin")
    known = folder(tmp_path / "more", [*SUITE, twin])
    assert leaking_kinds(tmp_path, known, row(twin)) == {"twin"}


@pytest.mark.parametrize(
    "prompt",
    [REQUEST.upper(), REQUEST.replace("again", "twice"), f"Plan how this is done:\n\n{REQUEST}\n\nBe quick."],
    ids=["in other letters", "with a word changed", "within a planner's prompt"],
)
def test_its_request_leaks(tmp_path: Path, suite: str, prompt: str) -> None:
    same = replace(TRAIN[0], task_id="other", user_prompt=prompt)
    assert leaking_kinds(tmp_path, folder(tmp_path / "more", [*SUITE, same]), row(same)) == {"prompt"}


def test_a_row_that_hides_its_request_is_known_by_the_hash_of_its_task(tmp_path: Path) -> None:
    hidden = [{"role": "user", "content": "Please take [name 2] into [name 3]."}]
    near = replace(TRAIN[0], task_id="near", user_prompt=f"Well, {HELD.user_prompt}", servers=on(200))
    known = folder(tmp_path / "more", [*SUITE, near])
    rows = [{"task_id": of.task_id, "messages": hidden} for of in (TRAIN[0], near)]
    hashed = [{**one, "task_hashes": [of.task_hash]} for one, of in zip(rows, (TRAIN[0], near), strict=True)]
    report = find_leaks(data(tmp_path / "export", *hashed), "test", known)
    assert {(leak.number, leak.kind) for leak in report.leaks} == {(2, "prompt"), (2, "database")}
    assert not report.unknown
    foreign = {**rows[1], "task_hashes": [TRAIN[1].task_hash, "none", 7]}
    report = find_leaks(data(tmp_path / "b", rows[0], foreign), "test", known)
    assert report.leaks == [] and [*report.unknown] == ["database"] and len(report.unknown["database"]) == 1


def test_its_request_leaks_but_for_the_values(tmp_path: Path) -> None:
    held = replace(HELD, system_prompt="It is Monday, 3 August 2026.", user_prompt="Reopen CS-7 for Jo Park.")
    known = folder(tmp_path / "more", [*TRAIN, held])
    says = ("Reopen [code 2] for [name 1].", "Reopen [code 2] for [text 1].", "Reopen CS-8 for Al Lee.")
    rows = [{**row(TRAIN[n]), "prompt": [{"role": "user", "content": text}]} for n, text in enumerate(says)]
    report = find_leaks(data(tmp_path / "export", *rows), "test", known)
    assert [(leak.number, leak.kind, leak.task_id) for leak in report.leaks] == [(1, "wording", "held")]
    assert report.held_out["wording"] == 1


def test_its_database_leaks(tmp_path: Path, suite: str) -> None:
    neighbour = replace(TRAIN[0], task_id="neighbour", servers=on(200))
    assert leaking_kinds(tmp_path, folder(tmp_path / "more", [*SUITE, neighbour]), row(neighbour)) == {
        "database"
    }


@pytest.mark.parametrize("column", ["messages", "chosen", "rejected", "completion"])
def test_its_gold_plan_leaks_whatever_the_reasons(tmp_path: Path, suite: str, column: str) -> None:
    plan = "1. find_case_slas(case_id=81)\n2. update_case(case_id=81, reopen_count=9) -- in other words"
    messages = row(TRAIN[0])
    messages[column] = [*messages.get(column, ()), {"role": "assistant", "content": f"The plan:\n{plan}\n"}]
    assert leaking_kinds(tmp_path, suite, messages) == {"plan"}
    other = plan.replace("=9", "=8")
    assert leaking_kinds(tmp_path / "b", suite, row(TRAIN[0], other)) == set()


def test_a_family_of_the_far_split_leaks_and_one_of_the_near_split_does_not(
    tmp_path: Path, suite: str
) -> None:
    same = replace(TRAIN[0], task_id="same", user_prompt="Close it.", details=task_details(["close"]))
    known = folder(tmp_path / "more", [*SUITE, same])
    assert leaking_kinds(tmp_path, known, row(same), split="test_ood") == {"family"}
    assert leaking_kinds(tmp_path / "b", known, row(same)) == set()


def test_rows_that_leak_are_named_and_the_exit_code_is_1(tmp_path: Path, suite: str, cli: Callable) -> None:
    export = data(tmp_path / "export", row(TRAIN[0]), row(HELD, PLAN))
    ran = cli("leaks", export, "test", "--tasks", suite)
    assert ran.code == 1
    assert (
        "1 of 2 rows leak held-out tasks: export/data/train.jsonl:2 (task, prompt, database, plan)" in ran.err
    )
    assert "train.jsonl:2: its task is held out (held)" in ran.out


def test_an_episode_in_a_store_tells_the_database_of_a_row(tmp_path: Path, suite: str) -> None:
    with Store.open(tmp_path / "store", create=True) as store:
        store.append(
            [episode("e1", servers=on(200)), episode("e2", servers=on(1))], prompts=[PROMPT], toolsets=[TOOLS]
        )
        store.flush()
        for ids, leaks in (
            ({"episode_id": "e1"}, 1),
            ({"episode_ids": ["e2"]}, 0),
            ({"episode_ids": ["e2", "e1"]}, 1),
        ):
            export = data(tmp_path / f"export{ids}", {"messages": [], **ids})
            assert len(find_leaks(export, "test", suite, store).leaks) == leaks


def test_the_episodes_of_a_row_may_be_in_another_store(tmp_path: Path, suite: str, cli: Callable) -> None:
    for name, company in (("one", 1), ("two", 200)):
        with Store.open(tmp_path / name, create=True) as store:
            store.append([episode(name, servers=on(company))], prompts=[PROMPT], toolsets=[TOOLS])
            store.flush()
    export = data(tmp_path / "export", *({"messages": [], "episode_id": name} for name in ("one", "two")))
    asked = ("leaks", export, "test", "--tasks", suite, "--json", "--store", tmp_path / "one")
    both = json.loads(cli(*asked, "--store", tmp_path / "two").out)
    assert [leak["number"] for leak in both["leaks"]] == [2] and not both["unknown"]
    assert len(json.loads(cli(*asked).out)["unknown"]["database"]) == 1


def report_of(leaking: int) -> LeakReport:
    """Return a report of nine rows in which so many leak their task, the first their request besides."""
    leaks = [
        Leak("r1", "prompt", "held", ""),
        *(Leak(f"r{n + 1}", "task", "held", "") for n in range(leaking)),
    ]
    unknown = {"database": ["r8", "r9"]}
    held_out = {"task": 2, "prompt": 3, "database": 1, "family": 0}
    return LeakReport(["d"], [], 2, held_out, rows=9, leaks=leaks, unknown=unknown)


def test_a_message_names_three_rows_and_counts_the_others() -> None:
    three = "r1 (prompt, task), r2 (task), r3 (task)"
    assert report_of(3).summary() == f"3 of 9 rows leak held-out tasks: {three}"
    assert report_of(5).summary() == f"5 of 9 rows leak held-out tasks: {three}, and 2 more"


def test_the_table_counts_each_kinds_leaks_and_the_rows_that_could_be_compared() -> None:
    rows = [(row["kind"], row["held_out"], row["rows"], row["leaks"]) for row in report_of(4).table()]
    assert rows == [("task", 2, 9, 4), ("prompt", 3, 9, 1), ("database", 1, 7, 0), ("family", 0, 0, 0)]


def test_an_episode_that_names_its_families_tells_whether_one_is_the_far_splits(
    tmp_path: Path, suite: str
) -> None:
    many = {"e1": ["close"], "e2": ["reopen"], "e3": ["reopen", "close"]}
    made = [episode(i, servers=on(1), details=task_details(names)) for i, names in many.items()]
    elsewhere = episode("e4", servers=on(1), details=task_details(["close"]), domain="hr")
    with Store.open(tmp_path / "store", create=True) as store:
        store.append([*made, elsewhere], prompts=[PROMPT], toolsets=[TOOLS])
        store.flush()
        export = data(tmp_path / "export", *({"messages": [], "episode_id": f"e{n}"} for n in range(1, 5)))
        report = find_leaks(export, "test_ood", suite, store)
    assert {(leak.number, leak.kind) for leak in report.leaks} == {(1, "family"), (3, "family")}
    assert not report.unknown


@pytest.mark.parametrize(
    "details", ["{}", '{"made": "by hand"}', '{"made": {"families": 5}}', '{"made": {"families": []}}']
)
def test_an_episode_that_names_no_family_is_unknown_where_the_far_split_is_held_out(
    details: str, tmp_path: Path, suite: str
) -> None:
    with Store.open(tmp_path / "store", create=True) as store:
        of = episode("e2", servers=on(1), details=Json(details))
        store.append([of], prompts=[PROMPT], toolsets=[TOOLS])
        store.flush()
        export = data(tmp_path / "export", {"messages": [], "episode_id": "e2"}, row(TRAIN[0]))
        find_leaks(export, "test", suite, store).check()
        refused(find_leaks(export, "test_ood", suite, store), r"1 of 2 rows are of an unknown family .*:1\)")


def refused(compared: LeakReport, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compared.check()


def test_too_little_to_compare_is_no_pass(tmp_path: Path, suite: str) -> None:
    refused(find_leaks(data(tmp_path / "a"), "test", suite), "no row in .*/a: there is nothing to compare")
    refused(LeakReport([], [], 1, {}), "no row in no data: there is nothing to compare")
    stranger = replace(TRAIN[0], task_id="stranger")
    unknown = find_leaks(
        data(tmp_path / "b", row(TRAIN[1]), row(replace(stranger, user_prompt="Hm?"))), "test", suite
    )
    refused(unknown, "1 of 2 rows are of an unknown database .*:2.*give --store")
    with pytest.raises(InputError, match=r"no task of split 'dev' in .*/suite: there"):
        find_leaks(tmp_path / "b", "dev", suite)
    with pytest.raises(InputError, match="unknown split 'tset'"):
        find_leaks(tmp_path / "b", "tset", suite)
    with pytest.raises(InputError, match=r"neither an export .* nor a checkpoint"):
        find_leaks(tmp_path, "test", suite)


def test_a_task_of_the_same_id_in_another_suite_is_not_taken_for_it(tmp_path: Path, suite: str) -> None:
    other = replace(TRAIN[0], user_prompt="Something else altogether.")
    refused(find_leaks(data(tmp_path / "export", row(other)), "test", suite), "unknown database")


def test_a_split_without_tasks_is_of_no_suite(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="say with --tasks where the tasks are whose split 'test'"):
        find_leaks(data(tmp_path / "export", row(HELD)), "test")


def test_held_out_tasks_may_be_a_folder(tmp_path: Path, suite: str) -> None:
    held = folder(tmp_path / "held", [HELD])
    with pytest.raises(WorkError):
        find_leaks(data(tmp_path / "export", row(HELD)), held).check()
    find_leaks(data(tmp_path / "fine", row(TRAIN[0])), held, suite).check()
