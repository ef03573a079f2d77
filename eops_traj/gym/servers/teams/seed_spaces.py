"""Teams in the seed: teams, their members, channels, tabs, apps, tags, files and courses."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random

from eops_traj.gym.company.company import Company
from eops_traj.gym.servers.teams import seed_catalogue
from eops_traj.gym.servers.teams.memberships import MEMBER
from eops_traj.gym.servers.teams.seed_draws import ORG, SITE, TENANT, ago, hexed, iso, stamps, text, uuid
from eops_traj.gym.servers.teams.team_provisioning import SETTINGS
from eops_traj.gym.tools.call import Row


@dataclass
class Team:
    """A team as it is being put together."""

    key: str
    name: str
    department: str
    about: str
    group: str | None
    owners: list[Row]
    members: list[Row]
    channels: tuple[str, ...]
    state: str = ""
    org: str = ORG
    rows: list[Row] = field(default_factory=list)
    """Its channels."""


def teams_of(
    rng: Random, corvane: Company, users: Mapping[tuple[str, str], Row], orgs: list[Row]
) -> list[Team]:
    """Every team with its channels: of groups, of projects, of partners."""
    teams = [*_of_groups(corvane, users), *_projects(rng, corvane, users), *_partners(users, orgs)]
    for team in teams:
        team.rows = list(_channels(rng, team))
    return teams


def spaces(rng: Random, teams: list[Team], orgs: list[Row]) -> Iterator[tuple[str, Iterable[Row]]]:
    """Everything that belongs to teams, parents first."""
    yield "teams_templates", [_template(key, name) for key, name in seed_catalogue.TEMPLATES.items()]
    yield "teams_apps", [row for org in orgs for row in _apps(rng, org["org_id"])]
    yield "teamwork", [{"org_id": org["org_id"], "region": "Americas"} for org in orgs]
    yield "teams", [_team(rng, team, teams) for team in teams]
    yield "channels", [row for team in teams for row in team.rows]
    yield "channel_members", [row for team in teams for row in _channel_members(rng, team)]
    yield "shared_with_channel_teams", list(_shares(rng, teams))
    yield "teams_channel_tabs", [row for team in teams for row in _tabs(rng, team)]
    installed = [row for team in teams if not team.state for row in _installed(rng, team)]
    yield "installed_apps", installed
    yield "resource_specific_permission_grants", [_grant(row) for row in installed]


def _of_groups(corvane: Company, users: Mapping[tuple[str, str], Row]) -> Iterator[Team]:
    """A team for each group of the company; who left it is still in the list."""
    for number, group in enumerate(corvane.groups, 1):
        people = [users[ORG, corvane.person(n).user_name] for n in group.members]
        owner = users[ORG, corvane.person(group.manager).user_name]
        members = [user for user in people if user is not owner]
        slug = group.name.lower().replace(" ", "_")
        yield Team(
            f"team_corvane_{number:03d}", group.name, group.department, group.description,
            f"group_corvane_{slug}",
            [owner], members, seed_catalogue.CHANNELS.get(group.department, ()),
        )  # fmt: skip


def _projects(rng: Random, corvane: Company, users: Mapping[tuple[str, str], Row]) -> Iterator[Team]:
    guests = [u for u in users.values() if u["user_type"] == "Guest"]
    for number, (name, department, about, state, channels) in enumerate(seed_catalogue.TEAMS, 101):
        staff = [users[ORG, p.user_name] for p in corvane.of(department)]
        others = [users[ORG, p.user_name] for p in corvane.people if p.department != department and p.active]
        members = (
            staff[2:] + rng.sample(others, 3) + (rng.sample(guests, 1) if "+" in "".join(channels) else [])
        )
        yield Team(
            f"team_corvane_{number:03d}", name, department, about, None, staff[:2], members, channels, state
        )


def _partners(users: Mapping[tuple[str, str], Row], orgs: list[Row]) -> Iterator[Team]:
    for org in orgs[1:]:
        people = [u for (at, _), u in users.items() if at == org["org_id"]]
        yield Team(
            f"team_{org['org_id'].replace('-', '_')}", f"{org['display_name']} Team", "", "Everyone.", None,
            people[:1], people[1:], ("Projects",), org=org["org_id"],
        )  # fmt: skip


def _template(key: str, name: str) -> Row:
    return {
        "org_id": "default", "template_id": key, "display_name": name, "short_description": name,
        "description": f"{name}, as the service brings it.", "visibility": "private", "channel_count": 1,
        "app_count": 0, "categories": '["General"]', "is_system_template": 1,
    }  # fmt: skip


def _apps(rng: Random, org: str) -> Iterator[Row]:
    """The catalog of an organization; partners have only what the store brings."""
    for key, name, external, method, about in seed_catalogue.APPS:
        if org == ORG or method == "store":
            yield {
                "org_id": org, "app_id": key, "display_name": name, "external_id": external,
                "distribution_method": method, "description": about, "teams_app_id": key,
                "version": f"{rng.randint(1, 4)}.{rng.randint(0, 9)}.0", "azure_ad_app_id": uuid(rng),
                "developer_name": "Microsoft Corporation" if "microsoft" in key else "Corvane Systems",
                "publishing_state": "rejected" if method == "sideloaded" else "published",
            } | stamps(rng)  # fmt: skip


def _team(rng: Random, team: Team, teams: list[Team]) -> Row:
    members = [_member(team, user, "owner") for user in team.owners]
    members += [_member(team, u, "guest" if u["user_type"] == "Guest" else "member") for u in team.members]
    shared = [row for other in teams for row in other.rows if row["membership_type"] == "shared"]
    incoming = shared[:1] if team.name == "Account Team" else []
    settings = {name.replace("Settings", "_settings"): text(value) for name, value in SETTINGS.items()}
    return {
        "org_id": team.org, "team_id": team.key, "group_id": team.group, "template_id": "standard",
        "display_name": team.name, "description": team.about, "internal_id": team.key,
        "visibility": rng.choice(("private", "private", "public")), "specialization": "none",
        "classification": rng.choice(("Internal", "Confidential", None)), "members": text(members),
        "incoming_channels": text([_incoming(row) for row in incoming]),
        "is_archived": int(team.state == "archived"), "web_url": f"{SITE}/team/{team.key}",
        "soft_delete": int(team.state == "deleted"),
    } | settings | stamps(rng, "created_date_time", "updated_date_time")  # fmt: skip


def _member(team: Team, user: Row, role: str) -> Row:
    return {
        "@odata.type": MEMBER, "id": f"membership_{team.key.removeprefix('team_')}_{user['user_id']}",
        "roles": [role], "displayName": user["display_name"], "userId": user["user_id"],
        "email": user["mail"],
        "tenantId": TENANT if team.org == ORG else None, "visibleHistoryStartDateTime": None,
    }  # fmt: skip


def _incoming(row: Row) -> Row:
    return {
        "id": row["channel_id"], "displayName": row["display_name"], "description": row["description"],
        "membershipType": "shared", "tenantId": TENANT,
    }  # fmt: skip


def _channels(rng: Random, team: Team) -> Iterator[Row]:
    for place, name in enumerate(("General", *team.channels)):
        kind = {"*": "private", "+": "shared"}.get(name[0], "standard")
        name = name.lstrip("*+")
        yield {
            "channel_id": hexed(rng), "org_id": team.org, "team_id": team.key, "display_name": name,
            "description": seed_catalogue.ABOUT.get(name), "membership_type": kind, "soft_delete": 0,
            "email": None,
            "is_favorite_by_default": int(place == 0), "is_archived": int(name == "Old Builds"),
            "created_date_time": f"2025-01-02T{8 + place:02d}:00:00Z",
        }  # fmt: skip


def _channel_members(rng: Random, team: Team) -> Iterator[Row]:
    """Who is in the private and shared channels: an owner of the team, and some of its members."""
    for row in team.rows:
        if row["membership_type"] != "standard":
            some = rng.sample(team.members, min(3, len(team.members)))
            for role, user in [("owner", team.owners[0]), *(("member", user) for user in some)]:
                yield {
                    "channel_id": row["channel_id"], "user_id": user["user_id"], "roles": role,
                    "display_name": user["display_name"], "email": user["mail"], "added_at": iso(ago(rng,
                    200)),
                }  # fmt: skip


def _shares(rng: Random, teams: list[Team]) -> Iterator[Row]:
    """Shared channels: each belongs to its own team, and one more team sees it."""
    guests = [team for team in teams if team.name in ("Account Team", "Customer Portal")]
    for team in teams:
        for row in (r for r in team.rows if r["membership_type"] == "shared"):
            other = next(guest for guest in guests if guest is not team)
            for sharer in (team, other):
                yield {
                    "shared_team_id": f"share_{hexed(rng, 12)}", "channel_id": row["channel_id"],
                    "team_id": sharer.key, "tenant_id": TENANT, "display_name": sharer.name,
                    "is_host_team": int(sharer is team), "soft_delete": 0,
                } | stamps(rng)  # fmt: skip


def _tabs(rng: Random, team: Team) -> Iterator[Row]:
    for row in team.rows:
        for place in range(rng.choice((0, 1, 1, 2))):
            key, name, *_ = rng.choice(seed_catalogue.APPS[:9])
            address = f"https://intranet.corvane.example/{row['display_name'].lower().replace(' ', '-')}"
            setup = {
                "entityId": hexed(rng, 8),
                "contentUrl": address,
                "websiteUrl": address,
                "removeUrl": None,
            }
            yield {
                "org_id": team.org, "team_id": team.key, "channel_id": row["channel_id"],
                "tab_id": f"tab_{hexed(rng, 16)}", "display_name": f"{row['display_name']} {name}",
                "web_url": f"{SITE}/entity/{key}/{row['channel_id']}", "app_id": key,
                "sort_order_index": str(10000100 + 100 * place), "configuration_json": text(setup),
            } | stamps(rng)  # fmt: skip


def _installed(rng: Random, team: Team) -> Iterator[Row]:
    for key, name, external, method, about in rng.sample(seed_catalogue.APPS[:9], 3):
        yield {
            "org_id": team.org, "team_id": team.key, "installation_id": f"install_{hexed(rng, 20)}",
            "teams_app_id": key, "teams_app_external_id": external, "teams_app_display_name": name,
            "teams_app_distribution_method": method, "teams_app_definition_id": hexed(rng, 16),
            "teams_app_definition_version": "1.0.0", "azure_ad_app_id": uuid(rng),
            "publishing_state": "published", "short_description": about, "description": about,
            "required_resource_specific_permissions": '["TeamMember.Read.Group"]',
            "created_date_time": iso(ago(rng, 400)),
        }  # fmt: skip


def _grant(installed: Row) -> Row:
    """The permission that an app got with its installation."""
    key, permission = installed["installation_id"], "TeamMember.Read.Group"
    return {
        "org_id": installed["org_id"], "grant_id": f"{key}#{permission}#Application", "resource_type": "team",
        "resource_id": installed["team_id"], "client_app_id": installed["azure_ad_app_id"],
        "permission_type": "Application", "permission": permission, "installation_id": key,
        "created_date_time": installed["created_date_time"],
    }  # fmt: skip
