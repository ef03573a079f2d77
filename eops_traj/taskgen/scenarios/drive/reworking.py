"""Scenarios about files that are worked on once more: what is final, what was lost, what goes into review."""

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import either
from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.drive import extras
from eops_traj.taskgen.scenarios.drive.lookups import (
    FILES,
    MEMBERS,
    NOT_FINAL,
    REVIEW_DUE,
    WITH_COMMENTERS,
    classifications,
    classify_before,
    demote_caller,
    find_drive,
    find_file,
    find_person,
    let_in,
    mark_as_left,
    pick_managed_drive,
    require_one,
    say,
    set_labels,
)
from eops_traj.taskgen.scenarios.drive.namesakes import add_namesake
from eops_traj.taskgen.scenarios.reasons import NO_RIGHT
from eops_traj.taskgen.scene import Scene

_ORIGINAL = (  # what becomes of it, and what the policy forbids
    ('The original keeps its name and is not called "{} (old)".',
     'The original is called "{} (old)" from now on.'),
    ("Do not rename the original.", 'Do rename the original to "{} (superseded)".'),
    ("The original stays just as it is, its name too.",
     'The original becomes "{}, first edition".'),
    ("Leave the name of the original alone.", 'Put "former" before the name of the original.'),
)  # fmt: skip
_COPY_DUE = "[The review of the copy is due {due}.|Due for review is the copy {due}.]"
_ON_ORIGINAL = """[On the original, leave a comment|The original gets a comment|Tell readers of the
    original]: "{text}\""""
_GOES_ON = (
    "Work goes on in the copy.", "Please use the new draft for changes.", "This edition is closed now.",
    "Changes are collected in the new draft.", "A successor of this paper is being written.",
)  # fmt: skip


@family("drive", perturbations=("policy_forbids", "inactive_person", "missing_entity"), produces="file")
def rework_final(s: Scene) -> None:
    """Work goes on at a file that is final: on a copy, since the file itself stays."""
    finals = f"EXISTS ({FILES.replace(':drive', 'd.id')} AND NOT {NOT_FINAL})"
    drive = pick_managed_drive(s, where=f"{finals} AND {WITH_COMMENTERS}")
    file = s.pick(f"{FILES} AND NOT {NOT_FINAL}", drive=drive["id"])
    who = s.pick(f"{MEMBERS} AND m.role = 'commenter'", drive=drive["id"])
    base, _, ending = file["name"].partition(".")
    name = f"{base} {s.rng.choice(('Second Edition', 'Rework 2026', 'Revision Spring', 'Next Version'))}"
    name += f".{ending}" if ending else ""
    due, remark = s.day(30, 90), s.rng.choice(_GOES_ON)
    noted, dated = s.chance(0.7), s.chance(0.6)
    classify_before(s, file)
    beside = besides(s, *extras.some(extras.file_versions))
    s.perturb("missing_entity", "UPDATE files SET name = 'Old ' || name WHERE id = :id", id=file["id"])
    mark_as_left(s, who)
    s.ask(
        """{file} in the {drive} drive is final, [but the figures in it have changed|yet we have to go on
        with it], so a copy named "{name}" should be made in the same folder for {who} to edit. {fate}
        {dated} {noted}""",
        """[It turns out that|As it happens,] {file} needs another round, and since it is final, that means a
        draft copy within its folder in {drive}, under the name "{name}". {who} does the work and [has to
        edit|must be able to edit] the copy. {fate} {noted} {dated}""",
        """{who} [has agreed|offered] to rework {file} from our {drive} drive, which is in stage final. [What
        that takes|All it takes] is a copy beside it, back in draft, which is called "{name}" and can be
        edited by the person I named. {dated} {fate} {noted}""",
        """Nobody may touch {file} ({drive}) now that it counts as final, so [the next edition|further work]
        begins with a copy "{name}" next to it, in stage draft, and with {who} as [its editor|an editor].
        {noted} {dated} {fate}""",
        """The [next|coming] version of {file} has to be prepared, and the one in {drive} is final. Create a
        draft copy called "{name}" in the very same folder and give {who} the right to write in it. {fate}
        {dated} {noted}""",
        """\"{name}" is [the name of|what we want to call] the new draft, a copy of {file}, which is final, in
        the same folder of {drive}; {who} must be let in [to edit it|as its editor]. {dated} {noted}
        {fate}""",
        file=file["name"], drive=drive["name"], name=name, who=who["display_name"],
        fate=s.phrase("policy_forbids", *(line.format(base) for line in s.rng.choice(_ORIGINAL))),
        dated=say(s, _COPY_DUE, due=due.words) if dated else "",
        noted=say(s, _ON_ORIGINAL, text=remark) if noted else "",
    )  # fmt: skip
    beside.say()
    s.refuse("policy_forbids", f"{file['name']} is in stage final, and what is final is not renamed",
             names=("final", "renam|name|title"))  # fmt: skip
    drive_ref = find_drive(s, drive["name"])
    record = find_file(s, drive_ref, file["name"], "the file that is final")
    s.require(record["properties"]["stage"], "==", "final",
              f"{file['name']} is not final, so there is no need of a copy",
              names=(base, "final"))  # fmt: skip
    labels = s.do("list_files_labels", "how it is classified", fileId=record["id"])
    people = s.do("list_permission", "who works in the drive", fileId=drive_ref["id"])
    person = find_person(s, people, who["display_name"])
    beside.look()
    copy = s.do(
        "copy_files", "the copy to work on", fileId=record["id"], name=name, parents=[record["parents"][0]]
    )
    s.do("update_files", "it is a draft again", fileId=copy["id"], properties={"stage": "draft"})
    s.duty("the copy is classified like its original, else as confidential")
    level = either(classifications(labels)[0]["fields"]["classification"]["selection"], ["confidential"])
    set_labels(s, copy, "a copy is classified like its original", classification=level,
               **({"review_due": due.iso} if dated else {}))  # fmt: skip
    let_in(s, copy, person["emailAddress"], "writer", f"{who['display_name']} reworks it",
           emailMessage="Please rework this copy.")  # fmt: skip
    if noted:
        s.do("create_comments", "so that nobody goes on in the old one", fileId=record["id"], content=remark)
    s.rule(
        "What is final is where it was, under its name, and still final",
        """SELECT COUNT(*) FROM files WHERE id = :id AND name = :name AND parent_id = :folder
        AND json_extract(properties, '$.stage') = 'final'""",
        id=file["id"], name=file["name"], folder=file["parent_id"],
    )  # fmt: skip
    s.rule(
        "The copy holds what the original holds",
        """SELECT COUNT(*) FROM files f JOIN files o ON f.indexable_text IS o.indexable_text AND f.size_bytes
        IS o.size_bytes AND f.mime_type = o.mime_type WHERE o.id = :id AND f.name = :name AND f.id <> o.id""",
        id=file["id"], name=name, category="integrity",
    )  # fmt: skip
    s.produce("file", copy, f'the copy "{name}"')
    beside.write()


