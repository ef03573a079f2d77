"""Ranks share work out, agree on results, and of an error one says what it is."""

import os
import socket
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.errors import InputError, WorkError
from eops_traj.train.ranks import ALONE, Quiet, Ranks, join_ranks, joined_ranks, launched, speaks
from tests.train.threaded_ranks import on_ranks


@given(total=st.integers(0, 9), count=st.integers(1, 5))
def test_shares_are_all_of_it_once_and_come_together_in_order(total: int, count: int) -> None:
    items = list(range(total))
    shares = [Ranks(index, count).share(items) for index in range(count)]
    assert sorted(item for share in shares for item in share) == items
    assert max(map(len, shares)) == Ranks(0, count).longest_share(total) <= min(map(len, shares)) + 1


@pytest.mark.parametrize("total", [1, 2, 5])
def test_what_becomes_of_shares_comes_together_in_order_on_every_rank(total: int) -> None:
    items = list(range(total))
    results = on_ranks(3, lambda ranks: ranks.together([n * n for n in ranks.share(items)], total))
    assert results == [[n * n for n in items]] * 3


@pytest.mark.parametrize("count", [1, 2])
def test_a_share_that_lacks_an_item_is_an_error(count: int) -> None:
    results = on_ranks(count, lambda ranks: ranks.together(ranks.share([1, 2])[1:], 2))
    assert [type(each) for each in results] == [ValueError] * count


def test_what_the_first_rank_does_all_have() -> None:
    did = []
    assert on_ranks(3, lambda ranks: ranks.from_first(lambda: did.append(ranks.index) or "it")) == ["it"] * 3
    assert did == [0]


def refuse(ranks: Ranks, *who: int) -> int:
    if ranks.index in who:
        raise WorkError(f"rank {ranks.index} cannot")
    return ranks.index


def test_an_error_of_the_first_rank_ends_all_and_one_says_it() -> None:
    said, *others = on_ranks(3, lambda ranks: ranks.from_first(lambda: refuse(ranks, 0)))
    assert isinstance(said, WorkError)
    assert [(type(each), each.code) for each in others] == [(Quiet, WorkError.exit_code)] * 2
    assert [each.speaker for each in others] == [("threads", 0)] * 2


def test_an_error_of_any_rank_ends_all_and_the_lowest_says_it() -> None:
    assert on_ranks(2, lambda ranks: ranks.agreed(lambda: refuse(ranks))) == [0, 1]
    first, said, last = on_ranks(3, lambda ranks: ranks.agreed(lambda: refuse(ranks, 1, 2)))
    assert str(said) == "rank 1 cannot" and isinstance(first, Quiet) and isinstance(last, Quiet)
    assert first.speaker == last.speaker == ("threads", 1)


def test_a_rank_without_a_word_ends_after_the_one_that_says_the_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The launcher would end that one, unheard."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as speaker:
        monkeypatch.setattr("eops_traj.train.ranks.time.sleep", lambda seconds: speaker.communicate())
        with pytest.raises(Quiet), joined_ranks():
            raise Quiet(1, (socket.gethostname(), speaker.pid))
        assert speaker.returncode == 0


def test_for_a_rank_of_another_machine_or_one_that_never_ends_none_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("eops_traj.train.ranks.time.sleep", lambda seconds: pytest.fail("it waits"))
    Quiet(1, ("elsewhere", os.getppid())).wait()
    monkeypatch.setattr("eops_traj.train.ranks.LAST_WORD", 0.0)
    Quiet(1, (socket.gethostname(), os.getppid())).wait()


def test_for_one_that_has_ended_or_has_its_own_number_none_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A launcher may see only later that a rank has ended; containers of one name number theirs alike."""
    monkeypatch.setattr("eops_traj.train.ranks.time.sleep", lambda seconds: pytest.fail("it waits"))
    with subprocess.Popen(["true"]) as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        for pid in (ended.pid, os.getpid()):
            Quiet(1, (socket.gethostname(), pid)).wait()


def test_a_process_without_a_launcher_is_alone_and_says_its_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOCAL_RANK", "WORLD_SIZE", "RANK"):
        monkeypatch.delenv(name, raising=False)
    assert not launched() and speaks() and join_ranks() == ALONE and ALONE.from_first(lambda: 3) == 3
    with pytest.raises(InputError, match="no"):
        ALONE.agreed(lambda: (_ for _ in ()).throw(InputError("no")))
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    assert launched()
    monkeypatch.setenv("RANK", "1")
    assert not speaks()


@pytest.mark.slow
def test_ranks_that_are_processes_do_the_same() -> None:
    code = (
        "import time\n"
        "from torch.distributed import is_initialized\n"
        "from eops_traj.train.ranks import joined_ranks\n"
        "with joined_ranks() as ranks:\n"
        "    with joined_ranks() as again: assert again == ranks\n"
        "    assert is_initialized()\n"  # only the outermost parts
        "    whole = ranks.together([n * n for n in ranks.share(range(3))], 3)\n"
        "    assert whole == [0, 1, 4] and ranks.from_first(lambda: ranks.index) == 0\n"
        "    try: ranks.agreed(lambda: [1][ranks.index])\n"  # an error of the second rank alone
        "    except IndexError: time.sleep(3); raise"  # long after the first has heard of it
    )
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    ran = subprocess.run(
        [*launch, "--no_python", sys.executable, "-c", code], capture_output=True, text=True, check=False,
        timeout=300, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert ran.returncode == 1 and ran.stderr.count("IndexError: list index out of range") == 1
    assert "AssertionError" not in ran.stderr
