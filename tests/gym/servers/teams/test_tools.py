import json
import re

import pytest

from tests.gym.servers.teams.world import GENERAL, TEAM, link

HEX = "[0-9a-f]{32}"
UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
GRAPH = "https://graph.microsoft.com/v1.0/$metadata#"
DONE = "Operation completed successfully"


def test_answers_are_pretty_and_come_without_the_rest_of_the_envelope(ask):
    reply = ask("provision_channel_email", teamId=TEAM, channelId=GENERAL)
    text = (
        '{\n  "@odata.type": "#microsoft.graph.provisionChannelEmailResult",\n'
        '  "email": "general.team_acm@acme-001.teams.ms"\n}'
    )
    assert reply.envelope == {"content": [{"type": "text", "text": text}], "isError": False}


def test_a_new_person_has_all_properties(result_of, one):
    created = result_of(
        "create_user", userPrincipalName="fay@acme.example", displayName="Fay Smith", accountEnabled=True,
        mailNickname="fay", skills=["Knots"],
        passwordProfile={"password": "x1", "forceChangePasswordNextSignIn": True},
    )  # fmt: skip
    assert re.fullmatch(UUID, created["id"]) and len(created) == 48
    assert (created["skills"], created["userType"], created["orgId"], created["mail"]) == (
        ["Knots"],
        "Member",
        "acme-001",
        None,
    )
    assert created["createdDateTime"] == "2026-01-05T09:00:01.000000Z"
    assert one("SELECT skills FROM teams_users WHERE user_principal_name = 'fay@acme.example'") == '["Knots"]'


def test_a_person_goes_by_id_or_principal_name_and_empty_texts_clear(result_of):
    assert result_of("get_user", userId="BEN@acme.example", _select="id,mail") == {
        "@odata.context": f"{GRAPH}users/$entity", "id": "ben", "mail": "ben@acme.example"
    }  # fmt: skip
    assert (
        result_of("update_user", userPrincipalName="ben@acme.example", mail="", jobTitle="Cook")["mail"]
        is None
    )


def test_a_deleted_person_is_out_of_sight(result_of, refused):
    assert result_of("delete_user", userId="cem") == DONE
    assert "cem" not in [u["id"] for u in result_of("list_users")["value"]]
    assert refused("get_user", userId="cem") == "User not found: cem or not from your organization"


def test_two_people_have_one_chat(result_of, one):
    members = [
        {
            "_odata_type": "#microsoft.graph.aadUserConversationMember",
            "roles": [],
            "user_odata_bind": link("users", who),
        }
        for who in ("cem", "ana@acme.example")
    ]
    first = result_of("create_chat", chatType="oneOnOne", members=members)
    assert (first["id"], first["topic"]) == ("ana_cem", None)
    assert first["webUrl"] == "https://teams.microsoft.com/l/chat/ana%3Acem/0?tenantId=acme-001"
    assert (
        result_of("create_chat", chatType="oneOnOne", members=members[::-1])["createdDateTime"]
        == first["createdDateTime"]
    )
    assert one("SELECT count(*) FROM chat_members WHERE chat_id = 'ana_cem' AND roles = 'owner'") == 2


def test_messages_of_chats_are_numbered_by_the_clock(result_of):
    first, second = (result_of("send_chat_message", chatId="g1", body={"content": "Soup?"}) for _ in range(2))
    assert int(second["id"]) > int(first["id"]) > 1_767_000_000_000
    assert (first["etag"], first["body"]["contentType"]) == (first["id"], "text")
    assert first["@odata.context"] == f"{GRAPH}chats('g1')/messages/$entity"
    assert result_of("list_chats", _top=1)["value"][0]["id"] == "g1"
    preview = result_of("list_chats", _expand="lastMessagePreview", _top=1)["value"][0]["lastMessagePreview"]
    assert preview["id"] == second["id"]


