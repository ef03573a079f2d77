"""Every command block of the documentation does what its page says."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from eops_traj.errors import ConfigError
from tests.docs.pages import PAGES, ROOT, Block, blocks
from tests.docs.running import Reader

CHECKOUT = ("docs/extending.md",)
"""Pages that change the code: they are followed in a copy of it."""
TUTORIALS = ("docs/measure.md", "docs/harvest.md", "docs/finetune.md", "docs/own_server.md")
"""Pages that are followed in a working folder (tests/workspace/test_tutorials.py)."""
CONTRACTS = (
    "tests/test_architecture.py",
    "tests/test_tool_effects.py",
    "tests/docs/test_complete.py",
    "tests/filters/test_contract.py",
    "tests/export/test_run.py",
    "tests/collectors/agents/test_agents.py",
    "tests/collectors/clients/test_clients.py",
    "tests/gym/test_contract.py",
    "tests/gym/test_one_company.py",
    "tests/taskgen/test_contract.py",
    "tests/verify",
    "tests/report/test_figures.py",
)
"""The tests that hold for every part there is; they still do after the page has added one of each kind."""
LONG = [page for page in PAGES if page in CHECKOUT or any(block.mark == "slow" for block in blocks(page))]
UNKNOWN_OPTION = typer.BadParameter.__bases__[0]
"""click's error of usage, of whichever click typer runs on."""
IGNORED = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__")


def follow(page: str, monkeypatch: pytest.MonkeyPatch, folder: Path, *, slow: bool) -> None:
    """Follow a page in a folder of its own; without ``slow``, it is only checked from a slow block on."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "110")
    reader = Reader(folder, checkout=page in CHECKOUT)
    for block in blocks(page):
        reader.only_checks |= block.mark == "slow" and not slow
        reader.follow(block)


@pytest.mark.parametrize("page", [page for page in PAGES if page not in (*CHECKOUT, *TUTORIALS)])
def test_a_page_can_be_followed(page: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    follow(page, monkeypatch, tmp_path, slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("page", LONG)
def test_a_long_page_can_be_followed(page: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    if page in CHECKOUT:
        shutil.copytree(ROOT, folder, symlinks=True, ignore=IGNORED)
    else:
        folder.mkdir()
        (folder / "tests").symlink_to(ROOT / "tests")
    follow(page, monkeypatch, folder, slow=True)
    if page in CHECKOUT:
        contracts_hold(folder)


def contracts_hold(folder: Path) -> None:
    """Run the contract tests of a changed checkout; of the families' drafts only those of its own domain."""
    chosen = ["-k", "parking or hr or not (drafts or read_shows)", "-n", "2", "-q"]
    code = "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"  # and not the checkout that is installed
    ran = subprocess.run(
        [sys.executable, "-c", code, *CONTRACTS, *chosen],
        cwd=folder, env=os.environ | {"PYTHONPATH": str(folder)}, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-4000:]
    assert "parking" in (folder / "eops_traj" / "gym" / "registry.py").read_text(encoding="utf-8")


PAGE = """\
<!-- not run: needs a GPU -->
```sh
eops-traj score \\
  --store s
# a remark
eops-traj collect collect_expert --store s attempts=2
```

```python
print(1)
```

```text
...
```
"""


def test_blocks_know_their_marks_and_what_they_print() -> None:
    shell, python = blocks("page.md", PAGE)
    assert (shell.mark, shell.note, shell.line, shell.output) == ("not run", "needs a GPU", 2, None)
    assert (python.language, python.text, python.output) == ("python", "print(1)", "...")


@pytest.mark.parametrize(
    ("command", "error", "why"),
    [
        ("eops-traj scores --store s", AssertionError, "no command 'scores'"),
        ("eops-traj score --stores s", UNKNOWN_OPTION, "No such option: --stores"),
        ("eops-traj collect collect_expert --store s attempt=2", ConfigError, "unknown key 'attempt'"),
        ("eops-traj train train_tiny epoch=2", ConfigError, "unknown key 'epoch'"),
        ("eops-traj rebench rebench_test tasks.split=[test]", ConfigError, r"unknown key 'tasks\.split'"),
        ('pip install ".[gpu]"', AssertionError, "no such extras: {'gpu'}"),
        ("python -m benchmarks.nothing", AssertionError, r"no module benchmarks\.nothing"),
        ("pytest -m gpus", AssertionError, "no marker .*gpus"),
        ("accelerate launch recipes/none.py", AssertionError, "no such files: .*none"),
        ("rm -r store", AssertionError, "nothing is known of 'rm'"),
    ],
)
def test_a_command_that_cannot_work_is_refused_without_running_it(
    command: str, error: type[Exception], why: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=why):
        Reader(tmp_path).follow(Block("page.md", 1, "sh", command, "not run"))


@pytest.mark.parametrize(
    "text", ["eops-traj gym stats --json", "eops-traj gym stats  # exits with 1", "false"]
)
def test_the_output_of_a_block_and_its_exit_code_are_compared(text: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"page\.md:1"):
        Reader(tmp_path).follow(Block("page.md", 1, "sh", text, output="no such output"))
