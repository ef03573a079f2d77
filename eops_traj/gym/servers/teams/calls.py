"""Placing calls."""

from typing import Any

from eops_traj.gym.servers.teams.graph import shown
from eops_traj.gym.servers.teams.people import person
from eops_traj.gym.servers.teams.records import insert, new_uuid
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_MOST_TARGETS = 5
_TYPE = "#microsoft.graph."


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
    """
    given, key = call.arguments, new_uuid(call)
    targets = given.get("targets", [])
    if len(targets) > _MOST_TARGETS:
        call.refuse(f"A call can have at most {_MOST_TARGETS} targets")
    for target in targets:
        _known(call, target)
    config = given["mediaConfig"] | {"@odata.type": given["mediaConfig"]["_odata_type"]}
    insert(
        call, "calls", id=key, org_id=call.caller["org_id"], callback_uri=given["callbackUri"],
        call_chain_id=new_uuid(call), direction="outgoing", state="establishing",
        subject=given.get("subject"),
        source=given.get("source"), targets=targets, my_participant_id=new_uuid(call), media_config=config,
        requested_modalities=given["requestedModalities"], call_options=given.get("callOptions"),
        chat_info=given.get("chatInfo"), meeting_info=given.get("meetingInfo"), created_at=call.now,
        updated_at=call.now,
    )  # fmt: skip
    found = call.row("SELECT * FROM graph_call WHERE id = :key", key=key) or {}
    return shown(found) | {"targets": [_invited(t) for t in targets], "tenantId": given.get("tenantId")}


def _known(call: Call, target: Row) -> None:
    """Whoever is called has to exist; a telephone number may be anyone's."""
    identity = target.get("identity") or {}
    if who := (identity.get("user") or {}).get("id"):
        person(call, who)
    elif not (identity.get("phone") or {}).get("id"):
        call.refuse("Each target must have a user or a phone identity with an id")


def _invited(target: Row) -> Row:
    """A target as the answer shows it."""
    identity = target["identity"]
    user: dict[str, Any] | None = identity.get("user")
    if user:
        names = ("id", "displayName", "identityProvider", "tenantId")
        user = {"@odata.type": f"{_TYPE}identity"} | {name: user.get(name) for name in names}
    who = {
        "@odata.type": f"{_TYPE}identitySet",
        "user": user,
        "phone": identity.get("phone"),
        "application": None,
    }
    empty = dict.fromkeys(("replacesCallId", "participantId", "hidden", "removeFromDefaultAudioRoutingGroup"))
    return {"@odata.type": f"{_TYPE}invitationParticipantInfo", "identity": who} | empty
