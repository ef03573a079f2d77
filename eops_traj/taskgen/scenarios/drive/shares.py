"""Scenarios about who is in a file of one's own: what each may do, and who has asked."""

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import ROW, either, holds, mapped
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.drive import extras
from eops_traj.taskgen.scenarios.drive.lookups import (
    FILE_OWNERS,
    OWN_FILES,
    UNIQUE_NAME,
    classifications,
    find_own_file,
    say,
)
from eops_traj.taskgen.scenarios.reasons import LEFT, MISSING, known_as
from eops_traj.taskgen.scene import Row, Scene

_PEOPLE = f"""SELECT u.* FROM users u WHERE {UNIQUE_NAME} AND u.display_name NOT LIKE '%(left)' AND
    u.id <> :me AND NOT EXISTS (SELECT 1 FROM permissions x WHERE x.file_id = :file AND x.user_id =
    u.id)"""
_SHARE = """INSERT INTO permissions (id, file_id, role, type, user_id, email_address, created_time)
    VALUES (:id, :file, :role, 'user', :user, :email, '2025-11-20 09:00:00')"""
_ASKED = """INSERT INTO access_proposals (id, file_id, status, requester_email, recipient_email,
    proposed_roles, request_message, created_at) VALUES (:id, :file, 'pending', :email, :owner, :roles,
    :message, '2026-01-02T10:00:00.000Z')"""
_GIVEN = {"reader": "reader", "commenter": "commenter", "writer": "commenter"}
_REMARKS = (
    "Changes are made by me alone from now on.",
    "Please comment instead of editing.",
    "This text is frozen until the round in February.",
    "Editing is closed, comments are welcome.",
)


def _pick_own_file(s: Scene) -> Row:
    """Pick a caller, and a file of their own that has no classification."""
    s.pick_caller(FILE_OWNERS)
    return s.pick(f"{OWN_FILES} AND class IS NULL", me=s.caller["id"])


def _let_in_before(s: Scene, file: Row, person: Row, number: int, role: str) -> None:
    """Give a person a share of the file beforehand."""
    s.arrange(_SHARE, id=f"01KC0000000000000000000PM{number}", file=file["id"], role=role, user=person["id"],
              email=person["email"])  # fmt: skip


@family("drive", perturbations=("missing_entity",))
def freeze_editing(s: Scene) -> None:
    """Whoever can edit somebody's file may only comment on it from now on."""
    file = _pick_own_file(s)
    people = s.pick_some(_PEOPLE, 3, me=s.caller["id"], file=file["id"])
    for n, person in enumerate(people):
        _let_in_before(s, file, person, n, "writer" if n < 2 else "reader")
    remark = s.rng.choice(_REMARKS)
    beside = besides(s, *extras.some(extras.remark_on))
    s.perturb("missing_entity", "UPDATE files SET name = 'Old ' || name WHERE id = :id", id=file["id"])
    s.ask(
        """[Too many people change|Too many hands are in] my file {file}. Everybody who can edit it by
        name should only comment from now on; readers remain readers. Then leave the comment "{remark}"
        on it.""",
        """My own {file} [goes to print|is printed] next week, and until then the colleagues with write access
        should be commenters, each of them. Say so on the file: "{remark}" """,
        """Whoever is a writer on {file}, [which is mine|one of my files], becomes a commenter today, whereas
        nothing changes for the others. A comment tells them why: "{remark}" """,
        """"{remark}" [is what I want to tell|should be told to] those who work in my file {file}, as a
        comment there, after all persons who may edit have been turned into commenters.""",
        """[After last week's mix-up|Since last week's mix-up] I want nobody but myself to edit {file},
        a file I own. Lower every colleague with the right to edit to commenting, and comment
        "{remark}" on it.""",
        """The text of {file} in my own files [stays as it is|is agreed], so editing ends: people who were
        writers may comment from here on. [Add|Leave] the remark "{remark}" as a comment.""",
        file=file["name"], remark=remark,
    )  # fmt: skip
    beside.say()
    s.covers("everybody who may edit the file")
    record = find_own_file(s, file["name"], "the file to protect")
    permissions = s.do("list_permission", "who is in", fileId=record["id"])
    beside.look()
    s.do_each(
        permissions["permissions"].every(type="user", role="writer"),
        "update_permission",
        "commenting is enough",
        fileId=record["id"],
        permissionId=ROW["id"],
        role="commenter",
    )
    s.do("create_comments", "tell them", fileId=record["id"], content=remark)
    s.rule("No person but the owner may edit the file",
           "SELECT COUNT(*) FROM permissions WHERE file_id = :file AND type = 'user' AND role = 'writer'",
           expected=0, file=file["id"])  # fmt: skip
    beside.write()


