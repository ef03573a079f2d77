import json

import pytest

from eops_traj.gym.registry import server

FOLDER = "application/vnd.google-apps.folder"
DOCUMENT = "application/vnd.google-apps.document"
OFFICE = """
INSERT INTO users (id, display_name, email, auth_token, permission_id, me) VALUES
    ('ana', 'Ana Ruiz', 'ana@x.org', 't-ana', 'perm_ana', 1),
    ('ben', 'Ben Okoro', 'ben@x.org', 't-ben', 'perm_ben', 0),
    ('cleo', 'Cleo Lind', 'cleo@x.org', 't-cleo', 'perm_cleo', 0),
    ('dov', 'Dov Katz', 'dov@other.org', 't-dov', 'perm_dov', 0);
INSERT INTO groups (id, name, email) VALUES
    ('ops', 'Operations', 'ops@x.org'), ('admins', 'Drive Administrators', 'drive-admins@x.org');
INSERT INTO group_memberships (id, group_id, user_id, role) VALUES
    ('m1', 'ops', 'cleo', 'member'), ('m2', 'admins', 'cleo', 'owner');
INSERT INTO drives (id, name, created_time) VALUES
    ('team', 'Team', '2025-01-01 00:00:00'), ('vault', 'Vault', '2025-02-01 00:00:00');
INSERT INTO drive_memberships (id, drive_id, type, user_id, group_id, role) VALUES
    ('d1', 'team', 'user', 'ana', NULL, 'organizer'), ('d2', 'team', 'user', 'ben', NULL, 'writer'),
    ('d3', 'team', 'group', NULL, 'ops', 'reader'), ('d4', 'vault', 'user', 'ben', NULL, 'organizer');
INSERT INTO files
    (id, drive_id, name, mime_type, parent_id, created_by, created_time, modified_time) VALUES
    ('work', NULL, 'Work', '{FOLDER}', NULL, 'ana', '2025-03-01 00:00:00', '2025-03-01 00:00:00'),
    ('plan', NULL, 'Plan', '{DOCUMENT}', 'work', 'ana', '2025-03-02 00:00:00', '2025-03-05 00:00:00'),
    ('scan', NULL, 'Scan.pdf', 'application/pdf', 'work', 'ana',
        '2025-03-03 00:00:00', '2025-03-04 00:00:00'),
    ('bens', NULL, 'Notes', '{DOCUMENT}', NULL, 'ben', '2025-03-04 00:00:00', '2025-03-04 00:00:00'),
    ('shelf', 'team', 'Shelf', '{FOLDER}', NULL, 'ana', '2025-03-01 00:00:00', '2025-03-01 00:00:00'),
    ('book', 'team', 'Book', '{DOCUMENT}', 'shelf', 'ben', '2025-03-06 00:00:00', '2025-03-06 00:00:00'),
    ('gold', 'vault', 'Gold', '{DOCUMENT}', NULL, 'ben', '2025-03-07 00:00:00', '2025-03-07 00:00:00');
INSERT INTO permissions (id, file_id, role, type, user_id, email_address, created_time) VALUES
    ('p1', 'work', 'owner', 'user', 'ana', 'ana@x.org', '2025-03-01 00:00:00'),
    ('p2', 'plan', 'owner', 'user', 'ana', 'ana@x.org', '2025-03-02 00:00:00'),
    ('p3', 'bens', 'owner', 'user', 'ben', 'ben@x.org', '2025-03-04 00:00:00'),
    ('p4', 'bens', 'commenter', 'user', 'ana', 'ana@x.org', '2025-04-01 00:00:00');
INSERT INTO revisions (id, file_id, revision_number, mime_type, size_bytes) VALUES
    ('r1', 'scan', 1, 'application/pdf', 10), ('r2', 'scan', 2, 'application/pdf', 20),
    ('r3', 'plan', 1, '{DOCUMENT}', NULL);
UPDATE files SET head_revision_id = 'r2', size_bytes = 20 WHERE id = 'scan';
INSERT INTO labels (id, key, name, type, options, required) VALUES
    ('l1', 'class', 'Class', 'enum', '["low", "high"]', 1), ('l2', 'years', 'Years', 'number', NULL, 0),
    ('l3', 'due', 'Due', 'date', NULL, 0), ('l4', 'ok', 'Okay', 'boolean', NULL, 0),
    ('l5', 'note', 'Note', 'string', NULL, 0);
INSERT INTO access_proposals
    (id, file_id, requester_email, recipient_email, proposed_roles, status, created_at) VALUES
    ('a1', 'plan', 'ben@x.org', 'ana@x.org', '["writer"]', 'pending', '2026-01-02T00:00:00.000Z'),
    ('a2', 'plan', 'dov@other.org', NULL, '["reader"]', 'denied', '2026-01-01T00:00:00.000Z');
""".replace("{FOLDER}", FOLDER).replace("{DOCUMENT}", DOCUMENT)
"""A small office: Ana acts, Ben works with her, Cleo administers, Dov is from elsewhere."""


@pytest.fixture(scope="session")
def drive():
    return server("drive")


@pytest.fixture
def database(drive):
    opened = drive.template(OFFICE).open()
    yield opened
    opened.close()


@pytest.fixture
def ask(drive, database):
    """Return a function that calls a tool, as Ana or whom `by` names, and returns the reply."""
    return lambda name, /, by=None, **arguments: drive.call(database, name, arguments, by and f"t-{by}")


@pytest.fixture
def answer(ask):
    """Return a function that calls a tool and returns its answer."""

    def call(name, /, by=None, **arguments):
        reply = ask(name, by, **arguments)
        assert not reply.is_error, reply.text
        return json.loads(reply.text) if reply.text.startswith("{") else reply.text

    return call


@pytest.fixture
def refused(ask):
    """Return a function that calls a tool and returns HTTP status, reason and location of its refusal."""

    def call(name, /, by=None, **arguments):
        reply = ask(name, by, **arguments)
        assert (reply.is_error, reply.changes) == (True, ()), reply.text
        error = json.loads(reply.text)["error"]
        return error["code"], error["errors"][0]["reason"], error["errors"][0].get("location")

    return call


@pytest.fixture
def rows(database):
    """Return a function that returns the rows of a query on the same database."""
    return lambda sql: database.run_sql(sql, limit=None).rows
