"""`eops-traj check`: what it lists, and what it mends."""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet
import pytest

from eops_traj.schema import Json, Selection
from eops_traj.store import integrity, retention
from eops_traj.store.store import Store
from tests.attacks.damage_kinds import (
    GARBAGE,
    cut,
    data_file,
    entry,
    foreign_delete,
    foreign_removal,
    overwrite,
    remove_journal,
    trust_log,
    unmark,
)  # fmt: skip
from tests.episodes import episode
from tests.store.test_damage import EVERY, ids


def test_a_whole_store_is_whole(cli: Callable, folder: Path) -> None:
    ran = cli("check", folder, "--json")
    assert ran.code == 0
    assert json.loads(ran.out) == {
        "store": str(folder), "damage": [], "set_aside": [], "notes": [], "repaired": []
    }  # fmt: skip


def test_no_store_is_none(cli: Callable, tmp_path: Path) -> None:
    ran = cli("check", tmp_path / "none")
    assert ran.code == 2 and ran.err.count("\n") == 1 and "no store at" in ran.err


def test_all_damage_is_listed_with_its_cost(cli: Callable, folder: Path) -> None:
    cut(data_file(folder))
    data_file(folder, "prompts").unlink()
    damage = json.loads(cli("check", folder, "--json").out)["damage"]
    assert [(d["table"], d["rows_lost"]) for d in damage] == [("prompts", 1), ("episodes", 2)]


@pytest.mark.parametrize(
    "damage",
    [
        lambda s: entry(s, -1).unlink(),
        lambda s: entry(s, -1).write_bytes(b""),
        lambda s: entry(s, 2).write_bytes(GARBAGE),
        lambda s: entry(s, 0).unlink(),
        lambda s: shutil.rmtree(s / "episodes" / "_delta_log"),
        lambda s: (s / "episodes" / "_head.json").write_bytes(GARBAGE),
        lambda s: unmark(s, 2),
        lambda s: (unmark(s, 1), remove_journal(s)),
        foreign_removal,
    ],
    ids=["last entry missing", "last entry empty", "middle garbage", "first missing", "log gone", "mark",
         "mark and entries", "mark, entry and journal", "foreign"],
)  # fmt: skip
def test_a_damaged_log_is_mended_from_the_data_files(
    cli: Callable, folder: Path, damage: Callable
) -> None:  # fmt: skip
    damage(folder)
    assert cli("check", folder).code == 1
    repaired = cli("check", folder, "--repair")
    assert repaired.code == 0, repaired.out + repaired.err
    assert ids(folder) == EVERY


def test_rows_of_a_lost_merged_file_come_back_from_what_it_was_merged_of(
    cli: Callable, folder: Path
) -> None:  # fmt: skip
    with Store.open(folder) as store:
        store.compact()
        merged = store.tables["episodes"].load().file_uris()
    cut(Path(merged[0]))
    assert cli("check", folder).code == 1
    assert cli("check", folder, "--repair").code == 0
    assert ids(folder) == EVERY and cli("check", folder).code == 0


def test_a_file_that_comes_back_byte_for_byte_takes_the_place_of_the_damaged(
    cli: Callable, folder: Path
) -> None:  # fmt: skip
    damaged = data_file(folder)
    shutil.copy(damaged, damaged.with_name("part-kept.parquet"))  # the same rows, of a lost entry of the log
    cut(damaged)
    assert cli("check", folder, "--repair").code == 0
    assert ids(folder) == EVERY and cli("check", folder).code == 0
    assert len(list((folder / "damaged").rglob(damaged.name))) == 1


def test_what_is_lost_is_given_up_by_a_repair_alone(cli: Callable, folder: Path) -> None:
    cut(data_file(folder))
    ran = cli("check", folder, "--drop-lost")
    assert ran.code == 2 and "--repair" in ran.err and not ran.out


def test_rows_that_are_lost_for_good_go_only_on_request(cli: Callable, folder: Path) -> None:
    cut(data_file(folder))
    refused = cli("check", folder, "--repair")
    assert refused.code == 1 and "--drop-lost" in refused.err and "2 rows" in refused.err
    assert cli("check", folder, "--repair", "--drop-lost").code == 0
    assert len(ids(folder)) == 4 and len(list((folder / "damaged").rglob("*.parquet"))) == 1


