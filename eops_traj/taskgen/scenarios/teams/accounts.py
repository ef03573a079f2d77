"""Scenarios about accounts: people who start, people who left long ago."""

from eops_traj.gym.company.names import DEPARTMENTS
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.teams import extras, reasons
from eops_traj.taskgen.scenarios.teams import lookups as look
from eops_traj.taskgen.scene import Row, Scene

FIRST = ("Noor", "Tomas", "Ilse", "Kofi", "Marit", "Devika", "Jorge", "Petra", "Hamish", "Leila",
         "Anselm", "Bronagh", "Cosimo", "Dagny", "Emre", "Fenna", "Goran", "Hana", "Idris",
         "Jutta")  # fmt: skip
LAST = ("Ahlberg", "Brennan", "Castelo", "Dvorak", "Eklund", "Farouk", "Galvan", "Hurst", "Iyer",
        "Jansen", "Kessler", "Lindqvist", "Moreau", "Nakata", "Oduya", "Pavlik", "Quinn", "Reiter",
        "Sandoval", "Tveit")  # fmt: skip
LEFT = """SELECT u.user_id, u.display_name AS name, u.department, t.team_id, t.display_name AS team
FROM teams_users u JOIN teams t ON t.org_id = u.org_id AND NOT t.soft_delete AND NOT t.is_archived
WHERE u.org_id = 'corvane-001' AND NOT u.account_enabled AND NOT u.soft_deleted AND 1 = (SELECT COUNT(*)
    FROM teams_users v WHERE v.org_id = u.org_id AND v.display_name = u.display_name AND NOT v.soft_deleted)
AND EXISTS (SELECT 1 FROM json_each(t.members) m WHERE m.value ->> 'userId' = u.user_id
    AND m.value ->> '$.roles[0]' = 'member')"""
"""Those whose account is disabled and still there, with each team that still lists them."""


