"""Messages of the seed: in channels and chats, with reactions, pins and presence."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from eops_traj.gym.servers.teams import seed_catalogue
from eops_traj.gym.servers.teams.seed_draws import (
    ORG,
    SITE,
    ago,
    chance,
    identity,
    iso,
    random_hex,
    random_uuid,
    sender,
    to_json,
)
from eops_traj.gym.servers.teams.seed_teams import Team
from eops_traj.gym.tools.call import Row

_EMPTY_LISTS = dict.fromkeys(
    ("attachments_json", "mentions_json", "reactions_json", "message_history_json"), "[]"
)
_PAIRS, _REPLY_DELAY = 22, timedelta(minutes=7)


@dataclass(frozen=True)
class Chat:
    """A chat and those who take part."""

    row: Row
    people: Sequence[Row]


def message_tables(rng: Random, teams: list[Team], users: list[Row]) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield the tables of messages and chats, parents first."""
    yield "channel_messages", [row for team in teams for row in _channel_messages(rng, team)]
    people = [u for u in users if u["account_enabled"] and u["user_type"] == "Member"]
    chats = list(_one_on_one_chats(rng, people))
    for topic in seed_catalogue.TOPICS:
        row = _chat(rng, random_hex(rng), topic, "group")
        chats.append(Chat(row, rng.sample(people, rng.randint(3, 7))))
    yield "chats", [chat.row for chat in chats]
    yield "chat_members", [row for chat in chats for row in _chat_members(rng, chat)]
    messages = list(_chat_messages(rng, chats))
    yield "chat_messages", messages
    pinned = messages[::17][:8]
    yield "pinned_chat_messages", [_pin(rng, row) for row in pinned]
    yield "chat_message_hosted_contents", [_picture(rng, row) for row in messages[5::40]]
    yield "chat_app_installations", [_installation(rng, chat) for chat in chats[-4:]]
    yield "chat_tabs", [_tab(rng, chat) for chat in chats[-3:]]
    yield "teams_presence_sessions", [_presence(rng, user) for user in rng.sample(people, 6)]


def _wording(rng: Random, people: Sequence[Row]) -> str:
    template = rng.choice(seed_catalogue.POSTS)
    who = rng.choice(people)["display_name"]
    return template.format(
        thing=rng.choice(seed_catalogue.THINGS), day=rng.choice(seed_catalogue.DAYS), who=who
    )


def _message(rng: Random, key: str, when: datetime, user: Row, content: str) -> Row:
    """Return the columns that messages of channels and chats share."""
    importance = rng.choices(("normal", "high", "urgent"), (90, 8, 2))[0]
    return _EMPTY_LISTS | {
        "message_id": key, "message_type": "message", "created_datetime": iso(when), "importance": importance,
        "last_modified_datetime": iso(when), "deleted_datetime": None, "locale": "en-us",
        "from_json": sender(user), "body_json": to_json({"contentType": "text", "content": content}),
    }  # fmt: skip


def _channel_messages(rng: Random, team: Team) -> Iterator[Row]:
    people = [*team.owners, *team.members]
    for channel in team.rows:
        for _ in range(rng.randint(0, 5)):
            when, user = ago(rng, 240), rng.choice(people)
            root = _channel_message(rng, channel, when, user, _wording(rng, people))
            if chance(rng, 15):
                root["subject"] = rng.choice(seed_catalogue.THINGS).capitalize()
            if chance(rng, 6):
                root["deleted_datetime"] = iso(when + _REPLY_DELAY)
            if chance(rng, 25):
                root["reactions_json"] = to_json([_reaction(rng, when, rng.choice(people))])
            yield root
            if chance(rng, 25):
                reply = _channel_message(
                    rng, channel, when + _REPLY_DELAY, rng.choice(people), rng.choice(seed_catalogue.REPLIES)
                )
                yield reply | {"reply_to_id": root["message_id"]}


def _channel_message(rng: Random, channel: Row, when: datetime, user: Row, content: str) -> Row:
    key = f"msg_{random_hex(rng)}"
    identity_keys = {"teamId": channel["team_id"], "channelId": channel["channel_id"]}
    return _message(rng, key, when, user, content) | {
        "team_id": channel["team_id"], "channel_id": channel["channel_id"], "etag": f"etag_{key}",
        "reply_to_id": None, "subject": None, "channel_identity_json": to_json(identity_keys),
        "web_url": f"{SITE}/message/{channel['channel_id']}/{key}",
    }  # fmt: skip


