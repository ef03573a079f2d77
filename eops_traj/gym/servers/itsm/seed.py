"""The company that the ITSM server starts with: about 900 rows, the same for the same seed number.

Corvane is ORG_001; five organizations that it looks after come behind it, one of them no longer active. What
makes look-ups hard is there on purpose: namesakes, sites and services that differ in a word, SLAs of one name
with two organizations, people who have left but still have work, priorities that were set by hand.
"""

from collections.abc import Iterable, Iterator
from random import Random

from eops_traj.gym.company.company import company
from eops_traj.gym.engine.templates import Row
from eops_traj.gym.servers.itsm import seed_assets, seed_links, seed_people, seed_work


def seed(rng: Random) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield tables by name with their rows. Pure: the same ``rng``, the same rows."""
    staff = seed_people.staff(rng, company(rng))
    yield from (("organization", staff.organizations), *seed_people.roles(), ("location", staff.locations))
    yield from (("users", staff.users), ("user_role", seed_people.user_roles(staff.users)))
    yield from (("user_group", staff.groups), ("user_group_member", staff.members))
    services = seed_assets.services(rng, staff)
    offerings = seed_assets.offerings(services)
    devices = seed_assets.devices(rng, staff)
    definitions = seed_assets.sla_definitions(staff)
    yield from (("service", services), ("service_offering", offerings), ("configuration_item", devices))
    yield "sla_definition", definitions
    yield "incident_template", seed_assets.templates(services, offerings, staff.users[4])
    articles = seed_assets.articles(rng, staff)
    problems = seed_work.problems(rng, staff, services, offerings)
    changes = seed_work.changes(rng, staff, services)
    tables = seed_work.SeedTables(staff, services, offerings, devices, problems, changes)
    incidents = seed_work.incidents(rng, tables)
    yield "problem", seed_links.problems_with_origin(problems, incidents)
    yield from (("change", changes), ("incident", incidents))
    yield from (("knowledge", articles), ("incident_sla", seed_links.slas(rng, incidents, definitions)))
    yield "incident_affected_cis", seed_links.affected_devices(incidents)
    yield "incident_knowledge", seed_links.knowledge_links(rng, incidents, articles)
    yield "notification", seed_links.notifications(rng, incidents, staff)
    yield "child_incident", seed_links.child_incidents(incidents)
    yield "change_request_mapping", seed_links.change_mappings(problems, changes, incidents)
