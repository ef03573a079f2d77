"""Scenarios about people who come: employees and contractors."""

from datetime import timedelta

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import Found, text
from eops_traj.taskgen.scenarios.hr.lookups import (
    LEADS,
    LEFT,
    MANAGERS,
    NO_RIGHT,
    PLACES,
    POSITIONS,
    TEAMS,
    asker,
    key,
    lead,
    me,
    name,
    service,
    tell,
    two_of_them,
)
from eops_traj.taskgen.scene import Row, Scene

_FIRST = ("Agnes", "Bastian", "Clara", "Dimitri", "Elisa", "Florin", "Gwen", "Henrik", "Irma", "Jasper",
          "Klara", "Linus",
          "Mira", "Niels", "Olga", "Pascal", "Runa", "Stellan", "Thea", "Ulrich", "Viola", "Willem", "Ylva",
          "Zeno")  # fmt: skip
_LAST = ("Amsel", "Bergner", "Castell", "Drewe", "Eklund", "Fontane", "Gamble", "Hollis", "Ivers", "Jordan",
         "Kranz",
         "Lindell", "Moreau", "Norden", "Osborne", "Prior", "Quirke", "Ramsey", "Sander", "Tolle", "Urban",
         "Varga", "Winter", "Yates")  # fmt: skip


def _newcomer(s: Scene) -> Row:
    """Somebody whom the company does not know yet."""
    first, last = s.rng.choice(_FIRST), s.rng.choice(_LAST)
    if s.rows("SELECT 1 FROM user WHERE first_name = :first AND last_name = :last", first=first, last=last):
        raise NoMatch(f"{first} {last} is here already")
    return {
        "first_name": first, "last_name": last, "email": f"{first}.{last}@corvane.example".lower(),
        "private": f"{first}.{last}@{s.rng.choice(('post', 'mailbox', 'letters'))}.example".lower(),
        "digits": str(s.rng.randrange(100, 1000)),
    }  # fmt: skip


def _unknown(s: Scene, new: Row) -> None:
    known = s.do("list_users", "whether they are here already", first_name_like=new["first_name"],
                 last_name_like=new["last_name"])  # fmt: skip
    s.require(known["total_count"], "==", 0, f"someone called {name(new)} is here already")


def _account(s: Scene, new: Row) -> Found:
    return s.do("add_new_user", "the account", first_name=new["first_name"], last_name=new["last_name"],
                email=new["email"], role="employee", active=True)  # fmt: skip


@family("hr", gives="employee", twists=("inactive_person", "policy_forbids", "two_namesakes", "no_right"))
def onboard_employee(s: Scene) -> None:
    """Someone starts: an account, a profile under a manager, and a group."""
    s.caller(MANAGERS)
    new, boss = _newcomer(s), s.pick(LEADS, me=me(s))
    team = s.pick(TEAMS)
    kind, place = s.rng.choice(("full-time", "part-time")), s.rng.choice(list(PLACES))
    position, starts = s.rng.choice(POSITIONS), s.day(2, 24)
    second = s.pick(TEAMS + " AND group_id <> :team", team=team["group_id"]) if s.chance(0.4) else None
    s.twist("inactive_person", LEFT, user=boss["user_id"])
    s.twist("policy_forbids", "UPDATE user SET role = 'agent' WHERE user_id = :user", user=boss["user_id"])
    two_of_them(s, boss)
    s.twist("no_right", NO_RIGHT, me=me(s))
    s.ask(
        """{new} joins us {kind}, first day {day}. Please create the account ({email}) and the profile:
        position {position}, works {place}, led by {boss}, private address {private}, tax digits {digits}.
        Group: {team}.""",
        """we have a new colleague! {new}, {kind}, first day {day}. Private mail {private}, tax id ends in
        {digits}, work mail {email}. They work {place} as {position}, their manager is {boss}, and they
        belong to {team}. Could you set all that up?""",
        """onboarding. Name: {new}. Work address: {email}. Private: {private}. Tax digits: {digits}.
        Employment: {kind}, from {day}. Position: {position}. Place: {place}. Manager: {boss}. Member of:
        {team}.""",
        """{boss} gets reinforcement: {new} is coming, {kind}, from {day}, position {position}, working
        {place}. What you need for the profile: {private} and the tax digits {digits}. The account is
        {email}. Please put them into {team} too.""",
        """before I forget, {new} needs to exist in our system before they start (first day: {day}). It is
        a {kind} job ({position}, {place}) under {boss}. I have {private} as the private address, {digits}
        for the tax id, {email} for the account; and {team} for the group.""",
        """could you onboard someone? {new} ({email}, privately {private}, tax digits {digits}) begins
        {kind} as {position}, {place}; day one is {day}. {boss} leads them. Membership: {team}. No case is
        needed for it.""",
        new=name(new), kind=kind, day=starts, email=new["email"], position=position, place=PLACES[place],
        boss=name(boss), private=new["private"], digits=new["digits"],
        team=f"{team['name']} and {second['name']}" if second else team["name"],
    )  # fmt: skip
    asker(s)
    _unknown(s, new)
    leads = lead(s, boss)
    groups = [s.do("find_group_by_name", "a group they join", name=each["name"]) for each in (team, second)
              if each]  # fmt: skip
    for group in groups:
        s.require(group["active"], "==", True, "that group takes no members any more")
    user = _account(s, new)
    s.do(
        "onboard_new_hr_profile", "their profile", user_id=key(user["user_id"]),
        personal_email=new["private"],
        national_tax_id=new["digits"], type=kind, employment_start_date=starts.iso, location_type=place,
        position=position, manager=key(leads["hr_profile_id"]),
    )  # fmt: skip
    for group in groups:
        s.do("add_new_group_member", "into the group", group_id=key(group["group_id"]),
             user_id=key(user["user_id"]))  # fmt: skip
    s.rule(
        "The new person's profile is led by the profile of an active manager, and has no end",
        """SELECT COUNT(*) FROM hr_profile p JOIN user u USING (user_id) JOIN hr_profile b ON
        b.hr_profile_id = p.manager JOIN user m ON m.user_id = b.user_id WHERE u.email = :email AND
        m.email = :boss AND m.active AND m.role = 'manager' AND p.employment_end_date IS NULL AND u.role =
        'employee'""",
        email=new["email"], boss=boss["email"],
    )  # fmt: skip
    s.give("employee", user, name(new))


