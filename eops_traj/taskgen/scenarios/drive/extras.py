"""What a request about Drive may ask for besides: a number, or a remark on another file.

What a family changes it does not count: it names those extras in ``but``.
"""

from collections.abc import Generator, Sequence

from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.besides import Course, Extra, Records, Sentence
from eops_traj.taskgen.scenarios.drive.lookups import DEPARTMENT_NAMES, FILES, find_drive, find_file
from eops_traj.taskgen.scene import Row, Scene
from eops_traj.taskgen.wording import vary

_NAMES = ", ".join(f"'{name}'" for name in DEPARTMENT_NAMES)
_DRIVES = f"""SELECT d.*, m.role FROM drives d JOIN drive_memberships m ON m.drive_id = d.id
    WHERE m.user_id = :me AND d.hidden IS NOT 1 AND (SELECT COUNT(*) FROM drives e WHERE e.name = d.name) = 1
    AND d.name IN ({_NAMES})"""
_KEPT = """
    AND f.name NOT LIKE '%''%' AND NOT EXISTS (SELECT 1 FROM file_labels x WHERE x.file_id = f.id)"""
_COUNT_DRIVES = (
    """How many shared drives [am I in|count me in] at the moment? [I lost track|I never knew].""",
    """[Tell me on the side|Let me know on the side] how many shared drives I [see|can open].""",
    """[My list of shared drives|The list of my shared drives] [grows|gets longer]; [count it|its number is
    what I want] [before you begin|before anything changes].""",
    """[I have to fill in|There is a form for] how many shared drives I [use|belong to], so [count them|find
    that out].""",
    """[What is|Name] the number of shared drives that [list me|have me in them], [whatever my role|in any
    role]?""",
    """[Shared drives|As to shared drives]: how many [have I|do I have]? [One number|A number] is enough.""",
    """[Before I leave any of them|For my own overview], count the shared drives [open to me|I am a member
    of].""",
    """[Somebody bet|It was claimed] that I am in more shared drives than [anyone|most]; [what is the
    count|how many is it really]?""",
)
_COUNT_PEOPLE = (
    """How many people [are let into|have access to] the shared drive {drive} as a whole? [It seems a lot|I
    guess thirty].""",
    """[Before the audit|For an audit] [count|I want counted] who is let into the {drive} drive, [as members
    of it|the members that is].""",
    """[Report|Mention] how many members the shared drive {drive} has [while you are at it|at this point].""",
    """[Licences|Seats] are paid by head: [how many heads|what number] does {drive}, the shared drive,
    come to?""",
    """[Count|Add up] everybody with a role in {drive} ([drive|the shared drive]) and [let me have|send
    me] the figure.""",
    """The {drive} drive [has grown|gained people], and I [am asked|was asked] for the number of its
    members.""",
    """[Is {drive} larger than ours|How large is {drive}]? I mean the members of that shared drive; [tell me
    how many|their number, please].""",
    """[Give me|I could use] the number of members in the drive {drive}, [each role|all roles] taken
    together.""",
)
_COUNT_VERSIONS = (
    """How many versions of {file} ([drive {drive}|{drive} drive]) [are kept|does Drive keep]?""",
    """[Look at|See] the history of {file} in {drive} [as well|, too], and [tell me|report] how many versions
    it has.""",
    """[Somebody keeps saving|People keep saving] {file} in the {drive} drive; [count its versions for me|how
    many versions is that]?""",
    """[I would like to hear|I should hear], too, how many versions there are of {file}, which is in
    {drive}.""",
    """{file} in the shared drive {drive} [was rewritten often|is rewritten all the time]. [The number of its
    versions|How many versions it has] [interests me|I want to know].""",
    """[Versions|Old versions] take up room: [what does {file} in {drive} have of them|of {file} in
    {drive}, how many are there]? [A number|The number] will do.""",
    """[For the record|For the file notes], [put|write] into your answer the count of versions behind {file}
    ({drive}).""",
    """[To judge the work|As a measure of the work] on {file} ({drive}), [state|add] the number of its
    versions.""",
)
_REMARKS = (
    "[Which|What] [year|quarter] [is this|are these figures] from?",
    "[Please add|There should be] a [date|source] here.",
    "[Read|Seen] and [in order|fine by me].", "[Is there|Do we have] a [newer|shorter] one of this?",
    "[Good|Helpful] [overview|summary], thank you.",
    "[Who keeps|Who looks after] this [up to date|in spring]?",
    "[I will come back|I get back] to this in [February|March].",
)  # fmt: skip
_REMARK = (
    """[Leave|Put] the comment "{words}" on {file} in the {drive} drive, [where I read it today|which I read
    today].""",
    """[A remark of mine|One remark from me] [belongs on|goes on] {file} ({drive}): "{words}" """,
    """"{words}" [should appear|is to stand] as a comment on {file} in the shared drive {drive}, [in my
    name|from me].""",
    """[On another matter|In passing], comment on {file}, drive {drive}, with "{words}" """,
    """{file} in {drive} [has waited|still waits] for a word of mine; [comment|write as a comment]: "{words}"
    """,
    """[The authors of|Those who wrote] {file} ({drive} drive) [expect|are owed] a comment, and it [reads|is]
    "{words}" """,
)


