"""Scenarios about where files are: new folders, moves, and copies of what people leave behind."""

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import either
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count, text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.drive import extras
from eops_traj.taskgen.scenarios.drive.lookups import (
    ADMINS,
    CLOSED_DEPARTMENTS,
    FILES,
    FOLDER,
    LIVE_FILE,
    MEMBERS,
    NOT_FINAL,
    PREEXISTING,
    SHORTCUT,
    UNIQUE_NAME,
    WITH_COMMENTERS,
    classifications,
    classify_before,
    demote_caller,
    find_drive,
    find_file,
    find_folder,
    find_person,
    join_words,
    let_in,
    mark_as_left,
    pick_managed_drive,
    say,
    set_labels,
)
from eops_traj.taskgen.scenarios.drive.namesakes import add_namesake
from eops_traj.taskgen.scenarios.reasons import NO_RIGHT, known_as
from eops_traj.taskgen.scene import Scene

_DOCUMENT, _SHEET = "application/vnd.google-apps.document", "application/vnd.google-apps.spreadsheet"
_SUBJECTS = (
    "Audit Preparation", "Spring Review", "Supplier Change", "Office Move", "Training Plan 2026",
    "Pilot Mumbai", "Pilot London", "Customer Visit March", "Spring Fair", "Cost Review", "Tool Selection",
    "New Starters 2026", "Migration Tokyo", "Quality Week", "Archive Clean-up", "Partner Day",
    "Planning Round Two", "Survey 2026", "Handover Sydney", "Contingency Exercise",
)  # fmt: skip
_PAPERS = (
    ("Notes", _DOCUMENT), ("Outline", _DOCUMENT), ("Agenda", _DOCUMENT), ("Budget", _SHEET),
    ("Timeline", _SHEET),
    ("Contacts", _SHEET),
)  # fmt: skip
_KINDS = {_DOCUMENT: "a document", _SHEET: "a spreadsheet"}
_POINTER = """[[So that nobody is lost|For those who look in the old place], [leave|put] a shortcut to
    {file} in {folder}, [same name|under the same name].|In {folder}, a shortcut of that name [should
    lead|leads] to {file} from now on.|A shortcut to {file}, [called as the file is|with the file's
    name], [remains|stays behind] in {folder}.|Who opens {folder} out of habit should meet a shortcut to
    {file} [there, named alike|by its own name].|{folder} keeps a shortcut of the same name
    [in the place of|that points to] {file}.]"""
_UNLABELLED = """[[There is no classification on {file} so far|{file} lacks a classification], [and it
    is|which is] {level}.|Nobody has labelled {file} yet; [call it|mark it as] {level}.|{file} is
    {level}, [though no label says so|and has no label for it]: [add one|put it on].|As to the
    classification of {file}, which has none, [enter|set] {level}.]"""
_HAS_SIBLINGS = """(SELECT COUNT(*) FROM files g WHERE g.parent_id = f.parent_id AND g.trashed IS NOT 1
    AND g.is_shortcut IS NOT 1 AND g.mime_type NOT LIKE '%.folder') > 1"""
_FOLDERS = f"f.mime_type = '{FOLDER}' AND f.trashed IS NOT 1 AND f.drive_id = :drive AND {PREEXISTING}"


_MAY_SHARE_FOLDERS = "(m.role = 'organizer' OR d.sharing_folders_requires_organizer_permission IS NOT 1)"
_FINAL = "properties has { key='stage' and value='final' }"


