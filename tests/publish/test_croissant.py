"""croissant.json names every file by its hash, and MLCommons' own library reads the data through it."""

import hashlib
import json
from pathlib import Path

import pytest

from tests.publish.publications import may_go, publication


@pytest.mark.slow
def test_croissant_holds_and_gives_the_records(tmp_path: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    publication(tmp_path, [may_go("e0"), may_go("e1", split="dev")], configs=("episodes", "sft")).run()
    metadata = json.loads((tmp_path / "data" / "croissant.json").read_text())
    for file in metadata["distribution"]:
        content = (tmp_path / "data" / file["contentUrl"]).read_bytes()
        assert file["sha256"] == hashlib.sha256(content).hexdigest()
    dataset = mlcroissant.Dataset(jsonld=tmp_path / "data" / "croissant.json")
    assert not dataset.metadata.ctx.issues.errors
    record = next(iter(dataset.records("sft/train-00000-of-00001")))
    assert record["sft/train-00000-of-00001/episode_id"] == b"e0"
