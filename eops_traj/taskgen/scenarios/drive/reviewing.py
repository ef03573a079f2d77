"""Scenarios about files that go into review."""

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios.drive.lookups import (
    DATE,
    FILES,
    MEMBERS,
    WITH_COMMENTERS,
    double,
    find_drive,
    find_file,
    find_person,
    in_charge,
    leave,
    set_labels,
)
from eops_traj.taskgen.scene import Scene

_REVIEWERS = ("Please check the figures first.", "Please read it with the eyes of a customer.",
              "Look at the last part above all.",
              "Is anything missing from your side?", "Please comment in the text, not by mail.")  # fmt: skip


@family("drive", twists=("two_namesakes", "impossible_date", "inactive_person"), takes="file")
def send_for_review(s: Scene) -> None:
    """A file gets what a review needs: its labels, a description, a reviewer, and what to look at."""
    shelf = in_charge(s, where=WITH_COMMENTERS)
    given = s.given("file")
    file = s.pick(f"{FILES} AND {DATE} IS NULL", drive=shelf["id"]) if not given else given.record.value
    if given and file.get("driveId") != shelf["id"]:
        raise NoMatch("the file that was handed on lies elsewhere")
    who = s.pick(f"""{MEMBERS} AND m.role = 'commenter' AND NOT EXISTS
        (SELECT 1 FROM permissions x WHERE x.file_id = :file AND x.user_id = u.id)""",
        drive=shelf["id"], file=file["id"])  # fmt: skip
    due, late, region = s.day(14, 60), s.day(400, 480), s.rng.choice(("americas", "emea", "apac"))
    reference, words = f"REV-{s.rng.randrange(1000, 9999)}", s.rng.choice(_REVIEWERS)
    what = f"For review by {who['display_name']}"
    placed, marked, described = s.chance(0.6), s.chance(0.6), s.chance(0.6)
    if not given:
        double(s, file)
    leave(s, who)
    s.ask(
        """{file} in {drive} goes into review. It is due {due}, under the reference {reference}. {who} does
        the review and has to be able to edit the text for it. {placed} {described} {marked}""",
        """please get {file} ready for its review: review due {due}, reference {reference}, {drive} drive.
        {placed} The reviewer is {who}, who so far only comments there and will have to edit this one.
        {marked} {described}""",
        """{who} reviews {file} for me, so let them edit it. In the {drive} drive, put the labels on it that
        we need: the review is due {due}, and the reference is {reference}. {described} {placed} {marked}""",
        """review {reference} concerns {file}, shared drive {drive}. Note on it that it is due {due}. {marked}
        {placed} Editing it is up to {who} for that time, who reviews it. {described}""",
        """could you prepare a review for me? The file is {file} in {drive}, the reviewer {who}, with the
        right to edit, and the date by which it is due is {due}. As the reference, take {reference}. {placed}
        {marked} {described}""",
        """by {due} we want to be through with {file} from {drive}. Set that as the date on which the review
        is due, and {reference} as the reference. {described} {marked} {who} does it and needs to edit the
        file. {placed}""",
        file=given.words if given else file["name"], drive=shelf["name"], reference=reference,
        who=who["display_name"],
        due=s.phrase("impossible_date", str(due), str(late)),
        placed=f"The region is {region}." if placed else "",
        described=f'Its description should read "{what}".' if described else "",
        marked=f'For the reviewer, comment on it: "{words}"' if marked else "",
    )  # fmt: skip
    s.refuse("impossible_date", "a review may be due in a year at the latest")
    place = find_drive(s, shelf["name"])
    record = given.record if given else find_file(s, place, file["name"], "the file to review")
    s.do("list_files_labels", "what labels it has", fileId=record["id"])
    s.do("list_permission", "who is in already", fileId=record["id"])
    staff = s.do("list_permission", "who works in the drive", fileId=place["id"])
    person = find_person(s, staff, who["display_name"])
    set_labels(s, record, "the labels of the review", review_due=due.iso, reference=reference,
               **({"region": region} if placed else {}))  # fmt: skip
    if described:
        s.do("update_files", "say what it waits for", fileId=record["id"], description=what)
    s.do("create_permission", f"{who['display_name']} reviews it", fileId=record["id"], role="writer",
         type="user",
         emailAddress=person["emailAddress"], emailMessage="Please review this.")  # fmt: skip
    if marked:
        s.do("create_comments", "what to look at", fileId=record["id"], content=words)
    s.rule(
        "The review is due within a year, on one day",
        """SELECT COUNT(*) FROM file_labels x JOIN labels l ON l.id = x.label_id JOIN files f ON f.id =
        x.file_id WHERE f.name = :name AND f.drive_id = :drive AND f.trashed IS NOT 1 AND l.key = 'review_due'
        AND x.value_date = :due AND x.value_date BETWEEN '2026-01-05' AND '2027-01-05'""",
        name=file["name"], drive=shelf["id"], due=due.iso,
    )  # fmt: skip