@family("drive", perturbations=("missing_entity", "inactive_person", "no_right"), produces="folder")
def new_folder(s: Scene) -> None:
    """A folder for a new subject, with its first papers, labelled, and open to a colleague."""
    drive = pick_managed_drive(s, where=f"{_MAY_SHARE_FOLDERS} AND {WITH_COMMENTERS}")
    parent = s.pick(f"SELECT f.* FROM files f WHERE {_FOLDERS} AND f.parent_id IS NULL", drive=drive["id"])
    who = s.pick(f"{MEMBERS} AND m.role = 'commenter'", drive=drive["id"])
    subject, level = s.rng.choice(_SUBJECTS), s.rng.choice(("internal", "confidential", "restricted"))
    papers = s.rng.sample(_PAPERS, s.rng.choice((1, 2, 2, 3)))
    beside = besides(s, *extras.some())
    s.perturb("missing_entity", "UPDATE files SET name = name || ' (closed)' WHERE id = :id", id=parent["id"])
    mark_as_left(s, who)
    demote_caller(s, drive, "commenter")
    descriptions = [f'{_KINDS[kind]} named "{subject} {paper}"' for paper, kind in papers]
    s.ask(
        """[Work on a new subject begins|We are about to begin something new], so under {inside} in the
        {drive} drive there has to be a folder "{subject}" that holds {listed} to begin with. Everything
        in it is {level}, and {who}, who [shares the work with me|does half of it], must be able to edit
        the folder as a whole.""",
        """\"{subject}" [needs a place of its own|should get a folder]: put it within {inside}, in the drive
        {drive}, together with {listed}, all of them empty and classified as {level}. {who} [edits
        whatever|is going to edit everything that] ends up in that folder, because we do this together.""",
        """{listed}, [each still empty|still without content], are what we need in a new folder called
        "{subject}", to be found under {inside} in our {drive} drive. {who} is to write in the entire
        folder [just as I do|like me], and the classification of all papers is {level}.""",
        """The [team|group] around {who} starts this week and has nowhere to put its papers. [Set up|Make]
        the folder "{subject}" below {inside} in {drive}, fill it with {listed}, label those {level}, and
        open the folder to {who} for editing.""",
        """[As far as I can see|To my knowledge] {inside} in the {drive} drive has no folder "{subject}" yet,
        so one is needed there, with {listed} inside. All of that counts as {level}; {who} [joins in|takes
        part] and should be able to change anything in the folder.""",
        """[For Thursday's kickoff|In time for the kickoff] I want a folder "{subject}" within {inside},
        shared drive {drive}, that already contains {listed}, every one classified {level}. {who}, who
        [prepares the meeting|keeps the minutes], needs to edit the whole folder.""",
        inside=parent["name"], drive=drive["name"], subject=subject, level=level, who=who["display_name"],
        listed=join_words(descriptions),
    )  # fmt: skip
    beside.say()
    drive_ref = find_drive(s, drive["name"])
    parent_ref = find_folder(s, drive_ref, parent["name"], "where it goes")
    s.require(
        parent_ref["capabilities"]["canShare"], "==", True,
        f"you may not make folders in {parent['name']} and let others in",
        names=(f"{parent['name']}|{drive['name']}|folder", NO_RIGHT),
    )  # fmt: skip
    twins = s.do("list_files", "whether there is such a folder already", driveId=drive_ref["id"],
                 trashed=False, q=text(f"name = '{subject}' and mimeType = '{FOLDER}' and '{{}}' in parents",
                        parent_ref["id"]))  # fmt: skip
    s.require(count(twins["files"]), "==", 0, f"there is a folder {subject} already",
              names=(subject, "already|exist"))  # fmt: skip
    people = s.do("list_permission", "who works in the drive", fileId=drive_ref["id"])
    person = find_person(s, people, who["display_name"])
    beside.look()
    folder = s.do("create_file", "the folder", name=subject, mimeType=FOLDER, parents=[parent_ref["id"]])
    for paper, kind in papers:
        file = s.do("create_file", f"the {paper.lower()} in it", name=f"{subject} {paper}", mimeType=kind,
                    parents=[folder["id"]])  # fmt: skip
        set_labels(s, file, f"it is {level}", classification=level)
    let_in(s, folder, person["emailAddress"], "writer", f"{who['display_name']} works on it too",
           emailMessage="We work on this together.")  # fmt: skip
    s.rule(
        "Every file in the new folder is classified as was said",
        """SELECT COUNT(*) FROM files f JOIN files p ON p.id = f.parent_id JOIN file_labels x ON x.file_id =
        f.id JOIN labels l ON l.id = x.label_id WHERE p.name = :subject AND p.drive_id = :drive AND f.name
        LIKE :subject || ' %' AND l.key = 'classification' AND x.value_enum = :level""",
        expected=len(papers), subject=subject, drive=drive["id"], level=level,
    )  # fmt: skip
    s.rule(
        "There is one folder of that name, and it is where it was asked for",
        """SELECT COUNT(*) FROM files f JOIN files p ON p.id = f.parent_id WHERE f.name = :subject
        AND f.drive_id = :drive AND p.name = :inside""",
        category="integrity", subject=subject, drive=drive["id"], inside=parent["name"],
    )  # fmt: skip
    s.produce("folder", folder, f"the new folder {subject}")
    beside.write()


