"""The titles of the seeded files and the texts of comments on them.

A title ends in the kind of its file: ``~d`` a document, ``~s`` a spreadsheet, ``~p`` slides; or an extension.
"""

from typing import Final

FOLDERS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "Executive": {
        "Board Papers": ("Board Pack November 2025.pdf", "Board Pack August 2025.pdf", "Board Minutes~d"),
        "Planning": ("Three Year Plan~p", "Company Objectives 2026~d", "Company Objectives 2025~d"),
    },
    "IT Operations": {
        "Runbooks": ("Mail Gateway Runbook~d", "VPN Runbook~d", "Laptop Imaging Runbook~d"),
        "Inventory": ("Hardware Register~s", "Software Licences~s", "Network Diagram London.png"),
        "Change Records": (
            "Core Switch Replacement Plan~d",
            "Patch Calendar 2026~s",
            "Change Report Q4.docx",
        ),
    },
    "Customer Support": {
        "Playbooks": ("Escalation Playbook~d", "Escalation Playbook (old)~d", "Tone of Voice~d"),
        "Reports": ("Weekly Volumes~s", "Satisfaction Survey 2025~s", "Satisfaction Survey 2024~s"),
        "Customer Files": ("Onboarding Checklist~d", "Known Problems~d", "Tier 2 Rota~s"),
    },
    "Human Resources": {
        "Handbook": ("Employee Handbook~d", "Leave Rules~d", "Travel Rules~d"),
        "Recruiting": ("Interview Guide~d", "Open Positions~s", "Offer Letter Template.docx"),
        "Confidential": ("Salary Bands 2026~s", "Salary Bands 2025~s", "Grievance Log~s"),
    },
    "Field Services": {
        "Dispatch": ("Technician Schedule~s", "Route Plan Mumbai~s", "Van Stock List~s"),
        "Manuals": ("Relay R2 Service Manual.pdf", "Relay R3 Service Manual.pdf", "Safety Briefing~p"),
    },
    "Engineering": {
        "Design": ("Storage Layer Design~d", "Storage Layer Design v2~d", "Queue Redesign~d"),
        "Releases": ("Release Notes 4.2~d", "Release Notes 4.3~d", "Release Checklist~s"),
        "Postmortems": ("Postmortem 2025-06 Login Outage~d", "Postmortem 2025-10 Slow Search~d"),
        "Archive": ("Prototype Benchmarks.xlsx", "Storage Layer Design~d"),
    },
    "Product": {
        "Roadmap": ("Roadmap 2026~p", "Roadmap 2025~p", "Feature Requests~s"),
        "Research": ("Interview Notes Autumn~d", "Usability Study.mp4"),
    },
    "Security": {
        "Audits": ("Access Review Q4~s", "Access Review Q3~s", "Penetration Test Report.pdf"),
        "Rules": ("Information Security Rules~d", "Incident Response Plan~d", "Key Register~s"),
    },
    "Sales": {
        "Pipeline": ("Forecast Q4~s", "Forecast Q1~s", "Forecast Q4 (draft)~s"),
        "Proposals": ("Proposal Tidewater~d", "Proposal Northwind Mills~d", "Price List 2026.xlsx"),
        "Contracts": ("Contract Tidewater.pdf", "Contract Northwind Mills.pdf", "Contract Template.docx"),
    },
    "Marketing": {
        "Campaigns": ("Spring Campaign Brief~d", "Autumn Campaign Results~s", "Trade Fair Stand.png"),
        "Brand": ("Brand Guide~p", "Logo Wide.png", "Logo Square.png"),
    },
    "Finance": {
        "Budget": ("Budget 2026~s", "Budget 2025~s", "Budget 2026 (draft)~s"),
        "Closing": ("Closing Checklist~s", "Year End Report 2024.pdf", "Expense Rules~d"),
        "Invoices": ("Invoice 20417.pdf", "Invoice 20471.pdf", "Invoice 20741.pdf"),
    },
    "Legal": {
        "Agreements": ("Nondisclosure Template.docx", "Supplier Terms~d", "Lease London.pdf"),
        "Cases": ("Trademark Filing~d", "Data Request Log~s"),
    },
}

PROJECTS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "Project Meridian": {
        "Working Papers": (
            "Meridian Kickoff~p",
            "Meridian Budget~s",
            "Meridian Risks~s",
            "Meridian Contacts~s",
        ),
        "Deliverables": ("Meridian Report.pdf", "Meridian Report~d", "Meridian Timeline~s"),
    },
    "Project Meridian Archive": {
        "2024": ("Meridian Kickoff~p", "Meridian Budget~s", "Feasibility Study.pdf")
    },
    "Company Policies": {
        "Current": ("Code of Conduct~d", "Remote Work Policy~d", "Purchasing Policy~d", "Retention Policy~d"),
        "Superseded": ("Remote Work Policy~d", "Purchasing Policy 2023~d"),
    },
}

PERSONAL: Final = (
    "Notes~d", "To Do~d", "One to One Notes~d", "Goals 2026~d", "Travel Costs~s", "Team Offsite~p",
    "Reading List~d",
    "Draft Proposal~d", "Training Certificate.pdf", "Desk Photo.png", "Project Ideas~d", "Handover~d",
    "Interview Questions~d", "Vacation Plan~s", "Meeting Summary~d",
)  # fmt: skip

COMMENTS: Final = (
    "Is this figure still right after the October correction?",
    "Please name the owner of this step.",
    "The second table does not add up to the total.",
    "Can we drop this paragraph? It repeats the introduction.",
    "Legal has to see this before it goes out.",
    "The link leads to the old folder.",
    "Which site does this apply to?",
    "I would move this to the appendix.",
    "The date here is before the start of the project.",
    "Good summary, but who signed it off?",
    "This names a person who has left.",
    "Please add the source of this number.",
)

REPLIES: Final = (
    "Corrected, please look again.",
    "I have asked Finance and will update it this week.",
    "Agreed, taken out.",
    "It applies to London and Mumbai only.",
    "Let us keep it until the review.",
    "Done.",
    "I cannot open the sheet this refers to.",
)

REQUESTS: Final = (
    "I take over this topic next month and need to read it.",
    "Could I get edit rights? I have corrections to enter.",
    "We need the current version for our joint project.",
    "My manager asked me to comment on this by Friday.",
)

LABELS: Final = (  # key, name, type, options, whether a value is needed
    ("classification", "Classification", "enum", ("public", "internal", "confidential", "restricted"), True),
    ("retention_years", "Retention in Years", "number", None, False),
    ("review_due", "Review Due", "date", None, False),
    ("approved", "Approved", "boolean", None, False),
    ("reference", "Reference", "string", None, False),
    ("region", "Region", "enum", ("americas", "emea", "apac"), False),
)

APPS: Final = (  # name, kind, extensions, further extensions
    ("Documents", "document", ("gdoc",), ("docx", "odt", "rtf", "txt")),
    ("Spreadsheets", "spreadsheet", ("gsheet",), ("xlsx", "ods", "csv")),
    ("Slides", "presentation", ("gslides",), ("pptx", "odp")),
    ("Paperclip PDF", "viewer", ("pdf",), ("docx",)),
    ("Framewright", "viewer", ("png", "jpg"), ("gif", "mp4")),
    ("Inkstone Diagrams", "editor", ("vsdx",), ("png", "svg")),
)
