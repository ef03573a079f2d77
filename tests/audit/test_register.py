"""The audit finds each kind of defect, with its evidence, and blames no look-alike."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.audit.findings import REASONS, Finding
from eops_traj.audit.register import audit_task, audit_tasks, with_defects
from eops_traj.bundle import task_defect
from eops_traj.gym import registry
from eops_traj.hashing import canonical_json
from eops_traj.schema import Json, Server, Task
from tests.audit.broken import COUNT, SEED, imported, seeds, verifier

NAME = "SELECT name FROM account WHERE account_id = 1"
KEY = "SELECT account_id FROM account WHERE name = 'Fern'"
STATE = "SELECT CASE WHEN COUNT(*) = 1 THEN {} ELSE {} END FROM account"
DEFECTS: list[tuple[Any, Any, str, str]] = [  # query, expected, reason, evidence
    ("SELECT COUNT(*) FROM acount", 1, "broken_query", "no such table: acount"),
    ("SELECT COUNT(*) FROM account WHERE nam = 'x'", 1, "broken_query", "no such column: nam"),
    ("DELETE FROM account", 1, "broken_query", "read-only"),
    ("", 1, "broken_query", "no SQL query"),
    (COUNT, "1", "text_for_number", "expects the text '1'"),
    ("SELECT SUM(active) FROM account", "2", "text_for_number", "is a number"),
    (STATE.format(1, 0), "1", "text_for_number", "is a number"),
    (KEY, "1", "text_for_number", "is a number"),
    ("SELECT COUNT(*) > 0 AND SUM(active) < 9 FROM account", "1", "text_for_number", "is a number"),
    ("SELECT SUM(name || 'x' = 'Fernx') AS \"a || b\" FROM account", "1", "text_for_number", "is a number"),
    (NAME, 7, "number_for_text", "expects the number 7"),
    (COUNT, [], "cannot_pass", "expects []"),
    (COUNT, -1, "cannot_pass", "a count that equals -1"),
]
SOUND: list[tuple[Any, Any]] = [
    (COUNT, 1), (COUNT, True), (KEY, 1), (NAME, "Fern Ltd"), (NAME, "7"),
    (STATE.format("'yes'", "'no'"), "yes"),
    ("SELECT name, active FROM account WHERE account_id = 1", {"name": "Fern", "active": 0}),
    ("SELECT coalesce(email_domain, 0) FROM account WHERE account_id = 1", "fern.org"),
    ("SELECT email_domain FROM account WHERE account_id = 1", 5), (NAME, None), (NAME, []),
    ("SELECT COUNT(*) || '' FROM account", "2"), ("SELECT SUM(active)||'' FROM account", "1"),
    ("SELECT COUNT(*) || ' rows, sum ' || COALESCE(SUM(active), 0) FROM account", "2 rows, sum 2"),
    (STATE.format(1, 0).replace("END", "END || ''"), "1"), ("SELECT LENGTH(name)||'x' FROM account", "4x"),
    (STATE.format("(SELECT name FROM account)", 0), "Fern"),
    ("SELECT COUNT(*) - 5 FROM account", -3), ("SELECT COUNT(*) / 4.0 FROM account", 0.5),
    ("SELECT COUNT(*) FROM account GROUP BY name HAVING COUNT(*) > 1", []),
    ("SELECT COUNT(*) FROM account WHERE active = 7 UNION SELECT name FROM account LIMIT 1", "0"),
    ("SELECT role FROM account JOIN user ON user_id = account_id", 1),
]  # fmt: skip


def reasons(task: Task, root: Path | None) -> list[str]:
    return [finding.reason for finding in audit_task(task, root)]


@pytest.mark.parametrize(("query", "expected", "reason", "evidence"), DEFECTS)
def test_a_verifier_that_cannot_be_met_is_found(tmp_path, query, expected, reason, evidence):
    task = imported(verifier(), verifier(query, expected, name="Second"))
    (finding,) = audit_task(task, seeds(tmp_path))
    assert (finding.reason, finding.verifier, finding.number) == (reason, "Second", 1)
    assert evidence in finding.evidence and finding.defect and reason in REASONS


@pytest.mark.parametrize(("query", "expected"), SOUND)
def test_one_that_can_be_met_is_not_blamed(tmp_path, query, expected):
    assert reasons(imported(verifier(), verifier(query, expected)), seeds(tmp_path)) == []


@pytest.mark.parametrize(
    ("comparison", "expected", "found"),
    [
        ("contains", 1, ["cannot_pass"]),
        ("contains", "1", []),
        ("is_like", 1, ["cannot_pass"]),
        (["equals"], 1, ["cannot_pass"]),
        ("less_than", 0, ["cannot_pass"]),
        ("less_than", 1, []),
        ("greater_than", "0", ["text_for_number"]),
        ("greater_than", 0, []),
    ],
)
def test_comparisons_that_never_hold_are_found(tmp_path, comparison, expected, found):
    task = imported(verifier(), verifier(COUNT, expected, comparison))
    assert reasons(task, seeds(tmp_path)) == found


def test_tools_verifiers_and_callers_that_are_not_there_are_found(tmp_path):
    stranger = Server(name="sn-csm-server", seed="dbs/seed.sql", context=Json('{"x-user-email":"no@x.org"}'))
    nobody = Server(name="sn-csm-server", seed="dbs/seed.sql")
    root = seeds(tmp_path)
    assert reasons(imported(tools=("update_case", "fly_to_moon")), root) == ["unknown_tool"]
    assert reasons(imported(verifier(), verifier(server="gym-moon")), root) == ["unknown_verifier"]
    assert reasons(imported(verifier(kind="wish")), root) == ["unknown_verifier"]
    assert reasons(imported(servers=(stranger,)), root) == ["no_caller"]
    assert reasons(imported(servers=(nobody,)), root) == ["no_caller"]
    assert reasons(imported(verifiers=()), root) == ["no_verifier"]


USERS = "SELECT id, static_token FROM users WHERE active AND {} ORDER BY id"


def acting_in_another_mailbox(role: str, query: str) -> tuple[list[Finding], str, str]:
    """Audit a query, with another's id in it, of a task in which someone of this role acts."""
    email = registry.server("email")
    database = email.template().open()
    (me, token), *_ = database.run_sql(USERS.format(f"role = '{role}'")).rows
    other = database.run_sql(USERS.format("role = 'employee'")).rows[0][0]
    acting = Json(canonical_json({"x-email-user-token": token}))
    mail = Server(name=email.gym_name, seed="", details=Json('{"company":0}'), context=acting)
    checks = [
        verifier(query.format(user), n, server=mail.name, name=f"{user} {n}")
        for user, n in ((me, 1), (other, 1), (other, 0))
    ]
    return audit_task(imported(*checks, servers=(mail,), tools=()), None), me, other


