from dataclasses import replace

import pytest

from eops_traj.gym.engine import templates
from tests.gym.servers.teams.test_tools import EVENT
from tests.gym.servers.teams.world import GENERAL, SECRET, TEAM, link, people

PLACE = {"teamId": TEAM, "channelId": GENERAL}
BODY = {"content": "x", "contentType": "text"}
OWNER = {"roles": ["owner"], "user_odata_bind": "ana"}
APP = "https://graph.microsoft.com/v1.0/appCatalogs/teamsApps/"
CALL = {
    "callbackUri": "https://acme.example", "requestedModalities": ["audio"],
    "mediaConfig": {"_odata_type": "#microsoft.graph.serviceHostedMediaConfig"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("add_team_member", {"teamId": TEAM, "user_odata_bind": link("users", "dia@other.example")},
         "User not found: dia@other.example or not from your organization"),
        ("add_team_member", {"teamId": TEAM, "user_odata_bind": link("users", "ben")},
         "User 'ben' is already a member of the team"),
        ("create_team", {"template_odata_bind": "standard", "displayName": "D"},
         "members collection is required when using Application permissions. "
         "At least one member with 'owner' role must be specified."),
        ("create_team", {"template_odata_bind": "standard", "displayName": "D",
                         "members": [{"roles": ["member"], "user_odata_bind": "ben"}]},
         "At least one member must have the 'owner' role"),
        ("create_team", {"template_odata_bind": "odd", "members": [OWNER]}, "Template not found: odd"),
        ("create_team", {"template_odata_bind": "standard", "members": [OWNER]},
         "displayName is required when group_odata_bind is not given"),
        ("create_team", {"template_odata_bind": "standard", "group_odata_bind": link("groups", "group_gone")},
         "Group not found: group_gone"),
        ("create_team", {"template_odata_bind": "standard", "displayName": "D", "members": [OWNER],
         "tenantId": "t"},
         "Tenant 't' not found or not from your organization"),
        ("add_tabs_to_channels", {**PLACE, "displayName": "T", "teamsApp_odata_bind": f"{APP}none"},
         "Teams app 'none' not found in organization app catalog. The app must be preinstalled in the team."),
        ("send_channel_message", {**PLACE, "body": {"content": "x"}, "mentions": []},
         "Validation errors:\n- contentType: contentType is required"),
        ("send_channel_message", {"teamId": TEAM, "channelId": "none", "body": BODY},
         "Channel not found: none"),
        ("list_channels", {"teamId": "team_acme_002"}, "Team not found: team_acme_002"),
        ("list_channels", {}, "Validation errors:\n- teamId: teamId is required"),
        ("create_channel", {"teamId": TEAM, "displayName": "P", "membershipType": "private"},
         "members are required for private channels"),
        ("archive_channel", PLACE, "Cannot archive the General channel"),
        ("update_channel", PLACE, "At least one field must be provided for update"),
        ("add_channel_member", {**PLACE, "user_odata_bind": "cem"},
         "Members can only be added to private or shared channels"),
        ("add_channel_member", {"teamId": TEAM, "channelId": SECRET, "user_odata_bind": "eve"},
         "User not found: eve or not from your organization"),
        ("update_team_member", {"teamId": TEAM, "membershipId": "membership_ana", "roles": ["member"]},
         "At least one member must have the 'owner' role"),
        ("remove_team_member", {"teamId": TEAM, "membershipId": "none"}, "Member not found: none"),
        ("create_teamwork_tag", {"team_id": TEAM, "displayName": "T", "members": [{"userId": "cem"}]},
         "User 'cem' is not a member of the team"),
        ("create_teamwork_tag_member", {"team_id": TEAM, "tag_id": "none", "userId": "ben"},
         "Tag not found: none"),
        ("create_user", {"userPrincipalName": "BEN@acme.example", "displayName": "B", "accountEnabled": True,
                         "mailNickname": "b", "passwordProfile": {"password": "p",
                          "forceChangePasswordNextSignIn": True}},
         "User with userPrincipalName 'BEN@acme.example' already exists"),
        ("get_user", {}, "Either 'userId' or 'userPrincipalName' must be provided"),
        ("get_user", {"userId": "ben", "userPrincipalName": "cem@acme.example"},
         "User not found or not from your organization"),
        ("update_user", {"userId": "ben"}, "At least one field must be provided for update"),
        ("update_chat", {"chatId": "ana_ben", "topic": "T"}, "Only group chats can be updated"),
        ("update_chat_message", {"chatId": "ana_ben", "messageId": "1767000000001", "subject": "S"},
         "Only the sender can update the message"),
        ("undo_soft_delete_chat_message", {"chatId": "ana_ben", "messageId": "1767000000001"},
         "Message is not deleted: 1767000000001"),
        ("create_chat", {"chatType": "group", "members": [
            {"_odata_type": "x", "roles": [], "user_odata_bind": who} for who in ("ana", "ben")]},
         "topic is required for group chats"),
        ("create_group", {"displayName": "C", "mailEnabled": True, "mailNickname": "CREW",
         "securityEnabled": True},
         "mailNickname 'CREW' is already in use"),
        ("create_group", {"displayName": "C", "mailEnabled": True, "mailNickname": "a b",
         "securityEnabled": True},
         "mailNickname 'a b' contains characters that are not allowed"),
        ("update_group", {"groupId": "group_crew", "uniqueName": "crew2"},
         "uniqueName cannot be changed once it is set"),
        ("create_call", CALL, "Either targets or meetingInfo is required"),
        ("create_call", CALL | {"callbackUri": "http://x", "meetingInfo": {}},
         "callbackUri must be an HTTPS URL"),
        ("create_call", CALL | {"targets": [{"identity": {"user": {"id": "dia"}}}]},
         "User not found: dia or not from your organization"),
        ("create_call", CALL | {"targets": [{"identity": {"phone": {"id": "+1"}}}] * 6},
         "A call can have at most 5 targets"),
        ("create_audio_routing_group", {"call_id": "c2", "routingMode": "oneToOne", "sources": ["a"],
         "receivers": ["b"]},
         "Call is not active: c2"),
        ("create_audio_routing_group", {"call_id": "c1", "routingMode": "oneToOne", "sources": ["p0"],
         "receivers": ["p9"]},
         "Participant not found in call: c1"),
        ("publish_virtual_event_webinar", {"webinar_id": "w@2"},
         "Only the organizer can publish the webinar"),
        ("cancel_virtual_event_townhall", {"townhall_id": "none"}, "Townhall not found: none"),
        ("create_virtual_event_webinar", EVENT | {"endDateTime": EVENT["startDateTime"]},
         "endDateTime must be after startDateTime"),
        ("create_virtual_event_webinar",
         EVENT | {"startDateTime": {"dateTime": "2026-03-01T10:00:00", "timeZone": "Europe/Oslo"}},
         "Invalid timeZone 'Europe/Oslo' in startDateTime. Only Windows time zone names are supported"),
        ("create_virtual_event_webinar", EVENT | {"startDateTime": {"dateTime": "soon", "timeZone": "UTC"}},
         "Invalid dateTime 'soon' in startDateTime"),
        ("create_virtual_event_webinar", EVENT | {"coOrganizers": [{"id": "dia"}]},
         "User not found: dia or not from your organization"),
        ("create_virtual_event_townhall", EVENT | {"audience": "everyone", "isInviteOnly": True},
         "isInviteOnly requires the audience 'organization'"),
    ],
)  # fmt: skip
def test_refusals_are_plain_sentences_and_change_nothing(refused, name, arguments, message):
    assert refused(name, **arguments) == message


