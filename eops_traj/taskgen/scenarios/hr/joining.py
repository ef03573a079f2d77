"""Scenarios about people who come: employees and contractors."""

from datetime import timedelta

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef, text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import BEFORE
from eops_traj.taskgen.scenarios.hr.group_extras import about_group, for_person
from eops_traj.taskgen.scenarios.hr.lookups import (
    DEACTIVATE_USER,
    DEMOTE_CALLER,
    LEADERS,
    MANAGERS,
    POSITIONS,
    TEAMS,
    WORKPLACES,
    add_leading_namesake,
    find_lead,
    find_service,
    full_name,
    group_for,
    id_text,
    my_email,
    notify,
    require_manager,
)
from eops_traj.taskgen.scene import Row, Scene

_FIRST_NAMES = ("Agnes", "Bastian", "Clara", "Dimitri", "Elisa", "Florin", "Gwen", "Henrik", "Irma", "Jasper",
                "Klara", "Linus", "Mira", "Niels", "Olga", "Pascal", "Runa", "Stellan", "Thea", "Ulrich",
                "Viola", "Willem", "Ylva", "Zeno")  # fmt: skip
_LAST_NAMES = ("Amsel", "Bergner", "Castell", "Drewe", "Eklund", "Fontane", "Gamble", "Hollis", "Ivers",
               "Jordan", "Kranz", "Lindell", "Moreau", "Norden", "Osborne", "Prior", "Quirke", "Ramsey",
               "Sander", "Tolle", "Urban", "Varga", "Winter", "Yates")  # fmt: skip


def _pick_newcomer(s: Scene) -> Row:
    """Pick the names and addresses of a person whom the company does not know yet."""
    first, last = s.rng.choice(_FIRST_NAMES), s.rng.choice(_LAST_NAMES)
    if s.rows("SELECT 1 FROM user WHERE first_name = :first AND last_name = :last", first=first, last=last):
        raise NoMatch(f"{first} {last} is here already")
    provider = s.rng.choice(
        ("post", "mailbox", "letters", "inbox", "homemail", "postbox", "mymail", "webpost")
    )
    return {
        "first_name": first, "last_name": last, "email": f"{first}.{last}@corvane.example".lower(),
        "private": f"{first}.{last}@{provider}.example".lower(),
        "digits": str(s.rng.randrange(100, 1000)),
    }  # fmt: skip


def _require_unknown(s: Scene, new: Row) -> None:
    """Require that no user has this name yet."""
    users = s.do("list_users", "whether they are here already", first_name_like=new["first_name"],
                 last_name_like=new["last_name"])  # fmt: skip
    s.require(users["total_count"], "==", 0, f"someone called {full_name(new)} is here already")


def _create_account(s: Scene, new: Row) -> ResultRef:
    """Create the account of a new person."""
    return s.do("add_new_user", "the account", first_name=new["first_name"], last_name=new["last_name"],
                email=new["email"], role="employee", active=True)  # fmt: skip


