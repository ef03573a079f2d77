"""decontaminate knows a held-out task by its id, by its request, and by one that is nearly the same."""

import json
from pathlib import Path

import pytest

from eops_traj.errors import ConfigError, FormatError, UnknownName
from eops_traj.filter.config import load_rules, parse_rules
from eops_traj.store.store import Store
from eops_traj.tasks import dump_task, load_tasks
from tests.episodes import episode
from tests.filters.labelled import kept, labelled, selected
from tests.selected import store_of

REQUEST = " ".join(f"word{n}" for n in range(100))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ids.json", '["t1", {"task_id": "t2"}]'),
        ("ids.jsonl", '"t1"\n\n{"task_id": "t2", "user_prompt": ""}\n'),
        ("ids.txt", "t1\n  t2\n"),
    ],
)
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "with a mark before it"])
def test_a_list_of_ids_in_three_formats(tmp_path: Path, name: str, text: str, mark: str) -> None:
    (tmp_path / name).write_text(mark + text, encoding="utf-8")
    rows = [episode(i, task_id=i) for i in ("t1", "t2", "t3")]
    assert kept(rows, {"decontaminate": {"ids": str(tmp_path / name)}}) == ["t3"]


@pytest.mark.parametrize("text", ["[1]", "{}", "nonsense", '[{"user_prompt": "x"}]'])
def test_a_list_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "ids.json").write_text(text)
    with pytest.raises(FormatError, match=r"ids\.json"):
        labelled([episode("a")], {"decontaminate": {"ids": str(tmp_path / "ids.json")}})


@pytest.mark.parametrize(
    ("name", "text"), [("ids.json", "[]"), ("ids.jsonl", "\n"), ("ids.txt", "\ufeff \n")]
)
def test_a_list_that_holds_nothing_out_is_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"ids\.\w+: holds no entry"):
        labelled([episode("a")], {"decontaminate": {"ids": str(tmp_path / name)}})


def test_the_same_and_nearly_the_same_request_go(tmp_path: Path) -> None:
    (tmp_path / "held.json").write_text(json.dumps([{"task_id": "t", "user_prompt": REQUEST}]))
    rows = labelled(
        [
            episode("a", user_prompt=REQUEST.upper().replace(" ", ",\n")),
            episode("b", user_prompt=REQUEST.replace("word50", "another")),
            episode("c", user_prompt=REQUEST.replace("word5", "another5")),
        ],
        {"decontaminate": {"ids": str(tmp_path / "held.json")}},
    )
    assert rows["a"].detail == "its request is that of held-out task t"
    assert str(rows["b"].detail).endswith("like that of held-out task t")
    assert rows["c"].dropped_by is None


def test_how_alike_goes_and_what_it_is_counted_by(tmp_path: Path) -> None:
    """By runs of two words both would be over 0.8, and by runs of four neither."""
    words = [f"word{n}" for n in range(1000)]
    (tmp_path / "held.json").write_text(json.dumps([{"task_id": "t", "user_prompt": " ".join(words)}]))
    rows = []
    for changed in (31, 49):
        step, text = 1000 // changed, [*words]
        text[5 : step * changed : step] = [f"new{n}" for n in range(changed)]
        rows.append(episode(str(changed), user_prompt=" ".join(text)))
    held = {"ids": str(tmp_path / "held.json")}
    assert kept(rows, {"decontaminate": held}) == ["49"]
    for least, rest in ((0.3, []), (0.7, []), (0.9, ["31", "49"]), (1, ["31", "49"])):
        assert kept(rows, {"decontaminate": {**held, "threshold": least}}) == rest
    for wrong in (0.29, 1.01):
        with pytest.raises(ConfigError, match="threshold"):
            kept(rows, {"decontaminate": {**held, "threshold": wrong}})


def test_a_folder_of_task_files(fixtures: Path) -> None:
    task = next(iter(load_tasks(fixtures / "tasks").values()))
    rows = [episode("a", task_id=task.task_id), episode("b", user_prompt=task.user_prompt), episode("c")]
    assert kept(rows, {"decontaminate": {"tasks": str(fixtures / "tasks")}}) == ["c"]


def test_of_a_folder_every_file_is_held_out(fixtures: Path, tmp_path: Path) -> None:
    task = next(iter(load_tasks(fixtures / "tasks").values()))
    for mode in ("all", "oracle"):
        said = {**dump_task(task), "user_prompt": f"The request as the mode {mode} words it."}
        (tmp_path / f"{mode}__csm__t.json").write_text(json.dumps(said))
    modes = ("all", "oracle", "other")
    rows = [episode(mode, user_prompt=f"The request as the mode {mode} words it.") for mode in modes]
    assert kept(rows, {"decontaminate": {"tasks": str(tmp_path), "threshold": 1}}) == ["other"]


def test_another_store_or_a_selection_of_it(tmp_path: Path) -> None:
    url = str(tmp_path / "s")
    with Store.open(url, create=True) as store:
        store.append([episode("a", task_id="t1"), episode("b", task_id="t2", domain="hr", user_prompt="?")])
        store.flush()
        rules = parse_rules({"rules": [{"domain": {"one_of": "hr"}}]}, "a test")
        selected(store, "test", rules, save=True)
    rows = [episode(i, task_id=i, user_prompt=f"Request of {i}.") for i in ("t1", "t2", "t3")]
    assert kept(rows, {"decontaminate": {"store": url}}) == ["t3"]
    assert kept(rows, {"decontaminate": {"store": url, "selection": "test"}}) == ["t1", "t3"]
    with pytest.raises(UnknownName, match="choose from test"):
        kept(rows, {"decontaminate": {"store": url, "selection": "train"}})


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ({"tasks": "empty"}, "empty: holds no task"),
        ({"store": "new"}, "new: holds no episode"),
        ({"store": "store", "selection": "chosen"}, "store: selection 'chosen' keeps no episode"),
    ],
)
def test_a_source_that_holds_nothing_out_is_refused_beside_one_that_does(
    held: dict[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("ids.txt").write_text("t1")
    Store.open("new", create=True).close()
    store_of(tmp_path, [episode("a")], dropped=["a"])
    with pytest.raises(FormatError, match=said):
        kept([episode("b")], {"decontaminate": {"ids": "ids.txt", **held}})


def test_what_is_not_there_is_said_before_any_work(tmp_path: Path) -> None:
    config = tmp_path / "c.yaml"
    config.write_text("rules: [decontaminate: {ids: no.json, tasks: none}, decontaminate: {tasks: nada}]")
    with pytest.raises(ConfigError) as refused:
        load_rules(config)
    assert len(refused.value.problems) == 3


def test_what_is_there_is_no_problem_whichever_sources_are_given(tmp_path: Path) -> None:
    config, ids = tmp_path / "c.yaml", tmp_path / "ids.txt"
    ids.write_text("t1")
    config.write_text(f"rules: [decontaminate: {{ids: {ids}}}, decontaminate: {{tasks: {tmp_path}}}]")
    assert len(load_rules(config)) == 2
