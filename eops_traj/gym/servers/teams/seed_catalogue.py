"""The vocabulary of the seed: apps, teams and their channels, and what people write."""

APPS = (  # id, name, external id, where it comes from, what it does
    ("com.microsoft.teamspace.tab.planner", "Planner", None, "store",
    "Plans of tasks with owners and dates."),
    ("0d820ecd-def2-4297-adad-78056cde7c79", "OneNote", None, "store",
    "Notebooks that several people write in."),
    ("2a527703-1f6f-4559-a332-d8a7d288cd88", "SharePoint", None, "store", "Pages and lists of a site."),
    ("com.microsoft.teamspace.tab.files.sharepoint", "Document Library", None, "store",
    "A folder of a site."),
    ("com.microsoft.teamspace.tab.web", "Website", None, "store", "Any web page."),
    ("com.microsoft.teamspace.tab.wiki", "Wiki", None, "store", "Short pages, kept for old teams."),
    ("com.microsoftstream.embed.skypeteamstab", "Stream", None, "store", "Recordings."),
    ("81fef3a6-72aa-4648-a763-de824aeafb7d", "Forms", None, "store", "Questions and answers."),
    ("com.trello.tab", "Trello", None, "store", "Boards of cards."),
    ("c1a7b3d2-5e64-4b0f-9c38-2f7d1e90a4b6", "Corvane Status", "status.corvane.example", "organization",
     "Which services are up."),
    ("7be04f19-83c2-4d5a-b6e7-904a3c1d28f5", "Corvane Status Classic", "status-classic.corvane.example",
     "organization", "The board before the present one; no longer kept up."),
    ("e93d5a70-16bf-47c8-8a02-d4f6b7c1035e", "Shift Board", "shifts.corvane.example", "organization",
     "Who is on duty, and who comes next."),
    ("4f28c6ed-b915-43a7-a0d3-58e1f7296bc0", "Badge Printer", "badges.corvane.example", "sideloaded",
     "Prints badges at the front desks."),
)  # fmt: skip

TEMPLATES = {
    "standard": "Standard", "educationClass": "Class", "educationStaff": "Staff of a school",
    "educationProfessionalLearningCommunity": "Learning community", "healthcareStandard": "Ward",
    "healthcareCareCoordination": "Care coordination", "unknownFutureValue": "Not known yet",
}  # fmt: skip

TEAMS = (  # name, department whose people are in it, what it is for, state, channels
    ("Harbour Migration", "Engineering", "Moves the order service to the new data centre.", "",
     ("Planning", "Cutover", "*Vendor Talks", "Risks")),
    ("Harbor Migration Pilot", "Engineering", "Tried the move on one site; finished in spring.", "archived",
     ("Pilot Notes", "Findings")),
    ("Customer Portal Relaunch", "Product", "A new portal by the summer.", "",
     ("Design", "Research", "+Launch Partners", "*Pricing")),
    ("Customer Portal", "Customer Support", "Questions about the portal as it is.", "", ("Known Faults",
    "Wording")),
    ("Leadership Circle", "Executive", "Decisions of the executives.", "", ("*Board Papers", "Minutes")),
    ("New Joiners", "Human Resources", "First weeks of everyone who starts.", "", ("Welcome", "Buddies",
    "Paperwork")),
    ("New Joiners 2024", "Human Resources", "Those who started in 2024.", "deleted", ("Welcome",)),
    ("Quarter Close", "Finance", "Closing the books, four times a year.", "", ("Checklist",
    "*Audit Questions")),
    ("Field Kit", "Field Services", "Tools, spare parts and vans.", "", ("Spare Parts", "Vans", "Safety")),
    ("Spring Campaign", "Marketing", "Campaign for the spring.", "", ("Copy", "Images", "+Agency Desk")),
)  # fmt: skip
"""Teams beside those of the company's groups. A channel with * is private, one with + is shared."""

CHANNELS = {
    "IT Operations": ("Incidents", "Changes", "*On Call"), "Customer Support": ("Escalations", "Handover",
    "Macros"),
    "Human Resources": ("Policies", "*Cases"), "Field Services": ("Routes", "Incidents"),
    "Engineering": ("Releases", "Incidents", "*Architecture", "Old Builds"), "Security": ("Alerts",
    "*Investigations"),
    "Sales": ("Pipeline", "Renewals", "+Partner Desk"), "Finance": ("Approvals", "*Salaries"),
}  # fmt: skip
"""The channels of a group's team, by its department. The last of Engineering's is archived."""

ABOUT = {
    "Incidents": "What is broken now, and who is on it.", "Changes": "Changes of this week.",
    "Escalations": "What the first line could not solve.", "Releases": "What goes out, and when.",
    "Approvals": "Spending that waits for a signature.", "Planning": "Dates and owners.",
    "Alerts": "What the monitors saw.", "Welcome": "Say hello here.",
}  # fmt: skip

POSTS = (
    "Please look at {thing} before {day}; I would like to close it this week.",
    "{thing} is done. Thanks to {who} for the help.",
    "Heads up: {thing} moves to {day}, the vendor needs more time.",
    "Does anyone know who looks after {thing}? {who} told me it changed hands.",
    "Minutes of {day}: {thing} stays open, {who} takes it on.",
    "I have put the draft for {thing} into the Files tab. Remarks until {day}, please.",
    "{who}, could you give the new people access to {thing}?",
    "We saw {thing} fail twice since {day}. Nothing lost, but keep an eye on it.",
)
REPLIES = (
    "Will do.",
    "Done, please check.",
    "Not before next week, I am afraid.",
    "Thanks!",
    "Who approves that?",
)
THINGS = (
    "the weekly report", "the backup job", "the access review", "the printer on floor 3", "invoice run 12",
    "the release checklist", "the partner list", "the phishing exercise", "the van rota", "the portal banner",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "the end of the month")
TOPICS = (
    "Portal launch core", "Portal launch", "Quarter close questions", "Night shift", "Night shift (old)",
    "Book club", "Tokyo office move", "Audit preparation",
)  # fmt: skip
EMOJI = ("👍", "❤️", "😂", "😮", "🎉")

WEBINARS = (  # title, about, days from now, zone, audience, status
    ("Writing Alerts That Help", "How an alert should read so that somebody acts on it.", 17,
     "GMT Standard Time", "organization", "draft"),
    ("Writing Alerts That Help (repeat)", "The same once more, for the other half of the world.", 24,
     "Tokyo Standard Time", "organization", "published"),
    ("Meet the New Portal", "A walk through the portal for customers.", 40,
     "Eastern Standard Time", "everyone", "draft"),
    ("Meet the New Portal: Questions", "Answers to what customers asked.", 47,
     "Eastern Standard Time", "everyone", "canceled"),
    ("Safe on the Road", "For everyone who drives a van.", -30, "UTC", "organization", "published"),
    ("Year in Review", "What went well in 2025 and what did not.", -14, "UTC", "organization", "published"),
)  # fmt: skip
TOWNHALLS = (
    ("All Hands January", "Plans for the year and questions.", 21, "UTC", "organization", "draft"),
    ("All Hands October", "Results of the quarter.", -70, "UTC", "organization", "published"),
    ("Finance Open Hour", "Where the money goes; only for managers.", 12, "UTC", "organization", "draft"),
)
MEETINGS = (
    "Release board", "Shift handover", "Portal design review", "Budget round 2026", "Security standup",
    "Vendor call: fibre", "Harbour cutover rehearsal",
)  # fmt: skip
