"""Whoever reads an export reads its certified files, byte by byte, or is told what differs."""

import hashlib
import json
import shutil
import stat
from pathlib import Path

import pytest

from eops_traj.errors import FormatError, InputError, WorkError
from eops_traj.export.base import Exporter
from eops_traj.export.certificate_file import read_certificate
from eops_traj.export.certified_copy import certified_copy, certified_paths
from eops_traj.exporters import FORMATS
from eops_traj.instances import load
from tests.selected import calling, certificate, exported
from tests.tampering import TAMPERS, forge

EPISODES = [calling("e0", {"n": 1}), calling("e1", {"n": 2})]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of two rows, as it was written."""
    return exported(tmp_path_factory.mktemp("whole"), EPISODES)


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, to change, and another folder beside it."""
    (tmp_path / "others").mkdir()
    return Path(shutil.copytree(whole, tmp_path / "sft"))


def refusal(folder: Path) -> str:
    """Return why an export may not be read."""
    with pytest.raises(InputError) as refused, certified_copy(folder):
        pass
    return str(refused.value)


def test_the_copy_holds_the_certified_files_and_nothing_else(folder: Path) -> None:
    (folder / "data" / "z.jsonl").write_text("{}\n")
    with certified_copy(folder) as copy:
        assert [path.name for path in copy.folder.rglob("*") if path.is_file()] == ["train.jsonl"]
        assert copy.files[0].read_bytes() == (folder / "data" / "train.jsonl").read_bytes()
        assert stat.S_IMODE(copy.folder.stat().st_mode) == 0o700
    assert not copy.folder.exists()


def test_what_differs_is_named(folder: Path) -> None:
    rows = folder / "data" / "train.jsonl"
    whole = rows.read_bytes()
    rows.write_bytes(whole.replace(b"Done.", b"Sold."))
    assert "is not what certificate.json certifies: data/train.jsonl has the SHA-256" in refusal(folder)
    rows.write_bytes(whole[:-1])
    assert f"has {len(whole) - 1} bytes, not {len(whole)}" in refusal(folder)
    rows.unlink()
    assert "train.jsonl: No such file or directory" in refusal(folder)


@pytest.mark.parametrize("way", ["linked rows", "linked folder", "linked in a circle", "a pipe", "a folder"])
def test_links_and_pipes_are_not_followed(way: str, folder: Path) -> None:
    TAMPERS[way](folder)
    assert "certificate.json certifies" in refusal(folder)


def test_rows_are_counted_again(folder: Path) -> None:
    """Where the certificate agrees with itself, too."""
    content = json.loads((folder / "certificate.json").read_text())
    for counted in (content, content["data_files"][0], *(c for c in content["checks"] if not c["not_run"])):
        counted["rows"] = 3
    content["rows_by"] = {fact: {"train": 3} for fact in content["rows_by"]}
    (folder / "certificate.json").write_text(json.dumps(content))
    assert "data/train.jsonl has 2 rows, not 3" in refusal(folder)
    TAMPERS["version 1"](folder)
    assert "it has 2 rows, not 3" in refusal(folder)


def test_a_certificate_of_before_names_its_files_by_the_glob_of_the_format(folder: Path) -> None:
    TAMPERS["version 1"](folder)
    with certified_copy(folder) as copy:
        assert [path.name for path in copy.files] == ["train.jsonl"] and copy.certificate.rows == 2
    (folder / "data" / "z.jsonl").write_text("{}\n")
    assert "its content hash is" in refusal(folder)


def test_a_certificate_can_be_pinned(folder: Path) -> None:
    pin = hashlib.sha256((folder / "certificate.json").read_bytes()).hexdigest()
    certificate = read_certificate(folder, pin.upper())
    forge(folder)
    assert read_certificate(folder).content_hash != certificate.content_hash
    with pytest.raises(InputError, match=f"certificate.json has the SHA-256 .*, not {pin}"):
        read_certificate(folder, pin)


def test_a_certificate_that_was_read_is_the_one_that_counts(folder: Path) -> None:
    certificate = read_certificate(folder)
    forge(folder)
    with pytest.raises(InputError, match="has the SHA-256"), certified_copy(folder, certificate):
        pass


def test_a_full_disk_is_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("eops_traj.export.certified_copy.copy_file", full)
    with pytest.raises(WorkError, match=r"cannot be copied into .*: No space left"), certified_copy(folder):
        pass


def test_only_folders_of_exports_are_copied(folder: Path) -> None:
    plain = folder / "data"
    with certified_paths([plain, folder]) as [first, second]:
        assert first == plain and second != folder
        assert (second / "data" / "train.jsonl").is_file() and not (second / "README.md").exists()


@pytest.mark.parametrize("format", ["sft", "openai", "sharegpt", "nemo_gym", "atif", "enterpriseops"])
def test_every_format_counts_its_rows(format: str, tmp_path: Path) -> None:
    folder = exported(tmp_path, EPISODES, format)
    assert sum(file["rows"] for file in certificate(folder)["data_files"]) == 2
    with certified_copy(folder) as copy:
        assert len(list(copy.exporter.read(copy.folder))) == 2


@pytest.mark.parametrize("format", FORMATS)
def test_an_exporter_can_be_made_of_a_name_to_ask_for_its_checks(format: str) -> None:
    exporter: Exporter = load("format", format)()
    assert "no_secrets" in exporter.checks()


def test_a_result_file_of_no_runs_is_malformed(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text("[]")
    with pytest.raises(FormatError, match="is no result file"):
        load("format", "enterpriseops")().count_rows(tmp_path / "r.json")
