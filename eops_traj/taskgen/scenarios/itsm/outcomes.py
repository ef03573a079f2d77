"""Scenarios about resolving and regrading tickets."""

from eops_traj.gym.servers.itsm.seed_assets import PRIORITIES
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.itsm.clocks import complete_slas, exchange_slas, find_slas
from eops_traj.taskgen.scenarios.itsm.lookups import (
    ARTICLE_OF,
    MANAGERS,
    NO_RIGHT,
    OURS,
    caller_email,
    find_caller,
    find_ticket,
    notify,
    pick_scale,
    pick_ticket,
)
from eops_traj.taskgen.scenarios.itsm.ticket_extras import NOTED, about, count_others, note_device, tell_site
from eops_traj.taskgen.scene import Scene
from eops_traj.taskgen.wording import vary

_TITLES = " ".join(f"WHEN '{service}' THEN '{title}'" for service, title in ARTICLE_OF.items())
_ARTICLE = f"""(SELECT k.title FROM knowledge k WHERE k.state = 'published' AND k.title = (SELECT CASE s.name
    {_TITLES} END FROM service s WHERE s.service_id = i.service) AND NOT EXISTS (SELECT 1 FROM
    incident_knowledge l WHERE l.incident_id = i.incident_id AND l.knowledge_id = k.knowledge_id))"""
"""The title of the article about a ticket's service, if it has one that is not on the ticket yet."""
_REMEDIES = (
    ("Cleared the cache and tested with the caller", "Solution Provided"),
    ("Replaced the cable behind the desk", "Solution Provided"),
    ("Granted the missing right and tested it", "Solution Provided"),
    ("Corrected the entry in the directory", "Solution Provided"),
    ("Rolled the last update back on that machine", "Workaround Provided"),
    ("Moved the profile to the second server for now", "Workaround Provided"),
    ("A restart every evening keeps it going", "Workaround Provided"),
    ("Known fault of this version, the list of steps was sent", "Known Error"),
    ("Same fault as in autumn, handled the same way", "Known Error"),
    ("Explained the setting; nothing was broken", "User error"),
    ("The wrong profile was chosen at sign-in", "User error"),
    ("It works again since the caller restarted it", "Resolved By Caller"),
    ("The caller found the switch and needs nothing more", "Resolved By Caller"),
)
_NOBODY = (
    "nobody|no one|no-one|no person|no assignee|no assigned|not assigned|not been assigned|unassigned|without"
    "|isn't assigned|hasn't been assigned|has no|no user|no agent|none|null|empty|missing|lacks"
)


