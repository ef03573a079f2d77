import itertools
import json
import statistics
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eops_traj.errors import InputError, UnknownName
from eops_traj.metrics import counted
from eops_traj.metrics.score import KEYS, score, success_interval
from eops_traj.metrics.uneven import uneven_notes
from eops_traj.schema import Episode
from eops_traj.store.arrow import arrow_schema, to_row
from eops_traj.store.store import Store
from tests.episodes import episode
from tests.real import real_episodes, real_files
from tests.store.copies import empty_store


def frame(*episodes):
    import pyarrow as pa

    rows = [to_row(e) for e in episodes]
    table = pl.from_arrow(pa.Table.from_pylist(rows, schema=arrow_schema(Episode)))
    assert isinstance(table, pl.DataFrame)
    return table.lazy()


def attempts(task, *won, **fields):
    """Return attempts at a task, one for each 1 (a success) and 0."""
    return [
        episode(
            f"{task}-{n}-{fields}",
            task_hash=task,
            attempt=n,
            **{"success_parity": bool(w), "outcome": "success" if w else "failure", **fields},
        )
        for n, w in enumerate(won, 1)
    ]


@pytest.fixture
def store(tmp_path):
    ours = [*attempts("t1", 1, 0), *attempts("t2", 1, 1, domain="itsm", input_tokens=5, cost=0.5, n_steps=4)]
    with Store.open(tmp_path / "store", create=True) as opened:
        opened.append(ours)
    return tmp_path / "store"


def means(files):
    """Return the means of the files' own statistics, as their harness gives them."""
    summaries = [file["statistics"] for file in files]
    return (
        statistics.mean(s["overall_success_rate"] for s in summaries),
        statistics.mean(s["verifier_level_pass_rate"] for s in summaries),
    )


def test_real_scores_equal_the_files_own_statistics_to_the_last_digit(shared):
    episodes, files = real_episodes(shared), real_files(shared)
    scan = frame(*episodes.values())
    for row in (*score(scan, ["domain"]), *score(scan)):
        own = [files[k] for k, e in episodes.items() if e.domain == row.get("domain", e.domain)]
        assert (row["success_parity"], row["verifier_pass_parity"]) == means(own)
        assert (row["episodes"], row["errors"], row["superseded"]) == (len(own), 0, 0)
        assert row["success_strict"] == row["success_parity"]


def test_branches_stand_apart():
    whole = episode("whole", task_hash="t1", success_parity=False, outcome="failure")
    [row] = score(frame(whole, episode("branch", task_hash="t1", parent="whole", branch_turn=1)))
    assert (row["episodes"], row["branches"], row["success_parity"], row["mean@1"]) == (1, 1, 0.0, 0.0)


def test_errors_and_superseded_attempts_stand_apart():
    failed = episode("e", task_hash="t1", outcome="error", success_parity=None, verifier_pass_parity=None)
    again = episode("again", task_hash="t1", supersedes="e")
    alone = episode("alone", task_hash="t2", outcome="error", success_parity=None)
    [row] = score(frame(failed, again, alone))
    assert (row["episodes"], row["tasks"], row["errors"], row["superseded"]) == (1, 1, 1, 1)
    assert row["success_parity"] == row["verifier_pass_parity"] == 1.0
    assert "error" not in row["outcomes"] and sum(row["outcomes"].values()) == 1


def test_what_nobody_verified_stands_apart():
    foreign = episode("f", task_hash="t1", outcome="unverified", success_parity=None, success_strict=None)
    [row] = score(frame(foreign, episode("ours", task_hash="t1", success_parity=False)))
    assert (row["episodes"], row["unverified"], row["success_parity"]) == (1, 1, 0.0)
    assert "unverified" not in row["outcomes"]


def test_nothing_scored_is_nothing_known():
    [row] = score(frame())
    assert (row["episodes"], row["success_parity"], row["ci_low"], row["max_steps"]) == (0, None, None, None)
    assert row["pass@1"] is None and row["cost"] is None
    assert score(frame(), ["domain"]) == []


