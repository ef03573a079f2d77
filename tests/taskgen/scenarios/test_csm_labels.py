"""Labels of customer service families: what is refused cannot be done, and figures have one right value."""

import re
from random import Random

import pytest

from eops_traj.taskgen.draft import Draft
from eops_traj.taskgen.family import families
from eops_traj.taskgen.scenarios.csm import extras, figures
from eops_traj.taskgen.wording import vary
from tests.taskgen.scenarios.played import drafts, replies, texts, with_twins

_UNDER_WARRANTY = """SELECT COUNT(*) FROM contract k JOIN installed_product i USING (account_id)
    JOIN product p USING (product_id) WHERE k.contract_id = ? AND p.category = 'hardware'
    AND i.warranty_end >= '2026-01-05' AND (instr(?, p.name) OR p.product_id IN
        (SELECT product_id FROM customer_case WHERE instr(?, number)))"""


@pytest.mark.parametrize(
    ("family", "kind", "tool", "field"),
    [
        ("assign_or_deputy", "inactive_person", "assign_case_to_user", "assigned_to"),
        ("balance_groups", "policy_forbids", "set_case_assignment_group", "assignment_group_id"),
    ],
)
def test_whom_the_branch_picks_is_who_may_not_have_the_case(
    family: str, kind: str, tool: str, field: str
) -> None:
    branches = set()
    for usual, twin in with_twins("csm", family, kind, 16):
        (case,) = replies(usual, tool)
        ((_, change),) = twin.scene.perturbed_rows
        assert change.key == (case[field],)
        branches.add(tuple(map(bool, texts(usual, tool))))
    assert branches == {(True, False), (False, True)}


@pytest.mark.parametrize(("family", "company"), [("open_case", 5000), ("open_anew", 5015)])
def test_where_the_contract_has_run_out_no_warranty_carries_the_case(family: str, company: int) -> None:
    twins = drafts("csm", family, "policy_forbids", 24, company)
    assert len(twins) > 8 and not any(map(_under_warranty, twins))


def _under_warranty(twin: Draft) -> int:
    ((_, change),) = twin.scene.perturbed_rows
    with twin.scene.start_state().open() as session:
        connection = session.database("csm").connection
        found = connection.execute(_UNDER_WARRANTY, (change.key[0], twin.request, twin.request)).get
    return int(found)


def test_contracts_that_are_counted_by_their_state_are_asked_for_by_their_state() -> None:
    known: list[figures.Figure | extras.Extra] = [*figures._OF_ACCOUNT]
    known += [*extras._OF_ACCOUNT, *extras._OF_DESK]
    counted = [one.words for one in known if re.search("contract.*status", one.tool)]
    said = {vary(Random(n), words) for words in counted for n in range(20)}
    said |= {draft.request for draft in drafts("csm", "suspend_dearest", None, 12)}
    assert len(counted) == 6 and len(said) > 30
    assert not [words for words in said if "state " not in words]


def test_the_dearest_active_contract_is_dearest_by_the_calendar_too() -> None:
    for draft in drafts("csm", "suspend_dearest", None, 24):
        (contracts,) = replies(draft, "find_contracts")
        assert min(row["end_date"] for row in contracts) >= "2026-01-05"


def test_who_has_left_is_not_passed_over_when_two_are_to_join_a_group() -> None:
    said = {draft.request for draft in drafts("csm", "join_group", "inactive_person", 30)}
    assert len(said) > 20 and not [
        words for words in said if re.search(r"stays out|gets in|as far as", words)
    ]


def test_only_what_the_rules_forbid_stands_against_an_assignment_and_a_priority() -> None:
    """No rule says who may work on a closed case, nor that a canceled one keeps its priority."""
    known = {family.name: family for family in families(["csm"])}
    assert "policy_forbids" not in known["change_priority"].perturbations
    twins = drafts("csm", "assign_or_deputy", "policy_forbids", 8)
    changed = [(change.table, change.after) for twin in twins for _, change in twin.scene.perturbed_rows]
    assert len(twins) > 3 and all(one == ("user_group", {"active": 0}) for one in changed)


def test_who_is_reminded_is_past_five_days_by_the_hour_and_by_the_calendar() -> None:
    on_the_edge = """SELECT COUNT(*) FROM customer_case WHERE state = 'pending' AND priority = ?
        AND sys_updated_on BETWEEN '2025-12-31' AND '2025-12-31 09:00:00'"""
    played = drafts("csm", "chase_pending", None, 8, 7000)
    for draft in played:
        (priority,) = {case["priority"] for case in replies(draft, "search_cases")[0]}
        with draft.scene.start_state().open() as session:
            connection = session.database("csm").connection
            assert connection.execute(on_the_edge, (priority,)).get == 0
    assert len(played) > 3


def test_a_customer_who_leaves_keeps_entitlements_of_no_running_contract_in_every_wording() -> None:
    said = {draft.request for draft in drafts("csm", "end_business", None, 12)}
    assert len(said) > 6 and not [words for words in said if "no active contract, entitlement" in words]


def test_where_nobody_else_speaks_for_a_customer_the_heir_is_missing() -> None:
    """No rule forbids it: the contact to whom the cases were to go is not there."""
    twins = drafts("csm", "contact_resigned", "missing_entity", 4)
    changed = {change.table for twin in twins for _, change in twin.scene.perturbed_rows}
    assert len(twins) > 1 and changed == {"contact"}
    assert "policy_forbids" not in twins[0].families[0].perturbations
