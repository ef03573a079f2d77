import pytest

from eops_traj.plan import parse
from eops_traj.planner.slot_plan import SlotPlans
from eops_traj.planner.slots import Slots
from tests.planner.test_slots import ASKER
from tests.tasks.small_suite import small_suite

REQUEST = (
    "Please invite Jo Park (jo.park@x.example) to 'Round 2' on Friday 9 January at 10:30 for 90 minutes,"
    ' with 3 chairs of model CV-7. Say "it\'s {on} and \\ on" and keep 1.5 in hand.'
)
PLANS = SlotPlans(Slots.of(ASKER, REQUEST))
SAID = {
    '1. find(email="jo.park@x.example")': '1. find(email="[address 2]")',
    '1. find(first="Jo", name="Jo Park", other="Joan Park")':
        '1. find(first="[name 2.1]", name="[name 2]", other="Joan [name 2.2]")',
    '1. find(n=3, m="3", share=1.5, on=true, many=33)':
        '1. find(n="[number 2]", m="[number 2.1]", share="[number 3]", on=true, many=33)',
    '1. find(serial_like="90", text="90 or more", share="1.5", n="1.50")':
        '1. find(serial_like="[number 1.1]", text="90 or more", share="[number 3.1]", n="1.50")',
    '1. find(q="name eq \'Jo Park\'")': '1. find(q="name eq \'[name 2]\'")',
    '1. list()\n2. find(id=$1.rows[name="Round 2", n > 3].id)':
        '1. list()\n2. find(id=$1.rows[name="[text 1]", n > "[number 2]"].id)',
    '1. list()\n2. find(q="{$1[name=\\"Jo Park\\"].id} of Jo Park")':
        '1. list()\n2. find(q="{$1[name=\\"[name 2]\\"].id} of [name 2]")',
    '1. list()\n2. require(count($1.of["jo.park@x.example"].busy) == 0) -- Jo Park is busy':
        '1. list()\n2. require(count($1.of["[address 2]"].busy) == 0) -- [name 2] is busy',
    '1. put(at="2026-01-09T10:30:00", to="2026-01-09T12:00:00Z", day="2026-01-09", e="2026-01-09 23:59:00")':
        '1. put(at="[date 2]T[time 2]:00", to=shift("[date 2]T[time 2]:00Z", "90 minutes"), day="[date 2]",'
        ' e="[date 2] 23:59:00")',
    '1. put(to="2026-01-10", by="2026-01-08T10:30:00", on="2026-01-04T08:15:30Z", at="2026-09-13")':
        '1. put(to=shift("[date 2]", "1 day"), by=shift("[date 2]T[time 2]:00", "-1 day"),'
        ' on=shift("[date 1]T08:15:30Z", "-1 day"), at="2026-09-13")',
    '1. put(to="2026-02-13", rule="FREQ=DAILY;UNTIL=20260109", q="before:2026/01/09 20260109T1")':
        '1. put(to=shift("[date 2]", "35 days"), rule="FREQ=DAILY;UNTIL=[date 2.3]",'
        ' q="before:[date 2.4] [date 2.3]T1")',
    '1. put(to="2026-01-16T12:00:00", by="2026-01-08T11:00:00Z")':
        '1. put(to=shift(shift("[date 2]T[time 2]:00", "90 minutes"), "7 days"),'
        ' by=shift(shift("[date 2]T[time 2]:00Z", "30 minutes"), "-1 day"))',
    '1. put(q="00:10:30 or 10:30")': '1. put(q="00:10:30 or [time 2]")',
    '1. put(to="2026-02-30")': '1. put(to="2026-02-30")',
    '1. put(q="before:2026-01-09 from 10:30")': '1. put(q="before:[date 2] from [time 2]")',
    '1. get()\n2. require(ok($1)) -- Jo Park is away on Friday 9 January, or from 9 January on':
        '1. get()\n2. require(ok($1)) -- [name 2] is away on [date 2.1], or from [date 2.2] on',
    '1. put(body={"of": ["Jo Park", {"Jo Park": "CV-7"}]})':
        '1. put(body={"of": ["[name 2]", {"Jo Park": "[code 1]"}]})',
    '1. list(of=["ana.ruiz@corvane.example", "jo.park@corvane.example", "x-jo.park@b.de", "jo.parks@c.d"])':
        '1. list(of=["[address 1]", "[name 2.9]@corvane.example", "x-[name 2.9]@b.de", "jo.parks@c.d"])',
    '1. add(nick="jo.park", to="room-jo-park@rooms.example", as="jo-park", kind="jo", q="mia.jo.park@x.y")':
        '1. add(nick="[name 2.9]", to="room-[name 2.8]@rooms.example", as="jo-park", kind="jo",'
        ' q="mia.jo.park@x.y")',
    '1. list()\n2. require(count($1.of["jo.park@corvane.example"].busy) == 0) -- Jo Park is busy':
        '1. list()\n2. require(count($1.of["[name 2.9]@corvane.example"].busy) == 0) -- [name 2] is busy',
    "REFUSE: Jo Park has left": "REFUSE: [name 2] has left",
}  # fmt: skip


