"""A store is read wherever it is: in folders whose names URLs and patterns write otherwise."""

from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.errors import StoreError
from eops_traj.report import figures
from eops_traj.store.store import Store
from tests.conftest import FIXTURES, Ran
from tests.episodes import episode
from tests.view.conftest import viewing, web

ODD = ("a b", "ü", "50%", "#1", "a?b", "*", "{x}", "a+b&c=d", "é😀")
EXPORT = "export sft --selection s --split none --out"
COMMANDS = (
    "score", "diagnose", "history", "filter filter_imported --name s", "selections",
    "why EPISODE --selection s", "verify", "labels", "report", f"{EXPORT} o",
    "compact", "vacuum", "score", "export atif --selection s --split none --out o2",
)  # fmt: skip
"""What reads a store, before and after its files were merged."""
REFUSED = {"compare RUN RUN": "episodes in common", "publish s --to p --licence MIT": "give --tasks"}
"""What is refused for what it read."""


@pytest.mark.parametrize("name", ODD)
def test_a_store_in_an_odd_folder_is_as_any_other(name: str, tmp_path: Path) -> None:
    (tmp_path / "plain" / "axb").mkdir(parents=True)  # what a?b and * would find, were they patterns
    with Store.open(tmp_path / name / "s", create=True) as store:
        for one in ("a", "b"):
            store.append([episode(one)])
            store.flush()
    with Store.open(tmp_path / name / "s") as store:
        assert sorted(store.scan().collect()["episode_id"]) == ["a", "b"]
        assert [commit["rows_added"] for commit in store.history()] == [1, 1, 0]
        assert store.scan(1).collect().height == 1 and len(list(store.episodes())) == 2
        store.compact()
        assert {v["table"]: v["files"] for v in store.vacuum(0)}["episodes"] == 2
        assert store.scan().collect().height == 2 and store.known(["b"]) == {"b"}


@pytest.mark.parametrize("name", ["a%20b", "%c3", "[x]", "a\\b", "a|b", "^", "a\tb"])
def test_a_name_that_delta_tables_cannot_have_is_one_line_and_leaves_nothing(
    name: str, empty: Path, tmp_path: Path
) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(StoreError, match=r"Delta tables take no .*; rename the folder"):
        Store.open(tmp_path / name / "s", create=True)
    assert not any((tmp_path / name).iterdir())
    empty.rename(tmp_path / name / "s")
    with pytest.raises(StoreError, match="rename the folder"):
        Store.open(tmp_path / name / "s")


def test_every_command_reads_a_store_in_an_odd_folder(
    tmp_path: Path, cli: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "a b" / "ü%#1"
    place.mkdir(parents=True)
    monkeypatch.chdir(place)
    monkeypatch.setattr(figures, "FIGURES", {"leaderboard": figures.FIGURES["leaderboard"]})  # one does
    assert cli("import", "enterpriseops", FIXTURES / "results", "--store", "store").code == 0
    with Store.open("store") as store:
        first = next(iter(store.episodes()))
    for line in COMMANDS:
        words = line.replace("EPISODE", first.episode_id).split()
        ran = cli(*words, "--store", "store")
        assert ran.code in (0, 1) and "Traceback" not in ran.err and "No such file" not in ran.err, (
            line,
            ran,
        )
    for line, why in REFUSED.items():
        assert why in cli(*line.replace("RUN", first.run_id).split(), "--store", "store").err
    assert cli("check", "store").code == 0 and cli("convert", "store", "out", "--to", "atif").code == 0
    with viewing(place / "store") as address:
        for path in ("/", "/episodes", f"/episodes/{first.episode_id}", "/selections", "/causes", "/live"):
            assert web.get(address + path).status_code == 200, path


@pytest.mark.parametrize("command", ["score --store {}", "check {}", "history --store {}"])
@pytest.mark.parametrize("url", ["ftp://x/y", "http://x/y", "s://x/y", "s3s://x/y"])
def test_a_url_of_no_object_store_is_refused_with_the_choices(
    command: str, url: str, cli: Callable[..., Ran]
) -> None:
    """It is no store that is only not there: nothing can make one at it."""
    ran = cli(*command.format(url).split())
    assert ran.code == 2 and ran.err.count("\n") == 1
    assert f"no store can be at {url}: give a folder, or a URL with s3://" in ran.err


@pytest.mark.parametrize(
    ("url", "one"),
    [("s3a://b/S3A/x/", "s3://b/S3A/x"), ("S3://b", "s3://b"), ("abfss://s3a@x", "abfss://s3a@x")],
)
def test_one_place_has_one_url(url: str, one: str) -> None:
    assert Store(url).url == one


def test_a_folder_is_called_as_it_is(tmp_path: Path) -> None:
    assert Store(str(tmp_path / "S3A")).url == str(tmp_path / "S3A")