def test_an_older_store_gets_its_checksums(cli: Callable, folder: Path) -> None:
    with Store.open(folder) as store:
        store.amend([replace(store.episode("a1"), outcome="failure")], store.version())
    shutil.rmtree(folder / "episodes" / "_sha256")
    before = cli("check", folder)
    assert before.code == 0 and "1 data files have no checksum" in before.out
    assert cli("check", folder, "--repair").code == 0
    assert "no checksum" not in cli("check", folder).out


@pytest.mark.parametrize(
    "damage", [lambda s: unmark(s, 1, data=True), lambda s: foreign_delete(s, "episode_id > 'c'")]
)
def test_what_was_taken_off_whole_is_mended_or_given_up_on_request_alone(
    cli: Callable, folder: Path, damage: Callable
) -> None:  # fmt: skip
    damage(folder)
    [found] = json.loads(cli("check", folder, "--json").out)["damage"]
    assert found["rows_lost"] == 2
    first = cli("check", folder, "--repair")
    assert first.code == 0 or "--drop-lost" in first.err
    assert cli("check", folder, "--repair", "--drop-lost").code == 0
    assert ids(folder) in (EVERY, EVERY[:4]) and cli("check", folder).code == 0


def test_a_file_that_another_writer_left_is_read_too(cli: Callable, folder: Path) -> None:
    """It rewrites the file without the row, its texts in a type of its own."""
    foreign_delete(folder, "episode_id = 'a1'")
    [found] = json.loads(cli("check", folder, "--json").out)["damage"]
    assert found["rows_lost"] == 1
    assert cli("check", folder, "--repair", "--drop-lost").code == 0
    assert ids(folder) == EVERY


def test_a_journal_that_cannot_be_read_is_begun_anew(cli: Callable, folder: Path) -> None:
    (folder / "journal.sqlite").write_bytes(GARBAGE)
    assert cli("check", folder).code == 1
    assert cli("check", folder, "--repair").code == 0
    assert ids(folder) == EVERY


def newest(folder: Path) -> Path:
    """Return the data file of the last commit."""
    last = max(integrity.commits(folder / "episodes"), key=lambda commit: commit.version)
    return folder / "episodes" / next(iter(last.added))


def outcomes(folder: Path) -> list[str | None]:
    with Store.open(folder) as store:
        return [e.outcome for e in sorted(store.episodes(), key=lambda e: e.episode_id)]


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in sorted((folder / "episodes").rglob("*")) if p.is_file()}


@pytest.mark.parametrize(
    "damage",
    [
        lambda s: entry(s, -1).unlink(),
        lambda s: entry(s, -1).write_bytes(GARBAGE),
        lambda s: entry(s, 2).write_bytes(GARBAGE),
        lambda s: entry(s, 0).unlink(),
    ],
    ids=["last missing", "last garbage", "middle garbage", "first missing"],
)
def test_amended_rows_stay_amended(cli: Callable, amended: Path, damage: Callable) -> None:
    file, before = newest(amended), outcomes(amended)
    assert before.count("error") == 5
    damage(amended)
    os.utime(file, (1, 1))  # as a copy of the store may have it
    assert cli("check", amended, "--repair").code == 0
    assert outcomes(amended) == before and cli("check", amended).code == 0


@pytest.mark.parametrize("lose", [Path.unlink, cut])
@pytest.mark.parametrize("last", [None, Path.unlink, lambda path: path.write_bytes(b"")])
def test_rows_as_they_were_before_are_a_loss(
    cli: Callable, amended: Path, lose: Callable, last: Callable | None
) -> None:  # fmt: skip
    lose(newest(amended))
    if last:
        last(entry(amended, -1))
    before = bytes_of(amended)
    refused = cli("check", amended, "--repair")
    assert refused.code == 1 and "--drop-lost" in refused.err and refused.err.count("\n") == 1
    assert (
        "came back as they were at version 1" in refused.err or "what version 4 wrote is lost" in refused.err
    )
    assert bytes_of(amended) == before
    assert cli("check", amended, "--repair", "--drop-lost").code == 0
    assert ids(amended) == EVERY


