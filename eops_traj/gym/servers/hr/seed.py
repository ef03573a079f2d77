"""The company that the HR server starts with: its people and what HR offers; the work is in seed_work.py."""

import json
from collections.abc import Iterable, Iterator
from datetime import timedelta
from random import Random
from typing import Any

from eops_traj.gym.company.company import TODAY, Person, company
from eops_traj.gym.engine.templates import Row
from eops_traj.gym.servers.hr import seed_catalogue
from eops_traj.gym.servers.hr.seed_catalogue import CATEGORIES, SERVICES, SHELVED, Service
from eops_traj.gym.servers.hr.seed_reference_rows import HERE, SINCE, Frame
from eops_traj.gym.servers.hr.seed_work import work

_ROLES = ("admin", "manager", "agent", "employee")
_RESOURCES = (
    "users", "groups", "hr_services", "hr_cases", "hr_profiles", "topic_categories", "topic_details",
    "service_templates", "hr_criteria", "skills", "knowledge", "surveys", "assignment_rules",
    "escalation_rules", "notifications", "checklists", "survey_instances", "reports", "hr_case_tasks",
)  # fmt: skip
_GROUP_TYPES = {
    "IT Operations": "IT Support", "Security": "IT Support", "Engineering": "Infrastructure Problem Team",
    "Field Services": "Field Support Technicians",
}  # fmt: skip
_POSITIONS = {
    "Engineering": "Software Engineer", "IT Operations": "IT Support", "Security": "IT Support",
    "Customer Support": "IT Support", "Field Services": "IT Support", "Human Resources": "HR",
    "Sales": "Sales", "Marketing": "Sales",
}  # fmt: skip
_HOME = {"USA": "US", "UK": "GB", "India": "IN", "Japan": "JP", "Australia": "AU"}
_ELSEWHERE = ("US", "GB", "CA", "IN", "DE", "FR", "JP", "CN", "AU", "BR")


def seed(rng: Random) -> Iterator[tuple[str, Iterable[Row]]]:
    """Tables by name with their rows, parents first. Pure: the same ``rng``, the same rows."""
    frame = Frame(company(rng))
    yield from _organization(frame)
    yield "user", [_user(p) for p in frame.company.people]
    yield (
        "user_role",
        [
            {"user_id": p.number, "role_id": _ROLES.index(p.role) + 1} | HERE | SINCE
            for p in frame.company.people
        ],
    )
    yield from _groups(frame)
    yield (
        "skill",
        [
            _named("skill_id", n, name, name != "Fax Archive")
            for n, name in enumerate(seed_catalogue.SKILLS, 1)
        ],
    )
    yield "user_skill", _user_skills(rng, frame)
    yield "hr_profile", [_profile(rng, frame, frame.company.person(number)) for number in frame.profiles]
    yield from _offers(frame)
    yield from _rules(frame)
    yield from work(rng, frame)


def _organization(frame: Frame) -> Iterator[tuple[str, Iterable[Row]]]:
    """The company, one that it bought and sold again, and who may do what."""
    sold = {"org_id": 2, "name": "Halden Instruments", "active": 0}
    yield "organization", [{"org_id": 1, "name": frame.company.name, "active": 1} | SINCE, sold | SINCE]
    yield "role", [{"role_id": n, "name": name} | SINCE for n, name in enumerate(_ROLES, 1)]
    actions = [(resource, action) for resource in _RESOURCES for action in ("read", "crud")]
    yield (
        "permission",
        [
            {"perm_id": n, "resource": resource, "action": action} | SINCE
            for n, (resource, action) in enumerate(actions, 1)
        ],
    )
    yield (
        "role_permission",
        [
            {"role_id": role, "perm_id": actions.index((resource, _may(role, resource))) + 1} | SINCE
            for role in range(1, 5)
            for resource in _RESOURCES
        ],
    )


def _may(role: int, resource: str) -> str:
    return "crud" if role <= 2 or (role == 3 and resource == "hr_cases") else "read"


def _user(person: Person) -> Row:
    ended = {"updated_at": f"{person.left} 17:00:00"} if person.left else {"updated_at": SINCE["updated_at"]}
    return {
        "user_id": person.number, "first_name": person.first_name, "last_name": person.last_name,
        "email": person.email, "phone": person.phone, "role": person.role, "active": int(person.active),
        "static_token": f"{person.user_name}-token", "created_at": f"{person.hired} 09:00:00",
    } | HERE | ended  # fmt: skip


def _groups(frame: Frame) -> Iterator[tuple[str, Iterable[Row]]]:
    types = {g.name: _GROUP_TYPES.get(g.department, "Service Desk") for g in frame.company.groups}
    inactive = {name for name, _, _, active in seed_catalogue.GROUPS if not active}
    yield (
        "user_group",
        [
            _named("group_id", n, name, name not in inactive) | {"type": types.get(name, "Service Desk")}
            for n, name in enumerate(frame.groups, 1)
        ],
    )
    yield (
        "user_group_member",
        [
            {"group_id": frame.group(name), "user_id": number} | HERE | SINCE
            for name, members in frame.groups.items()
            for number in members
        ],
    )


def _named(key: str, number: int, name: str, active: bool = True) -> dict[str, Any]:
    return {key: number, "name": name, "active": int(active)} | HERE | SINCE


