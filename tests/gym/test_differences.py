"""The list of what the real servers' data and answers show and the gym has otherwise (differences.json)."""

import ast
import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from eops_traj.gym import registry

ENTRIES = json.loads((files("eops_traj.gym") / "differences.json").read_text(encoding="utf-8"))
ROOT = Path(__file__).parents[2]
GAPS = {
    "drive.gaps.md": ("drive",),
    "hr.gaps.md": ("hr",),
    "itsm2.gaps.md": ("itsm",),
    "teams.gaps.md": ("teams",),
    "email_calendar.gaps.md": ("email", "calendar"),
}
"""The files of ../shared/eog/facts that tell the differences, and the servers that each is about."""
_OLD = {"send_as": "send_as_aliases", "criteria": "criteria_json", "action": "action_json"}
_NO_DIFFERENCE = {  # named in passing
    ("teams", "teams.facts"),
}


def listed(server):
    return {what for entry in ENTRIES if entry["server"] == server for what in entry["what"]}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry['server']}-{entry['what'][0]}")
def test_each_is_settled_by_a_test_or_has_a_reason(entry):
    assert entry.keys() in ({"server", "what", "real", "settled", "test"}, {"server", "what", "real", "why"})
    assert len(entry["real"]) > 5 and len(entry.get("settled", entry.get("why"))) > 5
    if "test" in entry:
        path, _, name = entry["test"].partition("::")
        tree = ast.parse((ROOT / path).read_text())
        assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("server", registry.SERVERS)
def test_each_names_what_the_gym_has(server):
    played = registry.server(server)
    columns = {f"{t.name}.{c}" for t in played.schema.tables.values() for c in t.columns}
    assert listed(server) <= columns | played.schema.tables.keys() | played.tools.keys()


@pytest.mark.parametrize("gaps", GAPS)
def test_every_table_and_column_that_is_told_to_differ_is_listed(gaps, shared):
    """Each ``table.column`` of the file, and the first cell of each row of its tables."""
    text = (shared / "eog/facts" / gaps).read_text()
    for server in GAPS[gaps]:
        tables = registry.server(server).schema.tables
        told = {(server, match[0]) for match in re.finditer(r"\b(\w+)\.(\w+)\b", text) if match[1] in tables}
        told = {(s, ".".join(_OLD.get(part, part) for part in one.split("."))) for s, one in told}
        assert not {one for _, one in told - _NO_DIFFERENCE} - listed(server), server
    known = {part for server in GAPS[gaps] for what in listed(server) for part in (what, *what.split("."))}
    cells = re.findall(r"^\| *([^|]+?) *\|", text, re.MULTILINE)
    for cell in [c for c in cells if not re.match(r"-+$|table\.column|real name", c)]:
        words = set(re.findall(r"[a-z_]+(?:\.[a-z_]+)?", cell))
        assert words & known or cell in ("ids", "cross-org access"), cell


def test_the_page_of_the_gym_tells_where_the_list_is():
    page = (ROOT / "docs/gym.md").read_text()
    assert "eops_traj/gym/differences.json" in page
    settled = sum("settled" in entry for entry in ENTRIES)
    assert f"{settled} are settled" in page and f"{len(ENTRIES) - settled} are left" in page
