"""An upload reaches a real HTTP server, private unless asked otherwise, and goes on where it broke off."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import InputError, WorkError
from eops_traj.publish import hub as module
from eops_traj.publish import staging
from eops_traj.publish.run import Publication
from tests.planner_data import task_files
from tests.publish.hub_double import TOKEN, Hub, hub_double
from tests.publish.publications import HELD, may_go, publication


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A Hub that speaks LFS and not xet, to which the environment points."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with hub_double() as double:
        monkeypatch.setenv("HF_ENDPOINT", double.url)
        yield double


def job(folder: Path, **options: object) -> Publication:
    """Return an upload of two splits."""
    return publication(folder, [may_go("e0"), may_go("e1", split="dev")], to="hub:org/data", **options)


def staged(folder: Path) -> list[Path]:
    """Return the datasets that wait for their upload."""
    return list((folder / "cache" / "eops-traj" / "publish").glob("*/data/README.md"))


def test_a_dataset_is_uploaded_and_what_an_earlier_one_left_goes(tmp_path: Path, hub: Hub) -> None:
    hub.private = True
    left = {"sft/train-00000-of-00009.parquet": "0" * 64, "certificates/sft-train.json": "3" * 64}
    hub.files = {**left, "notes.md": "1" * 64}
    place, dataset = job(tmp_path).run()
    assert hub.private and place.startswith(f"{hub.url}/datasets/org/data") and dataset.parts[0]["rows"] == 1
    assert sorted(path for path in hub.files if path.endswith("parquet")) == [
        "episodes/train-00000-of-00001.parquet",
        "episodes/validation-00000-of-00001.parquet",
    ]
    assert {"README.md", "croissant.json", "certificates/episodes-train.json", "notes.md"} < hub.files.keys()
    assert not staged(tmp_path) and not left.keys() & hub.files.keys()


def test_what_others_keep_in_a_dataset_of_ours_stays(tmp_path: Path, hub: Hub) -> None:
    ours = {"sft/train-00000-of-00001.parquet": "0" * 64, "certificates/sft-train.json": "1" * 64}
    others = {"my/old-of-mine.parquet", "data/train-00000-of-00001.parquet", "certificates/tls.json"}
    hub.private, hub.files = True, ours | dict.fromkeys(others, "2" * 64)
    job(tmp_path).run()
    assert others < hub.files.keys() and not ours.keys() & hub.files.keys()


def test_a_repository_of_other_data_is_refused_before_anything_is_built(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.private = True
    hub.files = {"data/train-00000-of-00001.parquet": "0" * 64, "b.csv": "1" * 64, "README.md": "2" * 64}
    before = dict(hub.files)
    monkeypatch.setattr("eops_traj.publish.run.build_dataset", lambda *_: pytest.fail("built"))
    with pytest.raises(InputError, match=r"org/data holds data .* not publish: b.csv and 1 more; choose"):
        job(tmp_path).run()
    assert hub.files == before


def test_what_came_while_the_data_was_built_is_looked_at_again(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.private, build = True, Publication._build_staged

    def meanwhile(*given: Any) -> Any:
        hub.files["x.parquet"] = "0" * 64
        return build(*given)

    monkeypatch.setattr(Publication, "_build_staged", meanwhile)
    with pytest.raises(InputError, match=r"not publish: x.parquet; choose"):
        job(tmp_path).run()
    assert list(hub.files) == ["x.parquet"]


def test_an_upload_that_broke_off_goes_on(tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.room = 1
    assert hub.private is None
    with pytest.raises(WorkError, match=r"broke off: .* The same command goes on with it"):
        job(tmp_path).run()
    assert len(hub.received) == 1 and not hub.files and staged(tmp_path) and hub.private
    hub.room = None
    monkeypatch.setattr("eops_traj.publish.run.build_dataset", lambda *_: pytest.fail("made again"))
    job(tmp_path).run()
    assert len(hub.received) == len(set(hub.received)) == 2
    assert set(hub.received) < set(hub.files.values()) and not staged(tmp_path)


def test_the_same_data_is_published_by_one_process_at_a_time(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second would remove what the first is uploading."""
    one, upload = job(tmp_path), module.upload

    def meanwhile(*given: Any, **options: Any) -> str:
        with pytest.raises(InputError, match="another process publishes the same data"):
            one.run()
        return upload(*given, **options)

    monkeypatch.setattr(module, "upload", meanwhile)
    one.run()
    assert hub.files and not [*(tmp_path / "cache" / "eops-traj").glob("publish/*")]


def test_only_what_was_checked_is_uploaded(tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.room = 0
    with pytest.raises(WorkError, match="broke off"):
        job(tmp_path).run()
    [card] = staged(tmp_path)
    (card.parent / ".cache").mkdir()
    (card.parent / ".cache" / "keys.txt").write_text("secret")
    hub.room = None
    job(tmp_path).run()
    assert sorted(path for path in hub.files if "keys" in path) == [] and "README.md" in hub.files


@pytest.mark.parametrize("name", ["README.md", "episodes/train-00000-of-00001.parquet"])
def test_what_was_changed_after_it_was_checked_is_not_uploaded(
    name: str, tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if it were changed between the comparison and the upload."""
    hashes = staging._hashes

    def then_changed(folder: Path) -> dict[str, str]:
        before = hashes(folder)
        (folder / name).write_bytes(b"other")
        return before

    monkeypatch.setattr("eops_traj.publish.staging._hashes", then_changed)
    with pytest.raises(WorkError, match=f"{name} was changed after it was checked"):
        job(tmp_path).run()
    assert not hub.files and not hub.received


@pytest.mark.parametrize("status", [401, 403])
def test_no_permission_is_one_plain_line(status: int, tmp_path: Path, hub: Hub) -> None:
    hub.refuse = status
    with pytest.raises(InputError, match=rf"does not let HF_TOKEN write to org/data \({status}\)"):
        job(tmp_path).run()


def test_a_public_dataset_is_not_written_to_by_mistake(tmp_path: Path, hub: Hub) -> None:
    hub.private = False
    with pytest.raises(InputError, match="org/data is there and public"):
        job(tmp_path).run()
    assert not hub.files
    job(tmp_path, public=True).run()
    assert hub.files


def test_without_a_token_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    with pytest.raises(InputError, match="HF_TOKEN"):
        job(tmp_path).run()


def test_a_hub_that_does_not_answer_is_said(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(WorkError, match="does not answer"):
        job(tmp_path).run()


def test_what_changed_beside_the_store_is_held_against_the_gate_again(tmp_path: Path, hub: Hub) -> None:
    """The second time, one of the rows is about a task that was made known to be held out since."""
    hub.room = 0
    with pytest.raises(WorkError, match="broke off"):
        job(tmp_path).run()
    (tmp_path / "tasks").rename(tmp_path / "before")
    task_files(tmp_path / "tasks", [HELD, replace(HELD, task_id=may_go().task_id, plan=None)])
    hub.room = None
    with pytest.raises(WorkError, match=r"held_out: episodes/train row 0 \(episode e0\), task"):
        job(tmp_path).run()
    assert not hub.files
