"""The loop's table: every planner on every held-out split, and the differences between them."""

from pathlib import Path

from eops_traj.pipeline.results import results
from eops_traj.store.store import Store
from tests.episodes import PROMPT, TOOLS, episode

LOOP = ("untrained", "sft", "dpo")


def measured(model: str, split: str, won: int, of: int = 30, domain: str = "csm") -> list:
    """Build a planner's episodes on a split, the first ``won`` of its tasks with success."""
    return [
        episode(
            f"{model}-{domain}-{split}-{n}", task_hash=f"{domain}-{split}-{n}", domain=domain,
            run_id=f"run-{model}", model=model, split=split,
            success_strict=n < won, outcome="success" if n < won else "failure", feasible=True,
        )
        for n in range(of)
    ]  # fmt: skip


def test_a_gain_is_shown_on_the_split_where_there_is_one(tmp_path: Path) -> None:
    episodes = [
        e
        for model, won in (("untrained", 0), ("sft", 20), ("dpo", 21))
        for split, share in (("test", 1), ("test_ood", 0))
        for e in measured(model, split, won * share)
    ]
    with Store.open(str(tmp_path / "store"), create=True) as store:
        store.append(episodes, prompts=[PROMPT], toolsets=[TOOLS])
    rows = {(row["split"], row["rate"]): row for row in results(tmp_path / "store", LOOP)}
    assert rows["test", "strict pass@1"]["sft"] == "66.7%" and rows["test", "strict pass@1"]["tasks"] == 30
    assert rows["test", "strict pass@1"]["sft - untrained"].endswith(") better")
    assert rows["test", "strict pass@1"]["dpo - sft"].endswith("no difference shown")
    assert rows["test_ood", "strict pass@1"]["dpo - untrained"].startswith("+0.0 (")
    assert {row["domain"] for row in rows.values()} == {"all"}


def test_other_splits_can_be_asked_for(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "store"), create=True) as store:
        for model, won in (("a", 3), ("b", 6)):
            store.append(measured(model, "dev", won), prompts=[PROMPT], toolsets=[TOOLS])
            store.append(measured(model, "test", 0), prompts=[PROMPT], toolsets=[TOOLS])
    rows = [row for row in results(tmp_path / "store", ("a", "b"), ["dev"]) if row["rate"] == "strict pass@1"]
    assert [(row["split"], row["a"], row["b"]) for row in rows] == [("dev", "10.0%", "20.0%")]


def test_several_domains_are_told_one_by_one(tmp_path: Path) -> None:
    of = {("test", "csm"): 20, ("test", "hr"): 5, ("test_ood", "hr"): 0}
    episodes = [
        e
        for model in ("untrained", "sft", "dpo")
        for (split, domain), won in of.items()
        for e in measured(model, split, won, domain=domain)
    ]
    with Store.open(str(tmp_path / "store"), create=True) as store:
        store.append(episodes, prompts=[PROMPT], toolsets=[TOOLS])
    rows = [row for row in results(tmp_path / "store", LOOP) if row["rate"] == "strict pass@1"]
    assert [(row["split"], row["domain"], row["tasks"], row["sft"]) for row in rows] == [
        ("test", "all", 60, "41.7%"), ("test", "csm", 30, "66.7%"), ("test", "hr", 30, "16.7%"),
        ("test_ood", "all", 30, "0.0%"),
    ]  # fmt: skip
