"""Every mistake that a newcomer makes is answered in one line that names what was given, or the choices.

The table is the list of mistakes, by kind: a wrong path, key, value, name, port or endpoint, an empty
input, an overwrite. None ends in a traceback, none is silent, and none leaves anything behind.
"""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.collect.case_tasks import write_tasks
from tests.conftest import FIXTURES, Ran
from tests.made import run_command

DEAD = "http://127.0.0.1:9/v1"
NO_STORE = "make one"
NO_EXTRA = "pip install 'eops-traj["
NO_TASKS = "`eops-traj init DIR`"
READERS = (
    "score", "diagnose", "report", "view", "history", "compact", "selections", "verify", "compare a b",
    "filter filter_sft --name x", "why e --selection s", "export sft --selection s --out o",
)  # fmt: skip
"""Commands that read a store."""
MISTAKES: dict[str, list[tuple[str, str]]] = {
    "path": [
        *((f"{name} --store nowhere", NO_STORE) for name in READERS),
        ("check nowhere", "no store at nowhere"),
        ("score --store notes.txt", NO_STORE),
        ("score --store suite", NO_STORE),
        ("collect nowhere.yaml --store s", "collect_openai"),
        ("collect collect_expert --store s tasks.source=nowhere", NO_TASKS),
        ("collect collect_expert --store s tasks.source=notes.txt", "not JSON"),
        ("collect collect_expert --store s tasks.seeds=nowhere", "expected a folder or a zip"),
        ("collect collect_expert --store notes.txt", "neither a store nor an empty folder"),
        ("collect collect_expert --store suite", "neither a store nor an empty folder"),
        ("doctor nowhere.yaml", "collect_openai"),
        ("import enterpriseops nowhere --store s", "nowhere does not exist"),
        ("import enterpriseops notes.txt --store s", "nothing was imported"),
        ("import enterpriseops suite --store s", "not a result file"),
        ("train nowhere.yaml", "train_tiny"),
        ("train train_tiny data=nowhere", "`eops-traj export FORMAT` makes one"),
        ("train train_tiny data=suite", "`eops-traj export FORMAT` makes one"),
        ("rebench nowhere.yaml", "rebench_test"),
        ("tasks list nowhere", NO_TASKS),
        ("tasks check nowhere", NO_TASKS),
        ("tasks audit suite --seeds nowhere", "expected a folder or a zip"),
        ("lineage nowhere", "is no checkpoint"),
        ("leaks nowhere test --tasks suite", "neither an export"),
        ("data quality nowhere", "`eops-traj export FORMAT` makes one"),
        ("merge nowhere", "is no checkpoint"),
        ("convert nowhere out", "nowhere does not exist"),
        ("collect collect_planner --store s models.planner.path=nowhere", "nowhere"),
        ("gym check-seed nowhere.sql", "nowhere.sql: No such file"),
        ("publish sft --store nowhere --to pub --licence MIT", NO_STORE),
        ("init notes.txt/w", "notes.txt is a file"),
        ("tasks make --suite quick --out notes.txt/t", "notes.txt is a file"),
        ("export sft --store store --selection sft --split none --out notes.txt/o", "notes.txt is a file"),
        ("convert store notes.txt/x --to atif", "notes.txt is a file"),
        ("publish sft --store store --to notes.txt/p --licence MIT", "notes.txt is a file"),
        ("collect collect_expert --store a%20b", "Delta tables take no %20"),
        ("merge suite", "is no checkpoint"),
        ("score --store ''", "no store at ''"),
        ("check suite", "no store at suite"),
        ("filter notes.txt --store store --name x", "needs one key, rules"),
        ("data quality notes.txt", "notes.txt is no export"),
        ("tasks stats notes.txt", "notes.txt: not JSON"),
        ("tasks list store", "store is a store, and no folder of tasks"),
        ("tasks list others", "; and 37 more"),
    ],
    "key": [
        ("collect collect_expert --store s attemps=3", "unknown key 'attemps'; choose from tasks"),
        ("collect collect_expert --store s tasks.split=[test]", "choose from source"),
        ("collect collect_expert --store s attempts", "not of the form key=value"),
        ("collect collect_openai --store s models.executor.api_key=x", "api_key_env"),
        ("collect collect_openai --store s sandbox.kinds=x", "kinds"),
        ("train train_tiny epoch=3", "unknown key 'epoch'; choose from"),
        ("rebench rebench_test model=m tasks.split=[test]", "unknown key 'tasks.split'; choose from"),
        ("export sft --store store --selection sft --split none --out o -o nope=1", "takes no options"),
        ("score --store store --by domian", "unknown key 'domian'; choose from"),
        ("gym call find_user nme=x", "no argument 'nme'; its arguments: name"),
    ],
    "value": [
        ("collect collect_expert --store s attempts=three", "'three'"),
        ("collect collect_expert --store s attempts=0", "greater than 0, not 0"),
        ("collect collect_expert --store s orchestrator.rate=5", "less than or equal to 1, not 5"),
        ("collect collect_openai --store s models.executor.base_url=localhost:8000", "http:// or https://"),
        ("collect collect_expert --store s --limit 0", "greater than or equal to 1"),
        ("train train_tiny scratch.hidden=64", "hidden is a multiple of heads"),
        ("train train_tiny learning_rate=fast", "'fast'"),
        ("filter filter_sft --store store --name ''", "a selection needs a name"),
        ("score --store store --k 0", "1 or more, not 0"),
        ("vacuum --store store --days -1", "from 0 to 36500, not -1"),
        ("gym call find_user --server csm --seed x", "valid integer"),
        ("view --store store --port abc", "valid integer"),
        ("gym serve --server hr --port 99999", "65535"),
        ("tasks show suite", "Missing argument 'ID'"),
        ("tasks make --tasks 3 --out t", "greater than or equal to 8"),
        ("tasks make --tasks 8 --out t --seed 9223372036854776", "from 0 to 9223372036854774, not 922"),
        ("init w --tasks 8 --seed 9223372036854776", "from 0 to 9223372036854774, not 9223372036854776"),
        ("tasks list suite:quick@9223372036854776", "from 0 to 9223372036854774, not 9223372036854776"),
        ("tasks list suite:quick@99999999999999999", "the seed is a number from 0 to 9223372036854774"),
        ("loop --work l --seed 4294967296", "4294967295"),
        ("loop --work l --seed -1", "greater than or equal to 0"),
        ("improve m --tasks suite --held-out suite --seed 4294967296", "4294967295"),
        ("train train_tiny seed=4294967296", "4294967295"),
        ("view --store store --port 99999", "65535"),
        ("report --store store --pair one", "BEFORE,AFTER"),
        ("publish sft --store store --to pub --licence WTF", "such as Apache-2.0"),
        ("collect bad.yaml --store s", "not readable as YAML"),
        ("collect list.yaml --store s", "needs keys with values"),
        ("compare a b --store store --margin 7", "between 0 and 1"),
    ],
    "name": [
        ("collects", "Did you mean"),
        ("data quality nowhere --split tset", "unknown split 'tset'; choose from dev, none"),
        ("tasks make --suite quick --tasks 8 --out notes.txt/t", "notes.txt is a file"),
        ("filter one_split.yaml --store store --name x", "unknown split 'tset'; choose from dev, none"),
        ("collect collect_opnai --store s", "collect_openai"),
        ("collect collect_expert --store s tasks.splits=[tests]", "unknown split 'tests'; choose from"),
        ("collect collect_expert --store s tasks.domains=[hrr]", "unknown domain 'hrr'; choose from"),
        ("collect collect_expert --store s tasks.mode=orcale", "unknown mode 'orcale'; choose from"),
        ("collect collect_expert --store s tasks.source=suite:quikc", "choose from default"),
        ("collect collect_expert --store s tasks.source=hub:nope", "give hub:ORG/NAME"),
        ("collect collect_expert --store s orchestrator.name=expret", "choose from"),
        ("collect collect_openai --store s models.executor.kind=openai", "choose from"),
        ("collect collect_openai --store s sandbox.kind=docker", "'embedded', 'remote', 'fleet'"),
        ("branch collect_expert --store store --at nowhere", "choose from divergence"),
        ("filter filter_sfft --store store --name x", "filter_sft"),
        ("export sfft --store store --selection sft --out o", "choose from"),
        ("export sft --store store --selection nope --out o", "choose from sft"),
        ("export sft --store store --selection sft --split tests --out o", "choose from dev"),
        ("export sft --store store --selection sft --out o", "--split none"),
        ("compare a b --store store", "choose from"),
        ("report --store store --out new/folder/r.html --run nope", "unknown run 'nope'"),
        ("diagnose --store store --episode nope", "no episode 'nope'"),
        ("why nope --selection sft --store store", "'nope' is not among"),
        ("why nope --selection nope --store store", "choose from sft"),
        ("score --store store --errors none", "choose from out, zero"),
        ("gym call list_user", "did you mean list_users"),
        ("gym serve", "--server NAME"),
        ("gym tools --server crm", "choose from calendar"),
        ("tasks make --suite quik --out t", "choose from default"),
        ("tasks show suite hr_train_0_9999", "unknown task"),
        ("tasks draft hr.nope", "did you mean"),
        ("tasks attack suite --kind nope", "choose from"),
        ("convert store out.xyz --to sft", "unknown format 'sft'; choose from"),
        ("convert store out --to atfi", "choose from"),
        ("gym call update_case case_id=35 state=shut --server hr", "unknown tool 'update_case'"),
        ("publish nope --store store --to pub --licence MIT", "choose from sft"),
        ("loop --from nope --work l", "choose from"),
        ("config show nope", "choose from"),
        ("config schema nope", "choose from collect"),
        ("import nethack suite --store s", "choose from"),
    ],
    "endpoint": [
        ("collect collect_openai --store s models.executor.base_url=http://localhost:99999/v1", "65535"),
        ("collect collect_openai --store s models.executor.base_url=http://localhost:80x/v1", "'80x'"),
        (f"collect collect_openai --store s models.executor.base_url={DEAD}", f"nothing answers at {DEAD}"),
        (f"doctor collect_openai models.executor.base_url={DEAD}", f"nothing answers at {DEAD}"),
        ("collect collect_openai --store s", "OPENAI_API_KEY is not set"),
        ("score --store s3://127.0.0.1/x", "s3://127.0.0.1/x"),
    ],
    "empty": [
        ("import enterpriseops empty --store s", "no files to import in empty"),
        ("import atif none.json --store s", "no episode in none.json: nothing was imported"),
        ("tasks check empty", "empty holds no tasks"),
        ("collect collect_expert --store s tasks.source=empty", "empty holds no tasks"),
        ("collect nothing.yaml --store s", "needs keys with values"),
        ("filter filter_all --store store --name x", "is empty and was not saved"),
        ("score --store empty", NO_STORE),
        ("train train_tiny data=empty", "`eops-traj export FORMAT` makes one"),
    ],
    "overwrite": [
        ("init suite", "is not empty"),
        ("init notes.txt", "is a file"),
        ("tasks make --out suite", "is not empty"),
        ("export sft --store store --selection sft --split none --out suite", "is not empty"),
        ("publish sft --store store --to suite --licence MIT", "is there already"),
        ("report --store store --out suite", "it ends in .html"),
        ("report --store store --out notes.txt", "it ends in .html"),
        ("tasks make --suite quick --out notes.txt", "notes.txt is a file"),
        ("export sft --store store --selection sft --split none --out notes.txt", "notes.txt is a file"),
        ("convert store notes.txt --to atif", "notes.txt exists; choose another name"),
        ("convert store suite --to atif", "suite is not empty"),
    ],
}  # fmt: skip
TABLE = [(kind, line, said) for kind, rows in MISTAKES.items() for line, said in rows]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tasks, a store of imported files, a selection, and files that are of no use."""
    folder = tmp_path_factory.mktemp("mistakes") / "w"
    write_tasks(folder / "suite", 3)
    for name in ("empty", "others"):
        (folder / name).mkdir()
    for number in range(40):
        (folder / "others" / f"{number}.json").write_text("{}")
    for name, text in {
        "notes.txt": "hello",
        "none.json": "[]",
        "bad.yaml": "a: [1",
        "list.yaml": "- 1",
        "nothing.yaml": "",
        "one_split.yaml": "rules: [{split: {one_of: [train, tset]}}]",
    }.items():
        (folder / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run_command("import", "enterpriseops", FIXTURES / "results", "--store", "store")
        run_command("filter", "filter_imported", "--store", "store", "--name", "sft")
    return folder


@pytest.mark.parametrize(("kind", "line", "said"), TABLE, ids=[line for _, line, _ in TABLE])
def test_a_mistake_is_one_line_that_says_what_to_do(
    kind: str, line: str, said: str, place: Path, cli: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    before = sorted(path.name for path in place.iterdir())
    ran = cli(*shlex.split(line))
    last = ran.err.strip().splitlines()[-1]
    said = (
        NO_EXTRA if NO_EXTRA in ran.err else said
    )  # in an environment without it, that is what to mend first
    assert ran.code == 2 and said in ran.err and "Traceback" not in ran.err, ran.err
    assert last.startswith(("eops-traj: ", "Error: ")) and "\\x1b" not in last
    assert sorted(path.name for path in place.iterdir()) == before


def test_the_table_is_of_all_kinds_and_long() -> None:
    assert len(TABLE) >= 143 and len({line for _, line, _ in TABLE}) == len(TABLE)
    assert set(MISTAKES) == {"path", "key", "value", "name", "endpoint", "empty", "overwrite"}
