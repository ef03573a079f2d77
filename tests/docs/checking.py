"""Checks of commands that are not run: each exists with its options, and config overrides parse."""

import re
import shlex
import tomllib
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from eops_traj.cli.main import program
from eops_traj.config import checked, find_config, overridden, read_settings
from tests.docs.pages import ROOT, Block, commands

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MARKERS = {line.partition(":")[0] for line in PROJECT["tool"]["pytest"]["ini_options"]["markers"]}
ASSIGNED = re.compile(r"[A-Z_]+=\S*")
SUBSTITUTED = re.compile(r"[A-Z_]+=\$\((.+)\)")
REDIRECTED = re.compile(r" > \S+")


def check(block: Block) -> None:
    """Check every command of a block without running it. Raises where one cannot be meant seriously."""
    if block.language == "python":
        compile(block.text, block.where, "exec")
        return
    for command in commands(block):
        for part in SUBSTITUTED.sub(r"\1", command).split("&&"):
            words = shlex.split(REDIRECTED.sub("", part), comments=True)
            while words and ASSIGNED.fullmatch(words[0]):
                words.pop(0)
            if words:
                assert words[0] in PROGRAMS, f"{block.where}: nothing is known of {words[0]!r}"
                PROGRAMS[words[0]](words[1:])


def parse(words: list[str]) -> tuple[str, dict[str, Any]]:
    """Parse the words of our program: its command and parameters. Raises where it would not take them."""
    command: Any = program()
    name: list[str] = []
    while hasattr(command, "commands"):
        assert words and words[0] in command.commands, f"no command {' '.join([*name, *words[:1]])!r}"
        name.append(words[0])
        command, words = command.commands[words[0]], words[1:]
    return " ".join(name), command.make_context(name[-1], list(words)).params


def _check_own(words: list[str]) -> None:
    name, parameters = parse(words)
    if name in CONFIGS and parameters["config"] is not None:  # doctor goes without one
        CONFIGS[name](parameters["config"], parameters["overrides"] or ())


def _check_collect(config: str, overrides: Any) -> None:
    from eops_traj.collect.config import load_setup
    from eops_traj.harness.job import find_harness_config

    if find_harness_config(config, overrides) is None:
        load_setup(config, overrides)


def _check_train(config: str, overrides: Any) -> None:
    from eops_traj.instances import load_module

    settings = _settings("train", config, overrides)
    checked(load_module("recipe", settings["recipe"]).Config, settings, config)


def _check_rebench(config: str, overrides: Any) -> None:
    from eops_traj.recipes import rebench

    checked(rebench.Config, _settings("rebench", config, overrides), config)


def _settings(kind: str, config: str, overrides: Any) -> dict[str, Any]:
    return overridden(read_settings(find_config(kind, config)), overrides, config)


CONFIGS = {
    **dict.fromkeys(("collect", "doctor", "branch"), _check_collect),
    "train": _check_train,
    "rebench": _check_rebench,
}
"""The commands that take a config with overrides, and how both are read."""


def _check_pip(words: list[str]) -> None:
    extras = {
        extra for word in words for group in re.findall(r"\[(.+)\]", word) for extra in group.split(",")
    }
    assert extras <= set(PROJECT["project"]["optional-dependencies"]), f"no such extras: {extras}"


def _check_python(words: list[str]) -> None:
    if words[:1] == ["-m"]:
        assert find_spec(words[1]), f"no module {words[1]}"
    _check_files(words)


def _check_pytest(words: list[str]) -> None:
    if "-m" in words:
        assert words[words.index("-m") + 1] in MARKERS, f"no marker {words}"


def _check_files(words: list[str]) -> None:
    """Check that what looks like a file of this project is one."""
    ours = [word for word in words if re.match(r"(configs|docker|recipes|benchmarks|docs)/", word)]
    missing = [word for word in ours if not (ROOT / word).exists()]
    assert not missing, f"no such files: {missing}"


PROGRAMS: dict[str, Callable[[list[str]], None]] = {
    "eops-traj": _check_own,
    "pip": _check_pip,
    "uv": _check_pip,
    "python": _check_python,
    "pytest": _check_pytest,
    "docker": _check_files,
    "accelerate": _check_files,
    "hf": _check_files,
    "export": _check_files,
    "ls": _check_files,
    **dict.fromkeys(("cd", "ollama", "vllm"), lambda words: None),
}
"""The programs that a page may call, and how each call is checked."""
