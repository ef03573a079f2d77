"""Scenarios in which what is found decides what is written: one notch up, some more, or the deputy."""

from eops_traj.taskgen.expressions import add, holds, mapped
from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios.csm.clocks import exchange_clocks, list_clocks, list_definitions
from eops_traj.taskgen.scenarios.csm.customers import choose_customer, find_customer, twist_customer
from eops_traj.taskgen.scenarios.csm.extras import answer_more, ask_more
from eops_traj.taskgen.scenarios.csm.lookups import (
    CASES,
    DESK,
    IN_FORCE,
    OPEN,
    STAFF,
    WORKS,
    case_condition,
    demote,
    find_caller,
    find_colleague,
    full_name,
)
from eops_traj.taskgen.scenarios.csm.naming import choose_case, find_named, twist_name
from eops_traj.taskgen.scenarios.csm.talking import log_talk, offer_talk, said
from eops_traj.taskgen.scenarios.desk_reasons import EXPIRED, INACTIVE, on_day
from eops_traj.taskgen.scene import Scene

_UP = {"low": "moderate", "moderate": "high", "high": "critical"}
_WORSE = (
    "more of their people are hit by it than we thought",
    "a second site of theirs has run into the same trouble",
    "their way around it works no longer",
    "it now happens every hour instead of once a day",
)
_LIMITS = """SELECT MIN(max_cases_per_month) FROM entitlement x WHERE x.account_id = a.account_id
    AND x.active AND x.max_cases_per_month > 0"""


@family("csm", perturbations=("no_right", "policy_forbids", "missing_entity"))
def raise_by_one(s: Scene) -> None:
    """A case goes one notch up from whatever priority it has, and its clocks with it."""
    s.pick_caller(DESK)
    case = choose_case(
        s, f"{CASES} AND c.state IN {OPEN} AND c.priority <> 'critical' AND c.sys_updated_on > '2025-10-01'"
    )
    demote(s, "customer")
    s.perturb("policy_forbids", "UPDATE customer_case SET priority = 'critical' WHERE case_id = :id",
              id=case.record["case_id"])  # fmt: skip
    twist_name(s, case)
    talk = offer_talk(s)
    s.indirect("the priority above the present one")
    s.duty("with the priority the clocks change")
    s.ask(
        """{what_up} should go up by one [notch|step|grade] from wherever it stands, because {why}. [What is
        being timed follows|Its open clocks follow], [metric by metric|each in its kind]. {talk}""",
        """[Since|Now that] {why}, [I want|we agreed to have] {what} one [step|notch] higher than it is
        [now|at present], [clocks included|and its SLAs to match]. {talk}""",
        """[I do not have the present priority of|Which priority it has I cannot see for] {what}, but it has
        to be the next [higher one|one up]: {why}. {talk} [Swap|Exchange] whatever is timed on it for [that
        priority|what that priority promises].""",
        """{talk} [The matter is|It is about] {what}. {why_up}, [which calls for|and that is worth] one more
        degree of priority than the case has, [with new clocks where old ones are open|and for new clocks in
        place of the open ones].""",
        """[Whatever|No matter which] priority {what} has, it is one too low: {why}. [Raise it by one|Lift it
        by a single step], [not by two|no more than that], and let [the response and solution times|what we
        owe in time] [go along|keep up]. {talk}""",
        """[A single step up the scale|One notch up], that is what {what} needs, [for|as] {why}. [Old clocks
        that are open stop, new ones of the same kind start|Stop its open clocks and start the same ones anew]
        for the higher priority. {talk}""",
        what=case.words, what_up=case.words[0].upper() + case.words[1:], why=(why := s.rng.choice(_WORSE)),
        why_up=why[0].upper() + why[1:], talk=said(talk),
    )  # fmt: skip
    extra = ask_more(s, "cases", "talks", "clocks")
    me = find_caller(s, *STAFF)
    found = find_named(s, case, "new", "in_progress", "pending")
    s.require(found["priority"], "!=", "critical", "it is critical already, which is the highest priority",
              names=("critical|highest|top|maximum",))  # fmt: skip
    definitions, clocks = list_definitions(s), list_clocks(s, found)
    answer_more(s, extra, found)
    higher = mapped(found["priority"], _UP)
    s.do("update_case", "one notch higher", case_id=found["case_id"], priority=higher)
    exchange_clocks(s, found, clocks, definitions, higher)
    log_talk(s, talk, found, me)
    s.rule(
        "The case is one notch higher than it was, and nothing runs on it for another priority",
        f"""SELECT c.priority || ' ' || COUNT(t.case_sla_id) FROM customer_case c LEFT JOIN case_sla t
        ON t.case_id = c.case_id AND t.stage IN ('in_progress', 'paused') AND t.sla_def_id IN
            (SELECT sla_def_id FROM sla_definition d WHERE d.applies_to_priority <> c.priority)
        WHERE {case_condition(case.record)}""",
        expected=f"{_UP[found['priority'].value]} 0",
    )  # fmt: skip


