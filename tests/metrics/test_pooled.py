"""Figures of several models together are said to be that, and not where each stands alone."""

import polars as pl
import pytest

from eops_traj.metrics.pooled import pooled_note


def note(models: list[str | None], *by: str) -> list[str]:
    return pooled_note(pl.LazyFrame({"model": models}, schema={"model": pl.String}), by)


def test_several_models_are_named_with_what_tells_them_apart() -> None:
    assert note(["b", "a", "b"], "domain") == [
        "figures are of 2 models together (a, b); --by model tells them apart"
    ]
    assert "4 models together (a, b, c, ...)" in note(["d", "c", "b", "a", None], "domain")[0]


@pytest.mark.parametrize("by", ["model", "agent_hash", "run_id"])
def test_where_they_stand_alone_nothing_is_said(by: str) -> None:
    assert not note(["a", "b"], "domain", by)
    assert not note(["a", "a", None], "domain") and not note([], "domain")
