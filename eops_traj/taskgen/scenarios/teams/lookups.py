"""What the scenarios of Teams look up, and the small steps that many of them share."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eops_traj.plan import Text
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.result_ref import ResultRef, count, text
from eops_traj.taskgen.scene import Row, Scene

GRAPH = "https://graph.microsoft.com/v1.0/"
MEMBER = "#microsoft.graph.aadUserConversationMember"

PEOPLE = """SELECT u.user_id, u.display_name AS name, u.user_principal_name AS email, u.job_title AS title,
    u.department, u.city, u.employee_type AS contract, r.role,
    (SELECT COUNT(*) FROM teams_users v WHERE v.org_id = u.org_id AND NOT v.soft_deleted
        AND v.display_name = u.display_name) AS namesakes,
    (SELECT COUNT(*) FROM teams_users v WHERE v.org_id = u.org_id AND NOT v.soft_deleted
        AND v.job_title = u.job_title) AS colleagues
FROM teams_users u JOIN user_role r USING (org_id, user_id)
WHERE u.org_id = 'corvane-001' AND u.account_enabled AND NOT u.soft_deleted AND u.user_type = 'Member'"""
"""Who works here, with how many bear the same name and how many the same title."""

ALONE = " AND namesakes = 1"
TEAMS = """SELECT t.team_id, t.display_name AS name, t.members FROM teams t
WHERE t.org_id = 'corvane-001' AND NOT t.soft_delete AND NOT t.is_archived"""
_IN = "EXISTS (SELECT 1 FROM teams t, json_each(t.members) m WHERE m.value ->> 'userId' = u.user_id"
MEMBERS = f"{PEOPLE} AND {_IN} AND t.team_id = :team AND m.value ->> '$.roles[0]' = 'member')"
STRANGERS = f"{PEOPLE} AND NOT {_IN} AND t.team_id = :team)"
ANY_ROLE = f"{PEOPLE} AND {_IN} AND t.team_id = :team)"
OWNERS = f"""{PEOPLE}{ALONE} AND {_IN} AND m.value ->> '$.roles[0]' = 'owner' AND t.org_id = u.org_id
    AND NOT t.soft_delete AND NOT t.is_archived"""
TWO_OWNERS = """ AND 2 = (SELECT COUNT(*) FROM json_each(t.members) o JOIN teams_users x ON x.user_id =
    o.value ->> 'userId'
    WHERE o.value ->> '$.roles[0]' = 'owner' AND x.account_enabled AND x.org_id = t.org_id)"""
MINE = """ AND EXISTS (SELECT 1 FROM json_each(t.members) m
    WHERE m.value ->> 'userId' = :me AND m.value ->> '$.roles[0]' = 'owner')"""
WHOLE = (
    "It only makes sense as a whole.", "All of it or nothing, please.", "Do not do it by halves.",
    "If one part cannot be done, leave the rest as well.", "The parts belong together.",
)  # fmt: skip
"""What a request says that is not to be done in part."""
HATS = {
    "admin": "Global Administrator",
    "teams_admin": "Teams administrator",
    "user_admin": "user administrator",
}
"""What a request says of the one who asks, where the role cannot be looked up."""


@dataclass(frozen=True)
class Who:
    """A person in a request: the row, how the request speaks of them, and the filter that finds them."""

    row: Row
    words: str
    where: str

    @property
    def id(self) -> str:
        """The id, for rules."""
        return str(self.row["user_id"])

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Place:
    """A team in a request: its row, how the request speaks of it, what an earlier part found of it."""

    row: Row
    words: str
    found: ResultRef | None = None

    @property
    def id(self) -> str:
        """The id, for rules."""
        return str(self.row["team_id"])

    def __str__(self) -> str:
        return self.words


# who asks, and who is meant


def owner(s: Scene, having: str = "") -> Row:
    """Whoever owns a team (of this kind) and holds no other right; later in a chain, whoever asked before."""
    if s.caller:
        return s.pick_caller(f"{OWNERS}) OR r.role IN ('admin', 'teams_admin') AND u.account_enabled")
    return s.pick_caller(f"{OWNERS}{having}) AND r.role = 'member' ORDER BY u.user_id")


def anyone(s: Scene) -> Row:
    """Any colleague whose name is nobody else's."""
    return s.pick_caller(f"{PEOPLE}{ALONE} ORDER BY u.user_id")


