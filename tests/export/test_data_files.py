"""Data files are named within their folder, and copied as they are counted and hashed."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from eops_traj.errors import FormatError
from eops_traj.export.data_files import BLOCK, DataFile, checked_name, copy_file

SHA = hashlib.sha256(b"").hexdigest()
ENTRY = {"name": "data/train.jsonl", "size": 0, "sha256": SHA, "rows": 2}


def test_a_copy_is_counted_and_hashed_as_it_is_made(tmp_path: Path) -> None:
    content = bytes(range(256)) * (BLOCK // 256) + b"one byte over a block"
    (tmp_path / "rows.bin").write_bytes(content)
    size, sha256 = copy_file(tmp_path, "rows.bin", tmp_path / "to", len(content))
    assert (size, sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert (tmp_path / "to" / "rows.bin").read_bytes() == content


@pytest.mark.parametrize("more", [-1, 1])
def test_a_file_of_another_size_is_not_copied(more: int, tmp_path: Path) -> None:
    (tmp_path / "rows.bin").write_bytes(b"seven b")
    with pytest.raises(FormatError, match=f"rows.bin has 7 bytes, not {7 + more}"):
        copy_file(tmp_path, "rows.bin", tmp_path / "to", 7 + more)
    assert not (tmp_path / "to").exists()


@pytest.mark.parametrize(
    "change", [{"rows": "2"}, {"rows": 2.0}, {"rows": True}, {"size": "0"}, {"rows": -1}]
)
def test_an_entry_has_values_of_its_types(change: dict[str, Any]) -> None:
    assert DataFile.model_validate(ENTRY).rows == 2
    with pytest.raises(ValidationError):
        DataFile.model_validate(ENTRY | change)


@pytest.mark.parametrize(
    "name", ["", ".", "/data/x", "../x", "data/../x", "data//x", "./x", "x/", "a b", "x\n"]
)
def test_a_name_that_leads_out_or_is_odd_is_none(name: str) -> None:
    assert checked_name("data/train-00.jsonl") == "data/train-00.jsonl"
    with pytest.raises(ValueError, match=r"is no path within|has a character"):
        checked_name(name)
