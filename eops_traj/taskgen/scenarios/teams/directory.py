"""Scenarios about people in the directory: another name, another floor, contracts that end."""

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import ROW, holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count, text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.teams import extras, reasons
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scenarios.teams.accounts import LAST
from eops_traj.taskgen.scene import Scene

ADMINS = f"{look.PEOPLE}{look.ALONE} AND r.role IN ('admin', 'user_admin') ORDER BY r.role"
SITES = """SELECT u.department, u.city, min(u.country) AS country FROM teams_users u
WHERE u.org_id = 'corvane-001' AND u.account_enabled AND NOT u.soft_deleted AND u.user_type = 'Member'
AND u.department IS NOT NULL GROUP BY 1, 2 HAVING COUNT(*) BETWEEN 2 AND 5 ORDER BY 1, 2"""
WHERE = {"New York": "[at headquarters in New York|in New York|at our site in New York]",
         "London": "[in London|at our site in the UK's capital|in our British offices]",
         "Mumbai": "[in Mumbai|at our sites in India|in our Indian offices]",
         "Tokyo": "[in Tokyo|in our Japanese office|at our site in Japan's capital]",
         "Sydney": "[in Sydney|in our Australian office|at our site in Australia]"}  # fmt: skip
"""How requests speak of the sites of a city."""
FLOORS = ("{city}, floor {n}, {wing} wing", "{city}, level {n}, {wing} side",
          "{city}, {wing} house, floor {n}")  # fmt: skip


@family("teams", perturbations=("inactive_person", "two_namesakes", "no_right"))
def new_surname(s: Scene) -> None:
    """An administrator has the family name of a colleague changed, and the colleague written to."""
    s.pick_caller(ADMINS)
    row = s.pick(f"{look.PEOPLE}{look.ALONE} AND u.user_id <> :me ORDER BY u.user_id",
                 me=s.caller["user_id"])  # fmt: skip
    who, last = look.describe_person(s, row, plain=True), s.rng.choice(LAST)
    first = row["name"].split()[0]
    if s.rows("SELECT 1 FROM teams_users WHERE display_name = :name", name=f"{first} {last}"):
        raise NoMatch(f"there is a {first} {last} already")
    words = look.say(s, "[The directory has you as {name} now|You are {name} in the directory from today"
                        " on|Your name"
                     " in Teams is {name} now]; [your login stays the same|you log in as before|the address"
                     " stays].", name=f"{first} {last}")  # fmt: skip
    more = besides(s, *extras.some(extras.title_of))
    look.disable_account(s, who)
    look.add_namesake(s, who)
    mine = look.say_role(s)
    other = s.pick(f"{look.PEOPLE}{look.ALONE} AND r.role = 'member' ORDER BY u.user_id")
    hat = s.phrase("no_right", mine, look.say_plain(s, other["name"]))  # fmt: skip
    s.ask(
        """{who} [got married|has married] over the holidays and [goes by|uses] the family name {last} now,
        with which you [bring|put] the directory in line [as our rules for names want it|the way our rules
        describe] before you tell {first} in a chat with me: '{words}' {hat}""",
        """{hat} The family name of {who} is {last} [from today|as of this week], [and the badge has been
        printed already|which the papers confirm], so please change [it|the name] in the account and leave a
        line in our chat that says '{words}'""",
        """[There is|We have] a change of name: {who} has become {first} {last}, and [the account should|see
        that the account can] show it wherever a colleague reads it, without touching how one logs in. [In the
        chat between us|Between {first} and me] write '{words}' [when it is through|afterwards]. {hat}""",
        """Payroll has had the new family name of {who}, which is {last}, [since Friday|for a week], whereas
        [Teams does not have it|we do not], and the account has to be corrected accordingly. I [also
        want|would like] {first} to read '{words}' in a [private chat|chat] with me. {hat}""",
        """On the intranet {who} still has the old surname, [which leads to confusion|and people ask me about
        it], although it is {last} [now|these days], so change what has to be changed in the directory, and
        send '{words}' [from me|in my name] in the chat that {first} and I have. {hat}""",
        """{hat} [Would|Could] you rename the account of {who} in the directory, given that the surname is
        {last} [by court order|after a wedding|since December], and once that [stands|is in] send '{words}' to
        {first} in our chat of two?""",
        who=who, last=last, first=first, words=words, hat=hat,
    )  # fmt: skip
    more.say()
    s.duty("a new family name changes the display name too, and not the login")
    s.refuse("no_right", f"{other['name']} is a plain member and may not change accounts",
             names=(reasons.PLAIN_MEMBER,))  # fmt: skip
    found = look.find_person(s, who, "whose name changes")
    mine_row = look.find_caller(s)
    more.look()
    s.do("update_user", "surname and display name together", userId=found["id"], surname=last,
         displayName=f"{first} {last}")  # fmt: skip
    look.write_to(s, mine_row, found, words, "tell them")
    s.rule("The account has the new name, and logs in as before",
           """SELECT COUNT(*) FROM teams_users WHERE user_id = :id AND surname = :last AND display_name =
           :name
           AND user_principal_name = :email""",
           id=who.id, last=last, name=f"{first} {last}", email=row["email"])  # fmt: skip
    more.write()