@family("teams", perturbations=("no_right", "impossible_date"), produces="joiner")
def welcome_joiner(s: Scene) -> None:
    """An administrator has an account made for somebody new, who is then greeted among the new joiners."""
    s.pick_caller(f"{look.PEOPLE}{look.ALONE} AND r.role IN ('admin', 'user_admin') ORDER BY r.role")
    first, last = s.rng.choice(FIRST), s.rng.choice(LAST)
    name, login = f"{first} {last}", f"{first}.{last}".lower()
    if s.rows(
        "SELECT 1 FROM teams_users WHERE display_name = :name OR user_id = :login", name=name, login=login
    ):
        raise NoMatch(f"{name} works here already")
    unit = s.rng.choice([d for d in DEPARTMENTS if d.titles])
    title, kind = s.rng.choice(unit.titles), s.rng.choice(("Employee", "Employee", "Contractor", "Intern"))
    password = f"{s.rng.choice(('Harbour', 'Lantern', 'Meadow', 'Copper'))}-{s.rng.randrange(1000, 9999)}"
    now, later = s.chance(0.5), s.day(3, 24)
    more = besides(s, *extras.some(extras.team_members, extras.title_of))
    never = s.rng.choice(("30 February", "31 April", "31 June", "31 September"))
    start = s.phrase("impossible_date", "today" if now else f"on {later.date:%-d %B}", f"on {never}")
    other = s.pick(f"{look.PEOPLE}{look.ALONE} AND r.role = 'member' ORDER BY u.user_id")
    mine = look.say_role(s)
    standing = s.phrase(
        "no_right", mine,
        look.say_plain(s, other["name"]),
    )  # fmt: skip
    s.ask(
        """{unit} [has finally filled|managed to fill] the vacancy for a {title}: {name} [begins|starts
        work|has the first day] {start}, with {a_kind}'s contract. {standing} [Set up|Create] the account with
        {password} as the [first|initial] password, and see that the [usual steps|steps that we take] for new
        people follow, [the greeting included|down to the greeting].""",
        """[Nobody has made|There still is no] account for {name} yet, who [joins|is about to join] {unit} as
        {title} and starts {start}. {standing} The [type of contract|contract type] is {kind}; for the first
        login [use|take] {password}. [Their buddy wants to meet them|Their lead wants them to be found] among
        the new joiners, so do not leave [that|that part] out.""",
        """{standing} [The contract came back signed, so|Now that the papers are signed,] {name} needs an
        account: {title}, department {unit}, {kind}, first day {start}. The password to begin with is
        {password}, and [whoever is new|everyone who is new] goes through our team for new joiners and is
        [welcomed|greeted] there, [as always|as ever].""",
        """For {name}, [hired as|who was hired as] {a_kind}, everything [is still to be|has yet to be]
        arranged in Teams, though the [first day|first day of work] is {start}. The title is {title} and the
        department {unit}; {password} will do until the first [sign-in|login]. [{standing} Then|Then] comes
        what every newcomer gets: [a place and a hello|membership and a hello] in New Joiners. [|The manager
        has been told already.]""",
        """[HR sent me|I have received] the details of a new colleague: {name}, {title} in {unit}, contract of
        {a_kind}, beginning {start}. Open the account with the first password {password}, [take|bring] them
        into New Joiners and [say hello|greet them] there. {standing}""",
        """[Somebody new starts|A newcomer begins] {start} in {unit}, and [without an account|as long as there
        is no account] the laptop [is of little use|stays locked]. The person is {name}, {title}, {kind};
        [make|have] the first password {password}. {standing} [After that|Afterwards] put them among the new
        joiners, where [they should be welcomed|the team expects a welcome].""",
        name=name, title=title, unit=unit.name, kind=kind.lower(),
        a_kind=f"{'a' if kind == 'Contractor' else 'an'} {kind.lower()}", start=start, standing=standing,
        password=password,
    )  # fmt: skip
    more.say()
    s.duty("the address, the state of the account, New Joiners and the greeting follow from the policy")
    s.refuse("impossible_date", f"there is no such day as {never}",
             names=(f"{never.split()[1]}|{never.split()[1][:3]}|02-30|04-31|06-31|09-31",
                    "30|30th|31|31st|28|29|no such"))  # fmt: skip
    s.refuse("no_right", f"{other['name']} is a plain member and may not make accounts",
             names=(reasons.PLAIN_MEMBER,))  # fmt: skip
    same = s.do("list_users", "nobody of that name yet", _filter=f"displayName eq '{name}'")["value"]
    s.require(count(same), "==", 0, f"there is already somebody called {name}")
    address = f"{login}@corvane.example"
    taken = s.do("list_users", "the address is free", _filter=f"userPrincipalName eq '{address}'")["value"]
    s.require(count(taken), "==", 0, f"the address of {name} is taken")
    joiners = look.find_team(s, look.Team({"name": "New Joiners"}, "New Joiners"), "the team of the new")
    more.look()
    account = s.do(
        "create_user", f"the account of {name}", userPrincipalName=address, displayName=name,
        mailNickname=login, givenName=first, surname=last, mail=address, jobTitle=title,
        department=unit.name, employeeType=kind, userType="Member", accountEnabled=now,
        passwordProfile={"password": password, "forceChangePasswordNextSignIn": True},
    )  # fmt: skip
    s.do("add_team_member", "put them among the new joiners", teamId=joiners["id"], roles=["member"],
         user_odata_bind=look.user_link(account))  # fmt: skip
    rooms = s.do("list_channels", "where they are greeted", teamId=joiners["id"])["value"]
    look.post_message(s, joiners, rooms.where(displayName="Welcome"), f"Welcome to Corvane, {name}!",
                      "greet them by their whole name")  # fmt: skip
    s.rule("The new account has the address and the kind of contract that were asked for",
           """SELECT COUNT(*) FROM teams_users WHERE display_name = :name AND user_principal_name = mail AND
           mail = :address AND employee_type = :kind AND account_enabled = :now""",
           name=name, address=address, kind=kind, now=int(now))  # fmt: skip
    look.add_post_rule(s, "New Joiners", "The newcomer was greeted in the channel Welcome", "Welcome")
    if now:
        s.produce("joiner", account, name)
    more.write()


def _perturb_leaver(s: Scene, row: Row) -> None:
    """Perturb: the account must not be deleted, or is deleted already."""
    s.perturb(
        "policy_forbids", "UPDATE teams_users SET account_enabled = 1 WHERE user_id = :id", id=row["user_id"]
    )
    s.perturb(
        "missing_entity", "UPDATE teams_users SET soft_deleted = 1 WHERE user_id = :id", id=row["user_id"]
    )


