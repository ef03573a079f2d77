"""The tutorials are followed to their result, in a folder of init, with a stub in the model's place."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.docs.pages import blocks
from tests.docs.running import Reader
from tests.docs.test_blocks import TUTORIALS
from tests.endpoint import Endpoint

URL = "http://localhost:8000/v1"
RESULTS = {
    "docs/measure.md": ("report.html", "store/episodes"),
    "docs/harvest.md": ("data/sft/certificate.json", "data/public/README.md"),
    "docs/finetune.md": ("data/planner_sft/certificate.json",),
    "docs/own_server.md": ("trips/suite.json", "tripped/episodes", "mine/episodes"),
}
"""What a reader has at the end."""
MODEL = ("docs/measure.md", "docs/own_server.md")
"""The pages that ask a model."""


@pytest.mark.slow
@pytest.mark.parametrize("page", TUTORIALS)
def test_a_tutorial_ends_with_its_result(page: str, work: Path, stub: Endpoint) -> None:
    reader = Reader(work, processes=page == "docs/own_server.md")
    for block in blocks(page):
        served = block.mark == "endpoint"
        reader.follow(replace(block, mark=None, text=block.text.replace(URL, stub.url)) if served else block)
    assert [name for name in RESULTS[page] if not (work / name).exists()] == []
    assert bool(stub.requests) == (page in MODEL)
