"""Scenarios about the rules of a calendar as a whole: leavers, writers, a place that is passed on."""

from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras, reasons
from eops_traj.taskgen.scenarios.calendar.lookups import (
    PEOPLE,
    find_guest,
    join_people,
    say,
)
from eops_traj.taskgen.scenarios.calendar.picking import (
    pick_colleagues,
)
from eops_traj.taskgen.scenarios.calendar.sharing import OWNED, SHARED_WITH, find_owned_calendar, rule_of
from eops_traj.taskgen.scenarios.calendar.twists import add_second_calendar, deactivate, demote
from eops_traj.taskgen.scene import Row, Scene

_OWNING = f"SELECT w.* FROM ({PEOPLE}) w WHERE EXISTS (SELECT 1 FROM ({OWNED}) k WHERE k.email = w.email)"
_REVIEWS = (
    "the security people ask every owner to look at it once a year", "a leaver still got our invitations",
    "we had a row about who may see what", "it has not been looked at since the calendar was made",
    "our team was put together anew in autumn", "the works council has asked for it",
)  # fmt: skip


def _pick_calendar(s: Scene) -> Row:
    """Pick a calendar of the caller's, and let its title be another calendar's too, or the right be less."""
    calendar = s.pick(f"SELECT * FROM ({OWNED}) WHERE email = :me", me=s.caller["email"])
    demote(s, calendar["calendar_id"], "writer")
    add_second_calendar(s, calendar)
    s.perturb("missing_entity", "UPDATE calendars SET summary = summary || ' 2' WHERE calendar_id = :id",
              id=calendar["calendar_id"])  # fmt: skip
    return calendar


def _members(calendar: Row) -> dict[str, str]:
    return {"calendar": calendar["calendar_id"], "me": calendar["email"]}


@family("calendar", perturbations=("no_right", "two_namesakes"))
def drop_leavers(s: Scene) -> None:
    """Whoever has left the company loses the access to a calendar."""
    s.pick_caller(_OWNING)
    calendar = _pick_calendar(s)
    for person in s.pick_some(f"{SHARED_WITH} AND u.is_active AND a.role <> 'owner'", s.rng.choice((1, 1, 2)),
                              **_members(calendar)):  # fmt: skip
        s.arrange("UPDATE users SET is_active = 0 WHERE user_id = :who", who=person["account"])
    why, described = s.rng.choice(_REVIEWS), s.chance(0.5)
    words = s.rng.choice(("Access looked through in January.", "Rules checked on 5 January.",
                          "For the present team only."))  # fmt: skip
    beside = besides(s, *extras.some())
    s.ask(
        """[Who of those in|Which of the people let into] {what} [is still with the company I cannot tell|have
        left in the meantime I do not know]. [Look at each account behind its rules|Check the account behind
        each personal rule], and [take the access of those who have left|end the access of all who have left].
        {Why}. {described}""",
        """{what} [is still open to people who have left|is read by people who are no longer here], as {why}.
        [Go through its personal rules one by one|Every single rule for a person has to be looked at] and
        delete those of former colleagues; [the present ones keep theirs|nobody else loses anything].
        {described}""",
        """[The rules of {what} need a broom|It is time for a broom in {what}]: {why}. Every person who is let
        in there and whose account is not active any more [goes out|loses the rule]. {described} [The rest
        stays as it is.|]""",
        """[Former colleagues|People who have left] have no business in {what}, which I own. [Find out who
        they are|You find them] by their accounts, and remove [the rules that let them in|what lets them in].
        {described} [It comes up now because|I bring it up since] {why}.""",
        """[Once and for all|For the new year], {what} should [be open to nobody who has left|let in only
        those who still work here]. [Compare each personal rule with the directory|The directory tells who is
        still active], then delete what must go. {described} {Why}.""",
        """{Why}; so [please|] clear {what} of everybody who is gone. [It is my calendar|I am the owner], and
        what tells you who is gone is whether the account is active. {described}""",
        what=f"the calendar {calendar['summary']}", why=why, Why=why[0].upper() + why[1:],
        described=say(s, '[Its description should then read|Put as its description] "{words}"', words=words)
        if described else "",
    )  # fmt: skip
    beside.say()
    calendar_ref = find_owned_calendar(s, calendar["summary"])
    rules = s.do("list_acl_rules", "who is let in", calendarId=calendar_ref["id"])
    people = rules["items"].every(("scope.type", "==", "user"))
    accounts = s.do_each(people, "get_user_by_email", "whether they are here still",
                         email=ROW["scope"]["value"])  # fmt: skip
    s.covers("everybody let in who has left")
    beside.look()
    s.do_each(accounts.every(is_active=False), "delete_acl_rule", "they have left",
              calendarId=calendar_ref["id"],
              ruleId=rules["items"].where(("scope.value", "==", ROW["email"]))["id"])  # fmt: skip
    if described:
        s.do("patch_calendar", "what is said of it", calendarId=calendar_ref["id"], description=words)
    s.rule(
        "Nobody who has left is let in",
        """SELECT COUNT(*) FROM acls a JOIN scopes s ON s.id = a.scope_id AND s.type = 'user' JOIN users u ON
        u.email = s.value WHERE a.calendar_id = :calendar AND NOT u.is_active""",
        expected=0, calendar=calendar["calendar_id"],
    )  # fmt: skip
    beside.write()


