"""Every part is named on its page."""

from collections.abc import Iterable

import pytest

from eops_traj.causes.cause import KINDS as CAUSES
from eops_traj.collectors.agents import ORCHESTRATORS
from eops_traj.collectors.clients import CLIENTS
from eops_traj.collectors.importers import IMPORTERS
from eops_traj.exporters import FORMATS
from eops_traj.filters import FILTERS
from eops_traj.gym.registry import SERVERS
from eops_traj.interchange.base import exchange_formats
from eops_traj.recipes import RECIPES
from eops_traj.report.figures import FIGURES
from eops_traj.schema import OUTCOMES
from eops_traj.verify.verifier_kinds import KINDS
from tests.docs.pages import ROOT

CONFIGS = [path.stem for path in (ROOT / "configs").glob("[!a]*.yaml")]
NAMED: list[tuple[str, Iterable[str]]] = [
    ("filters.md", FILTERS),
    ("exporters.md", [name for name in FORMATS if name not in exchange_formats() or name == "openai"]),
    ("exchange.md", [*exchange_formats(), *IMPORTERS]),
    ("collecting.md", [*ORCHESTRATORS, *CLIENTS]),
    ("recipes.md", RECIPES),
    ("gym.md", SERVERS),
    ("store.md", OUTCOMES),
    ("tasks.md", KINDS),
    ("causes.md", CAUSES),
    ("seeing.md", FIGURES),
]


@pytest.mark.parametrize(("page", "names"), NAMED, ids=[page for page, _ in NAMED])
def test_every_part_is_on_its_page(page: str, names: Iterable[str]) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert [name for name in names if f"`{name}`" not in text] == []


def test_every_committed_config_is_named_somewhere() -> None:
    texts = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    assert [name for name in CONFIGS if name not in texts] == []