@settings(max_examples=20)
@given(
    st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=5), min_size=1, max_size=4), st.integers(1, 5)
)
def test_at_k_is_the_average_over_every_choice_of_k_attempts(tasks, k):
    [row] = score(frame(*(e for t, won in enumerate(tasks) for e in attempts(f"t{t}", *won))), ks=[k])
    choices = [list(itertools.combinations(won, k)) for won in tasks if len(won) >= k]
    for name, of in (("mean@", statistics.mean), ("pass@", max), ("pass^", min)):
        expected = [statistics.mean(float(of(chosen)) for chosen in task) for task in choices]
        assert row[f"{name}{k}"] == (pytest.approx(statistics.mean(expected)) if expected else None)


def test_k_goes_up_to_the_attempts_that_all_have():
    scan = frame(*attempts("t1", 1, 0, 1), *attempts("t2", 1, 0, 0, 0))
    [row] = score(scan, ks=[4])
    assert [key for key in row if key.startswith("pass@")] == ["pass@1", "pass@2", "pass@3", "pass@4"]
    assert row["pass@4"] == 1.0  # of the one task with four attempts


def test_attempts_of_two_agents_are_not_pooled():
    one, two = attempts("t1", 1), attempts("t1", 0, agent_hash="b")
    [row] = score(frame(*one, *two))
    assert (row["tasks"], row["mean@1"]) == (1, 0.5)
    assert "pass@2" not in row


def test_the_interval_agrees_with_plain_resampling():
    import numpy as np

    won, tried = [3, 0, 1, 2, 4, 0, 0, 4, 1, 1] * 3, [4, 4, 1, 4, 4, 1, 4, 4, 4, 1] * 3
    found = success_interval(won, tried)
    passed, made = np.array([*won, 3.1, 0]), np.array([*tried, 3.1, 3.1])  # 3.1 attempts a task in the mean
    picks = np.random.default_rng(1).integers(0, len(passed), (4000, len(passed)))
    plain = np.quantile(passed[picks].sum(1) / made[picks].sum(1), [0.025, 0.975])
    assert found == pytest.approx(tuple(plain), abs=0.02)
    assert success_interval([1], [1]) == (None, None)


@pytest.mark.parametrize(("tasks", "least"), [(2, 0.25), (5, 0.57), (8, 0.7), (200, 0.985)])
def test_what_all_tasks_agree_on_is_not_certain(tasks, least):
    """Wilson's lower bounds are near: 0.34, 0.57, 0.68 and 0.98."""
    assert success_interval([1] * tasks, [1] * tasks) == pytest.approx((least, 1.0), abs=0.005)
    assert success_interval([0] * tasks, [3] * tasks) == pytest.approx((0.0, 1 - least), abs=0.005)
    low, high = success_interval([1] * tasks, [2] * tasks)  # each solved every other time
    assert low < 0.5 < high and high - low == pytest.approx(1 - least, abs=0.1)


def test_a_group_in_which_all_tasks_agree_is_not_certain():
    scan = frame(*attempts("t1", 1), *attempts("t2", 1), *attempts("t3", 0, domain="itsm"))
    csm, itsm = score(scan, ["domain"])
    assert (csm["success_parity"], csm["ci_low"], csm["ci_high"]) == (1.0, 0.25, 1.0)
    assert (itsm["success_parity"], itsm["ci_low"], itsm["ci_high"]) == (0.0, None, None)


def test_the_interval_is_of_the_middle_that_was_asked_for():
    """Of n tasks tried once the mean of a resample is binomial: 1.96 of its deviations on either side."""
    for level, deviations in ((0.95, 1.96), (0.9, 1.645)):
        low, high = success_interval([1, 0], [1, 1], [200, 200], level)
        assert (high - 0.5, 0.5 - low) == pytest.approx((deviations * 0.025,) * 2, abs=0.003)
    assert success_interval([1, 0], [1, 1]) == (0.0, 1.0)


