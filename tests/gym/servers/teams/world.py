"""An organization small enough to be known by heart."""

import json

from eops_traj.gym.engine import templates

people = {name: f"token-{name}" for name in ("ana", "ben", "cem", "dia", "eve", "guest")}
"""Who calls, by the token that says so."""

TEAM, GENERAL, SECRET, SHARED = "team_acme_001", "general", "secret", "shared"
DAY = "2026-01-02T08:00:00Z"


def small(server):
    """A template with it."""
    return templates.from_rows(server.schema, _tables())


def link(kind, key):
    return f"https://graph.microsoft.com/v1.0/{kind}('{key}')"


def _tables():
    yield "teams_orgs", [_org("acme-001", "tenant-acme"), _org("other-002", "tenant-other")]
    users = [_user("acme-001", name) for name in ("ana", "ben", "cem", "eve")]
    users += [_user("acme-001", "guest") | {"user_type": "Guest"}, _user("other-002", "dia")]
    users[3] |= {"account_enabled": 0}
    yield "teams_users", users
    yield "teams_user_roles", [_role("ana", "Global Administrator"), _role("ben", "User")]
    yield "teams_templates", [{"org_id": "default", "template_id": "standard", "display_name": "Standard"}]
    yield "teams_apps", [{"org_id": "acme-001", "app_id": "planner", "display_name": "Planner"}]
    yield (
        "groups",
        [_group("group_crew", "Crew", "crew"), _group("group_gone", "Gone", "gone") | {"soft_delete": 1}],
    )
    yield "teams", [_team(), _team() | {"team_id": "team_acme_002", "display_name": "Gone", "soft_delete": 1}]
    yield "channels", [_channel(GENERAL, "standard"), _channel(SECRET, "private"), _channel(SHARED, "shared")]
    yield (
        "channel_messages",
        [_channel_message("m1", "ana"), _channel_message("m2", "ben") | {"reply_to_id": "m1"}],
    )
    yield "chats", [{"chat_id": "ana_ben", "org_id": "acme-001", "chat_type": "oneOnOne"},
                    {"chat_id": "g1", "org_id": "acme-001", "chat_type": "group", "topic": "Lunch"}
                    ]  # fmt: skip
    yield "chat_members", [_chat_member(chat, who) for chat in ("ana_ben", "g1") for who in ("ana", "ben")]
    yield "chat_messages", [_chat_message("1767000000000", "ana"), _chat_message("1767000000001", "ben")]
    yield "virtual_event_webinars", [_event("w@1", "ana"), _event("w@2", "ben")]
    yield "virtual_event_townhalls", [_event("t@1", "ana")]
    yield "calls", [{"id": "c1", "org_id": "acme-001", "callback_uri": "https://x", "state": "established"},
                    {"id": "c2", "org_id": "acme-001", "callback_uri": "https://x", "state": "terminated"}
                    ]  # fmt: skip
    yield "participants", [{"id": f"p{n}", "org_id": "acme-001", "call_id": "c1"} for n in range(3)]
    yield "teamwork_tags", [{"id": "tag1", "team_id": TEAM, "display_name": "Night", "tag_type": "standard"}]


def _org(key, tenant):
    return {"org_id": key, "tenant_id": tenant, "display_name": key, "domain_name": f"{key[:-4]}.example"}


def _user(org, name):
    return {
        "org_id": org, "user_id": name, "user_principal_name": f"{name}@{org[:-4]}.example",
        "display_name": f"{name.title()} Smith", "mail": f"{name}@{org[:-4]}.example",
        "static_token": people[name], "created_at": DAY, "updated_at": DAY, "account_enabled": 1,
        "user_type": "Member",
    }  # fmt: skip


def _role(user, name):
    return {"org_id": "acme-001", "user_id": user, "role_id": f"role-{name}", "role_name": name}


def _group(key, name, nickname):
    return {"org_id": "acme-001", "group_id": key, "display_name": name, "mail_nickname": nickname,
            "description": "Those who sail.", "mail_enabled": 1, "unique_name": "crew1"}  # fmt: skip


def _team():
    members = [
        {"id": f"membership_{name}", "roles": [role], "displayName": f"{name.title()} Smith", "userId": name,
         "email": f"{name}@acme.example"}
        for name, role in (("ana", "owner"), ("ben", "member"))
    ]  # fmt: skip
    return {"org_id": "acme-001", "team_id": TEAM, "display_name": "Crew", "group_id": "group_crew",
            "members": json.dumps(members), "fun_settings": '{"allowGiphy": true}'}  # fmt: skip


def _channel(key, kind):
    return {"channel_id": key, "org_id": "acme-001", "team_id": TEAM, "display_name": key.title(),
            "membership_type": kind, "created_date_time": DAY}  # fmt: skip


def _sender(who):
    return json.dumps({"user": {"id": who, "displayName": f"{who.title()} Smith"}})


def _channel_message(key, who):
    return {"message_id": key, "channel_id": GENERAL, "team_id": TEAM, "created_datetime": DAY,
            "last_modified_datetime": DAY, "from_json": _sender(who),
            "body_json": '{"contentType": "text", "content": "Ahoy"}'}  # fmt: skip


def _chat_message(key, who):
    return {"message_id": key, "chat_id": "ana_ben", "created_datetime": DAY, "last_modified_datetime": DAY,
            "body_json": '{"contentType": "text", "content": "Hi"}', "from_json": _sender(who)}  # fmt: skip


def _chat_member(chat, who):
    return {"chat_id": chat, "org_id": "acme-001", "user_id": who, "roles": "owner"}


def _event(key, who):
    return {"org_id": "acme-001", "id": key, "display_name": key, "audience": "organization",
            "start_date_time": "2026-02-01T10:00:00", "end_date_time": "2026-02-01T11:00:00",
            "created_by_user_id": who}  # fmt: skip
