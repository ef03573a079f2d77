"""The company that the HR server starts with: its people and the HR catalogue; cases are in seed_work.py."""

import json
from collections.abc import Iterable, Iterator
from datetime import timedelta
from random import Random
from typing import Any

from eops_traj.gym.company.company import TODAY, Person, company
from eops_traj.gym.engine.templates import Row
from eops_traj.gym.servers.hr import seed_catalogue
from eops_traj.gym.servers.hr.seed_catalogue import (
    CATEGORIES,
    ORG,
    SERVICES,
    SHELVED,
    STAMPS,
    SeedIds,
    Service,
)
from eops_traj.gym.servers.hr.seed_work import case_tables

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
    """Yield tables by name with their rows, parents first. Pure: the same ``rng``, the same rows."""
    ids = SeedIds(company(rng))
    yield from _organization_tables(ids)
    yield "user", [_user(p) for p in ids.company.people]
    yield "user_role", [
        {"user_id": p.number, "role_id": _ROLES.index(p.role) + 1} | ORG | STAMPS for p in ids.company.people
    ]  # fmt: skip
    yield from _group_tables(ids)
    yield "skill", [
        _named_row("skill_id", n, name, name != "Fax Archive")
        for n, name in enumerate(seed_catalogue.SKILLS, 1)
    ]  # fmt: skip
    yield "user_skill", _user_skills(rng, ids)
    yield "hr_profile", [_profile(rng, ids, ids.company.person(number)) for number in ids.profiles]
    yield from _catalogue_tables(ids)
    yield from _rule_tables(ids)
    yield from case_tables(rng, ids)


def _organization_tables(ids: SeedIds) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield organizations (the company, and one that it bought and sold again), roles and permissions."""
    sold = {"org_id": 2, "name": "Halden Instruments", "active": 0}
    yield "organization", [{"org_id": 1, "name": ids.company.name, "active": 1} | STAMPS, sold | STAMPS]
    yield "role", [{"role_id": n, "name": name} | STAMPS for n, name in enumerate(_ROLES, 1)]
    actions = [(resource, action) for resource in _RESOURCES for action in ("read", "crud")]
    yield "permission", [
        {"perm_id": n, "resource": resource, "action": action} | STAMPS
        for n, (resource, action) in enumerate(actions, 1)
    ]  # fmt: skip
    yield "role_permission", [
        {"role_id": role, "perm_id": actions.index((resource, "crud" if writes else "read")) + 1} | STAMPS
        for role in range(1, 5)
        for resource in _RESOURCES
        for writes in [role <= 2 or (role == 3 and resource == "hr_cases")]
    ]  # fmt: skip


def _user(person: Person) -> Row:
    ended = {"updated_at": f"{person.left} 17:00:00"} if person.left else {"updated_at": STAMPS["updated_at"]}
    return {
        "user_id": person.number, "first_name": person.first_name, "last_name": person.last_name,
        "email": person.email, "phone": person.phone, "role": person.role, "active": int(person.active),
        "static_token": f"{person.user_name}-token", "created_at": f"{person.hired} 09:00:00",
    } | ORG | ended  # fmt: skip


def _group_tables(ids: SeedIds) -> Iterator[tuple[str, Iterable[Row]]]:
    types = {g.name: _GROUP_TYPES.get(g.department, "Service Desk") for g in ids.company.groups}
    inactive = {name for name, _, _, active in seed_catalogue.GROUPS if not active}
    yield "user_group", [
        _named_row("group_id", n, name, name not in inactive) | {"type": types.get(name, "Service Desk")}
        for n, name in enumerate(ids.groups, 1)
    ]  # fmt: skip
    yield "user_group_member", [
        {"group_id": ids.group(name), "user_id": number} | ORG | STAMPS
        for name, members in ids.groups.items()
        for number in members
    ]  # fmt: skip


def _named_row(key: str, number: int, name: str, active: bool = True) -> dict[str, Any]:
    return {key: number, "name": name, "active": int(active)} | ORG | STAMPS


def _user_skills(rng: Random, ids: SeedIds) -> Iterator[Row]:
    """Yield many skills for people of HR, a few for everyone else who works on requests."""
    for person in ids.company.people:
        most = 10 if person.department == "Human Resources" else 4 if person.role == "agent" else 0
        for skill in sorted(rng.sample(range(1, len(seed_catalogue.SKILLS)), rng.randint(most // 2, most))):
            yield {"skill": skill, "user": person.number} | ORG | STAMPS


def _profile(rng: Random, ids: SeedIds, person: Person) -> Row:
    number = ids.profiles[person.number]
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
        "manager": ids.profiles.get(person.manager or 0),
        "location_type": rng.choices(("Office Based", "Remote", "Hotdesk"), (60, 25, 15))[0],
        "national_tax_id": f"TAX-1-{number:04d}",
        "position": "Manager" if person.role == "manager" else "QA" if "Quality" in person.title else usual,
        "created_at": f"{person.hired} 09:30:00", "updated_at": STAMPS["updated_at"],
    } | ORG  # fmt: skip


def _catalogue_tables(ids: SeedIds) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield categories, topics, templates, criteria and services."""
    topics = list(dict.fromkeys((s.category, s.topic) for s in SERVICES))
    yield "topic_category", [
        _named_row("topic_category_id", n, name, name not in SHELVED) | {"coe_type": coe}
        for n, (name, coe) in enumerate(CATEGORIES.items(), 1)
    ]  # fmt: skip
    yield "topic_detail", [
        _named_row("topic_detail_id", n, name, name not in SHELVED)
        | {"topic_category": list(CATEGORIES).index(category) + 1}
        for n, (category, name) in enumerate(topics, 1)
    ]  # fmt: skip
    yield "service_template", [_template(n, *row) for n, row in enumerate(seed_catalogue.TEMPLATES, 1)]
    yield "hr_criteria", [_criteria(ids, n, *row) for n, row in enumerate(seed_catalogue.CRITERIA, 1)]
    yield "hr_service", [
        _service(ids, n, topics.index((s.category, s.topic)) + 1, s) for n, s in enumerate(SERVICES, 1)
    ]  # fmt: skip


