from eops_traj.collect.orchestrator import configure
from tests.collectors.asked import TASK
from tests.collectors.desks import Desk, says


def test_it_calls_until_it_answers():
    found = says("First the person.", find_user={"name": "Conrad Vogt"})
    desk = Desk(TASK, [found, says(find_user_group={"name": "Service Desk"}), says("Both are there.")])
    assert desk.work(configure("react").orchestrator) == "Both are there."
    first, second, third = (messages for messages, _, _ in desk.asked)
    assert [m["role"] for m in first] == ["system", "user"]
    assert first[1]["content"] == TASK.user_prompt
    assert second[:2] == first and [m["role"] for m in second[2:]] == ["assistant", "tool"]
    assert third[:4] == second and "Service Desk" in third[-1]["content"]
    assert desk.turns[0].nudge is None and '"user_id": 8' in desk.turns[0].tool_calls[0].result


def test_an_answer_at_once_is_an_answer():
    desk = Desk(TASK, [says("No.")])
    assert desk.work(configure("react").orchestrator) == "No."
    assert [(role, tools) for _, role, tools in desk.asked] == [("executor", True)]
