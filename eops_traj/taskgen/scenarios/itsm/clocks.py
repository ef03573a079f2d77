"""SLAs on incidents: linked, exchanged, paused, woken and completed, as the policy has it."""

from eops_traj.taskgen.expressions import ROW, holds
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scene import Scene

NOW = "2026-01-05T09:00:00"
"""What the policy calls now, as answers write it."""


def find_terms(s: Scene, org: ResultRef, priority: str | ResultRef) -> ResultRef:
    """Find the SLAs that an organization promises for a priority."""
    terms = s.do("find_sla_definitions", "the SLAs that fit the priority",
                 applies_to_priority=priority, active=True)["sla_definitions"]  # fmt: skip
    return terms.every(org_id=org)


def add_slas(
    s: Scene, incident: ResultRef, org: ResultRef, priority: str | ResultRef, start: ResultRef
) -> None:
    """Add the SLAs of a priority to an incident, from this time on."""
    s.do_each(find_terms(s, org, priority), "link_new_incident_sla", "track what was promised",
              incident_id=incident["incident_id"], sla_def_id=ROW["sla_def_id"],
              start_time=start)  # fmt: skip


def exchange_slas(
    s: Scene, incident: ResultRef, org: ResultRef, priority: str | ResultRef, since: ResultRef
) -> None:
    """Cancel what no longer fits the priority of an incident, and link what fits now."""
    tracked = find_slas(s, incident, "the SLAs of the old priority")
    terms = find_terms(s, org, priority)
    unfit = tracked.every(
        ("stage", "in", ["in_progress", "paused", "breached"]), ("sla_def_id", "not in", terms["sla_def_id"])
    )
    s.do_each(unfit, "update_incident_sla_details", "it no longer fits", stage="cancelled",
              incident_sla_id=ROW["incident_sla_id"])  # fmt: skip
    s.do_each(terms, "link_new_incident_sla", "and this one fits now", incident_id=incident["incident_id"],
              sla_def_id=ROW["sla_def_id"], start_time=since,
              when=holds(count(tracked.every(sla_def_id=ROW["sla_def_id"])), "==", 0))  # fmt: skip


def add_sla_rule(s: Scene, title: str) -> None:
    """Add the rule that the SLAs of the new incident with this short description start with it."""
    s.rule(
        "An SLA of each metric was tracked from the moment it was reported",
        """SELECT COUNT(DISTINCT d.metric) FROM incident_sla t JOIN incident i USING (incident_id) JOIN
        sla_definition d USING (sla_def_id) WHERE i.short_description = :title AND t.start_time =
        i.created_at AND d.org_id = i.org_id AND i.created_at >= '2026-01-05 09:00:00'""",
        expected=2, title=title,
    )  # fmt: skip


def find_slas(s: Scene, incident: ResultRef, why: str) -> ResultRef:
    """Find the SLAs on an incident."""
    return s.do("find_incident_slas", why, incident_id=incident["incident_id"])["incident_slas"]


def complete_slas(s: Scene, incident_slas: ResultRef, then: str | ResultRef) -> None:
    """Complete the SLAs that still run, at this time."""
    running = incident_slas.every(("stage", "in", ["in_progress", "breached"]))
    s.do_each(running, "update_incident_sla_details", "the clock has stopped", stage="completed",
              incident_sla_id=ROW["incident_sla_id"], completed_time=then)  # fmt: skip


def pause_slas(s: Scene, incident: ResultRef) -> None:
    """Pause the running SLAs of an incident on hold whose definition pauses on pending."""
    incident_slas = find_slas(s, incident, "which clocks run")
    pausing = s.do("find_sla_definitions", "which of them pause", pause_on_pending=True)["sla_definitions"]
    running = incident_slas.every(
        ("stage", "==", "in_progress"), ("sla_def_id", "in", pausing.every()["sla_def_id"])
    )
    s.do_each(running, "update_incident_sla_details", "the clock stops", stage="paused",
              incident_sla_id=ROW["incident_sla_id"])  # fmt: skip


def wake_slas(s: Scene, incident_slas: ResultRef) -> ResultRef:
    """Let paused SLAs run again, marking those past their breach time; return the latter."""
    missed = incident_slas.every(("stage", "==", "paused"), ("breach_time", "<", NOW))
    in_time = incident_slas.every(("stage", "==", "paused"), ("breach_time", ">=", NOW))
    s.do_each(missed, "update_incident_sla_details", "its target was missed", stage="breached",
              has_breached=True, incident_sla_id=ROW["incident_sla_id"])  # fmt: skip
    s.do_each(in_time, "update_incident_sla_details",
              "its clock runs again", stage="in_progress",
              incident_sla_id=ROW["incident_sla_id"])  # fmt: skip
    return missed


def start_work(
    s: Scene, incident: ResultRef, group: ResultRef, person: ResultRef, why: str = "hand it over"
) -> None:
    """Assign an incident; a new one is in progress then, and a response SLA that still runs is completed."""
    names = {"assignment_group": group["group_id"], "assigned_to": person["user_id"]}
    fresh = holds(incident["status"], "==", "new")
    now = s.do_when(fresh, "update_incident", f"{why}: work begins", incident_id=incident["incident_id"],
                    status="in_progress", **names)  # fmt: skip
    s.do_when(holds(incident["status"], "!=", "new"), "update_incident", why,
              incident_id=incident["incident_id"], **names)  # fmt: skip
    incident_slas = find_slas(s, incident, "whether a response SLA still runs")
    terms = s.do("find_sla_definitions", "which of them are for the response", metric="response")
    s.do_each(
        incident_slas.every(
            ("stage", "in", ["in_progress", "breached"]),
            ("sla_def_id", "in", terms["sla_definitions"].every()["sla_def_id"]),
        ),
        "update_incident_sla_details", "the response is given", when=fresh, stage="completed",
        incident_sla_id=ROW["incident_sla_id"], completed_time=now["updated_at"],
    )  # fmt: skip
