"""Scenarios about letting others into files: colleagues, partners outside, a new owner."""

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.drive import extras
from eops_traj.taskgen.scenarios.drive.lookups import (
    DEPARTMENT_DRIVES,
    FILE_OWNERS,
    FILES,
    MEMBERS,
    NO_WORDS,
    OUTWARD_DEPARTMENTS,
    OWN_FILES,
    UNIQUE_NAME,
    WITH_COMMENTERS,
    classifications,
    demote_caller,
    find_drive,
    find_file,
    find_own_file,
    find_person,
    join_words,
    let_in,
    mark_as_left,
    pick_managed_drive,
    say,
    set_labels,
)
from eops_traj.taskgen.scenarios.drive.namesakes import SAME_ACCESS, add_namesake
from eops_traj.taskgen.scenarios.reasons import NO_RIGHT
from eops_traj.taskgen.scene import Scene

_REASONS = (
    ("takes over the topic next month", "the handover next month"),
    ("has corrections to enter before the review", "the corrections before the review"),
    ("keeps it up to date from now on", "the upkeep from now on"),
    ("stands in for me during my leave", "my leave"),
    ("has to bring the second half up to date", "the update of the second half"),
    ("will merge the remarks of the last meeting into it", "the remarks of the last meeting"),
)
_REMARKS = (
    "Please start with the second section.", "The figures still have to be checked.",
    "Please keep the structure as it is.", "Everything up to page four is agreed.",
    "The open points are at the end.", "Please name your sources.",
)  # fmt: skip
_LABEL = """[Nobody has classified {file} so far; [internal is right|make it internal]|A classification is
    missing on {file}, which is internal|{file} lacks a classification, so label it internal first|As for
    labels, {file} was never classified and should be internal]."""
_REMARK = """[Leave a comment on {file} that says|What I want said in a comment on {file} is|On {file},
    comment] "{text}\""""
_SECOND = """[The same for {other}, who works with them.|And {other}, from the same team, gets just as
    much.|Likewise let {other} in, on the same terms.]"""
_DESCRIBED = """[The description of {file} should read|As the description of {file}, enter|Describe
    {file} by] "{text}"."""
_PARTNERS = (
    "j.doyle@tidewater.example", "m.sato@tidewater.example", "ana.pires@tidewater.example",
    "t.lindqvist@tidewater.example", "r.okafor@tidewater.example", "h.brandt@northwind.example",
    "s.delaney@northwind.example", "p.moreau@northwind.example", "k.ishida@northwind.example",
)  # fmt: skip
_STRANGERS = (
    "j.doyle@harborline.example", "m.sato@greyfield.example", "ana.pires@postbox.example",
    "t.lindqvist@kestrel-media.example",
)  # fmt: skip


_GUESTS = f"""SELECT u.* FROM permissions x JOIN users u ON u.id = x.user_id WHERE x.file_id = :file AND
    x.role <> 'owner' AND coalesce(x.expiration_time > '2026-01-06', 1) AND {UNIQUE_NAME}"""
_HAS_ACCESS = "SELECT 1 FROM permissions x WHERE x.file_id = f.id AND x.user_id = :who"
_HAS_EARLIER_FILE = "SELECT 1 FROM permissions x WHERE x.file_id = :more AND x.user_id = u.id"


