"""Scenarios about where files are: new folders, moves, copies of what is final, and the trash."""

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count, text
from eops_traj.taskgen.scenarios.drive.lookups import (
    FILES,
    FOLDER,
    MEMBERS,
    OLD,
    OPEN_STAGE,
    SHORTCUT,
    WITH_COMMENTERS,
    classes,
    demote,
    double,
    find_drive,
    find_file,
    find_folder,
    find_person,
    in_charge,
    leave,
    listed,
    set_labels,
)
from eops_traj.taskgen.scene import Scene

_DOCUMENT, _SHEET = "application/vnd.google-apps.document", "application/vnd.google-apps.spreadsheet"
_SUBJECTS = (
    "Audit Preparation", "Spring Review", "Supplier Change", "Office Move", "Training Plan 2026",
    "Pilot Mumbai",
    "Pilot London", "Customer Visit March", "Spring Fair", "Cost Review", "Tool Selection",
    "New Starters 2026",
    "Migration Tokyo", "Quality Week", "Archive Clean-up", "Partner Day", "Planning Round Two", "Survey 2026",
    "Handover Sydney", "Contingency Exercise",
)  # fmt: skip
_PAPERS = (
    ("Notes", _DOCUMENT), ("Outline", _DOCUMENT), ("Agenda", _DOCUMENT), ("Budget", _SHEET),
    ("Timeline", _SHEET),
    ("Contacts", _SHEET),
)  # fmt: skip
_KINDS = {_DOCUMENT: "a document", _SHEET: "a spreadsheet"}
_SIBLINGS = """(SELECT COUNT(*) FROM files g WHERE g.parent_id = f.parent_id AND g.trashed IS NOT 1
    AND g.is_shortcut IS NOT 1 AND g.mime_type NOT LIKE '%.folder') > 1"""
_FOLDERS = f"f.mime_type = '{FOLDER}' AND f.trashed IS NOT 1 AND f.drive_id = :drive AND {OLD}"


_GUARDED = "(m.role = 'organizer' OR d.sharing_folders_requires_organizer_permission IS NOT 1)"
_FINAL = "properties has { key='stage' and value='final' }"


@family("drive", twists=("missing_entity", "inactive_person", "no_right"), gives="folder")
def new_folder(s: Scene) -> None:
    """A folder for a new subject, with its first papers, labelled, and open to a colleague."""
    shelf = in_charge(s, where=f"{_GUARDED} AND {WITH_COMMENTERS}")
    inside = s.pick(f"SELECT f.* FROM files f WHERE {_FOLDERS} AND f.parent_id IS NULL", drive=shelf["id"])
    who = s.pick(f"{MEMBERS} AND m.role = 'commenter'", drive=shelf["id"])
    subject, level = s.rng.choice(_SUBJECTS), s.rng.choice(("internal", "confidential", "restricted"))
    papers = s.rng.sample(_PAPERS, s.rng.choice((1, 2, 2, 3)))
    s.twist("missing_entity", "UPDATE files SET name = name || ' (closed)' WHERE id = :id", id=inside["id"])
    leave(s, who)
    demote(s, shelf, "commenter")
    wanted = [f'{_KINDS[kind]} named "{subject} {paper}"' for paper, kind in papers]
    s.ask(
        """we start on something new. Under {inside} in the {drive} drive there has to be a folder
        "{subject}", and in it, to begin with, {listed}. Classify what you make as {level}. {who} works on it
        too and has to edit all that is in the folder.""",
        """please set up "{subject}": a folder of that name within {inside}, {drive} drive. It takes {listed},
        empty as they are, classification {level}. And let {who} edit the folder as a whole, since we do this
        together.""",
        """{listed}: that is what I need, in a folder of their own called "{subject}". The folder goes into
        {inside} in our {drive} drive. {who} is to write in there as much as I do, so open the whole folder to
        them. As the classification, take {level}.""",
        """could you make room for the work that begins this week? Drive {drive}, folder {inside}, and in
        there a new one with the name "{subject}". Put {listed} into it, all classified {level}. {who} will do
        most of the writing, and so needs to edit the folder.""",
        """I looked, and there is no folder "{subject}" under {inside} in {drive} yet. Make one with {listed}
        in it. Everything about this is {level}. {who} joins me in the work and should be able to edit all of
        the folder.""",
        """for the kickoff on Thursday: new folder "{subject}", to be found under {inside} in the shared drive
        {drive}, with {listed}. Classify them as {level}. Writing in the folder is for {who}, who prepares the
        meeting.""",
        inside=inside["name"], drive=shelf["name"], subject=subject, level=level, who=who["display_name"],
        listed=listed(wanted),
    )  # fmt: skip
    place = find_drive(s, shelf["name"])
    above = find_folder(s, place, inside["name"], "where it goes")
    s.require(
        above["capabilities"]["canShare"], "==", True, "you may not make folders there and let others in"
    )
    twins = s.do("list_files", "whether there is such a folder already", driveId=place["id"], trashed=False,
                 q=text(f"name = '{subject}' and mimeType = '{FOLDER}' and '{{}}' in parents",
                        above["id"]))  # fmt: skip
    s.require(count(twins["files"]), "==", 0, "there is a folder of that name already")
    people = s.do("list_permission", "who works in the drive", fileId=place["id"])
    person = find_person(s, people, who["display_name"])
    made = s.do("create_file", "the folder", name=subject, mimeType=FOLDER, parents=[above["id"]])
    for paper, kind in papers:
        file = s.do("create_file", f"the {paper.lower()} in it", name=f"{subject} {paper}", mimeType=kind,
                    parents=[made["id"]])  # fmt: skip
        set_labels(s, file, f"it is {level}", classification=level)
    s.do("create_permission", f"{who['display_name']} works on it too", fileId=made["id"], role="writer",
         type="user", emailAddress=person["emailAddress"],
         emailMessage="We work on this together.")  # fmt: skip
    s.rule(
        "Every file in the new folder is classified as was said",
        """SELECT COUNT(*) FROM files f JOIN files p ON p.id = f.parent_id JOIN file_labels x ON x.file_id =
        f.id JOIN labels l ON l.id = x.label_id WHERE p.name = :subject AND p.drive_id = :drive AND f.name
        LIKE :subject || ' %' AND l.key = 'classification' AND x.value_enum = :level""",
        expected=len(papers), subject=subject, drive=shelf["id"], level=level,
    )  # fmt: skip
    s.rule(
        "There is one folder of that name, and it is where it was asked for",
        """SELECT COUNT(*) FROM files f JOIN files p ON p.id = f.parent_id WHERE f.name = :subject
        AND f.drive_id = :drive AND p.name = :inside""",
        category="integrity", subject=subject, drive=shelf["id"], inside=inside["name"],
    )  # fmt: skip
    s.give("folder", made, f"the new folder {subject}")