def test_a_message_of_a_channel_says_where_it_stands(result_of):
    sent = result_of(
        "send_channel_message", teamId=TEAM, channelId=GENERAL, body={"content": "Up", "contentType": "html"}
    )
    assert re.fullmatch(f"msg_{HEX}", sent["id"]) and sent["etag"] == f"etag_{sent['id']}"
    assert sent["channelIdentity"] == {"teamId": TEAM, "channelId": GENERAL}
    assert sent["from"]["user"] == {"id": "ana", "displayName": "Ana Smith", "userIdentityType": "aadUser"}


def test_replies_stand_with_their_message(result_of):
    (root,) = result_of("list_channel_messages", teamId=TEAM, channelId=GENERAL, _expand="replies(_top=1)")[
        "value"
    ]
    assert [r["id"] for r in root["replies"]] == ["m2"]
    assert "replies" not in result_of("list_channel_messages", teamId=TEAM, channelId=GENERAL)["value"][0]


def test_a_deleted_message_can_be_brought_back(result_of, one):
    place = {"teamId": TEAM, "channelId": GENERAL, "messageId": "m1", "replyId": "m2"}
    assert result_of("soft_delete_channel_message", **place) == DONE
    assert one("SELECT deleted_datetime FROM channel_messages WHERE message_id = 'm2'").startswith(
        "2026-01-05"
    )
    assert result_of("undo_soft_delete_channel_message", **place) == DONE
    assert one("SELECT deleted_datetime FROM channel_messages WHERE message_id = 'm2'") is None


def test_an_edit_leaves_the_rest_and_its_time(result_of, one):
    result_of("update_chat_message", chatId="ana_ben", messageId="1767000000000", importance="high")
    kept = "FROM chat_messages WHERE message_id = '1767000000000'"
    assert one(f"SELECT importance || body_json {kept}") == 'high{"contentType": "text", "content": "Hi"}'
    assert one(f"SELECT last_edited_datetime {kept}") == "2026-01-05T09:00:01.000000Z"


def test_a_new_text_of_a_message_is_written_as_the_old_one_was(result_of, one):
    place = {"chatId": "ana_ben", "messageId": "1767000000000"}
    kept = "SELECT body_json FROM chat_messages WHERE message_id = '1767000000000'"
    result_of("update_chat_message", **place, body={"content": "<b>Ho</b>", "contentType": "html"})
    result_of("update_chat_message", **place, body={"content": "<i>Ha</i>"})
    assert json.loads(one(kept)) == {"contentType": "html", "content": "<i>Ha</i>"}


def test_a_reaction_comes_once_and_goes(result_of, refused, one):
    place = {"chatId": "ana_ben", "messageId": "1767000000001", "reactionType": "👍"}
    result_of("set_chat_message_reaction", **place)
    result_of("set_chat_message_reaction", **place)
    kept = "SELECT reactions_json FROM chat_messages WHERE message_id = '1767000000001'"
    assert [r["user"]["user"]["id"] for r in json.loads(one(kept))] == ["ana"]
    assert result_of("unset_chat_message_reaction", **place) == DONE
    assert one(kept) == "[]"
    assert refused("unset_chat_message_reaction", **place) == "Reaction not found: 👍"


def test_a_reaction_that_was_written_otherwise_is_left_as_it_is(result_of, refused, one):
    place = {"chatId": "ana_ben", "messageId": "1767000000000"}
    odd = [{"reactionType": "👍", "user": {"id": "ana"}}, {"emoji": "👍"}, {"reactionType": "👍"}]
    result_of("update_chat_message", **place, reactions=odd)
    assert refused("unset_chat_message_reaction", **place, reactionType="👍") == "Reaction not found: 👍"
    result_of("set_chat_message_reaction", **place, reactionType="👍")
    kept = json.loads(one("SELECT reactions_json FROM chat_messages WHERE message_id = '1767000000000'"))
    assert kept[:3] == odd and kept[3]["user"]["user"]["id"] == "ana"


def test_a_filter_of_a_chat_without_messages_finds_none(result_of):
    message_filter = "lastModifiedDateTime gt 2026-01-01T00:00:00Z"
    assert result_of("list_chat_messages", chatId="g1", _filter=message_filter)["value"] == []


