"""Filtering labels every row with the first rule that drops it, and loses none."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eops_traj.config import CONFIGS
from eops_traj.errors import ConfigError, InputError
from eops_traj.files import find_files
from eops_traj.filter.config import load_rules, parse_rules
from eops_traj.filter.rules import dump_rules
from eops_traj.filter.selecting import rule_counts
from eops_traj.interchange.base import open_importer
from eops_traj.interchange.import_files import import_files
from eops_traj.schema import Episode
from eops_traj.store.store import Store
from tests.conftest import Ran
from tests.episodes import episode
from tests.export.real_results import some_results
from tests.filters.labelled import frame, labelled, selected

COMMITTED = sorted(path.stem for path in CONFIGS.glob("filter_*.yaml"))

RULES: dict[str, tuple[Any, Callable[[Episode], bool]]] = {
    "no_error": ({}, lambda e: e.outcome != "error"),
    "verified": ({"label": "parity"}, lambda e: e.success_parity is True),
    "max_turns": ({"most": 3}, lambda e: e.n_turns <= 3),
    "domain": ({"one_of": ["csm", "hr"]}, lambda e: e.domain in ("csm", "hr")),
}
"""Rules, and the same in Python."""

EPISODES = st.lists(
    st.builds(
        lambda **fields: fields,
        outcome=st.sampled_from(["success", "failure", "error"]),
        success_parity=st.sampled_from([True, False, None]),
        success_strict=st.sampled_from([True, False, None]),
        n_turns=st.integers(0, 6),
        n_steps=st.integers(0, 3),
        domain=st.sampled_from(["csm", "hr", "teams"]),
    ),
    max_size=12,
)


@given(fields=EPISODES, order=st.permutations(list(RULES)), count=st.integers(0, len(RULES)))
def test_the_first_dropping_rule_names_the_row(fields: list[Any], order: list[str], count: int) -> None:
    episodes = [episode(f"e{n}", **f) for n, f in enumerate(fields)]
    names = order[:count]
    rows = labelled(episodes, *({name: RULES[name][0]} for name in names))
    expected = {e.episode_id: next((n for n in names if not RULES[n][1](e)), None) for e in episodes}
    assert {i: row.dropped_by for i, row in rows.items()} == expected


@settings(max_examples=20)
@given(fields=EPISODES, order=st.permutations(["no_error", "exact_duplicates", "cap", "balance_domains"]))
def test_labels_partition_the_rows(fields: list[Any], order: list[str]) -> None:
    rules: list[Any] = [{"cap_per_task": {"most": 2}} if name == "cap" else name for name in order]
    episodes = [episode(f"e{n}", **f) for n, f in enumerate(fields)]
    rows = labelled(episodes, *rules)
    again = labelled(episodes[::-1], *rules)
    assert sorted(rows) == sorted(e.episode_id for e in episodes)
    assert rows == again
    labels = {next(iter(r)) if isinstance(r, dict) else r for r in rules}
    assert {row.dropped_by for row in rows.values()} <= labels | {None}


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store of four episodes: a good one, a repeat, a failure and an error."""
    episodes = [
        episode("good"),
        episode("repeat", n_steps=2),
        episode("failed", success_parity=False, success_strict=False, outcome="failure"),
        episode("broken", success_parity=None, success_strict=None, outcome="error", error="no sandbox"),
    ]
    with Store.open(tmp_path / "s", create=True) as opened:
        opened.append(episodes)
    return str(tmp_path / "s")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A config of three rules, each of which drops one episode of the store."""
    path = tmp_path / "three.yaml"
    path.write_text("rules: [no_error, verified: {label: strict}, exact_duplicates]")
    return path


def test_filter_prints_what_each_rule_dropped_and_saves_the_selection(
    cli: Callable[..., Ran], store: str, config: Path
) -> None:
    ran = cli("filter", config, "--store", store, "--name", "three", "--json")
    printed = json.loads(ran.out)
    assert (ran.code, printed["episodes"], printed["kept"]) == (0, 4, 1)
    assert printed["rules"] == [
        {"rule": "no_error", "dropped": 1, "kept": 3},
        {"rule": "verified", "dropped": 1, "kept": 2},
        {"rule": "exact_duplicates", "dropped": 1, "kept": 1},
    ]
    with Store.open(store) as opened:
        selection = opened.selection("three")
        assert selection.store_version == opened.version()
    assert selection.kept() == ["good"]
    assert selection.config == dump_rules(load_rules(config))


def test_filter_prints_the_same_for_people(cli: Callable[..., Ran], store: str, config: Path) -> None:
    out = cli("filter", config, "--store", store, "--name", "three").out
    assert "kept: 1" in out
    assert [line.split() for line in out.splitlines()[-3:]][2] == ["exact_duplicates", "1", "1"]


def test_an_empty_selection_is_shown_and_not_saved(
    cli: Callable[..., Ran], store: str, tmp_path: Path
) -> None:
    (tmp_path / "none.yaml").write_text("rules: [domain: {one_of: hr}]")
    ran = cli("filter", tmp_path / "none.yaml", "--store", store, "--name", "none")
    assert ran.code == 2
    assert "domain" in ran.out
    assert ran.err.strip().endswith("the rules keep none of 4 episodes")
    assert json.loads(cli("selections", "--store", store, "--json").out)["selections"] == []


@pytest.mark.parametrize("name", [" ", ".", "..", "a/../b", "../a"])
def test_a_selection_without_a_name_is_refused(name: str, store: str) -> None:
    with Store.open(store) as opened, pytest.raises(InputError, match="needs a name"):
        selected(opened, name, {})


@pytest.mark.parametrize("name", ["...", "a/b", "v1.."])
def test_a_name_may_have_dots_and_parts(name: str, store: str) -> None:
    with Store.open(store) as opened:
        assert selected(opened, name, {}).name == name


def test_selections_lists_what_was_saved(cli: Callable[..., Ran], store: str, config: Path) -> None:
    for name in ("b", "a"):
        cli("filter", config, "--store", store, "--name", name)
    rows = json.loads(cli("selections", "--store", store, "--json").out)["selections"]
    assert [(row["name"], row["kept"], row["dropped"]) for row in rows] == [("a", 1, 3), ("b", 1, 3)]


def test_a_selection_stays_with_its_version_of_the_store(store: str, config: Path) -> None:
    with Store.open(store) as opened:
        before = selected(opened, "x", load_rules(config))
        opened.append([episode("later", task_id="new", user_prompt="New?")])
        opened.flush()
        after = selected(opened, "x", load_rules(config))
    assert (len(before.rows), len(after.rows)) == (4, 5)
    assert before.store_version < after.store_version


def test_every_problem_of_a_config_is_reported_at_once(cli: Callable[..., Ran], store: str) -> None:
    path = Path(store).parent / "bad.yaml"
    path.write_text(
        "extra: 1\nrules: [verifed, max_turns: {mst: 3}, max_turns: {most: '3'}, verified: {label: exact},"
        " outcome: {one_of: won}, domain: {one_of: []}, no_error: 3, {no_loop: , no_error: }, 17]"
    )
    ran = cli("filter", path, "--store", store, "--name", "x")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    for text in (
        "unknown key 'extra'",
        "rule 1, unknown rule 'verifed'; choose from balance_domains, cap_per_task",
        "rule 2, max_turns: most is missing",
        "rule 2, max_turns: unknown key 'mst'; choose from most",
        "rule 3, max_turns: most: Input should be a valid integer, not '3'",
        "rule 4, verified: label: Input should be 'parity' or 'strict', not 'exact'",
        "rule 5, outcome: one_of: unknown outcome 'won'; choose from blind_refusal, error",
        "rule 6, domain: one_of:",
        "rule 7, no_error: Input should be an object",
        "rule 8, {'no_loop': None, 'no_error': None}: give one rule",
        "rule 9, 17: give one rule",
    ):
        assert text in ran.err


@pytest.mark.parametrize(
    "text",
    [
        "",
        "rules:",
        "- no_error",
        "rules: [",
        "rules: {no_error: {}}",
        "\x00",
        "rules: [run: {2026-01-01: x}]",
        "rules: [run: &a {one_of: *a}]",
    ],
)
def test_what_is_no_config_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "c.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"c\.yaml"):
        load_rules(tmp_path / "c.yaml")


@pytest.mark.parametrize(
    ("name", "message"),
    [("filter_best", "choose from filter_all"), ("best.yaml", "no filter config at"), ("a/b", "no filter")],
)
def test_a_config_that_is_not_there_is_named(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_rules(name)


def test_no_rules_keep_everything() -> None:
    assert [row.dropped_by for row in labelled([episode("a"), episode("b")]).values()] == [None, None]


@pytest.mark.parametrize("name", COMMITTED)
def test_a_committed_config_starts_with_its_command_and_reads_back(name: str) -> None:
    first = (CONFIGS / f"{name}.yaml").read_text().splitlines()[0]
    assert first.startswith(f"# eops-traj filter {name} --store ")
    rules = load_rules(name)
    assert parse_rules(json.loads(dump_rules(rules)), name) == rules


@pytest.fixture(scope="module")
def real(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of some of the real result files."""
    folder = tmp_path_factory.mktemp("real") / "store"
    files = list(find_files([some_results(shared, folder.parent / "results")]))
    with Store.open(folder, create=True) as opened:
        import_files(files, open_importer("enterpriseops"), opened)
    return folder


