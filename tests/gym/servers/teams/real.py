"""The organization in which the real results happened, as far as their answers tell of it.

Whatever a list answered was there, unless the same run had made it before. So the rows of the seed can be had
back well enough to make the real calls again.
"""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from eops_traj.gym.engine import templates

ORG, TENANT = "techcorp-001", "a1b2c3d4-e5f6-7890-abcd-ef1234567890"
ADMIN = "james.wilson"
UNLISTED = ("mike.thompson", "john.davis", "dave.brown")  # people whom calls name and no list shows
_TAB = json.dumps(dict.fromkeys(("entityId", "contentUrl", "websiteUrl", "removeUrl")))
Row = dict[str, Any]


@dataclass(frozen=True)
class Said:
    """A call and what the real server made of it: JSON where it is some."""

    tool: str
    arguments: Row
    is_error: bool
    answer: Any


def calls(run):
    """The calls of a run of a real result file."""
    for result in run["tool_results"]:
        told = result["result"]["result"]
        text = told["content"][0]["text"]
        try:
            answer = json.loads(text)
        except ValueError:
            answer = text
        yield Said(result["tool_name"], result["arguments"], told["isError"], answer)


@dataclass
class Known:
    """What answers told of, by kind and id; the first word on a thing counts."""

    things: dict[str, dict[str, Row]] = field(default_factory=lambda: defaultdict(dict))

    def hear(self, kind, key, **said):
        self.things[kind][key] = said | self.things[kind].get(key, {})

    def listen(self, runs):
        """Take in the answers of all runs, but nothing that a run made itself."""
        for run in runs:
            made = set()
            for said in run:
                if not said.is_error and isinstance(said.answer, dict):
                    if said.tool.startswith(("create_", "add_")):
                        made.add(said.answer.get("id"))
                    self._take(said, [v for v in said.answer.get("value", ()) if v["id"] not in made])

    def _take(self, said, values):
        place = {name: said.arguments[name] for name in ("teamId", "channelId") if name in said.arguments}
        for value in values:
            self.hear(said.tool, value["id"], **value, **place)
        if said.tool.startswith("add_tab"):
            self.hear("list_teams_apps", said.answer["teamsApp"]["id"], **said.answer["teamsApp"])


def template(server, runs):
    """A seed in which the real calls can be made again."""
    known = Known()
    known.listen(runs)
    return templates.from_rows(server.schema, _tables(known.things))


def _tables(things):
    here = {"org_id": ORG}
    yield "teams_orgs", [here | {"tenant_id": TENANT, "display_name": "TechCorp Solutions"}]
    yield "teams_users", [here | user for user in _users(things)]
    yield "teams_user_roles", [here | {"user_id": ADMIN, "role_id": "1", "role_name": "Global Administrator"}]
    yield "teams_templates", [{"org_id": "default", "template_id": "standard", "display_name": "Standard"}]
    yield "teams_apps", [
        here | {"app_id": key, "display_name": app["displayName"]}
        for key, app in things["list_teams_apps"].items()
    ]  # fmt: skip
    yield "teams", [here | _team(key, team, things) for key, team in things["list_teams"].items()]
    yield "channels", [
        here | {"channel_id": key, "team_id": c["teamId"], "display_name": c["displayName"],
                "description": c.get("description"), "membership_type": c["membershipType"]}
        for key, c in things["list_channels"].items()
    ]  # fmt: skip
    yield "teams_channel_tabs", [
        here | {"tab_id": key, "team_id": t["teamId"], "channel_id": t["channelId"],
                "web_url": t.get("webUrl"), "display_name": t["displayName"], "configuration_json": _TAB,
                "app_id": "com.microsoft.teamspace.tab.web"}
        for key, t in things["list_tabs_in_channel"].items()
    ]  # fmt: skip
    yield "installed_apps", [
        here | {"installation_id": key, "team_id": app["teamId"], "teams_app_id": app["teamsApp"]["id"],
                "required_resource_specific_permissions": "[]"}
        for key, app in things["list_installed_apps"].items()
    ]  # fmt: skip
    for kind in ("webinar", "townhall"):
        events = things[f"list_virtual_event_{kind}s"]
        yield f"virtual_event_{kind}s", [here | _event(key, event) for key, event in events.items()]
        yield f"virtual_event_{kind}_coorganizers", [
            here | {f"{kind}_id": key, "user_id": helper["id"]}
            for key, event in events.items() for helper in event["coOrganizers"]
        ]  # fmt: skip


def _users(things):
    found = {key: user for key, user in things["list_users"].items() if "-" not in key}
    for member in things["list_team_members"].values():
        found.setdefault(member["userId"], {"displayName": member["displayName"], "mail": member["email"]})
    for key in UNLISTED:
        found.setdefault(key, {"displayName": key.replace(".", " ").title()})
    for key, user in found.items():
        address = user.get("userPrincipalName") or user.get("mail") or f"{key}@techcorp.com"
        yield {"user_id": key, "display_name": user["displayName"], "user_principal_name": address,
               "mail": address, "employee_org_data": '{"costCenter": "", "division": ""}'}  # fmt: skip


def _team(key, team, things):
    members = [
        {name: m[name] for name in ("id", "roles", "displayName", "userId", "email")}
        for m in things["list_team_members"].values() if m["teamId"] == key
    ]  # fmt: skip
    settings = {
        f"{name}_settings": json.dumps(team.get(f"{name}Settings"))
        for name in ("member", "guest", "messaging", "fun", "discovery")
    }
    return {"team_id": key, "display_name": team["displayName"], "description": team["description"],
            "internal_id": key, "members": json.dumps(members),
            "incoming_channels": json.dumps(team.get("incomingChannels"))} | settings  # fmt: skip


def _event(key, event):
    return {"id": key, "display_name": event["displayName"], "audience": event["audience"],
            "start_date_time": event["startDateTime"]["dateTime"], "created_by_user_id": ADMIN,
            "end_date_time": event["endDateTime"]["dateTime"]}  # fmt: skip