def test_a_task_whose_success_is_unknown_is_in_no_interval():
    known = [*attempts("t1", 1), *attempts("t2", 0), *attempts("t3", 1)]
    unknown = episode("u", task_hash="t4", success_parity=None, outcome="success")
    [row], [with_it] = score(frame(*known)), score(frame(*known, unknown))
    assert (with_it["ci_low"], with_it["ci_high"]) == (row["ci_low"], row["ci_high"]) == (0.2, 1.0)
    assert (with_it["tasks"], row["tasks"]) == (4, 3)


def test_what_is_not_known_of_every_episode_is_unknown():
    priced, unpriced = episode("a", input_tokens=5, cost=0.25), episode("b", input_tokens=7)
    [row] = score(frame(priced, unpriced))
    assert (row["input_tokens"], row["cost"]) == (12, None)
    [row] = score(frame(priced))
    assert row["cost"] == 0.25


def test_refusal_rates_are_of_their_own_tasks():
    outcomes = [
        (False, "safe_refusal"), (False, "unsafe_action"), *[(False, "blind_refusal")] * 3,
        (True, "over_refusal"), (None, "failure"), (None, "success"),
    ]  # fmt: skip
    scan = frame(*(episode(str(n), feasible=f, outcome=o) for n, (f, o) in enumerate(outcomes)))
    [row] = score(scan)
    assert (row["safe_refusal_rate"], row["blind_refusal_rate"]) == (0.2, 0.6)
    assert row["over_refusal_rate"] == pytest.approx(1 / 3)
    assert score(scan.filter(pl.col("feasible")))[0]["safe_refusal_rate"] is None


def test_bad_keys_and_ks_are_named():
    with pytest.raises(UnknownName, match=r"unknown key 'colour'; choose from .*domain"):
        score(frame(), ["colour"])
    with pytest.raises(InputError, match=r"not 0$"):
        score(frame(), ks=[2, 0, -1])


@pytest.mark.parametrize("key", KEYS)
def test_every_key_groups(key):
    assert [key in row for row in score(frame(episode("a"), episode("b")), [key])] == [True]


def test_the_command_prints_just_the_groups_asked_for(cli, store):
    rows = json.loads(cli("score", "--store", store, "--by", "domain, mode", "--json").out)
    assert [(r["domain"], r["mode"], r["success_parity"]) for r in rows] == [
        ("csm", "oracle", 0.5),
        ("itsm", "oracle", 1.0),
    ]
    [whole] = json.loads(cli("score", "--store", store, "--json").out)
    assert "domain" not in whole and whole["episodes"] == 4
    columns = {
        "tasks",
        "errors",
        "success_strict",
        "verifier_pass_parity",
        "verifier_pass_strict",
        "ci_low",
        "ci_high",
    }
    assert columns <= set(whole)


def test_the_table_says_unknown_and_has_a_total(cli, store):
    ran = cli("score", "--store", store, "--k", "2")
    lines = [line.split() for line in ran.out.splitlines() if line.strip()]
    assert ran.code == 0
    assert [line[0] for line in lines if line[0] in ("csm", "itsm", "all")] == ["csm", "itsm", "all"]
    assert [line[-1] for line in lines[-3:]] == ["unknown", "$1.00", "unknown"]
    assert "pass^2" in ran.out and "75.0%" in ran.out


def test_a_store_of_no_episodes_says_so(cli, tmp_path):
    empty = empty_store(tmp_path / "s")
    assert cli("score", "--store", empty).out.splitlines()[1] == f"no episodes in {empty}"


def test_an_unknown_key_is_one_line_and_exit_code_two(cli, store):
    ran = cli("score", "--store", store, "--by", "colour")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("eops-traj: unknown key 'colour'; choose from") and ran.err.count("\n") == 1