@family("csm", perturbations=("no_right", "policy_forbids", "missing_entity"))
def loosen_limit(s: Scene) -> None:
    """The tightest monthly limit of a customer goes up by some cases, if its contract holds."""
    s.pick_caller(
        "SELECT * FROM user WHERE active AND role IN ('manager', 'admin') AND email LIKE '%@corvane.example'"
    )
    fit = s.pick(
        f"""SELECT a.*, e.entitlement_id, e.max_cases_per_month AS most, k.contract_id FROM account a
        JOIN entitlement e USING (account_id) JOIN contract k USING (contract_id)
        WHERE a.active AND {IN_FORCE} AND e.active AND e.max_cases_per_month = ({_LIMITS})
        AND (SELECT COUNT(*) FROM entitlement o WHERE o.account_id = a.account_id AND o.active
            AND o.max_cases_per_month = e.max_cases_per_month) = 1
        AND (SELECT COUNT(*) FROM entitlement o WHERE o.account_id = a.account_id AND o.active) >= 2"""
    )
    more = s.rng.choice([3, 4, 6, 7, 8, 12])
    customer = choose_customer(s, fit)
    demote(s, "agent")
    s.perturb("policy_forbids", "UPDATE contract SET end_date = '2025-12-30' WHERE contract_id = :id",
              id=fit["contract_id"])  # fmt: skip
    twist_customer(s, customer)
    s.indirect("the tightest limit of an account, and what it becomes")
    s.ask(
        """[Among|Of] the active entitlements of {account}, the one with the [lowest|smallest] limit of cases
        a month [is too tight|hurts them]. [Give it|Allow] {more} more than it [has|allows now], [provided
        that|as long as] its contract [holds|is good]; those without any limit [do not count|are left
        aside].""",
        """[Our year-end talk|The year-end talk] with {account} had one result: their scarcest monthly
        allowance [grows|goes up] by {more} cases. [Unlimited ones|Those without a limit] do not count, only
        active entitlements [do|matter], and the contract [behind it|it comes from] must [not have run
        out|still be running].""",
        """{account} [keeps hitting|hits again and again] the tightest of its limits. [Find|Look up] which of
        their active entitlements allows the fewest cases a month, unlimited ones aside, and [raise that|let
        that one rise] by {more}, [subject to|after checking] the contract.""",
        """[Plus {more}|{more_up} more cases a month]: that is what {account} gets on the one of its active
        entitlements [that|which] is most limited now. [The others stay|No other changes], and without a
        contract that holds [nothing is to be done|there is no such gift].""",
        """[Sales promised|Our sales people promised] {account} {more} additional cases a month [where it
        pinches most|where they have the fewest]. [I take that to be|That is] the active entitlement with the
        lowest limit above zero, [if|given that] the contract [for it|it hangs on] is in force.""",
        """[As a gesture|As a sign of goodwill] to {account}, {more} cases a month are added to one
        entitlement, namely to the active one with the least of them, [zero meaning none at all to count|where
        zero, being no limit, is not the least]. [The usual check of|Do check] the contract [comes
        first|beforehand].""",
        account=customer.words, more=more, more_up=more,
    )  # fmt: skip
    extra = ask_more(s, "contracts")
    find_caller(s, "manager", "admin")
    owner = find_customer(s, customer)
    rights = s.do("find_entitlements", "what they may use", account_id=owner["account_id"], active=1)
    tightest = rights.every(("max_cases_per_month", ">", 0)).smallest("max_cases_per_month")
    contract = s.do("find_contracts", "whether its contract holds", contract_id=tightest["contract_id"])[0]
    s.require(contract["status"], "==", "active", "the contract behind it is not active")
    s.require(contract["end_date"], ">=", "2026-01-05", "the contract behind it has run out",
              names=("contract", f"{EXPIRED}|{on_day('2025-12-30')}"))  # fmt: skip
    answer_more(s, extra, owner)
    s.do("update_entitlement", f"{more} cases a month more", entitlement_id=tightest["entitlement_id"],
         max_cases_per_month=add(tightest["max_cases_per_month"], more))  # fmt: skip
    s.rule(
        "The limit was raised by what was told",
        "SELECT max_cases_per_month FROM entitlement WHERE entitlement_id = :id",
        expected=tightest["max_cases_per_month"].value + more, id=fit["entitlement_id"],
    )  # fmt: skip