@family("itsm", perturbations=("impossible_date", "policy_forbids", "no_right"))
def resolve_ticket(s: Scene) -> None:
    """A ticket is resolved: code, notes, who and when; its clocks are completed and its caller is told."""
    s.pick_caller(MANAGERS)
    attached = s.chance(0.6)
    row = s.pick(
        OURS.replace("SELECT *", f"SELECT i.*, {_ARTICLE} AS article")
        + """ AND status = 'in_progress' AND assigned_to IS NOT NULL AND created_at < '2026-01-05 06:00:00'
        AND incident_id NOT IN (SELECT parent_incident FROM child_incident) AND (article IS NOT NULL OR NOT
        :attached)""",
        me=caller_email(s), attached=attached,
    )  # fmt: skip
    note, code = s.rng.choice(_REMEDIES)
    minute = s.rng.choice(("7:15", "7:30", "7:50", "8:05", "8:20", "8:40"))
    article = row["article"] if attached else ""
    more = besides(s, *about(row["number"], row, note_device, tell_site))
    s.perturb("policy_forbids", "UPDATE incident SET assigned_to = NULL WHERE number = :number",
              number=row["number"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    when = s.phrase("impossible_date", f"at {minute} this morning", f"at {minute} tomorrow morning")
    s.ask(
        """{number} is done: it was resolved {when} with the code "{code}", and the notes are "{note}".
        [Complete whatever clocks it has|Whatever clocks it has are completed with it] and let the caller
        know[, who has been asking|].{article}""",
        """[The desk wants "{title}" off the list|It is time to take "{title}" off the list], that is
        {number}, for which this was done: "{note}". It counts as {code}, {when}, by the person who has it,
        and the caller should hear of it [as usual|in the usual way].{article}""",
        """The colleague who had {number} [is off to the next site|went straight on to the next job] and
        left the paperwork with me. So it was resolved {when}, "{note}", to be filed as {code}; [do the
        clocks as well|see to its clocks too], and the message to the caller.{article}""",
        """"{note}". That is all there is to say about {number}, and it happened {when}. [Mark the ticket
        as resolved|The ticket is to be resolved] with the code {code}, its SLAs completed, and the
        caller told, in the order that our rules [foresee|ask for].{article}""",
        """Before the weekly report is drawn at ten, {number} [has to be down as resolved|should show as
        resolved]: {when}, code {code}, with this as the explanation: "{note}". I would not want the
        caller to find out by chance, so [write to them|have them notified]; its SLAs end with
        it.{article}""",
        """[As for {number}|Concerning {number}], "{title}", the person working on it reported it as fixed
        {when}. The explanation reads "{note}" and the code is {code}, so [resolve it accordingly|enter
        that], stop what still runs on it, and notify whoever opened it.{article}""",
        number=row["number"], title=row["short_description"], when=when, note=note, code=code,
        article=f' Also attach the article "{article}" to it as what solved it.' if article else "",
    )  # fmt: skip
    more.say()
    s.refuse("impossible_date", "a ticket cannot be resolved at a time that lies in the future",
             names=("future|tomorrow|6 January|January 6|2026-01-06|not yet|later than|ahead of",)
             )  # fmt: skip
    find_caller(s)
    incident = s.do("find_incident_by_number", f"where {row['number']} stands", number=row["number"])
    s.require(incident["status"], "==", "in_progress", f"{row['number']} is not in progress")
    s.require(incident["assigned_to"], "!=", None, f"nobody is assigned to {row['number']}",
              names=("assign|unassigned", _NOBODY))  # fmt: skip
    below = s.do("list_child_incidents", "whether tickets hang below it",
                 parent_incident=incident["incident_id"])  # fmt: skip
    s.require(below["total_count"], "==", 0, "it has tickets below it")
    caller = s.do("get_user", "who reported it", user_id=incident["caller_id"])
    hour, part = minute.split(":")
    then = f"2026-01-05 {int(hour):02d}:{part}:00"
    more.look(ticket=incident)
    s.do("update_incident", "it is resolved", incident_id=incident["incident_id"], status="resolved",
         resolved=then, resolution_code=code, resolution_notes=note,
         resolved_by=incident["assigned_to"])  # fmt: skip
    complete_slas(s, find_slas(s, incident, "which clocks run"), then)
    if article:
        articles = s.do("retrieve_knowledge_articles", "the article that helped", title=article)["knowledges"]
        s.do("link_knowledge_to_incident", "it solved the case", incident_id=incident["incident_id"],
             knowledge_id=articles.where(title=article)["knowledge_id"], used_as="resolution")  # fmt: skip
    notify(s, incident, caller, "update", text("{} is resolved", incident["number"]),
           "Your ticket is resolved. Please write back if anything is left.",
           "the caller is told")  # fmt: skip
    more.write()
    s.rule(
        "It was resolved by whoever was assigned, and no clock of it is left open",
        """SELECT COUNT(*) FROM incident i WHERE number = :number AND status = 'resolved' AND resolved_by =
        assigned_to AND resolved > created_at AND NOT EXISTS (SELECT 1 FROM incident_sla s WHERE
        s.incident_id = i.incident_id AND stage IN ('in_progress', 'breached'))""",
        number=row["number"],
    )  # fmt: skip
    s.rule(
        "The caller was told once that it is resolved",
        """SELECT COUNT(*) FROM notification n JOIN incident i USING (incident_id) JOIN users u ON u.user_id
        = i.caller_id WHERE i.number = :number AND n.email = u.email AND n.type = 'update' AND n.status =
        'queued'""",
        number=row["number"],
    )  # fmt: skip


@family("itsm", perturbations=("conflicting_demands", "policy_forbids", "no_right"))
def change_priority(s: Scene) -> None:
    """A ticket turns out better or worse than it was graded: priority and SLAs follow."""
    s.pick_caller(MANAGERS)
    priority = s.rng.choice(("high", "moderate", "low"))
    other = s.rng.choice([one for one in ("critical", "high", "moderate", "low") if one != priority])
    impact, urgency, priority, scale_words = pick_scale(
        s, *(pair for pair, level in PRIORITIES.items() if level == priority)
    )
    which = pick_ticket(
        s, OURS + f""" AND status IN ('new', 'in_progress') AND priority <> '{priority}' AND EXISTS (SELECT 1
        FROM incident_sla s WHERE s.incident_id = i.incident_id AND stage IN ('in_progress', 'breached'))""",
    )  # fmt: skip
    row = which.row
    more = besides(s, *about(row["number"], row, *NOTED, tell_site, count_others))
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.perturb("policy_forbids", "UPDATE incident SET status = 'closed' WHERE number = :number",
              number=row["number"])  # fmt: skip
    s.ask(
        """{ticket} is graded wrongly, because [whoever took the call|whoever wrote it down] did not ask:
        in truth {said}. Correct that, with the priority that goes with it, and replace the SLAs of the
        old priority by those of the new one.{catch}""",
        """We looked at {ticket} again [with the caller|this morning] and it is not what it seemed, since
        {said}. [It has to be graded anew|Grade it anew], which means that the clocks of the former
        priority are cancelled and the right ones started.{catch}""",
        """[The new assessment of {ticket} is this|For {ticket} there is a new assessment]: {said}. Its
        priority follows by the table and by nothing else, and the SLAs are exchanged accordingly, [those
        of the old priority cancelled, those of the new one started|the old ones out, the new ones
        in].{catch}""",
        """[I have just spoken to|The team has just heard from] the person behind {ticket}, and as it
        turns out {said}, which is not at all what we wrote down. Set impact, urgency and priority
        straight and make sure that [the promised times match afterwards|what we promised matches
        it].{catch}""",
        """Somebody was in a hurry when they graded {ticket}, so [the queue sorts it wrongly|it stands at
        the wrong place in the queue]. What it should say is that {said}, and since the SLAs hang on this,
        redo those too, old ones cancelled, new ones from [the moment of the change|when the change is
        made].{catch}""",
        """At the review of open tickets [we came to {ticket}|{ticket} came up], and everybody agreed on
        another grading: {said}. Enter it, let the priority follow, and adjust its SLAs to what it is
        [afterwards|then].{catch}""",
        ticket=which.words, said=scale_words,
        catch=vary(s.rng, s.phrase(
            "conflicting_demands",
            f" [The priority to be entered is {priority}.|Its priority has to read {priority} then.]",
            f" [The priority to be entered is {other}.|Its priority has to read {other} then.]",
        )),
    )  # fmt: skip
    more.say()
    s.refuse("conflicting_demands",
             f"impact {impact} and urgency {urgency} make it {priority}, and not {other}",
             names=(other, f"{priority}|table|impact|urgency|matrix"))  # fmt: skip
    find_caller(s)
    incident = find_ticket(s, which, "new", "in_progress")
    caller = s.do("get_user", "whose organization has promised what", user_id=incident["caller_id"])
    more.look(ticket=incident)
    now = s.do("update_incident", "grade it anew", incident_id=incident["incident_id"], impact=impact,
               urgency=urgency, priority=priority)  # fmt: skip
    exchange_slas(s, incident, caller["org_id"], priority, now["updated_at"])
    more.write()
    s.rule(
        "Its impact and urgency are those that were told",
        "SELECT impact || ' ' || urgency FROM incident WHERE number = :number",
        expected=f"{impact} {urgency}", number=row["number"],
    )  # fmt: skip
    s.rule(
        "Only SLAs of its present priority still run on the ticket, one for each metric",
        """SELECT COUNT(*) || ' of ' || COUNT(DISTINCT d.metric) FROM incident_sla t JOIN sla_definition d
        USING (sla_def_id) JOIN incident i USING (incident_id) WHERE i.number = :number AND i.priority =
        :priority AND t.stage IN ('in_progress', 'paused', 'breached') AND d.applies_to_priority =
        i.priority""",
        expected="2 of 2", number=row["number"], priority=priority,
    )  # fmt: skip
    s.rule(
        "The new SLAs start when the priority changed",
        """SELECT COUNT(*) FROM incident_sla t JOIN sla_definition d USING (sla_def_id) JOIN incident i
        USING (incident_id) WHERE i.number = :number AND d.applies_to_priority = i.priority AND t.stage =
        'in_progress' AND t.start_time BETWEEN '2026-01-05 09:00:00' AND i.updated_at""",
        expected=2, number=row["number"],
    )  # fmt: skip