@family("teams", perturbations=("no_right",))
def move_office(s: Scene) -> None:
    """An administrator gives all people of a department at a site a new place, and tells a team of it."""
    s.pick_caller(ADMINS)
    place = s.pick(SITES)
    team = look.team_row(s.pick(f"{look.TEAMS} ORDER BY t.team_id"), s.rng)
    city, unit = place["city"], place["department"]
    floor = s.rng.choice(FLOORS).format(city=city, n=s.rng.randint(2, 9),
                                        wing=s.rng.choice(("east", "west", "north", "south")))  # fmt: skip
    words = look.say(s,
                     "{unit} [is|sits|can be found] [at|under] {floor} [from now on|as of today].", unit=unit,
                     floor=floor)  # fmt: skip
    where = look.say(s, WHERE[city])
    other = s.pick(f"{look.PEOPLE}{look.ALONE} AND r.role = 'member' ORDER BY u.user_id")
    more = besides(s, *extras.some(extras.title_of))
    mine = look.say_role(s)
    hat = s.phrase("no_right", mine,
                   look.say_plain(s, other["name"]))  # fmt: skip
    s.ask(
        """[Facilities|The facility team] finished the move over the holidays, so all of {unit} who work
        {where} [now sit|sit] at '{floor}'. [Enter|Put] that as the office of [each of them|every one of them]
        in the directory, and post '{words}' in General of {team}. {hat}""",
        """{hat} Nobody [can be found|is to be found] at their old desk in {unit} any more, [as far as they
        are|if they are based] {where}. Their office location [should read|becomes] '{floor}', for the whole
        lot of them. {team} [reads|should hear] about it in General: '{words}'""",
        """[Visitors|Couriers] still walk to the wrong floor [every day|all the time]. Everybody from {unit}
        {where} belongs to '{floor}' since last week; [update|correct] the office location in all of those
        accounts. Then [leave|put] '{words}' in the General channel of {team}. {hat}""",
        """For the people of {unit} {where} the office location has to [change|be changed] to '{floor}', and
        [I do mean|that means] every active account there, not only the leads. [Afterwards|After that] tell
        {team}, in General, '{words}' {hat}""",
        """The seating plan of {unit} [is final|was signed off]: those {where} are all at '{floor}'. [Please
        bring|Bring] the directory up to date for each of them. {hat} A line in General of {team} completes
        it, [in these words|word for word]: '{words}'""",
        """'{floor}' is what I want to see as the office of [everyone|every colleague] in {unit} who is
        {where}; colleagues of that department elsewhere [keep theirs|stay as they are]. {team} gets the
        message '{words}' in General. {hat}""",
        unit=unit, where=where, floor=floor, team=team, words=words, hat=hat,
    )  # fmt: skip
    more.say()
    s.covers("all active people of a department at a site")
    s.refuse("no_right", f"{other['name']} is a plain member and may not change accounts",
             names=(reasons.PLAIN_MEMBER,))  # fmt: skip
    people = s.do("list_users", "who works there", _filter=f"department eq '{unit}' and city eq '{city}'",
                  _select="id,displayName,accountEnabled,officeLocation")["value"]  # fmt: skip
    found = look.find_team(s, team, "the team that hears of it")
    room = s.do("get_primary_channel", "its General", teamId=found["id"])
    more.look()
    s.do_each(people.every(accountEnabled=True), "update_user", "each of them has moved",
              userId=ROW["id"], officeLocation=floor)  # fmt: skip
    look.post_message(s, found, room, words, "tell the team")
    s.rule("Whoever works there has the new place, and nobody else of the department",
           """SELECT COUNT(*) FROM teams_users WHERE org_id = 'corvane-001' AND department = :unit AND
           account_enabled
           AND NOT soft_deleted AND (city = :city) <> (office_location IS :floor)""",
           expected=0, unit=unit, city=city, floor=floor)  # fmt: skip
    look.add_post_rule(s, team.row["name"], "General of the team has the message")
    more.write()


STAFF = f"""{look.MEMBERS} AND u.department = :unit AND r.role = 'member' AND namesakes = 1
ORDER BY u.user_id"""


