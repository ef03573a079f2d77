"""The data of `eops_traj.gym.company.company`: its cities, sites, departments and groups."""

from dataclasses import dataclass

CITIES = {  # state, country, time zone, telephone prefix
    "New York": ("NY", "USA", "America/New_York", "+1-212-555"),
    "London": ("England", "UK", "Europe/London", "+44-207-946"),
    "Mumbai": ("Maharashtra", "India", "Asia/Kolkata", "+91-226-555"),
    "Tokyo": ("Tokyo", "Japan", "Asia/Tokyo", "+81-335-550"),
    "Sydney": ("NSW", "Australia", "Australia/Sydney", "+61-255-501"),
}
SITES = (
    ("New York Headquarters", "New York"), ("London Office", "London"), ("Mumbai Delivery Centre", "Mumbai"),
    ("Tokyo Office", "Tokyo"), ("Sydney Office", "Sydney"), ("Hudson Depot", "New York"),
    ("London Riverside Lab", "London"), ("Mumbai Repair Centre", "Mumbai"),
)  # fmt: skip


@dataclass(frozen=True)
class Department:
    """The staffing of a department: titles of its head, its leads and the others, who take turns."""

    name: str
    size: int
    head: str
    lead: str
    titles: tuple[str, ...]
    role: str = "employee"
    head_role: str = "manager"


DEPARTMENTS = (
    Department("Executive", 3, "Chief Executive Officer", "Chief of Staff", ("Executive Assistant",)),
    Department("IT Operations", 9, "Director of IT", "Service Desk Lead",
               ("Systems Administrator", "Service Desk Analyst", "Network Engineer"), "agent", "admin"),
    Department("Customer Support", 13, "Director of Customer Support", "Support Team Lead",
               ("Support Engineer", "Support Specialist", "Senior Support Engineer"), "agent"),
    Department("Human Resources", 6, "Director of Human Resources", "HR Business Partner",
               ("HR Specialist", "Payroll Specialist"), "agent"),
    Department("Field Services", 6, "Director of Field Services", "Dispatch Lead",
               ("Field Engineer", "Repair Technician"), "agent"),
    Department("Engineering", 12, "Chief Technology Officer", "Engineering Manager",
               ("Software Engineer", "Senior Software Engineer", "Quality Engineer", "Data Engineer")),
    Department("Product", 4, "Director of Product", "Product Manager", ("Product Designer",)),
    Department("Security", 4, "Chief Information Security Officer", "Security Lead",
               ("Security Analyst",), "agent"),
    Department("Sales", 6, "Director of Sales", "Regional Sales Manager",
               ("Account Executive", "Sales Engineer")),
    Department("Marketing", 4, "Director of Marketing", "Campaign Manager", ("Content Editor",)),
    Department("Finance", 5, "Chief Financial Officer", "Financial Controller",
               ("Accountant", "Procurement Analyst")),
    Department("Legal", 2, "General Counsel", "Senior Counsel", ()),
)  # fmt: skip

GROUPS = (  # name, department, every n-th of its people, what it does
    ("Service Desk", "IT Operations", 1, "First contact for everything that does not work."),
    ("Network Operations", "IT Operations", 3, "Keeps offices and data centres connected."),
    ("Support Tier 1", "Customer Support", 1, "Takes every new request of a customer."),
    ("Support Tier 2", "Customer Support", 3, "Takes what the first tier cannot solve."),
    ("HR Operations", "Human Resources", 1, "Answers employees and keeps their records."),
    ("Payroll", "Human Resources", 2, "Pays people, and explains what they were paid."),
    ("Field Dispatch", "Field Services", 1, "Sends technicians to customers."),
    ("Platform Engineering", "Engineering", 2, "Builds and runs what the products stand on."),
    ("Release Board", "Engineering", 4, "Decides what is released, and when."),
    ("Security Response", "Security", 1, "Handles whatever threatens data or access."),
    ("Account Team", "Sales", 1, "Looks after customers with a contract."),
    ("Finance Approvals", "Finance", 1, "Signs off spending."),
)
