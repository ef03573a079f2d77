"""Shared look-ups of the Teams scenarios, and small steps."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from eops_traj.plan import Text
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.result_ref import ResultRef, count, text
from eops_traj.taskgen.scenarios.teams import reasons
from eops_traj.taskgen.scene import Row, Scene
from eops_traj.taskgen.wording import vary

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
TWO_OWNERS = """ AND 2 = (SELECT COUNT(*) FROM json_each(t.members) o CROSS JOIN teams_users x ON x.user_id =
    o.value ->> 'userId'
    WHERE o.value ->> '$.roles[0]' = 'owner' AND x.account_enabled AND x.org_id = t.org_id)"""
MINE = """ AND EXISTS (SELECT 1 FROM json_each(t.members) m
    WHERE m.value ->> 'userId' = :me AND m.value ->> '$.roles[0]' = 'owner')"""
HATS = {
    "admin": "Global Administrator",
    "teams_admin": "Teams administrator",
    "user_admin": "user administrator",
}
"""What a request says of the one who asks, where the role cannot be looked up."""
_HATS_SAID = (
    "[I am the {hat}|As it happens, I am the {hat}], [so that such changes are mine to order|and may ask for"
    " this].",
    "You act for the {hat} [in this matter|here], which [should settle|settles] the question of rights.",
    "[My role is that of|The role in which I ask is that of] {hat}, [in case it matters|should you need to"
    " know].",
    "[The request comes|This comes] from the {hat}, whose [job|task] such [things|changes] are.",
)


_PLAIN_SAID = (
    "I am only passing this on: it comes from {name}, [a plain member|a member like any other], and is to be"
    " done in that name.",
    "You act for {name} here, whose role is that of a plain member.",
    "The role of {name}, in whose name this is asked, is [member, nothing more|that of a member].",
    "This comes from {name}, who has the role of a member and wants it done.",
    "The request is that of {name}, [in case it matters, a plain member|as it happens, a plain member].",
)


@dataclass(frozen=True)
class Person:
    """A person in a request: the row, their words in the request, and the filter that finds them."""

    row: Row
    words: str
    where: str

    @property
    def id(self) -> str:
        """The id, for rules."""
        return str(self.row["user_id"])

    @property
    def names(self) -> str:
        """What an answer may call them, as alternatives."""
        return reasons.known_as(self.row)

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Team:
    """A team in a request: its row, its words in the request, and its record if an earlier part found it."""

    row: Row
    words: str
    record: ResultRef | None = None

    @property
    def id(self) -> str:
        """The id, for rules."""
        return str(self.row["team_id"])

    def __str__(self) -> str:
        return self.words


# who asks, and who is meant


def pick_owner(s: Scene, having: str = "") -> Row:
    """Pick the owner of a team (of this kind) without another right; in a chain, keep the caller."""
    if s.caller:
        return s.pick_caller(f"{OWNERS}) OR r.role IN ('admin', 'teams_admin') AND u.account_enabled")
    return s.pick_caller(f"{OWNERS}{having}) AND r.role = 'member' ORDER BY u.user_id")


def pick_colleague(s: Scene) -> Row:
    """Pick a colleague whose name is unique."""
    return s.pick_caller(f"{PEOPLE}{ALONE} ORDER BY u.user_id")


def pick_several(s: Scene, sql: str, number: int, **values: Any) -> list[Row]:
    """Pick that many different people beside the caller, those with a unique name first.

    Raises NoMatch where there are too few.
    """
    drawn = s.pick_some(f"{sql} AND u.user_id <> :caller ORDER BY u.user_id", number,
                        caller=s.caller["user_id"], **values)  # fmt: skip
    return sorted(drawn, key=lambda row: row["namesakes"] > 1)


def say(s: Scene, wording: str, **slots: Any) -> str:
    """Fill in a phrase of a request, with one of each of its alternatives."""
    return " ".join(vary(s.rng, wording).format(**slots).split())


def say_role(s: Scene) -> str:
    """Say in what role the caller asks, who is an administrator."""
    return say(s, s.rng.choice(_HATS_SAID), hat=HATS[s.caller["role"]])


def say_plain(s: Scene, name: str) -> str:
    """Say that it is asked in the name of somebody who is no administrator."""
    return say(s, s.rng.choice(_PLAIN_SAID), name=name)


def describe_person(s: Scene, row: Row, plain: bool = False) -> Person:
    """Describe a person for a request: by name, by name and department, or by a unique title.

    ``plain`` is for perturbations: by the name alone, NoMatch for a person with a namesake.
    """
    way, name = s.rng.random(), row["name"]
    if plain and row["namesakes"] > 1:
        raise NoMatch(f"{name} has a namesake")
    if row["namesakes"] > 1:
        where = f"displayName eq '{name}' and department eq '{row['department']}'"
        return Person(row, f"{name} from {row['department']}", where)
    if not plain and row["colleagues"] == 1 and way < 0.4:
        return Person(row, f"the {row['title']}", f"jobTitle eq '{row['title']}'")
    words = f"{name} from {row['department']}" if way > 0.85 and not plain else name
    return Person(row, words, f"displayName eq '{name}'")


def join_words(words: Sequence[object], joint: str = "and") -> str:
    """Join words: ``Ana, Ben and Cleo``."""
    *first, last = map(str, words)
    return f"{', '.join(first)} {joint} {last}" if first else last


def add_namesake(s: Scene, who: Person, *others: Person, among: str = PEOPLE, **values: Any) -> Row:
    """Perturb: one more colleague has the same name, one of those ``among`` whom the request may mean."""
    kept = json.dumps([who.id, *(other.id for other in others), s.caller["user_id"]])
    rows = s.rows(
        f"SELECT * FROM ({among}) WHERE namesakes = 1 AND user_id NOT IN (SELECT value FROM json_each(:kept))"
        " AND title NOT LIKE 'Director%' ORDER BY user_id", kept=kept, **values,
    )  # fmt: skip
    if not rows and s.perturbation == "two_namesakes":
        raise NoMatch(f"nobody else whom the request may mean by {who}")
    victim = s.rng.choice(rows or [who.row])
    s.perturb(
        "two_namesakes", "UPDATE teams_users SET display_name = :name WHERE user_id = :id",
        name=who.row["name"], id=victim["user_id"],
    )  # fmt: skip
    return victim


def show_namesake(s: Scene, who: Person, victim: Row, place: str, key: str, **values: Any) -> None:
    """Perturb: the namesake has the name in a column, such as ``teams.members``, of these rows, too."""
    table, column = place.split(".")
    s.perturb("two_namesakes", f"UPDATE {table} SET {column} = replace({column}, :before, :name) WHERE {key}",
              before=victim["name"], name=who.row["name"], id=victim["user_id"], **values)  # fmt: skip


def disable_account(s: Scene, who: Person) -> None:
    """Perturb: a person's account is disabled."""
    s.perturb("inactive_person", "UPDATE teams_users SET account_enabled = 0 WHERE user_id = :id", id=who.id)


