"""The organization in which the real results happened, as far as the results show it.

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
UNLISTED = ("mike.thompson", "john.davis", "dave.brown")  # people whom calls name and no list has
_TAB = json.dumps(dict.fromkeys(("entityId", "contentUrl", "websiteUrl", "removeUrl")))
Row = dict[str, Any]


@dataclass(frozen=True)
class RecordedCall:
    """A call and the real server's answer, parsed where it is JSON."""

    tool: str
    arguments: Row
    is_error: bool
    answer: Any


def calls(run):
    """Yield the calls of a run of a real result file."""
    for result in run["tool_results"]:
        reply = result["result"]["result"]
        text = reply["content"][0]["text"]
        try:
            answer = json.loads(text)
        except ValueError:
            answer = text
        yield RecordedCall(result["tool_name"], result["arguments"], reply["isError"], answer)


@dataclass
class KnownRows:
    """The objects of answers, by kind and id; the first value of a property counts."""

    things: dict[str, dict[str, Row]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, kind, key, **properties):
        self.things[kind][key] = properties | self.things[kind].get(key, {})

    def read(self, runs):
        """Add the objects of all runs, but nothing that a run created itself."""
        for run in runs:
            created = set()
            for call in run:
                if not call.is_error and isinstance(call.answer, dict):
                    if call.tool.startswith(("create_", "add_")):
                        created.add(call.answer.get("id"))
                    self._take(call, [v for v in call.answer.get("value", ()) if v["id"] not in created])

    def _take(self, call, values):
        place = {name: call.arguments[name] for name in ("teamId", "channelId") if name in call.arguments}
        for value in values:
            self.add(call.tool, value["id"], **value, **place)
        if call.tool.startswith("add_tab"):
            self.add("list_teams_apps", call.answer["teamsApp"]["id"], **call.answer["teamsApp"])


def template(server, runs):
    """Return a seed in which the real calls can be repeated."""
    known = KnownRows()
    known.read(runs)
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
    users = {key: user for key, user in things["list_users"].items() if "-" not in key}
    for member in things["list_team_members"].values():
        users.setdefault(member["userId"], {"displayName": member["displayName"], "mail": member["email"]})
    for key in UNLISTED:
        users.setdefault(key, {"displayName": key.replace(".", " ").title()})
    for key, user in users.items():
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
