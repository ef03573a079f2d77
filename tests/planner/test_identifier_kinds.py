import pytest

from eops_traj.planner.identifier_kinds import is_identifier, normalized_name, record_kind


@pytest.mark.parametrize(
    ("server", "name", "kind"),
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
def test_what_an_identifier_identifies(server, name, kind):
    assert record_kind(server, name) == kind


def test_names_are_compared_however_they_are_spelt():
    assert normalized_name("userIds") == normalized_name("user_id") == "userid"
    assert (
        is_identifier("id")
        and is_identifier("teamId")
        and is_identifier("case_id")
        and not is_identifier("paid")
        and not is_identifier("kids")
    )
