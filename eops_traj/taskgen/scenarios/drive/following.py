"""Scenarios about changes: what is new in a drive, and the channels that tell other systems."""

from datetime import UTC, datetime

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.drive import extras
from eops_traj.taskgen.scenarios.drive.lookups import STRANGERS, WITH_CHANGES, find_drive, pick_managed_drive
from eops_traj.taskgen.scenarios.reasons import MISSING
from eops_traj.taskgen.scene import Scene

_CHANGE = """INSERT INTO changes (token, change_time, file_id, drive_id, change_type, payload) VALUES
    (:token, :time, :file, :drive, 'file_updated', '{}')"""
_STAGES = ("draft", "review")
_FEW = """SELECT f.* FROM files f WHERE f.drive_id = :drive AND f.trashed IS NOT 1 AND f.is_shortcut IS
    NOT 1 AND f.mime_type NOT LIKE '%.folder' AND f.properties IS NULL"""

_UNCHANGED = (
    "token|since|no change|no new change|not changed|unchanged|nothing new|nothing has changed"
    "|nothing changed|no update"
)


@family("drive", perturbations=("missing_entity", "policy_forbids"))
def catch_up(s: Scene) -> None:
    """All that changed in a drive since a token is marked for the next look."""
    drive = pick_managed_drive(s, where=f"(SELECT COUNT(*) FROM ({_FEW.replace(':drive', 'd.id')})) > 4")
    files = s.pick_some(_FEW, s.rng.choice((3, 4)), drive=drive["id"])
    run = s.rng.randrange(1000, 9999)
    tokens = [f"C{run}-{n}" for n in range(len(files))]
    for n, (token, file) in enumerate(zip(tokens, files, strict=True)):
        s.arrange(_CHANGE, token=token, time=f"2025-12-{20 + n} 10:00:00", file=file["id"], drive=drive["id"])
    s.arrange("INSERT OR REPLACE INTO change_tokens (scope, last_token) VALUES ('drive:' || :drive, :token)",
              drive=drive["id"], token=tokens[-1])  # fmt: skip
    stage = s.rng.choice(_STAGES)
    beside = besides(s, *extras.some(extras.remark_on))
    s.perturb("missing_entity", "UPDATE drives SET name = name || ' (old)' WHERE id = :id", id=drive["id"])
    s.perturb(
        "policy_forbids",
        """UPDATE changes SET drive_id = NULL, file_id = NULL
        WHERE drive_id = :drive AND token LIKE 'C%' AND token > :token""",
        drive=drive["id"],
        token=tokens[0],
    )
    s.ask(
        """Our list of changes in the {drive} drive ends with the token {token}. Every file that [was
        changed|has changed] there since then goes into stage {stage}; and tell me the newest token,
        [for|to use] next time.""",
        """Since {token}, the last token [I noted|on my list] for the shared drive {drive}, people have
        worked on several files. [Put|Set] each of those that changed to the stage {stage}, and let me
        have the token from which we go on.""",
        """Whatever [happened to|was done to] files in {drive} after the token {token} has to be looked
        at again, so mark each one with the stage {stage}. For the next round I need the new token,
        too.""",
        """[The last report|Our last report] on {drive} was made at token {token}. Go on from there: all files
        with a change since then get the stage {stage}, and the answer [names|should contain] the token to
        start from next time.""",
        """During the holidays nobody followed the changes in the {drive} drive; the token we stopped at is
        {token}. [All files|The files] changed after it are in stage {stage} now, which they should show. What
        is the latest token?""",
        """{token} is [where we left off|the token at which we left off] in {drive}. Give every file changed
        after that the stage {stage}, [however many there are|be they many or few], and report the token that
        is current now.""",
        drive=drive["name"], token=tokens[0], stage=stage,
    )  # fmt: skip
    beside.say()
    s.covers("all files changed since a token")
    drive_ref = find_drive(s, drive["name"])
    listed = s.do("list_changes", "what is new", pageToken=tokens[0], driveId=drive_ref["id"],
                  includeItemsFromAllDrives=True)  # fmt: skip
    s.require(count(listed["changes"]), ">=", 1, f"nothing has changed in {drive['name']} since that token",
              names=(_UNCHANGED, f"nothing|no file|none|no chang|unchanged|{MISSING}"))  # fmt: skip
    beside.look()
    s.do_each(listed["changes"].every(changeType="file"), "update_files", "to be looked at again",
              fileId=ROW["fileId"], properties={"stage": stage})  # fmt: skip
    s.answer("the newest token", listed["newStartPageToken"])
    beside.write()


_CHANNEL = """INSERT INTO channels (id, resource_id, resource_uri, type, address, token, payload,
    active, expiration, user_id, created_time) VALUES (:id, :resource,
    'https://www.googleapis.com/drive/v3/changes', 'web_hook', :address, :token, 1, 1, '1770000000000',
    :me, '2026-01-02 09:00:00')"""