_FREEZE = (
    "the plan for the quarter is final", "too many cooks have been at it", "the last change cost us a van",
    "the dates have gone out to the customers", "somebody wiped a whole week by mistake",
    "the auditors read it as evidence from now on",
)  # fmt: skip


@family("calendar", perturbations=("no_right", "missing_entity"))
def freeze_writers(s: Scene) -> None:
    """Whoever may write in a calendar only reads it from now on, one person aside."""
    s.pick_caller(_OWNING)
    calendar = _pick_calendar(s)
    for person in s.pick_some(f"{SHARED_WITH} AND u.is_active AND a.role = 'reader'", s.rng.choice((1, 2)),
                              **_members(calendar)):  # fmt: skip
        s.arrange("UPDATE acls SET role = 'writer' WHERE id = :rule", rule=person["rule"])
    spared = s.chance(0.5)
    keeper = s.pick(f"{SHARED_WITH} AND u.is_active AND a.role = 'writer'", **_members(calendar))
    why = s.rng.choice(_FREEZE)
    beside = besides(s, *extras.some())
    s.ask(
        """[Nobody but its owners changes|Only the owners may change] {what} from now on. {Why}, so [all who
        may write in it become readers|everybody who writes there is set back to reading]{but}. [Owners keep
        what they have.|The owners are not concerned.]""",
        """{Why}. [For that reason|So] let everyone who plans along in {what} only read it{but}; [readers and
        owners are not touched|nothing changes for readers and owners].""",
        """[The writers of {what} lose their pen|Writing in {what} comes to an end]: each rule that gives the
        right to write there [becomes one for reading|is turned into one for reading]{but}. [That is
        necessary because|I do that since] {why}.""",
        """[Who writes in {what} I have lost track of|I do not know who may write in {what} by now]. Whoever
        they are{comma_but}, they [should follow it and no more|may read it and nothing beyond that], [as|
        because] {why}.""",
        """[Put a lid on|Freeze] {what}: reading is fine, writing is over for everybody except owners{but}.
        [The cause is that|It had to come:] {why}.""",
        """From today {what} is [to be read only|for reading], [given that|because] {why}. So [every writer
        there|all of its writers] {go} down to a reader{but}[, and the owners stay owners|].""",
        what=f"the calendar {calendar['summary']}", why=why, Why=why[0].upper() + why[1:], go="go",
        but=(but := say(s, ", [all but|with the exception of|only not] {keeper}",
                        keeper=join_people(s, [keeper])) if spared else ""),
        comma_but=but,
    )  # fmt: skip
    beside.say()
    calendar_ref = find_owned_calendar(s, calendar["summary"])
    rules = s.do("list_acl_rules", "who may write", calendarId=calendar_ref["id"])
    tests = [("role", "==", "writer"), *([("scope.value", "!=", keeper["email"])] if spared else [])]
    s.covers("everybody who may write in the calendar")
    beside.look()
    s.do_each(rules["items"].every(*tests), "patch_acl_rule", "from now on they read",
              calendarId=calendar_ref["id"], ruleId=ROW["id"], role="reader")  # fmt: skip
    s.rule(
        "Only owners write, and whoever was spared",
        "SELECT COUNT(*) FROM acls WHERE calendar_id = :calendar AND role = 'writer'",
        expected=int(spared), calendar=calendar["calendar_id"],
    )  # fmt: skip
    beside.write()


