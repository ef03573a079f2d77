"""Scenarios about the versions of a file: which may go, and which are published."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.drive import extras
from eops_traj.taskgen.scenarios.drive.lookups import (
    FILES,
    classifications,
    demote_caller,
    find_drive,
    find_file,
    pick_managed_drive,
)
from eops_traj.taskgen.scenarios.drive.namesakes import SAME_VERSIONS, add_namesake
from eops_traj.taskgen.scenarios.reasons import NO_RIGHT
from eops_traj.taskgen.scene import Scene

_SEVERAL = """f.mime_type NOT LIKE 'application/vnd.google-apps.%' AND (SELECT COUNT(*) FROM revisions
    r WHERE r.file_id = f.id) > 1 AND NOT EXISTS (SELECT 1 FROM revisions r WHERE r.file_id = f.id AND
    r.keep_forever)"""
_GOOGLE = """f.mime_type LIKE 'application/vnd.google-apps.%' AND class = 'public' AND NOT EXISTS
    (SELECT 1 FROM revisions r WHERE r.file_id = f.id AND r.published)"""
_LEAKS = (
    "home addresses", "private telephone numbers", "dates of birth", "bank details of two colleagues",
    "the sick days of a colleague", "a list of salaries", "copies of identity cards", "notes on an applicant",
)  # fmt: skip
_ADD_LABEL = """INSERT INTO file_labels (id, file_id, label_id, value_enum, created_time) SELECT
    '01KE000000000000000000LABE', :file, id, 'public', '2025-12-01 09:00:00' FROM labels WHERE key =
    'classification'"""


@family("drive", perturbations=("policy_forbids", "no_right", "two_namesakes"))
def drop_first_version(s: Scene) -> None:
    """The oldest version of a file holds personal data and is deleted, which a comment says."""
    drive = pick_managed_drive(s, where=f"EXISTS ({FILES.replace(':drive', 'd.id')} AND {_SEVERAL})")
    file = s.pick(f"{FILES} AND {_SEVERAL}", drive=drive["id"])
    leak, oldest = s.rng.choice(_LEAKS), s.pick("""SELECT * FROM revisions WHERE file_id = :file ORDER BY
        revision_number LIMIT 1""", file=file["id"])  # fmt: skip
    remark = s.rng.choice(("The first version held personal data and was deleted.",
                           "An early version was deleted, since it named people.",
                           "The original upload is gone for reasons of privacy.",
                           "Privacy: what was uploaded first is no longer kept.",
                           "One old version less, as it showed private data.",
                           "Cleaned up for data protection, nothing else has changed.",
                           "What this began as cannot be restored any more, on purpose.",
                           "History shortened by one version at the request of privacy."))  # fmt: skip
    beside = besides(s, *extras.some(extras.file_versions, extras.remark_on))
    s.perturb("policy_forbids", "UPDATE revisions SET keep_forever = 1 WHERE id = :id", id=oldest["id"])
    demote_caller(s, drive, "commenter")
    add_namesake(s, file, alike=SAME_VERSIONS)
    s.ask(
        """The oldest version of {file} in the {drive} drive [contains|still holds] {leak}, which must not be
        there. [Delete that one version|Have that version deleted] and leave the comment "{remark}" on the
        file.""",
        """[Data protection found|Our privacy officer came across] {leak} in {file} ({drive}), not in its
        present state but in the version it was [first uploaded as|begun with]. That version has to go, and a
        comment says "{remark}" """,
        """Whoever looks into the history of {file}, shared drive {drive}, sees {leak} in the very
        first version. [Take only that one out|Only that one is removed]; on the file itself, comment
        "{remark}" """,
        """{file} in {drive} [was cleaned of|no longer shows] {leak}, yet its earliest version gives
        them away. Delete the earliest version, keep those [after it|that followed], and write
        "{remark}" as a comment.""",
        """[Somebody asked us to erase|We had a request to erase] {leak}, which are left in one place alone:
        the version of {file} ({drive} drive) with which it all began. Remove that version, then comment
        "{remark}" on the file.""",
        """"{remark}" [should be the comment on|is the comment to leave on] {file} in our {drive} drive, after
        its first version, the one with {leak}, has been deleted. The [newer|later] versions stay.""",
        file=file["name"], drive=drive["name"], leak=leak, remark=remark,
    )  # fmt: skip
    beside.say()
    s.indirect("the oldest version", hidden=[oldest["id"]])
    record = find_file(s, find_drive(s, drive["name"]), file["name"], "the file with the data")
    s.require(
        record["capabilities"]["canReadRevisions"],
        "==",
        True,
        f"you may not see the versions of {file['name']}",
        names=("version|revision|histor", NO_RIGHT),
    )
    versions = s.do("list_revisions", "its versions", fileId=record["id"])
    first = versions["revisions"].smallest("modifiedTime")
    details = s.do("get_revisions", "whether it may go", fileId=record["id"], revisionId=first["id"])
    s.require(
        details["keepForever"],
        "!=",
        True,
        f"the oldest version of {file['name']} is kept, and is not deleted",
        names=("version|revision", "kept|keep|forever|evidence|retain"),
    )
    beside.look()
    s.do("delete_revisions", "it holds personal data", fileId=record["id"], revisionId=details["id"])
    s.do("create_comments", "say that it is gone", fileId=record["id"], content=remark)
    s.rule("The later versions are all there",
           "SELECT COUNT(*) FROM revisions WHERE file_id = :file AND id <> :id AND deleted",
           expected=0, file=file["id"], id=oldest["id"])  # fmt: skip
    beside.write()


@family("drive", perturbations=("policy_forbids", "two_namesakes", "no_right"), ood=True)
def publish_page(s: Scene) -> None:
    """The latest version of a public document is published, and its review is noted."""
    drive = pick_managed_drive(s, where=f"""EXISTS ({FILES.replace(':drive', 'd.id')} AND
        {_GOOGLE.replace("class = 'public'", "class IS NULL AND NOT sensitive")})""")  # fmt: skip
    file = s.pick(f"""{FILES} AND {_GOOGLE.replace("class = 'public'", "class IS NULL AND NOT sensitive")}""",
                  drive=drive["id"])  # fmt: skip
    due, place = s.day(60, 160), s.rng.choice(("visitors' page", "careers page", "press page", "partner page",
                                               "help pages", "supplier page"))  # fmt: skip
    if s.perturbation != "policy_forbids":
        s.arrange(_ADD_LABEL, file=file["id"])
    beside = besides(s, *extras.some(extras.file_versions))
    s.perturb("policy_forbids", _ADD_LABEL.replace("'public'", "'internal'"), file=file["id"])
    demote_caller(s, drive, "commenter")
    add_namesake(s, file)
    s.ask(
        """The web team wants to [embed|show] {file} from our {drive} drive on the {place}, so its latest
        version [has to be published|should be published], and that version alone. Its review is due
        {due}.""",
        """[For the {place}|On the {place}] we link to {file} ({drive}), which is public by its label. Publish
        the newest version there is, [without later ones following by themselves|but none that comes later],
        and set the review to be due {due}.""",
        """{file} in {drive} [was cleared|is ready] for the {place}: publish the version that was made
        last. As the day its review is due, [note|enter] {due}.""",
        """Visitors of the {place} [complain about|see] an old text, because {file} was never published from
        the shared drive {drive}. The most recent version [should be|is the one to be] published now, and the
        review date on the file is {due}.""",
        """What the {place} needs is a published version of {file}, drive {drive}, and [it can only be|it has
        to be] the last one. [Besides|Then], the label for the review should say {due}.""",
        """[Before the campaign starts|Before the page goes live], publish the current version of
        {file}, to be found in {drive}, for the {place}. The file is [looked at again|reviewed again]
        {due}, which its review date should show.""",
        file=file["name"], drive=drive["name"], due=str(due), place=place,
    )  # fmt: skip
    beside.say()
    s.indirect("the latest version of a document")
    s.duty("only what is classified as public is published")
    record = find_file(s, find_drive(s, drive["name"]), file["name"], "the file to publish")
    s.require(record["capabilities"]["canReadRevisions"], "==", True, f"you may not publish {file['name']}",
              names=("publish|version|revision", NO_RIGHT))  # fmt: skip
    labels = s.do("list_files_labels", "whether it is public", fileId=record["id"])
    s.require(
        count(classifications(labels, "public")),
        "==",
        1,
        f"{file['name']} is not classified as public",
        names=("public|internal|classif", "not|only|internal|classif"),
    )
    versions = s.do("list_revisions", "its versions", fileId=record["id"])
    latest = versions["revisions"].largest("modifiedTime")
    beside.look()
    s.do("update_revisions", "publish it", fileId=record["id"], revisionId=latest["id"], published=True)
    change = [{"fieldId": "review_due", "setDateValues": [due.iso]}]
    s.do("modify_files_labels", "when it is reviewed", fileId=record["id"],
         labelModifications=[{"labelId": "review_due", "fieldModifications": change}])  # fmt: skip
    s.rule(
        "Later versions are not published by themselves",
        "SELECT COUNT(*) FROM revisions WHERE file_id = :file AND publish_auto",
        expected=0,
        file=file["id"],
    )
    beside.write()