_SYSTEMS = ("archive", "search", "reporting", "backup", "intranet", "ledger", "planner", "catalogue")


@family("drive", perturbations=("out_of_scope", "impossible_date", "missing_entity"))
def replace_channel(s: Scene) -> None:
    """A channel that reports to an old address is stopped, and another one opened in its place."""
    drive = pick_managed_drive(s, where=WITH_CHANGES)
    system, number = s.rng.choice(_SYSTEMS), s.rng.randrange(100, 999)
    old, new = f"{system}-{number}", f"{system}-{number + 1}"
    resource, token = (
        f"res{s.rng.randrange(16**11, 16**12):x}",
        f"{s.rng.choice(('amber', 'cedar', 'fjord'))}-{number}",
    )
    until, far, hour = s.day(2, 6), s.day(12, 40), s.rng.choice((8, 12, 16, 18))
    s.arrange(
        _CHANNEL,
        id=old,
        resource=resource,
        address=f"https://old.corvane.example/{system}",
        token=token,
        me=s.caller["id"],
    )
    beside = besides(s, *extras.some())
    s.perturb("missing_entity", "UPDATE drives SET name = name || ' (old)' WHERE id = :id", id=drive["id"])
    s.ask(
        """The {system} [has moved|was moved] to another machine. Stop its channel {old} (resource
        {resource}), and open {new} for all changes of the drive {drive} instead: address {address},
        token {token}, until {until}, {hour}:00 UTC.""",
        """[Channel {old}, on the resource {resource},|The channel {old} of resource {resource}] reports to a
        machine that is switched off tomorrow, so stop it. In its place {new} should tell {address} what
        changes in {drive}, with the token {token}, ending {until} at {hour}:00 UTC.""",
        """For the {system}, a new channel {new} on the shared drive {drive} is needed, which sends to
        {address}, carries {token} as its token and [runs until|ends] {until}, {hour}:00 UTC. The
        previous one, {old} on {resource}, [is to be stopped|can be stopped].""",
        """Notifications from {drive} [go astray|end up nowhere], as {old} still sends to the old host.
        Stop that channel, whose resource is {resource}; {new} takes over, [aimed at|leading to]
        {address} with token {token}, up to {until} at {hour}:00 UTC.""",
        """The address {address} [is where|is the place where] the {system} listens from now on, with
        the token {token}. Open the channel {new} to it for the drive {drive}, which lasts until
        {until}, {hour}:00 UTC, and stop {old} on the resource {resource}.""",
        """Until {until}, {hour}:00 UTC, changes in the {drive} drive should be reported to {address}
        (channel {new}, token {token}). The channel before it, {old}, is [superfluous|no longer
        wanted]: its resource is {resource}, and it has to be stopped.""",
        system=system, old=old, new=new, resource=resource, drive=drive["name"], token=token, hour=hour,
        address=(address := s.phrase("out_of_scope", f"https://hooks.corvane.example/{system}",
                                     f"https://hooks.{s.rng.choice(STRANGERS)}/{system}")),
        until=s.phrase("impossible_date", str(until), str(far)),
    )  # fmt: skip
    beside.say()
    s.refuse(
        "out_of_scope",
        "channels go to addresses under corvane.example only",
        names=("channel|notif|address|hook", f"corvane.example|outside|external|{system}-cloud|own domain"),
    )
    s.refuse("impossible_date", "a channel may be open for seven days at most",
             names=("channel|notif|watch", "seven|7 days|7-day|a week|one week"))  # fmt: skip
    drive_ref = find_drive(s, drive["name"])
    start = s.do("get_changes_start_page_token", "from where on", driveId=drive_ref["id"])
    ends = datetime(until.date.year, until.date.month, until.date.day, hour, tzinfo=UTC)
    beside.look()
    s.do("stop_channels", "the old machine goes", id=old, resourceId=resource)
    s.do(
        "watch_changes",
        "the new one listens",
        pageToken=start["startPageToken"],
        driveId=drive_ref["id"],
        id=new,
        resourceId=drive_ref["id"],
        address=address,
        token=token,
        expiration=int(ends.timestamp() * 1000),
    )
    s.rule("One channel of the system is active", """SELECT COUNT(*) FROM channels WHERE id IN (:old,
    :new) AND active IS NOT 0""", old=old, new=new)  # fmt: skip
    s.rule(
        "The drive as a whole is followed, and from now on",
        """SELECT COUNT(*) FROM channels WHERE id = :id
        AND resource_uri LIKE '%driveId=' || :drive || '&pageToken=' || :since""",
        id=new, drive=drive["id"], since=start["startPageToken"].value, category="integrity",
    )  # fmt: skip
    beside.write()