def test_a_selection_saved_twice_is_the_second(cli: Callable, folder: Path) -> None:
    first = Selection(name="mine", store_version=1, config=Json("{}"), created_at="2026", rows=())
    second = replace(first, store_version=2)
    with Store.open(folder) as store:
        store.save_selection(first)
        store.save_selection(second)
    entry(folder, -1, "selections").unlink()
    assert cli("check", folder, "--repair").code == 0
    with Store.open(folder) as store:
        assert store.selection("mine") == second


def test_other_rows_do_not_make_up_for_lost_ones(cli: Callable, folder: Path) -> None:
    files = [next(iter(c.added)) for c in integrity.commits(folder / "episodes") if c.added]
    cut(folder / "episodes" / files[1])
    entry(folder, -1).unlink()
    refused = cli("check", folder, "--repair")
    assert refused.code == 1 and "episodes: 2 rows are lost" in refused.err


def test_a_lost_entry_and_its_file_are_no_smaller_table(cli: Callable, folder: Path) -> None:
    files = [next(iter(c.added)) for c in integrity.commits(folder / "episodes") if c.added]
    cut(folder / "episodes" / files[2])
    entry(folder, -1).unlink()
    for _ in range(2):
        refused = cli("check", folder, "--repair")
        assert refused.code == 1 and "episodes: 2 rows are lost" in refused.err
    assert cli("check", folder, "--repair", "--drop-lost").code == 0
    assert ids(folder) == EVERY[:4] and cli("check", folder).code == 0


@pytest.mark.parametrize("last", [None, lambda path: path.write_bytes(b"")])
def test_a_file_without_checksum_is_read_in_full(
    cli: Callable, amended: Path, last: Callable | None
) -> None:  # fmt: skip
    path = newest(amended)
    shutil.rmtree(amended / "episodes" / "_sha256")
    if last:
        last(entry(amended, -1))
    overwrite(path)
    assert cli("check", amended).code == 1
    refused = cli("check", amended, "--repair")
    assert refused.code == 1 and "episodes: " in refused.err and "--drop-lost" in refused.err
    assert not (amended / "episodes" / "_sha256").exists()


def test_a_file_that_is_added_again_is_no_longer_dropped(cli: Callable, folder: Path) -> None:
    path = data_file(folder)
    content = path.read_bytes()
    path.unlink()
    assert cli("check", folder, "--repair", "--drop-lost").code == 0
    assert retention.dropped(folder / "episodes") == {path.name}
    path.write_bytes(content)
    with Store.open(folder) as store:
        store.tables["episodes"].commit(pyarrow.parquet.read_table(path))
    assert path.exists() and retention.dropped(folder / "episodes") == set()


def test_a_table_that_is_made_anew_is_called_that(cli: Callable, folder: Path) -> None:
    entry(folder, 0).unlink()
    ran = cli("check", folder, "--repair")
    assert "made anew" in ran.out and "cut back" not in ran.out


def test_a_journal_that_lost_records_says_how_many(cli: Callable, folder: Path) -> None:
    store = Store.open(folder)
    store.append([episode("d1"), episode("d2")])
    store.journal.close()
    remove_journal(folder)
    ran = cli("check", folder, "--repair")
    assert ran.code == 0 and "without 2 records that waited" in ran.out


@pytest.mark.parametrize(("side", "key"), [("minValues", "zz"), ("maxValues", "!")])
def test_a_log_that_hides_keys_from_look_ups_is_told(
    cli: Callable,
    folder: Path,
    side: str,
    key: str,
) -> None:
    """One bit of the ranges in the log, and an episode that is there is looked for in no file."""
    [*_, path] = sorted((folder / "episodes" / "_delta_log").glob("*.json"))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for add in (line["add"] for line in lines if "add" in line):
        stats = json.loads(add["stats"])
        add["stats"] = json.dumps({**stats, side: {"episode_id": key}})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    trust_log(folder)
    ran = cli("check", folder)
    assert ran.code == 1
    assert "no look-up finds" in ran.out