@family("csm", perturbations=("no_right", "policy_forbids", "inactive_person"))
def assign_or_deputy(s: Scene) -> None:
    """A case goes to somebody if they are in its group, else to a deputy who is."""
    s.pick_caller(DESK)
    case = choose_case(s, f"""{CASES} AND c.state = 'in_progress' AND EXISTS (SELECT 1 FROM user_group g
        WHERE g.group_id = c.assignment_group_id AND g.active)""")  # fmt: skip
    group = s.pick("SELECT * FROM user_group WHERE group_id = :id", id=case.record["assignment_group_id"])
    member = f"""SELECT u.* FROM user u JOIN user_group_member m USING (user_id) WHERE m.group_id = :group
        AND {WORKS} AND u.email <> :me AND u.user_id IS NOT :now AND u.user_id <> :other"""
    values = {"group": group["group_id"], "me": s.caller["email"], "now": case.record["assigned_to"]}
    two = s.pick(member, other=0, **values)
    outside = f"""SELECT u.* FROM user u WHERE {WORKS} AND u.email <> :me AND u.user_id IS NOT :now
        AND u.user_id <> :other AND u.user_id NOT IN
            (SELECT user_id FROM user_group_member WHERE group_id = :group)"""
    inside = not s.chance(0.5)
    one = s.pick(member if inside else outside, other=two["user_id"], **values)
    demote(s, "customer")
    s.perturb("policy_forbids", "UPDATE user_group SET active = 0 WHERE group_id = :id", id=group["group_id"])
    s.perturb("inactive_person", "UPDATE user SET active = 0 WHERE user_id = :id",
              id=(one if inside else two)["user_id"])  # fmt: skip
    s.branches("whether somebody is a member of a group")
    s.ask(
        """[From now on|As of today] {what} is for {one} to work on, as long as {one} is a member of {group},
        the group that has it. [If not|Otherwise], {two} [takes it|does it], who [certainly is|is a member for
        sure]; [the group stays|nothing but the person changes].""",
        """[My first choice for|For] {what} [is|I think of] {one}. [Should {one} not belong|In case {one} does
        not belong] to {group}, where the case is, [give it to|it goes to] {two} of that group, and [leave
        state and group as they are|change only who works on it].""",
        """{one} [offered|has offered] to take {what}, only I am not sure that {one} is in {group}. [Look it
        up|Find out]: [a member may have it|as a member, {one} gets it], and failing that it is {two}, [who is
        in there|whom we know to be in].""",
        """[Who gets|The question of who gets] {what} depends on {group}: {one}, if among its members, else
        {two}, who [is one|belongs to it]. [Make the assignment|Assign it] [accordingly|by that], [everything
        else about the case is right|with no other change].""",
        """[Whether|If] {one} may work on cases of {group} [has to be seen|is what you have to see]: with a
        membership {what} goes to {one}, without one it goes to {two} from that group. [The work goes on
        meanwhile|Its state does not change].""",
        """{two} is the deputy for {what}, {one} the one who should [do|have] it. [The deputy comes in|We need
        the deputy] only if {one} is not in {group}, [which answers for the case|the group of the case].
        [Set|Enter] the right one of them.""",
        what=case.words, one=full_name(one), two=full_name(two), group=group["name"],
    )  # fmt: skip
    extra = ask_more(s, "cases", "clocks")
    find_caller(s, *STAFF)
    found = find_named(s, case, "in_progress")
    target = s.do("find_user_group", "the group of the case", name=group["name"])
    s.require(found["assignment_group_id"], "==", target["group_id"], "the case belongs to another group")
    s.require(target["active"], "==", 1, f"{group['name']} is inactive and takes no work",
              names=(group["name"], INACTIVE))  # fmt: skip
    first, second = find_colleague(s, one, "the first choice"), find_colleague(s, two, "the deputy")
    belongs = s.do("check_user_membership", "whether the first choice is in the group",
                   user_id=first["user_id"], group_id=target["group_id"])  # fmt: skip
    deputy = s.do("check_user_membership", "whether the deputy is", user_id=second["user_id"],
                  group_id=target["group_id"])  # fmt: skip
    s.require(deputy["exists"], "==", True, f"{full_name(two)} is not a member of the group")
    answer_more(s, extra, found)
    for who, there, name in ((first, True, full_name(one)), (second, False, full_name(two))):
        s.do_when(holds(belongs["exists"], "==", there), "assign_case_to_user", f"it goes to {name}",
                  case_id=found["case_id"], assigned_to_user_id=who["user_id"])  # fmt: skip
    s.rule(
        "Who works on the case is a member of its group",
        f"""SELECT COUNT(*) FROM customer_case c JOIN user_group_member m
        ON m.user_id = c.assigned_to AND m.group_id = c.assignment_group_id
        WHERE {case_condition(case.record)} AND c.assigned_to IN (:one, :two)""",
        one=one["user_id"], two=two["user_id"],
    )  # fmt: skip
