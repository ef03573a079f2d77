"""The first step in which a plan differs is told by what is other in it."""

import pytest

from benchmarks.first_difference import first_difference

GOLD = """1. find(name="Ana", limit=3) -- who it is
2. require(ok($1)) -- there is nobody
3. for $1[*open=true]: close(id=$row.id, by=$1.id)"""


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ('"Ana"', '"Bo"', "another value"),
        ("limit=3", "limit=5", "another value"),
        ("by=$1", "by=$2", "another reference"),
        ("find(name", "find(title", "another form"),
        ("require(ok", "require(count", "another form"),
        ("close(id", "drop(id", "another step"),
        ("2. require(ok($1)) -- there is nobody\n", "", "another step"),
        ("\n3. for $1[*open=true]: close(id=$row.id, by=$1.id)", "", "ends too early"),
        ("by=$1.id)", "by=$1.id)\n4. find()", "goes on"),
        ("who it is", "another reason", "nowhere"),
    ],
)
def test_a_first_difference_has_a_kind(old: str, new: str, kind: str) -> None:
    assert old in GOLD and first_difference(GOLD, GOLD.replace(old, new)) == kind