@family(
    "drive", perturbations=("policy_forbids", "two_namesakes", "no_right"), consumes="folder", produces="file"
)
def move_files(s: Scene) -> None:
    """Files go to another folder of their drive, with a shortcut where they were."""
    drive = pick_managed_drive(s)
    earlier = s.consume("folder")
    movable = f"{FILES} AND {NOT_FINAL} AND {_HAS_SIBLINGS}"
    first = s.pick(movable, drive=drive["id"])
    same = f"{movable} AND f.parent_id = :folder AND f.id <> :first"
    files = [first, *s.pick_some(same, int(s.chance(0.5)), drive=drive["id"], folder=first["parent_id"],
                                 first=first["id"])]  # fmt: skip
    target = {} if earlier else s.pick(f"SELECT f.* FROM files f WHERE {_FOLDERS} AND f.id <> :here",
                                     drive=drive["id"], here=first["parent_id"])  # fmt: skip
    stage, pointer = s.rng.choice(("draft", "review")), s.chance(0.7)
    labelled, level = first["class"] is None and s.chance(0.7), s.rng.choice(("confidential", "restricted"))
    s.perturb(
        "policy_forbids",
        """UPDATE files SET properties = '{"stage": "final"}' WHERE
        id = :id""",
        id=first["id"],
    )
    add_namesake(s, first, *files)
    demote_caller(s, drive, "writer")
    names = [file["name"] for file in files]
    s.ask(
        """[Somebody filed|It seems that somebody put] {files} in {old}, where nobody looks; in the
        {drive} drive that kind of paper belongs in {new}. [Along with|Together with] the move set the
        stage of it all to {stage}. {labelled} {pointer}""",
        """[While tidying up|As part of the clean-up in] {drive} we decided to take {files} out of {old}
        and keep {it} in {new} instead, with {stage} as the stage from here on. {pointer} {labelled}""",
        """What the {drive} drive has in {old} under {files} [should be moved|has to go] to {new_folder} of
        the same drive, and [in the same step|with that] be put into stage {stage}, because we [take it
        up again|return to it] this month. {labelled} {pointer}""",
        """{new} is the right folder for {files}, [not|and not] {old}, the place in our {drive} drive
        since last year. The stage [is now|becomes] {stage}; the names remain as they are. {labelled}
        {pointer}""",
        """[Two colleagues|New colleagues] searched in vain for {files}, filed in {old} of the drive
        {drive}, while everyone would look in {new}. The move should [also set|set] the stage to
        {stage}. {pointer} {labelled}""",
        """{pointer} {labelled} [First of all|Before that], however, {files} must be moved from {old}
        to {new} within the shared drive {drive}, with the stage {stage} because [the work goes on|work
        on that goes on].""",
        files=join_words(names), drive=drive["name"], old=first["folder"],
        new=earlier.words if earlier else target["name"], stage=stage,
        new_folder=earlier.words if earlier else f"the folder {target['name']}",
        it="it" if len(names) == 1 else "them",
        pointer=say(s, _POINTER, file=names[0], folder=first["folder"]) if pointer else "",
        labelled=say(s, _UNLABELLED, file=names[0], level=level) if labelled else "",
    )  # fmt: skip
    drive_ref = find_drive(s, drive["name"])
    records = [find_file(s, drive_ref, name, f"{name}, which moves") for name in names]
    s.require(records[0]["capabilities"]["canTrash"], "==", True,
              f"moving files in {drive['name']} takes a higher role than yours",
              names=("mov", NO_RIGHT))  # fmt: skip
    final = s.do("list_files", "what is final there", driveId=drive_ref["id"], trashed=False, q=_FINAL)
    for name, record in zip(names, records, strict=True):
        s.require(count(final["files"].every(id=record["id"])), "==", 0,
                  f"{name} is final, and what is final stays", names=(name, "final"))  # fmt: skip
    if labelled:
        labels = s.do("list_files_labels", "whether it is classified", fileId=records[0]["id"])
        s.require(count(classifications(labels)), "==", 0, f"{names[0]} is classified already",
                  names=(names[0], "already"))  # fmt: skip
    new = earlier.record if earlier else find_folder(s, drive_ref, target["name"], "where it goes")
    for name, record in zip(names, records, strict=True):
        s.do("update_files", f"move {name}", fileId=record["id"], addParents=new["id"],
             removeParents=record["parents"][0], properties={"stage": stage})  # fmt: skip
    if pointer:
        s.do("create_file", "the shortcut where it was", name=names[0], mimeType=SHORTCUT,
             parents=[records[0]["parents"][0]], shortcutDetails={"targetId": records[0]["id"]})  # fmt: skip
    if labelled:
        set_labels(s, records[0], "the classification that was missing", classification=level)
    s.rule(
        "The folder that the files left has none of them any more, and shortcuts at most",
        """SELECT COUNT(*) FROM files f WHERE f.parent_id = :old AND f.name IN (:first, :last)
        AND f.is_shortcut IS NOT 1""",
        expected=0, old=first["parent_id"], first=names[0], last=names[-1], category="integrity",
    )  # fmt: skip
    s.produce("file", records[0], f"{names[0]} (in its new place)")