def several(s: Scene, sql: str, number: int, **values: Any) -> list[Row]:
    """So many different people, by chance; the first has a name that is nobody else's.

    Raises NoMatch where there are not enough, or none such.
    """
    rows = s.rows(f"{sql} AND u.user_id <> :caller ORDER BY u.user_id",
                  caller=s.caller["user_id"], **values)  # fmt: skip
    if len(rows) < number:
        raise NoMatch(f"{len(rows)} people of the {number} wanted")
    drawn = s.rng.sample(rows, number)
    return sorted(drawn, key=lambda row: row["namesakes"] > 1)


def named(s: Scene, row: Row, plain: bool = False) -> Who:
    """A person as a request names them: by name, with the department, or by a title nobody else has.

    Plainly, by the name alone, where a twist is about them: NoMatch for somebody with a namesake.
    """
    way, name = s.rng.random(), row["name"]
    if plain and row["namesakes"] > 1:
        raise NoMatch(f"{name} has a namesake")
    if row["namesakes"] > 1:
        where = f"displayName eq '{name}' and department eq '{row['department']}'"
        return Who(row, f"{name} from {row['department']}", where)
    if not plain and row["colleagues"] == 1 and way < 0.4:
        return Who(row, f"the {row['title']}", f"jobTitle eq '{row['title']}'")
    words = f"{name} from {row['department']}" if way > 0.85 and not plain else name
    return Who(row, words, f"displayName eq '{name}'")


def listed(words: Sequence[object], joint: str = "and") -> str:
    """``Ana, Ben and Cleo``."""
    *first, last = map(str, words)
    return f"{', '.join(first)} {joint} {last}" if first else last


def double(s: Scene, who: Who, *others: Who) -> None:
    """The twist by which one more colleague goes by the same name."""
    kept = json.dumps([who.id, *(other.id for other in others), s.caller["user_id"]])
    victim = s.pick(
        f"{PEOPLE}{ALONE} AND u.user_id NOT IN (SELECT value FROM json_each(:kept)) AND u.job_title NOT LIKE"
        " 'Director%' ORDER BY u.user_id", kept=kept,
    )  # fmt: skip
    s.perturb(
        "two_namesakes", "UPDATE teams_users SET display_name = :name WHERE user_id = :id",
        name=who.row["name"], id=victim["user_id"],
    )  # fmt: skip


def gone(s: Scene, who: Who) -> None:
    """The twist by which someone's account is disabled."""
    s.perturb("inactive_person", "UPDATE teams_users SET account_enabled = 0 WHERE user_id = :id", id=who.id)


def person(s: Scene, who: Who, why: str) -> ResultRef:
    """Look someone up by the whole name or the title: there must be one, whose account is enabled."""
    found = s.do(
        "list_users", why, _filter=who.where,
        _select="id,displayName,jobTitle,department,city,mail,employeeType,userType,accountEnabled",
    )["value"]  # fmt: skip
    s.require(count(found), "==", 1, f"{who} does not fit exactly one person in the directory")
    s.require(found[0]["accountEnabled"], "==", True, f"the account of {who} is disabled, they have left")
    return found[0]


def myself(s: Scene) -> ResultRef:
    """Look up the one who asks."""
    return s.do("get_user", "who asks", userPrincipalName=s.caller["email"],
                _select="id,displayName,city")  # fmt: skip


def link(found: ResultRef) -> Text:
    """A person as members, owners and guests are given."""
    return text(f"{GRAPH}users('{{}}')", found["id"])


