"""Scenarios about team drives, as shared drives were called before, by the tools of that name."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.drive import extras
from eops_traj.taskgen.scenarios.drive.drive_life import (
    DEMOTE,
    DRIVE,
    ENDED,
    MEMBER,
    put_drive,
    require_organizer,
)
from eops_traj.taskgen.scenarios.drive.lookups import (
    ADMINS,
    UNIQUE_NAME,
    find_drive,
    find_person,
    let_in,
    say,
)
from eops_traj.taskgen.scenarios.reasons import MISSING
from eops_traj.taskgen.scene import Scene


@family("drive", perturbations=("no_right", "missing_entity"))
def sort_team_drives(s: Scene) -> None:
    """By the tools of old, an administrator renames a team drive and removes all trial ones."""
    s.pick_caller(ADMINS)
    name, new = s.rng.sample(ENDED, 2)
    word = s.rng.choice(("Trial", "Sandbox", "Rehearsal"))
    for n, topic in enumerate(
        s.rng.sample(("Scanner", "Forms", "Import", "Kiosk", "Labels"), s.rng.choice((2, 3)))
    ):
        put_drive(s, n + 2, f"{word} {topic}", hidden=True, created="2025-06-02", papers=0)
    drive = put_drive(s, 1, name, hidden=False, created="2025-02-03", papers=1)
    colour = s.rng.choice(("coral", "harbor", "meadow", "slate", "dusk"))
    beside = besides(s, *extras.some(extras.shared_drives))
    s.perturb("missing_entity", "UPDATE drives SET name = name || ' (old)' WHERE id = :id", id=drive)
    s.perturb("no_right", DEMOTE, drive=drive)
    s.ask(
        """Our script still [speaks of team drives|uses team drives]. In its list, rename {name} to {new} with
        the theme {colour}, and remove all team drives whose names begin with "{word}"; they are empty
        leftovers[ of a test|]. {told}""",
        """[The team drives that we made for a test|All test team drives], recognisable by the word
        "{word}" at the beginning of the name, are empty and can be removed. Furthermore {name} [is
        called|becomes] {new}, with {colour} as its theme. {told}""",
        """Every team drive called "{word}" something [was for a course|was made for a rehearsal] and
        can go, as nothing is in it. What remains is one new name: {name} turns into {new}, theme
        {colour}. {told}""",
        """{name} got a new title, {new}, which its team drive [should bear|has to carry], along with
        the theme {colour}. [Apart from that|Besides], remove each empty team drive beginning with
        "{word}". {told}""",
        """[For|By way of] the older interface, set the name of the team drive {name} to {new} and its
        theme to {colour}. After the tests we also have several named "{word}" and something more;
        remove all of those. {told}""",
        """"{word}" at the beginning of its name means that a team drive is a test and empty, and none of them
        [is needed|has to stay], so remove them all. {name}, a real one, gets the name {new} and the theme
        {colour}. {told}""",
        name=name, new=new, colour=colour, word=word,
        told=say(s, "[Tell me|I would like to know|List] by name which ones [were removed|are gone]."),
    )  # fmt: skip
    beside.say()
    s.covers("all team drives of the test")
    listed = s.do("list_teamdrives", "all team drives", pageSize=100)
    same = listed["teamDrives"].every(name=name)
    s.require(count(same), "==", 1, f"there is no team drive {name}", names=(name, MISSING))
    details = s.do("get_teamdrives", "what you may do with it", teamDriveId=same[0]["id"])
    require_organizer(s, details, name)
    beside.look()
    s.do("update_teamdrive", "its new name", team_drive_id=details["id"], name=new, theme_id=colour)
    trials = listed["teamDrives"].every(("name", "starts", word))
    for trial in (trials.smallest("name"), trials.largest("name")):
        s.answer("a drive that was removed", trial["name"])
    s.do_each(trials, "delete_teamdrives", "the test is over",
              teamDriveId=ROW["id"])  # fmt: skip
    s.rule(
        "No drive of the test is left",
        "SELECT COUNT(*) FROM drives WHERE name LIKE :word || ' %'",
        expected=0,
        word=word,
    )
    beside.write()


@family("drive", perturbations=("missing_entity", "inactive_person", "policy_forbids"))
def open_team_drive(s: Scene) -> None:
    """A team drive is opened by its old name, limited to the domain, with a second organizer."""
    s.pick_caller(ADMINS)
    who = s.pick(
        f"""SELECT u.*, d.name AS home FROM users u JOIN drive_memberships m ON m.user_id =
    u.id JOIN drives d ON d.id = m.drive_id WHERE d.name IN ('IT Operations', 'Engineering', 'Product',
    'Sales', 'Marketing', 'Customer Support', 'Field Services') AND u.id <> :me AND {UNIQUE_NAME} AND
    u.display_name NOT LIKE '%(left)' AND EXISTS (SELECT 1 FROM drive_memberships x JOIN
    group_memberships g ON g.group_id = x.group_id WHERE x.drive_id = d.id AND g.user_id = :me)""",
        me=s.caller["id"],
    )
    name, reference = s.rng.choice(ENDED), f"TD-{s.rng.randrange(1000, 9999)}"
    theme, secret = s.rng.choice(("coral", "harbor", "meadow", "slate", "dusk")), s.chance(0.5)
    beside = besides(s, *extras.some(extras.shared_drives))
    s.perturb("policy_forbids", DRIVE, id="01JZZZZZZZZZZZZZZZZZZZZDR9", name=name, hidden=0,
              created="2025-05-05 09:00:00")  # fmt: skip
    s.perturb("policy_forbids", MEMBER, id="01JZZZZZZZZZZZZZZZZZZZZME9", drive="01JZZZZZZZZZZZZZZZZZZZZDR9",
              user=s.caller["id"], role="writer")  # fmt: skip
    s.perturb(
        "missing_entity",
        "UPDATE users SET display_name = 'Robin ' || display_name WHERE id = :id",
        id=who["id"],
    )
    s.perturb("inactive_person", "UPDATE users SET display_name = display_name || ' (left)' WHERE id = :id",
              id=who["id"])  # fmt: skip
    s.ask(
        """The scanner software only knows team drives, [by the older tools|through the older interface]. Open
        one named {name} for what it scans, request {reference}, theme {theme}; {who} of {home} is its second
        organizer. {secret}""",
        """Under {reference} we need a team drive {name}, not for a project, made with the tools for team
        drives [because of an old script|as an old script expects it], in the theme {theme}. Next to me,
        {who} from {home} organizes it. {secret}""",
        """[Open a team drive|A team drive should be opened] for {name}, no project but a place for the
        archive, with reference {reference} and the theme {theme}. {secret} {who} ({home}) is the
        second one in charge, as an organizer.""",
        """{who} from {home} and I are to organize {name}, a new team drive for no project (reference
        {reference}, theme {theme}), which [has to be made|must be made] by the call that still bears that
        name. {secret}""",
        """Reference {reference}: team drive {name}, theme {theme}, for no project in particular, [to be
        opened|opened] through the tools of that name. {secret} With me as the first organizer, {who}, a
        member of {home}, comes second.""",
        """The [printing system|label printer] stores what it makes in team drives, so give it one
        called {name} in the theme {theme}, by request {reference}, and make {who} of {home} its other
        organizer. {secret}""",
        name=name, reference=reference, theme=theme, who=who["display_name"], home=who["home"],
        secret="What it will hold is confidential." if secret else "",
    )  # fmt: skip
    beside.say()
    s.duty("restrictions to the domain, and to writers where the content is confidential")
    listed = s.do("list_teamdrives", "whether there is one already", q=f"name = '{name}'")
    s.require(count(listed["teamDrives"]), "==", 0, f"there is a team drive {name} already",
              names=(name, "already|exist"))  # fmt: skip
    home = find_drive(s, who["home"])
    people = s.do("list_permission", "who works there", fileId=home["id"])
    person = find_person(s, people, who["display_name"])
    beside.look()
    drive = s.do("create_teamdrives", "the new team drive", name=name, requestId=reference, themeId=theme)
    limits = {"domainUsersOnly": True} | ({"copyRequiresWriterPermission": True} if secret else {})
    s.do("update_drives", "its restrictions", driveId=drive["id"], restrictions=limits)
    let_in(s, drive, person["emailAddress"], "organizer", f"{who['display_name']} organizes it too")
    s.rule(
        "The new drive is for the domain and has two organizers",
        """SELECT COUNT(*) FROM drives d WHERE name = :name AND domain_users_only AND
           copy_requires_writer_permission = :secret AND (SELECT COUNT(*) FROM drive_memberships m
           WHERE m.drive_id = d.id AND m.role = 'organizer') = 2""",
        name=name,
        secret=int(secret),
    )
    beside.write()