@family("teams", perturbations=("policy_forbids", "missing_entity"))
def clear_accounts(s: Scene) -> None:
    """The Global Administrator has accounts deleted of people who left, and a team freed of one of them."""
    me = s.pick_caller(f"{look.PEOPLE}{look.ALONE} AND r.role = 'admin'")
    one = s.pick(f"{LEFT} ORDER BY u.user_id, t.team_id")
    two = s.pick(f"{LEFT} AND u.user_id <> :one AND t.team_id <> :team ORDER BY u.user_id, t.team_id",
                 one=one["user_id"], team=one["team_id"])  # fmt: skip
    both = s.chance(0.4)
    _perturb_leaver(s, one)
    also = look.say(s, "The same [goes|holds] for {who} and {team}.", who=two["name"],
                    team=look.team_row({"name": two["team"]})) if both else ""  # fmt: skip
    more = besides(s, *extras.some(extras.team_members, extras.title_of))
    s.ask(
        """[Our auditors|The auditors|This year's audit] found [two dead accounts|two accounts that nobody
        uses], {one} and {two}, both of people who [have not been with us for a good while|left last year].
        [Make sure|Check] that they are really disabled and then delete them; before that, {one} has to
        [disappear from|leave] the members of {team}. {also} I am the Global Administrator.""",
        """As Global Administrator I am [clearing up|tidying up] after people who left, and the accounts of
        {one} and {two} can go [for good|now]. [What comes first|Before that]: {one} still stands in the list
        of {team} and has to be taken out there, [properly announced|with the notice that belongs to it].
        {also}""",
        """[A colleague asked|Several people asked] me why {one} still shows up in {team}, [and rightly
        so|which is a fair question]: the person is long gone. Remove them [there|from the members]. {also}
        Then delete the account, and that of {two} [along with it|as well], who left [in the same month|around
        then]. You act for the Global Administrator [here|in this].""",
        """Licences are [counted|billed] at the end of the week, so I want [to be rid of the accounts|the
        accounts deleted] of {one} and {two} by then, [neither of whom works here any more|who both left].
        {one} is also still a member of {team}, [where the name misleads people|which confuses its owners],
        and leaves it first. {also} The [order|request] comes from the Global Administrator.""",
        """{two} and {one} have left Corvane, and [nothing of theirs needs to be kept|their things are handed
        over]. Take {one} out of {team}, [tell that team|let that team know], and after that delete both
        accounts, [as long as|provided that] they were disabled before. {also} [I hold|I have] the role of
        Global Administrator, in case you [wonder|need to know].""",
        """[Last year's|The old] list of leavers has two names [left|open], {one} and {two}. For the first of
        them, end the membership in {team}. {also} Delete the accounts of the two [afterwards|after that]; if
        one of them [turns out to be in use|can still log in], do not delete any and tell me. [This is|It is]
        the Global Administrator asking.""",
        one=one["name"], two=two["name"], team=look.team_row({"name": one["team"]}), also=also,
    )  # fmt: skip
    more.say()
    s.duty("a notice in General of each team that somebody leaves")
    accounts = []
    for row in (one, two):
        hits = s.do("list_users", "whose account it is", _filter=f"displayName eq '{row['name']}'",
                    _select="id,displayName,accountEnabled")["value"]  # fmt: skip
        s.require(count(hits), "==", 1, f"there is no account of {row['name']} in the directory",
                  names=(reasons.known_as(row), reasons.MISSING))  # fmt: skip
        s.require(hits[0]["accountEnabled"], "==", False,
                  f"the account of {row['name']} is still enabled; it has to be disabled before",
                  names=(reasons.known_as(row), reasons.ENABLED))  # fmt: skip
        accounts.append(hits[0])
    stale = list(zip((one, two), accounts, strict=True))[: 2 if both else 1]
    teams = [
        look.find_team(s, look.team_row({"name": row["team"]}), "a team that still lists them")
        for row, _ in stale
    ]
    more.look()
    for (row, who), team in zip(stale, teams, strict=True):
        members = s.do("list_team_members", "their membership", teamId=team["id"])["value"]
        s.do("remove_team_member", f"take {row['name']} out", teamId=team["id"],
             membershipId=members.where(userId=who["id"])["id"])  # fmt: skip
        look.post_notice(
            s, team, f"{row['name']} is no longer a member of this team from today on, at the request of"
            f" {me['name']}."
        )  # fmt: skip
    for row, who in ((one, accounts[0]), (two, accounts[1])):
        s.do("delete_user", f"delete the account of {row['name']}", userId=who["id"])
    s.rule(
        "Only disabled accounts were deleted",
        "SELECT COUNT(*) FROM teams_users WHERE soft_deleted AND NOT account_enabled"
        " AND user_id IN (:one, :two)",
        expected=2, one=one["user_id"], two=two["user_id"],
    )  # fmt: skip
    look.add_post_rule(s, one["team"])
    more.write()