def test_roles_of_channel_members_are_asked_for_as_pydantic_asks(refused):
    members = [{"user_odata_bind": "https://graph.microsoft.com/v1.0/users/ben", "displayName": "Ben Smith"}]
    assert refused("create_channel", teamId=TEAM, displayName="P", members=members) == (
        "Invalid request: 1 validation error for ChannelCreateRequest\n"
        "members.0.roles\n"
        "  Field required [type=missing, input_value={'user_odata_bind': 'http...splayName': 'Ben Smith'}, "
        "input_type=dict]\n"
        "    For further information visit https://errors.pydantic.dev/2.12/v/missing"
    )


def test_an_archived_channel_takes_no_messages(result_of, refused):
    result_of("archive_channel", teamId=TEAM, channelId=SECRET)
    message = refused("send_channel_message", teamId=TEAM, channelId=SECRET, body=BODY)
    assert message == "Cannot send messages to an archived channel"


def test_a_canceled_webinar_stays_so(result_of, refused):
    result_of("cancel_virtual_event_webinar", webinar_id="w@1")
    assert refused("publish_virtual_event_webinar", webinar_id="w@1") == "Cannot publish a canceled webinar"


def test_the_reply_to_a_new_town_hall_fails_as_the_real_one_does_if_that_is_asked_for(teams, database):
    odd = replace(teams, quirks=frozenset({"townhall_reply"}))
    reply = odd.call(database, "create_virtual_event_townhall", EVENT, people["ana"])
    assert reply.is_error and reply.text.startswith(
        "Failed to create townhall: schemas.virtual_event_townhall."
    )
    assert {c.table for c in reply.changes} == {
        "virtual_event_townhalls", "virtual_event_townhall_coorganizers"
    }  # fmt: skip


def test_a_new_team_is_empty_as_the_real_one_is_if_that_is_asked_for(teams, database, one):
    odd = replace(teams, quirks=frozenset({"empty_team"}))
    arguments = {"template_odata_bind": "standard", "displayName": "D", "members": [OWNER]}
    assert not odd.call(
        database, "create_team", arguments | {"channels": [{"displayName": "C"}]}, people["ana"]
    ).is_error
    assert one("SELECT count(*) FROM channels WHERE team_id NOT LIKE 'team_acme%'") == 0


def test_an_empty_database_has_nobody_to_act_for(teams):
    empty = templates.from_rows(teams.schema, ()).open()
    for name in teams.tools:
        assert teams.call(empty, name, {}).is_error