_SWAPPED = """[What should have been thrown away instead is {file}|{file} was meant to be thrown away
    in its place], [from|which is in] the same drive."""
_NEVER = """[{file} never got a classification|No classification was ever given to {file}], [so make
    it|and it should be] {level}."""
_REMARKED = """[Write a comment on {file}|A comment on {file} should say|Leave this on {file}]: "{text}\""""


@family("drive", perturbations=("two_namesakes", "missing_entity", "no_right"), produces="file")
def take_back(s: Scene) -> None:
    """A file comes back from the trash, and what was meant to go there goes."""
    lost = """SELECT f.*, p.name AS folder FROM files f JOIN files p ON p.id = f.parent_id
        WHERE f.trashed AND p.trashed IS NOT 1 AND f.drive_id = {} AND NOT EXISTS (SELECT 1 FROM files g
        WHERE g.drive_id = f.drive_id AND g.name = f.name AND g.id <> f.id)"""
    drive = pick_managed_drive(s, where=f"EXISTS ({lost.format('d.id')})")
    file = s.pick(lost.format(":drive"), drive=drive["id"])
    unwanted = s.pick(f"{FILES} AND {NOT_FINAL}", drive=drive["id"])
    level = s.rng.choice(("confidential", "restricted"))
    remark = s.rng.choice(
        ("This was thrown away by mistake.", "Please keep this one.", "This one is still needed.")
    )
    noted, described = s.chance(0.7), s.chance(0.4)
    what = f"In use by {drive['name']} again"
    unlabelled = not s.rows("""SELECT 1 FROM file_labels x JOIN labels l ON l.id = x.label_id
        WHERE l.key = 'classification' AND x.file_id = :id""", id=file["id"])  # fmt: skip
    beside = besides(s, *extras.some())
    other = s.pick(f"{FILES} AND f.id <> :wrong", drive=drive["id"], wrong=unwanted["id"])
    s.perturb(
        "two_namesakes", """UPDATE files SET name = :name, trashed = 1, explicitly_trashed = 1,
        trashed_time = '2025-12-01 10:00:00', parent_id = :folder, parent_ids = json_array(:folder)
        WHERE id = :other""",
        name=file["name"], folder=file["parent_id"], other=other["id"],
    )  # fmt: skip
    s.perturb("two_namesakes", "DELETE FROM file_labels WHERE file_id = :other", other=other["id"])
    s.perturb("missing_entity", "UPDATE files SET name = name || ' (2)' WHERE id = :id", id=file["id"])
    demote_caller(s, drive, "writer")
    s.ask(
        """{file} from the {drive} drive [ended up|landed] in the trash although the team still works with
        it, so it has to come back. {swapped} {labelled} {noted}""",
        """During the clean-up of {drive} somebody was too quick, and {file} [vanished|is gone] from
        {folder}; it must be in the trash, [from which|and from there] it should return. {labelled}
        {noted} {swapped}""",
        """[In the trash of|Among the things thrown away in] our {drive} drive you will find {file}, which
        belongs back [where it was|in its old place], that is in {folder}. {swapped} {noted} {labelled}""",
        """[By mistake|Mistaking it for something else,] I threw {file} away, which was in {folder} in
        {drive} and has to be there again before the others [notice|need it]. {noted} {swapped} {labelled}""",
        """Two people [have asked|asked] me where {file} is, and the answer seems to be: in the trash of the
        {drive} drive. Put it back so that they can [go on|finish their part]. {labelled} {swapped}
        {noted}""",
        """Nothing in {drive} has been removed for good [so far|yet], which means that {file} can be taken
        out of the trash again, where it [should never have been|does not belong]. {swapped} {labelled}
        {noted}""",
        file=file["name"], drive=drive["name"], folder=file["folder"],
        swapped=say(s, _SWAPPED, file=unwanted["name"]),
        labelled=(say(s, _NEVER, file=file["name"], level=level) if unlabelled else "")
        + (f" Its description should say \"{what}\"." if described and unlabelled else ""),
        noted=say(s, _REMARKED, file=file["name"], text=remark) if noted else "",
    )  # fmt: skip
    beside.say()
    drive_ref = find_drive(s, drive["name"])
    trashed = s.do("list_files", "what lies in the trash under that name", driveId=drive_ref["id"],
                   trashed=True, q=f"name = '{file['name']}'")  # fmt: skip
    record = require_one(s, trashed["files"], file["name"], "file", "in the trash of that drive")
    s.require(record["capabilities"]["canTrash"], "==", True,
              f"taking files out of the trash of {drive['name']} takes a higher role",
              names=(f"trash|restor|{drive['name']}", NO_RIGHT))  # fmt: skip
    instead = find_file(s, drive_ref, unwanted["name"], "what goes instead")
    if unlabelled:
        s.do("list_files_labels", "that it has no classification", fileId=record["id"])
    more = {"description": what} if described and unlabelled else {}
    beside.look()
    s.do("update_files", "restore it", fileId=record["id"], trashed=False, **more)
    s.do("update_files", f"throw {unwanted['name']} away", fileId=instead["id"], trashed=True)
    if unlabelled:
        set_labels(s, record, "the classification that was missing", classification=level)
    if noted:
        s.do("create_comments", "so that it stays", fileId=record["id"], content=remark)
    s.rule(
        "Nothing was removed for good", "SELECT COUNT(*) FROM files WHERE id IN (:file, :other)", expected=2,
        file=file["id"], other=unwanted["id"], category="integrity",
    )  # fmt: skip
    s.produce("file", record, f"{file['name']} (now that it is back)")
    beside.write()


