"""Pending attempts follow from what is stored, and from nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from eops_traj.collect.pending import AttemptLedger, StoredAttempt, may_retry, round_robin
from tests.collect.case_tasks import task

TASK = task()


def stored(number: int, supersedes: str | None = None, error: str | None = None) -> StoredAttempt:
    return StoredAttempt(f"e{number}", number, supersedes, error)


def pending(attempts: int, *attempts_stored: StoredAttempt) -> list[tuple[int, str | None]]:
    return [
        (one.attempt, one.supersedes) for one in AttemptLedger(TASK, attempts, attempts_stored).take_pending()
    ]


def test_without_a_past_every_attempt_is_owed():
    assert pending(3) == [(1, None), (2, None), (3, None)]


def test_what_is_there_is_not_owed_and_gaps_are_filled_with_their_own_numbers():
    assert pending(3, stored(1), stored(3)) == [(2, None)]
    assert pending(2, stored(1), stored(2), stored(3)) == []


def test_an_errored_attempt_is_owed_again_under_the_next_number():
    assert pending(3, stored(1, error="server: no"), stored(3)) == [(2, None), (4, "e1")]


def test_an_errored_attempt_is_not_owed_where_enough_others_count():
    assert pending(1, stored(1), stored(2, error="sandbox: no")) == []
    late = [stored(number, error="sandbox: no") for number in (3, 4)]
    assert pending(1, stored(1), stored(2), *late) == []
    erred = [stored(number, error="sandbox: no") for number in (2, 3)]
    assert pending(2, stored(1), *erred) == [(4, "e2")]


def test_one_that_was_made_again_is_not_owed_again():
    assert pending(2, stored(1, error="sandbox: no"), stored(2), stored(3, "e1")) == []
    assert pending(2, stored(1, error="sandbox: no"), stored(2), stored(3, "e1", "timeout: no")) == [
        (4, "e3")
    ]


def test_what_would_only_fail_again_waits_for_the_next_collection():
    assert pending(1, stored(1, error="context: too long")) == [(2, "e1")]
    assert not may_retry("request: no such model") and may_retry("internal: KeyError: 'x'")


def test_more_attempts_than_before_take_numbers_that_are_free():
    assert pending(4, stored(1, error="server: no"), stored(2), stored(3, "e1")) == [(4, None), (5, None)]


def test_retries_never_take_the_number_of_a_first_try():
    ledger = AttemptLedger(TASK, 3)
    first, second, _ = ledger.take_pending()
    again = ledger.retry(second, "e2")
    assert (again.attempt, again.supersedes, again.tries) == (4, "e2", 2)
    assert ledger.retry(first, "e1").attempt == 5 and ledger.retry(again, "e4").attempt == 6


@given(st.integers(1, 6), st.data())
def test_however_often_it_is_cut_short_the_same_attempts_come_of_it(attempts: int, data: st.DataObject):
    store: list[StoredAttempt] = []
    for _ in range(20):
        due = AttemptLedger(TASK, attempts, store).take_pending()
        if not due:
            break
        drawn = data.draw(st.lists(st.sampled_from(due), unique_by=lambda one: one.attempt))
        store += [stored(one.attempt, one.supersedes) for one in drawn]
    else:
        store += [stored(one.attempt) for one in AttemptLedger(TASK, attempts, store).take_pending()]
    assert sorted(attempt.attempt for attempt in store) == list(range(1, attempts + 1))


def test_first_attempts_come_first():
    assert round_robin([["a1", "a2", "a3"], ["b1"], [], ["c1", "c2"]]) == ["a1", "b1", "c1", "a2", "c2", "a3"]