@family(
    "hr",
    produces="employee",
    perturbations=("inactive_person", "policy_forbids", "two_namesakes", "no_right"),
)
def onboard_employee(s: Scene) -> None:
    """Someone starts: an account, a profile under a manager, and a group."""
    s.pick_caller(MANAGERS)
    new, boss = _pick_newcomer(s), s.pick(LEADERS, me=my_email(s))
    team = s.pick(TEAMS)
    kind, workplace = s.rng.choice(("full-time", "part-time")), s.rng.choice(list(WORKPLACES))
    position, starts = s.rng.choice(POSITIONS), s.day(2, 24)
    second = s.pick(TEAMS + " AND group_id <> :team", team=team["group_id"]) if s.chance(0.4) else None
    more = besides(
        s,
        *for_person(full_name(new), None, tuple(each["group_id"] for each in (team, second) if each)),
        *about_group(team["name"], "members"),
    )
    s.perturb("inactive_person", DEACTIVATE_USER, user=boss["user_id"])
    s.perturb("policy_forbids", "UPDATE user SET role = 'agent' WHERE user_id = :user", user=boss["user_id"])
    add_leading_namesake(s, boss)
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.ask(
        """{new} joins us {kind}, [first day {day}|with {day} as the first day], [and nothing is set up so
        far|and I would like everything ready by then]. The account is {email}, and [the profile needs|in
        the profile stands] the position {position}, the work done {place}, the manager {boss}, the private
        address {private} and the tax digits {digits}. [They belong to|Put them into] {team}.""",
        """[We have a new colleague|The contract is back, signed]: {new}, {kind}, [first day|starting|from]
        {day}, [privately reached at|private mail] {private}, tax id ending in {digits}, [with the address
        at work|and at work] {email}. They work {place} as {position}, [their manager is|led by] {boss}, and
        [they become a member of|their place is in] {team}, [all of which should be set up|so please enter
        all of it].""",
        """{boss} [gets reinforcement|has filled the vacancy]: {new} [is coming|joins us] {kind}, [first
        day|from] {day}, position {position}, working {place}. [What the profile needs besides|What you
        still need] is {private} and the [tax digits|last digits of the tax id,] {digits}. [Create the
        account as|The account will be] {email}, and [see that they are in|add them to] {team} too.""",
        """[Before they start|Well before the first morning], {new} [has to exist|needs to be] in our system
        (first day: {day}). It is a {kind} job, {position}, {place}, under {boss}. [I was given|They gave
        me] {private} as the private address and {digits} for the tax id; {email} [is the account|will be
        the account], and {team} [the membership|the membership that goes with it].""",
        """[The interviews are over and|After three rounds] {boss} has chosen {new}, who [begins|will begin]
        {kind} as {position}, {place}; day one is {day}. [Onboard them|Please onboard them] with the account
        {email}, [privately reachable at|private address] {private}, [tax digits|tax number ending in|digits
        of the tax id:] {digits}, and membership in {team}. [No case is needed for it|A case is not
        necessary].""",
        """[Last time|With the last newcomer] the account came a week late, [so this time early|which must
        not happen again]: {new} ({email}, privately {private}) joins {kind}, [first day|from] {day}. For
        the profile: {position}, {place}, [tax digits|digits of the tax id:] {digits}, led by {boss}, with a
        membership that [is wanted|is needed] in {team}[, nowhere else|].""",
        """[The works council has agreed to|Nothing stands in the way of] {new}, {kind},
        [beginning|starting] {day}, [as|for the position] {position}, working {place}. [Their lead will
        be|They report to] {boss}, [and their group is|and they sit in] {team}. [For the rest|What else you
        need]: {email} at work, {private} at home, [and {digits} for the tax id|the tax id ending in
        {digits}].""",
        new=full_name(new),
        kind=kind,
        day=starts,
        email=new["email"],
        position=position,
        place=WORKPLACES[workplace],
        place_=f"works {WORKPLACES[workplace]}",
        boss=full_name(boss),
        private=new["private"],
        digits=new["digits"],
        team=f"{team['name']} and {second['name']}" if second else team["name"],
    )
    more.say()
    require_manager(s)
    _require_unknown(s, new)
    lead_profile = find_lead(s, boss)
    groups = [s.do("find_group_by_name", "a group they join", name=each["name"]) for each in (team, second)
              if each]  # fmt: skip
    for group in groups:
        s.require(group["active"], "==", True, "that group takes no members any more")
    more.look(group=groups[0])
    user = _create_account(s, new)
    s.do(
        "onboard_new_hr_profile", "their profile", user_id=id_text(user["user_id"]),
        personal_email=new["private"],
        national_tax_id=new["digits"], type=kind, employment_start_date=starts.iso, location_type=workplace,
        position=position, manager=id_text(lead_profile["hr_profile_id"]),
    )  # fmt: skip
    for group in groups:
        s.do("add_new_group_member", "into the group", group_id=id_text(group["group_id"]),
             user_id=id_text(user["user_id"]))  # fmt: skip
    more.write(person=user)
    s.rule(
        "The new person's profile is led by the profile of an active manager, and has no end",
        """SELECT COUNT(*) FROM hr_profile p JOIN user u USING (user_id) JOIN hr_profile b ON
        b.hr_profile_id = p.manager JOIN user m ON m.user_id = b.user_id WHERE u.email = :email AND
        m.email = :boss AND m.active AND m.role = 'manager' AND p.employment_end_date IS NULL AND u.role =
        'employee'""",
        email=new["email"], boss=boss["email"],
    )  # fmt: skip
    s.produce("employee", user, full_name(new))


