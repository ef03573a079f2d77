"""Rows linked to the incidents of the seed: SLAs, devices, articles, notifications, parents, changes."""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import islice
from random import Random

from eops_traj.gym.servers.itsm.seed_people import HOME, Record, Staff
from eops_traj.gym.servers.itsm.seed_work import NOW, stamp

_STAGES = {"on_hold": "paused", "resolved": "completed", "closed": "completed", "canceled": "cancelled"}
_SENT = ("delivered",) * 5 + ("opened",) * 5 + ("sent", "sent", "queued", "failed")


def slas(rng: Random, incidents: list[Record], definitions: list[Record]) -> list[Record]:
    """Return the resolution target of most incidents that have one, the response target of some."""
    slas: list[Record] = []
    for incident in incidents:
        for definition in definitions:
            likely = 0.6 if definition["metric"] == "resolution" else 0.12
            if _applies(definition, incident) and rng.random() < likely:
                slas.append(_sla(len(slas) + 1, incident, definition))
    return slas


def _applies(definition: Record, incident: Record) -> bool:
    scope = definition["org_id"], definition["applies_to_priority"]
    return bool(definition["active"]) and scope == (incident["org_id"], incident["priority"])


def _sla(n: int, incident: Record, definition: Record) -> Record:
    start = datetime.fromisoformat(incident["created_at"])
    breach = start + timedelta(minutes=definition["target_mins"])
    done = incident["resolved"]
    late = (datetime.fromisoformat(done) if done else NOW) > breach
    stage = _STAGES.get(incident["status"]) or ("breached" if late else "in_progress")
    return {
        "incident_sla_id": f"TSLA_{n:03d}", "incident_id": incident["incident_id"],
        "sla_def_id": definition["sla_def_id"], "org_id": incident["org_id"], "stage": stage,
        "has_breached": int(late and stage not in ("paused", "cancelled")), "start_time": stamp(start),
        "breach_time": stamp(breach), "completed_time": done if stage == "completed" else None,
        "created_on": stamp(start), "updated_on": done or stamp(start),
    }  # fmt: skip


def affected_devices(incidents: list[Record]) -> list[Record]:
    """Return the devices of incidents about hardware."""
    with_device = [incident for incident in incidents if incident["configuration_item"]]
    return [
        {"incident_affected_cis_id": f"TASKCI_{n:03d}", "configuration_item": incident["configuration_item"],
         "incident_id": incident["incident_id"], "org_id": incident["org_id"]}
        | _stamps(incident["created_at"])
        for n, incident in enumerate(with_device, 1)
    ]  # fmt: skip


def knowledge_links(rng: Random, incidents: list[Record], articles: list[Record]) -> list[Record]:
    """Link articles that share words with the incident; how they were used follows how it ended."""
    links: list[Record] = []
    for incident in incidents:
        words = _keywords(incident["short_description"])
        shared = [
            (len(words & _keywords(a["title"])), a["knowledge_id"]) for a in articles if a["state"] != "draft"
        ]
        count, article = max(shared, key=lambda pair: pair[0])
        if count and rng.random() < 0.8:
            uses = ("resolution", "applied") if incident["resolved"] else ("suggested",)
            links.append(
                {"incident_kb_id": f"IKB_{len(links) + 1:03d}", "incident_id": incident["incident_id"],
                 "knowledge_id": article, "org_id": incident["org_id"], "used_as": rng.choice(uses)}
                | _stamps(incident["created_at"])
            )  # fmt: skip
    return links


def notifications(rng: Random, incidents: list[Record], staff: Staff) -> list[Record]:
    """Return updates for callers of resolved incidents, alerts for managers of groups with a critical one."""
    people = {user["user_id"]: user["email"] for user in staff.users}
    managers = {group["group_id"]: group["manager_id"] for group in staff.groups}
    notifications: list[Record] = []
    for incident in incidents:
        title, number = incident["short_description"], incident["number"]
        notes = []
        if incident["priority"] == "critical":
            notes.append(("alert", managers[incident["assignment_group"]], f"Critical: {number}", title))
        if incident["resolved"] and rng.random() < 0.4:
            notes.append(
                ("update", incident["caller_id"], f"{number} is resolved", incident["resolution_notes"])
            )
        for kind, user_id, subject, message in notes:
            notifications.append(
                {"notification_id": f"NOTIF_{len(notifications) + 1:03d}",
                 "incident_id": incident["incident_id"], "org_id": incident["org_id"],
                 "email": people[user_id], "subject": subject, "message": message, "type": kind,
                 "status": rng.choice(_SENT)} | _stamps(incident["updated_at"])
            )  # fmt: skip
    return notifications


def child_incidents(incidents: list[Record]) -> list[Record]:
    """Pair incidents of the same complaint at home, the older one above; none has two parents."""
    above: dict[str, Record] = {}
    pairs = []
    for incident in incidents:
        if incident["org_id"] != HOME or incident["status"] == "canceled":
            continue
        if parent := above.pop(incident["short_description"], None):
            pairs.append((parent, incident))
        else:
            above[incident["short_description"]] = incident
    return [
        {"child_incident_mapping_id": f"CINC_{n:03d}", "parent_incident": parent["incident_id"],
         "child_incident": child["incident_id"], "created_at": child["created_at"],
         "updated_at": child["created_at"]}
        for n, (parent, child) in enumerate(islice(pairs, 8), 1)
    ]  # fmt: skip


def change_mappings(problems: list[Record], changes: list[Record], incidents: list[Record]) -> list[Record]:
    """Map changes to the problems of their service, and to the incidents that wait for them."""
    pairs: list[tuple[Record, str, Record]] = []
    for change in changes:
        same_service = [problem for problem in problems if problem["service"] == change["service"]]
        pairs += [(change, "problem_id", problem) for problem in same_service[:1]]
        waiting = [i for i in incidents if i["change_request"] == change["change_id"]]
        pairs += [(change, "incident_id", incident) for incident in waiting]
    return [
        {"change_request_mapping_id": f"CRM_{n:03d}", "change_id": change["change_id"], "incident_id": None,
         "problem_id": None, "org_id": change["org_id"], "created_at": change["updated_on"],
         "updated_at": change["updated_on"]} | {key: other[key]}
        for n, (change, key, other) in enumerate(pairs, 1)
    ]  # fmt: skip


def problems_with_origin(problems: list[Record], incidents: Iterable[Record]) -> list[Record]:
    """Return the problems, each with the first incident of its service as its original task."""
    first: dict[str, str] = {}
    for incident in incidents:
        first.setdefault(incident["service"], incident["incident_id"])
    return [problem | {"original_task": first.get(problem["service"])} for problem in problems]


def _stamps(moment: str) -> Record:
    return {"created_on": moment, "updated_on": moment}


def _keywords(title: str) -> set[str]:
    return {word for word in re.findall(r"\w+", title.lower()) if len(word) > 3} | (
        {"vpn"} if "VPN" in title else set()
    )
