import re

import pytest

ROLES = {"guest": 40, "member": 57, "user_admin": 63, "teams_admin": 64, "admin": 70}


def tools_of(teams, role):
    return {name for name, tool in teams.tools.items() if not tool.roles or role in tool.roles}


def test_the_policy_is_as_long_as_a_real_one_and_names_only_what_exists(teams):
    assert len(teams.policy.split()) > 1_500
    columns = [c for t in teams.schema.tables.values() for c in t.columns.values()]
    known = {word for c in columns for word in (c.name, *c.enum)} | teams.tools.keys()
    known |= {argument.name for tool in teams.tools.values() for argument in tool.arguments}
    known |= {
        "owner",
        "member",
        "guest",
        "standard",
        "Guest",
        "contentType",
        "text",
        "html",
        "audio",
        "video",
        "data",
    }
    known |= {"videoBasedScreenSharing", "forceChangePasswordNextSignIn", "tagType", "direction"}
    assert set(re.findall(r"`(\w+)`", teams.policy)) <= known


def test_the_policy_says_what_every_enumeration_of_its_tools_means(teams):
    section = teams.policy.split("## 15.")[1]
    written = [t for t in teams.tools.values() if t.name.startswith(("create_", "update_", "send_"))]
    for tool in written:
        for argument in tool.arguments:
            if argument.name not in (
                "specialization",
                "messageType",
                "ageGroup",
                "userType",
                "model",
            ) and len(
                words := [
                    w for w in argument.schema.get("enum", ()) if w not in ("unknownFutureValue", "migration")
                ]
            ):
                assert not [w for w in words if w.lower() not in section.lower()], (tool.name, argument.name)


def test_each_role_may_do_what_the_ones_below_may(teams):
    allowed = {role: tools_of(teams, role) for role in ROLES}
    assert {role: len(names) for role, names in allowed.items()} == ROLES
    assert allowed["guest"] < allowed["member"] < allowed["user_admin"] & allowed["teams_admin"] | {"x"}
    assert allowed["user_admin"] | allowed["teams_admin"] == allowed["admin"]


@pytest.mark.parametrize("role", [r for r in ROLES if r != "admin"])
def test_what_a_role_may_not_do_is_refused_when_permissions_are_strict(teams, role):
    database = teams.template().open()
    query = (
        "SELECT static_token FROM teams_users JOIN user_role USING (org_id, user_id) WHERE account_enabled"
    )
    token = database.run_sql(f"{query} AND role = '{role}' AND org_id = 'corvane-001'").rows[0][0]
    for name in teams.tools.keys() - tools_of(teams, role):
        denial = f"Access denied: {name} is not allowed for the role '{role}'"
        assert teams.call(database, name, {}, token, strict_permissions=True).text == denial
        assert teams.call(database, name, {}, token).text != denial  # the real tasks run without
    assert not teams.call(database, "list_teams", {}, token, strict_permissions=True).is_error
