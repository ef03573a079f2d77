"""The cases that the HR server starts with: a year of them, with tasks, links and notifications."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from eops_traj.gym.company.company import Person
from eops_traj.gym.engine import clock
from eops_traj.gym.engine.templates import Row
from eops_traj.gym.servers.hr import seed_catalogue
from eops_traj.gym.servers.hr.seed_catalogue import (
    CATEGORIES,
    GROUP_OF,
    ORG,
    SERVICES,
    TASKS,
    SeedIds,
    Service,
)

_NOW = clock.START.replace(tzinfo=None)
_CASES = 100
_FIRST_CASE, _FIRST_TASK = 711, 1000
_OVERLOOKED = 23
"""From this case on, the first that has a task was closed with it still open."""

_OLD_STATUSES = {  # status: its weight
    "closed_complete": 70, "closed_incomplete": 8, "cancelled": 8, "suspended": 6, "awaiting_acceptance": 8,
}  # fmt: skip
_NEW_STATUSES = {
    "draft": 15, "ready": 20, "awaiting_approval": 25, "work_in_progress": 30, "suspended": 5,
    "closed_complete": 5,
}  # fmt: skip
_WORKNOTES = {
    "draft": None, "ready": "Waits for someone to take it", "awaiting_approval": "Waits for approval",
    "work_in_progress": "In the works", "suspended": "Waits for papers from the employee",
    "awaiting_acceptance": "Proposed an answer, waits for the employee", "closed_complete": "Done",
    "closed_incomplete": "Could not be done", "cancelled": "Withdrawn by the employee",
}  # fmt: skip
_NOTIFICATION_TYPES = {
    "awaiting_approval": "reminder", "awaiting_acceptance": "solution_proposal", "closed_complete": "report",
    "closed_incomplete": "alert", "cancelled": "alert",
}  # fmt: skip
_REQUEST_STATUSES = {
    "draft": None, "ready": None, "awaiting_approval": "requested", "closed_incomplete": "rejected",
    "cancelled": "requested",
}  # fmt: skip
_SKILLS = {
    "Payroll": ("Payroll", "Income Tax"), "Total Rewards": ("Benefits",), "HRIT": ("Portal Administration",),
    "Workforce Administration": (), "Talent Management": (),
}  # fmt: skip
_HELPFUL_ARTICLES = {  # category: the numbers of the articles that help
    "Payroll": (1, 2, 3), "Benefits": (5, 6, 7), "Leave": (8, 9), "Employee Lifecycle": (10, 11),
    "Employee Records": (12,), "Employee Relations": (14,), "HR Portal": (15,),
}  # fmt: skip


@dataclass(frozen=True)
class _Case:
    """A case with its service, its person and its team, which its tasks and notifications need."""

    row: dict[str, Any]
    service: Service
    person: Person
    team: tuple[int, ...]


def case_tables(rng: Random, ids: SeedIds) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield the tables of cases, parents first."""
    opening_times = sorted(_opening_time(rng) for _ in range(_CASES))
    cases = [_case(rng, ids, number, opened) for number, opened in enumerate(opening_times, 1)]
    tasks = [row for case in cases for row in _tasks(rng, case)]
    for number, task in enumerate(tasks, 1):
        task |= {"hr_case_task_id": number, "number": f"HRT{_FIRST_TASK - 1 + number:07d}"}
    _leave_task_open(cases, tasks)
    yield "hr_case", [case.row for case in cases]
    yield "hr_case_task", tasks
    yield "checklist", [row for task in tasks for row in _checklist(task)]
    yield "survey_instance", [row for task in tasks for row in _survey_instances(rng, cases, task)]
    yield "hr_case_knowledge", [row for case in cases for row in _knowledge_links(rng, case)]
    yield "notification", [row for case in cases for row in _notifications(ids, case)]


def _opening_time(rng: Random) -> datetime:
    """Draw a moment of an office day of the last year, more often a recent one."""
    days = 1 + int(360 * rng.random() ** 2)
    return _NOW - timedelta(days=days) + timedelta(minutes=rng.randrange(-120, 9 * 60))