def test_messages_are_filtered_only_by_the_time_they_are_ordered_by(result_of):
    place = {"chatId": "ana_ben", "_orderby": "createdDateTime desc"}
    assert (
        result_of("list_chat_messages", _filter="createdDateTime lt 2020-01-01T00:00:00Z", **place)["value"]
        == []
    )
    ignored = result_of("list_chat_messages", _filter="lastModifiedDateTime lt 2020-01-01T00:00:00Z", **place)
    assert [m["id"] for m in ignored["value"]] == ["1767000000001", "1767000000000"]


def test_a_private_channel_has_just_the_members_given(result_of, one):
    members = [{"user_odata_bind": f"https://graph.microsoft.com/v1.0/users/{who}", "roles": [role]}
               for who, role in (("ben", "owner"), ("cem", "member"))]  # fmt: skip
    created = result_of(
        "create_channel", teamId=TEAM, displayName="Galley", membershipType="private", members=members
    )
    assert re.fullmatch(f"channel_{HEX}", created["id"]) and created["tenantId"] == "tenant-acme"
    assert one(
        f"SELECT group_concat(user_id || roles) FROM channel_members WHERE channel_id = '{created['id']}'"
    ) == ("benowner,cemmember")


def test_a_tab_shows_an_app_of_the_catalog(result_of):
    place = {"teamId": TEAM, "channelId": GENERAL}
    bind = "https://graph.microsoft.com/v1.0/appCatalogs/teamsApps/planner"
    created = result_of("add_tabs_to_channels", displayName="Plan", teamsApp_odata_bind=bind, **place)
    assert re.fullmatch("tab_[0-9a-f]{16}", created["id"]) and "configuration" not in created
    changed = result_of("update_channel_tab", tabId=created["id"], configuration={"entityId": "e"}, **place)
    assert (changed["displayName"], changed["configuration"]) == ("Plan", {"entityId": "e"})
    tabs = result_of("list_tabs_in_channel", _filter="teamsApp/id eq 'planner'", _expand="teamsApp", **place)
    assert tabs["value"][0]["teamsApp"]["displayName"] == "Planner"
    assert result_of("delete_channel_tab", tabId=created["id"], **place) == DONE
    assert result_of("list_tabs_in_channel", **place)["@odata.count"] == 0


def test_members_are_kept_in_the_team(result_of, one):
    added = result_of("add_team_member", teamId=TEAM, user_odata_bind=link("users", "cem"))
    assert re.fullmatch(f"membership_{HEX}", added["id"]) and added["roles"] == ["member"]
    assert (
        result_of("update_team_member", teamId=TEAM, membershipId=added["id"], roles=["owner"])["userId"]
        == "cem"
    )
    assert result_of("remove_team_member", teamId=TEAM, membershipId="membership_ana") == DONE
    members = json.loads(one(f"SELECT members FROM teams WHERE team_id = '{TEAM}'"))
    assert [(m["userId"], m["roles"]) for m in members] == [("ben", ["member"]), ("cem", ["owner"])]


def test_several_members_are_added_as_far_as_they_can_be(result_of):
    values = [{"user_odata_bind": link("users", who)} for who in ("cem", "ben", "dia", "cem")]
    answer = result_of("add_team_members_in_bulk", teamId=TEAM, values=values)["value"]
    assert [(a["userId"], (a["error"] or {}).get("code")) for a in answer] == [
        ("cem", None), ("ben", "Conflict"), ("dia", "NotFound"), ("cem", "Conflict")
    ]  # fmt: skip