def test_what_belongs_to_another_than_the_acting_user_is_found():
    query = "SELECT COUNT(*) FROM labels WHERE user_id = '{}' AND name = 'Moon'"
    (finding,), me, other = acting_in_another_mailbox("manager", query)
    assert (finding.reason, finding.verifier) == ("other_caller", f"{other} 1")
    assert f"{me} acts" in finding.evidence
    assert acting_in_another_mailbox("admin", query)[0] == []


def test_a_mailbox_that_nobody_has_cannot_be_opened():
    query = "SELECT COUNT(*) FROM labels WHERE user_id = 'nobody' AND name <> '{}'"
    found = acting_in_another_mailbox("manager", query)[0]
    assert {finding.reason for finding in found} == {"other_caller"}


def test_mail_that_reaches_another_is_not_blamed():
    query = "SELECT COUNT(*) FROM messages WHERE user_id = '{}' AND subject = 'Moon'"
    assert acting_in_another_mailbox("manager", query)[0] == []


def test_a_task_that_doing_nothing_passes_is_found(tmp_path):
    there = verifier("SELECT COUNT(*) FROM account WHERE name = 'Fern'", name="Account Fern was created")
    nothing = verifier("SELECT COUNT(*) FROM account WHERE name = 'Oak'", 0, name="No account was created")
    root = seeds(tmp_path)
    assert reasons(imported(there, nothing), root) == ["passes_untouched"]
    assert reasons(imported(there, verifier()), root) == []
    assert reasons(imported(nothing), root) == []
    assert reasons(imported(there, feasible=False), root) == []


def test_a_seed_that_is_not_there_is_a_finding_and_no_defect(tmp_path):
    (finding,) = audit_task(imported(), tmp_path)
    assert finding.reason == "missing_seed" and "seed.sql" in finding.evidence and not finding.defect
    (finding,) = audit_task(imported(), seeds(tmp_path, SEED + "DROP TABLE user;"))
    assert finding.reason == "bad_seed" and not finding.defect


def test_a_task_that_could_not_be_run_has_a_verdict_only_where_it_is_wrong(tmp_path):
    unrun, wrong = imported(), imported(verifier(COUNT, "1"), task_id="bad")
    register = audit_tasks([unrun, wrong], tmp_path)
    assert register.verdicts == [(wrong, "text_for_number: Fern was deactivated")]
    assert register.head() == {"tasks": 2, "defective": 1, "not_run": 2}


def test_two_modes_of_a_task_have_a_verdict_each(tmp_path):
    oracle = imported()
    more = replace(oracle, mode="plus_5_tools", tools=("update_case", "fly_to_moon"))
    (_, sound), (task, verdict) = audit_tasks([oracle, more], seeds(tmp_path)).verdicts
    assert sound is None and task == more and verdict.startswith("unknown_tool: fly_to_moon")


def test_the_verdict_goes_with_the_task_and_leaves_its_identity(tmp_path):
    sound, bad = imported(), imported(verifier(COUNT, "1"), task_id="bad")
    register = audit_tasks([sound, bad], seeds(tmp_path))
    assert register.head() == {"tasks": 2, "defective": 1, "not_run": 0}
    verdict = "text_for_number: Fern was deactivated"
    assert register.verdicts == [(sound, None), (bad, verdict)]
    marked = with_defects([sound, bad], tmp_path)
    assert [task_defect(task) for task in marked] == [None, verdict]
    assert [task.task_hash for task in marked] == [sound.task_hash, bad.task_hash]
    proven = imported(verifier(COUNT, "1"), plan="1. find_account()")
    assert with_defects([proven], tmp_path) == [proven]


def test_rows_are_plain_json(tmp_path):
    (row,) = [finding.row() for finding in audit_task(imported(verifier(COUNT, "1")), seeds(tmp_path))]
    assert (
        json.loads(json.dumps(row)) == row and row["defect"] and row["meaning"] == REASONS["text_for_number"]
    )