def _leave_task_open(cases: list[_Case], tasks: list[dict[str, Any]]) -> None:
    """Leave a task of a closed case open, as happens."""
    closed = {c.row["hr_case_id"] for c in cases[_OVERLOOKED:] if c.row["status"] == "closed_complete"}
    next(task for task in tasks if task["parent_case"] in closed).update(status="ready", active=1)


def _case(rng: Random, ids: SeedIds, number: int, opened: datetime) -> _Case:
    service_id = rng.choice([n for n, s in enumerate(SERVICES, 1) if s.asks and (s.active or number < 9)])
    service = SERVICES[service_id - 1]
    coe = CATEGORIES[service.category]
    present = service.name != "Employee Offboarding"
    person = rng.choice([p for p in ids.company.people if p.active == present])
    team = tuple(n for n in ids.groups[GROUP_OF[coe]] if ids.company.person(n).active)
    status = _status(rng, service, opened)
    row = {
        "hr_case_id": number, "number": f"HRC{_FIRST_CASE - 1 + number:07d}", "status": status,
        "hr_service": service_id, "opened_for": person.number,
        "priority": rng.choices(("critical", "high", "moderate", "low", "planning"), (5, 20, 40, 25, 10))[0],
        "assignment_group": ids.group(GROUP_OF[coe]), "short_description": rng.choice(service.asks),
        "worknotes": _WORKNOTES[status], "skills": ids.skills(_SKILLS[coe]) if _SKILLS[coe] else None,
        "coe_type": coe,
    }  # fmt: skip
    row |= _participants(rng, person, team, status) | _approval(ids, service, person, status)
    return _Case(row | _account(rng, service) | ORG | _stamps(rng, opened), service, person, team)


def _participants(rng: Random, person: Person, team: tuple[int, ...], status: str) -> dict[str, Any]:
    """Draw the source of the case, who opened it, and who works on it."""
    source = rng.choice(("self-service", "phone", "email", "chat", "walk-in", "virtual-agent"))
    alone = source in ("self-service", "virtual-agent")
    return {
        "source": source,
        "opened_by": person.number if alone else rng.choice(team),
        "assigned_to": None if status in ("draft", "ready") else rng.choice(team),
    }


def _status(rng: Random, service: Service, opened: datetime) -> str:
    odds = _OLD_STATUSES if _NOW - opened > timedelta(days=45) else _NEW_STATUSES
    status = rng.choices(list(odds), list(odds.values()))[0]
    waiting = "awaiting_approval" if _needs_approval(service) else "ready"
    return waiting if status in ("ready", "awaiting_approval") else status


def _needs_approval(service: Service) -> bool:
    return bool(service.criteria) and str(service.criteria).endswith("Approval")


def _approval(ids: SeedIds, service: Service, person: Person, status: str) -> dict[str, Any]:
    """Return the criteria, the approver and the state of the approval."""
    if not _needs_approval(service):
        return {"approval_criteria": None, "approver": None, "request_status": None}
    teams = {"Finance Approval": "Finance Approvals", "Talent Approval": "Talent Team"}
    members = ids.groups.get(teams.get(str(service.criteria), ""), ())
    head = ids.company.of("Human Resources")[0].number
    able = [n for n in members if ids.company.person(n).active and n != person.number]
    return {
        "approval_criteria": ids.criteria(service.criteria),
        "approver": able[0] if able else person.manager or head,
        "request_status": _REQUEST_STATUSES.get(status, "approved"),
    }


def _account(rng: Random, service: Service) -> dict[str, Any]:
    if service.name != "Direct Deposit Change":
        return {"account_number": None, "account_type": None}
    kind = rng.choices(("checking", "savings", "other"), (70, 25, 5))[0]
    return {"account_number": f"ACC-{rng.randrange(10**8):08d}", "account_type": kind}