@family("teams", perturbations=("two_namesakes", "missing_entity"))
def end_contracts(s: Scene) -> None:
    """The Global Administrator ends all contractors of a department but one: out of a team, and disabled."""
    me = s.pick_caller(f"{look.PEOPLE}{look.ALONE} AND r.role = 'admin'")
    team = look.team_row(s.pick(f"{look.TEAMS} AND t.group_id IS NOT NULL ORDER BY t.team_id"), s.rng)
    unit = s.pick("SELECT g.department FROM teams_users g JOIN teams t ON EXISTS (SELECT 1 FROM"
                  " json_each(t.members) m WHERE m.value ->> 'userId' = g.user_id) WHERE t.team_id = :team"
                  " AND"
                  " g.department IS NOT NULL AND g.org_id = 'corvane-001' GROUP BY 1 ORDER BY COUNT(*) DESC"
                  " LIMIT 1", team=team.id)["department"]  # fmt: skip
    rows = s.pick_some(STAFF, 2, team=team.id, unit=unit)
    for row in rows:
        s.arrange(
            "UPDATE teams_users SET employee_type = 'Contractor' WHERE user_id = :id", id=row["user_id"]
        )
    stays = look.describe_person(s, rows[0], plain=True)
    more = besides(s, *extras.some(extras.team_members, extras.title_of))
    victim = look.add_namesake(
        s, stays, among=f"{look.PEOPLE} AND u.department = :unit AND u.user_id <> :goes",
        unit=unit, goes=rows[1]["user_id"],
    )  # fmt: skip
    look.show_namesake(s, stays, victim, "teams.members", "team_id = :team", team=team.id)
    s.perturb("two_namesakes", "UPDATE teams_users SET employee_type = 'Contractor' WHERE user_id = :id",
              id=victim["user_id"])  # fmt: skip
    look.rename_team(s, team)
    s.ask(
        """The framework agreement for {unit} [ended with the year|ran out on 31 December], so every
        contractor of that department [is leaving|leaves] us, except {stays}, whose [own contract|contract]
        runs until June. Take those who go out of {team}, as far as they are in it, and [close|disable] their
        accounts, which I decide as Global Administrator.""",
        """All contractors in {unit} [finish|stop] today with the exception of {stays}, who [stays on|goes on
        working here]. For the others I [need|want] two things, namely no membership in {team} any more and an
        account that [lets nobody in|is disabled]; the Global Administrator [asks for it|is asking].""",
        """[Procurement|Our procurement] has not renewed the contractors of {unit}, of whom only {stays} was
        [kept|given another year]. As Global Administrator I want the [accounts of the rest|remaining
        accounts] disabled, but not deleted, [today|by tonight], after whoever of them is a member of {team}
        has been removed there.""",
        """[Apart from|With the exception of] {stays}, nobody with a contractor's contract works in {unit}
        [from tomorrow on|any longer], which means that {team} [has to lose|loses] those of them who belong to
        it and that afterwards their accounts are disabled, [each and every one|all of them]. I am the Global
        Administrator and [answer for it|have this in writing].""",
        """How many contractors {unit} has I [could not tell|do not know], but all of them go [now|today],
        {stays} excepted, so look them up, remove them from {team} where they are members, [post the
        notice|tell that team once], and disable the accounts. [This is an order of|It is ordered by] the
        Global Administrator.""",
        """{stays} remains with us, while the other contractors of {unit} [do not|leave today], and in Teams
        that means that they [disappear|go] from {team}, if they are there at all, and that afterwards [nobody
        can|none of them can] log in. It is the Global Administrator who [wants|decides] that.""",
        unit=unit, stays=stays, team=team,
    )  # fmt: skip
    more.say()
    s.covers("all contractors of a department but one")
    s.branches("who of them is in the team")
    kept = look.find_person(s, stays, "who stays")
    staff = s.do("list_users", "the contractors of the department",
                 _filter=f"department eq '{unit}' and employeeType eq 'Contractor'",
                 _select="id,displayName,accountEnabled")["value"]  # fmt: skip
    found = look.find_team(s, team, "the team they leave")
    members = s.do("list_team_members", "who of them is in it", teamId=found["id"])["value"]
    room = s.do("get_primary_channel", "where the notice stands", teamId=found["id"])
    going = staff.every(("id", "!=", kept["id"]), accountEnabled=True)
    more.look()
    s.do_each(going, "remove_team_member", "out of the team, who is in it",
              when=holds(count(members.every(userId=ROW["id"])), "==", 1),
              teamId=found["id"], membershipId=members.where(userId=ROW["id"])["id"])  # fmt: skip
    look.post_message(s, found, room, text(
        f"From today on the contractors of {unit}, all but {{}}, are no longer in this team, at the request"
        f" of {me['name']}.", kept["displayName"]), "one notice for all")  # fmt: skip
    s.do_each(going, "update_user", "nobody logs in with it any more", userId=ROW["id"], accountEnabled=False)
    s.rule("Of the contractors of the department one has an account that is enabled, and the team has no"
           " other",
           """SELECT COUNT(*) FROM teams_users WHERE org_id = 'corvane-001' AND department = :unit AND
           employee_type = 'Contractor' AND account_enabled AND NOT soft_deleted AND user_id <> :kept""",
           expected=0, unit=unit, kept=stays.id)  # fmt: skip
    look.add_post_rule(s, team.row["name"])
    more.write()