@family(
    "drive", perturbations=("inactive_person", "two_namesakes", "no_right"), produces="file", consumes="file"
)
def share_file(s: Scene) -> None:
    """A colleague who only comments in a shared drive gets to edit a file or two of it."""
    drive = pick_managed_drive(s, where=WITH_COMMENTERS)
    earlier = s.consume("file")
    more = earlier.record["id"].value if earlier else ""
    who = s.pick(f"{MEMBERS} AND m.role = 'commenter' AND NOT EXISTS ({_HAS_EARLIER_FILE})",
                 drive=drive["id"], more=more)  # fmt: skip
    fits = f"{FILES} AND NOT sensitive AND NOT EXISTS ({_HAS_ACCESS}) AND f.id <> :more"
    files = s.pick_some(fits, 1 + s.chance(0.5), drive=drive["id"], who=who["id"], more=more)
    names = [file["name"] for file in files]
    labelled, remark = files[0]["class"] is None, s.rng.choice(_REMARKS) if s.chance(0.6) else ""
    reason, noun = s.rng.choice(_REASONS)
    mark_as_left(s, who)
    beside = besides(s, *extras.some(extras.remark_on))
    add_namesake(s, files[-1], *files, alike=SAME_ACCESS)
    demote_caller(s, drive, "commenter")
    s.ask(
        """{who} {reason} and [should be able to|must therefore be able to] edit {files} in the {drive}
        drive, [where commenting is all they can do|in which they may only comment] so far. {label}
        {remark}""",
        """[Because of {noun}|In view of {noun}], {who} was promised write access to {files} in the drive
        {drive}; the notification [should name that reason|may say as much]. {label} {remark}""",
        """For {files} in our {drive} drive [one pair of hands is not enough|two hands are too few]: {who}
        becomes an editor of what I named, and remains a commenter everywhere else. The reason is {noun}.
        {label} {remark}""",
        """This [concerns|is for] {who}, who {reason} and should for that be made an editor of {files}. [The
        place is|Look in] the {drive} drive, where nothing else changes for this colleague. {remark}
        {label}""",
        """With {noun} ahead, {files} in {drive} should be opened to {who} for editing, who [asked me twice
        this week|has been asking for it]; [apart from that|otherwise] the present rights stay. {label}
        {remark}""",
        """{who} [cannot type a word|is unable to change a word] in {files} in our shared drive
        {drive}. Since this colleague {reason}, the right to edit [is needed there|should be given
        there]. {label} {remark}""",
        who=who["display_name"], drive=drive["name"], reason=reason, noun=noun,
        files=join_words([*names, earlier.words] if earlier else names),
        label=say(s, _LABEL, file=names[0]) if labelled else "",
        remark=say(s, _REMARK, file=names[0], text=remark) if remark else "",
    )  # fmt: skip
    beside.say()
    drive_ref = find_drive(s, drive["name"])
    records = [find_file(s, drive_ref, name, f"{name}, which is to be opened") for name in names]
    s.require(records[0]["capabilities"]["canShare"], "==", True,
              f"you may not let others into {names[0]} yourself",
              names=(f"{names[0]}|{drive['name']}|file", NO_RIGHT))  # fmt: skip
    records += [earlier.record] if earlier else []
    for record in records:
        s.do("list_permission", "who is in already", fileId=record["id"])
    staff = s.do("list_permission", "who works in the drive", fileId=drive_ref["id"])
    person = find_person(s, staff, who["display_name"])
    beside.look()
    if labelled:
        set_labels(s, records[0], "the classification that is missing", classification="internal")
    for record in records:
        let_in(s, record, person["emailAddress"], "writer", f"let {who['display_name']} edit it",
               emailMessage=f"You can edit this because of {noun}.")  # fmt: skip
    if remark:
        s.do("create_comments", "the remark for them", fileId=records[0]["id"], content=remark)
    s.rule(
        "Nobody was raised in the whole drive for the sake of a file",
        """SELECT m.role FROM drive_memberships m JOIN users u ON u.id = m.user_id JOIN drives d
        ON d.id = m.drive_id WHERE d.name = :drive AND u.email = :who""",
        expected="commenter", drive=drive["name"], who=who["email"],
    )  # fmt: skip
    s.produce("file", records[0], f"{names[0]} (see above)")
    beside.write()


