"""Scenarios about forms and programs: exports, the apps that open files, ids for uploads to come."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.indirection import spell
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.drive import extras
from eops_traj.taskgen.scenarios.drive.lookups import (
    FILES,
    LIVE_FILE,
    classifications,
    find_drive,
    find_file,
    pick_managed_drive,
    set_labels,
)
from eops_traj.taskgen.scenarios.drive.namesakes import add_namesake
from eops_traj.taskgen.scenarios.reasons import MISSING
from eops_traj.taskgen.scene import Scene

_OFFICE = "application/vnd.openxmlformats-officedocument."
_FORMS = {
    "document": (
        ("PDF", "application/pdf"),
        ("a Word file", f"{_OFFICE}wordprocessingml.document"),
        ("plain text", "text/plain"),
        ("a web page", "text/html"),
    ),
    "spreadsheet": (
        ("PDF", "application/pdf"),
        ("an Excel file", f"{_OFFICE}spreadsheetml.sheet"),
        ("CSV", "text/csv"),
    ),
    "presentation": (
        ("PDF", "application/pdf"),
        ("a PowerPoint file", f"{_OFFICE}presentationml.presentation"),
    ),
}
_GOOGLE = "f.mime_type LIKE 'application/vnd.google-apps.%' AND class IS NULL"
_RESTRICT = """INSERT INTO file_labels (id, file_id, label_id, value_enum, created_time) SELECT
    '01KE000000000000000000LABE', :file, id, 'restricted', '2025-12-01 09:00:00' FROM labels WHERE key =
    'classification'"""
_PURPOSES = ("the annual archive", "the supplier audit", "the insurance file", "the training folder",
             "the hearing in February", "the handover binder", "the quality record")  # fmt: skip


@family("drive", perturbations=("policy_forbids", "two_namesakes", "missing_entity"))
def export_document(s: Scene) -> None:
    """A document is exported as another type, and its labels and a comment say so."""
    drive = pick_managed_drive(s, where=f"EXISTS ({FILES.replace(':drive', 'd.id')} AND {_GOOGLE})")
    file = s.pick(f"{FILES} AND {_GOOGLE}", drive=drive["id"])
    form, kind = s.rng.choice(_FORMS[file["mime_type"].rpartition(".")[2]])
    purpose, reference = s.rng.choice(_PURPOSES), f"EXP-{s.rng.randrange(1000, 9999)}"
    remark = f"Exported for {purpose}."
    beside = besides(s, *extras.some(extras.remark_on))
    s.perturb("policy_forbids", _RESTRICT, file=file["id"])
    s.perturb("missing_entity", "UPDATE files SET name = 'Old ' || name WHERE id = :id", id=file["id"])
    add_namesake(s, file)
    s.ask(
        """For {purpose} I need {file} out of the {drive} drive as {form}. [Send me the link|I want the
        link] to the export, and on the file put the reference {reference} and the comment "{remark}" """,
        """[Somebody without an account|A person without access to Drive] reads {file} for {purpose}, hence it
        has to be exported from {drive} as {form}. Tell me the link; the file itself gets {reference} as its
        reference and a comment, "{remark}" """,
        """Export {file}, which lies in the shared drive {drive}, as {form}, [and tell me|then give me]
        the link that comes of it. So that {purpose} stays traceable, its reference reads {reference},
        and a comment on it says "{remark}" """,
        """"{remark}" [should stand as a comment|is the comment to leave] on {file} in {drive}, once it
        has been exported as {form}. The reference to set on it is {reference}, and I am waiting for
        the link of the export.""",
        """{purpose_capital} takes {form} only, so {file} ({drive} drive) has to be exported that way.
        [With the link I can go on myself|All I need back is the link]; on our side, note {reference}
        as the reference and comment "{remark}" """,
        """Reference {reference} [stands for an export|is about an export] of {file} as {form}, from the drive
        {drive}. Set that reference on the file, comment "{remark}" there, and let me have the link to what
        was exported.""",
        purpose=purpose,
        purpose_capital=purpose[0].upper() + purpose[1:],
        file=file["name"],
        drive=drive["name"],
        form=form,
        reference=reference,
        remark=remark,
    )
    beside.say()
    record = find_file(s, find_drive(s, drive["name"]), file["name"], "the file to export")
    labels = s.do("list_files_labels", "whether it is restricted", fileId=record["id"])
    s.require(
        count(classifications(labels, "restricted")),
        "==",
        0,
        f"{file['name']} is restricted, and is not exported",
        names=(file["name"], "restricted"),
    )
    export = s.do("export_files", f"{file['name']} as {form}", fileId=record["id"], mimeType=kind)
    beside.look()
    set_labels(s, record, "by which reference", reference=reference)
    s.do("create_comments", "say what it was for", fileId=record["id"], content=remark)
    s.answer("the link to the export", export["exportLink"])
    s.rule(
        "The file carries the reference of its export",
        """SELECT COUNT(*) FROM file_labels x JOIN labels l ON l.id = x.label_id WHERE x.file_id =
           :file AND l.key = 'reference' AND x.value_string = :reference""",
        file=file["id"],
        reference=reference,
    )
    beside.write()


_ENDINGS = ("pdf", "png", "jpg")


@family("drive", perturbations=("missing_entity", "two_namesakes"), ood=True)
def name_program(s: Scene) -> None:
    """The description of a file says with which of our programs it is opened."""
    fits = "f.file_extension IN ('pdf', 'png', 'jpg')"
    drive = pick_managed_drive(s, where=f"EXISTS ({FILES.replace(':drive', 'd.id')} AND {fits})")
    file = s.pick(f"{FILES} AND {fits}", drive=drive["id"])
    star = s.chance(0.5)
    beside = besides(s, *extras.some())
    s.perturb("missing_entity", "UPDATE files SET name = 'Old ' || name WHERE id = :id", id=file["id"])
    add_namesake(s, file)
    s.ask(
        """New colleagues do not know how to open {file} in the {drive} drive. [Find out which|Look up which]
        of our viewer apps is meant for files with that ending, and make the name of that app the description
        of the file. {star}""",
        """[The help desk is asked|We are asked] every week how to open {file} ({drive}). Its
        description should consist of the name of the viewer app that Drive has for files with this
        ending; tell me the name as well. {star}""",
        """In the drive {drive} the file {file} [has a poor description|is poorly described]. What
        belongs there is just the name of whichever viewer among our apps takes files with its ending.
        {star}""",
        """Which viewer app [opens|is there for] {file}, in our shared drive {drive}? Write the name of
        that app into the description of the file, nothing else, and let me know it too. {star}""",
        """The description of {file}, {drive} drive, [should tell|has to tell] people with what they can open
        it: the plain name of the viewer app that is listed for its ending. {star}""",
        """{file} from {drive} [came back twice|was sent back twice] as unreadable. Put the name of the proper
        viewer app for such a file, as our list of apps has it, into its description. {star}""",
        file=file["name"], drive=drive["name"], star="Mark it with a star for me, too." if star else "",
    )  # fmt: skip
    beside.say()
    s.indirect("the viewer app for a file's ending")
    record = find_file(s, find_drive(s, drive["name"]), file["name"], "the file to describe")
    ending = file["name"].rpartition(".")[2]
    apps = s.do("list_apps", "what opens such files", appFilterExtensions=ending)
    viewer = apps["items"].where(objectType="viewer")
    app = s.do("get_app", "more about it", appId=viewer["id"])
    more = {"starred": True} if star else {}
    beside.look()
    s.do(
        "update_files",
        "what opens it",
        fileId=record["id"],
        description=app["name"],
        **more,
    )
    s.answer("the app", app["name"])
    beside.write()


@family("drive", perturbations=("missing_entity", "two_namesakes"))
def reserve_ids(s: Scene) -> None:
    """A program that will upload files gets ids reserved, and a comment on a file is its sign to begin."""
    drive = pick_managed_drive(s)
    file = s.pick(f"{FILES}", drive=drive["id"])
    number, system = s.rng.randrange(2, 9), s.rng.choice(("scanner", "till", "drone survey", "badge printer",
                                                          "meter reading", "payroll run"))  # fmt: skip
    beside = besides(s, *extras.some(extras.remark_on))
    s.perturb("missing_entity", "UPDATE files SET name = 'Old ' || name WHERE id = :id", id=file["id"])
    add_namesake(s, file)
    s.ask(
        """The {system} program [uploads its files|starts its uploads] tonight and needs ids for them
        beforehand. Reserve {number} of them; then comment "{remark}" on {file} in {drive}, whose
        description becomes "Waits for uploads".""",
        """[Exactly {number} ids|{number_capital} ids, no more,] should be reserved for the uploads of the
        {system}. When that is done, {file} ({drive} drive) gets the comment "{remark}" and, from now on, the
        description "Waits for uploads".""",
        """On {file}, shared drive {drive}, the people of the {system} [look for|expect] a comment
        "{remark}" as soon as {number} new file ids are reserved for them. Do both, and describe the
        file as "Waits for uploads".""",
        """So that the {system} [cannot upload twice|uploads nothing twice], it works with ids reserved in
        advance: {number} of them this time. Say "{remark}" in a comment on {file} in {drive}, and let its
        description be "Waits for uploads".""",
        """The developer of the {system} [asked me for|needs] {number} reserved ids by noon. The sign
        for it is a comment on {file}, {drive} drive, that says "{remark}"; and its description should
        read "Waits for uploads".""",
        """"Waits for uploads" is [the new description|what to put as the description] of {file} in our drive
        {drive}, on which a comment says "{remark}" once {number} ids have been reserved for the {system}.""",
        remark=(remark := s.rng.choice(("The ids are reserved.", "Ids are set aside for tonight.",
                                        "Uploads may begin, the ids are there.",
                                        "The ids for the next run exist."))),
        system=system, number=spell(number), number_capital=spell(number).capitalize(), file=file["name"],
        drive=drive["name"],
    )  # fmt: skip
    beside.say()
    record = find_file(s, find_drive(s, drive["name"]), file["name"], "the file with the sign")
    s.do("generate_files_Ids", f"{spell(number)} ids", count=number)
    beside.look()
    s.do("create_comments", "the sign for the uploads", fileId=record["id"], content=remark)
    s.do("update_files", "say what it waits for", fileId=record["id"], description="Waits for uploads")
    beside.write()


_SHORTCUT = """INSERT INTO files (id, name, mime_type, created_by, modified_by, created_time,
    modified_time, is_shortcut, shortcut_target_id, shortcut_target_mime, parent_ids) VALUES (:id,
    :name, 'application/vnd.google-apps.shortcut', :me, :me, '2025-11-10 09:00:00', '2025-11-10
    09:00:00', 1, :target, :mime, '[]')"""


@family("drive", perturbations=("missing_entity", "policy_forbids"))
def behind_shortcut(s: Scene) -> None:
    """Somebody names a shortcut of their own, and means the file behind it."""
    drive = pick_managed_drive(s)
    file = s.pick(f"{FILES} AND class IS NULL", drive=drive["id"])
    name = s.rng.choice(("Quick Link", "Read Me Daily", "My Reference", "For the Round", "Look Here First"))
    shortcut, level = "01KD0000000000000000000SHC", s.rng.choice(("confidential", "restricted"))
    what, noun = (
        s.rng.choice(
            (
                "Reference for the weekly round",
                "Checked in January",
                "Basis of the new plan",
                "Shown to all new colleagues",
            )
        ),
        s.rng.choice(("shortcut", "link")),
    )
    s.arrange(_SHORTCUT, id=shortcut, name=name, me=s.caller["id"], target=file["id"], mime=file["mime_type"])
    beside = besides(s, *extras.some())
    s.perturb("missing_entity", "UPDATE files SET name = 'Older ' || name WHERE id = :id", id=shortcut)
    s.perturb("policy_forbids", _RESTRICT.replace("'restricted'", "'public'"), file=file["id"])
    s.ask(
        """My {noun} "{name}" [leads to|points to] a file that nobody has classified. That file, not
        the {noun}, is {level} and should have the description "{what}".""",
        """Behind "{name}", a {noun} in my own Drive, [there is|lies] a file of ours which [lacks a
        classification|was never classified]. Mark the file as {level}, and describe it as "{what}".""",
        """I always open it by [my {noun}|the {noun}] "{name}" and forgot what the file itself is
        called. It needs its first classification, {level}, and "{what}" as a description.""",
        """"{what}" [should describe|is the description for] the file that "{name}" in my files points to; the
        {noun} remains what it is. The file has no classification so far, and {level} is right for it.""",
        """[What I mean|The file I mean] is the one you reach by the {noun} "{name}" among my own
        files: classify it, for the first time, as {level}, and [set its description to|let its
        description be] "{what}".""",
        """The target of my {noun} "{name}" [was overlooked|has been overlooked] when we classified our
        papers. It is {level}; besides, its description should be "{what}".""",
        name=name, level=level, what=what, noun=noun,
    )  # fmt: skip
    beside.say()
    s.indirect("the file behind a shortcut", hidden=[file["id"]])
    found = s.do("list_files", "the shortcut", trashed=False, q=f"name = '{name}' and 'me' in owners")
    s.require(count(found["files"]), "==", 1, f"there is no {name} among your files", names=(name, MISSING))
    target = s.do("get_files", "what it points to", fileId=found["files"][0]["shortcutDetails"]["targetId"])
    labels = s.do("list_files_labels", "whether it is classified", fileId=target["id"])
    s.require(count(classifications(labels)), "==", 0, "the file behind it is classified already",
              names=("already|classif|public",))  # fmt: skip
    beside.look()
    set_labels(s, target, "its first classification", classification=level)
    s.do("update_files", "what it is", fileId=target["id"], description=what)
    s.rule(
        "The shortcut is as it was",
        f"""SELECT COUNT(*) FROM files f WHERE f.id = :id AND
    f.description IS NULL AND NOT ({LIVE_FILE})""",
        id=shortcut,
    )
    beside.write()