@family("hr", gives="employee", twists=("impossible_date", "policy_forbids", "no_right"))
def onboard_contractor(s: Scene) -> None:
    """A contractor starts for a limited time: an account, a profile, and the onboarding case."""
    s.caller(MANAGERS)
    new, boss = _newcomer(s), s.pick(LEADS, me=me(s))
    starts, ends = s.day(2, 20), s.day(60, 240)
    early = (starts.date - timedelta(9)).strftime("%-d %B %Y")
    position = s.rng.choice(POSITIONS)
    s.twist("policy_forbids", "UPDATE user SET role = 'agent' WHERE user_id = :user", user=boss["user_id"])
    s.twist("no_right", NO_RIGHT, me=me(s))
    s.ask(
        """a contractor, {new}, is with us from {day} until {end}. {boss} leads them; position
        {position}. Account {email}, private address {private}, tax digits {digits}. Please set them up
        and open the onboarding case "Welcome, contractor", moderate priority, with the usual word to
        them.""",
        """could you prepare everything for {new}? They come as a contractor from {day} to {end},
        {position}, under {boss}. Work mail {email}, private mail {private}, tax digits {digits}. The case
        for contractors should read "Welcome, contractor", priority moderate, and they should be notified
        of it.""",
        """contractor. Name: {new}. From: {day}. To: {end}. Position: {position}. Manager: {boss}. Mail:
        {email}, privately {private}. Tax digits: {digits}. Plus an onboarding case "Welcome, contractor"
        (moderate) and its notification.""",
        """{boss} finally found somebody: {new}, on contract, first day {day}, last day {end}, {position}.
        I was given {private} and the tax digits {digits}; the account shall be {email}. Profile, account,
        and a contractor onboarding case "Welcome, contractor" at moderate priority, please, and let {new}
        know.""",
        """the contract of {new} is signed. It runs from {day} until {end}, so they need an account
        ({email}) and a profile ({position}, manager {boss}, {private}, tax digits {digits}). After that
        comes a contractor onboarding case for them, "Welcome, contractor", moderate, with a message to
        their private address.""",
        """what do you need to onboard a contractor? I have: {new}, {email}, {private}, tax digits
        {digits}, {position}, led by {boss}, {day} to {end}. Please do it, with the case that belongs to
        it ("Welcome, contractor", moderate) and the notification.""",
        new=name(new), day=starts, end=s.phrase("impossible_date", ends.words, early), position=position,
        boss=name(boss), email=new["email"], private=new["private"], digits=new["digits"],
    )  # fmt: skip
    s.refuse("impossible_date", "the employment would end before it starts")
    asker(s)
    _unknown(s, new)
    leads = lead(s, boss)
    known, topic = service(s, "Contractor Onboarding")
    user = _account(s, new)
    made = s.do(
        "onboard_new_hr_profile", "their profile", user_id=key(user["user_id"]),
        personal_email=new["private"],
        national_tax_id=new["digits"], type="contractor", employment_start_date=starts.iso,
        employment_end_date=ends.iso, position=position, manager=key(leads["hr_profile_id"]),
    )  # fmt: skip
    case = s.do(
        "create_new_hr_case", "the onboarding case", status="ready",
        hr_service=text("{}", known["hr_service_id"]),
        opened_for=user["email"], priority="moderate", source="self-service",
        short_description="Welcome, contractor",
        coe_type=topic["topic_category"]["coe_type"], assignment_group="HR Operations",
    )  # fmt: skip
    tell(s, case, made["personal_email"], "update", "ready", "a case was opened for them")
    s.rule(
        "A contractor's profile ends after it starts, and the onboarding case is for contractors",
        """SELECT COUNT(*) FROM hr_profile p JOIN user u USING (user_id) JOIN hr_case c ON c.opened_for =
        u.user_id JOIN hr_service h ON h.hr_service_id = c.hr_service WHERE u.email = :email AND p.type =
        'contractor' AND p.employment_end_date > p.employment_start_date AND h.service_name =
        'Contractor Onboarding'""",
        email=new["email"],
    )  # fmt: skip
    s.give("employee", user, name(new))