@family("drive", perturbations=("policy_forbids", "impossible_date", "out_of_scope", "missing_entity"))
def open_to_partner(s: Scene) -> None:
    """Somebody at a partner company gets to read or comment files for a while, if their labels allow it."""
    drive = pick_managed_drive(s, where=f"d.name IN {OUTWARD_DEPARTMENTS}")
    files = s.pick_some(f"{FILES} AND class IS NULL AND NOT sensitive", 1 + s.chance(0.4), drive=drive["id"])
    names, last = [file["name"] for file in files], files[-1]["id"]
    partner, other = s.rng.sample(_PARTNERS, 2)
    stranger, until, far = s.rng.choice(_STRANGERS), s.day(20, 80), s.day(120, 170)
    role, may = s.rng.choice((("reader", "read"), ("commenter", "comment on")))
    second, level = s.chance(0.4), s.rng.choice(("public", "internal"))
    remark = s.rng.choice(_REMARKS) if s.chance(0.6) else ""
    s.perturb("policy_forbids", """INSERT INTO file_labels (id, file_id, label_id, value_enum, created_time)
        SELECT '01KE000000000000000000LABE', :file, id, 'confidential', '2025-12-01 09:00:00' FROM labels
        WHERE key = 'classification'""", file=last)  # fmt: skip
    s.perturb("missing_entity", "UPDATE files SET name = 'Old ' || name WHERE id = :file", file=last)
    s.ask(
        """[Someone outside the company|A person outside], {partner}, needs to {may} {files} from the {drive}
        drive, and that [only until|no longer than until] {until}. There is no classification on what I
        named; it is {level}, [which comes first|and that has to be put on before]. {second} {remark}""",
        """[Together with a partner|With a partner] we are working on {files} in our shared drive
        {drive}, and {partner} should be able to {may} {it}, {until} being the last day. The
        classification that is missing [should say|is] {level}. {second} {remark}""",
        """{partner} [has to|is supposed to] {may} {files} ({drive} drive) for as long as the joint work
        takes, which is until {until}. Nobody has classified that so far, and [in my view|as we see it] it
        is {level}. {second} {remark}""",
        """[So far|Until now] {files} in {drive} went without a classification, although {level} is plainly
        right. Once that label is on, let {partner} {may} {it}, with {until} as [the final day|their
        last day]. {second} {remark}""",
        """The agreement with our partner [says|states] that {partner} may {may} {files} out of {drive} until
        {until}. Label it {level} [to start with|first], since no one has yet, and then open it to that
        address. {second} {remark}""",
        """A partner [is waiting for|has asked about] {files} from the {drive} drive: {partner} only has to
        {may} {it}, and {until} [is the last day|ends it]. Before they get in, [what I named|all of it] has to
        be classified as {level}, [which was forgotten|a label that is missing]. {second} {remark}""",
        partner=s.phrase("out_of_scope", partner, stranger), may=may, files=join_words(names),
        it="it" if len(names) == 1 else "them", drive=drive["name"],
        until=s.phrase("impossible_date", str(until), str(far)), level=level,
        second=(say(s, _SECOND, other=other) if second else "") + " " + s.rng.choice(NO_WORDS),
        remark=say(s, _REMARK, file=names[0], text=remark) if remark else "",
    )  # fmt: skip
    s.refuse(
        "out_of_scope", "people outside are let in only at the partners Tidewater and Northwind",
        names=(
            f"tidewater|northwind|not a partner|{stranger.partition('@')[2]}|{stranger}",
            "outside|external|partner|domain|address|guest|third part|only open to|not one of",
        ),
    )  # fmt: skip
    s.refuse("impossible_date", "access from outside may last 90 days at most",
             names=("90|ninety|three months", "outside|external|access|partner|expir"))  # fmt: skip
    drive_ref = find_drive(s, drive["name"])
    records = [find_file(s, drive_ref, name, f"{name}, which the partner needs") for name in names]
    for name, record in zip(names, records, strict=True):
        labels = s.do("list_files_labels", "whether it may go outside", fileId=record["id"])
        s.require(count(classifications(labels)), "==", 0,
                  f"{name} is classified already, and what is confidential does not go outside",
                  names=(name, "confidential"))  # fmt: skip
        s.do("list_permission", "who is in already", fileId=record["id"])
    for record in records:
        set_labels(s, record, f"it is {level}", classification=level)
        for address in (partner, other) if second else (partner,):
            let_in(s, record, address, role, f"let {address} in until {until}",
                   expirationTime=f"{until.iso}T23:59:00Z")  # fmt: skip
    if remark:
        s.do("create_comments", "the remark for them", fileId=records[0]["id"], content=remark)
    for file in files:
        s.rule(
            f"Those outside only read or comment {file['name']}, and are out again after the day named",
            """SELECT COUNT(*) FROM permissions WHERE file_id = :file AND type = 'user' AND user_id IS NULL
            AND email_address NOT LIKE '%@corvane.example' AND role IN ('reader', 'commenter')
            AND date(expiration_time) = :until""",
            expected=1 + second, file=file["id"], until=until.iso,
        )  # fmt: skip


