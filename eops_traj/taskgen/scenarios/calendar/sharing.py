"""Scenarios about who is let into a calendar."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef
from eops_traj.taskgen.scenarios.calendar import reasons
from eops_traj.taskgen.scenarios.calendar.lookups import (
    PEOPLE,
    find_guest,
    join_people,
    join_words,
    require_one,
    say,
)
from eops_traj.taskgen.scenarios.calendar.picking import (
    pick_colleagues,
)
from eops_traj.taskgen.scenarios.calendar.twists import deactivate, demote
from eops_traj.taskgen.scene import Row, Scene

OWNED = f"""
    SELECT c.*, u.email FROM calendars c JOIN ({PEOPLE}) u ON u.user_id = c.user_id
    WHERE NOT c.is_primary AND NOT c.deleted AND NOT c.hidden AND c.calendar_id LIKE 'team-%'"""
SHARED_WITH = """
    SELECT a.*, a.id AS rule, s.value, u.email, u.name, u.given_name, u.is_active, u.user_id AS account
    FROM acls a JOIN scopes s ON s.id = a.scope_id AND s.type = 'user' JOIN users u ON u.email = s.value
    WHERE a.calendar_id = :calendar AND u.email <> :me AND u.provider = 'corvane-sso' AND (SELECT COUNT(*)
    FROM users v WHERE v.name = u.name) = 1"""
_ROLE_WORDS = {
    "freeBusyReader": ("see when it is taken, no more", "only find out when it is busy"),
    "reader": ("follow what is in it", "read along, without changing anything"),
    "writer": ("plan along in it", "enter and change things in it"),
}  # fmt: skip
_ONE_OWNER = (
    "nobody|no second|second owner|second person|manager|one owner|no other owner|another owner"
    "|further owner|additional owner|other owner|co-own|single owner|more than one owner|sole owner"
)
_SHARING = (
    "I promised it last week", "they ask me for the dates every other day", "they joined us in December",
    "they plan their holidays around it", "the rota is made from it now", "it saves us a mail each time",
)  # fmt: skip


def role_words(s: Scene, role: str) -> str:
    """Return words for what a role allows."""
    return s.rng.choice(_ROLE_WORDS[role])


_DOMAINS = ("tidewater.example", "northwind.example", "lakeshore.example", "harborline.example")
_OWNERS = (  # what is said besides, and what the policy forbids
    ("{} does not become an owner of it.", "{} becomes an owner of it, too."),
    ("I own it alone, and {} does not.", "I do not own it alone, and {} does as well."),
    ("Not even {} owns it beside me.", "From now on {} owns it beside me."),
    ("No second owner, please, though {} asked.", "A second owner, please: {}."),
)  # fmt: skip
_OTHERS = (  # what is said besides, and what is out of scope
    ("Nobody at {} may read it.", "Everybody at {} may read it."),
    ("The people of {} do not get in.", "The people of {} get in, all of them."),
    ("It is not open to {}, who asked for it.", "It is open to {}, who asked for it."),
    ("Readers from {} have to do without.", "Readers from {} have to be let in."),
)  # fmt: skip


@family(
    "calendar",
    perturbations=("inactive_person", "no_right", "policy_forbids", "out_of_scope"),
    consumes="calendar",
)
def share_calendar(s: Scene) -> None:
    """People are let into a calendar, as far as they need it; who has left or moved on is let out."""
    earlier = s.consume("calendar")
    owning = f"SELECT w.* FROM ({PEOPLE}) w WHERE EXISTS (SELECT 1 FROM ({OWNED}) k WHERE k.email = w.email)"
    me = s.pick_caller(PEOPLE if earlier else owning)
    if earlier:
        calendar = s.rows("SELECT * FROM calendars WHERE calendar_id = :id", id=earlier.record["id"].value)[0]
    else:
        calendar = s.pick(f"SELECT * FROM ({OWNED}) WHERE email = :me", me=me["email"])
    within = {"calendar": calendar["calendar_id"], "me": me["email"]}
    owners = len(s.rows("SELECT 1 FROM acls WHERE calendar_id = :calendar AND role = 'owner'", **within))
    raised = gone = None
    if not earlier and s.chance(0.7):
        raised = s.pick(f"{SHARED_WITH} AND a.role = 'reader' AND u.is_active", **within)
    if not earlier and s.chance(0.6):
        gone = s.pick(f"{SHARED_WITH} AND a.role <> 'owner' AND u.email <> :raised",
                      raised=raised["email"] if raised else "", **within)  # fmt: skip
    known = [row["email"] for row in s.rows(SHARED_WITH, **within)]
    fresh = pick_colleagues(s, s.rng.choice((1, 2, 3)) if raised else 3, None, *known)
    roles = [s.rng.choice(tuple(_ROLE_WORDS)) for _ in fresh]
    deactivate(s, fresh[0])
    demote(s, calendar["calendar_id"], "writer")
    owned, domain = s.rng.choice(_OWNERS), s.rng.choice(_DOMAINS)
    wants = join_words([f"{join_people(s, [person])} should {role_words(s, role)}"
                        for person, role in zip(fresh, roles, strict=True)])  # fmt: skip
    s.ask(
        """[Some changes to|A few things change in] who gets into {what}. {wants}. {raised} {gone} {more}
        [All the others stay as they are.|Apart from that nobody's access changes.]""",
        """[The rules of {what} are due for a clean-up|I went through the rules of {what}]. {raised} Besides,
        {wants}. {gone} {more} Nobody else changes.""",
        """[It is about {what}, which is mine to share|As the owner of {what} I have something to arrange].
        {wants}; {why}. {gone} {raised} {more}""",
        """[Open {what} a little|{what} should be opened a little]. {wants}. [Give them no more than that|No
        one gets more than that]. {raised} {more} {gone} [The reason is that {why}|Why? {Why}].""",
        """New faces want to know what is planned: for {what}, {wants}. {more} {raised} {gone} [Check who is
        in already, so that nobody ends up with two rules|Look at the present rules first].""",
        """{gone} {raised} [That is for|So much for] {what}. [And there are newcomers to it|Then there are
        newcomers]: {wants}. {more} [I do it because|It comes about because] {why}.""",
        what=earlier.words if earlier else f"the calendar {calendar['summary']}", wants=wants,
        why=(why := s.rng.choice(_SHARING)), Why=why[0].upper() + why[1:],
        raised=say(s, "{person}, who [only reads it now|has only been reading it], should ",
                   person=join_people(s, [raised]))
        + " " + s.phrase("policy_forbids", "plan along in it.", "own it just as I do.") if raised
        else s.phrase("policy_forbids", *(line.format(fresh[-1]["name"]) for line in owned)),
        gone=say(s, "{person} [has no more business in it and should go|is no longer with it, so end that "
                 "access].", person=join_people(s, [gone])) if gone else "",
        more=s.phrase("out_of_scope", *(line.format(domain) for line in s.rng.choice(_OTHERS))),
    )  # fmt: skip
    s.refuse("policy_forbids", "a calendar is owned by nobody beside its owner and, of a team, its manager",
             names=("own|co-own", _ONE_OWNER))  # fmt: skip
    s.refuse("out_of_scope", f"calendars are not opened to other domains, such as {domain}",
             names=(f"{domain.split('.')[0]}|domain|corvane.example|outside",))  # fmt: skip
    calendar_ref = earlier.record if earlier else find_owned_calendar(s, calendar["summary"])
    rules = s.do("list_acl_rules", "who is in already", calendarId=calendar_ref["id"])
    accounts = [find_guest(s, person) for person in fresh]
    for person, role, account in zip(fresh, roles, accounts, strict=True):
        s.do("insert_acl_rule", f"{person['name']} is let in", calendarId=calendar_ref["id"],
             role=role, scope={"type": "user", "value": account["email"]})  # fmt: skip
    if raised:
        s.do("patch_acl_rule", f"{raised['name']} plans along", calendarId=calendar_ref["id"], role="writer",
             ruleId=rule_of(rules, raised)["id"])  # fmt: skip
    if gone:
        s.do("delete_acl_rule", f"{gone['name']} is out", calendarId=calendar_ref["id"],
             ruleId=rule_of(rules, gone)["id"])  # fmt: skip
    s.rule(
        "Nobody has two rules for the calendar, and it has no more owners than before",
        """SELECT (COUNT(*) - COUNT(DISTINCT scope_id)) || ' twice, owners: ' || SUM(role = 'owner') FROM acls
        WHERE calendar_id = (SELECT calendar_id FROM calendars WHERE summary = :title AND user_id = :me)""",
        expected=f"0 twice, owners: {owners}", title=calendar["summary"], me=me["user_id"],
    )  # fmt: skip


def find_owned_calendar(s: Scene, title: str) -> ResultRef:
    """Find the calendar of a title on the caller's list; require that the caller owns it."""
    calendar_list = s.do("get_calendar_list", "the calendar")
    matches = calendar_list["items"].every(summary=title)
    require_one(s, matches, title, "on your list of calendars")
    s.require(matches[0]["accessRole"], "==", "owner",
              f"you are not an owner of {title}, and only owners share it",
              names=(reasons.NOT_OWNER,))  # fmt: skip
    return matches[0]


def rule_of(rules: ResultRef, person: Row) -> ResultRef:
    """Return the rule by which a person is let in."""
    return rules["items"].where(scope__value=person["email"])
