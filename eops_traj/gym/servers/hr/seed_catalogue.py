"""The HR catalogue of the seed: services, templates, skills, surveys, texts of cases; and ids of its rows."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from eops_traj.gym.company.company import Company

STAMPS = {"created_at": "2023-01-02 09:00:00", "updated_at": "2023-01-02 09:00:00"}
ORG = {"org_id": 1}


@dataclass(frozen=True)
class Service:
    """A service with the requests of cases about it, and the tasks it takes, by the names of `TASKS`."""

    category: str
    topic: str
    name: str
    fulfillment: str
    asks: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    template: str | None = None
    criteria: str | None = None
    active: bool = True


@dataclass(frozen=True)
class Task:
    """A task: how it is done, and the items of its checklist or the address of its page."""

    kind: str
    items: tuple[str, ...] = ()
    url: str | None = None


GROUPS = (  # name, coe_type, every n-th of the HR department, active; beside the company's own groups
    ("Benefits Desk", "Total Rewards", 2, True),
    ("Talent Team", "Talent Management", 3, True),
    ("HR Systems", "HRIT", 3, True),
    ("Relocation Desk", "", 4, False),
)
GROUP_OF = {
    "Payroll": "Payroll",
    "Workforce Administration": "HR Operations",
    "Total Rewards": "Benefits Desk",
    "Talent Management": "Talent Team",
    "HRIT": "HR Systems",
}

SKILLS = (
    "Payroll", "Income Tax", "Benefits", "Health Plans", "Retirement Plans", "Leave Law",
    "Employment Contracts", "Immigration", "Relocation", "Onboarding", "Offboarding", "Recruiting",
    "Performance Reviews", "Learning",
    "Employee Relations", "HR Reporting", "Portal Administration", "Data Protection", "Fax Archive",
)  # fmt: skip

TEMPLATES = (  # name, coe_type, short description, category, active
    ("Portal Access Change", "HRIT", "Change access to the HR portal", "access", True),
    ("Bank Details Change", "Payroll", "Pay salary into another account", "payroll", True),
    ("Leave Request", "Total Rewards", "Time away from work", "leave", True),
    ("New Starter", "Workforce Administration", "Someone starts with us", "lifecycle", True),
    ("Leaver", "Workforce Administration", "Someone leaves us", "lifecycle", True),
    ("Course Booking", "Talent Management", "A place on a course", "learning", True),
    ("Leave Request 2023", "Total Rewards", "Time away from work, old rules", "leave", False),
)

CRITERIA = (  # name, type, group, whether it lists the people of the group too, active
    ("All of HR", "case_visibility", "HR Operations", False, True),
    ("Payroll Only", "case_visibility", "Payroll", False, True),
    ("Benefits Desk Only", "case_visibility", "Benefits Desk", True, True),
    ("Line Manager Approval", "approval", None, False, True),
    ("Finance Approval", "approval", "Finance Approvals", False, True),
    ("Talent Approval", "approval", "Talent Team", True, True),
    ("Director Approval", "approval", None, False, False),
)

CATEGORIES = {  # name: coe_type
    "Payroll": "Payroll", "Benefits": "Total Rewards", "Leave": "Total Rewards",
    "Employee Records": "Workforce Administration", "Employee Lifecycle": "Workforce Administration",
    "Workplace": "Workforce Administration", "Learning": "Talent Management",
    "Performance": "Talent Management", "Employee Relations": "Talent Management", "HR Portal": "HRIT",
    "Travel": "HRIT",
}  # fmt: skip

SHELVED = {"Travel", "Travel Portal"}
"""Categories and topics that are offered no more."""

# fmt: off
SERVICES = (
    Service("Payroll", "Salary Payment", "Direct Deposit Change", "service_activity",
            asks=("Pay my salary into a new account", "New bank account from next month"),
            tasks=("Verify bank details", "Update payroll record"), template="Bank Details Change",
            criteria="Payroll Only"),
    Service("Payroll", "Salary Payment", "Missing Salary Inquiry", "manual",
            asks=("Salary of last month did not arrive", "Only part of my salary was paid"),
            tasks=("Check payroll run",), criteria="Payroll Only"),
    Service("Payroll", "Payslips", "Payslip Correction", "manual",
            asks=("Overtime missing on payslip", "Wrong tax class on payslip"),
            tasks=("Check payroll run", "Update payroll record"), criteria="Payroll Only"),
    Service("Payroll", "Payslips", "Payslip Copy", "workflow",
            asks=("Copy of payslip for the bank", "Payslips of the last year")),
    Service("Payroll", "Bonuses", "Bonus Payout Inquiry", "manual",
            asks=("Quarterly bonus not paid", "Bonus lower than announced"), tasks=("Check payroll run",),
            criteria="Finance Approval"),
    Service("Payroll", "Tax Forms", "Tax Form Reissue", "workflow",
            asks=("Tax form of last year lost", "Tax form shows old address")),
    Service("Benefits", "Health Insurance", "Health Plan Enrollment", "advanced",
            asks=("Join the health plan", "Switch to the family plan"),
            tasks=("Collect enrollment form", "Ask for feedback"), criteria="Benefits Desk Only"),
    Service("Benefits", "Health Insurance", "Health Plan Enrollment 2024", "advanced",
            asks=("Join the health plan of 2024",), criteria="Benefits Desk Only", active=False),
    Service("Benefits", "Health Insurance", "Dependent Coverage Change", "manual",
            asks=("Cover my newborn child", "Remove former spouse"), tasks=("Collect enrollment form",),
            criteria="Benefits Desk Only"),
    Service("Benefits", "Retirement Savings", "Retirement Contribution Change", "service_activity",
            asks=("Raise my retirement contribution",), tasks=("Update payroll record",),
            criteria="Benefits Desk Only"),
    Service("Benefits", "Allowances", "Gym Allowance Claim", "manual",
            asks=("Claim gym fees of the quarter",)),
    Service("Benefits", "Allowances", "Commuter Allowance Claim", "manual",
            asks=("Train pass for the new year",)),
    Service("Leave", "Paid Leave", "Annual Leave Correction", "manual",
            asks=("Leave balance is two days short",), tasks=("Check balance",)),
    Service("Leave", "Parental Leave", "Parental Leave Request", "lifecycle event",
            asks=("Parental leave from spring", "Extend parental leave by a month"),
            tasks=("Check balance", "Confirm dates with manager"), template="Leave Request",
            criteria="Line Manager Approval"),
    Service("Leave", "Unpaid Leave", "Sabbatical Request", "lifecycle event",
            asks=("Three months of sabbatical",), tasks=("Confirm dates with manager",),
            template="Leave Request", criteria="Line Manager Approval"),
    Service("Leave", "Sick Leave", "Sick Leave Certificate", "workflow",
            asks=("Certificate for last week",)),
    Service("Employee Records", "Personal Data", "Home Address Change", "workflow",
            asks=("I have moved", "Address wrong in profile"), tasks=("Update profile",)),
    Service("Employee Records", "Personal Data", "Name Change", "manual",
            asks=("Change of name after wedding",), tasks=("Collect proof of name", "Update profile")),
    Service("Employee Records", "Letters", "Employment Verification Letter", "flow",
            asks=("Letter for landlord", "Letter for mortgage")),
    Service("Employee Records", "Letters", "Visa Support Letter", "manual",
            asks=("Letter for visa renewal",), tasks=("Draft letter",)),
    Service("Employee Lifecycle", "Onboarding", "Employee Onboarding", "lifecycle event",
            asks=("New colleague starts next month",),
            tasks=("Prepare first day", "Read the handbook", "Request portal access"),
            template="New Starter", criteria="All of HR"),
    Service("Employee Lifecycle", "Onboarding", "Contractor Onboarding", "lifecycle event",
            asks=("Contractor starts on Monday",), tasks=("Prepare first day", "Request portal access"),
            template="New Starter", criteria="All of HR"),
    Service("Employee Lifecycle", "Offboarding", "Employee Offboarding", "lifecycle event",
            asks=("Last day at the end of the month",), tasks=("Close accounts", "Ask for feedback"),
            template="Leaver", criteria="All of HR"),
    Service("Employee Lifecycle", "Offboarding", "Exit Interview", "manual",
            asks=("Conversation before leaving",), tasks=("Ask for feedback",)),
    Service("Employee Lifecycle", "Moves", "Internal Transfer", "lifecycle event",
            asks=("Move to another department",), tasks=("Confirm dates with manager", "Update profile"),
            criteria="Line Manager Approval"),
    Service("Employee Lifecycle", "Moves", "Relocation Support", "advanced",
            asks=("Move to the London office", "Move to the Tokyo office"), tasks=("Estimate cost",),
            criteria="Finance Approval"),
    Service("Workplace", "Remote Work", "Remote Work Agreement", "workflow",
            asks=("Work from home three days a week",), tasks=("Confirm dates with manager",),
            criteria="Line Manager Approval"),
    Service("Workplace", "Policies", "Policy Question", "manual",
            asks=("How much leave can I carry over?", "Is a second job allowed?")),
    Service("Learning", "Courses", "Course Enrollment", "service_activity",
            asks=("Place on the negotiation course", "Place on the data course"), tasks=("Book the place",),
            template="Course Booking", criteria="Talent Approval"),
    Service("Learning", "Courses", "Certification Refund", "manual", asks=("Refund of certificate fees",),
            criteria="Finance Approval"),
    Service("Performance", "Reviews", "Performance Review Support", "manual",
            asks=("Review form is locked", "Review shows old goals"), tasks=("Read the handbook",)),
    Service("Performance", "Recruiting", "Referral Bonus Claim", "manual", asks=("Bonus for a referral",),
            tasks=("Check payroll run",), criteria="Talent Approval"),
    Service("Employee Relations", "Concerns", "Workplace Concern", "manual",
            asks=("Conflict in the team", "Question about conduct"), tasks=("Speak with those concerned",),
            criteria="All of HR"),
    Service("HR Portal", "Portal Access", "Portal Account Unlock", "service_activity",
            asks=("Locked out of the portal",), tasks=("Request portal access",),
            template="Portal Access Change"),
    Service("HR Portal", "Portal Access", "Manager Dashboard Access", "service_activity",
            asks=("See my new team in the portal",), tasks=("Confirm dates with manager",),
            template="Portal Access Change", criteria="Line Manager Approval"),
    Service("HR Portal", "Data Quality", "Org Chart Correction", "manual",
            asks=("Wrong manager in the chart",), tasks=("Update profile",)),
    Service("Travel", "Travel Portal", "Travel Portal Access", "workflow", active=False),
)
# fmt: on

TASKS = {
    "Verify bank details": Task("checklist", (
        "Account holder is the employee", "Country of the bank is supported",
        "Confirmation from the bank is attached")),
    "Update payroll record": Task("mark when complete"),
    "Check payroll run": Task("checklist", ("Compare hours with the time sheet", "Compare gross and net")),
    "Collect enrollment form": Task("url", url="https://portal.corvane.example/forms/enrollment"),
    "Ask for feedback": Task("survey"),
    "Check balance": Task("mark when complete"),
    "Confirm dates with manager": Task("mark when complete"),
    "Update profile": Task("mark when complete"),
    "Collect proof of name": Task("url", url="https://portal.corvane.example/forms/name"),
    "Draft letter": Task("mark when complete"),
    "Prepare first day": Task("checklist", ("Badge is ordered", "Desk or home equipment is ready",
                                            "Welcome message is sent")),
    "Read the handbook": Task("url", url="https://portal.corvane.example/handbook"),
    "Request portal access": Task("hr service"),
    "Close accounts": Task("checklist", ("Badge is returned", "Laptop is returned", "Accounts are closed")),
    "Estimate cost": Task("mark when complete"),
    "Book the place": Task("url", url="https://learning.corvane.example/book"),
    "Speak with those concerned": Task("checklist", ("First conversation is held", "Outcome is noted")),
}  # fmt: skip

SURVEYS = (
    ("How content are you with our answer?", "Was it in time?", "Was it easy to reach us?",
     "What should we do better?"),
    ("How was your first week?", "Did you have what you needed?", "Who helped you most?"),
    ("Why are you leaving?", "What did you like here?", "Would you come back?", "What should we change?",
     "May we ask you again in a year?"),
    ("Is the health plan clear to you?", "Which plan did you choose?"),
    ("Was the course worth your time?", "Would you recommend it?"),
)  # fmt: skip
ANSWERS = ("Yes", "No", "Very much", "Not quite", "My manager", "More time", "Nothing to add")

ARTICLES = (  # title, state, visibility, body
    ("Changing your bank account", "published", "external",
     "Open a Direct Deposit Change and attach the confirmation of the bank."),
    ("When salaries are paid", "published", "external", "On the 25th, or the working day before it."),
    ("Reading a payslip", "published", "external", "What each line of a payslip stands for."),
    ("Reading a payslip 2022", "retired", "external", "What each line stood for before the new layout."),
    ("Choosing a health plan", "published", "external", "Single, couple and family plan side by side."),
    ("Joining the health plan mid-year", "published", "internal",
     "Only within 30 days of a wedding, a birth or a move."),
    ("Retirement contributions", "published", "external",
     "Between 3 and 12 percent; changes take effect next month."),
    ("Parental leave in five countries", "published", "internal",
     "Length and pay of parental leave at each of our sites."),
    ("Carrying leave over", "published", "external", "Five days at most, to be used by the end of March."),
    ("First day of a new colleague", "published", "internal", "Badge, desk, accounts, and who says hello."),
    ("Last day of a colleague", "published", "internal", "What to collect, and which accounts to close."),
    ("Letters we write", "published", "external", "Which letters HR writes, and how long each takes."),
    ("Approving as a stand-in", "draft", "internal", "Who approves while a manager is away."),
    ("Handling a concern", "published", "internal", "Confidentiality comes first; note facts, not opinions."),
    ("Unlocking a portal account", "published", "internal",
     "Check the identity of the caller before unlocking."),
    ("Booking a course", "draft", "external", "The budget, and who approves beyond it."),
)  # fmt: skip

RULES = (  # name, skills, country, priority, active, group
    ("Pay in the USA", ("Payroll", "Income Tax"), "US", "high", True, "Payroll"),
    ("Pay in the United Kingdom", ("Payroll",), "GB", "high", True, "Payroll"),
    ("Benefits everywhere", ("Benefits", "Health Plans"), None, "moderate", True, "Benefits Desk"),
    ("Leave in India", ("Leave Law",), "IN", "moderate", True, "Benefits Desk"),
    ("Starters and leavers", ("Onboarding", "Offboarding"), None, "critical", True, "HR Operations"),
    ("Concerns", ("Employee Relations",), None, "critical", True, "Talent Team"),
    ("Portal trouble", ("Portal Administration",), None, "low", True, "HR Systems"),
    ("Moves abroad", ("Relocation", "Immigration"), "JP", "planning", False, "Relocation Desk"),
)
ESCALATIONS = (
    ("Benefits Desk", "HR Operations"),
    ("Talent Team", "HR Operations"),
    ("HR Systems", "Service Desk"),
    ("Payroll", "Finance Approvals"),
    ("HR Operations", "Payroll"),
)


@dataclass(frozen=True)
class SeedIds:
    """The company, and the ids of rows that others refer to: positions in these, counted from 1."""

    company: Company

    @cached_property
    def groups(self) -> dict[str, tuple[int, ...]]:
        """The members of every group, by its name."""
        staff = [p.number for p in self.company.of("Human Resources")]
        own = {name: tuple(staff[1::step]) for name, _, step, _ in GROUPS}
        return {g.name: g.members for g in self.company.groups} | own

    @cached_property
    def profiles(self) -> dict[int, int]:
        """The ids of profiles, by person: all but the three who came last have one."""
        managers = {p.manager for p in self.company.people}
        by_start = sorted(self.company.people, key=lambda p: (p.hired, p.number))
        late = [p for p in by_start if p.active and p.number not in managers][-3:]
        return {p.number: n for n, p in enumerate((p for p in by_start if p not in late), 1)}

    def group(self, name: str) -> int:
        """Return the id of a group."""
        return list(self.groups).index(name) + 1

    def skills(self, names: Iterable[str]) -> str:
        """Return the ids of skills, as JSON."""
        return json.dumps([SKILLS.index(name) + 1 for name in names])

    def criteria(self, name: str | None) -> int | None:
        """Return the id of criteria."""
        return next((n for n, row in enumerate(CRITERIA, 1) if row[0] == name), None)
