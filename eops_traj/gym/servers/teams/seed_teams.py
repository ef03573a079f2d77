"""Teams of the seed: their members, channels, tabs, apps, tags, files, courses and day notes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from eops_traj.gym.company.company import Company
from eops_traj.gym.servers.teams import seed_catalogue
from eops_traj.gym.servers.teams.memberships import MEMBER
from eops_traj.gym.servers.teams.seed_draws import (
    ORG,
    SITE,
    TENANT,
    ago,
    chance,
    identity,
    iso,
    random_hex,
    random_uuid,
    stamps,
    to_json,
)
from eops_traj.gym.servers.teams.team_provisioning import SETTINGS
from eops_traj.gym.tools.call import Row

_TAGS = {  # team: its tags
    "Support Tier 1": ("Late Shift", "Early Shift"),
    "Service Desk": ("On Call",),
    "Security Response": ("On Call",),
}


@dataclass
class Team:
    """A team with the rows of its people and its channels."""

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


def build_teams(
    rng: Random, corvane: Company, users: Mapping[tuple[str, str], Row], orgs: list[Row]
) -> list[Team]:
    """Return all teams with their channels: of groups, of projects, of partners."""
    teams = [
        *_group_teams(corvane, users), *_project_teams(rng, corvane, users), *_partner_teams(users, orgs)
    ]  # fmt: skip
    for team in teams:
        team.rows = list(_channels(rng, team))
    return teams


def team_tables(rng: Random, teams: list[Team], orgs: list[Row]) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield the tables of everything that belongs to teams, parents first."""
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
    yield from _tags(rng, teams)
    yield from _files(rng, teams)
    yield from _learning(rng, [user for team in teams[:9] for user in team.members])
    yield "day_notes", [_day_note(rng, team) for team in teams[:10]]


def _group_teams(corvane: Company, users: Mapping[tuple[str, str], Row]) -> Iterator[Team]:
    """Yield a team for each group of the company; people who left it are still in the list."""
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


def _project_teams(rng: Random, corvane: Company, users: Mapping[tuple[str, str], Row]) -> Iterator[Team]:
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


def _partner_teams(users: Mapping[tuple[str, str], Row], orgs: list[Row]) -> Iterator[Team]:
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
    """Yield the app catalog of an organization; partners have only apps from the store."""
    for key, name, external, method, about in seed_catalogue.APPS:
        if org == ORG or method == "store":
            yield {
                "org_id": org, "app_id": key, "display_name": name, "external_id": external,
                "distribution_method": method, "description": about, "teams_app_id": key,
                "version": f"{rng.randint(1, 4)}.{rng.randint(0, 9)}.0", "azure_ad_app_id": random_uuid(rng),
                "developer_name": "Microsoft Corporation" if "microsoft" in key else "Corvane Systems",
                "publishing_state": "rejected" if method == "sideloaded" else "published",
            } | stamps(rng)  # fmt: skip


