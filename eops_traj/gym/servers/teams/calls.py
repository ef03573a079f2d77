"""The tool that places calls."""

from typing import Any

from eops_traj.gym.servers.teams.graph import select_properties
from eops_traj.gym.servers.teams.people import get_person
from eops_traj.gym.servers.teams.tools import insert, new_uuid
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_MOST_TARGETS = 5
_TYPE_PREFIX = "#microsoft.graph."


@tool
def create_call(call: Call) -> Row:
    """(callbackUri!, source, targets, requestedModalities!, callOptions, mediaConfig!, chatInfo, meetingInfo,
      subject, tenantId) -> row of calls

    Call up to five people or telephone numbers, or join a meeting.
      source: Who calls, if not the caller: an application with a number. {type: object}
      targets: Whom to call; not together with meetingInfo.
        {type: array, items: {type: object, properties: {identity: {type: object, properties: {
        user: {type: object, properties: {id: {type: string}, displayName: {type: string}}},
        phone: {type: object, properties: {id: {type: string}}}}}}}}
      requestedModalities: Sound, picture, screen.
        {type: array, items: {type: string, enum: [audio, video, videoBasedScreenSharing, data]}}
      mediaConfig: Who carries the media.
        {type: object, required: [_odata_type], properties: {_odata_type: {type: string, enum: [
        '#microsoft.graph.serviceHostedMediaConfig', '#microsoft.graph.appHostedMediaConfig']},
        preFetchMedia: {type: array}, blob: {type: string}, removeFromDefaultAudioGroup: {type: boolean}}}
      tenantId: Tenant. {type: string}
    @refuse callbackUri must be an HTTPS URL WHEN :callbackUri NOT LIKE 'https://_%'
    @refuse targets and meetingInfo cannot be used together WHEN :targets <> '[]' AND :meetingInfo IS NOT NULL
    @refuse Either targets or meetingInfo is required
        WHEN coalesce(:targets, '[]') = '[]' AND :meetingInfo IS NULL
    @outward
    """
    arguments, key = call.arguments, new_uuid(call)
    targets = arguments.get("targets", [])
    if len(targets) > _MOST_TARGETS:
        call.refuse(f"A call can have at most {_MOST_TARGETS} targets")
    for target in targets:
        _check_target(call, target)
    config = arguments["mediaConfig"] | {"@odata.type": arguments["mediaConfig"]["_odata_type"]}
    insert(
        call, "calls", id=key, org_id=call.caller["org_id"], callback_uri=arguments["callbackUri"],
        call_chain_id=new_uuid(call), direction="outgoing", state="establishing",
        subject=arguments.get("subject"), source=arguments.get("source"), targets=targets,
        my_participant_id=new_uuid(call), media_config=config,
        requested_modalities=arguments["requestedModalities"], call_options=arguments.get("callOptions"),
        chat_info=arguments.get("chatInfo"), meeting_info=arguments.get("meetingInfo"), created_at=call.now,
        updated_at=call.now,
    )  # fmt: skip
    row = call.row("SELECT * FROM graph_call WHERE id = :key", key=key) or {}
    results = [_target_result(target) for target in targets]
    return select_properties(row) | {"targets": results, "tenantId": arguments.get("tenantId")}


def _check_target(call: Call, target: Row) -> None:
    """Refuse a target that does not exist; a telephone number may be anyone's."""
    identity = target.get("identity") or {}
    if user := (identity.get("user") or {}).get("id"):
        get_person(call, user)
    elif not (identity.get("phone") or {}).get("id"):
        call.refuse("Each target must have a user or a phone identity with an id")


def _target_result(target: Row) -> Row:
    """Return a target as the result shows it."""
    identity = target["identity"]
    user: dict[str, Any] | None = identity.get("user")
    if user:
        names = ("id", "displayName", "identityProvider", "tenantId")
        user = {"@odata.type": f"{_TYPE_PREFIX}identity"} | {name: user.get(name) for name in names}
    participant = {
        "@odata.type": f"{_TYPE_PREFIX}identitySet",
        "user": user,
        "phone": identity.get("phone"),
        "application": None,
    }
    empty = dict.fromkeys(("replacesCallId", "participantId", "hidden", "removeFromDefaultAudioRoutingGroup"))
    return {"@odata.type": f"{_TYPE_PREFIX}invitationParticipantInfo", "identity": participant} | empty