def find_person(s: Scene, who: Person, why: str) -> ResultRef:
    """Find a person by the whole name or the title: exactly one, whose account is enabled."""
    hits = s.do(
        "list_users", why, _filter=who.where,
        _select="id,displayName,jobTitle,department,city,mail,employeeType,userType,accountEnabled",
    )["value"]  # fmt: skip
    s.require(count(hits), ">=", 1, f"{who} fits nobody in the directory", names=(who.names, reasons.MISSING))
    s.require(count(hits), "<=", 1, f"{who} fits more than one person in the directory",
              names=(who.names, reasons.several(who.names)))  # fmt: skip
    s.require(hits[0]["accountEnabled"], "==", True, f"the account of {who} is disabled, they have left",
              names=(who.names, reasons.DISABLED))  # fmt: skip
    return hits[0]


def find_caller(s: Scene) -> ResultRef:
    """Find the caller."""
    return s.do("get_user", "who asks", userPrincipalName=s.caller["email"],
                _select="id,displayName")  # fmt: skip


def user_link(user: ResultRef) -> Text:
    """Render the link to a person, for members, owners and guests."""
    return text(f"{GRAPH}users('{{}}')", user["id"])


def app_link(app: ResultRef) -> Text:
    """Render the link to an app, for tabs."""
    return text(f"{GRAPH}appCatalogs/teamsApps/{{}}", app["id"])


