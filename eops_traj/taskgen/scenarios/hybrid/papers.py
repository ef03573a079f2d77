"""Scenarios in which a case or a ticket needs a file in a shared drive."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios import reasons
from eops_traj.taskgen.scenarios.csm.clocks import list_clocks, list_definitions, rest_clocks
from eops_traj.taskgen.scenarios.csm.lookups import (
    CASES,
    STAFF,
    demote,
)
from eops_traj.taskgen.scenarios.csm.lookups import find_caller as desk
from eops_traj.taskgen.scenarios.csm.lookups import find_case as csm_case
from eops_traj.taskgen.scenarios.drive.lookups import find_drive, find_folder, require_one, set_labels
from eops_traj.taskgen.scenarios.hybrid import lookups as look
from eops_traj.taskgen.scenarios.itsm.lookups import (
    COLLEAGUES,
    NO_RIGHT,
    USUAL,
    add_slas,
    full_name,
    pick_scale,
)
from eops_traj.taskgen.scenarios.itsm.lookups import find_caller as itsm_asker
from eops_traj.taskgen.scenarios.itsm.lookups import find_person as itsm_person
from eops_traj.taskgen.scene import Scene

_WRITERS = """SELECT u.email, d.id AS drive_id, d.name AS drive, m.role FROM users u JOIN drive_memberships m
    ON m.user_id = u.id JOIN drives d ON d.id = m.drive_id
    WHERE m.role IN ('organizer', 'fileOrganizer', 'writer') AND d.hidden IS NOT 1"""


@family(
    "hybrid",
    servers=("csm", "drive"),
    ood=True,
    perturbations=("no_right", "missing_entity", "policy_forbids"),
)
def file_for_case(s: Scene) -> None:
    """A case waits for a part, and what is known so far gets a file among those of the customers."""
    s.pick_caller(
        f"SELECT * FROM user WHERE active AND role IN ('agent', 'manager') AND {look.ALSO}",
        also=look.known_addresses(s, f"{_WRITERS} AND d.name = 'Customer Support'", "drive"),
    )
    record = s.pick(
        f"{CASES} AND c.state = 'in_progress' AND EXISTS (SELECT 1 FROM case_sla t JOIN sla_definition d"
        " USING (sla_def_id) WHERE t.case_id = c.case_id AND t.stage = 'in_progress'"
        " AND d.pause_on_pending)"
    )
    title = s.rng.choice(
        (
            f"{record['account']} {record['product']} findings 2026",
            f"{record['account']} notes 2026",
            f"Findings at {record['account']} 2026",
            f"{record['account']} {record['product']} 2026",
        )
    )
    kind, mime = s.rng.choice((("document", "application/vnd.google-apps.document"),
                               ("spreadsheet", "application/vnd.google-apps.spreadsheet")))  # fmt: skip
    label = s.rng.choice(("internal", "confidential"))
    remark = s.rng.choice(("Open until the part is here.", "Please add what you measured.",
                           "One entry a day is enough."))  # fmt: skip
    demote(s, "customer")
    s.perturb(
        "missing_entity", "UPDATE files SET name = 'Customer Papers' WHERE name = 'Customer Files'", "drive"
    )
    s.perturb(
        "policy_forbids", "UPDATE customer_case SET state = 'resolved' WHERE case_id = :id",
        id=record["case_id"],
    )  # fmt: skip
    s.ask(
        """{number} [waits for|hangs on] a spare part, so it [is pending|goes to pending] and its timers
        [rest as far as they may|pause where the rules allow]. [Meanwhile|Until then] what we know about
        {account} [needs a home|has to be kept]: a {kind} "{title}" in Customer Files of the Customer
        Support drive, classified {label}, with the comment "{remark}\"""",
        """[The part for|A part that we need for] {account} [takes a while|is on back order].
        [Hence|Therefore] {number} becomes pending, with the clocks [that can rest|that pause] at rest.
        Our findings go to the drive Customer Support, folder Customer Files, as a {kind} [with the
        name|called] "{title}", {label}, on which "{remark}" [stands|is left] as a comment.""",
        """[Start|Begin] a {kind} for [the engineers|those] who work on {number}: "{title}", under
        Customer Support, Customer Files, [labelled|with the label] {label}, and "{remark}" [noted on
        it|as a remark on it]. The case [itself|as such] can only go on when the part [arrives|is here],
        so it is to be pending, [timers accordingly|with what that means for its timers].""",
        """[Field service|The depot] told me that the part for {number} is [still on its way|not in
        stock]. The case [should be|is to be] put to pending and its SLAs [treated|handled] as that state
        wants. [While it rests|In the meantime], people look for notes on {account}: give them a {label}
        {kind}, "{title}", in Customer Files (Customer Support drive), comment "{remark}\"""",
        """"{title}" is [the name of|what we call] a {kind} that [does not exist yet|I miss] in the
        Customer Files of Customer Support. It is {label}, and [a comment|somebody] should say "{remark}"
        [there|on it]. [It goes back to|The cause is] {number}, where we [wait for|lack] a part: pending
        is the right state, with clocks [paused|stopped] that may be.""",
        """[Without the spare part|As long as a part is missing] nothing moves in {number}, [and the
        record should say|which the record has to show]: pending, and those SLAs [that allow it|whose
        terms allow it] paused. [Whoever measures|Everybody who measures] at {account} writes into one
        {kind}, "{title}", which you [create|make] in Customer Files (drive Customer Support), class
        {label}, comment "{remark}\"""",
        number=record["number"], kind=kind, title=title, label=label, remark=remark,
        account=record["account"],
    )  # fmt: skip
    s.as_one()
    desk(s, *STAFF)
    case = csm_case(s, record["number"], "in_progress")
    definitions, clocks = list_definitions(s), list_clocks(s, case)
    drive = find_drive(s, "Customer Support")
    folder = find_folder(s, drive, "Customer Files", "where the files of customers are")
    same = s.do("list_files", "no file of that name yet", driveId=drive["id"], trashed=False,
                q=f'name = "{title}"')["files"]  # fmt: skip
    s.require(count(same), "==", 0, f"there is a file {title} already", names=(title, "already|exist"))
    s.do("update_case", f"{record['number']} waits", case_id=case["case_id"], state="pending")
    rest_clocks(s, clocks, definitions)
    file = s.do(
        "create_file", "the place for what is known", name=title, mimeType=mime, parents=[folder["id"]]
    )
    set_labels(s, file, "how it is classified", classification=label)
    s.do("create_comments", "the remark", fileId=file["id"], content=remark)
    s.rule(
        "While the case is pending, only clocks run that do not pause",
        """SELECT COUNT(*) FROM case_sla t JOIN sla_definition d USING (sla_def_id) JOIN customer_case c
        USING (case_id) WHERE c.number = :number AND (t.stage = 'in_progress' AND d.pause_on_pending = 1 OR
        c.state <> 'pending')""",
        expected=0, number=record["number"],
    )  # fmt: skip
    s.rule(
        "The file lies in the folder of customers and is classified",
        """SELECT COUNT(*) FROM files f JOIN files p ON p.id = f.parent_id JOIN file_labels l ON l.file_id =
        f.id WHERE f.name = :title AND p.name = 'Customer Files' AND l.value_enum = :label AND f.trashed IS
        NOT 1""",
        server="drive", title=title, label=label,
    )  # fmt: skip


