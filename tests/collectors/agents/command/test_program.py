"""A program as an agent: it works a task over MCP, and whatever else it does ends as one honest episode."""

import os
import sys
import time
from asyncio.subprocess import Process
from dataclasses import replace
from typing import Any

import pytest

from eops_traj.collect.episode_recorder import Limits
from eops_traj.collectors.agents.command import program
from eops_traj.collectors.agents.command.options import CommandOptions
from eops_traj.errors import ConfigError, InputError
from eops_traj.tool_effects import is_write
from tests.collect.case_tasks import task
from tests.collectors.agents.command.programs import OFFICIAL, PLAIN, of_task, plain, running, shell, worked
from tests.waiting import eventually


@pytest.mark.parametrize("connect", ["http", "stdio"])
def test_an_agent_on_the_official_client_passes(connect: str) -> None:
    environment = ["PATH"]
    made = worked(sys.executable, str(OFFICIAL), connect=connect, environment=environment, model="small")
    assert (made.outcome, made.stop_reason, made.response) == ("success", "completed", "Case 5 is done.")
    look, write = made.tool_calls()
    assert look.result and write.changes and is_write(write.name) and write.server == "sn-csm-server"
    assert made.changeset and len(made.turns) == 3


def test_an_agent_that_needs_no_library_passes() -> None:
    made = plain()
    assert (made.outcome, [call.name for call in made.tool_calls()]) == (
        "success",
        ["find_case_slas", "update_case"],
    )


def test_one_that_only_talks_is_judged_as_anyone_who_talks() -> None:
    made = shell("cat >/dev/null; echo All done.")
    assert (made.outcome, made.error, made.response) == ("failure", None, "All done.")


LONG = f"{10_000_000 + os.getpid()}"  # seconds, by which its own sleepers are told from another run's
ENDLESS = f"sleep {LONG} & exec sleep {LONG}"
LEAVING = f"setsid sleep {LONG} & (setsid sh -c 'sleep {LONG}; true' &); echo Done."
MANY = "for n in 1 2 3 4 5 6 7 8 9; do sleep LONG & done; wait"


@pytest.mark.parametrize(
    ("script", "options", "error"),
    [
        ("yes", {"output_bytes": 100_000}, "program: it printed more than 100000 bytes"),
        ("yes >&2", {"output_bytes": 100_000}, "program: it printed more than 100000 bytes"),
        ("true", {}, "program: it ended without a call and without an answer"),
        ("echo thinking; echo no key >&2; exit 3", {}, "program: exit code 3: no key"),
        ("kill -9 $$", {}, "program: exit code 137"),
        (MANY, {"processes": 5}, "program: it ran more than 5 processes at a time"),
        ("head -c 2000 /dev/zero > out", {"answer": "out", "output_bytes": 1000},
         "program: it answered more than 1000 bytes"),
    ],
)  # fmt: skip
def test_what_is_no_work_is_an_error_with_its_cause(script: str, options: dict, error: str) -> None:
    begun = time.monotonic()
    made = shell(script.replace("LONG", LONG), **options)
    assert (made.outcome, made.error) == ("error", error) and made.success_strict is None
    assert time.monotonic() - begun < 90, "the 900 seconds that it may run are not waited for"
    assert not running(f"sleep {LONG}")


def test_one_that_never_ends_is_stopped_and_judged_as_it_stands() -> None:
    made = shell(ENDLESS, seconds=0.5)
    assert (made.stop_reason, made.outcome, made.error) == ("timeout", "failure", None)
    assert not running(f"sleep {LONG}")


def test_what_left_its_group_is_gone_as_well() -> None:
    made = shell(LEAVING)
    assert made.response == "Done." and not running(f"sleep {LONG}")


def test_a_guard_that_stands_still_leaves_nothing_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "_LAST", 0.1)
    made = shell(f"kill -STOP $PPID; sleep {LONG}", seconds=2)
    assert made.stop_reason == "timeout" and eventually(lambda: not running(f"sleep {LONG}"))


def test_one_that_prints_too_much_and_ends_at_once_has_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ended(process: Process, *_: Any) -> None:
        await process.wait()  # its end is seen first, and what it printed afterwards

    monkeypatch.setattr(program, "_first", ended)
    made = shell("head -c 2000 /dev/zero", output_bytes=1000)
    assert made.error == "program: it printed more than 1000 bytes"


def test_a_call_over_the_limit_ends_the_program_before_it_writes() -> None:
    made = plain(limits=Limits(turns=1))
    assert (made.stop_reason, made.outcome, made.error) == ("max_turns", "failure", None)
    assert [call.name for call in made.tool_calls()] == ["find_case_slas"]


def test_an_answer_after_as_many_calls_as_there_may_be_is_kept() -> None:
    made = plain(limits=Limits(turns=2))
    assert (made.stop_reason, made.outcome, made.response) == ("completed", "success", "Case 5 is done.")
    assert [len(turn.tool_calls) for turn in made.turns] == [1, 1, 0]


