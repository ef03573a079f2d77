"""Rows are labelled a part at a time, and come as they would all at once."""

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.errors import WorkError
from eops_traj.filter import labelling
from eops_traj.filter.config import parse_rules
from eops_traj.filter.labelling import label_rows
from eops_traj.schema import PASSED, Episode
from tests.episodes import episode
from tests.filters.labelled import frame, rows_of

RULES = ["no_error", {"max_turns": {"most": 2}}, {"domain": {"one_of": ["csm", "hr"]}}]
STEPS = [RULES[0], {"cap_per_task": {"most": 1}}, RULES[1]]


def made(number: int, strict: bool | None, steps: int, turns: int, domain: str) -> Episode:
    of = {"success_strict": strict, "n_steps": steps, "n_turns": turns, "domain": domain}
    ended = {} if turns else {"outcome": "error", "error": "no reply"}
    return replace(episode(f"e{(37 * number) % 100:03}", task_id="same"), **of, **ended)  # in no order


def _place(e: Episode) -> tuple[bool, bool, int | None, str]:
    return e.outcome not in PASSED, e.success_strict is not True, e.n_steps, e.episode_id


drawn = st.tuples(
    st.sampled_from([True, False, None]), st.integers(0, 3), st.integers(0, 4), st.sampled_from(["csm", "it"])
)
episodes = st.lists(drawn, max_size=12).map(
    lambda many: [made(number, *values) for number, values in enumerate(many)]
)


@contextlib.contextmanager
def parts_of(rows: int) -> Iterator[None]:
    kept, labelling.PART = labelling.PART, rows
    try:
        yield
    finally:
        labelling.PART = kept


@pytest.mark.parametrize("rules", [RULES, STEPS])
@given(episodes=episodes, rows=st.integers(1, 5))
def test_parts_are_the_whole_in_its_order(rules: list[Any], episodes: list[Episode], rows: int) -> None:
    parsed = parse_rules({"rules": rules}, "a test")
    with label_rows(frame(*episodes), parsed) as found:
        whole = rows_of(found)
    with parts_of(rows), label_rows(frame(*episodes), parsed) as found:
        parts = [part.height for part in found.parts()]
        assert rows_of(found) == whole
    assert sum(parts) == len(episodes) == sum(found.counts.values())
    order = sorted(episodes, key=_place)
    assert [row.episode_id for row in whole] == [e.episode_id for e in order]
    for rule in (None, *parsed):
        assert found.counts.get(rule, 0) == sum(row.dropped_by == rule for row in whole)


def test_a_part_holds_no_more_rows_than_it_may_unless_they_have_one_rank() -> None:
    ranks = [(True, steps) for steps in (0, 0, 1, 1, 2, 3, 3, 3, 3)] + [(False, 0)]
    many = [made(n, strict, steps, 1, "csm") for n, (strict, steps) in enumerate(ranks)]
    with parts_of(3), label_rows(frame(*many), {}) as found:
        assert [part["episode_id"].to_list() for part in found.parts()] == [
            ["e000", "e037"],
            ["e011", "e074", "e048"],
            ["e022", "e059", "e085", "e096"],
            ["e033"],
        ]


def test_a_step_is_told_when_the_row_rules_are_done_and_after_each_step_of_a_set() -> None:
    steps = list[int]()
    with label_rows(frame(), parse_rules({"rules": STEPS}, "a test"), steps.append):
        assert steps == [1, 1]
    with label_rows(frame(), parse_rules({"rules": RULES}, "a test"), steps.append):
        assert steps == [1, 1, 1]


def test_a_set_step_sees_what_rules_before_it_left_and_later_ones_see_what_it_did() -> None:
    """The best of three of one task is of a wrong domain, the next too long: a step keeps what falls then."""
    three = [made(0, True, 1, 1, "it"), made(1, True, 2, 4, "csm"), made(2, True, 3, 1, "csm")]
    rules = parse_rules({"rules": [RULES[2], *STEPS[1:]]}, "a test")
    with label_rows(frame(*three), rules) as found:
        assert [row.dropped_by for row in rows_of(found)] == ["domain", "max_turns", "cap_per_task"]
        assert [bool(row.detail) for row in rows_of(found)] == [False, False, True]
    assert found.counts == {"domain": 1, "max_turns": 1, "cap_per_task": 1}


def test_what_a_step_says_stays_where_a_later_one_drops_others() -> None:
    three = [made(n, True, n, 1, "csm") for n in range(3)]
    rules = [{"cap_per_task": {"most": 2}}, {"cap_per_task": {"most": 1}}]
    with label_rows(frame(*three), parse_rules({"rules": rules}, "a test")) as found:
        assert [row.dropped_by for row in rows_of(found)] == [None, "cap_per_task#2", "cap_per_task"]
        assert [bool(row.detail) for row in rows_of(found)] == [False, True, True]


def test_a_full_disk_is_said_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rows.parquet").symlink_to("/dev/full")
    monkeypatch.setattr(tempfile, "TemporaryDirectory", lambda: contextlib.nullcontext(tmp_path))
    with (
        pytest.raises(WorkError, match=r"no room for what the rules say of each row in .*TMPDIR"),
        label_rows(frame(made(1, True, 1, 1, "csm")), {}),
    ):
        pass