_READABLE = """SELECT u.email, d.id AS drive_id, d.name AS drive, f.id, f.name FROM users u JOIN
    drive_memberships m ON m.user_id = u.id JOIN drives d ON d.id = m.drive_id JOIN files f ON f.drive_id =
    d.id WHERE m.role IN ('organizer', 'fileOrganizer') AND f.trashed IS NOT 1 AND f.is_shortcut IS NOT 1
    AND f.mime_type NOT LIKE '%folder' AND d.name NOT IN ('Executive', 'Human Resources', 'Finance',
    'Legal') AND d.drive_members_only IS NOT 1 AND (SELECT COUNT(*) FROM files g WHERE g.name = f.name AND
    g.trashed IS NOT 1) = 1 AND f.name NOT LIKE '%''%'"""


@family(
    "hybrid",
    servers=("itsm", "drive"),
    perturbations=("no_right", "inactive_person", "two_namesakes", "missing_entity"),
)
def access_by_ticket(s: Scene) -> None:
    """Somebody cannot read a file: the wish is put on record as a ticket, and the file opened to them."""
    s.pick_caller(
        "SELECT * FROM users WHERE role IN ('manager', 'admin') AND active AND org_id = 'ORG_001'"
        f" AND {look.ALSO}",
        also=look.known_addresses(s, _READABLE, "drive"),
    )
    file = s.pick(f"{_READABLE} AND u.email = :me ORDER BY f.id", "drive", me=look.caller_email(s))
    inside = look.known_addresses(s, _INSIDE, "drive", file=file["id"], drive=file["drive_id"])
    who = s.pick(f"{COLLEAGUES} AND email NOT IN (SELECT value FROM json_each(:inside))",
                 me=look.caller_email(s), inside=inside)  # fmt: skip
    title = f"Cannot read {file['name']}"
    impact, urgency, priority, scale_words = pick_scale(s, *USUAL[:2])
    way, channel_words = s.rng.choice((("phone", "it came by phone"), ("chat", "I heard of it on chat"),
                              ("walk-in", "it was a walk-in")))  # fmt: skip
    reason = s.rng.choice(("the audit in February", "the handover next month", "the review of the quarter"))
    s.perturb("no_right", NO_RIGHT, me=look.caller_email(s))
    s.perturb("inactive_person", "UPDATE users SET active = 0 WHERE user_id = :id", id=who["user_id"])
    s.perturb(
        "two_namesakes",
        """UPDATE users SET first_name = :first, last_name = :last WHERE user_id = (SELECT user_id FROM
        users WHERE role = 'reporter' AND active AND org_id = 'ORG_001' AND user_id <> :id AND email <> :me
        AND email NOT IN (SELECT value FROM json_each(:inside)) ORDER BY user_id LIMIT 1)""",
        first=who["first_name"], last=who["last_name"], id=who["user_id"], me=look.caller_email(s),
        inside=inside,
    )  # fmt: skip
    s.perturb(
        "missing_entity", "UPDATE files SET name = 'Copy of ' || name WHERE id = :id", "drive", id=file["id"]
    )
    s.ask(
        """{who} [has to read|must be able to read] "{file}" in the {drive} drive for {reason} and
        [cannot|is shut out]. [By our own rules|As always] that takes a ticket of theirs, an inquiry
        named "{title}": {said}, {told}. [Start|Set off] its SLAs, and [let them in|give access] as a
        reader.""",
        """[For|On account of] {reason} the file "{file}" ({drive} drive) [has to be|should be] readable
        for {who}. [Log the wish|Put it on record] first: {who} as the caller, headline "{title}",
        category inquiry or help; {said}, and {told}. [Clocks run|The SLAs count] from its creation; the
        access [itself|then] is [reading only|for reading and no more].""",
        """{told_up}: {who} [gets nowhere with|does not get into] "{file}" in {drive}, [though it is
        needed|which is needed] for {reason}. [Give the matter a ticket|Make that a ticket], "{title}",
        an inquiry of {who}, where {said}, with the SLAs that [apply|belong to it], and a reader's right
        to that one file.""",
        """[Everything about|What there is to] the wish of {who}: the file is "{file}", the drive
        {drive}, the purpose {reason}, the right that of a reader. [It is documented|We document it] as
        an incident, an inquiry with the headline "{title}" and {who} as caller ({told}); {said}, and
        [its SLAs are tracked|SLAs are due].""",
        """[The desk lead|My own manager] wants [no access without a ticket|every access on record]. So
        {who}, who [lacks|is missing] "{file}" ({drive} drive) for {reason}, [gets|needs] one in their
        name: "{title}", inquiry or help, SLAs running. [As to the grading|The grading]: {said}.
        {told_up}. After that {who} may [read|open] the file.""",
        """[Share|Open] "{file}" from the drive {drive} with {who}, [to read and nothing else|as a
        reader], because of {reason}. [In the books|For our books] it is the ticket "{title}", [filed
        for|under the name of] {who}, an inquiry; {told}, and {said}. [Do not forget|It comes with] its
        SLAs.""",
        who=full_name(who), file=file["name"], drive=file["drive"], reason=reason, title=title,
        said=scale_words, told=channel_words, told_up=look.capital(channel_words),
    )  # fmt: skip
    s.as_one()
    itsm_asker(s)
    user = itsm_person(s, who, "who cannot read it")
    s.do("list_incidents", "what they have reported already", called_id=user["user_id"])
    drive = find_drive(s, file["drive"])
    files = s.do("list_files", "the file", driveId=drive["id"], trashed=False,
                 q=f'name = "{file["name"]}"')["files"]  # fmt: skip
    paper = require_one(s, files, file["name"], "file", "in that drive")
    s.require(paper["capabilities"]["canShare"], "==", True, f"you may not let others into {file['name']}",
              names=(file["name"], reasons.NO_RIGHT))  # fmt: skip
    s.do("list_permission", "who is in already", fileId=paper["id"])
    incident = s.do(
        "create_incident", f"the ticket of {full_name(who)}", caller_id=user["user_id"],
        short_description=title,
        channel=way, category="inquiry-help", impact=impact, urgency=urgency, priority=priority,
    )  # fmt: skip
    add_slas(s, incident, user["org_id"], priority, incident["created_at"])
    s.do("create_permission", "let them read it", fileId=paper["id"], type="user", role="reader",
         emailAddress=user["email"], emailMessage=f"You can read this because of {reason}.")  # fmt: skip
    s.rule(
        "The ticket is graded as asked and belongs to whoever needs the file",
        """SELECT COUNT(*) FROM incident i JOIN users u ON u.user_id = i.caller_id WHERE i.short_description
        = :title AND i.impact || ' ' || i.urgency || ' ' || i.priority = :graded AND u.email = :email AND
        u.active = 1""",
        title=title, graded=f"{impact} {urgency} {priority}", email=who["email"],
    )  # fmt: skip
    s.rule(
        "They may read the file and no more, and are not in the whole drive",
        """SELECT COUNT(*) FROM permissions p JOIN users u ON u.id = p.user_id JOIN files f ON f.id =
        p.file_id WHERE f.name = :file AND u.email = :email AND p.role = 'reader' AND NOT EXISTS (SELECT 1
        FROM drive_memberships m WHERE m.user_id = u.id AND m.drive_id = f.drive_id)""",
        server="drive", file=file["name"], email=who["email"],
    )  # fmt: skip


_INSIDE = """SELECT u.email FROM users u WHERE u.display_name LIKE '%(left)' OR u.id IN
    (SELECT user_id FROM permissions WHERE file_id = :file UNION SELECT user_id FROM drive_memberships
        WHERE drive_id = :drive UNION SELECT g.user_id FROM group_memberships g JOIN drive_memberships m
        USING (group_id) WHERE m.drive_id = :drive)"""
