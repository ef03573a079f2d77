from datetime import datetime
from random import Random

import pytest

from eops_traj.gym.company.company import company
from eops_traj.gym.registry import server
from eops_traj.gym.servers.csm.seed import seed

HIGHEST = {
    "customer_case": 1232, "case_sla": 2464, "notification": 733, "interaction": 1232, "user": 802,
    "user_group": 80, "user_group_member": 959, "account": 52, "contact": 124, "location": 906,
    "product": 240, "installed_product": 300, "contract": 153, "entitlement": 431, "knowledge": 369,
    "case_knowledge": 527, "sla_definition": 12,
}  # fmt: skip


@pytest.mark.parametrize("number", [0, 1, 2])
def test_ids_go_on_where_the_real_seeds_end(number):
    database = server("csm").template(number).open()
    rows = {
        table: database.connection.execute(f'SELECT max(rowid), count(*) FROM "{table}"').fetchall()[0]
        for table in HIGHEST
    }
    assert rows == {table: (highest, highest) for table, highest in HIGHEST.items()}
    assert database.connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_number_is_a_seed():
    def tables(number):
        return [(table, list(rows)) for table, rows in seed(Random(number))]

    assert tables(3) == tables(3) != tables(4)


def test_the_people_of_the_company_keep_their_numbers(rows):
    staff = company(Random(0)).people
    kept = [(p.number, p.first_name, p.last_name, p.email, p.phone, p.active) for p in staff]
    assert kept == [
        *rows(
            "SELECT user_id, first_name, last_name, email, phone, active FROM user"
            f" WHERE user_id <= {len(staff)} ORDER BY user_id"
        )
    ]


@pytest.mark.parametrize(
    ("nothing", "query"),
    [
        ("a case of another account's contact", """SELECT 1 FROM customer_case JOIN contact USING (contact_id)
            WHERE customer_case.account_id <> contact.account_id"""),
        ("a case about another account's piece", """SELECT 1 FROM customer_case c JOIN installed_product p
            USING (installed_product_id)
            WHERE p.account_id <> c.account_id OR p.product_id <> c.product_id"""),
        ("a person outside the group of the case", """SELECT 1
            FROM customer_case c LEFT JOIN user_group_member m
            ON m.group_id = c.assignment_group_id AND m.user_id = c.assigned_to
            WHERE assigned_to IS NOT NULL AND member_id IS NULL"""),
        ("a case that a customer works on", """SELECT 1 FROM customer_case JOIN user ON user_id = assigned_to
            WHERE role NOT IN ('agent', 'manager')"""),
        ("an entitlement from a stranger's contract", """SELECT 1 FROM entitlement e JOIN contract c
            USING (contract_id) WHERE e.account_id <> c.account_id"""),
        ("a contact that is staff", """SELECT 1 FROM contact JOIN user ON user_id = portal_user_id
            WHERE role <> 'customer'"""),
        ("a closing without its time", """SELECT 1 FROM customer_case
            WHERE (state = 'closed') <> (closed_on IS NOT NULL)"""),
        ("a change before the making", "SELECT 1 FROM customer_case WHERE sys_updated_on < sys_created_on"),
        ("anything of tomorrow", "SELECT 1 FROM customer_case WHERE sys_updated_on > '2026-01-05 09:00:00'"),
        ("an SLA of another priority", """SELECT 1 FROM case_sla JOIN customer_case USING (case_id)
            JOIN sla_definition USING (sla_def_id) WHERE applies_to_priority <> priority"""),
        ("an article about another product", """SELECT 1 FROM case_knowledge
            JOIN knowledge k USING (knowledge_id) JOIN customer_case c USING (case_id)
            WHERE k.product_id <> c.product_id"""),
        ("a city in another country", """SELECT 1 FROM location WHERE city || country NOT IN
            ('new_yorkusa', 'londonuk', 'mumbaiindia', 'tokyojapan', 'sydneyaustralia')"""),
    ],
)  # fmt: skip
def test_the_records_fit_together(rows, nothing, query):
    assert rows(query) == (), nothing


@pytest.mark.parametrize(
    ("least", "query"),
    [
        (5, "SELECT 1 FROM user WHERE role <> 'customer' AND NOT active"),
        (12, "SELECT 1 FROM user GROUP BY first_name, last_name HAVING count(*) > 1"),
        (5, "SELECT 1 FROM account a JOIN account b ON b.name LIKE a.name || ' %'"),
        (25, "SELECT 1 FROM product WHERE lifecycle_state = 'retired'"),
        (1, "SELECT 1 FROM contract WHERE status = 'active' AND end_date < '2026-01-05'"),
        (20, "SELECT 1 FROM entitlement e JOIN contract USING (contract_id) WHERE NOT e.active"),
        (10, "SELECT 1 FROM entitlement WHERE product_id IS NULL AND active"),
        (5, "SELECT 1 FROM customer_case WHERE state = 'new' AND sys_created_on < '2025-12-01'"),
        (5, "SELECT 1 FROM contact WHERE is_primary AND NOT active"),
        (3, """SELECT 1 FROM customer_case JOIN user ON user_id = assigned_to
            WHERE NOT active AND state = 'in_progress'"""),
        (20, "SELECT 1 FROM case_sla WHERE has_breached AND stage = 'in_progress'"),
        (20, "SELECT 1 FROM case_sla WHERE NOT has_breached AND stage = 'in_progress'"),
    ],
)  # fmt: skip
def test_look_ups_are_hard(rows, least, query):
    assert len(rows(query)) >= least


def test_times_are_written_as_the_server_writes_them(rows):
    for (moment,) in rows("SELECT sys_created_on FROM user UNION ALL SELECT start_time FROM case_sla"):
        assert datetime.strptime(moment, "%Y-%m-%d %H:%M:%S")
