"""Plans change by change, as small planners write them, and with all checks first, as they run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.plan import parse, references, render
from eops_traj.planner.step_order import change_by_change, checks_first, read_as_run, write_by_change

TWO = """\
1. find_user(name="[name 1]")
2. require($1.active == 1) -- [name 1] has left
3. find_user(name="[name 2]")
4. get_case(case_id="[code 1]")
5. require($4.state != "closed") -- [code 1] is closed
6. assign_case(case_id=$4.id, user_id=$1.user_id)
7. create_note(case_id=$4.id, text="for {$3.name}")"""
BY_CHANGE = """\
1. find_user(name="[name 1]")
2. require($-1.active == 1) -- [name 1] has left
3. get_case(case_id="[code 1]")
4. require($-1.state != "closed") -- [code 1] is closed
5. assign_case(case_id=$-2.id, user_id=$-4.user_id)
6. find_user(name="[name 2]")
7. create_note(case_id=$-4.id, text="for {$-1.name}")"""


def test_each_change_stands_right_behind_what_it_needs():
    assert write_by_change(TWO) == BY_CHANGE


def test_all_that_needs_no_change_is_run_before_the_first():
    lines = [line.partition(". ")[2] for line in read_as_run(BY_CHANGE).splitlines()]
    assert lines[:5] == [
        'find_user(name="[name 1]")', "require($1.active == 1) -- [name 1] has left",
        'get_case(case_id="[code 1]")', 'require($3.state != "closed") -- [code 1] is closed',
        'find_user(name="[name 2]")',
    ]  # fmt: skip
    assert lines[5:] == [
        "assign_case(case_id=$3.id, user_id=$1.user_id)", 'create_note(case_id=$3.id, text="for {$5.name}")',
    ]  # fmt: skip


def test_the_second_of_two_pieces_of_work_is_written_as_it_is_alone():
    alone = '1. find_group(name="[name 3]")\n2. require(count($1) == 1) -- none\n3. delete_group(id=$1[0].id)'
    first = '1. get_case(case_id="[code 1]")\n2. require(ok($1)) -- none\n3. close_case(id=$1.id)'
    both = (
        '1. get_case(case_id="[code 1]")\n2. require(ok($1)) -- none\n3. find_group(name="[name 3]")\n'
        "4. require(count($3) == 1) -- none\n5. close_case(id=$1.id)\n6. delete_group(id=$3[0].id)"
    )
    parts = [line.partition(". ")[2] for text in (first, alone) for line in write_by_change(text).split("\n")]
    assert [line.partition(". ")[2] for line in write_by_change(both).split("\n")] == parts
    assert read_as_run(write_by_change(both)) == both


def test_what_needs_a_change_stays_behind_it():
    made = (
        '1. create_case(title="[text 1]")\n2. get_case(id=$1.id)\n3. require($2.state == "new") -- not new\n'
        "4. find_user(name=$2.owner)\n5. update_case(case_id=$1.id, owner=$4.id)"
    )
    assert render(checks_first(parse(made))) == made
    assert read_as_run(write_by_change(made)) == made


def test_a_check_of_what_no_change_needs_stands_behind_the_step_before_it():
    text = (
        '1. find_user(name="[name 1]")\n2. list_cases(of=$1.id)\n3. require(count($2) == 0) -- some left\n'
        '4. find_group(name="[name 2]")\n5. add_member(group=$4.id)\n6. disable_user(id=$1.id)'
    )
    assert write_by_change(text).splitlines() == [
        '1. find_group(name="[name 2]")', "2. add_member(group=$-1.id)", '3. find_user(name="[name 1]")',
        "4. list_cases(of=$-1.id)", "5. require(count($-1) == 0) -- some left",
        "6. disable_user(id=$-3.id)",
    ]  # fmt: skip
    apart = "1. list_news()\n2. require(count($1) == 0) -- news\n3. find_user()\n4. delete_user(id=$3.id)"
    assert write_by_change(apart).startswith("1. list_news()\n2. require(count($-1) == 0)")


def test_a_check_that_asks_whether_a_call_failed_stays_on_the_next_line():
    text = (
        '1. find_user(name="[name 1]")\n2. list_rules()\n3. get_delegate(user=$1.id)\n'
        "4. require(ok($3) == $2.open) -- no delegate\n5. require($3.open == true) -- closed\n"
        "6. delete_delegate(user=$1.id, rule=$2.id)"
    )
    assert read_as_run(write_by_change(text)) == text


def test_what_is_asked_about_with_a_change_in_mind_is_run_behind_it_too():
    text = (
        '1. create_rule(name="a")\n2. get_delegate(user="b")\n3. require(ok($2) != $1.shared) -- shared\n'
        "4. update_rule(id=$1.id)"
    )
    assert read_as_run(write_by_change(text)) == read_as_run(text) == text


@pytest.mark.parametrize("text", ["REFUSE: only admins may", "no plan", "1. find(id=$-1.id)", ""])
def test_what_has_no_steps_or_is_no_plan_stays_as_it_is(text):
    assert write_by_change(text) == read_as_run(text) == text


@st.composite
def plans(draw):
    lines = []
    for number in range(1, draw(st.integers(2, 12)) + 1):
        needs = draw(st.sets(st.integers(1, number - 1), max_size=3)) if number > 1 else set()
        values = "".join(f", a{n}=${n}.id" for n in sorted(needs))
        kind = draw(st.sampled_from(["find_it(", "update_it(", "require"]))
        if kind == "require":
            lines.append(f"require([{', '.join(f'${n}.id' for n in sorted(needs))}] != []) -- no {number}")
        else:
            lines.append(f'{kind}n="{number}"{values})')
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def told(text):
    """Return each step of a plan by what it says, with what it refers to."""
    steps = parse(text).steps
    name = {n: step.reason or step.arguments["n"] for n, step in enumerate(steps, 1)}
    return {name[n]: {name[ref.step] for ref in references(step)} for n, step in enumerate(steps, 1)}


@given(plans())
def test_no_step_is_lost_and_none_refers_to_another(text):
    written = write_by_change(text)
    assert told(written) == told(text) == told(read_as_run(written))
    assert change_by_change(parse(text)) == parse(written)


@given(plans())
def test_changes_keep_their_order_and_what_runs_is_the_same_however_often_it_is_written(text):
    def changes(plan):
        return [step.arguments["n"] for _, step in parse(plan).calls() if step.tool == "update_it"]

    run = read_as_run(write_by_change(text))
    assert changes(run) == changes(text)
    assert read_as_run(run) == run
