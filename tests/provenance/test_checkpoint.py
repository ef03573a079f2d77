"""A checkpoint is known by its content: not by its place, nor by what lies beside it."""

import os
import shutil
from pathlib import Path

import pytest

from eops_traj.errors import InputError
from eops_traj.provenance.checkpoint import checkpoint_hash, checkpoint_name

FILES = {
    "model.safetensors": b"weights",
    "tokenizer.json": b"{}",
    "tokenizer_config.json": b"{}",
    "chat_template.jinja": b"{{ messages }}",
}


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    return folder


def test_a_copy_elsewhere_is_the_same_checkpoint(checkpoint: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(checkpoint, tmp_path / "other")
    (copy / "README.md").write_text("a card")
    (copy / "lineage.json").write_text("{}")
    assert checkpoint_hash(copy) == checkpoint_hash(checkpoint) == checkpoint_name(str(copy))
    assert len(checkpoint_hash(copy)) == 64


@pytest.mark.parametrize("name", FILES)
def test_every_file_of_it_counts(checkpoint: Path, name: str) -> None:
    before = checkpoint_hash(checkpoint)
    (checkpoint / name).write_bytes(FILES[name] + b" ")
    assert checkpoint_hash(checkpoint) != before


def test_a_changed_file_of_the_same_size_is_read_again(checkpoint: Path) -> None:
    before, path = checkpoint_hash(checkpoint), checkpoint / "model.safetensors"
    path.write_bytes(b"WEIGHTS")
    os.utime(path, ns=(0, 0))
    assert checkpoint_hash(checkpoint) != before


def test_content_moved_to_another_name_is_another_checkpoint(checkpoint: Path) -> None:
    before = checkpoint_hash(checkpoint)
    (checkpoint / "model.safetensors").rename(checkpoint / "adapter_model.safetensors")
    assert checkpoint_hash(checkpoint) != before


def test_files_are_read_once(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = checkpoint_hash(checkpoint)
    monkeypatch.setattr(Path, "open", None)
    assert checkpoint_hash(checkpoint) == first


def test_a_folder_without_weights_is_no_checkpoint_and_a_hub_name_stays_a_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no safetensors"):
        checkpoint_hash(tmp_path)
    assert checkpoint_name("org/model") == checkpoint_name("org/model", str(tmp_path)) == "org/model"