def shared_drives(s: Scene) -> Course:
    """Tell how many shared drives the caller is in."""
    yield Sentence(_COUNT_DRIVES)
    drives = s.do("list_drives", "which there are")["drives"]
    s.answer("how many shared drives there are", count(drives.every()))


def drive_people(s: Scene) -> Course:
    """Tell how many people are let into a shared drive."""
    drive = s.pick(f"{_DRIVES} ORDER BY d.name", me=s.caller["id"])
    yield Sentence(_COUNT_PEOPLE, {"drive": drive["name"]})
    found = find_drive(s, drive["name"])
    people = s.do("list_permission", "who is let in", fileId=found["id"])["permissions"]
    s.answer("how many people are let in", count(people.every()))


def file_versions(s: Scene) -> Course:
    """Tell how many versions a file has."""
    drive, file = _pick_file(s, "writer", "fileOrganizer", "organizer")
    record = yield from _asked(s, _COUNT_VERSIONS, drive, file)
    versions = s.do("list_revisions", "what is kept of it", fileId=record["id"])["revisions"]
    s.answer("how many versions there are", count(versions.every()))


def remark_on(s: Scene) -> Course:
    """Leave a remark on another file."""
    drive, file = _pick_file(s, "commenter", "writer", "fileOrganizer", "organizer")
    words = vary(s.rng, s.rng.choice(_REMARKS))
    record = yield from _asked(s, _REMARK, drive, file, words)
    yield None
    s.do("create_comments", "what was to be said there", fileId=record["id"], content=words)


def _pick_file(s: Scene, *roles: str) -> tuple[Row, Row]:
    """Pick a file without labels in a drive in which the caller has one of these roles."""
    quoted = ", ".join(f"'{role}'" for role in roles)
    drive = s.pick(f"{_DRIVES} AND m.role IN ({quoted}) ORDER BY d.name", me=s.caller["id"])
    return drive, s.pick(f"{FILES}{_KEPT} ORDER BY f.name", drive=drive["id"])


def _asked(
    s: Scene, wordings: Sequence[str], drive: Row, file: Row, words: str = ""
) -> Generator[Sentence | None, Records, ResultRef]:
    """Ask about a file, and find it."""
    yield Sentence(wordings, {"drive": drive["name"], "file": file["name"], "words": words})
    return find_file(s, find_drive(s, drive["name"]), file["name"], "a file that is asked about")


EVERY: tuple[Extra, ...] = (shared_drives, drive_people, file_versions, remark_on)


def some(*but: Extra) -> list[Extra]:
    """Return what may be asked for besides, but for what the work changes."""
    return [extra for extra in EVERY if extra not in but]
