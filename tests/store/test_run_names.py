"""A run is named by its id, or by so much of it that no other begins so."""

import pytest

from eops_traj.errors import UnknownName
from eops_traj.store.run_names import find_run

KNOWN = ("a1", "a12", "b3")


@pytest.mark.parametrize(("name", "run"), [("a1", "a1"), ("a12", "a12"), ("b", "b3")])
def test_a_whole_id_goes_before_those_that_begin_with_it(name: str, run: str) -> None:
    assert find_run(name, KNOWN) == run


@pytest.mark.parametrize(
    ("name", "choices"), [("a", "a1, a12"), ("c", "a1, a12, b3"), ("", "a1, a12, b3"), ("b33", "a1, a12, b3")]
)
def test_what_names_none_or_several_is_refused_with_the_choices(name: str, choices: str) -> None:
    with pytest.raises(UnknownName, match=f"unknown run '{name}'; choose from {choices}$"):
        find_run(name, KNOWN)