def find_app(s: Scene, name: str) -> ResultRef:
    """Find an app of the catalog by its whole name; one that is not approved cannot be shown in a tab."""
    hits = s.do("list_teams_apps", "the app is in the catalog", _filter=f"displayName eq '{name}'")["value"]
    s.require(count(hits), "==", 1, f"there is no app {name} in the catalog", names=(name, reasons.MISSING))
    s.require(hits[0]["distributionMethod"], "in", ["store", "organization"],
              f"{name} is not an approved app",
              names=(name, reasons.UNAPPROVED))  # fmt: skip
    return hits[0]


# teams


def pick_team(s: Scene, where: str = "", **values: Any) -> Team:
    """Take the team of an earlier part, or pick one that the caller owns."""
    produced = s.consume("team")
    if produced:
        row = s.pick(f"{TEAMS} AND t.team_id = :key", key=produced.record["id"].value)
        return Team(row, produced.words, produced.record)
    return team_row(s.pick(f"{TEAMS}{MINE}{where} ORDER BY t.team_id", me=s.caller["user_id"], **values),
                    s.rng)  # fmt: skip


def team_row(row: Row, rng: Random | None = None) -> Team:
    """Return a team by its name, as the request speaks of it."""
    name = row["name"]
    if name.endswith("Team") or rng is None:
        return Team(row, name if name.endswith("Team") else f"the {name} team")
    return Team(row, rng.choice((f"the {name} team", f"the {name} team", f"the team {name}", name)))


def demote(s: Scene, team: Team) -> None:
    """Perturb: another member owns the team, and not the caller."""
    s.perturb(
        "no_right",
        """UPDATE teams SET members = (SELECT json_group_array(json(CASE
        WHEN m.value ->> 'userId' = :me THEN json_set(m.value, '$.roles[0]', 'member')
        WHEN m.key = (SELECT min(o.key) FROM json_each(teams.members) o
            WHERE o.value ->> '$.roles[0]' = 'member') THEN json_set(m.value, '$.roles[0]', 'owner')
        ELSE m.value END)) FROM json_each(teams.members) m) WHERE team_id = :id""",
        me=s.caller["user_id"], id=team.id,
    )  # fmt: skip


def leave_out(s: Scene, team: Team) -> None:
    """Perturb: the caller is not in the team at all, and so may not write in its channels."""
    s.perturb(
        "no_right",
        """UPDATE teams SET members = (SELECT json_group_array(json(m.value)) FROM json_each(teams.members) m
        WHERE m.value ->> 'userId' <> :me) WHERE team_id = :id""",
        me=s.caller["user_id"], id=team.id,
    )  # fmt: skip


def expel(s: Scene, team: Team, who: Person) -> None:
    """Perturb: somebody whom the request takes for a member of the team is none."""
    s.perturb(
        "policy_forbids",
        """UPDATE teams SET members = (SELECT json_group_array(json(m.value)) FROM json_each(teams.members) m
        WHERE m.value ->> 'userId' <> :who) WHERE team_id = :id""",
        who=who.id, id=team.id,
    )  # fmt: skip


def rename_team(s: Scene, team: Team) -> None:
    """Perturb: no team has that name."""
    s.perturb("missing_entity", "UPDATE teams SET display_name = display_name || ' 2025' WHERE team_id = :id",
              id=team.id)  # fmt: skip


