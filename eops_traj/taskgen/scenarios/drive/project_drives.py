"""Scenarios about shared drives for projects."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.drive.lookups import (
    ADMINS,
    DEPARTMENT_DRIVES,
    FOLDER,
    MEMBERS,
    NO_WORDS,
    find_drive,
    find_person,
    join_words,
    let_in,
    mark_as_left,
    set_labels,
)
from eops_traj.taskgen.scene import Scene

_HAS_STAFF = f"(SELECT COUNT(*) FROM ({MEMBERS.replace(':drive', 'd.id')})) > 3"
_PROJECTS = (
    "Project Halyard", "Project Larkspur", "Project Quarry", "Project Beacon", "Project Tamarind",
    "Project Orchard", "Project Sextant", "Project Juniper", "Project Causeway", "Project Windrow",
    "Project Cobalt", "Project Mistral", "Project Saffron", "Project Lodestar", "Project Trellis",
    "Project Basalt",
)  # fmt: skip


_ORGANIZERS = (  # as the rules have it, and as they do not
    ("{} organizes it with me.", "I organize it alone, and {} is staff like the rest."),
    ("I do not organize it alone, but with {}.", "I organize it alone, without {}, who only writes in it."),
    ("Its organizers are {} and I.", "Its only organizer is me, while {} is staff."),
    ("{} is to be its other organizer.", "{} is to be staff, so there is no other organizer but me."),
)  # fmt: skip


@family("drive", perturbations=("no_right", "inactive_person", "conflicting_demands"), produces="drive")
def open_project_drive(s: Scene) -> None:
    """A project gets a shared drive of its own, with its restrictions, people and first papers."""
    s.pick_caller(f"""SELECT u.* FROM users u JOIN group_memberships g ON g.user_id = u.id AND g.role =
        'owner' JOIN groups k ON k.id = g.group_id WHERE u.id NOT IN (SELECT id FROM ({ADMINS}))
        AND k.name <> 'All Staff' AND EXISTS ({DEPARTMENT_DRIVES} AND m.user_id = u.id AND {_HAS_STAFF})""")
    me = s.caller["id"]
    drive = s.pick(f"{DEPARTMENT_DRIVES} AND m.user_id = :me AND {_HAS_STAFF}", me=me)
    staff = s.rows(f"{MEMBERS} AND u.id <> :me", drive=drive["id"], me=me)
    second, *helpers = s.rng.sample(staff, 3 if s.chance(0.4) else 2)
    project, reference = s.rng.choice(_PROJECTS), f"DRV-{s.rng.randrange(2000, 9999)}"
    secret, plan = s.chance(0.5), s.chance(0.6)
    level = "confidential" if secret else "internal"
    shared = s.rng.choice(_ORGANIZERS)
    mark_as_left(s, second)
    s.perturb("no_right", "UPDATE group_memberships SET role = 'member' WHERE user_id = :me", me=me)
    s.ask(
        """{cause} [begins this week|has been approved] and needs a shared drive of that name, under the
        reference {reference}. {other} Those who work in it every day [as staff are|are, as its staff,]
        {helpers}. {secret} At its top goes a folder "Working Papers". {plan}""",
        """[We got the go-ahead for|The board said yes to] {cause}, filed under {reference}, so a shared
        drive called just that should be opened with the restrictions of a project. {secret} {other} Staff
        there: {helpers}. It starts with [one folder|a single folder], "Working Papers". {plan}""",
        """Under {reference} I was [promised|granted] a drive for {cause}, with the project's name and the
        limits that our rules set for projects. {other} {helpers} will write in it [day by day|all the
        time], as staff. {secret} [Besides|In addition] a folder "Working Papers" belongs in it. {plan}""",
        """The papers of {cause} are [scattered over four people's files|spread over several places] and
        should come together in a new shared drive by that name (reference {reference}). {helpers} get
        what staff has. {other} {secret} Its first folder is [called|named] "Working Papers". {plan}""",
        """[From the steering group|At the first meeting]: {cause} gets its own shared drive, same name,
        request {reference}, set up as our rules want it for a project. {secret} {other} For daily work
        let in {helpers} as staff, and make the folder "Working Papers". {plan}""",
        """Reference {reference} [stands for|is] a shared drive named {cause}, with the usual limits for
        projects. {other} [Take in|Let in] {helpers} as its staff, [and create|then create] a folder
        "Working Papers" in it. {secret} {plan}""",
        cause=project, reference=reference, helpers=join_words([h["display_name"] for h in helpers]),
        other=s.phrase(
            "conflicting_demands",
            *(line.format(f"{second['display_name']} of {drive['name']}") for line in shared),
        ),
        secret=("What goes in there is confidential. " if secret else "") + s.rng.choice(NO_WORDS),
        plan=f'In that folder I would like a document "{project} Plan", classified {level}.' if plan else "",
    )  # fmt: skip
    s.refuse("conflicting_demands", "a shared drive has two organizers at least, so not you alone",
             names=("organi", "two|2|alone|only one|single|needs a second|requires a second"))  # fmt: skip
    about = s.do("get_about", "whether you may open drives", fields="canCreateDrives")
    s.require(
        about["canCreateDrives"], "==", True, "opening shared drives takes a manager or an administrator",
        names=("drive", "manager|admin|role|right|permi|allowed|authori|privilege|canCreate"),
    )  # fmt: skip
    same = s.do("list_drives", "whether there is one already", q=f"name = '{project}'")
    s.require(count(same["drives"]), "==", 0, f"there is a shared drive {project} already",
              names=(project, "already|exist"))  # fmt: skip
    home = find_drive(s, drive["name"])
    people = s.do("list_permission", "who works in the department", fileId=home["id"])
    organizer, *writers = (find_person(s, people, who["display_name"]) for who in (second, *helpers))
    project_drive = s.do("create_drive", f"the drive of {project}", name=project, requestId=reference)
    limits = {"domainUsersOnly": True, "driveMembersOnly": True}
    s.do("update_drives", "the restrictions of a project", driveId=project_drive["id"],
         restrictions=limits | ({"copyRequiresWriterPermission": True} if secret else {}))  # fmt: skip
    let_in(s, project_drive, organizer["emailAddress"], "organizer", "the second organizer")
    for person in writers:
        let_in(s, project_drive, person["emailAddress"], "writer", "who works in it")
    folder = s.do(
        "create_file", "its folder", name="Working Papers", mimeType=FOLDER, parents=[project_drive["id"]]
    )
    if plan:
        paper = s.do("create_file", "the plan", name=f"{project} Plan", parents=[folder["id"]],
                     mimeType="application/vnd.google-apps.document")  # fmt: skip
        set_labels(s, paper, f"it is {level}", classification=level)
    s.rule(
        "The new drive is closed to the outside, is for its members, and has two organizers",
        """SELECT COUNT(*) FROM drives d WHERE name = :cause AND domain_users_only AND drive_members_only
        AND copy_requires_writer_permission = :secret AND (SELECT COUNT(*) FROM drive_memberships m
        WHERE m.drive_id = d.id AND m.role = 'organizer') = 2""",
        cause=project, secret=int(secret),
    )  # fmt: skip
    s.produce("drive", project_drive, f"the drive {project}")
