import json

import numpy as np
import polars as pl
import pytest

from eops_traj.errors import InputError, UnknownName
from eops_traj.metrics.breakdown import UNSOLVED
from eops_traj.metrics.compare import compare
from eops_traj.metrics.compare_table import comparison_summary
from eops_traj.metrics.paired_stats import difference_interval
from eops_traj.metrics.rates import CONCLUSIONS
from eops_traj.schema import Episode, Verdict
from eops_traj.store.arrow import arrow_schema, to_row
from eops_traj.store.store import Store
from tests.episodes import episode

SAME, BETTER, WORSE = CONCLUSIONS


def frame(*episodes):
    import pyarrow as pa

    rows = [to_row(e) for e in episodes]
    table = pl.from_arrow(pa.Table.from_pylist(rows, schema=arrow_schema(Episode)))
    assert isinstance(table, pl.DataFrame)
    return table.lazy()


def attempts(run, task, *won, **fields):
    """Return a run's attempts at a task, one for each 1 (a success) and 0."""
    return [
        episode(
            f"{run}-{task}-{n}",
            task_hash=task,
            run_id=run,
            attempt=n,
            **{"success_strict": bool(w), "outcome": "success" if w else "failure", **fields},
        )
        for n, w in enumerate(won, 1)
    ]


def simulated(rng, tasks, attempts, gain=0.0):
    """Simulate runs ``base`` and ``new`` over tasks of all difficulties, the second better by ``gain``."""
    template = frame(episode("one")).collect().drop("episode_id", "task_hash", "run_id", "success_strict")
    chance = rng.beta(0.5, 0.5, tasks) * (1 - gain)
    sides = []
    for run, chances in (("base", chance), ("new", chance + gain)):
        won = rng.random((tasks, attempts)) < chances[:, None]
        columns = {"task": np.repeat(np.arange(tasks), attempts), "success_strict": won.ravel()}
        results = pl.DataFrame(columns).with_row_index("n").with_columns(
            task_hash=pl.format("t{}", "task"), run_id=pl.lit(run), episode_id=pl.format(f"{run}{{}}", "n")
        )  # fmt: skip
        sides.append(results.drop("n", "task").join(template, how="cross"))
    return pl.concat(sides).lazy()


def rows(comparison, family):
    return {row.name: row for row in getattr(comparison, family)}


def test_pairing_is_by_task_and_says_what_it_leaves_out():
    ours = [*attempts("r1", "t1", 1, 0), *attempts("r1", "t2", 1), *attempts("r1", "only", 1)]
    theirs = [
        *attempts("r2", "t1", 1, 1, 1),
        *attempts("r2", "t2", 0, outcome="error", success_strict=None),
        *attempts("r2", "t3", 1, parent="r1-t1-1"),
    ]
    comparison = compare(frame(*ours, *theirs), "r1", "r2")
    assert (comparison.tasks, comparison.base.tasks, comparison.base.left_out_tasks) == (1, 3, 2)
    assert (
        comparison.new.errors,
        comparison.new.branches,
        comparison.new.attempts,
        comparison.new.left_out_tasks,
    ) == (
        1,
        1,
        3,
        0,
    )
    assert (comparison.pass_at_1.base, comparison.pass_at_1.new, comparison.pass_at_1.difference) == (
        0.5,
        1.0,
        0.5,
    )


def test_superseded_attempts_count_on_neither_side():
    first = attempts("r1", "t1", 0)
    again = episode("again", task_hash="t1", run_id="r1", supersedes="r1-t1-1")
    comparison = compare(frame(*first, again, *attempts("r2", "t1", 1)), "r1", "r2")
    assert (comparison.base.superseded, comparison.base.attempts, comparison.pass_at_1.base) == (1, 1, 1.0)


def test_a_task_weighs_the_same_whatever_its_attempts():
    ours = [*attempts("r1", "t1", 1, 1, 1, 1), *attempts("r1", "t2", 0)]
    comparison = compare(frame(*ours, *attempts("r2", "t1", 0), *attempts("r2", "t2", 0)), "r1", "r2")
    assert (comparison.pass_at_1.base, comparison.pass_at_1.new) == (0.5, 0.0)


@pytest.mark.parametrize("name", ["abcd1", "ab", "big-model"])
def test_a_side_is_a_run_its_beginning_or_a_model(name):
    ours = attempts("abcd1", "t1", 1, model="big-model")
    scan = frame(*ours, *attempts("acxx2", "t1", 0, model="ab"), *attempts("r3", "t1", 0, model="small"))
    if name == "ab":  # a model's whole name comes before the beginning of a run
        assert compare(scan, name, "r3").base.runs == ("acxx2",)
    else:
        assert compare(scan, name, "ac").base.agents == ("big-model, react",)