def find_team(s: Scene, team: Team, why: str = "the team it is about") -> ResultRef:
    """Find the team by its whole name, unless an earlier part found it."""
    if team.record is not None:
        return team.record
    name = team.row["name"]
    teams = s.do("list_teams", why, _filter=f"displayName eq '{name}'", _select="id,displayName")["value"]
    s.require(count(teams), "==", 1, f"there is no team named {name}", names=(name, reasons.MISSING))
    return teams[0]


def find_owned_team(s: Scene, team: Team) -> tuple[ResultRef, ResultRef]:
    """Find the team and its members; a caller without another right must be one of its owners."""
    found_team = find_team(s, team)
    members = s.do("list_team_members", "who owns it and who is in it", teamId=found_team["id"])["value"]
    if s.caller["role"] == "member":
        s.require(members.where(email=s.caller["email"])["roles"], "==", ["owner"],
                  f"{s.caller['name']} does not own {team}", names=(reasons.NOT_OWNER,))  # fmt: skip
    return found_team, members


def find_own_team(s: Scene, team: Team) -> ResultRef:
    """Find the team; a caller without another right must be in it, owner or not."""
    found_team = find_team(s, team)
    members = s.do("list_team_members", "who is in it", teamId=found_team["id"])["value"]
    if s.caller["role"] == "member":
        s.require(count(members.every(email=s.caller["email"])), "==", 1,
                  f"{s.caller['name']} does not belong to {team}",
                  names=(reasons.asks(s.caller), reasons.NOT_IN_TEAM))  # fmt: skip
    return found_team


# channels and messages


def find_channel(s: Scene, team: ResultRef, name: str, why: str) -> ResultRef:
    """Find a channel of the team that is open for writing, by its whole name."""
    rooms = s.do("list_channels", why, teamId=team["id"])["value"]
    s.require(count(rooms.every(displayName=name, isArchived=False)), "==", 1,
              f"there is no open channel {name} in that team", names=(name, reasons.MISSING))  # fmt: skip
    return rooms.where(displayName=name)


def post_message(s: Scene, team: ResultRef, channel: ResultRef, words: Any, why: str) -> None:
    """Post plain words into a channel of a team."""
    s.do(
        "send_channel_message", why, teamId=team["id"], channelId=channel["id"],
        body={"contentType": "text", "content": words}, importance="normal",
    )  # fmt: skip


def post_notice(s: Scene, team: ResultRef, words: Any, why: str = "tell the team in its General") -> None:
    """Post a notice of the change in General of a team."""
    post_message(s, team, s.do("get_primary_channel", "where notices stand", teamId=team["id"]), words, why)


_TOLD = """SELECT EXISTS (SELECT 1 FROM channel_messages m JOIN channels c USING (channel_id)
JOIN teams t ON t.team_id = c.team_id WHERE t.display_name = :team AND c.display_name = :channel
AND m.created_datetime >= '2026-01-05' AND m.from_json ->> '$.user.id' = :me)"""


def add_post_rule(s: Scene, team: str, name: str = "General of the team says what has changed",
         channel: str = "General") -> None:  # fmt: skip
    """Add the rule that the caller has posted in a channel of a team today, as the policy requires."""
    s.rule(name, _TOLD, team=team, channel=channel, me=s.caller["user_id"])


def write_to(s: Scene, me: ResultRef, who: ResultRef, words: Any, why: str) -> ResultRef:
    """Write to somebody in the chat that the caller has with them, which is made if there is none."""
    chat = s.do(
        "create_chat", "the chat of the two", chatType="oneOnOne",
        members=[{"_odata_type": MEMBER, "roles": ["owner"], "user_odata_bind": user_link(each)}
                 for each in (me, who)],
    )  # fmt: skip
    return s.do("send_chat_message", why, chatId=chat["id"], body={"contentType": "text", "content": words})