def _reaction(rng: Random, when: datetime, user: Row) -> Row:
    kind = rng.choice(seed_catalogue.EMOJI)
    who = {"application": None, "device": None, "user": identity(user)}
    return {"reactionType": kind, "createdDateTime": iso(when + _REPLY_DELAY), "user": who}


def _one_on_one_chats(rng: Random, people: list[Row]) -> Iterator[Chat]:
    """Chats between two people; no two of the same two."""
    seen: set[str] = set()
    while len(seen) < _PAIRS:
        pair = sorted(rng.sample(people, 2), key=lambda user: user["user_id"])
        key = "_".join(user["user_id"] for user in pair)
        if key not in seen:
            seen.add(key)
            yield Chat(_chat(rng, key, None, "oneOnOne"), pair)


def _chat(rng: Random, key: str, topic: str | None, kind: str) -> Row:
    when = ago(rng, 300, 40)
    return {
        "chat_id": key, "org_id": ORG, "topic": topic, "chat_type": kind, "created_at": iso(when),
        "updated_at": iso(when), "soft_delete": int(topic is not None and "old" in topic),
    }  # fmt: skip


def _chat_members(rng: Random, chat: Chat) -> Iterator[Row]:
    for user in chat.people:
        yield {
            "chat_id": chat.row["chat_id"], "org_id": ORG, "user_id": user["user_id"], "roles": "owner",
            "display_name": user["display_name"], "is_hidden": int(chance(rng, 8)),
            "last_message_read_datetime": iso(ago(rng, 30)), "added_at": chat.row["created_at"],
        }  # fmt: skip


def _chat_messages(rng: Random, chats: list[Chat]) -> Iterator[Row]:
    """Yield messages of chats. Their ids are their milliseconds, so no two are sent in the same one."""
    seen: set[str] = set()
    for chat in chats:
        for when in sorted(ago(rng, 39) for _ in range(rng.randint(2, 7))):
            key = str(int(when.timestamp()) * 1000 + rng.randrange(1000))
            if key in seen:
                continue
            seen.add(key)
            message = _message(rng, key, when, rng.choice(chat.people), _wording(rng, chat.people))
            yield message | {"chat_id": chat.row["chat_id"], "etag": key, "reply_to_id": None}
            chat.row["updated_at"] = iso(when)


def _pin(rng: Random, message: Row) -> Row:
    return {
        "pinned_message_id": random_hex(rng), "chat_id": message["chat_id"],
        "message_id": message["message_id"], "created_datetime": message["created_datetime"],
    }  # fmt: skip


def _picture(rng: Random, message: Row) -> Row:
    return {
        "hosted_content_id": f"0-wus-d1-{random_hex(rng)}", "message_id": message["message_id"],
        "chat_id": message["chat_id"], "content_type": "image/png", "content_bytes": b"\x89PNG\r\n\x1a\n",
        "created_datetime": message["created_datetime"],
    }  # fmt: skip


def _installation(rng: Random, chat: Chat) -> Row:
    key, name, external, method, _ = rng.choice(seed_catalogue.APPS[:3])
    return {
        "installation_id": random_uuid(rng), "chat_id": chat.row["chat_id"], "org_id": ORG, "app_id": key,
        "app_display_name": name, "app_external_id": external, "app_distribution_method": method,
        "installed_by_user_id": chat.people[0]["user_id"], "installed_at": chat.row["created_at"],
    }  # fmt: skip


def _tab(rng: Random, chat: Chat) -> Row:
    key, name, *_ = rng.choice(seed_catalogue.APPS[:3])
    return {
        "org_id": ORG, "chat_id": chat.row["chat_id"], "tab_id": random_uuid(rng), "display_name": name,
        "app_id": key,
        "web_url": f"{SITE}/entity/{key}", "sort_order_index": "1", "configuration_json": "{}",
        "created_at": chat.row["created_at"],
    }  # fmt: skip


def _presence(rng: Random, user: Row) -> Row:
    status = rng.choice(("At the customer’s until four.", "On leave; ask my deputy.", "Quiet hour."))
    message = {"message": {"content": status, "contentType": "text"}}
    return {
        "org_id": ORG, "user_id": user["user_id"], "availability": "Busy", "status_message": to_json(message),
    }  # fmt: skip