def _user_skills(rng: Random, frame: Frame) -> Iterator[Row]:
    """HR knows much, everyone else who works on requests a little."""
    for person in frame.company.people:
        most = 10 if person.department == "Human Resources" else 4 if person.role == "agent" else 0
        for skill in sorted(rng.sample(range(1, len(seed_catalogue.SKILLS)), rng.randint(most // 2, most))):
            yield {"skill": skill, "user": person.number} | HERE | SINCE


def _profile(rng: Random, frame: Frame, person: Person) -> Row:
    number = frame.profiles[person.number]
    kind = rng.choices(("full-time", "part-time", "contractor"), (74, 8, 18))[0]
    kind = "full-time" if person.role in ("admin", "manager") else kind
    term = TODAY + timedelta(days=rng.randrange(10, 200) * (1 if number % 2 else -1))
    end = person.left or (term if kind == "contractor" else None)
    born = person.hired - timedelta(days=rng.randrange(20 * 365, 40 * 365))
    usual = _POSITIONS.get(person.department, "Administration")
    return {
        "hr_profile_id": number, "number": f"HRP{number:05d}",
        "gender": rng.choices(("Female", "Male", "Other", None), (46, 46, 3, 5))[0],
        "user_id": person.number, "personal_email": f"{person.user_name}.{number}@mailbox.example",
        "marital_status": rng.choice(("Single", "Married", "Divorced", None)), "type": kind,
        "dob": f"{born} 00:00:00",
        "nationality": _HOME[person.site.country] if rng.random() < 0.7 else rng.choice(_ELSEWHERE),
        "employment_start_date": f"{person.hired} 09:00:00",
        "employment_end_date": f"{end} 00:00:00" if end else None,
        "manager": frame.profiles.get(person.manager or 0),
        "location_type": rng.choices(("Office Based", "Remote", "Hotdesk"), (60, 25, 15))[0],
        "national_tax_id": f"TAX-1-{number:04d}",
        "position": "Manager" if person.role == "manager" else "QA" if "Quality" in person.title else usual,
        "created_at": f"{person.hired} 09:30:00", "updated_at": SINCE["updated_at"],
    } | HERE  # fmt: skip


def _offers(frame: Frame) -> Iterator[tuple[str, Iterable[Row]]]:
    """Categories, topics, templates, criteria and services."""
    topics = list(dict.fromkeys((s.category, s.topic) for s in SERVICES))
    yield (
        "topic_category",
        [
            _named("topic_category_id", n, name, name not in SHELVED) | {"coe_type": coe}
            for n, (name, coe) in enumerate(CATEGORIES.items(), 1)
        ],
    )
    yield (
        "topic_detail",
        [
            _named("topic_detail_id", n, name, name not in SHELVED)
            | {"topic_category": list(CATEGORIES).index(category) + 1}
            for n, (category, name) in enumerate(topics, 1)
        ],
    )
    yield "service_template", [_template(n, *row) for n, row in enumerate(seed_catalogue.TEMPLATES, 1)]
    yield "hr_criteria", [_criteria(frame, n, *row) for n, row in enumerate(seed_catalogue.CRITERIA, 1)]
    yield "hr_service", [
        _service(frame, n, topics.index((s.category, s.topic)) + 1, s) for n, s in enumerate(SERVICES, 1)
    ]  # fmt: skip


def _template(number: int, name: str, coe: str, text: str, category: str, active: bool) -> Row:
    values = json.dumps({"short_description": text, "category": category})
    return _named("service_template_id", number, name, active) | {
        "coe_type": coe,
        "change_request_values": values,
    }


def _criteria(
    frame: Frame, number: int, name: str, kind: str, group: str | None, listed: bool, active: bool
) -> Row:
    people = json.dumps(frame.groups[group]) if group and listed else None
    meets = {"type": kind, "user_group": frame.group(group) if group else None, "users": people}
    return _named("hr_criteria_id", number, name, active) | meets


def _service(frame: Frame, number: int, topic: int, service: Service) -> Row:
    template = next(
        (n for n, row in enumerate(seed_catalogue.TEMPLATES, 1) if row[0] == service.template), None
    )
    return {
        "hr_service_id": number, "service_name": service.name, "fulfillment_type": service.fulfillment,
        "topic_detail": topic, "service_template": template, "hr_criteria": frame.criteria(service.criteria),
        "active": int(service.active),
    } | HERE | SINCE  # fmt: skip


def _rules(frame: Frame) -> Iterator[tuple[str, Iterable[Row]]]:
    """Surveys, knowledge, and who gets which case."""
    yield (
        "survey",
        [
            {"survey_id": n} | {f"question_{k}": q for k, q in enumerate(questions, 1)} | HERE | SINCE
            for n, questions in enumerate(seed_catalogue.SURVEYS, 1)
        ],
    )
    yield (
        "assignment_rules",
        [
            _named("assignment_rule_id", n, name, active)
            | {
                "based_on_skills": frame.skills(skills),
                "based_on_country": country,
                "based_on_priority": priority,
            }
            | {"user_group": frame.group(group)}
            for n, (name, skills, country, priority, active, group) in enumerate(seed_catalogue.RULES, 1)
        ],
    )
    yield (
        "escalation_rule",
        [
            {"escalation_rule_id": n, "escalate_from": frame.group(old), "escalate_to": frame.group(new)}
            | HERE
            | SINCE
            for n, (old, new) in enumerate(seed_catalogue.ESCALATIONS, 1)
        ],
    )
    owners = [p.number for p in frame.company.of("Human Resources")]
    yield "knowledge", [
        {"knowledge_id": n, "kb_number": f"KB{40001 + n:07d}", "title": title, "body": body, "state": state,
         "visibility": visibility, "owner_id": owners[n % len(owners)]} | HERE | SINCE
        for n, (title, state, visibility, body) in enumerate(seed_catalogue.ARTICLES, 1)
    ]  # fmt: skip
