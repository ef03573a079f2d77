"""Words that a planner cannot know are told from those of its prompt and of the language."""

from typing import Any

from benchmarks.unseen import examples, read, shares, words_of

PLAN = """1. find(email="room-harbour@x.example", q="name eq [name 2] or {$3.Riga}")
2. require($1.state == "open") -- Elke Jensen is away
3. act(note="Harbour [date 2]", id=$1.rows[*title="Q3 plan"].id)"""


def row(number: int, domain: str, plan: str) -> dict[str, Any]:
    """A row whose prompt says Harbour and Jensen."""
    asked = [{"content": "By the rules."}, {"content": "Meet JENSEN in Harbour."}]
    return {"task_id": f"t{number}", "domain": domain, "prompt": asked, "completion": [{"content": plan}]}


def test_words_are_found_by_where_they_stand() -> None:
    words = words_of(PLAN)
    assert words["calls"] == {"room-harbour@x.example", "name", "eq", "or", "Harbour", "Q3", "plan"}
    assert words["checks"] == {"open"} and words["reasons"] == {"Elke", "Jensen", "is", "away"}


def test_what_the_prompt_says_or_many_plans_do_is_seen() -> None:
    rows = list(read([row(n, "hr", '1. act(kind="usual")') for n in range(3)] + [row(3, "csm", PLAN)]))
    found = {(place, word) for place, word, _ in examples(rows, 2)}
    assert ("calls", "room-harbour@x.example") in found and ("reasons", "Elke") in found
    assert not {"Harbour", "usual"} & {word for _, word in found} and ("reasons", "Jensen") not in found
    assert {task for _, _, task in examples(rows, 2)} == {"t3"}


def test_shares_are_of_a_domains_rows() -> None:
    plain = '1. act(kind="usual")'
    rows = list(read([row(0, "hr", plain), row(1, "hr", plain), row(2, "hr", '1. act(kind="odd")')]))
    assert shares(rows, 1) == {"hr": ["33.3%", "0.0%", "0.0%"], "all": ["33.3%", "0.0%", "0.0%"]}
    assert shares(rows, 2)["all"] == ["100.0%", "0.0%", "0.0%"] and shares(rows, 0)["all"][0] == "0.0%"
