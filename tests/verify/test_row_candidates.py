"""Few rows are all compared; of many those with the most values in common, so that it stays bounded."""

from itertools import product
from typing import Any

from eops_traj.verify.row_candidates import worth_comparing
from eops_traj.verify.row_changes import read_rules
from eops_traj.verify.row_faults import find_row_faults
from eops_traj.verify.row_matching import ActualRow, ExpectedRow, actual_rows
from tests.verify.test_row_changes import call, changed, insert, new, update

MANY = 2000


def wanted(rows: list[dict[str, Any]]) -> dict[int, ExpectedRow]:
    return dict(enumerate(read_rules({"rows": rows}).rows))


def made(numbers: range, table: str = "a") -> dict[int, ActualRow]:
    changes = [insert(table, n, name=f"n{n}", note="the same", flag=n % 2) for n in numbers]
    return dict(enumerate(actual_rows(changes, [])))


def test_few_rows_of_one_place_are_all_compared() -> None:
    rows = wanted([new("a", name="n7"), new("b", name="n7"), changed("a", 1, name="n7")])
    assert list(worth_comparing(rows, made(range(9)))) == [(0, m) for m in range(9)]
    assert list(worth_comparing(rows, made(range(9)), parts=2)) == list(product((0, 2), range(9)))


def test_of_many_rows_the_most_alike_are_compared_from_either_side() -> None:
    told = [new("a", name=f"n{n}", note="the same", own={"own": True}) for n in range(0, MANY, 40)]
    pairs = set(worth_comparing(wanted(told), made(range(MANY))))
    assert {(n, 40 * n) for n in range(len(told))} <= pairs
    assert len(pairs) < 5000
    all_told = wanted([new("a", name=f"n{n}", note="the same") for n in range(MANY)])
    pairs = set(worth_comparing(all_told, made(range(0, MANY, 40))))
    assert {(40 * n, n) for n in range(MANY // 40)} <= pairs
    assert len(pairs) < 5000


def test_among_thousands_of_rows_each_is_paired_with_its_own() -> None:
    calls = [call(insert("a", n, name=f"n{n}", note="same"), name=f"n{n}", note="same") for n in range(MANY)]
    told = [new("a", id={"id": n}, name=f"n{n}", note="other") for n in range(0, MANY, 40)]
    faults = find_row_faults(read_rules({"rows": told}), calls)
    wrong = [fault for fault in faults if fault.wanted]
    assert [(f.column, f.actual and f.actual.values["name"]) for f in wrong] == [
        ("note", f"n{n}") for n in range(0, MANY, 40)
    ]
    assert len(faults) == MANY


def test_of_rows_that_all_look_alike_as_many_as_can_be_are_paired() -> None:
    calls = [call(insert("a", n, note="same")) for n in range(150)]
    rules = read_rules({"rows": [new("a", id={"own": True}, note="same") for _ in range(100)]})
    faults = find_row_faults(rules, calls)
    assert len([fault for fault in faults if fault.wanted is None]) == 50
    assert not [fault for fault in faults if fault.actual is None]


def test_a_row_of_the_seed_is_found_by_its_key_among_any_number() -> None:
    calls = [call(update("a", n, note="same")) for n in range(MANY)]
    rules = read_rules({"rows": [changed("a", n, note="other") for n in range(MANY - 50, MANY + 10)]})
    faults = find_row_faults(rules, calls)
    assert len([fault for fault in faults if fault.wanted and fault.actual]) == 50
    assert len([fault for fault in faults if fault.actual is None]) == 10