@family("calendar", perturbations=("inactive_person", "no_right", "missing_entity"))
def pass_on_place(s: Scene) -> None:
    """Somebody takes another's place in a calendar, with the same right."""
    s.pick_caller(_OWNING)
    calendar = _pick_calendar(s)
    before = s.pick(f"{SHARED_WITH} AND a.role <> 'owner'", **_members(calendar))
    known = [row["email"] for row in s.rows(SHARED_WITH, **_members(calendar))]
    (after,) = pick_colleagues(s, 1, None, *known)
    why = s.rng.choice(_SUCCEEDED)
    beside = besides(s, *extras.some())
    deactivate(s, after)
    s.ask(
        """[From today|As of today] {after} [takes the place of|steps into the shoes of] {before} in {what},
        [with the same right|and may do just as much there]. [No more, no less|Neither more nor less]: {why}.
        [Tell me which right it is|Let me know how far that goes].""",
        """[Hand over|Pass on] the rule by which {before} is let into {what}: it [belongs to|is from now on
        that of] {after}. {Why}. [What it allows stays the same, and I would like to know what that is|It
        allows what it did before; tell me what that was].""",
        """In {what}, {before} [is followed by|gives way to] {after}, {because} {why}. Replace the one by the
        other in the rules, [the role as it is|without a change of the role], and [report the role to me|say
        which role that is].""",
        """[As far as {before} gets into {what}|Whatever {before} may do in {what}], so far {after} should
        get, in place of the former. {Why}. [I do not know the role by heart, so name it|Which role is it?
        Please say so].""",
        """{Why}, and so there is one name to exchange in the rules of {what}: {before} [out|goes], {after}
        [in|comes], with exactly the access that was there. [Say what role you found|Which access was it?]""",
        """[One rule of {what} changes hands|There is one change in {what}]: instead of {before} it is meant
        for {after} now. [The extent of it stays|Its extent is not to change]; [name the role in your
        answer|in your answer, name the role]. {Why}, [that is the background|hence this].""",
        after=join_people(s, [after]), before=join_people(s, [before]),
        what=f"the calendar {calendar['summary']}", why=why, Why=why[0].upper() + why[1:],
        because=s.rng.choice(("because", "since", "as")),
    )  # fmt: skip
    beside.say()
    calendar_ref = find_owned_calendar(s, calendar["summary"])
    rules = s.do("list_acl_rules", "who is let in", calendarId=calendar_ref["id"])
    s.require(count(rules["items"].every(scope__value=before["email"])), "==", 1,
              f"{before['name']} is not let in by a rule of their own",
              names=(reasons.known_as(before), reasons.MISSING + "|not let in|no rule"))  # fmt: skip
    account = find_guest(s, after)
    rule = rule_of(rules, before)
    s.indirect("the right that somebody else had", hidden=[])
    beside.look()
    s.do("update_acl_rule", f"{after['name']} instead of {before['name']}", calendarId=calendar_ref["id"],
         ruleId=rule["id"], scope={"type": "user", "value": account["email"]}, role=rule["role"])  # fmt: skip
    now = s.do("get_acl_rule", "how it reads now", calendarId=calendar_ref["id"], ruleId=rule["id"])
    s.answer("the role", now["role"])
    s.rule(
        "The rule is for the other person, and allows what it allowed before",
        """SELECT a.role || ' for ' || s.value FROM acls a JOIN scopes s ON s.id = a.scope_id WHERE a.id =
        :rule""",
        expected=f"{before['role']} for {after['email']}", rule=before["rule"],
    )  # fmt: skip
    beside.write()


_SUCCEEDED = (
    "the two have swapped their jobs", "the one goes to another department, the other comes from there",
    "that is how the team lead has divided the work", "the handover between the two took place on Friday",
    "the former is on parental leave from this week on", "they share a desk, and only one of them plans",
)  # fmt: skip