def app_link(found: ResultRef) -> Text:
    """An app as tabs are given it."""
    return text(f"{GRAPH}appCatalogs/teamsApps/{{}}", found["id"])


# teams


def place(s: Scene, where: str = "", **values: Any) -> Place:
    """A team for the request: that of an earlier part, or one that the caller owns."""
    given = s.consume("team")
    if given:
        row = s.pick(f"{TEAMS} AND t.team_id = :key", key=given.record["id"].value)
        return Place(row, given.words, given.record)
    return at(s.pick(f"{TEAMS}{MINE}{where} ORDER BY t.team_id", me=s.caller["user_id"], **values))


def at(row: Row) -> Place:
    """A team by its name."""
    name = row["name"]
    return Place(row, name if name.endswith("Team") else f"the {name} team")


def demote(s: Scene, team: Place) -> None:
    """The twist by which another member owns the team, and not the one who asks."""
    people = json.loads(team.row["members"])
    mine = next((n for n, m in enumerate(people) if m["userId"] == s.caller["user_id"]), 0)
    theirs = next((n for n, m in enumerate(people) if m["roles"] == ["member"]), 0)
    s.perturb(
        "no_right",
        "UPDATE teams SET members = json_set(members, :mine, 'member', :theirs, 'owner') WHERE team_id = :id",
        mine=f"$[{mine}].roles[0]", theirs=f"$[{theirs}].roles[0]", id=team.id,
    )  # fmt: skip


def retitle(s: Scene, team: Place) -> None:
    """The twist by which no team has that name."""
    s.perturb("missing_entity", "UPDATE teams SET display_name = display_name || ' 2025' WHERE team_id = :id",
            id=team.id)  # fmt: skip


def find_team(s: Scene, team: Place, why: str = "the team it is about") -> ResultRef:
    """The team: looked up by its whole name, unless an earlier part knows it."""
    if team.found is not None:
        return team.found
    name = team.row["name"]
    found = s.do("list_teams", why, _filter=f"displayName eq '{name}'", _select="id,displayName")["value"]
    s.require(count(found), "==", 1, f"there is not exactly one team named {name}")
    return found[0]


def find_owned(s: Scene, team: Place) -> tuple[ResultRef, ResultRef]:
    """The team and its members; someone without another right must be one of its owners."""
    found = find_team(s, team)
    members = s.do("list_team_members", "who owns it and who is in it", teamId=found["id"])["value"]
    if s.caller["role"] == "member":
        s.require(members.where(email=s.caller["email"])["roles"], "==", ["owner"],
                  f"{s.caller['name']} does not own {team}")  # fmt: skip
    return found, members


def say(s: Scene, team: ResultRef, channel: ResultRef, words: str, why: str) -> None:
    """Write into a channel of a team, as plain words."""
    s.do(
        "send_channel_message", why, teamId=team["id"], channelId=channel["id"],
        body={"contentType": "text", "content": words}, importance="normal",
    )  # fmt: skip


def notice(s: Scene, team: ResultRef, words: str, why: str = "tell the team in its General") -> None:
    """Say in General of a team what has changed."""
    say(s, team, s.do("get_primary_channel", "where notices stand", teamId=team["id"]), words, why)


_TOLD = """SELECT EXISTS (SELECT 1 FROM channel_messages m JOIN channels c USING (channel_id)
JOIN teams t ON t.team_id = c.team_id WHERE t.display_name = :team AND c.display_name = :channel
AND m.created_datetime >= '2026-01-05' AND m.from_json ->> '$.user.id' = :me)"""


def told(s: Scene, team: str, name: str = "General of the team says what has changed",
         channel: str = "General") -> None:  # fmt: skip
    """The rule that the one who asks has written in a channel of a team today, as the policy wants it."""
    s.rule(name, _TOLD, team=team, channel=channel, me=s.caller["user_id"])
