"""Tasks are read and written in the benchmark's formats without loss, and bad ones are named whole."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from eops_traj.errors import FormatError, UnknownName
from eops_traj.schema import BENCHMARK_SUITE, Task
from eops_traj.taskgen.draft import build_task, play
from eops_traj.taskgen.family import families
from eops_traj.taskgen.save import save_suite
from eops_traj.tasks import dump_task, find_tasks, in_mode, load_tasks, sample
from eops_traj.tasks.hub import read_hub, write_hub
from eops_traj.tasks.json_files import parse_task
from eops_traj.tasks.toolset import MODES

FAMILY = next(family for family in families(["csm"]) if family.name == "join_group")


@pytest.fixture(scope="module")
def ours() -> list[Task]:
    """A feasible task and its infeasible twin."""
    usual, twisted = (play((FAMILY,), 3, "files", twist) for twist in (None, "inactive_person"))
    return [build_task(usual, "a_1", "s", "train"), build_task(twisted, "a_2", "s", "test", usual)]


def test_the_real_tasks_come_back_the_same_from_both_formats(shared: Path, tmp_path: Path) -> None:
    real = load_tasks(shared / "eog" / "tasks")
    for path in (shared / "eog" / "tasks").glob("*.json"):
        assert dump_task(real[path.stem]) == json.loads(path.read_text())
    write_hub(real.values(), tmp_path)
    assert {t.task_id: t for t in read_hub(tmp_path)} == real
    assert len(find_tasks(str(shared / "eog" / "tasks"))) == 7 == len(find_tasks(str(tmp_path)))


def test_tasks_of_our_own_come_back_the_same(ours: list[Task], tmp_path: Path) -> None:
    for task in ours:
        assert parse_task(json.loads(json.dumps(dump_task(task))), task.task_id, task.domain) == task
    write_hub([in_mode(task, mode) for mode in MODES for task in ours], tmp_path)
    assert read_hub(tmp_path, "oracle") == ours
    assert len(read_hub(tmp_path)) == 10


@pytest.mark.parametrize("suite", ["s", BENCHMARK_SUITE])
def test_a_suite_is_kept_where_nothing_else_stands_beside_the_task(
    suite: str, ours: list[Task], tmp_path: Path
) -> None:
    data = {key: value for key, value in dump_task(ours[0]).items() if key != "eops_traj"}
    task = replace(parse_task(data, "a_1", "csm"), suite=suite)
    assert parse_task(dump_task(task), "a_1", "csm") == task
    write_hub([task], tmp_path)
    assert read_hub(tmp_path) == [task]


@pytest.mark.parametrize("domain", ["csm", "help_desk", "crm2"])
def test_tasks_of_a_server_of_ones_own_come_back_whole_whatever_its_name(
    domain: str, ours: list[Task], tmp_path: Path
) -> None:
    tasks = [replace(task, domain=domain) for task in ours]
    save_suite(tasks, tmp_path / "made", {}, seeds=False)
    assert find_tasks(str(tmp_path / "made")) == tasks == find_tasks(str(tmp_path / "made" / "tasks"))


def test_a_dataset_that_lacks_a_mode_says_which_it_has(ours: list[Task], tmp_path: Path) -> None:
    write_hub([in_mode(task, "plus_5_tools") for task in ours], tmp_path)
    assert len(find_tasks(str(tmp_path), mode="plus_5_tools")) == 2
    write_hub([ours[0], *(in_mode(task, "plus_5_tools") for task in ours)], tmp_path / "two")
    assert len(find_tasks(str(tmp_path / "two"), mode="plus_5_tools")) == 2
    assert len(find_tasks(str(tmp_path / "two"))) == 1
    with pytest.raises(UnknownName, match="at hand as plus_5_tools"):
        find_tasks(str(tmp_path))


def test_the_hub_layout_opens_by_configuration_and_split(ours: list[Task], tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    from datasets import load_dataset

    write_hub(ours, tmp_path)
    rows = load_dataset(str(tmp_path), "oracle", split="csm")
    assert rows.column_names[:2] == ["task_id", "domain"] and len(rows) == 2
    assert json.loads(rows[0]["gym_servers_config"])[0]["mcp_server_name"] == "sn-csm-server"


def test_the_benchmark_is_not_shown_verifiers_that_it_does_not_know(ours: list[Task]) -> None:
    data = dump_task(ours[1])
    assert {v["verifier_type"] for v in data["verifiers"]} == {"database_state"}
    strict = {v["verifier_type"] for v in data["eops_traj"]["strict_verifiers"]}
    assert strict >= {"row_changes", "declines"} and "database_state" not in strict


def test_larger_modes_include_smaller_ones(ours: list[Task]) -> None:
    toolsets = [set(in_mode(ours[0], mode).tools) for mode in MODES]
    assert [len(s) - len(toolsets[0]) for s in toolsets[:4]] == [0, 5, 10, 15] and len(toolsets[4]) == 89
    assert all(few < many for few, many in pairwise(toolsets))
    with pytest.raises(UnknownName, match="unknown mode 'plus_6'; choose from all, oracle"):
        in_mode(ours[0], "plus_6")


def test_a_task_that_names_no_tools_shows_all_of_them_in_every_mode(ours: list[Task]) -> None:
    assert [in_mode(replace(ours[0], tools=()), mode).tools for mode in MODES] == [()] * len(MODES)


def test_every_problem_of_every_file_is_named_at_once(tmp_path: Path, ours: list[Task]) -> None:
    data = dump_task(ours[0])
    bad = {key: value for key, value in data.items() if key != "user_prompt"}
    (tmp_path / "a.json").write_text(json.dumps(bad | {"verifiers": [{"name": "x"}]}))
    (tmp_path / "b.json").write_text("{")
    with pytest.raises(FormatError) as error:
        find_tasks(str(tmp_path))
    for text in ("a.json: ", "user_prompt: Field required", "verifiers.0.verifier_type", "b.json: not JSON"):
        assert text in str(error.value)


def test_unknown_servers_and_broken_queries_are_named(tmp_path: Path, ours: list[Task]) -> None:
    data = dump_task(ours[0])
    data["verifiers"][0]["validation_config"]["query"] = "SELECT COUNT(*) FROM nowhere"
    data["verifiers"][1]["verifier_type"] = "vibes"
    (tmp_path / "a.json").write_text(json.dumps(data))
    other = dump_task(replace(ours[1], servers=(replace(ours[1].servers[0], name="gym-x"),)))
    (tmp_path / "b.json").write_text(json.dumps(other))
    with pytest.raises(FormatError) as error:
        find_tasks(str(tmp_path))
    for text in (
        f"{tmp_path}, task a: verifiers.0: validation_config.query: no such table: nowhere",
        "'vibes'; choose from",
        "task b: gym_servers_config.0.mcp_server_name: unknown server 'gym-x'; choose from calendar",
    ):
        assert text in str(error.value)


def test_unknown_splits_domains_and_places_list_the_choices(tmp_path: Path, ours: list[Task]) -> None:
    write_hub(ours, tmp_path)
    with pytest.raises(UnknownName, match="unknown split 'night'; choose from test, train"):
        find_tasks(str(tmp_path), splits=["night"])
    with pytest.raises(UnknownName, match="unknown domain 'hr'; choose from csm"):
        find_tasks(str(tmp_path), domains=["hr"])
    with pytest.raises(FormatError, match="does not exist"):
        find_tasks(str(tmp_path / "none"))


def test_a_sample_has_each_class_in_proportion_and_is_not_the_head(ours: list[Task]) -> None:
    many = [replace(ours[n % 4 == 0], task_id=f"t{n}") for n in range(80)]
    few = sample(many, 20)
    assert sum(task.feasible is False for task in few) == 5 and len(few) == 20
    assert few != many[:20] and few == sample(many, 20) != sample(many, 20, seed=1)
    assert sample(many, 200) == many


@pytest.mark.parametrize(
    ("where", "value", "problem"),
    [
        (("eops_traj", "made"), {"steps": "many"}, "eops_traj.made.steps"),
        (("eops_traj", "made"), {"families": 5}, "eops_traj.made.families"),
        (("made",), {"steps": 1}, "made: Input should be None"),
        (("gym_servers_config", 0, "company"), "0", "gym_servers_config.0.company"),
        (("gym_servers_config", 0, "company"), 2**63, "gym_servers_config.0.company"),
        (("gym_servers_config", 0, "patch"), ["DROP"], "gym_servers_config.0.patch"),
    ],
)
def test_what_a_task_says_of_its_making_and_its_company_is_typed(
    where: tuple[str | int, ...], value: object, problem: str, ours: list[Task]
) -> None:
    """Before, such a task was read, and the commands that show or run it ended in tracebacks."""
    document = json.loads(json.dumps(dump_task(ours[1])))
    holder = document
    for key in where[:-1]:
        holder = holder[key]
    holder[where[-1]] = value
    with pytest.raises(FormatError, match=problem):
        parse_task(document, "a_2")
