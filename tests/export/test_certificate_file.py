"""A certificate is read as what it is, to the type, and only where every check of its format passed."""

import hashlib
import shutil
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import InputError, WorkError
from eops_traj.export.certificate import COUNTED
from eops_traj.export.certificate_file import read_certificate
from tests import tampering
from tests.selected import calling, certificate, exported
from tests.tampering import TAMPERS, Tamper, check, top

REFUSED: dict[str, tuple[Tamper, str]] = {
    "yes": (top(passed="yes"), "passed: Input should be a valid boolean"),
    "one": (top(passed=1), "passed: Input should be a valid boolean"),
    "null": (top(passed=None), "passed: Input should be a valid boolean"),
    "false": (top(passed=False), "may not be read: it did not pass"),
    "failed": (TAMPERS["a check failed"], "may not be read: its rows failed no_secrets"),
    "failed by its word": (check(status="failed"), "it says 'failed', and the rest of it 'passed'"),
    "failed by its rows": (
        TAMPERS["a check failed by its rows"],
        "it says 'passed', and the rest of it 'failed'",
    ),
    "not run": (TAMPERS["a check not run"], "may not be read: no_secrets was not run"),
    "removed": (TAMPERS["a check removed"], "its rows were not checked for no_secrets"),
    "renamed": (TAMPERS["a check renamed"], "its rows were not checked for no_secrets"),
    "emptied": (top(checks=[]), "checks: List should have at least 1 item"),
    "twice": (TAMPERS["a check twice"], "it has split_asked_for twice"),
    "fewer rows": (check(rows=1), "no_secrets was run on 1 of 2 rows"),
    "other rows": (top(rows=3), "its data files do not have 3 rows together"),
    "true rows": (top(rows=True), "rows: Input should be a valid integer"),
    "other hash": (top(content_hash="0" * 64), "its content_hash is not that of its data files"),
    "hash in capitals": (TAMPERS["content hash in capitals"], "content_hash: String should match pattern"),
    "no hash": (top(content_hash=None), "content_hash: Input should be a valid string"),
    "to come": (top(version=4), "version: Input should be 1, 2 or 3"),
    "no splits": (top(rows_by={}), "version 3 counts its rows otherwise"),
    "no outcomes": (
        top(rows_by={"split": {"train": 2}}),
        "version 3 counts its rows otherwise",
    ),
    "other splits": (
        top(rows_by={**{fact: {"x": 2} for fact in COUNTED}, "split": {"train": 3}}),
        "its rows by split are not 2 together",
    ),
    "both versions": (top(version=1), "version 1 names its data files otherwise"),
    "above": (TAMPERS["a file above"], "'../others/data/train.jsonl' is no path within the folder"),
    "whole path": (TAMPERS["a file by its whole path"], "'/etc/hostname' is no path within the folder"),
    "odd name": (TAMPERS["a file of an odd name"], "has a character that no data file's name has"),
    "file twice": (TAMPERS["a file twice"], "it names a data file twice"),
    "unknown format": (top(format="xml"), "unknown format 'xml'; choose from"),
    "not a number": (TAMPERS["not a number"], "not JSON"),
    "nested": (TAMPERS["certificate nested"], "not JSON"),
    "large": (TAMPERS["certificate large"], "of at most 16777216"),
    "unchecked mask": (top(tokenizer="t"), "loss_mask was not run, although there was a tokenizer"),
    "link": (TAMPERS["linked certificate"], "is no export: .* is a link"),
    "gone": (TAMPERS["no certificate"], "is no export: .*certificate.json: No such file"),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of two rows, as it was written."""
    return exported(tmp_path_factory.mktemp("whole"), [calling("e0", {"n": 1}), calling("e1", {"n": 2})])


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, to change."""
    return Path(shutil.copytree(whole, tmp_path / "sft"))


@pytest.mark.parametrize("way", REFUSED)
def test_what_does_not_hold_is_refused_and_named(way: str, folder: Path) -> None:
    tamper, message = REFUSED[way]
    tamper(folder)
    with pytest.raises(InputError, match=message) as refused:
        read_certificate(folder)
    assert len(str(refused.value).splitlines()) == 1


def test_what_an_export_wrote_is_read(folder: Path) -> None:
    read, written = read_certificate(folder), certificate(folder)
    assert (read.version, read.rows, read.content_hash) == (3, 2, written["content_hash"])
    assert [entry.check for entry in read.checks] == list(written["checks"])


def test_a_failed_export_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(WorkError):
        exported(tmp_path, [calling("e0", {"latitude": 52.516275123456})])
    with pytest.raises(InputError, match="may not be read: its rows failed reads_as_written"):
        read_certificate(tmp_path / "sft.failed")


def older(folder: Path, version: int) -> None:
    """Rewrite a certificate as an older version had it; the first one does not name itself."""

    def rewrite(content: dict[str, Any]) -> None:
        content["version"] = version
        del content["rows_by"]
        if version == 1:
            del content["version"]
            content["data_files"] = "data/*.jsonl"

    tampering.certificate(rewrite)(folder)


@pytest.mark.parametrize("version", [1, 2])
def test_certificates_of_older_versions_are_read(version: int, folder: Path) -> None:
    older(folder, version)
    read = read_certificate(folder)
    assert (read.version, read.rows, read.rows_by) == (version, 2, {})


def test_a_pinned_certificate_is_that_one_or_refused(folder: Path) -> None:
    content = (folder / "certificate.json").read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    for pinned in (digest, digest.upper()):
        assert read_certificate(folder, pinned).rows == 2
    other = hashlib.sha256(content + b" ").hexdigest()
    with pytest.raises(InputError, match=f"{folder}/certificate.json has the SHA-256 {digest}, not {other}"):
        read_certificate(folder, other)


def test_three_faults_of_a_certificate_are_named_and_no_more(folder: Path) -> None:
    top(passed="yes", rows="2", store=7, format=None)(folder)
    with pytest.raises(InputError, match="is no certificate") as refused:
        read_certificate(folder)
    assert str(refused.value).count("Input should be") == 3
