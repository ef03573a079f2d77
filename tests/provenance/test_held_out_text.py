"""A plan that names nothing is nobody's: it stands in any suite; one that names a single thing is found."""

from eops_traj.provenance.held_out_text import HeldOutText, plan_facts

NOTHING = """\
1. get_user(_select="") -- who asks
2. list_items(userId=$1.id) -- what there is
3. require(count($2) > 0) -- there is nothing
4. for $2: delete_item(id=$row.id) -- away with it"""
ONE_NAME = NOTHING.replace("userId=$1.id", 'userId=$1.id, q="Quarter Close"')
OTHER_NAME = NOTHING.replace("userId=$1.id", 'userId=$1.id, q="Quarter Start"')


def test_a_plan_that_names_nothing_has_no_facts() -> None:
    assert plan_facts(NOTHING) == set()
    assert len(plan_facts(ONE_NAME)) == 4  # too few that name something: then all of its lines
    assert plan_facts("1. update_case(case_id=81)") == {"update_case(case_id=81)"}


def test_it_is_not_found_where_it_stands_and_a_lookalike_with_a_name_is() -> None:
    index = HeldOutText({}, {"nothing": NOTHING, "named": ONE_NAME})
    assert index.plan_in({"plan": NOTHING}) is None
    assert index.plan_in({"plan": ONE_NAME}) == "named"
    assert index.plan_in({"plan": OTHER_NAME}) is None


def test_reasons_do_not_name_anything() -> None:
    said = NOTHING.replace("away with it", 'all of "Quarter Close" goes')
    assert plan_facts(said) == set()


def test_what_an_earlier_step_returned_names_nothing() -> None:
    """Plans of one family differ in their names alone; references in quotes are the same in all of them."""
    found = "{$1.users[*active=true][0].user_id}"
    changed = "".join(f'{n}. step_{n}(user_id="{found}", note="{{$2.id}}")\n' for n in range(4, 14))
    steps = '1. find_user(email="{asked}")\n2. note(text="For {asked}")\n3. find_group(name="{asked}")\n'
    held, other = (steps.replace("{asked}", name) + changed for name in ("ann@a.example", "bob@b.example"))
    index = HeldOutText({}, {"held": held})
    assert index.plan_in({"plan": held}) == "held" and index.plan_in({"plan": other}) is None


def test_a_request_without_spaces_is_found_though_a_character_was_changed() -> None:
    asked = "请把伯奇菲尔德苗圃的水泵工单改为处理中并转给今天休假回来的奥迪尔因为客户已经打了两次电话"
    index = HeldOutText({"held": asked}, {})
    assert index.request_in({"x": asked.replace("水", "油")}) == "held"
    assert (
        index.request_in({"x": "请把上个季度的销售报告发给财务部门并在周五之前确认他们已经收到了所有的附件"})
        is None
    )
