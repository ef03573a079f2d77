"""What hangs on teams in the seed: tags, folders of files, courses, day notes."""

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from eops_traj.gym.servers.teams.seed_draws import (
    ORG,
    TENANT,
    ago,
    chance,
    hexed,
    identity,
    iso,
    stamps,
    text,
    uuid,
)
from eops_traj.gym.servers.teams.seed_spaces import Team
from eops_traj.gym.tools.call import Row

_TAGGED = {
    "Support Tier 1": ("Late Shift", "Early Shift"),
    "Service Desk": ("On Call",),
    "Security Response": ("On Call",),
}


def around(rng: Random, teams: list[Team]) -> Iterator[tuple[str, Iterable[Row]]]:
    """All of it, parents first."""
    yield from _tags(rng, teams)
    yield from _files(rng, teams)
    yield from _learning(rng, [user for team in teams[:9] for user in team.members])
    yield "day_notes", [_day_note(rng, team) for team in teams[:10]]


def _tags(rng: Random, teams: list[Team]) -> Iterator[tuple[str, Iterable[Row]]]:
    tags: list[tuple[Row, list[Row]]] = []
    for team in teams:
        for name in _TAGGED.get(team.name, ()):
            row = {
                "id": f"tag_{hexed(rng, 16)}",
                "team_id": team.key,
                "display_name": name,
                "tag_type": "standard",
            }
            people = rng.sample(team.members, min(3, len(team.members)))
            tags.append((row | {"description": f"{name} of {team.name}."} | stamps(rng), people))
    yield "teamwork_tags", [row for row, _ in tags]
    yield "teamwork_tag_members", [
        {"id": uuid(rng), "tenantId": TENANT, "teamId": row["team_id"], "tagId": row["id"],
         "userId": user["user_id"], "displayName": user["display_name"]}
        for row, people in tags for user in people
    ]  # fmt: skip


def _files(rng: Random, teams: list[Team]) -> Iterator[tuple[str, Iterable[Row]]]:
    """Folders of those channels that hold files already."""
    folders = []
    for team in teams[:12]:
        key, name = f"01{hexed(rng, 16).upper()}", team.rows[0]["display_name"]
        site = f"https://corvane.sharepoint.example/sites/{team.key}"
        who = text({"user": identity(team.owners[0])})
        item: dict[str, Any] = {
            "drive_item_id": key, "name": name, "size": rng.randrange(10**4, 10**7),
            "web_url": f"{site}/{name}",
            "created_by_json": who, "last_modified_by_json": who, "drive_id": f"b!{hexed(rng, 20)}",
            "drive_type": "documentLibrary", "parent_path": "/drive/root:", "parent_name": "Documents",
            "child_count": rng.randint(1, 30),
        } | stamps(rng, "created_date_time", "last_modified_date_time")  # fmt: skip
        folders.append((item, {"channel_id": team.rows[0]["channel_id"], "team_id": team.key}))
    yield "drive_items", [item | {"channel_files_folder_id": place["channel_id"]} for item, place in folders]
    yield "channel_files_folders", [item | place for item, place in folders]


def _learning(rng: Random, learners: list[Row]) -> Iterator[tuple[str, Iterable[Row]]]:
    names = ("Skillyard", "Open Lectures", "Corvane Academy", "Corvane Academy (old)")
    providers = [{"learning_provider_id": f"lp_{n}", "org_id": ORG, "display_name": name,
                  "soft_delete": int("old" in name)} for n, name in enumerate(names, 1)]  # fmt: skip
    yield "learning_providers", providers
    yield "learning_course_activities", [
        {"learning_course_activity_id": uuid(rng), "org_id": ORG, "learner_user_id": user["user_id"],
         "learning_provider_id": rng.choice(providers)["learning_provider_id"], "completion_percentage": 50,
         "activity_type": rng.choice(("learningAssignment", "learningSelfInitiatedCourse")),
         "status": "inProgress", "started_date_time": iso(ago(rng, 90))}
        for user in rng.sample(learners, 12)
    ]  # fmt: skip


def _day_note(rng: Random, team: Team) -> Row:
    note = {"contentType": "text", "content": "Short of staff; ask before you swap shifts."}
    day = ago(rng, 20)
    shared = text(note) if chance(rng, 70) else None
    return {
        "org_id": team.org, "team_id": team.key, "day_note_id": f"NOTE_{uuid(rng)}",
        "day_note_date": f"{day:%Y-%m-%d}",
        "draft_day_note": None if shared else text(note), "shared_day_note": shared,
        "created_date_time": iso(day),
    }  # fmt: skip
