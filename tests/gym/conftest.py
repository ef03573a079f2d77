import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from eops_traj.gym.engine.database import Database
from eops_traj.gym.registry import server
from eops_traj.gym.server import Identity, Server
from eops_traj.gym.tools.responses import Responses

TINY = {
    "schema.sql": """
CREATE TABLE users (
    user_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id. [USER_%03d]
    email VARCHAR(120) NOT NULL UNIQUE CHECK (email LIKE '%@%'),  -- Address.
    role TEXT NOT NULL DEFAULT 'agent' CHECK (role IN ('admin', 'agent')),  -- Role.
    note TEXT,  -- What is known - if anything.
    active BOOLEAN NOT NULL DEFAULT 1,  -- Whether active.
    extra JSON,  -- Anything else.
    number TEXT,  -- Number. [U-%06d of user_id]
    tag TEXT,  -- Tag. [tag_{hex}]
    created_at DATETIME,  -- Made. [created]
    updated_at DATETIME  -- Changed. [updated]
);
CREATE TABLE post (
    post_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id. [P_%03d]
    author VARCHAR(32) NOT NULL REFERENCES users (user_id)  -- Who wrote it.
);
""",
    "tools.sql": """
-- add_user(email!, role?, note?, extra) -> row
-- Add a user.
--   email: Address. {format: email}
INSERT INTO users {values} RETURNING *;

-- edit_user(user_id!, email, role?, note?) -> row
-- Change a user.
-- @blank null
-- @unchanged NO_CHANGES_DETECTED: No changes detected for fields: {fields} ({values})
-- @refuse FORBIDDEN_WORD: '{note}' is not allowed WHEN :note = 'bad'
-- @else NOT_FOUND: User not found with identifier '{user_id}'
UPDATE users SET {changes} WHERE user_id = :user_id RETURNING user_id, email, role, note, active, updated_at;

-- find_users(email ~, role?, roles[] = role, active, since > created_at) -> rows
-- @closed
SELECT user_id, active, extra, count(*) OVER () > 1 AS "several BOOLEAN"
FROM users WHERE {filters} ORDER BY 1;

-- get_user(user_id!) -> row
SELECT * FROM users WHERE user_id = :user_id;

-- drop_users(user_id, email) -> deleted
-- @any
-- @allow admin
DELETE FROM users WHERE {filters};

-- annotate(userId! = user_id, _note = note) -> done
--   _note: Text. {default: seen}
UPDATE users SET note = :_note WHERE user_id = :userId RETURNING 1;

-- write_post(author!) -> row
INSERT INTO post {values, post_id = 'P_' || :caller_user_id} RETURNING *;
""",
    "tools.py": '''
"""Functions."""
from eops_traj.gym.tools.tool import tool

@tool
def rename_then_fail(call):
    """(user_id!, how) -> row of users

    Change a row, then fail in one way or another.
      how: Which way. {type: string, enum: [refuse, bug]}
    """
    call.rows("UPDATE users SET note = 'changed' WHERE user_id = :user_id RETURNING 1")
    if call.arguments["how"] == "refuse":
        call.refuse("no", "NO")
    raise RuntimeError("a bug")
''',
    "policy.md": "Be kind.\n",
    "seed.py": '''
"""Rows."""
def seed(rng):
    yield "users", [{"user_id": f"USER_{n:03d}", "email": f"u{n}@x.org", "extra": '{"n": 1}',
                     "created_at": "2025-01-01 00:00:00"} for n in (1, 7)]
''',
}


class Coded(Responses):
    absent_row = None

    def refusal(self, tool: str, refusal: object) -> str:
        return f"{refusal.code}|{refusal}"  # type: ignore[attr-defined]


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server of the other kind: ids are strings, nulls and blanks mean something, JSON is read."""
    package = f"tiny_{tmp_path.name.replace('-', '_')}"
    folder = tmp_path / package
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    for name, text in TINY.items():
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    identity = Identity("x-token", "SELECT * FROM users WHERE user_id = :value", required=False)
    converted = frozenset({"BOOLEAN", "JSON"})
    yield Server(
        "tiny", "gym-tiny", 9, package, Coded(), identity, empty_text="drop", converted_types=converted
    )
    for name in [m for m in sys.modules if m.startswith(package)]:
        del sys.modules[name]


@pytest.fixture
def csm() -> Server:
    return server("csm")


@pytest.fixture
def database(csm: Server) -> Iterator[Database]:
    opened = csm.template().open()
    yield opened
    opened.close()