_DESCRIBED = """[Its description should read|As its description, put|Describe it as] "{text}"."""
_REGION = "[The region is {one}.|As the region, put {one}.|It concerns the region {one}.]"
_FOR_REVIEWER = """[For the reviewer, comment on it|What the reviewer should find there as a
    comment|Leave the reviewer a comment]: "{text}\""""
_REVIEWERS = ("Please check the figures first.", "Please read it with the eyes of a customer.",
              "Look at the last part above all.",
              "Is anything missing from your side?", "Please comment in the text, not by mail.")  # fmt: skip


@family("drive", perturbations=("two_namesakes", "impossible_date", "inactive_person"), consumes="file")
def send_for_review(s: Scene) -> None:
    """A file gets what a review needs: its labels, a description, a reviewer, and what to look at."""
    drive = pick_managed_drive(s, where=WITH_COMMENTERS)
    earlier = s.consume("file")
    file = (
        s.pick(f"{FILES} AND {REVIEW_DUE} IS NULL", drive=drive["id"])
        if not earlier
        else earlier.record.value
    )
    if earlier and file.get("driveId") != drive["id"]:
        raise NoMatch("the file that was handed on lies elsewhere")
    who = s.pick(f"""{MEMBERS} AND m.role = 'commenter' AND NOT EXISTS
        (SELECT 1 FROM permissions x WHERE x.file_id = :file AND x.user_id = u.id)""", drive=drive["id"],
                 file=file["id"])  # fmt: skip
    due, late, region = s.day(14, 60), s.day(400, 480), s.rng.choice(("americas", "emea", "apac"))
    reference, words = f"REV-{s.rng.randrange(1000, 9999)}", s.rng.choice(_REVIEWERS)
    what = f"For review by {who['display_name']}"
    placed, marked, described = s.chance(0.6), s.chance(0.6), s.chance(0.6)
    if not earlier:
        add_namesake(s, file)
    mark_as_left(s, who)
    s.ask(
        """{file} in {drive} [goes into review|is ready for its review], which is due {due} and runs under
        the reference {reference}. {who} does the review and has to be able to edit the text [for it|while
        it lasts]. {placed} {described} {marked}""",
        """[There is to be a review of|A review has been agreed for] {file} from the {drive} drive, due
        {due}, reference {reference}. {placed} It falls to {who}, who [only comments there so far|could
        only comment in that drive until now] and will have to edit this one file. {marked} {described}""",
        """{who} [reviews|has time to review] {file} for me and therefore needs to edit it. In the {drive}
        drive it should show [when|by which day] the review is due, {due}, and carry {reference} as its
        reference. {described} {placed} {marked}""",
        """Review {reference} [concerns|is about] {file}, shared drive {drive}, and [becomes due|has its due
        date] {due}, which should be noted on it. {marked} {placed} [Editing it is up to|The one who edits
        it is] {who}, the reviewer. {described}""",
        """[Quality management|The quality team] wants a review of {file} in {drive}: reviewer {who}, with
        the right to edit, due {due}, reference {reference}. {placed} {marked} {described}""",
        """[We want to be through with|It is time to review] {file} from {drive}: set {due} as the date on
        which the review is due, and {reference} as the reference. {described} {marked} {who} [takes it
        on|is the reviewer] and needs to edit the file. {placed}""",
        file=earlier.words if earlier else file["name"], drive=drive["name"], reference=reference,
        who=who["display_name"], due=s.phrase("impossible_date", str(due), str(late)),
        placed=say(s, _REGION, one=region) if placed else "",
        described=say(s, _DESCRIBED, text=what) if described else "",
        marked=say(s, _FOR_REVIEWER, text=words) if marked else "",
    )  # fmt: skip
    s.refuse("impossible_date", "a review may be due in a year at the latest",
             names=("review", "a year|one year|year ahead|12 months|twelve months|365"))  # fmt: skip
    drive_ref = find_drive(s, drive["name"])
    record = earlier.record if earlier else find_file(s, drive_ref, file["name"], "the file to review")
    s.do("list_files_labels", "what labels it has", fileId=record["id"])
    s.do("list_permission", "who is in already", fileId=record["id"])
    staff = s.do("list_permission", "who works in the drive", fileId=drive_ref["id"])
    person = find_person(s, staff, who["display_name"])
    set_labels(s, record, "the labels of the review", review_due=due.iso, reference=reference,
               **({"region": region} if placed else {}))  # fmt: skip
    if described:
        s.do("update_files", "say what it waits for", fileId=record["id"], description=what)
    let_in(s, record, person["emailAddress"], "writer", f"{who['display_name']} reviews it",
           emailMessage="Please review this.")  # fmt: skip
    if marked:
        s.do("create_comments", "what to look at", fileId=record["id"], content=words)
    s.rule(
        "The review is due within a year, on one day",
        """SELECT COUNT(*) FROM file_labels x JOIN labels l ON l.id = x.label_id JOIN files f ON f.id =
        x.file_id WHERE f.name = :name AND f.drive_id = :drive AND f.trashed IS NOT 1 AND l.key = 'review_due'
        AND x.value_date = :due AND x.value_date BETWEEN '2026-01-05' AND '2027-01-05'""",
        name=file["name"], drive=drive["id"], due=due.iso,
    )  # fmt: skip