@family("drive", perturbations=("inactive_person", "missing_entity"))
def adjust_share(s: Scene) -> None:
    """What happens to a colleague's share depends on what it allows now."""
    file = _pick_own_file(s)
    who = s.pick(_PEOPLE, me=s.caller["id"], file=file["id"])
    role = s.rng.choice(("writer", "reader"))
    if role == "writer" and s.perturbation == "inactive_person":
        raise NoMatch("a share that is taken away may be that of somebody who has left")
    _let_in_before(s, file, who, 1, role)
    described, remark = s.chance(0.5), s.rng.choice(("Share checked.", "The share was looked at in January.",
                                                     "Access reviewed today."))  # fmt: skip
    beside = besides(s, *extras.some(extras.remark_on))
    s.perturb(
        "missing_entity",
        "DELETE FROM permissions WHERE file_id = :file AND user_id = :who",
        file=file["id"],
        who=who["id"],
    )
    s.perturb("inactive_person", "UPDATE users SET display_name = display_name || ' (left)' WHERE id = :id",
              id=who["id"])  # fmt: skip
    s.ask(
        """I [no longer remember|have forgotten] what {who} may do in my file {file}. If it is editing,
        take that share away; if it is only reading, let it be commenting instead. {described} Either
        way, the file gets the comment "{remark}" """,
        """[Look at|Check] the share of {who} on {file}, which I own: a reader is raised to commenter, while a
        writer is [taken out|removed] altogether. Afterwards comment "{remark}" on it. {described}""",
        """{who} is in my file {file} with a role that I [cannot see from here|do not know]. Should the
        role be that of a reader, make it commenter; should it be writer, delete the share. The comment
        "{remark}" [closes the matter|goes onto the file in any case]. {described}""",
        """When {who} asked about {file}, [one of my files|a file of mine], I was unsure of the present
        rights. With the right to edit, access ends today, but with mere reading it grows to
        commenting. Write the comment "{remark}", too. {described}""",
        """"{remark}" [shall be the comment|is to be the comment] on my own {file}, once the share of
        {who} has been dealt with: from reader to commenter, or, in the case of a writer, gone.
        {described}""",
        """[It depends on|Everything hangs on] what {who} can do with {file}, my own file: whoever reads may
        comment in future, and whoever edits loses the share. {described} Add "{remark}" as a comment
        there.""",
        who=who["display_name"], file=file["name"], remark=remark,
        described=say(s, "[Its description becomes|Describe the file as] \"Shares reviewed\".") * described,
    )  # fmt: skip
    beside.say()
    s.branches("what the colleague may do at present")
    record = find_own_file(s, file["name"], "the file in question")
    permissions = s.do("list_permission", "who is in", fileId=record["id"])
    gone = permissions["permissions"].every(displayName=f"{who['display_name']} (left)")
    s.require(count(gone), "==", 0, f"{who['display_name']} has left the company",
              names=(known_as(who["display_name"]), LEFT))  # fmt: skip
    same = permissions["permissions"].every(displayName=who["display_name"])
    s.require(
        count(same),
        "==",
        1,
        f"{who['display_name']} has no share of {file['name']}",
        names=(known_as(who["display_name"]), f"{MISSING}|no share|no access|not shared|isn't shared"),
    )
    share = s.do("get_permission", "what it allows", fileId=record["id"], permissionId=same[0]["id"])
    key = {"fileId": record["id"], "permissionId": share["id"]}
    beside.look()
    s.do_when(holds(share["role"], "==", "reader"), "update_permission", "a reader may comment", **key,
              role="commenter")  # fmt: skip
    s.do_when(holds(share["role"], "==", "writer"), "delete_permission", "a writer is out", **key)
    if described:
        s.do("update_files", "say what was done", fileId=record["id"], description="Shares reviewed")
    s.do("create_comments", "on record", fileId=record["id"], content=remark)
    beside.write()