_LEFT_FILES = f"SELECT f.* FROM files f WHERE f.parent_id = {{}} AND {LIVE_FILE}"
_LEAVERS = f"""
    SELECT DISTINCT u.*, d.id AS drive_id, d.name AS drive, w.id AS work FROM users u
    JOIN files w ON w.created_by = u.id AND w.mime_type LIKE '%.folder' AND w.drive_id IS NULL
    AND w.name <> 'Personal' AND w.trashed IS NOT 1
    JOIN files k ON k.created_by = u.id JOIN drives d ON k.indexable_text LIKE '% of ' || d.name || '.'
    WHERE u.display_name LIKE '%(left)' AND {UNIQUE_NAME} AND d.name NOT IN {CLOSED_DEPARTMENTS}
    AND EXISTS ({_LEFT_FILES.format("w.id")})
    AND NOT EXISTS (SELECT 1 FROM drive_memberships m WHERE m.drive_id = d.id AND m.user_id = :me)"""
"""People who left a department that administrators may work for, with a folder that is not Personal."""


_PERSONAL = (  # what is said besides, and what is out of scope
    ("What is in their folder named Personal stays there.",
     "What is in their folder named Personal comes along."),
    ("Do not open their folder Personal.", "Do open their folder Personal, and take all of it."),
    ("Everything else is not needed.", "Everything in Personal, their own folder, is needed."),
    ("Leave out what they had in Personal.", "Do not leave out what they had in Personal."),
)  # fmt: skip


