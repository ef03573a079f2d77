"""Signatures in a file are those that were put there, and their bands have keys to compare them by."""

import io
import tempfile
from pathlib import Path

import pytest

from eops_traj.errors import WorkError
from eops_traj.filter import signature_file
from eops_traj.filter.signature_file import ROW, SignatureFile
from eops_traj.filter.similarity import signature


def signed(text: str) -> bytes:
    return bytes(signature(text, 1).hashvalues.astype("uint32").tobytes())


def test_rows_are_read_as_they_were_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signature_file, "BLOCK", 2)  # so that the last block is not full
    texts = ["a b", "c", "a b", "d e f", "g"]
    file = SignatureFile(len(texts))
    for row in (3, 0, 4, 1, 2):
        file.put(row, signed(texts[row]))
    assert file.get([3, 1]).tobytes() == signed(texts[3]) + signed(texts[1])
    keys = file.band_keys(slice(4, 9)).to_list()
    assert keys[0] == keys[2] and len(set(keys)) == 4


def test_keys_are_of_their_band_alone() -> None:
    one = signed("a b c")
    other = bytes(4) + one[4:-4] + bytes(4)
    file = SignatureFile(2)
    file.put(0, one)
    file.put(1, other)
    alike = [
        len(set(file.band_keys(band).to_list())) == 1
        for band in (slice(1, 127), slice(0, 9), slice(120, 128))
    ]
    assert alike == [True, False, False]


def test_a_full_disk_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    file = SignatureFile(3)
    with Path("/dev/full").open("r+b", buffering=0) as unbuffered:
        full = io.BufferedRandom(unbuffered)
        monkeypatch.setattr(file, "_file", full)
        with pytest.raises(WorkError, match=rf"no room for {3 * ROW:,} bytes .*TMPDIR"):
            file.put(0, signed("a"))


def test_the_file_is_in_the_folder_for_such_and_goes_with_its_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(tempfile, "_O_TMPFILE_WORKS", False, raising=False)
    file = SignatureFile(2)
    assert file.get([1]).sum() == 0
    del file
    assert list(tmp_path.iterdir()) == []
