"""The commands of the program, found by walking it, and what they are run with over a hostile store."""

from collections.abc import Iterator
from typing import Any

from eops_traj.cli.main import program

ARGUMENTS: dict[str, list[str]] = {
    "import": ["enterpriseops {file} --store {new}", "{name} {file} --store {new}"],
    "init": ["{store}", "{file}"],
    "config list": [""],
    "config show": ["{name}", "{config}"],
    "config schema": ["{name}", "filter"],
    "doctor": ["collect_expert --store {store} tasks.source={tasks}", "{config} --store {store}"],
    "collect": ["collect_expert --store {new} tasks.source={tasks} attempts=1", "{config} --store {new}"],
    "branch": ["collect_expert --store {store} tasks.source={tasks}", "{config} --store {store}"],
    "verify": ["--store {store}", "--store {store} --run {name}"],
    "score": [
        "--store {store}",
        "--store {store} --by model,domain,mode,run_id",
        "--store {store} --by {name}",
    ],
    "diagnose": ["--store {store}", "--store {store} --episode {episode}"],
    "filter": ["filter_all --store {store} --name {name}", "{config} --store {store} --name x"],
    "selections": ["--store {store}"],
    "why": [
        "{episode} --selection {selection} --store {store}",
        "{second} --selection {selection} --store {store}",
    ],
    "export": [
        "sft --store {store} --selection {selection} --out {new}",
        "atif --store {store} --selection {selection} --out {new}",
        "sft --store {store} --selection {selection} --out {new} --split {name}",
    ],
    "convert": ["{store} {new} --to atif", "{store} {new} --to enterpriseops", "{file} {new}"],
    "train": ["{config}", "train_tiny data={export} output={new}"],
    "merge": ["{model_folder}", "{export} --out {new}", "{name} --base {name}"],
    "compare": ["{model} {second_model} --store {store}", "{name} x --store {store}"],
    "rebench": ["{config}"],
    "lineage": ["{export} --store {store}", "{model_folder} --store {store}"],
    "leaks": ["{export} test --tasks {tasks} --store {store}", "{export} {name}"],
    "improve": [
        "{name} --tasks {tasks} --held-out {held} --work {new} --method {name}",
        "{model_folder} --tasks {tasks} --held-out {held} --work {new} --from {name}",
    ],
    "loop": ["--work {new} --from {name}"],
    "publish": [
        "{selection} --store {store} --to {new} --licence MIT --tasks {held} --policy {policy}",
        "{selection} --store {store} --to {new} --licence MIT --tasks {held} --policy {policy} --dry-run",
    ],
    "labels": ["--store {store}"],
    "report": ["--store {store} --out {new}.html", "--store {store} --out {new}.html --run {name}"],
    "view": ["--store {store} --port 0"],
    "schema": [""],
    "history": ["--store {store}"],
    "check": ["{store}"],
    "compact": ["--store {store}"],
    "vacuum": ["--store {store} --dry-run"],
    "gym serve": ["--server csm --port 0", "--server {name}", "--record {new} --tasks {name}"],
    "gym bridge": ["{name}"],
    "gym tools": ["--server csm", "--server {name}"],
    "gym stats": ["--server csm"],
    "gym check-seed": ["{config} --server csm", "{name}"],
    "gym env": [
        "{tasks} --split test --kind openenv --port 0",
        "{tasks} --kind {name}",
        "{name} --kind nemo-gym --split {name}",
    ],
    "gym rows": ["{tasks} --split test --out {new}", "{tasks} --split {name} --out {new}"],
    "gym call": ["get_accounts --server csm", "{name}", "find_user x={name} --server csm"],
    "models smollm": ["--out {export}"],
    "data quality": ["{export}", "{name} --split {name}"],
    "tasks make": ["--out {new} --suite {name}"],
    "tasks check": ["{tasks} --workers 1", "{name}"],
    "tasks attack": ["{tasks} --workers 1 --most 1", "{tasks} --kind {name}", "{name}"],
    "tasks audit": ["{tasks}", "{name}"],
    "tasks list": ["{tasks}", "{config}"],
    "tasks show": ["{tasks} {task}", "{tasks} {name}"],
    "tasks stats": ["{tasks}"],
    "tasks reword": ["{tasks} --model m --out {new} --tries 1 --limit 1", "{name} --model m --out {new}"],
    "tasks quality": ["{tasks} --requests 2", "{name}"],
    "tasks draft": ["{name}"],
}
"""What each command is run with; what stands in braces is filled in, hostile names among it."""


def commands() -> dict[str, Any]:
    """Return every command of the program by its name."""
    return dict(_commands(program(), ()))


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield " ".join(path), command
        return
    for name, inner in command.commands.items():
        yield from _commands(inner, (*path, name))


def runs(places: dict[str, str]) -> Iterator[list[str]]:
    """Yield every run of every command as arguments, with ``--json`` as well where a command has it.

    A command that no arguments are listed for is run with a store, and a hostile name for all else it needs.
    """
    for name, command in commands().items():
        options = {parameter.name for parameter in command.params}
        for line in ARGUMENTS.get(name, [_usual(command)]):
            for number, more in enumerate([[], ["--json"]] if "as_json" in options else [[]]):
                filled = {**places, "new": f"{places['new']}-{abs(hash((name, line)))}-{number}"}
                yield [*name.split(), *(word.format(**filled) for word in line.split()), *more]


def _usual(command: Any) -> str:
    """Return the arguments of a command that none are listed for."""
    needed = [parameter for parameter in command.params if parameter.required]
    values = [(parameter, "{store}" if parameter.name == "store" else "{name}") for parameter in needed]
    return " ".join(v if p.param_type_name == "argument" else f"{p.opts[0]} {v}" for p, v in values)