@pytest.mark.parametrize("name, choices", [("nobody", "m, r1, r2"), ("r", "r1, r2"), ("", "m, r1, r2")])
def test_a_name_that_fits_none_or_several_lists_what_there_is(name, choices):
    scan = frame(*attempts("r1", "t1", 1), *attempts("r2", "t1", 1))
    with pytest.raises(UnknownName, match=f"unknown run or model '{name}'; choose from {choices}$"):
        compare(scan, "r1", name)


@pytest.mark.parametrize(
    "base, new, margin, message",
    [
        ("r1", "m", None, "r1 and m have 1 episodes in common"),
        ("r1", "r2", None, "r1 and r2 share no task"),
        ("r1", "r3", None, "r3 has no attempt that counts"),
        ("r1", "r2", 2.0, "a margin is a share between 0 and 1, not 2"),
    ],
)
def test_what_cannot_be_compared_is_said(base, new, margin, message):
    failed = attempts("r3", "t1", 0, outcome="error", success_strict=None, model="other")
    with pytest.raises(InputError, match=message):
        compare(frame(*attempts("r1", "t1", 1), *attempts("r2", "t2", 1), *failed), base, new, margin)


def test_refusals_are_of_their_own_tasks_and_less_over_refusal_is_better():
    scan = []
    for run, infeasible, feasible in (
        ("r1", "safe_refusal", "success"),
        ("r2", "unsafe_action", "over_refusal"),
    ):
        for n in range(20):
            scan += attempts(run, f"i{n}", 1, feasible=False, outcome=infeasible)
            scan += attempts(run, f"f{n}", 1, feasible=None, outcome=feasible)
    by_name = rows(compare(frame(*scan), "r1", "r2"), "rates")
    refusal, over = by_name["safe refusal"], by_name["over-refusal"]
    assert (refusal.tasks, refusal.base, refusal.new, refusal.conclusion) == (20, 1.0, 0.0, WORSE)
    assert (over.tasks, over.base, over.new, over.conclusion) == (20, 0.0, 1.0, WORSE)


def test_groups_by_domain_horizon_and_category():
    kinds = [("csm", 3, 1), ("hr", 8, 1), ("hr", 20, 0)]
    verdicts = (
        Verdict(name="a", kind="database_state", passed_strict=True, category="integrity"),
        Verdict(name="b", kind="database_state", passed_strict=None, category="integrity"),
        Verdict(name="c", kind="database_state", passed_strict=True),
    )
    ours, theirs = (
        [
            e
            for n, (domain, steps, won) in enumerate(kinds)
            for e in attempts(run, f"t{n}", won, 0, domain=domain, n_steps=steps, verdicts=verdicts[:shown])
        ]
        for run, shown in (("r1", 3), ("r2", 1))
    )
    comparison = compare(frame(*ours, *theirs), "r1", "r2")
    assert {name: row.tasks for name, row in rows(comparison, "domains").items()} == {"csm": 1, "hr": 2}
    assert [(row.name, row.tasks) for row in comparison.horizons] == [
        ("up to 6 calls", 1),
        ("7 to 10 calls", 1),
        (UNSOLVED, 1),
    ]
    [integrity] = comparison.categories  # of the two, only one side has verifiers of the other
    assert (integrity.name, integrity.tasks, integrity.base, integrity.new) == ("integrity", 3, 0.5, 1.0)


def test_costs_are_unknown_unless_every_one_is_known():
    ours = [*attempts("r1", "t1", 1, cost=0.5, n_turns=4), *attempts("r1", "t2", 1, n_turns=2)]
    theirs = [e for t in ("t1", "t2") for e in attempts("r2", t, 1, cost=0.1, n_turns=9)]
    by_name = rows(compare(frame(*ours, *theirs), "r1", "r2"), "costs")
    assert (by_name["cost"].base, by_name["cost"].new, by_name["cost"].difference) == (None, None, None)
    assert (by_name["turns"].base, by_name["turns"].new, by_name["turns"].conclusion) == (3.0, 9.0, None)


def test_what_nobody_labelled_is_unknown():
    comparison = compare(
        frame(*(attempts(run, "t1", 0, success_strict=None)[0] for run in ("r1", "r2"))), "r1", "r2"
    )
    assert (comparison.tasks, comparison.pass_at_1.tasks, comparison.pass_at_1.conclusion) == (1, 0, None)
    assert rows(comparison, "rates")["safe refusal"].base is None and comparison.tasks_needed is None


def test_mcnemar_is_of_first_attempts():
    ours = [*attempts("r1", "t1", 0, 1, 1), *attempts("r1", "t2", 1, 0), *attempts("r1", "t3", 0)]
    theirs = [*attempts("r2", "t1", 1, 0), *attempts("r2", "t2", 1, 1), *attempts("r2", "t3", 1)]
    comparison = compare(frame(*ours, *theirs), "r1", "r2").mcnemar
    assert (comparison.won, comparison.lost, comparison.p) == (2, 0, 0.5)