@family("drive", twists=("policy_forbids", "two_namesakes", "no_right"), takes="folder", gives="file")
def move_files(s: Scene) -> None:
    """Files go to another folder of their drive, with a shortcut where they were."""
    shelf = in_charge(s)
    given = s.given("folder")
    found = s.rows(f"{FILES} AND {OPEN_STAGE} AND {_SIBLINGS}", drive=shelf["id"])
    if not found:
        raise NoMatch("no file that may be moved")
    first = s.rng.choice(found)
    same = [f for f in found if f["parent_id"] == first["parent_id"] and f["id"] != first["id"]]
    files = [first, *s.rng.sample(same, min(len(same), int(s.chance(0.6))))]
    goal = {} if given else s.pick(f"SELECT f.* FROM files f WHERE {_FOLDERS} AND f.id <> :here",
                                     drive=shelf["id"], here=first["parent_id"])  # fmt: skip
    stage, pointer = s.rng.choice(("draft", "review")), s.chance(0.7)
    labelled, level = first["class"] is None and s.chance(0.7), s.rng.choice(("confidential", "restricted"))
    s.twist(
        "policy_forbids",
        """UPDATE files SET properties = '{"stage": "final"}' WHERE
        id = :id""",
        id=first["id"],
    )
    double(s, first)
    demote(s, shelf, "writer")
    names = [file["name"] for file in files]
    s.ask(
        """wrong place, in the {drive} drive: {files}, now in {old}, should be in {new}. Please see to the
        move, and set the stage to {stage} at the same time. {labelled} {pointer}""",
        """please tidy up a little in {drive}: {files} out of the folder {old}, into {new}. It is all in stage
        {stage} from now on, so note that on it as well. {pointer} {labelled}""",
        """nobody looks for {files} in {old}, as things are now. {new} is the right folder, in the same drive,
        {drive}. With the move, put what I named into stage {stage}. {labelled} {pointer}""",
        """new place for {files} ({drive} drive, folder {old}): {new}. New stage: {stage}. {pointer} The names
        stay as they are. {labelled}""",
        """I keep telling people where to find {files}, and they keep looking elsewhere. Could you move all
        that from {old} to {new}, both in our {drive} drive? The stage to note on it is {stage}. {pointer}
        {labelled}""",
        """{pointer} {labelled} What comes before that: {files} has to go from {old} to {new} in the shared
        drive {drive}, with the stage set to {stage} since we are working on it again.""",
        files=listed(names), drive=shelf["name"], old=first["folder"],
        new=given.words if given else goal["name"], stage=stage,
        pointer=f"So that nobody is lost, leave a shortcut to {names[0]} in {first['folder']}, same name."
        if pointer else "",
        labelled=f"And {names[0]} has no classification yet; it is {level}." if labelled else "",
    )  # fmt: skip
    place = find_drive(s, shelf["name"])
    records = [find_file(s, place, name, f"{name}, which moves") for name in names]
    s.require(
        records[0]["capabilities"]["canTrash"],
        "==",
        True,
        "moving files in that drive takes a higher role than yours",
    )
    final = s.do("list_files", "what is final there", driveId=place["id"], trashed=False, q=_FINAL)
    for name, record in zip(names, records, strict=True):
        s.require(
            count(final["files"].every(id=record["id"])), "==", 0, f"{name} is final, and what is final stays"
        )
    if labelled:
        labels = s.do("list_files_labels", "whether it is classified", fileId=records[0]["id"])
        s.require(count(classes(labels)), "==", 0, "it is classified already")
    new = given.record if given else find_folder(s, place, goal["name"], "where it goes")
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
    s.give("file", records[0], f"{names[0]} (in its new place)")