def test_its_environment_is_what_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_OURS", "x")
    monkeypatch.setenv("NAMED", "y")
    variables = {"WHERE": "{folder}/here"}
    made = shell("env", environment=["PATH", "NAMED"], variables=variables)
    shown = dict(line.split("=", 1) for line in made.response.splitlines())
    ours = {"HOME", "TMPDIR", "LANG", "EOPS_TRAJ_MCP_URL"}
    assert shown.keys() - {"PWD", "OLDPWD", "SHLVL", "_"} == ours | {"PATH", "NAMED", "WHERE"}
    assert shown["NAMED"] == "y" and shown["WHERE"] == shown["HOME"] + "/here"


def test_a_proxy_that_it_is_given_is_not_for_our_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "intern")
    made = plain(environment=["PATH", "http_proxy", "no_proxy"])
    assert made.outcome == "success"
    shown = shell("echo $no_proxy $NO_PROXY", environment=["PATH", "http_proxy", "no_proxy"]).response
    assert shown == "intern,127.0.0.1,localhost,::1 127.0.0.1,localhost,::1"


@pytest.mark.parametrize("argument", ["{prompt}", "{request}"])
def test_a_prompt_in_an_argument_is_not_on_standard_input(argument: str) -> None:
    made = worked("sh", "-c", 'cat; echo "$1"', "sh", argument)
    text = "Case 5 was reopened again: put its reopen count to 9."
    policy = "You look after the service desk. Look a record up before you change it.\n\n"
    assert made.response == (policy + text if argument == "{prompt}" else text)


def test_a_prompt_that_no_argument_can_hold_is_an_error_and_standard_input_holds_it() -> None:
    long = replace(task(), user_prompt="{folder} " * 40_000)
    made = of_task(long, "sh", "-c", "true", "{prompt}")
    assert made.error and made.error.startswith("program: it cannot be started: ")
    made = of_task(long, "sh", "-c", "grep -o folder | wc -l")
    assert made.response == "40000", "and what stands in it is the task's, no name of ours"


def test_the_answer_comes_from_a_file_and_a_pipe_is_none() -> None:
    assert shell("echo noise; echo Fine. > said", answer="said").response == "Fine."
    made = shell("echo noise; mkfifo said", answer="said")
    assert made.error == "program: it ended without a call and without an answer"
    made = shell("ln -s /etc/hostname said", answer="said")
    assert made.error == "program: it ended without a call and without an answer"


def test_another_session_is_out_of_reach() -> None:
    """An address is a secret of its program; with its end changed there is nothing."""
    script = 'export EOPS_TRAJ_MCP_URL=$(echo "$EOPS_TRAJ_MCP_URL" | sed "s/....mcp$/000\\/mcp/"); exec "$@"'
    made = worked("sh", "-c", script, "sh", sys.executable, str(PLAIN))
    assert made.error == "program: exit code 1: KeyError: 'result'"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"run": []}, "run"),
        ({"run": ["x"], "answer": "../up"}, "not in the program's own folder"),
        ({"run": ["x"], "environment": ["A=b"]}, "no variable's name"),
        ({"run": ["x"], "transcript": {"format": "nonsense", "files": "*"}}, "claude_code"),
        ({"run": ["x"], "seconds": 0}, "seconds"),
        ({"run": ["x"], "variables": {"KEY": "ghp_" + "0aB1" * 9}}, "name it in `environment`"),
    ],
)
def test_options_that_do_not_hold_are_refused(options: dict, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        worked(*options.pop("run"), **options)


KEY = "Kx7-internal-gateway-" + "9f2Lq"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--api-key", KEY],
        ["-v", f"--api-key={KEY}"],
        ["--token", KEY, "--last"],
        ["--key", KEY, "--last"],
        [f"--license-key={KEY}", "--last"],
        ["-H", f"x-api-key: {KEY}"],
        ["ghp_" + "0aB1" * 9],
    ],
)
def test_a_secret_among_the_arguments_is_refused_and_not_shown(arguments: list[str]) -> None:
    with pytest.raises(
        ConfigError, match=r"run: an argument has the shape of a secret .*in `environment`"
    ) as told:
        worked("prog", *arguments)
    assert not any(secret in str(told.value) for secret in (KEY, "0aB1"))


def test_a_secret_among_the_variables_is_not_shown() -> None:
    with pytest.raises(ConfigError, match="variables: ACME_API_KEY has the shape of a secret") as told:
        worked("x", variables={"ACME_API_KEY": KEY})
    assert KEY not in str(told.value)


def test_what_only_leads_to_a_secret_may_be_an_argument() -> None:
    run = (
        "prog", "--api-key", "{folder}/key9.txt", "--api-key-env", "ACME_API_KEY", "--max-tokens=4096",
        "--token", "--model", "gpt-5.1-codex-2", f"--session={KEY}", "--key", "$ACME_API_KEY", "--secret",
    )  # fmt: skip
    assert CommandOptions(run=run).run == run


@pytest.mark.parametrize(
    "options", [{"run": ["no-such-program"]}, {"run": ["sh"], "environment": ["UNSET_X"]}]
)
def test_a_program_that_cannot_be_started_is_bad_input(options: dict) -> None:
    with pytest.raises(InputError, match=r"no-such-program|environment: UNSET_X is not set"):
        worked(*options.pop("run"), **options)
