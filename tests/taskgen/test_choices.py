"""What a suite may draft: chains that hand on, and pairs that stand side by side without a clash."""

from dataclasses import replace
from itertools import islice
from random import Random

from eops_traj.gym import registry
from eops_traj.taskgen.choices import Choices, chains, side_by_side
from eops_traj.taskgen.draft import play
from eops_traj.taskgen.family import families


def test_a_pair_side_by_side_hands_nothing_on_and_a_chain_does() -> None:
    csm = families(["csm"])
    linked, beside = set(chains(csm)), set(side_by_side(csm))
    assert linked and beside and not linked & beside
    assert all(first.produces == second.consumes for first, second, *_ in linked)
    assert all(first.produces is None or first.produces != second.consumes for first, second in beside)


def test_tools_of_one_name_on_two_servers_are_not_confused() -> None:
    """`get_user` is a tool of several servers: the first of a task's servers answers."""
    some = families(["hybrid"])[0]
    desk, talk = replace(some, name="desk", servers=("itsm",)), replace(some, name="talk", servers=("teams",))
    assert "get_user" in registry.server("itsm").tools and "get_user" in registry.server("teams").tools
    assert {f.name for pair in side_by_side([desk, talk]) for f in pair} == set()
    drive = replace(talk, name="files", servers=("drive",))
    assert [tuple(f.name for f in pair) for pair in side_by_side([talk, drive])] == [
        ("talk", "files"), ("files", "talk"),
    ]  # fmt: skip


def test_each_slot_starts_at_another_choice_and_perturbed_parts_take_turns() -> None:
    choices = Choices(families(["csm"]), Random(3))
    first = [choices.of_single(slot, chained=True)[0] for slot in range(40)]
    assert len(set(first)) == 40 and all(len(choice.families) > 1 for choice in first)
    chained = [slot for slot in range(60) if len(choices.of_pair(slot, 0.35)[0].families) > 1]
    parts = [choices.of_pair(slot, 0.35)[0].part for slot in chained]
    assert len(chained) == 21 and 6 <= sum(map(bool, parts)) <= 15


def test_the_same_random_source_gives_the_same_choices() -> None:
    one, same, other = (Choices(families(["itsm"]), Random(seed)) for seed in (1, 1, 2))
    assert one.alone == same.alone != other.alone
    assert [*islice(one.broken, 9)] == [*islice(same.broken, 9)] != [*islice(other.broken, 9)]


def test_a_later_part_reads_its_own_columns_of_the_caller() -> None:
    """Who sorts mail may mind another mailbox besides; whose it is, only the second query tells."""
    some = {family.name: family for family in families(["email"])}
    played = play((some["file_mail"], some["mind_mailbox"]), 0, "served:0").scene
    assert played.caller["owner_email"] != played.caller["email"]
