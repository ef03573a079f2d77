import pytest

from tests.gym.servers.teams.world import GENERAL, SECRET, TEAM

GRAPH = "https://graph.microsoft.com/v1.0/$metadata#"


def test_a_collection_has_context_number_and_value(result_of):
    assert result_of(
        "list_channels", teamId=TEAM, _filter="membershipType eq 'private'", _select="id,displayName"
    ) == {
        "@odata.context": f"{GRAPH}teams('{TEAM}')/channels",
        "@odata.count": 1,
        "value": [
            {
                "@odata.id": f"https://graph.microsoft.com/v1.0/tenants/tenant-acme/teams/{TEAM}/channels/{SECRET}",
                "id": SECRET,
                "displayName": "Secret",
            }
        ],
    }


@pytest.mark.parametrize(
    ("name", "arguments", "keys"),
    [
        ("list_teams", {}, ["@odata.context", "value"]),
        ("list_teams", {"_count": True}, ["@odata.context", "@odata.count", "value"]),
        ("list_team_members", {"teamId": TEAM}, ["@odata.count", "value"]),
        ("list_teams_apps", {}, ["@odata.context", "value"]),
        ("list_installed_apps", {"teamId": TEAM}, ["@odata.context", "@odata.count", "value"]),
    ],
)
def test_which_lists_say_how_many(result_of, name, arguments, keys):
    assert list(result_of(name, **arguments)) == keys


def test_the_context_of_installed_apps_has_no_host(result_of):
    context = result_of("list_installed_apps", teamId=TEAM)["@odata.context"]
    assert context == f"$metadata#teams('{TEAM}')/installedApps"


def test_a_list_of_people_shows_the_commonest_properties_unless_others_are_chosen(result_of):
    user = result_of("list_users")["value"][0]
    assert len(user) == 12 and "accountEnabled" not in user
    assert [
        u["id"] for u in result_of("list_users", _filter="accountEnabled eq false", _select="id")["value"]
    ] == ["eve"]


def test_pages_follow_one_another(result_of):
    first = result_of("list_users", _top=2, _orderby="id desc", _select="id", _count=True)
    assert [u["id"] for u in first["value"]] == ["guest", "eve"] and first["@odata.count"] == 5
    assert first["@odata.nextLink"].endswith("users?$skip=2")
    assert [u["id"] for u in result_of("list_users", _skip=4, _orderby="id desc", _select="id")["value"]] == [
        "ana"
    ]


def test_a_token_leads_to_the_next_page_and_is_refused_when_it_is_none(result_of, refused):
    result_of("create_team", template_odata_bind="standard", displayName="Deck", members=[
        {"roles": ["owner"], "user_odata_bind": "ana"}])  # fmt: skip
    link = result_of("list_teams", _top=1)["@odata.nextLink"]
    token = link.partition("$skiptoken=")[2]
    rest = result_of("list_teams", _skiptoken=token)
    assert len(rest["value"]) == 1 and "@odata.nextLink" not in rest
    assert result_of("list_teams", _skiptoken=link) == rest
    assert refused("list_teams", _skiptoken="!") == "Invalid skiptoken: '!'"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"_filter": "id eq"}, "Invalid filter clause: Syntax error at position 5 in 'id eq'."),
        ({"_filter": "nope eq 1"}, "Invalid filter clause: Could not find a property named 'nope'."),
        ({"_select": "a-b"}, "Invalid select clause: 'a-b'."),
        ({"_expand": "team"}, "Invalid expand parameter value: 'team'. Supported values: 'teamsApp'"),
        (
            {"_expand": "teamsApp($select=id)"},
            "Invalid expand parameter value: 'teamsApp($select=id)'. Supported values: 'teamsApp'",
        ),
        ({"_expand": "teamsApp(_select=a-b)"}, "Invalid select clause: 'a-b'."),
    ],
)
def test_a_malformed_option_is_the_apis_own_error_even_for_an_empty_list(refused, arguments, message):
    assert refused("list_tabs_in_channel", teamId=TEAM, channelId=GENERAL, **arguments) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"_orderby": "id down"}, "Invalid orderby clause: 'id down'."),
        ({"_search": "ana"}, "Invalid search clause: terms stand in double quotes in 'ana'."),
        ({"_orderby": "nope"}, "Could not find a property named 'nope'."),
    ],
)
def test_so_is_a_malformed_order_or_search(refused, arguments, message):
    assert refused("list_groups", **arguments) == message


def test_what_is_expanded_has_options_of_its_own(result_of):
    channel = result_of("get_primary_channel", teamId=TEAM, _select="displayName", _expand="members,tabs")
    assert list(channel) == ["@odata.context", "@odata.id", "displayName", "members", "tabs"]
    chat = result_of("list_chats", _filter="topic eq 'Lunch'", _expand="members(_select=userId)")["value"][0]
    assert chat["members"] == [{"userId": "ana"}, {"userId": "ben"}]
    for top, number in (("1", 1), ("9" * 5000, 2)):
        [chat] = result_of("list_chats", _filter="topic eq 'Lunch'", _expand=f"members(_top={top})")["value"]
        assert len(chat["members"]) == number


def test_a_malformed_option_of_what_is_expanded_is_the_apis_own_error(refused):
    inner = "Invalid expand parameter value: 'x'. Supported values: "
    assert refused("list_chats", _expand="members(_expand=x)") == inner
    assert refused("list_chats", _expand="members(_select=user id)") == "Invalid select clause: 'user id'."
    wrong = {"teamId": TEAM, "_expand": "members(_select=a-b)"}
    assert refused("get_primary_channel", **wrong) == "Invalid select clause: 'a-b'."


def test_a_primary_channel_that_the_filter_leaves_out_is_none(refused):
    assert refused("get_primary_channel", teamId=TEAM, _filter="id eq 'x'") == "No object matches the filter"


def test_members_are_filtered_through_a_cast(result_of):
    text = (
        "(microsoft.graph.aadUserConversationMember/displayName eq 'ben smith' or roles/any(r: r eq 'guest'))"
    )
    members = result_of("list_team_members", teamId=TEAM, _filter=text)["value"]
    assert [m["userId"] for m in members] == ["ben"]


def test_chats_are_those_of_the_caller(result_of):
    assert [c["id"] for c in result_of("list_chats", caller="ben")["value"]] == ["ana_ben", "g1"]
    assert result_of("list_chats", caller="cem")["value"] == []
