"""Scenarios about the trash: what goes for good, and what has to stay."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.drive import extras
from eops_traj.taskgen.scenarios.drive.lookups import (
    DEPARTMENT_DRIVES,
    FILE_OWNERS,
    FILES,
    OWN_FILES,
    demote_caller,
    find_drive,
    pick_managed_drive,
    say,
)
from eops_traj.taskgen.scenarios.reasons import MISSING, NO_RIGHT
from eops_traj.taskgen.scene import Row, Scene

_LABELLED = "EXISTS (SELECT 1 FROM file_labels x WHERE x.file_id = f.id)"
_TRASH = """UPDATE files SET trashed = 1, explicitly_trashed = 1, trashed_time = :time, version = version + 1
    WHERE id = :id"""
_KEEP = """INSERT INTO file_labels (id, file_id, label_id, value_number, created_time) SELECT
    '01KE000000000000000000LABR', :file, id, 10, '2025-12-01 09:00:00' FROM labels WHERE key =
    'retention_years'"""
_RETAINED = "retention|retain|kept|keep|label|10 years|ten years"


def _throw_away(s: Scene, file: Row, month: int, day: int) -> None:
    """Put a file in the trash beforehand, on a day of last year."""
    s.arrange(_TRASH, id=file["id"], time=f"2025-{month:02d}-{day:02d} 10:00:00")


_RESCUED = (
    "Back from the trash", "Asked for again in January", "Still needed, do not throw away", "In use again",
    "Kept at the wish of the lawyers", "To be looked through once more", "Rescued by hand",
)  # fmt: skip


@family("drive", perturbations=("policy_forbids", "no_right"))
def empty_trash(s: Scene) -> None:
    """The trash of a shared drive is emptied, but for a file, once nothing in it is under retention."""
    drive = pick_managed_drive(
        s,
        "organizer",
        where=f"""(SELECT COUNT(*) FROM
    ({FILES.replace(":drive", "d.id")} AND NOT {_LABELLED})) > 2 AND NOT EXISTS (SELECT 1 FROM files f
    WHERE f.drive_id = d.id AND f.trashed)""",
    )
    kept, *files = s.pick_some(f"{FILES} AND NOT {_LABELLED}", 3, drive=drive["id"])
    for file in (kept, *files):
        _throw_away(s, file, s.rng.choice((9, 10, 11)), s.rng.randrange(2, 28))
    words = s.rng.choice(_RESCUED)
    beside = besides(s, *extras.some())
    s.perturb("policy_forbids", _KEEP, file=files[-1]["id"])
    demote_caller(s, drive, "writer")
    s.ask(
        """The trash of our shared drive {drive} [can be emptied|should be emptied now], since nothing
        in it has been asked for in a month. Everything there goes for good, [provided that|if] our
        rules leave it at that. {but} {told}""",
        """[Storage is running short|We are close to our limit], so whatever lies in the trash of the {drive}
        drive should be removed for good[, after a look at it|]. I am aware that nothing comes back from
        there. {told} {but}""",
        """[At the end of the year|For the year's end] the trash of {drive} was forgotten. Look through it and
        empty it for that one drive, [as long as no label stands against it|unless a retention forbids
        it]. {but} {told}""",
        """What people threw away in the {drive} drive last autumn [is of no use any more|will not be needed
        again]; the trash of that shared drive is to be emptied, and the files in it are to be gone
        for good. {but} {told}""",
        """[During the inspection|At the inspection] somebody found old papers in the trash of {drive}.
        All that is in there should disappear for good, and [from that drive only|only from that
        drive]. {told} {but}""",
        """Our clean-up of {drive} ends with its trash, which [has to be emptied|is emptied] as a whole
        now that more than a month has passed since anything was put into it. [It is meant for good|I
        mean for good]. {but} {told}""",
        drive=drive["name"],
        but=say(s, '[Only {kept} is still needed|The one exception is {kept}|{kept} is missed by somebody]: '
                '[take it out before|it comes out of there first], and its description [becomes|should be] '
                '"{words}".', kept=kept["name"], words=words),
        told=say(s, "[Let me know|Tell me|Report] which files [went|are gone|that concerned].")
    )  # fmt: skip
    beside.say()
    s.covers("all that lies in the trash of a shared drive")
    s.duty("a look at the labels of all that would go")
    drive_ref = find_drive(s, drive["name"])
    details = s.do("get_drive", "what you may do there", driveId=drive_ref["id"])
    s.require(
        details["capabilities"]["canManageMembers"],
        "==",
        True,
        f"emptying the trash of {drive['name']} takes an organizer",
        names=("trash|empt|remov", NO_RIGHT),
    )
    gone = s.do("list_files", "what would go", driveId=drive_ref["id"], trashed=True)
    spared = gone["files"].every(name=kept["name"])
    s.require(count(spared), "==", 1, f"there is no {kept['name']} in that trash",
              names=(kept["name"], MISSING))  # fmt: skip
    others = gone["files"].every(("name", "!=", kept["name"]))
    labels = s.do_each(others, "list_files_labels", "whether a retention runs", fileId=ROW["id"])
    retained = labels.every()["labels"].every().every(fields__retention_years__id="retention_years")
    s.require(count(retained), "==", 0, "a file in that trash is under retention, and is not removed",
              names=(_RETAINED,))  # fmt: skip
    beside.look()
    s.do("update_files", f"take {kept['name']} out", fileId=spared[0]["id"], trashed=False, description=words)
    s.do("empty_files_trash", "empty the trash", driveId=drive_ref["id"])
    for one in (others.smallest("createdTime"), others.largest("createdTime")):
        s.answer("a file that went", one["name"])
    s.rule(
        "Nothing is left in the trash of the drive",
        "SELECT COUNT(*) FROM files WHERE drive_id = :drive AND trashed",
        expected=0,
        drive=drive["id"],
    )
    beside.write()


@family("drive", perturbations=("policy_forbids", "missing_entity"))
def remove_longest(s: Scene) -> None:
    """Of somebody's own trash the file that was thrown away first goes for good; another one comes back."""
    fits = f"{OWN_FILES} AND NOT {_LABELLED}"
    s.pick_caller(f"""{FILE_OWNERS} AND (SELECT COUNT(*) FROM ({fits.replace(":me", "u.id")})) > 1 AND
    NOT EXISTS (SELECT 1 FROM files f WHERE f.created_by = u.id AND f.trashed)""")
    first, last = s.pick_some(fits, 2, me=s.caller["id"])
    drive = s.pick(f"{DEPARTMENT_DRIVES} AND m.user_id = :me", me=s.caller["id"])
    _throw_away(s, first, s.rng.choice((8, 9)), s.rng.randrange(2, 28))
    _throw_away(s, last, s.rng.choice((10, 11)), s.rng.randrange(2, 28))
    what = s.rng.choice(("Needed again since January", "Back from the trash", "In use again",
                         f"For the team of {drive['name']}"))  # fmt: skip
    beside = besides(s, *extras.some())
    s.perturb("policy_forbids", _KEEP, file=first["id"])
    s.perturb(
        "missing_entity",
        "UPDATE files SET trashed = 0, explicitly_trashed = 0, trashed_time = NULL WHERE id IN (:one, :two)",
        one=first["id"],
        two=last["id"],
    )
    s.ask(
        """Of what lies in my own trash, [the file that has been there longest|the file thrown away
        first] can go for good. The one I put there last, however, [is needed again|was a mistake]:
        take it out, and let its description be "{what}".""",
        """[Two things about my trash|My trash needs two things]: what I threw away most recently has to come
        back, described as "{what}", while the oldest entry should be removed [for good|once and for all].""",
        """I was too quick with the last file I [threw away|put in the trash], so bring it back with the
        description "{what}". The one that went into my trash before all others has been there for months and
        [may be deleted for good|should be gone for good].""",
        """"{what}" [should be the description of|is what to write on] the file that went into my trash most
        recently, once you have taken it out of there. On the other hand, [delete for good|remove for good]
        what has been in it the longest.""",
        """[Privacy rules ask me|The rules ask me] not to keep things in my trash for ever: the one that was
        trashed first is to be removed for good. And the latest one [comes back|returns], with "{what}" as its
        description.""",
        """The longest-lying file in the trash of my own Drive is [definitely done with|of no use to anyone]
        and goes for good; the last to be thrown away is restored, and its description [reads|becomes]
        "{what}".""",
        what=what,
    )  # fmt: skip
    beside.say()
    s.indirect(
        "what was thrown away first and last", hidden=[first["id"], last["id"], first["name"], last["name"]]
    )
    gone = s.do("list_files", "what lies in your trash", trashed=True, q="'me' in owners")
    s.require(
        count(gone["files"]), ">=", 2, "there are no such files in your trash", names=("trash", MISSING)
    )
    oldest, newest = gone["files"].smallest("trashedTime"), gone["files"].largest("trashedTime")
    details = s.do("get_files", "when it was thrown away", fileId=oldest["id"])
    s.require(
        details["trashedTime"],
        "<=",
        "2025-12-06T09:00:00.000Z",
        "it has not been in the trash for 30 days",
        names=("30|thirty", "trash|days"),
    )
    labels = s.do("list_files_labels", "whether a retention runs", fileId=oldest["id"])
    kept = labels["labels"].every(fields__retention_years__id="retention_years")
    s.require(count(kept), "==", 0, "the oldest file in your trash is under retention", names=(_RETAINED,))
    beside.look()
    s.do("update_files", "restore it", fileId=newest["id"], trashed=False, description=what)
    s.do("delete_files", "it goes for good", fileId=details["id"])
    s.rule("What was thrown away last is back, and the other file is gone",
           """SELECT (SELECT COUNT(*) FROM files WHERE id = :back AND trashed IS NOT 1) - (SELECT
           COUNT(*) FROM files WHERE id = :gone)""", back=last["id"], gone=first["id"])  # fmt: skip
    beside.write()