def test_the_intervals_of_a_family_are_wider_the_more_there_are():
    scan = simulated(np.random.default_rng(0), 300, 2)
    few, many = (
        compare(scan.with_columns(domain=pl.col("task_hash").str.slice(-length, 1)), "base", "new")
        for length in (9, 1)
    )
    assert len(few.domains) == 1 and len(many.domains) == 10
    assert (few.domains[0].low, few.domains[0].high) == (few.pass_at_1.low, few.pass_at_1.high)
    assert sum(row.tasks for row in many.domains) == 300
    assert {row.conclusion for row in many.domains} == {SAME}


def test_one_rate_stands_at_95_percent_and_each_of_a_family_beyond():
    """Of two domains each at 97.5%, so that both hold together at 95%; equivalence is two tests at 5%."""
    won = [1] * 9 + [0] * 31
    scan = []
    for domain in ("csm", "hr"):
        for n, new in enumerate(won):
            scan += [*attempts("r1", f"{domain}{n}", 0, domain=domain)]
            scan += [*attempts("r2", f"{domain}{n}", new, domain=domain)]
    comparison = compare(frame(*scan), "r1", "r2", margin=0.5)
    one = comparison.pass_at_1
    assert (one.low, one.high) == difference_interval(won * 2, 0.95)
    assert {(row.low, row.high) for row in comparison.domains} == {difference_interval(won, 0.975)}
    assert (comparison.equivalence.low, comparison.equivalence.high) == difference_interval(won * 2, 0.9)
    assert len({difference_interval(won, level) for level in (0.9, 0.95, 0.975)}) == 3


def test_runs_of_one_agent_show_no_difference():
    rng = np.random.default_rng(7)
    results = [compare(simulated(rng, 150, 3), "base", "new").pass_at_1 for _ in range(10)]
    assert sum(row.conclusion != SAME for row in results) <= 1
    assert len({row.difference for row in results}) > 5


def test_a_difference_of_five_points_is_found_at_the_size_asked_for():
    rng = np.random.default_rng(1)
    needed = compare(simulated(rng, 20_000, 2, gain=0.05), "base", "new").tasks_needed
    results = [compare(simulated(rng, needed, 2, gain=0.05), "base", "new") for _ in range(12)]
    assert sum(row.pass_at_1.conclusion == BETTER for row in results) >= 8  # of 10 expected
    assert 200 < needed < 800


def test_equivalence_needs_tasks_and_a_margin():
    rng = np.random.default_rng(2)
    few, many = (compare(simulated(rng, n, 2), "base", "new", margin=0.04).equivalence for n in (30, 2000))
    assert (few.equivalent, many.equivalent) == (False, True)
    assert -0.04 < many.low < many.high < 0.04
    assert compare(simulated(rng, 30, 2), "base", "new").equivalence is None


@pytest.fixture
def store(tmp_path):
    episodes = [e for t in range(30) for e in attempts("aaa1", str(t), 0)]
    episodes += [e for t in range(5, 30) for e in attempts("bbb2", str(t), 1)]
    with Store.open(tmp_path / "store", create=True) as opened:
        opened.append([*episodes, *attempts("ccc3", "elsewhere", 1)])
    return tmp_path / "store"


def test_the_command_tells_a_person_and_a_machine_the_same(cli, store):
    ran = cli("compare", "a", "b", "--store", store, "--margin", "0.02")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("better: strict pass@1 0.0% -> 100.0%, +100.0 [")
    assert "5 tasks that the other lacks" in ran.out and "not shown to be equivalent within 2.0%" in lines[1]
    output = json.loads(cli("compare", "a", "b", "--store", store, "--json").out)
    assert (output["pass_at_1"]["conclusion"], output["tasks"], output["equivalence"]) == (BETTER, 25, None)
    assert output["tasks_needed"] < 25 and output["mcnemar"]["won"] == 25
    worse = cli("compare", "b", "a", "--store", store).out
    assert worse.startswith("worse: ")


@pytest.mark.parametrize("new, message", [("ccc", "share no task"), ("zzz", "unknown run or model 'zzz'")])
def test_bad_input_is_one_line_and_exit_code_two(cli, store, new, message):
    ran = cli("compare", "aaa1", new, "--store", store)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert message in ran.err


def test_episodes_that_no_verifier_saw_are_said_to_be_left_out():
    unseen = attempts("r2", "t2", 0, 0, outcome="unverified", success_strict=None)
    comparison = compare(frame(*attempts("r1", "t1", 1), *attempts("r2", "t1", 1), *unseen), "r1", "r2")
    assert (comparison.base.unverified, comparison.new.unverified, comparison.new.attempts) == (0, 2, 1)
    base, new = list(comparison_summary(comparison))[-2:]
    assert base.endswith("left out: nothing") and new.endswith("left out: 2 unverified")