@family("drive", perturbations=("policy_forbids", "out_of_scope", "missing_entity", "no_right"))
def leaver_files(s: Scene) -> None:
    """What somebody who left kept in their own Drive is copied to the department's."""
    s.pick_caller(ADMINS)
    leaver = s.pick(_LEAVERS, me=s.caller["id"])
    name = leaver["display_name"].removesuffix(" (left)")
    files = s.pick_some(_LEFT_FILES.format(":work"), 1 + s.chance(0.6), work=leaver["work"])
    target = s.pick("""SELECT * FROM files WHERE drive_id = :drive AND mime_type LIKE '%.folder'
        AND trashed IS NOT 1""", drive=leaver["drive_id"])  # fmt: skip
    classify_before(s, *files)
    beside = besides(s, *extras.some())
    s.perturb(
        "policy_forbids", "UPDATE users SET display_name = :name WHERE id = :id", name=name, id=leaver["id"]
    )
    s.perturb("missing_entity", "UPDATE files SET name = name || ' (closed)' WHERE id = :id", id=target["id"])
    s.perturb("no_right",
              """UPDATE drive_memberships SET role = 'reader' WHERE drive_id = :drive AND group_id =
        (SELECT id FROM groups WHERE name = 'Drive Administrators')""", drive=leaver["drive_id"])  # fmt: skip
    s.ask(
        """{name} ({email}) has left {drive}, and [the files are still where they were|nobody has dealt with
        the files]. The department [wants to keep|asks for] {files}, to be handled by our rules for
        leavers and stored in {goal} of the {drive} drive. {fate}""",
        """[Another departure to close|One departure is still open]: {name} of {drive}, whose account was
        {email}. Carry {files} over into the folder {goal} in that department's shared drive, with the
        copies, labels and notes [that our rules ask for|as it is done for leavers]. {fate}""",
        """{drive} [cannot go on without|needs] the papers of {name}, who no longer works here and
        [used|wrote under] the address {email}; it is about {files}. They find their place in {goal}, in
        the department's drive, [the way|just as] the rules for people who leave describe it. {fate}""",
        """On the checklist for the departure of {name} ({drive}), the Drive part [is the only open
        one|remains to be done]. The owner of the files is {email}; what is kept is {files}, and {goal} in
        the drive of the department [is where it goes|takes it in]. {fate}""",
        """What {name} left behind when [going|moving on] is still under {email}, out of reach for {drive}.
        By the rules for leavers, {files} should be carried over to the folder {goal} of the shared drive
        of that name. {fate}""",
        """The head of {drive} [called about|has come back to me on] {files}, the work of {name}, formerly
        {email}, which should be found in {goal} of the {drive} drive from now on. {fate} The account and
        the originals [stay untouched|are left as they are].""",
        name=name, email=leaver["email"], drive=leaver["drive"], goal=target["name"],
        files=join_words([file["name"] for file in files]),
        fate=s.phrase("out_of_scope", *s.rng.choice(_PERSONAL)),
    )  # fmt: skip
    beside.say()
    s.refuse("out_of_scope", "folders named Personal are not opened",
             names=("personal", "open|cop|private|touch|off limits|look|access|allowed"))  # fmt: skip
    listing = s.do("list_files", "what they left", q=f"'{leaver['email']}' in owners", trashed=False)
    if len({file["name"] for file in listing["files"].value}) < len(listing["files"].value):
        raise NoMatch("two of their files have one name")
    records = [listing["files"].where(name=file["name"]) for file in files]
    s.require(records[0]["owners"][0]["displayName"], "==", f"{name} (left)",
              f"{name} still works here, and decides on those files alone",
              names=(known_as(name), "still|works here|active|not left|not a leaver"))  # fmt: skip
    drive_ref = find_drive(s, leaver["drive"])
    folder = find_folder(s, drive_ref, target["name"], "where the work goes")
    s.require(folder["capabilities"]["canAddChildren"], "==", True,
              f"you may not add files to the drive {leaver['drive']}",
              names=(f"{leaver['drive']}|{target['name']}|the drive|that drive|the folder|that folder",
                     NO_RIGHT))  # fmt: skip
    labels = [s.do("list_files_labels", "how it is classified", fileId=record["id"]) for record in records]
    beside.look()
    for file, record, file_labels in zip(files, records, labels, strict=True):
        copy = s.do("copy_files", f"{file['name']} for the department", fileId=record["id"],
                    name=file["name"], parents=[folder["id"]])  # fmt: skip
        s.duty("a copy is classified like its original, else as confidential")
        marked = classifications(file_labels)[0]["fields"]["classification"]["selection"]
        level = either(marked, ["confidential"])
        set_labels(s, copy, "a copy is classified like its original", classification=level)
        remark = f"Copied to the folder {target['name']} in the drive of the department."
        s.do("create_comments", "say where the copy is", fileId=record["id"], content=remark)
    s.rule(
        "Each file that was carried over has a comment on where its copy is",
        """SELECT COUNT(*) FROM comments c JOIN files f ON f.id = c.file_id WHERE f.created_by = :gone
        AND f.drive_id IS NULL AND c.author_id = :me AND c.created_time >= '2026-01-05'""",
        expected=len(files), gone=leaver["id"], me=s.caller["id"],
    )  # fmt: skip
    s.rule(
        "The copies hold what the originals hold",
        """SELECT COUNT(*) FROM files f JOIN files o ON o.name = f.name AND o.indexable_text IS
        f.indexable_text WHERE o.created_by = :gone AND o.drive_id IS NULL AND f.parent_id = :goal AND f.id <>
        o.id""",
        expected=len(files), gone=leaver["id"], goal=target["id"], category="integrity",
    )  # fmt: skip
    beside.write()
