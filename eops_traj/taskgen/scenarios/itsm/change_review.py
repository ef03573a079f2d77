"""Scenarios after changes: called off, closed, mapped to the wrong one, gone wrong."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import MISSING
from eops_traj.taskgen.scenarios.itsm.change_extras import about_change, about_service
from eops_traj.taskgen.scenarios.itsm.group_extras import about_group
from eops_traj.taskgen.scenarios.itsm.lookups import (
    MANAGERS,
    NO_RIGHT,
    OPEN,
    UNMAPPED,
    caller_email,
    find_caller,
    find_group,
    pick_several,
)
from eops_traj.taskgen.scene import Scene

_BEFORE = ["new", "assess", "authorize", "scheduled"]
_WHYS = (
    "The vendor withdrew the release", "The budget went elsewhere", "A larger project replaces it",
    "The tests could not be repeated", "The building will be given up", "The licence was not renewed",
)  # fmt: skip


@family("itsm", perturbations=("policy_forbids", "missing_entity", "no_right"))
def call_off_change(s: Scene) -> None:
    """A change is called off: what waited for it goes on, and nothing is mapped to it any more."""
    s.pick_caller(MANAGERS)
    change = s.pick("SELECT * FROM change WHERE org_id = 'ORG_001' AND status IN ('new', 'assess', "
                    "'authorize', 'scheduled')")  # fmt: skip
    held = pick_several(s, UNMAPPED + " AND status IN ('in_progress', 'on_hold') AND problem IS NULL", 2)
    why = s.rng.choice(_WHYS)
    for number, row in enumerate(held, 1):
        s.arrange("""UPDATE incident SET status = 'on_hold', on_hold_reason = 'Awaiting Change',
            change_request = :change WHERE incident_id = :incident""", change=change["change_id"],
            incident=row["incident_id"])  # fmt: skip
        s.arrange("""INSERT INTO change_request_mapping (change_request_mapping_id, change_id, incident_id,
            org_id, created_at, updated_at) VALUES (:key, :change, :incident, 'ORG_001',
            '2025-12-30 10:00:00', '2025-12-30 10:00:00')""", key=f"CRM_90{number}",
            change=change["change_id"], incident=row["incident_id"])  # fmt: skip
        s.arrange("DELETE FROM incident_sla WHERE incident_id = :incident", incident=row["incident_id"])
    more = besides(s, *about_change(change["number"])[:1])
    s.perturb("policy_forbids", "UPDATE change SET status = 'implement' WHERE number = :number",
              number=change["number"])  # fmt: skip
    s.perturb("missing_entity", "UPDATE change SET number = 'CHG0006' || substr(number, 8) WHERE number = "
              ":number", number=change["number"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """{change}, "{title}", [will not happen|is off], so it has to be canceled with the close notes
        "{why}". Whatever our rules say about the tickets that wait for it, and about what it is mapped
        to, [should be done|is to be done] at the same time.""",
        """"{why}". That is [why {change} is called off|the reason why we call {change} off], and it goes
        into the close notes. The callers of everything on hold for it have waited for nothing; their
        tickets are in progress again from now on, and [the mappings of the change go|its mappings
        disappear].""",
        """[The change board dropped|The board has dropped] "{title}" ({change}). Cancel it, close notes
        "{why}", then deal with the consequences in the order of our rules: tickets that it kept on hold,
        and [the list of what it was made for|what it was mapped to].""",
        """Nobody should wait for {change} any longer, [because it is dead|since it has been given up]:
        "{why}" (please put that sentence into its close notes). Set it to canceled, take up again what
        was on hold for it, and leave no mapping behind.""",
        """We [planned|wanted] "{title}" and shall not do it, so {change} becomes a canceled change, with
        "{why}" as its close notes. Tickets awaiting it are to move again, [with reason and change
        cleared|free of reason and change], and whatever mappings it has are removed.""",
        """How many tickets [hang on|depend on] {change} I cannot say, but it is canceled now, and they
        have to go on without it; no mapping to it may remain [either|in the system]. As close notes
        enter "{why}".""",
        change=change["number"], title=change["short_description"], why=why,
    )  # fmt: skip
    more.say()
    s.covers("all tickets that wait for the change")
    s.duty("what waits for a canceled change goes on, and its mappings are removed")
    find_caller(s)
    request = s.do("find_change_by_number", "where it stands", number=change["number"])
    s.require_ok(request, f"there is no change {change['number']}", names=(change["number"], MISSING))
    s.require(request["status"], "in", _BEFORE, f"{change['number']} is in implement, too late to cancel",
              names=(f"{change['number']}|change",
                     "implement|too late|being carried out|in progress|before implement"))  # fmt: skip
    waiting = s.do("list_incidents", "what waits for it", change_request=request["change_id"],
                   status="on_hold")["incidents"]  # fmt: skip
    mapped_to = s.do("list_change_request_mappings", "what it is mapped to", change_id=request["change_id"])
    more.look(change=request)
    s.do("update_change", "it is called off", change_id=request["change_id"], status="canceled",
         close_notes=why)  # fmt: skip
    s.do_each(waiting, "update_incident", "it goes on without the change", incident_id=ROW["incident_id"],
              status="in_progress", on_hold_reason="", change_request="")  # fmt: skip
    s.do_each(mapped_to["change_request_mappings"], "delete_change_request_mappings",
              "made for nothing any more",
              change_request_mapping_id=ROW["change_request_mapping_id"])  # fmt: skip
    s.rule(
        "Nothing waits for the change",
        f"""SELECT COUNT(*) FROM incident i JOIN change c ON c.change_id = i.change_request WHERE c.number =
        :number AND i.status IN {OPEN}""",
        expected=0, number=change["number"],
    )  # fmt: skip


@family("itsm", ood=True, perturbations=("missing_entity", "no_right"))
def close_reviewed_changes(s: Scene) -> None:
    """All changes of a group under review are closed, that of one service with another code."""
    s.pick_caller(MANAGERS)
    group = s.pick("""SELECT g.* FROM user_group g WHERE EXISTS (SELECT 1 FROM change c WHERE
        c.assignment_group = g.group_id AND c.status = 'review')""")  # fmt: skip
    odd = s.pick("""SELECT c.*, s.name AS service_name FROM change c JOIN service s ON service_id = service
        WHERE c.assignment_group = :group AND c.status IN ('implement', 'scheduled')""",
        group=group["group_id"])  # fmt: skip
    s.arrange("UPDATE change SET status = 'review' WHERE change_id = :change", change=odd["change_id"])
    more = besides(s, *about_group(group["name"], "changes"), *about_service(odd["service_name"]))
    s.perturb("missing_entity", "UPDATE service SET name = 'Bundle ' || substr(service_id, -3) WHERE name = "
              ":name", name=odd["service_name"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    good, bad = s.rng.sample(("Reviewed in the first week of January", "Review held, no open points",
                              "Discussed with the service owners", "Seen by the board"), 2)  # fmt: skip
    s.ask(
        """{group} [went through|has gone through] everything that it has under review, and it may all be
        closed as successful with the notes "{good}", apart from what concerns {service}: there it was
        successful with issues, and the notes are "{bad}". [How many are closed in all?|Tell me how many
        you closed in all.]""",
        """[The reviews of {group} are over|{group} is through with its reviews], so each of its changes
        in that state is to be closed, code successful, close notes "{good}". A change to {service} is
        the exception, closed as successful with issues, notes "{bad}", and I would like the number of
        all of them.""",
        """Changes under review [pile up|have piled up] in {group}, and I want them closed one and all:
        those to {service} with issues ("{bad}"), every other one as plainly successful ("{good}"), code
        and notes in each case. [Count them for me|Give me the total] when you answer.""",
        """{service} gave us trouble after its change, [the others did not|nothing else did]. So when you
        close what {group} has in review, {service} gets the code for success with issues and "{bad}" as
        close notes, while the rest gets success and "{good}", and I need to hear how many changes
        you closed in all.""",
        """[For the annual figures|For last year's figures] no change of {group} should be left in
        review. As notes take "{good}" and as code successful, but "{bad}" and successful with issues
        wherever the change is to {service}; and report how many you have closed [altogether|in total].""",
        """All that {group} has under review can end now [successfully, I should say|as a success], with
        "{good}" in the close notes, and only with {service} it was a success with issues, for which the
        notes say "{bad}". I need to know how many changes this makes in the end.""",
        group=group["name"], service=odd["service_name"], good=good, bad=bad,
    )  # fmt: skip
    more.say()
    s.covers("all changes of a group under review")
    s.branches("which service the change is to")
    find_caller(s)
    takes = find_group(s, group["name"], "whose changes these are")
    service = s.do("find_service_by_name", "the service with issues", name=odd["service_name"])
    s.require_ok(service, f"there is no service called {odd['service_name']}",
                 names=(odd["service_name"], MISSING))  # fmt: skip
    changes = s.do("get_changes_assigned_to", "what they have",
                    assignment_group=takes["group_id"])["changes"]  # fmt: skip
    more.look(group=takes, service=service)
    for operator, code, notes in (("!=", "successful", good), ("==", "successful_with_issues", bad)):
        some = changes.every(("status", "==", "review"), ("service", operator, service["service_id"]))
        s.do_each(some, "update_change",
                  f"closed as {code.replace('_', ' ')}", change_id=ROW["change_id"], status="closed",
                  close_code=code, close_notes=notes)  # fmt: skip
    s.answer("how many changes are closed", count(changes.every(status="review")))