@family("drive", perturbations=("missing_entity", "policy_forbids"), ood=True)
def answer_request(s: Scene) -> None:
    """Somebody has asked for access to an own file, and gets what the rules allow."""
    file = _pick_own_file(s)
    who = s.pick(_PEOPLE, me=s.caller["id"], file=file["id"])
    asked = s.rng.choice(("reader", "commenter", "writer"))
    s.arrange(
        _ASKED,
        id="01KDZ0000000000000000000PR",
        file=file["id"],
        email=who["email"],
        owner=s.caller["email"],
        roles=f'["{asked}"]',
        message="I take over this topic next month and need to work with it.",
    )
    beside = besides(s, *extras.some(extras.remark_on))
    s.perturb("policy_forbids", "UPDATE access_proposals SET status = 'denied', resolved_at = "
              "'2026-01-03T10:00:00.000Z' WHERE file_id = :file", file=file["id"])  # fmt: skip
    s.perturb("missing_entity", "UPDATE files SET name = 'Old ' || name WHERE id = :file", file=file["id"])
    noted = s.chance(0.6)
    s.ask(
        """{who} ({email}) [asked to be let into|wants to get into] my file {file} on Friday. Decide
        the request by our rules, and with a role no higher than those allow. {noted}""",
        """[On Friday a request came in|A request came in on Friday] for {file}, which belongs to me,
        from {who}, {email}. Whatever role our rules would give is fine, and if they give none, deny
        it. {noted}""",
        """My {file} [is waited for|is wanted] by {who}, whose address is {email}: the request for access is
        still pending. Look at what was asked and [settle it|decide it] as the rules demand. {noted}""",
        """There is an open request for access to {file}, one of my own files, made by {who} ({email}).
        [I leave it to the rules|Let the rules say] what comes of it, acceptance with a role or denial.
        {noted}""",
        """{email} [belongs to|is the address of] {who}, who has asked for {file} out of my files. The
        three days for an answer are nearly over, so resolve that request in line with our rules.
        {noted}""",
        """Because {who} takes over a topic of mine, {email} has requested access to my file {file}.
        [Grant what can be granted|What can be granted is granted] by the book, and otherwise turn it
        down. {noted}""",
        who=who["display_name"], email=who["email"], file=file["name"],
        noted=say(s, "[On the file, comment|Put this comment on it]: \"Please keep the structure.\"") * noted,
    )  # fmt: skip
    beside.say()
    s.branches("which role was asked for, and how the file is classified")
    s.duty("a writer's role is given only where somebody said yes in a comment")
    record = find_own_file(s, file["name"], "the file that is wanted")
    listed = s.do("list_accessproposals", "what waits", fileId=record["id"])
    same = listed["accessProposals"].every(requesterEmailAddress=who["email"])
    s.require(
        count(same),
        "==",
        1,
        f"{who['display_name']} has no pending request, and what was decided stays so",
        names=(known_as(who["display_name"]), f"no pending|decided|denied|resolved|{MISSING}"),
    )
    request = s.do(
        "get_accessproposals", "what was asked", fileId=record["id"], proposalId=same[0]["proposalId"]
    )
    labels = s.do("list_files_labels", "whether it is restricted", fileId=record["id"])
    role = request["rolesAndViews"][0]["role"]
    s.do_when(holds(role, "==", "writer"), "list_comments", "whether somebody said yes", fileId=record["id"])
    level = either(classifications(labels)[0]["fields"]["classification"]["selection"][0], "none")
    fate = mapped(level, {"restricted": "DENY"}, "ACCEPT")
    key = {"fileId": record["id"], "proposalId": request["proposalId"]}
    beside.look()
    s.do_when(
        holds(fate, "==", "ACCEPT"),
        "resolve_accessproposals",
        "what the rules allow",
        **key,
        action="ACCEPT",
        role=[mapped(role, _GIVEN)],
    )
    s.do_when(holds(fate, "==", "DENY"), "resolve_accessproposals", "it is restricted", **key, action="DENY")
    if noted:
        s.do("create_comments", "the remark", fileId=record["id"], content="Please keep the structure.")
    beside.write()
