import pytest

from eops_traj.planner.identifier_kinds import is_key, kind, plain


@pytest.mark.parametrize(
    ("server", "name", "found"),
    [
        ("sn-csm-server", "case_id", "sn-csm-server customer_case"),
        ("sn-csm-server", "assigned_to", "sn-csm-server user"),
        ("sn-csm-server", "assigned_to_user_id", "sn-csm-server user"),
        ("sn-csm-server", "interacted_user", "sn-csm-server user"),
        ("sn-csm-server", "priority", None),
        ("gym-google-drive-mcp", "id", None),
        ("gym-google-drive-mcp", "driveId", "gym-google-drive-mcp drives"),
        ("somewhere", "case_id", "somewhere case"),
        ("somewhere", "caseIds", "somewhere case"),
        ("somewhere", "paid", None),
        (None, "id", None),
    ],
)
def test_what_an_identifier_identifies(server, name, found):
    assert kind(server, name) == found


def test_names_are_compared_however_they_are_spelt():
    assert plain("userIds") == plain("user_id") == "userid"
    assert (
        is_key("id") and is_key("teamId") and is_key("case_id") and not is_key("paid") and not is_key("kids")
    )
