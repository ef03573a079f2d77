"""Seeds that give a key twice: no row comes from nowhere, and the tools that look for the key work on."""

import base64
from pathlib import Path
from typing import Any

import pytest

from eops_traj.gym import servers
from eops_traj.gym.engine.seeds import load_seed
from eops_traj.gym.registry import server
from eops_traj.sandbox.embedded import open_session
from tests.gym.servers.drive.conftest import OFFICE

MAILBOXES = (
    "INSERT INTO users (id, email, name) VALUES"
    " ('user_001', 'u1@x.example', 'U'), ('user_002', 'u2@x.example', 'V');"
)
INBOX = "INSERT INTO labels (user_id, id, name, type) VALUES ('user_001', 'INBOX', 'INBOX', 'system');"
FORWARDING = "INSERT INTO auto_forwarding (user_id) VALUES ('user_001');"
ALIAS = "INSERT INTO send_as_aliases (user_id, send_as_email) VALUES ('user_001', 'u1@x.example');"
THREAD = "INSERT INTO threads (id, user_id) VALUES ('t1', 'user_001');"
WATCHED = (
    "INSERT INTO watches (user_id, topic_name, expiration, history_id)"
    " VALUES ('user_001', 'projects/a/topics/b', 1, 1);"
)
TOKEN = "INSERT INTO change_tokens (scope) VALUES ('drive:team');"
PATH = "INSERT INTO path_closure (ancestor_id, descendant_id, depth) VALUES ('work', 'plan', 7);"
ORGANIZATION = (
    "INSERT INTO teams_orgs (org_id, tenant_id, display_name) VALUES ('o', 't', 'O');"
    "INSERT INTO teams_users (org_id, user_id, user_principal_name, display_name) VALUES"
    " ('o', 'ana', 'ana@o.example', 'Ana'), ('o', 'ben', 'ben@o.example', 'Ben');"
)
PRESENCE = "INSERT INTO teams_presence_sessions (org_id, user_id) VALUES ('o', 'ana');"
MAIL = base64.urlsafe_b64encode(b"To: u2@x.example\r\nSubject: hi\r\n\r\nHello").decode()
WATCH = {"userId": "me", "topicName": "projects/a/topics/c", "labelIds": ["INBOX"]}
STATUS = {"user_id": "ana", "statusMessage": {"message": {"content": "Away", "contentType": "text"}}}


def test_no_server_waits_for_a_conflict_of_keys() -> None:
    sources = [path for name in ("*.py", "*.sql") for path in Path(servers.__path__[0]).rglob(name)]
    waiting = [path.name for path in sources if "ON CONFLICT" in path.read_text(encoding="utf-8").upper()]
    assert len(sources) > 100 and waiting == []


@pytest.mark.parametrize(
    ("table", "row", "rows"),
    [("labels", INBOX, 28), ("auto_forwarding", FORWARDING, 2), ("send_as_aliases", ALIAS, 2)],
)
def test_what_mailboxes_lack_is_added_once_whatever_is_there_twice(table: str, row: str, rows: int) -> None:
    template = load_seed(server("email").schema, MAILBOXES + row + row)
    [loosened] = template.schema.loosened
    assert (loosened.table, loosened.count) == (table, 1)
    assert template.open().run_sql(f"SELECT count(*) FROM {table}").rows == ((rows + 1,),)


@pytest.mark.parametrize(
    ("name", "company", "row", "tool", "arguments", "query", "rows"),
    [
        ("email", MAILBOXES, THREAD, "send_message", {"userId": "me", "raw": MAIL},
         "SELECT user_id, count(*) FROM threads GROUP BY user_id", (("user_001", 3), ("user_002", 1))),
        ("email", MAILBOXES, WATCHED, "watch_user_mailbox", WATCH,
         "SELECT user_id, topic_name FROM watches", (("user_001", "projects/a/topics/c"),)),
        ("drive", OFFICE, TOKEN, "update_drives", {"driveId": "team", "name": "Teams"},
         "SELECT scope, count(*), count(last_token) FROM change_tokens GROUP BY scope",
         (("drive:team", 2, 2), ("global", 1, 1), ("user:ana", 1, 1))),
        ("drive", OFFICE, PATH, "update_files", {"fileId": "work", "addParents": "shelf"},
         "SELECT ancestor_id, depth FROM path_closure WHERE descendant_id = 'plan' ORDER BY depth",
         (("plan", 0), ("work", 1), ("work", 1), ("shelf", 2))),
        ("teams", ORGANIZATION, PRESENCE, "set_user_status_message", STATUS,
         "SELECT user_id, status_message IS NULL FROM teams_presence_sessions", (("ana", 0), ("ana", 0))),
    ],
    ids=["threads", "watches", "change_tokens", "path_closure", "teams_presence_sessions"],
)  # fmt: skip
def test_a_tool_that_looks_for_a_row_by_its_key_finds_both(
    name: str, company: str, row: str, tool: str, arguments: dict[str, Any], query: str, rows: Any
) -> None:
    with open_session({name: company + row + row}) as session:
        [loosened] = session.database(name).schema.loosened
        assert (loosened.kind, loosened.count) == ("duplicate", 1)
        reply = session.call_tool(tool, arguments)
        assert not reply.is_error, reply.text
        assert session.run_sql(name, query).rows == rows
