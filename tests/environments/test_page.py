"""The page about environments names every kind and every label."""

from eops_traj.environments.serving import KINDS
from eops_traj.schema import OUTCOMES, PASSED
from tests.environments.other_side import ROOT

PAGE = (ROOT / "docs" / "environments.md").read_text(encoding="utf-8")


def test_every_kind_is_on_its_page() -> None:
    assert [kind for kind in KINDS if f"--kind {kind}" not in PAGE] == []


def test_every_label_is_on_its_page_with_its_reward() -> None:
    labels = [label for label in OUTCOMES if label not in ("unverified", "error")]
    assert [x for x in labels if f"| `{x}` | {int(x in PASSED)} |" not in PAGE] == []