@pytest.mark.parametrize(("by_values", "by_slots"), SAID.items())
def test_a_plan_is_said_by_slots_and_read_back(by_values, by_slots):
    assert PLANS.by_slots(by_values) == by_slots
    assert PLANS.by_values(by_slots) == by_values


def test_a_quotation_is_about_something_and_may_have_points_to_fill_in():
    slots = Slots.of(
        ASKER, 'Publish "Drift 4.2: no key" and "by chat: ...; late: ..." and "Re: x" of 20 Sep 2023.'
    )
    by_values = (
        '1. count()\n2. find(name="Drift 4.2", of="Re", at="2023-09-20")\n'
        '3. say(text="by chat: {$1.chat}; late: {$1.late}")'
    )
    by_slots = (
        '1. count()\n2. find(name="[text 1.1]", of="Re", at="[date 2]")\n'
        '3. say(text="[text 2.1]{$1.chat}[text 2.2]{$1.late}")'
    )
    assert SlotPlans(slots).by_slots(by_values) == by_slots
    assert SlotPlans(slots).by_values(by_slots) == by_values


def test_the_end_of_a_day_is_no_time_after_another():
    plans = SlotPlans(Slots.of(ASKER, "Tea with Jo Park on 9 January at 17:00."))
    by_values = '1. put(to="2026-01-09T23:59:00", by="2026-01-16T23:59:00", of="2026-01-16T23:58:00")'
    by_slots = (
        '1. put(to="[date 2]T23:59:00", by=shift("[date 2]T23:59:00", "7 days"),'
        ' of=shift(shift("[date 2]T[time 2]:00", "418 minutes"), "7 days"))'
    )
    assert plans.by_slots(by_values) == by_slots and plans.by_values(by_slots) == by_values


def test_a_person_is_called_by_their_address_and_a_room_is_written_to_by_its_name():
    plans = SlotPlans(Slots.of(ASKER, "Put mia.neal@corvane.example and Harbour into it, José Núñez too."))
    by_values = (
        '1. find(email="room-harbour@rooms.example", by="harbour", to="jose.nunez@x.example")\n'
        "2. require(ok($1)) -- Mia Neal has left, and Mia is not here"
    )
    by_slots = (
        '1. find(email="room-[name 2.8]@rooms.example", by="harbour", to="[name 3.9]@x.example")\n'
        "2. require(ok($1)) -- [address 2.1] has left, and Mia is not here"
    )
    assert plans.by_slots(by_values) == by_slots and plans.by_values(by_slots) == by_values


def test_a_quotation_with_gaps_is_filled_in_around_them():
    slots = Slots.of(ASKER, 'Say "Open for Jo Park: N; parts: X. Plan B" there.')
    by_values = '1. count()\n2. say(text="Open for Jo Park: {$1.open}; parts: {$1.parts}. Plan ")'
    by_slots = '1. count()\n2. say(text="[text 1.1]{$1.open}[text 1.2]{$1.parts}[text 1.3]")'
    assert SlotPlans(slots).by_slots(by_values) == by_slots
    assert SlotPlans(slots).by_values(by_slots) == by_values


def test_values_are_quoted_as_the_plan_needs_it():
    plan = PLANS.by_values('1. say(text="[text 2]", of="<[text 2]>")')
    assert parse(plan).steps[0].arguments == {"text": "it's {on} and \\ on", "of": "<it's {on} and \\ on>"}


def test_a_marker_of_no_slot_stays_and_a_text_that_is_no_plan_is_filled():
    assert PLANS.by_values('1. find(name="[name 9]")') == '1. find(name="[name 9]")'
    assert PLANS.by_values("ask [name 2] first") == "ask Jo Park first"


def test_a_plan_that_markers_would_not_say_stays_as_it_is():
    plan = '1. find(name="[name 2]", other="Jo Park")'  # who wrote this meant the brackets
    assert PLANS.by_slots(plan) == plan


def test_a_shift_of_what_is_looked_up_is_not_computed():
    plan = '1. get()\n2. put(at=shift($1.start, "90 minutes"), on=shift("2026-01-09", "soon"))'
    assert PLANS.by_values(plan) == plan


def test_a_time_before_the_request_s_or_long_after_is_not_reckoned():
    plan = '1. put(at="2026-01-09T08:00:00", to="2026-01-09T22:45:00")'
    assert PLANS.by_slots(plan) == '1. put(at="[date 2]T08:00:00", to="[date 2]T22:45:00")'


def test_of_two_days_as_near_the_earlier_is_the_one_to_reckon_from():
    plans = SlotPlans(Slots.of(ASKER, "from 12 January to 16 January"))
    assert plans.by_slots('1. put(on="2026-01-14")') == '1. put(on=shift("[date 2]", "2 days"))'
    assert plans.by_slots('1. put(on="2026-01-15")') == '1. put(on=shift("[date 3]", "-1 day"))'


def test_every_gold_plan_is_said_and_read_back():
    said = 0
    for task in small_suite():
        plans = SlotPlans(Slots.of(task.system_prompt, task.user_prompt))
        by_slots = plans.by_slots(task.plan)
        assert plans.by_values(by_slots) == task.plan
        said += by_slots != task.plan
    assert said >= 6
