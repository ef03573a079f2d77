"""Calls, meetings, webinars and town halls of the seed."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

from eops_traj.gym.servers.teams import seed_catalogue
from eops_traj.gym.servers.teams.seed_draws import (
    NOW,
    ORG,
    SITE,
    TENANT,
    ago,
    identity,
    iso,
    random_hex,
    random_uuid,
    to_json,
)
from eops_traj.gym.tools.call import Row

_CALLS, _RECORDS = 18, 26
_HOLD_MUSIC = ("piano", "queue_tune", "office_hours", "plain_tone", "winter_closing")


def call_tables(rng: Random, users: list[Row]) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield the tables of calls, meetings and events, parents first."""
    people = [u for u in users if u["account_enabled"] and u["user_type"] == "Member"]
    yield from _calls(rng, people)
    records = [_record(rng, people) for _ in range(_RECORDS)]
    yield "call_records", records
    yield "call_sessions", [row for record in records for row in _sessions(rng, record, people)]
    yield from _meetings(rng, people)
    yield from _webinars(rng, people)
    yield from _townhalls(rng, people)


def _party(user: Row) -> Row:
    return {"identity": {"user": {"id": user["user_id"], "displayName": user["display_name"]}}}


def _calls(rng: Random, people: list[Row]) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield calls under way and calls that are over, with their participants."""
    calls, participants = [], []
    for number in range(_CALLS):
        when, users = ago(rng, 60), rng.sample(people, rng.randint(2, 4))
        state = "established" if number < 5 else rng.choice(("terminated", "terminated", "incoming"))
        call: dict[str, Any] = {
            "id": random_uuid(rng), "org_id": ORG, "callback_uri": "https://calls.corvane.example/events",
            "call_chain_id": random_uuid(rng), "direction": "incoming" if state == "incoming" else "outgoing",
            "state": state, "subject": rng.choice((*seed_catalogue.MEETINGS, None)),
            "source": to_json(_party(users[0])),
            "targets": to_json([_party(user) for user in users[1:]]), "requested_modalities": '["audio"]',
            "media_config": '{"_odata_type": "#microsoft.graph.serviceHostedMediaConfig"}', "soft_delete": 0,
            "created_at": iso(when), "updated_at": iso(when),
        }  # fmt: skip
        calls.append(call)
        participants += [_participant(rng, call, user) for user in users]
    yield "calls", calls
    yield "participants", participants
    yield from _call_operations(rng, calls, participants)


def _participant(rng: Random, call: Row, user: Row) -> Row:
    return {
        "id": random_uuid(rng), "org_id": ORG, "call_id": call["id"], "info": to_json(_party(user)),
        "is_muted": rng.randrange(2), "is_in_lobby": 0, "media_streams": "[]",
        "created_at": call["created_at"],
        "updated_at": call["created_at"],
    }  # fmt: skip


def _call_operations(
    rng: Random, calls: list[Row], participants: list[Row]
) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield operations on calls: private sound, shared screens, galleries, music."""
    routes = []
    for call in calls[:2]:
        participant_ids = [row["id"] for row in participants if row["call_id"] == call["id"]]
        routes.append({
            "id": random_uuid(rng), "org_id": ORG, "call_id": call["id"], "routing_mode": "oneToOne",
            "sources": to_json(participant_ids[:1]), "receivers": to_json(participant_ids[1:2]),
            "created_at": call["created_at"],
        })  # fmt: skip
    yield "audio_routing_groups", routes
    yield "content_sharing_sessions", [
        {"id": random_uuid(rng), "org_id": ORG, "call_id": call["id"], "created_at": call["created_at"]}
        for call in calls[2:5]
    ]  # fmt: skip
    yield "large_gallery_view_operations", [
        {"id": random_uuid(rng), "org_id": ORG, "call_id": call["id"], "status": status,
        "created_at": call["created_at"]}
        for call, status in zip(calls, ("running", "completed", "failed"), strict=False)
    ]  # fmt: skip
    yield "hold_music_configs", [
        {"config_id": random_uuid(rng), "org_id": ORG, "name": name,
         "is_active": int(name != "winter_closing"), "media_uri": f"https://media.corvane.example/{name}.wav",
         "resource_id": random_uuid(rng)}
        for name in _HOLD_MUSIC
    ]  # fmt: skip


def _record(rng: Random, people: list[Row]) -> Row:
    start, users = ago(rng, 45), rng.sample(people, rng.randint(2, 5))
    end = start + timedelta(minutes=rng.randint(1, 95))
    kind = "peerToPeer" if len(users) == 2 else rng.choice(("groupCall", "groupCall", "pstn"))
    return {
        "id": random_uuid(rng), "org_id": ORG, "version": 1, "type": kind,
        "organizer": to_json({"user": identity(users[0])}),
        "modalities": to_json(rng.choice((["audio"], ["audio", "video"]))),
        "participants": to_json([{"id": u["user_id"], "identity": {"user": identity(u)}} for u in users]),
        "start_date_time": iso(start), "end_date_time": iso(end), "last_modified_date_time": iso(end),
        "join_web_url": f"{SITE}/meetup-join/{random_hex(rng, 12)}" if kind == "groupCall" else None,
        "created_at": iso(end), "updated_at": iso(end),
    }  # fmt: skip


