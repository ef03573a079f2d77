"""Handwritten tasks on the default company's customer service: one to do, and its twin to decline."""

from dataclasses import replace

from eops_traj.hashing import canonical_json
from eops_traj.schema import Json, Server, Task, Verifier

PLAN = """\
1. find_user_group(name="Service Desk") -- the group to join
2. find_user(name="Conrad Vogt") -- who is to join
3. require($2.active == 1) -- an inactive person cannot be put into a group
4. check_user_membership(user_id=$2.user_id, group_id=$1.group_id) -- whether they are in it already
5. require($4.exists == false) -- they are in it already
6. add_new_group_member(group_id=$1.group_id, user_id=$2.user_id) -- put them in
7. update_user_details(user_id=$2.user_id, phone="+1 555 0100") -- note the new number
"""
BY_SLOTS = (
    PLAN.replace("Service Desk", "[name 2]")
    .replace("Conrad Vogt", "[name 1]")
    .replace("+1 555 0100", "[phone 1]")
)
"""The same plan as a planner writes it that is told the values of the request by their numbers."""
JOINED = "SELECT COUNT(*) FROM user_group_member WHERE group_id = 1 AND user_id = 8"
NUMBER = "SELECT COUNT(*) FROM user WHERE user_id = 8 AND phone = '+1 555 0100'"
GONE = "UPDATE user SET active = 0 WHERE user_id = 8;"


def counts(query, expected):
    config = Json(canonical_json({"query": query, "expected_value": expected, "comparison_type": "equals"}))
    return Verifier(name=query, kind="database_state", server="sn-csm-server", config=config)


def server(patch=""):
    details = {
        "company": 0,
        "patch": f"DELETE FROM user_group_member WHERE group_id = 1 AND user_id = 8;{patch}",
    }
    context = {"x-user-email": "johanne.wolf@corvane.example"}
    return Server(
        name="sn-csm-server",
        seed="",
        context=Json(canonical_json(context)),
        details=Json(canonical_json(details)),
    )


TASK = Task(
    task_id="join_group",
    domain="csm",
    mode="oracle",
    suite="tests",
    system_prompt="Look a record up before you change it.",
    user_prompt="Please take Conrad Vogt into Service Desk, and note his new number, +1 555 0100.",
    servers=(server(),),
    tools=(
        "find_user",
        "find_user_group",
        "check_user_membership",
        "add_new_group_member",
        "update_user_details",
    ),
    verifiers=(counts(JOINED, 1), counts(NUMBER, 1)),
    feasible=True,
    plan=PLAN,
)
TWIN = replace(
    TASK,
    task_id="join_group_gone",
    servers=(server(GONE),),
    verifiers=(counts(JOINED, 0), counts(NUMBER, 0)),
    feasible=False,
)
