import pytest

from eops_traj.verify.categories import category


@pytest.mark.parametrize(
    ("query", "expected", "comparison", "wanted"),
    [
        ("SELECT COUNT(*) FROM customer_case WHERE case_id = 5", 1, "equals", "task_completion"),
        ("SELECT coverage_hours FROM entitlement", "h24x7", "equals", "task_completion"),
        ("SELECT COUNT(*) FROM slang_dictionary", 1, "equals", "task_completion"),
        ("SELECT COUNT(*) FROM customer_case WHERE state = 'new'", 0, "equals", "integrity"),
        ("SELECT COUNT(*) FROM channels", "0", "equals", "integrity"),
        ("SELECT id FROM channels", [], "equals", "integrity"),
        ("SELECT COUNT(*) FROM customer_case", 5, "less_than", "integrity"),
        ("SELECT a FROM t GROUP BY a HAVING COUNT(*) > 1", 1, "equals", "integrity"),
        ("SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM t)", 1, "equals", "integrity"),
        ("SELECT COUNT(*) FROM case_sla WHERE case_id = 5", 1, "equals", "permission_and_process"),
        ('SELECT COUNT(*) FROM "user_group_member"', 1, "equals", "permission_and_process"),
        ("select count(*) from notification n", 1, "equals", "permission_and_process"),
        ("SELECT COUNT(*) FROM sla_definition", 1, "equals", "permission_and_process"),
    ],
)
def test_the_query_tells(query, expected, comparison, wanted):
    assert category("database_state", query, expected, comparison) == wanted


def test_the_kind_tells_where_there_is_no_comparison():
    assert category("tool_execution", None, None, None) == "permission_and_process"
    assert category("response_check", "SELECT 0", None, None) == "task_completion"
