"""The pictures of the README: the viewer on a fresh store, and the loop's result as docs/results.md has it.

Run it with ``python -m benchmarks.pictures SUITE``, the tasks of a folder that `eops-traj init` made. It
needs a chromium on the PATH and ``playwright``; nothing is drawn by hand.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
LOOPS = re.compile(r"<!-- measured: loop quick -->(.*?)<!-- /measured -->", re.DOTALL)
ROW = re.compile(r"\| (\w+) \| all \| strict pass@1 \| (\d+) \| \d+ \|" + r" ([\d.]+)% \|" * 3)
SIZE = {"width": 1280, "height": 760}


def results(page: str) -> dict[str, dict[str, list[float]]]:
    """Read the strict pass@1 of the loop from its page: by split and seed, each untrained, SFT, DPO."""
    rows: dict[str, dict[str, list[float]]] = {}
    for split, seed, *shares in ROW.findall("".join(LOOPS.findall(page))):
        rows.setdefault(split, {})[seed] = [float(share) for share in shares]
    return rows


def draw_loop(rows: dict[str, dict[str, list[float]]], path: Path) -> None:
    """Draw the seeds of each split as lines from untrained to trained."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3), dpi=130, layout="constrained")
    for axes, (split, seeds) in zip(figure.subplots(1, len(rows), sharey=True), rows.items(), strict=True):
        for seed, shares in seeds.items():
            axes.plot(("untrained", "SFT", "DPO"), shares, marker="o", label=f"seed {seed}")
        axes.set(title=split, ylim=(-4, 104))
        axes.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel("strict pass@1, %")
    figure.axes[-1].legend(frameon=False)
    figure.savefig(path)


def show_viewer(store: Path, path: Path) -> None:
    """Take a picture of the viewer's list over a store."""
    from playwright.sync_api import sync_playwright

    with served(store) as url, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        page.goto(f"{url}episodes")
        page.wait_for_load_state("networkidle")
        page.screenshot(path=path)
        browser.close()


class served:
    """The viewer of a store in a process of its own, at a free port."""

    def __init__(self, store: Path) -> None:
        command = [sys.executable, "-u", "-m", "eops_traj.cli", "view", "--store", store.name, "--port", "0"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=store.parent)

    def __enter__(self) -> str:
        """Return its address, which is the first word that it prints."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().split()[0]

    def __exit__(self, *_: object) -> None:
        """Stop it."""
        self._process.terminate()
        self._process.wait()


def collected(tasks: str, folder: Path) -> Iterator[str]:
    """Yield the words of the command that fills a store with the expert's episodes."""
    yield from (sys.executable, "-m", "eops_traj.cli", "collect", "collect_expert", "--store", str(folder))
    yield from (f"tasks.source={tasks}", "tasks.splits=[]", "attempts=2", "orchestrator.rate=0.1")


def main() -> None:
    """Make both pictures."""
    PICTURES.mkdir(exist_ok=True)
    draw_loop(results((ROOT / "docs" / "results.md").read_text(encoding="utf-8")), PICTURES / "loop.png")
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        subprocess.run([*collected(sys.argv[1], store)], check=True)
        show_viewer(store, PICTURES / "viewer.png")


if __name__ == "__main__":
    main()