def _tasks(rng: Random, case: _Case) -> Iterator[dict[str, Any]]:
    """Yield the tasks of a case, done one after the other."""
    portal = next(n for n, s in enumerate(SERVICES, 1) if s.name == "Portal Account Unlock")
    for position, name in enumerate(case.service.tasks):
        task = TASKS[name]
        status = _task_status(rng, case, position)
        yield {
            "status": status, "assigned_to": None if status == "draft" else rng.choice(case.team),
            "assignment_group": case.row["assignment_group"], "short_description": name,
            "task_type": task.kind,
            "hr_service": portal if task.kind == "hr service" else None, "external_url": task.url,
            "worknotes": None,
            "active": int(not status.startswith(("closed", "cancelled"))),
            "parent_case": case.row["hr_case_id"], "created_at": case.row["created_at"],
            "updated_at": case.row["updated_at"],
        } | ORG  # fmt: skip


def _task_status(rng: Random, case: _Case, position: int) -> str:
    status = str(case.row["status"])
    if status in ("draft", "closed_complete", "closed_incomplete", "cancelled"):
        return status
    if status in ("ready", "awaiting_approval"):
        return "draft" if position else "ready"
    if status == "awaiting_acceptance":
        return "closed_complete"
    if not position and rng.random() < 0.6:
        return "closed_complete"
    return rng.choice(("work_in_progress", "ready"))


def _checklist(task: dict[str, Any]) -> Iterator[Row]:
    items = TASKS[task["short_description"]].items
    for position, text in enumerate(items):
        done = task["status"] == "closed_complete" or (task["status"] == "work_in_progress" and not position)
        yield {
            "checklist_item_description": text, "checked": int(done), "case_task_id": task["hr_case_task_id"],
            "created_at": task["created_at"], "updated_at": task["updated_at"],
        } | ORG  # fmt: skip


def _survey_instances(rng: Random, cases: list[_Case], task: dict[str, Any]) -> Iterator[Row]:
    """Yield a survey for the person of the case: leavers are asked why, all others how content they are."""
    if task["task_type"] != "survey":
        return
    case = cases[task["parent_case"] - 1]
    survey = 3 if case.service.category == "Employee Lifecycle" else 1
    questions = len(seed_catalogue.SURVEYS[survey - 1]) if task["status"] == "closed_complete" else 0
    answers = [rng.choice(seed_catalogue.ANSWERS) for _ in range(questions)]
    yield {
        "survey_id": survey, "case_task_id": task["hr_case_task_id"], "assigned_to": case.person.number,
        "created_at": task["created_at"], "updated_at": task["updated_at"],
    } | ORG | {f"answer_{n}": answer for n, answer in enumerate(answers, 1)}  # fmt: skip


def _knowledge_links(rng: Random, case: _Case) -> Iterator[Row]:
    articles = _HELPFUL_ARTICLES.get(case.service.category, ())
    if case.row["status"] == "draft" or not articles or rng.random() < 0.4:
        return
    used_as = {"closed_complete": "resolution", "awaiting_acceptance": "applied"}.get(
        case.row["status"], "suggested"
    )
    yield {
        "hr_case_id": case.row["hr_case_id"], "knowledge_id": rng.choice(articles), "used_as": used_as,
        "created_at": case.row["updated_at"], "updated_at": case.row["updated_at"],
    } | ORG  # fmt: skip


def _notifications(ids: SeedIds, case: _Case) -> Iterator[Row]:
    """Yield a notification to the person's private address, and one to the approver."""
    status, number = str(case.row["status"]), case.person.number
    profile = ids.profiles.get(number)
    private = f"{case.person.user_name}.{profile}@mailbox.example" if profile else case.person.email
    yield _notification(case, private, _NOTIFICATION_TYPES.get(status, "update"))
    if case.row["request_status"]:
        yield _notification(case, ids.company.person(case.row["approver"]).email, "reminder")


def _notification(case: _Case, email: str, kind: str) -> Row:
    return {
        "hr_case_id": case.row["hr_case_id"], "email": email, "type": kind, "status": case.row["status"],
        "created_at": case.row["updated_at"], "updated_at": case.row["updated_at"],
    } | ORG  # fmt: skip


def _stamps(rng: Random, opened: datetime) -> dict[str, str]:
    changed = opened + min(timedelta(days=20), _NOW - opened) * rng.random() * 0.9
    return {"created_at": f"{opened:%Y-%m-%d %H:%M:%S}", "updated_at": f"{changed:%Y-%m-%d %H:%M:%S}"}