def _team(rng: Random, team: Team, teams: list[Team]) -> Row:
    members = [_member(team, user, "owner") for user in team.owners]
    members += [_member(team, u, "guest" if u["user_type"] == "Guest" else "member") for u in team.members]
    shared = [row for other in teams for row in other.rows if row["membership_type"] == "shared"]
    incoming = shared[:1] if team.name == "Account Team" else []
    settings = {name.replace("Settings", "_settings"): to_json(value) for name, value in SETTINGS.items()}
    return {
        "org_id": team.org, "team_id": team.key, "group_id": team.group, "template_id": "standard",
        "display_name": team.name, "description": team.about, "internal_id": team.key,
        "visibility": rng.choice(("private", "private", "public")), "specialization": "none",
        "classification": rng.choice(("Internal", "Confidential", None)), "members": to_json(members),
        "incoming_channels": to_json([_incoming(row) for row in incoming]),
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
    for position, name in enumerate(("General", *team.channels)):
        kind = {"*": "private", "+": "shared"}.get(name[0], "standard")
        name = name.lstrip("*+")
        yield {
            "channel_id": random_hex(rng), "org_id": team.org, "team_id": team.key, "display_name": name,
            "description": seed_catalogue.ABOUT.get(name), "membership_type": kind, "soft_delete": 0,
            "email": None,
            "is_favorite_by_default": int(position == 0), "is_archived": int(name == "Old Builds"),
            "created_date_time": f"2025-01-02T{8 + position:02d}:00:00Z",
        }  # fmt: skip


def _channel_members(rng: Random, team: Team) -> Iterator[Row]:
    """Yield the members of private and shared channels: an owner of the team, and some of its members."""
    for row in team.rows:
        if row["membership_type"] != "standard":
            sample = rng.sample(team.members, min(3, len(team.members)))
            for role, user in [("owner", team.owners[0]), *(("member", user) for user in sample)]:
                yield {
                    "channel_id": row["channel_id"], "user_id": user["user_id"], "roles": role,
                    "display_name": user["display_name"], "email": user["mail"], "added_at": iso(ago(rng,
                    200)),
                }  # fmt: skip


def _shares(rng: Random, teams: list[Team]) -> Iterator[Row]:
    """Yield the shares of shared channels: each belongs to its own team, and one more team sees it."""
    guests = [team for team in teams if team.name in ("Account Team", "Customer Portal")]
    for team in teams:
        for row in (r for r in team.rows if r["membership_type"] == "shared"):
            other = next(guest for guest in guests if guest is not team)
            for sharer in (team, other):
                yield {
                    "shared_team_id": f"share_{random_hex(rng, 12)}", "channel_id": row["channel_id"],
                    "team_id": sharer.key, "tenant_id": TENANT, "display_name": sharer.name,
                    "is_host_team": int(sharer is team), "soft_delete": 0,
                } | stamps(rng)  # fmt: skip


def _tabs(rng: Random, team: Team) -> Iterator[Row]:
    for row in team.rows:
        for position in range(rng.choice((0, 1, 1, 2))):
            key, name, *_ = rng.choice(seed_catalogue.APPS[:9])
            address = f"https://intranet.corvane.example/{row['display_name'].lower().replace(' ', '-')}"
            configuration = {
                "entityId": random_hex(rng, 8),
                "contentUrl": address,
                "websiteUrl": address,
                "removeUrl": None,
            }
            yield {
                "org_id": team.org, "team_id": team.key, "channel_id": row["channel_id"],
                "tab_id": f"tab_{random_hex(rng, 16)}", "display_name": f"{row['display_name']} {name}",
                "web_url": f"{SITE}/entity/{key}/{row['channel_id']}", "app_id": key,
                "sort_order_index": str(10000100 + 100 * position),
                "configuration_json": to_json(configuration),
            } | stamps(rng)  # fmt: skip


def _installed(rng: Random, team: Team) -> Iterator[Row]:
    for key, name, external, method, about in rng.sample(seed_catalogue.APPS[:9], 3):
        yield {
            "org_id": team.org, "team_id": team.key, "installation_id": f"install_{random_hex(rng, 20)}",
            "teams_app_id": key, "teams_app_external_id": external, "teams_app_display_name": name,
            "teams_app_distribution_method": method, "teams_app_definition_id": random_hex(rng, 16),
            "teams_app_definition_version": "1.0.0", "azure_ad_app_id": random_uuid(rng),
            "publishing_state": "published", "short_description": about, "description": about,
            "required_resource_specific_permissions": '["TeamMember.Read.Group"]',
            "created_date_time": iso(ago(rng, 400)),
        }  # fmt: skip


def _grant(installed: Row) -> Row:
    """Return the permission that an app got with its installation."""
    key, permission = installed["installation_id"], "TeamMember.Read.Group"
    return {
        "org_id": installed["org_id"], "grant_id": f"{key}#{permission}#Application", "resource_type": "team",
        "resource_id": installed["team_id"], "client_app_id": installed["azure_ad_app_id"],
        "permission_type": "Application", "permission": permission, "installation_id": key,
        "created_date_time": installed["created_date_time"],
    }  # fmt: skip


def _tags(rng: Random, teams: list[Team]) -> Iterator[tuple[str, Iterable[Row]]]:
    tags: list[tuple[Row, list[Row]]] = []
    for team in teams:
        for name in _TAGS.get(team.name, ()):
            key = f"tag_{random_hex(rng, 16)}"
            row = {"id": key, "team_id": team.key, "display_name": name, "tag_type": "standard"}
            people = rng.sample(team.members, min(3, len(team.members)))
            tags.append((row | {"description": f"{name} of {team.name}."} | stamps(rng), people))
    yield "teamwork_tags", [row for row, _ in tags]
    yield "teamwork_tag_members", [
        {"id": random_uuid(rng), "tenantId": TENANT, "teamId": row["team_id"], "tagId": row["id"],
         "userId": user["user_id"], "displayName": user["display_name"]}
        for row, people in tags for user in people
    ]  # fmt: skip


def _files(rng: Random, teams: list[Team]) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield the folders of channels that hold files already."""
    folders = []
    for team in teams[:12]:
        key, name = f"01{random_hex(rng, 16).upper()}", team.rows[0]["display_name"]
        site = f"https://corvane.sharepoint.example/sites/{team.key}"
        creator = to_json({"user": identity(team.owners[0])})
        item: dict[str, Any] = {
            "drive_item_id": key, "name": name, "size": rng.randrange(10**4, 10**7),
            "web_url": f"{site}/{name}", "created_by_json": creator,
            "last_modified_by_json": creator, "drive_id": f"b!{random_hex(rng, 20)}",
            "drive_type": "documentLibrary", "parent_path": "/drive/root:", "parent_name": "Documents",
            "child_count": rng.randint(1, 30),
        } | stamps(rng, "created_date_time", "last_modified_date_time")  # fmt: skip
        folders.append((item, {"channel_id": team.rows[0]["channel_id"], "team_id": team.key}))
    yield (
        "drive_items",
        [item | {"channel_files_folder_id": parent["channel_id"]} for item, parent in folders],
    )
    yield "channel_files_folders", [item | parent for item, parent in folders]


def _learning(rng: Random, learners: list[Row]) -> Iterator[tuple[str, Iterable[Row]]]:
    names = ("Skillyard", "Open Lectures", "Corvane Academy", "Corvane Academy (old)")
    providers = [{"learning_provider_id": f"lp_{n}", "org_id": ORG, "display_name": name,
                  "soft_delete": int("old" in name)} for n, name in enumerate(names, 1)]  # fmt: skip
    yield "learning_providers", providers
    yield "learning_course_activities", [
        {"learning_course_activity_id": random_uuid(rng), "org_id": ORG, "learner_user_id": user["user_id"],
         "learning_provider_id": rng.choice(providers)["learning_provider_id"], "completion_percentage": 50,
         "activity_type": rng.choice(("learningAssignment", "learningSelfInitiatedCourse")),
         "status": "inProgress", "started_date_time": iso(ago(rng, 90))}
        for user in rng.sample(learners, 12)
    ]  # fmt: skip


def _day_note(rng: Random, team: Team) -> Row:
    note = {"contentType": "text", "content": "Short of staff; ask before you swap shifts."}
    day = ago(rng, 20)
    shared = to_json(note) if chance(rng, 70) else None
    return {
        "org_id": team.org, "team_id": team.key, "day_note_id": f"NOTE_{random_uuid(rng)}",
        "day_note_date": f"{day:%Y-%m-%d}",
        "draft_day_note": None if shared else to_json(note), "shared_day_note": shared,
        "created_date_time": iso(day),
    }  # fmt: skip