def _sessions(rng: Random, record: Row, people: list[Row]) -> Iterator[Row]:
    for user in rng.sample(people, rng.randint(1, 2)):
        ends = [
            {"identity": {"user": identity(user)}, "userAgent": {"platform": name}}
            for name in ("windows", "iOS")
        ]
        span = {"startDateTime": record["start_date_time"], "endDateTime": record["end_date_time"]}
        segment = {"id": random_uuid(rng), "caller": ends[0], "callee": ends[1], "failureInfo": None} | span
        yield {
            "id": random_uuid(rng), "org_id": ORG, "call_record_id": record["id"], "caller": to_json(ends[0]),
            "callee": to_json(ends[1]), "failure_info": None, "modalities": record["modalities"],
            "segments": to_json([segment]), "start_date_time": record["start_date_time"],
            "end_date_time": record["end_date_time"],
        }  # fmt: skip


def _meetings(rng: Random, people: list[Row]) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield past meetings, with transcripts and attendance."""
    meetings = []
    for subject in seed_catalogue.MEETINGS:
        start, host = ago(rng, 50), rng.choice(people)
        meetings.append({
            "id": f"MSo{random_hex(rng, 24)}", "org_id": ORG, "user_id": host["user_id"], "subject": subject,
            "start_date_time": iso(start), "end_date_time": iso(start + timedelta(minutes=45)),
            "join_web_url": f"{SITE}/meetup-join/{random_hex(rng, 12)}", "allowed_presenters": "organization",
            "participants": to_json({"organizer": {"identity": {"user": identity(host)}}, "attendees": []}),
        })  # fmt: skip
    yield "online_meetings", meetings
    yield "call_transcripts", [
        {"id": random_uuid(rng), "org_id": ORG, "meeting_id": row["id"],
         "created_date_time": row["start_date_time"],
         "content": "WEBVTT\n\n00:00.000 --> 00:04.000\nGood morning, shall we begin?"}
        for row in meetings[:3]
    ]  # fmt: skip
    reports = [
        {"org_id": ORG, "id": random_uuid(rng), "meeting_id": row["id"], "total_participant_count": 4,
         "meeting_start_date_time": row["start_date_time"], "meeting_end_date_time": row["end_date_time"]}
        for row in meetings[:4]
    ]  # fmt: skip
    yield "meeting_attendance_reports", reports
    yield "attendance_records", [
        {"org_id": ORG, "id": random_uuid(rng), "report_id": row["id"], "email_address": user["mail"],
         "identity_id": user["user_id"], "display_name": user["display_name"],
         "total_attendance_in_seconds": rng.randint(300, 2700),
         "role": "Presenter" if position == 0 else "Attendee"}
        for row in reports for position, user in enumerate(rng.sample(people, 4))
    ]  # fmt: skip


def _event(rng: Random, people: list[Row], entry: tuple[Any, ...]) -> Row:
    title, about, days, zone, audience, status = entry
    start: datetime = NOW.replace(hour=15) + timedelta(days=days)
    host = rng.choice(people)
    return {
        "org_id": ORG, "id": f"{random_uuid(rng)}@{random_uuid(rng)}", "display_name": title,
        "description_content": about, "description_content_type": "text",
        "start_date_time": f"{start:%Y-%m-%dT%H:%M:%S}",
        "start_time_zone": zone,
        "end_date_time": f"{start + timedelta(hours=1):%Y-%m-%dT%H:%M:%S}", "end_time_zone": zone,
        "audience": audience, "status": status, "created_by_user_id": host["user_id"],
        "created_by_display_name": host["display_name"], "created_by_tenant_id": TENANT,
        "is_attendee_email_notification_enabled": rng.randrange(2),
    }  # fmt: skip


def _hosts(people: list[Row]) -> list[Row]:
    """Return those who may organize for everyone: the first of them is the administrator."""
    return [u for u in people if u["job_title"] in ("Director of IT", "Director of Marketing")]


def _webinars(rng: Random, people: list[Row]) -> Iterator[tuple[str, Iterable[Row]]]:
    events = [_event(rng, _hosts(people), entry) for entry in seed_catalogue.WEBINARS]
    yield "virtual_event_webinars", events
    yield "virtual_event_webinar_coorganizers", [
        {"org_id": ORG, "webinar_id": event["id"], "user_id": user["user_id"]}
        for event in events for user in rng.sample(people, 2)
    ]  # fmt: skip
    yield "virtual_event_webinar_presenters", [
        {"org_id": ORG, "webinar_id": event["id"], "presenter_id": random_uuid(rng),
         "identity_id": user["user_id"], "identity_type": "communicationsUserIdentity", "email": user["mail"],
         "display_name": user["display_name"],
         "presenter_details_job_title": user["job_title"]}
        for event in events[::2] for user in rng.sample(people, 1)
    ]  # fmt: skip


def _townhalls(rng: Random, people: list[Row]) -> Iterator[tuple[str, Iterable[Row]]]:
    events = [
        _event(rng, _hosts(people)[:1], entry) | {"is_invite_only": int("managers" in entry[1])}
        for entry in seed_catalogue.TOWNHALLS
    ]
    yield "virtual_event_townhalls", events
    yield "virtual_event_townhall_coorganizers", [
        {"org_id": ORG, "townhall_id": event["id"], "user_id": user["user_id"]}
        for event in events for user in rng.sample(people, 1)
    ]  # fmt: skip
    yield "virtual_event_townhall_invited_attendees", [
        {"org_id": ORG, "townhall_id": event["id"], "identity_id": user["user_id"], "tenant_id": TENANT,
         "identity_type": "communicationsUserIdentity", "display_name": user["display_name"]}
        for event in events if event["is_invite_only"] for user in rng.sample(people, 5)
    ]  # fmt: skip
    yield "virtual_event_townhall_presenters", [
        {"org_id": ORG, "townhall_id": event["id"], "presenter_id": random_uuid(rng),
         "identity_id": user["user_id"], "identity_type": "communicationsUserIdentity", "email": user["mail"],
         "display_name": user["display_name"]}
        for event in events for user in rng.sample(people, 1)
    ]  # fmt: skip