def test_a_team_comes_with_group_channels_and_settings(result_of, one):
    created = result_of(
        "create_team", template_odata_bind=link("teamsTemplates", "standard"), displayName="Deck",
        members=[{"roles": ["owner"], "user_odata_bind": link("users", "ben")}],
        channels=[{"displayName": "Ropes"}], funSettings={"allowGiphy": False},
    )  # fmt: skip
    key = created["targetResourceId"]
    assert (created["operationType"], created["status"], created["id"]) == ("createTeam", "succeeded", key)
    assert one(f"SELECT group_concat(display_name) FROM channels WHERE team_id = '{key}'") == "General,Ropes"
    (team,) = result_of("list_teams", _filter="displayName eq 'Deck'")["value"]
    assert (team["funSettings"]["allowGiphy"], team["guestSettings"]["allowDeleteChannels"]) == (False, False)
    assert "Deck" in [g["displayName"] for g in result_of("list_groups")["value"]]
    assert result_of("delete_team", teamId=key) == DONE
    assert "Deck" not in [g["displayName"] for g in result_of("list_groups")["value"]]


def test_who_is_named_twice_for_a_new_team_is_in_it_once_and_owns_it(result_of, one):
    ben, cem = link("users", "ben"), link("users", "cem")
    entries = [(cem, "member"), (ben, "member"), (cem, "owner"), (cem, "guest")]
    members = [{"user_odata_bind": person, "roles": [role]} for person, role in entries]
    key = result_of("create_team", template_odata_bind="standard", displayName="Deck", members=members)["id"]
    listed = result_of("list_team_members", teamId=key, _select="userId,roles")["value"]
    assert listed == [{"userId": "cem", "roles": ["owner"]}, {"userId": "ben", "roles": ["member"]}]
    group = f"FROM groups JOIN teams USING (group_id) WHERE team_id = '{key}'"
    for column, people in (("owners", ["cem"]), ("members", ["cem", "ben"])):
        assert [p["id"] for p in json.loads(one(f"SELECT groups.{column} {group}"))] == people


def test_a_team_around_a_group_takes_its_name_and_people(result_of):
    group = result_of(
        "create_group", displayName="Pilots", mailEnabled=True, mailNickname="pilots", securityEnabled=False,
        owners_odata_bind=[link("users", "ben")], members_odata_bind=[link("users", "cem")],
    )  # fmt: skip
    assert (group["mail"], group["groupTypes"]) == ("pilots@acme.example", [])
    created = result_of(
        "create_team", template_odata_bind="standard", group_odata_bind=link("groups", group["id"])
    )
    members = result_of("list_team_members", teamId=created["id"], _select="userId,roles")["value"]
    assert members == [{"userId": "ben", "roles": ["owner"]}, {"userId": "cem", "roles": ["member"]}]


def test_of_settings_only_those_named_change(result_of):
    changed = result_of("update_team", teamId=TEAM, funSettings={"giphyContentRating": "strict"})
    assert changed["funSettings"] == {"allowGiphy": True, "giphyContentRating": "strict"}
    assert (changed["displayName"], changed["incomingChannels"]) == ("Crew", None)


def test_tags_know_their_people(result_of):
    created = result_of("create_teamwork_tag", team_id=TEAM, displayName="Day", members=[{"userId": "ben"}])
    assert (created["memberCount"], created["members"]) == (
        1,
        [{"userId": "ben", "displayName": "Ben Smith"}],
    )
    result_of("create_teamwork_tag_member", team_id=TEAM, tag_id=created["id"], userId="ana")
    changed = result_of(
        "update_teamwork_tag", team_id=TEAM, tag_id=created["id"], members=[{"userId": "ana"}]
    )
    assert [m["userId"] for m in changed["members"]] == ["ana"]
    tags = result_of("list_teamwork_tags", team_id=TEAM, _filter="memberCount eq 1")["value"]
    assert [t["displayName"] for t in tags] == ["Day"]


def test_a_group_gets_another_owner(result_of, refused):
    assert result_of("add_group_owner", groupId="group_crew", _odata_id=link("users", "cem")) == DONE
    (group,) = result_of("list_groups", _expand="owners", _search='"sail"')["value"]
    assert [o["id"] for o in group["owners"]] == ["cem"]
    assert refused("add_group_owner", groupId="group_crew", _odata_id="cem").endswith(
        "already an owner of the group"
    )