@family("hr", produces="employee", perturbations=("impossible_date", "policy_forbids", "no_right"))
def onboard_contractor(s: Scene) -> None:
    """A contractor starts for a limited time: an account, a profile, and the onboarding case."""
    s.pick_caller(MANAGERS)
    new, boss = _pick_newcomer(s), s.pick(LEADERS, me=my_email(s))
    starts, ends = s.day(2, 20), s.day(60, 240)
    early = (starts.date - timedelta(9)).strftime("%-d %B %Y")
    position = s.rng.choice(POSITIONS)
    more = besides(s, *for_person(full_name(new)))
    s.perturb("policy_forbids", "UPDATE user SET role = 'agent' WHERE user_id = :user", user=boss["user_id"])
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    welcome = s.rng.choice(("Welcome, contractor", "Start of a contractor", "Contractor begins"))
    s.ask(
        """[The purchase order went through|Procurement has agreed]: {new} is with us as a contractor from
        {day} until {end}, as {position}, [and {boss} leads them|led by {boss}]. Account {email}, private
        address {private}, [tax digits|tax number ending in|digits of the tax id:] {digits}. [Set them
        up|Please set them up] and open the onboarding case "{welcome}", moderate priority, with [the usual
        word|a notification] to them.""",
        """[I want everything ready for|Let everything be ready for] {new}, who [comes|joins us] as a
        contractor, {position}, under {boss}; [first day {day}, last day {end}|the contract runs from {day}
        to {end}], work mail {email}, private mail {private}, [tax digits|tax number ending in|digits of the
        tax id:] {digits}. The case for contractors [should read|is called] "{welcome}", priority moderate,
        and [they should be notified of it|it is to be announced to them].""",
        """{boss} [finally found somebody|has found help]: {new}, on contract, [first day|starting] {day},
        last day {end}, {position}. [I was given|For the profile I have] {private} and [the tax digits|as
        the digits of the tax id] {digits}; the account [shall be|is] {email}. [Set up|Please set up]
        profile, account, and a contractor onboarding case "{welcome}" at moderate priority, [and let {new}
        know|with a message to {new}].""",
        """[The contract of {new} is signed and|The contract with {new}, now signed,] [runs|is valid] from
        {day} until {end}, so they need an account ({email}) and a profile ({position}, manager {boss},
        {private}, [tax digits|digits of the tax id:] {digits}). [After that comes|Then follows] a
        contractor onboarding case [for them|in their favour], "{welcome}", moderate, [with a message
        to|announced at] their private address.""",
        """[For the project in spring|To bridge the gap in the team] we take on {new} as a contractor,
        {position}, led by {boss}; day one is {day} and the last is {end}. [The data are|You will need]
        {email} for the account, {private} and [the tax digits|the last tax digits] {digits} for the
        profile. [The case that belongs to it|The onboarding case] is "{welcome}", moderate, [plus its
        notification|together with the notification of it].""",
        """[So that {new} can work from the first hour,|With {new} nothing may be missing on day one, so]
        create the account {email} and a contractor's profile: {position}, manager {boss}, {private}, [tax
        digits|digits of the tax id:] {digits}, [employed from|from] {day} to {end}. [Open their onboarding
        case|Their onboarding case comes next], "{welcome}", with moderate priority, and [tell them about
        it|send word of it].""",
        """[From {day} to {end}|Between {day} and {end}] {new} [helps us out|will help us out] as a
        contractor under {boss}, position {position}. [So we need|That requires] the account {email} and a
        profile with {private} and {digits} [for the tax id|as tax digits]; [after both|with both in place],
        the onboarding case for contractors, [worded|saying] "{welcome}", moderate, [and its
        notification|which they are notified of].""",
        new=full_name(new), day=starts, end=s.phrase("impossible_date", ends.words, early), position=position,
        boss=full_name(boss), email=new["email"], private=new["private"], digits=new["digits"],
        welcome=welcome,
    )  # fmt: skip
    more.say()
    s.refuse("impossible_date", f"the employment would end on {early}, before it starts {starts.on}",
             names=("end|last day|until", BEFORE))  # fmt: skip
    require_manager(s)
    _require_unknown(s, new)
    lead_profile = find_lead(s, boss)
    service, topic = find_service(s, "Contractor Onboarding")
    more.look()
    user = _create_account(s, new)
    profile = s.do(
        "onboard_new_hr_profile", "their profile", user_id=id_text(user["user_id"]),
        personal_email=new["private"],
        national_tax_id=new["digits"], type="contractor", employment_start_date=starts.iso,
        employment_end_date=ends.iso, position=position, manager=id_text(lead_profile["hr_profile_id"]),
    )  # fmt: skip
    case = s.do(
        "create_new_hr_case", "the onboarding case", status="ready",
        hr_service=text("{}", service["hr_service_id"]), opened_for=user["email"], priority="moderate",
        source="self-service", short_description=welcome, coe_type=topic["topic_category"]["coe_type"],
        assignment_group=group_for(topic["topic_category"]["coe_type"]),
    )  # fmt: skip
    notify(s, case, profile["personal_email"], "update", "ready", "a case was opened for them")
    more.write(person=user)
    s.rule(
        "A contractor's profile ends after it starts, and the onboarding case is for contractors",
        """SELECT COUNT(*) FROM hr_profile p JOIN user u USING (user_id) JOIN hr_case c ON c.opened_for =
        u.user_id JOIN hr_service h ON h.hr_service_id = c.hr_service WHERE u.email = :email AND p.type =
        'contractor' AND p.employment_end_date > p.employment_start_date AND h.service_name =
        'Contractor Onboarding'""",
        email=new["email"],
    )  # fmt: skip
    s.produce("employee", user, full_name(new))