@family("drive", perturbations=("inactive_person", "two_namesakes", "policy_forbids"))
def give_away(s: Scene) -> None:
    """Somebody's own file goes to a colleague of the same department, who owns it from then on."""
    s.pick_caller(FILE_OWNERS)
    me = s.caller["id"]
    drive = s.pick(f"{DEPARTMENT_DRIVES} AND m.user_id = :me", me=me)
    who = s.pick(f"{MEMBERS} AND u.id <> :me", drive=drive["id"], me=me)
    grouped = "SELECT 1 FROM permissions x WHERE x.file_id = f.id AND x.type = 'group'"
    fits = f"{OWN_FILES} AND NOT EXISTS ({_HAS_ACCESS}) AND NOT EXISTS ({grouped})"
    files = s.pick_some(fits, 1 + s.chance(0.4), me=me, who=who["id"])
    names = [file["name"] for file in files]
    guests = s.pick_some(f"{_GUESTS} AND u.display_name NOT LIKE '%(left)'", int(s.chance(0.4)),
                         file=files[0]["id"])  # fmt: skip
    if guests and s.perturbation == "two_namesakes":
        raise NoMatch("whom it is taken away from tells which of the two is meant")
    remark, described = s.chance(0.6), s.chance(0.7)
    mark_as_left(s, who)
    add_namesake(s, files[0], *files)
    s.perturb("policy_forbids", "DELETE FROM drive_memberships WHERE id = :id", id=who["membership"])
    words = f"{who['display_name'].split()[0]} looks after this now."
    what = f"Looked after by {who['display_name']}"
    s.ask(
        """My {files} should belong to {who} from today, who is [in {drive} with me|a colleague in {drive},
        like me]. Everything stays in its place, and [only|just] the owner changes. {shut} {described}
        {remark}""",
        """[Please make|I would like to make] {who} the owner of {files} out of my own files; as we are both
        in {drive}, the rules [have nothing against it|allow it]. {remark} {described} {shut}""",
        """A piece of work changes hands, [along with|together with] {files} from my own files:
        {who} from {drive}, my department too, becomes the owner while I [keep write access|remain a
        writer]. {described} {shut} {remark}""",
        """[Until today I owned|I was the owner of] {files}, and the new owner is to be {who} of {drive}, [the
        department I am in as well|where I work, too]. {shut} {described} {remark} Where it lies does not
        change.""",
        """For months {who} has done [all the work on|nearly everything about] {files}, still under my
        name. [Turn that round|Change that] and give this {drive} colleague of mine the ownership.
        {described} {remark} {shut}""",
        """Ownership of {files} in my files, [not just|and not only] a share, has to go over to {who}, who
        [sits in {drive} like me|belongs to {drive} as I do]. {shut} {remark} {described}""",
        files=join_words(names), who=who["display_name"], drive=drive["name"],
        shut=f"Take {names[0]} away from " + join_words([guest["display_name"] for guest in guests])
        + ", who can do without it by now." if guests else "",
        described=say(s, _DESCRIBED, file=names[0], text=what) if described else "",
        remark=(say(s, _REMARK, file=names[0], text=words) if remark else "") + " " + s.rng.choice(NO_WORDS),
    )  # fmt: skip
    records = [find_own_file(s, name, f"{name}, which is handed over") for name in names]
    drive_ref = find_drive(s, drive["name"])
    staff = s.do("list_permission", "who is in the department", fileId=drive_ref["id"])
    person = find_person(s, staff, who["display_name"])
    permissions = [s.do("list_permission", "who is in already", fileId=record["id"]) for record in records]
    if described:
        s.do("update_files", "say whose it is", fileId=records[0]["id"], description=what)
    if remark:
        s.do("create_comments", "tell whoever opens it", fileId=records[0]["id"], content=words)
    for guest in guests:
        share = permissions[0]["permissions"].where(displayName=guest["display_name"])
        s.do("delete_permission", f"{guest['display_name']} has no use for it", fileId=records[0]["id"],
             permissionId=share["id"])  # fmt: skip
    for record in records:
        let_in(s, record, person["emailAddress"], "owner", f"{who['display_name']} owns it from now on",
               transferOwnership=True)  # fmt: skip
    for file in files:
        s.rule(
            f"{file['name']} has one owner, of the same department as the one before, who keeps write access",
            """SELECT COUNT(*) FROM permissions x JOIN drive_memberships m ON m.user_id = x.user_id JOIN
            drives d ON d.id = m.drive_id WHERE x.file_id = :file AND x.role = 'owner' AND d.name = :drive AND
            (SELECT COUNT(*) FROM permissions y WHERE y.file_id = :file AND y.role = 'owner') = 1 AND (SELECT
            role FROM permissions y WHERE y.file_id = :file AND y.user_id = :me) = 'writer'""",
            file=file["id"], drive=drive["name"], me=me,
        )  # fmt: skip