def _template(number: int, name: str, coe: str, text: str, category: str, active: bool) -> Row:
    values = json.dumps({"short_description": text, "category": category})
    row = _named_row("service_template_id", number, name, active)
    return row | {"coe_type": coe, "change_request_values": values}


def _criteria(
    ids: SeedIds, number: int, name: str, kind: str, group: str | None, listed: bool, active: bool
) -> Row:
    people = json.dumps(ids.groups[group]) if group and listed else None
    condition = {"type": kind, "user_group": ids.group(group) if group else None, "users": people}
    return _named_row("hr_criteria_id", number, name, active) | condition


def _service(ids: SeedIds, number: int, topic: int, service: Service) -> Row:
    template = next(
        (n for n, row in enumerate(seed_catalogue.TEMPLATES, 1) if row[0] == service.template), None
    )
    return {
        "hr_service_id": number, "service_name": service.name, "fulfillment_type": service.fulfillment,
        "topic_detail": topic, "service_template": template, "hr_criteria": ids.criteria(service.criteria),
        "active": int(service.active),
    } | ORG | STAMPS  # fmt: skip


def _rule_tables(ids: SeedIds) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield surveys, assignment and escalation rules, and knowledge."""
    yield "survey", [
        {"survey_id": n} | {f"question_{k}": q for k, q in enumerate(questions, 1)} | ORG | STAMPS
        for n, questions in enumerate(seed_catalogue.SURVEYS, 1)
    ]  # fmt: skip
    yield "assignment_rules", [
        _named_row("assignment_rule_id", n, name, active)
        | {"based_on_skills": ids.skills(skills), "based_on_country": country, "based_on_priority": priority,
           "user_group": ids.group(group)}
        for n, (name, skills, country, priority, active, group) in enumerate(seed_catalogue.RULES, 1)
    ]  # fmt: skip
    yield "escalation_rule", [
        {"escalation_rule_id": n, "escalate_from": ids.group(old), "escalate_to": ids.group(new)}
        | ORG | STAMPS
        for n, (old, new) in enumerate(seed_catalogue.ESCALATIONS, 1)
    ]  # fmt: skip
    owners = [p.number for p in ids.company.of("Human Resources")]
    yield "knowledge", [
        {"knowledge_id": n, "kb_number": f"KB{40001 + n:07d}", "title": title, "body": body, "state": state,
         "visibility": visibility, "owner_id": owners[n % len(owners)]} | ORG | STAMPS
        for n, (title, state, visibility, body) in enumerate(seed_catalogue.ARTICLES, 1)
    ]  # fmt: skip