def test_a_call_rings_at_its_targets(result_of, one):
    created = result_of(
        "create_call", callbackUri="https://acme.example/cb", requestedModalities=["audio"],
        targets=[{"identity": {"user": {"id": "ben", "displayName": "Ben"}}}],
        mediaConfig={"_odata_type": "#microsoft.graph.serviceHostedMediaConfig"},
    )  # fmt: skip
    assert (created["state"], created["direction"], len(created)) == ("establishing", "outgoing", 26)
    assert created["targets"][0]["identity"]["user"]["displayName"] == "Ben"
    assert (
        one(f"SELECT json_extract(targets, '$[0].identity.user.id') FROM calls WHERE id = '{created['id']}'")
        == "ben"
    )


def test_sound_is_routed_inside_a_call(result_of):
    created = result_of(
        "create_audio_routing_group",
        call_id="c1",
        routingMode="multicast",
        sources=["p0"],
        receivers=["p1", "p2"],
    )
    assert (created["routingMode"], created["receivers"]) == ("multicast", ["p1", "p2"])


def test_a_status_answers_with_its_code(result_of, one):
    message = {"message": {"content": "Ashore", "contentType": "text"}}
    assert result_of("set_user_status_message", user_id="ben@acme.example", statusMessage=message) == 200
    assert one("SELECT status_message FROM teams_presence_sessions WHERE user_id = 'ben'") == json.dumps(
        message
    )
    result_of(
        "set_user_status_message",
        user_id="ben",
        statusMessage={"message": {"content": "", "contentType": "text"}},
    )
    assert one("SELECT count(*) || group_concat(status_message IS NULL) FROM teams_presence_sessions") == "11"


EVENT = {
    "displayName": "Tides", "description": {"contentType": "text", "content": "All about them."},
    "startDateTime": {"dateTime": "2026-03-01T10:00:00", "timeZone": "UTC"},
    "endDateTime": {"dateTime": "2026-03-01T06:00:00", "timeZone": "Pacific Standard Time"},
    "audience": "organization", "coOrganizers": [{"id": "ben"}],
}  # fmt: skip


def test_a_webinar_is_a_draft_until_it_is_published(result_of):
    created = result_of("create_virtual_event_webinar", **EVENT)
    assert re.fullmatch(f"{UUID}@{UUID}", created["id"]) and created["status"] == "draft"
    assert created["coOrganizers"] == [{"id": "ben", "tenantId": "tenant-acme", "displayName": "Ben Smith"}]
    assert created["endDateTime"] == EVENT["endDateTime"] and created["createdBy"]["user"]["id"] == "ana"
    assert result_of("publish_virtual_event_webinar", webinar_id=created["id"]) == DONE
    assert result_of("get_virtual_event_webinar", webinar_id=created["id"])["status"] == "published"


def test_a_town_hall_knows_users_and_guests_apart(result_of):
    invited = [{"id": "cem"}, {"id": "fan@elsewhere.example"}]
    created = result_of("create_virtual_event_townhall", **EVENT, isInviteOnly=True, invitedAttendees=invited)
    kinds = [(i["@odata.type"].rpartition(".")[2], i["displayName"]) for i in created["invitedAttendees"]]
    assert kinds == [
        ("communicationsUserIdentity", "Cem Smith"),
        ("communicationsGuestIdentity", "fan@elsewhere.example"),
    ]
    assert result_of("cancel_virtual_event_townhall", townhall_id=created["id"]) == DONE
    assert result_of("list_virtual_event_townhalls", _count=True)["@odata.count"] == 2


def test_who_calls_is_told_by_token_or_name(teams, database):
    def sender(value):
        reply = teams.call(database, "send_chat_message", {"chatId": "g1", "body": {"content": "?"}}, value)
        return json.loads(reply.text)["from"]["user"]["id"]

    assert [sender(v) for v in ("token-ben", "cem@acme.example", None)] == ["ben", "cem", "ana"]


@pytest.mark.parametrize("value", ["nobody", "token-eve"])
def test_a_caller_who_cannot_log_in_is_refused(teams, database, value):
    assert teams.call(database, "list_teams", {}, value).text == "Invalid or expired access token"
