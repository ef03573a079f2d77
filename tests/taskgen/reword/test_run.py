"""A rewording from end to end, against an endpoint over HTTP that writes well, cheats and fails."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import count
from threading import Event

import pytest

from eops_traj.errors import FormatError, UnknownName, WorkError
from eops_traj.files import alone
from eops_traj.llm.options import client_options
from eops_traj.llm.retry import RetryPolicy
from eops_traj.taskgen.reword.run import Effort, reword
from eops_traj.tasks import find_tasks
from tests.endpoint import Answer, completion, endpoint
from tests.taskgen.reword.desk_tasks import CHEATS, GOOD, HELP, MOVE, TASKS, cheated, task_folder

QUICK = RetryPolicy(failures=3, pause=0.01)


def asked_for(received):
    """Return the request that a prompt holds."""
    [prompt] = [message["content"] for message in received.body["messages"]]
    return re.search(r"^---\n(.*?)\n---$", prompt, re.DOTALL | re.MULTILINE)[1]


def honest(received):
    return Answer(completion(GOOD[asked_for(received)]))


def client(served, **settings):
    return client_options({"kind": "openai_api", "model": "m-1", "base_url": served.url, **settings})


def run(served, journal, tries=1, at_once=4, **options):
    effort = Effort(tries=tries, at_once=at_once, workers=0, requests=QUICK)
    return reword(TASKS, None, client(served), journal, effort, **options)


def test_requests_are_reworded_and_say_by_what(tmp_path):
    with endpoint(honest) as served:
        outcome = run(served, tmp_path / "journal")
    assert (outcome.cases, outcome.reworded, outcome.asked, outcome.owed) == (3, 3, 3, 0)
    assert [t.task_id for t in outcome.tasks] == [t.task_id for t in TASKS]
    assert [t.user_prompt for t in outcome.tasks] == [GOOD[t.user_prompt] for t in TASKS]
    assert outcome.tasks[0].user_prompt == outcome.tasks[3].user_prompt  # the twins share theirs
    made = json.loads(outcome.tasks[1].details)["made"]["reworded"]
    assert (
        made["model"] == "m-1" and made["original"] == HELP and re.fullmatch("[0-9a-f]{16,}", made["prompt"])
    )
    assert [t.plan for t in outcome.tasks] == [t.plan for t in TASKS]


def test_a_writer_that_cheats_in_every_way_gets_nowhere(tmp_path):
    """Each request is asked for until its cheats are through; then an honest text is taken."""
    tricks = {request: [n for n in CHEATS if cheated(n) == request] for request in GOOD}
    turns = {request: count() for request in GOOD}

    def cheat(received):
        request, name = asked_for(received), None
        at = next(turns[request])
        if at < len(tricks[request]):
            name = tricks[request][at]
        return Answer(completion(CHEATS[name][1] if name else GOOD[request]))

    with endpoint(cheat) as served:
        outcome = run(served, tmp_path / "journal", tries=1 + len(CHEATS))
    assert outcome.reworded == 3 and [t.user_prompt for t in outcome.tasks] == [
        GOOD[t.user_prompt] for t in TASKS
    ]
    expected = [reason for reason, _ in CHEATS.values()]
    assert outcome.texts == {reason: expected.count(reason) for reason in expected}
    assert "Your last text could not be used (" in served.requests[-1].body["messages"][0]["content"]


def test_what_is_refused_stays_as_it_was_or_is_left_out(tmp_path):
    def stubborn(received):
        request = asked_for(received)
        return Answer(completion(CHEATS["JSON"][1] if request == HELP else GOOD[request]))

    with endpoint(stubborn) as served:
        kept = run(served, tmp_path / "journal", tries=2)
        again = run(served, tmp_path / "journal", tries=2, leave_out=True)
    assert kept.texts == {"form": 2} and kept.kept == {"form": 1} and kept.reworded == 2
    assert kept.tasks[1] == TASKS[1] and again.asked == 0
    assert [t.task_id for t in again.tasks] == ["move", "shift", "move_gone"]


def test_two_writers_that_say_the_same_are_told_apart(tmp_path):
    """The wording of another request is refused, whether that one is old or was just written."""
    with endpoint(lambda received: Answer(completion(GOOD[MOVE]))) as served:
        outcome = run(served, tmp_path / "journal", at_once=1)
    assert outcome.reworded == 1 and outcome.texts == {"alike": 2}


def test_a_reply_that_was_cut_off_is_no_text(tmp_path):
    body = completion(GOOD[HELP])
    body["choices"][0]["finish_reason"] = "length"
    with endpoint(Answer(body)) as served:
        outcome = run(served, tmp_path / "journal")
    assert outcome.reworded == 0 and outcome.texts["form"] == 3


def test_an_endpoint_that_fails_now_and_then_is_asked_again(tmp_path):
    with endpoint(
        Answer({"error": {"message": "busy"}}, status=500), Answer(b"<html>", status=502), honest
    ) as served:
        outcome = run(served, tmp_path / "journal", at_once=1)
    assert outcome.reworded == 3 and outcome.owed == 0 and len(served.requests) == 5


def test_requests_without_a_reply_are_owed_and_the_rest_is_not_asked_again(tmp_path):
    def fails_for_help(received):
        return Answer({}, status=500) if asked_for(received) == HELP else honest(received)

    with endpoint(fails_for_help) as served:
        outcome = run(served, tmp_path / "journal")
    assert (outcome.owed, outcome.reworded) == (1, 2) and "500" in outcome.failure
    with endpoint(honest) as served:
        outcome = run(served, tmp_path / "journal")
        assert [asked_for(received) for received in served.requests] == [HELP]
    assert outcome.reworded == 3 and outcome.asked == 1


def test_a_wrong_key_stops_it_at_once(tmp_path):
    with endpoint(Answer({"error": {"message": "who are you"}}, status=401)) as served:
        outcome = run(served, tmp_path / "journal", at_once=1)
        assert len(served.requests) == 1
    assert outcome.owed == 3 and "who are you" in outcome.failure


def test_a_journal_that_was_cut_off_is_gone_on_with(tmp_path):
    """Half a line at the end is dropped; a reply without its verdict is judged, not asked for again."""
    with endpoint(honest) as served:
        run(served, tmp_path / "journal")
    lines = (tmp_path / "journal").read_text().splitlines(keepends=True)
    replies = [line for line in lines if '"text"' in line]
    (tmp_path / "journal").write_text(lines[0] + replies[0] + replies[1] + '{"case": "ab')
    with endpoint(honest) as served:
        outcome = run(served, tmp_path / "journal")
    assert outcome.asked == 1 and outcome.reworded == 3


def test_a_reply_with_any_end_of_line_of_unicode_is_gone_on_with(tmp_path):
    """`str.splitlines` knows more ends than JSON Lines do: all that was paid for would be lost."""
    body = completion(GOOD[HELP] + "".join(map(chr, (0x85, 0x1C, 0x2028, 0x2029))) + "Thank you.")
    with endpoint(Answer(body)) as served:
        first = run(served, tmp_path / "journal")
        again = run(served, tmp_path / "journal")
    assert first.asked == 3 and (again.asked, again.texts) == (0, first.texts)


def test_a_task_that_is_no_use_ends_it_in_one_error_and_keeps_the_replies(tmp_path):
    """The others are asked for at the same time: what they cost is not thrown away."""
    tasks = [replace(TASKS[1], plan="Do it."), TASKS[0], TASKS[3], TASKS[2]]
    with endpoint(honest) as served:
        for _ in range(2):
            with pytest.raises(FormatError, match="gold plan of help: line 1"):
                reword(tasks, None, client(served), tmp_path / "journal", Effort(workers=0))
    kept = (tmp_path / "journal").read_text().count('"text"')
    assert kept == len(served.requests)


def test_a_full_disk_ends_it_in_one_error(tmp_path, monkeypatch):
    written = count()

    def full_after_one_line(file):
        if next(written):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("eops_traj.taskgen.reword.journal.os.fsync", full_after_one_line)
    with endpoint(honest) as served, pytest.raises(OSError, match="No space left"):
        run(served, tmp_path / "journal")


def test_a_server_that_the_gym_lacks_is_named_by_the_processes_that_judge(tmp_path):
    lacking = [replace(task, servers=(replace(task.servers[0], name="sn-far-server"),)) for task in TASKS]
    with endpoint(honest) as served, pytest.raises(UnknownName, match="sn-far-server"):
        reword(lacking, None, client(served), tmp_path / "journal", Effort(workers=1))


def killed(case, root):
    """What the system does to a process that takes too much memory."""
    os._exit(9)


def test_a_judge_that_was_killed_is_told_of(tmp_path, monkeypatch):
    monkeypatch.setattr("eops_traj.taskgen.reword.run.facts_to_keep", killed)
    with endpoint(honest) as served, pytest.raises(WorkError, match="a worker process was killed"):
        reword(TASKS, None, client(served), tmp_path / "journal", Effort(workers=1))


def test_a_journal_of_something_else_is_refused(tmp_path):
    with endpoint(honest) as served:
        run(served, tmp_path / "journal")
        with pytest.raises(FormatError, match="tasks differ"):
            reword(TASKS[:2], None, client(served), tmp_path / "journal", Effort(workers=0))
        with pytest.raises(FormatError, match="model differ"):
            reword(TASKS, None, client(served, model="m-2"), tmp_path / "journal", Effort(workers=0))
        (tmp_path / "journal").write_text("a diary\n")
        with pytest.raises(FormatError, match="no journal"):
            run(served, tmp_path / "journal")


def arguments(tasks, out, served, *more):
    of_client = [f"base_url={served.url}", "--model", "m-1", "--no-seeds", "--at-once", "1", "--workers", "1"]
    return ["tasks", "reword", str(tasks), *of_client, "--out", str(out), *more]


def test_the_command_writes_a_folder_of_tasks(tmp_path, cli):
    folder, out = task_folder(tmp_path / "tasks"), tmp_path / "out"
    with endpoint(honest) as served:
        ran = cli(*arguments(folder, out, served, "--json"))
        assert ran.code == 0 and json.loads(ran.out)["reworded"] == 3, ran.err
        again = cli(*arguments(folder, out, served))
        assert again.code == 2 and "is not empty" in again.err and len(served.requests) == 3
    assert {t.user_prompt for t in find_tasks(str(out))} == set(GOOD.values())
    assert json.loads((out / "suite.json").read_text())["reworded"] == 3
    assert not list(tmp_path.glob(".*.journal"))


def test_the_command_tells_what_failed(tmp_path, cli):
    folder, out = task_folder(tmp_path / "tasks"), tmp_path / "out"
    with endpoint(Answer({}, status=400)) as served:
        ran = cli(*arguments(folder, out, served))
        assert ran.code == 1 and "3 of 3 requests got no reply" in ran.err and not out.exists()
        bad = cli(*arguments(folder, out, served, "--kind", "telepathy"))
        assert bad.code == 2 and "unknown kind of client 'telepathy'" in bad.err
        assert cli(*arguments(folder, out, served, "--domain", "hr")).code == 2
        assert len(served.requests) == 1  # the first told that all would fail
    with endpoint(Answer(completion("Sure!"))) as served:
        ran = cli(*arguments(folder, out, served, "--tries", "1"))
        assert ran.code == 1 and "none of 3 requests was reworded; texts refused: form 3" in ran.err


def test_while_one_rewords_into_a_folder_another_asks_for_nothing(tmp_path, cli):
    folder, out = task_folder(tmp_path / "tasks"), tmp_path / "out"
    with endpoint(honest) as served, alone(tmp_path / ".out.journal.lock", "held"):
        ran = cli(*arguments(folder, out, served))
        assert ran.code == 2 and "another process rewords into" in ran.err and not served.requests


@pytest.mark.slow
def test_after_kill_9_nothing_is_asked_twice(tmp_path):
    folder, out, journal = task_folder(tmp_path / "tasks"), tmp_path / "out", tmp_path / ".out.journal"

    asked, killed = Event(), Event()

    def held(received):
        asked.set()
        killed.wait(300)
        return honest(received)

    with endpoint(honest, held, honest) as served:
        command = [sys.executable, "-m", "eops_traj.cli", *arguments(folder, out, served)]
        process = subprocess.Popen(command, start_new_session=True)
        while not asked.wait(0.1):
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        killed.set()
        assert journal.read_text().count('"text"') == 1
        subprocess.run(command, check=True)
    first, second, *after = map(asked_for, served.requests)
    assert len(after) == 2 and second in after and first not in after
    assert {t.user_prompt for t in find_tasks(str(out))} == set(GOOD.values())