@pytest.mark.parametrize("name", COMMITTED)
def test_a_committed_config_keeps_some_real_episodes(real: Path, name: str) -> None:
    """Those of tasks without a split, if the rule on splits asks for them."""
    rules = load_rules(name)
    rules["split"] = rules["split"].model_copy(update={"one_of": ["train", "none"]})
    with Store.open(real) as opened:
        selection = selected(opened, name, rules, save=True)
        assert opened.selection(name) == selection
    counts = rule_counts(selection)
    assert len(selection.rows) == 12
    assert sum(row["dropped"] for row in counts) + len(selection.kept()) == 12
    assert counts[-1]["kept"] == len(selection.kept()) > 2


def test_a_table_longer_than_a_slice_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    from eops_traj.filter import rules as engine

    monkeypatch.setattr(engine, "SLICE", 3)
    rows = engine.Rows(ids=["e9", "e0", "e4"], scan=frame(*(episode(f"e{n}") for n in range(10))))
    assert [row["episode_id"] for row in rows.stream()] == ["e0", "e4", "e9"]


@pytest.mark.parametrize("name", COMMITTED)
def test_a_committed_config_takes_nothing_held_out(name: str) -> None:
    """What has no split is held out too, and is taken by the one config that says so in its name."""
    taken = set(load_rules(name)["split"].model_dump()["one_of"])
    assert taken == ({"train", "none"} if name == "filter_imported" else {"train"})