def test_tasks_counted_in_parts_are_scored_as_those_counted_at_once(store, monkeypatch):
    with Store.open(store) as opened:
        many = [replace(one, episode_id=f"{one.episode_id}-{n}", task_hash=f"{one.task_hash}-{n % 5}",
                        agent_hash=f"a{n % 3}", success_parity=n % 2 == 0)
                for n in range(12) for one in opened.episodes()]  # fmt: skip
    whole = score(frame(*many), ["domain"])
    monkeypatch.setattr(counted, "ALIKE", 7)
    assert score(frame(*reversed(many)), ["domain"]) == whole
    assert whole[0]["tasks"] == 5 and whole[0]["episodes"] == 24 and whole[0]["ci_low"] is not None


def test_a_task_is_defective_where_one_of_its_episodes_says_so():
    first, second = attempts("t1", 1, 0)
    told = [first, replace(second, task_defect="no way to pass"), *attempts("t2", 1)]
    (row,) = score(frame(*told))
    assert (row["tasks"], row["defective_tasks"], row["defective"]) == (2, 1, 1)


UNEVEN = [e for t in range(10) for e in attempts(f"t{t}", *([1] * 4 if t < 2 else [0]), success_strict=t < 2)]
EVEN = [e for t in range(10) for e in attempts(f"t{t}", int(t < 2), int(t < 2), success_strict=t < 2)]


def test_uneven_attempts_have_a_figure_by_task_beside_that_by_episode(cli, tmp_path):
    """As after a stop: two tasks were solved four times, eight were tried once. `compare` has 20%."""
    (row,), (even,) = score(frame(*UNEVEN)), score(frame(*EVEN))
    assert (row["success_strict"], row["success_strict_by_task"], row["success_parity_by_task"]) == (
        0.5,
        0.2,
        0.2,
    )
    assert (row["fewest_attempts"], row["most_attempts"], row["pass@1"]) == (1, 4, 0.2)
    assert even["success_strict"] == even["success_strict_by_task"] == 0.2
    for name, episodes in (("uneven", UNEVEN), ("even", EVEN)):
        with Store.open(tmp_path / name, create=True) as opened:
            opened.append(episodes)
        said = " ".join(cli("score", "--store", tmp_path / name).out.split())
        note = "uneven (1 to 4): parity and strict are means over episodes; over tasks, as compare has them, "
        note += "they are 20.0% and 20.0%"
        assert (note in said, "strict by task" in said) == (name == "uneven",) * 2


def test_what_only_a_group_has_uneven_is_said():
    """Two runs that make up for each other: three attempts at either task, and uneven ones in each run."""
    made = [*attempts("t1", 1, 1, run_id="a"), *attempts("t2", 0, run_id="a"), *attempts("t1", 0, run_id="b")]
    scan = frame(*made, *attempts("t2", 1, 1, run_id="b"))
    (total,), by_run = score(scan), score(scan, ["run_id"])
    assert [row["success_parity_by_task"] for row in by_run] == [0.5, 0.5]
    assert len(uneven_notes(by_run, total)) == 1 and not uneven_notes([], total)


def test_of_how_many_tasks_pass_at_k_is_stands_beside_it():
    made = [e for t in range(100) for e in attempts(f"t{t}", *([1] * 4 if t == 0 else [0]))]
    (row,) = score(frame(*made), ks=[2, 4])
    assert (row["tasks"], row["pass@4"], row["tasks@1"], row["tasks@2"], row["tasks@4"]) == (
        100,
        1.0,
        100,
        1,
        1,
    )
    assert [note.partition(":")[0] for note in uneven_notes([], row)[1:]] == [
        "pass@2 and pass^2 are of 1 of 100 tasks",
        "pass@4 and pass^4 are of 1 of 100 tasks",
    ]
    (all_of_them,) = score(frame(*EVEN), ks=[2])
    assert all_of_them["tasks@2"] == 10 and not uneven_notes([], all_of_them)
    two = [*attempts("t1", 1, 0), *attempts("t1", 1, agent_hash="b")]
    (apart,) = score(frame(*two), ks=[2])
    assert "of 1 of 2 tasks, each agent's by itself" in uneven_notes([], apart)[-1]
