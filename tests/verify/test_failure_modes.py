"""Each failure mode on a real episode that shows it; two that none of the 52 shows, on our own."""

from dataclasses import asdict, replace

import pytest

from eops_traj.hashing import canonical_json
from eops_traj.schema import Json, ToolCall, Turn
from eops_traj.verify.failure_modes import MODES, _names, diagnose
from tests.episodes import episode
from tests.long_texts import linear_time
from tests.real import real_episodes


def call(name, result="{}", **fields):
    arguments = fields.pop("arguments", {})
    return ToolCall(id="c", name=name, arguments=Json(canonical_json(arguments)), result=result, **fields)


def talk(*turns, answer="Here is what I found.", **fields):
    replies = tuple(Turn(text="", tool_calls=tuple(calls)) for calls in turns)
    return episode("e", turns=(*replies, Turn(text=answer)), **fields)


def modes(episode):
    return {finding.mode: finding.turn for finding in reversed(diagnose(episode))}


@pytest.mark.parametrize(
    ("key", "mode", "turn"),
    [
        ("958a07c1", "premature_end", 0),  # asks for the account and the products, with look-up tools at hand
        ("c124578d", "premature_end", 1),  # looks up a user, then asks which case is meant
        ("958a07c1", "no_tool_used", 0),
        ("1d4b934c", "malformed_arguments", 3),  # members without roles; fixed, and a success in the end
        ("405562a2", "malformed_arguments", 3),  # an expand parameter that does not exist
        ("34a39e46", "unseen_identifier", 5),  # assigns group 229, which no result had shown
        ("e84a9e55", "write_without_lookup", 0),  # creates a user before looking whether there is one
        ("c31290aa", "repeated_errors", 4),  # posts two messages without a content type
        ("41f0af13", "excess_calls", 1),  # twelve searches for cases, and nothing done
    ],
)
def test_real_episodes_that_show_it(shared, key, mode, turn):
    assert modes(real_episodes(shared)[key])[mode] == turn


def test_real_successes_are_hardly_ever_marked(shared):
    marked = {
        key: [finding.mode for finding in diagnose(episode)]
        for key, episode in real_episodes(shared).items()
        if episode.success_strict and diagnose(episode)
    }
    assert marked == {"1d4b934c": ["malformed_arguments"]}


def test_a_loop_of_our_own():
    """None of the real episodes repeats a call with the same result."""
    search = call("search_cases", "[]", arguments={"state": "new"})
    assert modes(talk([search], [search])) == {"loop": 1}
    assert modes(talk([search], [call("find_user")], [search], [call("find_user", "[1]")], [search])) == {
        "loop": 4
    }


def test_looking_again_is_no_loop():
    search, update = call("search_cases", "[]"), call("update_case")
    assert modes(talk([search], [update], [search])) == {}
    assert modes(talk([search], [call("search_cases", "[1]")])) == {}
    assert modes(talk([search, search])) == {}


@pytest.mark.parametrize(
    "reply",
    [
        call("fly", "Unknown tool: fly"),
        call("fly", None, error="Tool 'fly' not found in any gym"),
        call("fly", "tool fly is not available", is_error=True),
    ],
)
def test_an_unknown_tool_of_our_own(reply):
    """None of the real episodes calls a tool that does not exist."""
    assert "unknown_tool" in modes(talk([call("find_user")], [reply]))
    assert "unknown_tool" not in modes(talk([call("find_user", "Tool fly not found here, says the article")]))


def test_arguments_that_did_not_parse():
    assert modes(talk([call("find_user", raw='{"name": ')])) == {"malformed_arguments": 0}


@pytest.mark.parametrize(
    ("complaint", "malformed"),
    [
        ('{"detail": [{"type": "int_type", "msg": "Input should be a valid integer", "input": {}}]}', True),
        ('{"error": {"code": 400, "message": "Required parameter: fileId"}}', True),
        ('{"error": {"code": 400, "message": "Unknown name \\"zzz\\": Cannot find field."}}', True),
        ('{"detail": {"error_code": "INVALID_REFERENCE", "message": "Incident INC_9 not found"}}', False),
        ("API Error [add_new_group_member]: group_id, user_id already exists", False),
    ],
)
def test_what_a_refusal_for_form_says(complaint, malformed):
    seen = modes(talk([call("find_user")], [call("update_case", complaint, is_error=True)]))
    assert ("malformed_arguments" in seen) is malformed


@pytest.mark.parametrize(
    ("answer", "ends"),
    [
        ("", True),
        ("Let me look up the case first.", True),
        ("I found the user. Now I will update the case:", True),
        ("Next, I'll write to ana.ruiz@corvane.example about v2.1.", True),
        ("The case is open. Let me know if you need more.", False),
        ("Case CS-1 is open. I will reopen it if you want.", False),
        ("I cannot proceed without the case number.", True),
    ],
)
def test_premature_ends(answer, ends):
    assert ("premature_end" in modes(talk([call("find_user")], answer=answer))) is ends
    assert "premature_end" not in modes(talk([call("find_user")], [call("update_case")], answer=answer))
    assert "premature_end" not in modes(talk([call("find_user")], answer=answer, stop_reason="max_tokens"))


def test_declining_an_infeasible_task_is_no_failure():
    assert modes(episode("e", turns=(Turn(text="I can't do that."),), feasible=False)) == {}


def test_identifiers_are_known_from_request_caller_and_earlier_turns():
    asked = call(
        "update_case", arguments={"case_id": 41, "user_ids": ["u-7", True], "note_id": "", "body": {"id": 9}}
    )
    search = call("search_cases", '[{"case_id": 41}, {"user": "u-7"}]')
    assert "unseen_identifier" not in modes(talk([search], [asked]))
    assert "unseen_identifier" not in modes(talk([asked], user_prompt="Give case 41 to u-7"))
    assert modes(talk([search, asked]))["unseen_identifier"] == 0
    assert "unseen_identifier" in modes(talk([call("search_cases", "410")], [asked]))


@pytest.mark.parametrize(("source", "at"), [("openai", None), ("openai", 1), ("eops-traj", 0)])
def test_an_identifier_that_the_user_names_later_is_known_from_then_on(source, at):
    """What an orchestrator of ours puts in may be a model's own plan, and shows no identifier."""
    asked = Turn(text="", tool_calls=(call("update_case", arguments={"case_id": "C-88"}),))
    other, told = Turn(text="Which case?", nudge="Thanks."), replace(asked, nudge="It is C-88.")
    turns = [other, asked, told] if at else [told, asked]
    found = diagnose(episode("e", turns=tuple(turns), source=source, user_prompt="Update my case."))
    seen = [f.turn for f in found if f.mode == "unseen_identifier"]
    assert seen == ([] if at is None else [at] if at else [0, 1])


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("list_messages", {"userId": "me"}),
        ("list_events", {"calendarId": "primary"}),
        ("get_file", {"fileId": "root"}),
        ("modify_message", {"removeLabelIds": ["INBOX", "UNREAD", "CATEGORY_FORUMS"]}),
        ("create_drive", {"requestId": "7d9f6a3e"}),
        ("watch_files", {"id": "channel-1"}),
        ("patch_event", {"colorId": "11"}),
    ],
)
def test_identifiers_that_every_caller_knows_or_makes_up(tool, arguments):
    assert "unseen_identifier" not in modes(talk([call("find_user")], [call(tool, arguments=arguments)]))
    assert "unseen_identifier" in modes(talk([call("find_user")], [call(tool, arguments={"fileId": "x9"})]))


def test_an_identifier_of_the_policy_is_known():
    episode = talk([call("find_user")], [call("list_events", arguments={"calendarId": "company-holidays"})])
    policy = "Days off stand in the calendar company-holidays."
    assert [f.mode for f in diagnose(episode)] == ["unseen_identifier"]
    assert diagnose(episode, policy) == ()


def test_one_error_is_not_repeated():
    wrong = call("update_case", "no", is_error=True)
    assert "repeated_errors" not in modes(talk([call("find_user")], [wrong], [call("update_case")]))
    assert modes(talk([wrong], [wrong]))["repeated_errors"] == 1


def test_many_calls_that_led_somewhere_are_no_excess():
    lookups = [[call("find_user", f'"name{n}"', arguments={"n": n})] for n in range(10)]
    assert modes(talk(*lookups)) == {"excess_calls": 0}
    assert modes(talk(*lookups, answer=" ".join(f"name{n}" for n in range(10)))) == {}


def test_eight_calls_that_led_to_nothing_are_many_and_seven_are_not():
    lookups = [[call("find_user", f'"name{n}"', arguments={"n": n})] for n in range(8)]
    assert modes(talk(*lookups)) == {"excess_calls": 0}
    assert modes(talk(*lookups[:7])) == {}
    assert modes(talk(*lookups, [call("update_case", arguments={"n": 99})])) == {"excess_calls": 0}


def test_a_result_that_echoes_its_arguments_shows_nothing():
    """The second look-up for Ada uses a name that the first one was given, not one that it found."""
    lookups = [
        [call("find_user", f'{{"asked": "Ada L{n}", "found": null}}', arguments={"name": f"Ada L{n}"})]
        for n in range(10)
    ]
    assert modes(talk(*lookups, answer="Nobody there.")) == {"excess_calls": 0}


def test_an_identifier_of_known_words_is_something_found():
    """The request names the people; that their ids are their names with a dot had to be looked up."""
    people = [f"ada{n} loo" for n in range(10)]
    lookups = [[call("list_users", f'{{"id": "{name.replace(" ", ".")}"}}')] for name in people]
    invited = call("invite", arguments={"people": [name.replace(" ", ".") for name in people]})
    assert modes(talk(*lookups, [invited], user_prompt=f"Please invite {', '.join(people)}.")) == {}


def test_checks_that_led_to_a_decline_are_no_excess():
    checks = [
        [call("get_user", '{"active": true}', arguments={"email": f"u{n}@x.example"})] for n in range(9)
    ]
    refusal = "I can't do this: one of them is taken at that time. Nothing was changed."
    assert modes(talk(*checks, answer=refusal, feasible=False)) == {}
    assert modes(talk(*checks, answer="All done.", feasible=False)) == {"excess_calls": 0}


def test_checks_of_what_is_written_later_are_no_excess():
    checks = [
        [call("check_membership", '{"exists": false}', arguments={"user_id": f"U-{n}", "group_id": "G-7"})]
        for n in range(10)
    ]
    people = call("list_users", " ".join(f"U-{n}" for n in range(10)))
    joined = [call("add_member", arguments={"user_id": f"U-{n}", "group_id": "G-7"}) for n in range(2)]
    request = "Take everyone into group G-7."
    assert modes(talk([people], *checks, joined, user_prompt=request)) == {}
    assert "excess_calls" in modes(talk([people], *checks, user_prompt=request))


def test_every_mode_is_documented_and_findings_are_plain(shared):
    assert all(mode.find.__doc__ and mode.find.__name__ == name for name, mode in MODES.items())
    finding = diagnose(real_episodes(shared)["34a39e46"])[0]
    assert asdict(finding) == {
        "mode": "unseen_identifier",
        "turn": 5,
        "what": "set_case_assignment_group: assignment_group_id=229 was in no earlier result",
    }


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("mail ana@corvane.example about INC-000058.", {"ana@corvane.example", "inc-000058"}),
        ("a--b c.d.e f", {"c.d.e"}),
        ("plain words only_here", set()),
    ],
)
def test_names_are_words_written_together(text, names):
    assert _names(text) == names


@pytest.mark.parametrize("unit", ["a", "let me ", "\n", ".I'll do ", " tool", "simply "])
def test_a_long_text_is_read_in_linear_time(unit):
    text = f"I {unit * (200_000 // len(unit))} x?"
    with linear_time():
        diagnose(talk([call("find_user", result=text, arguments={"name": text})], answer=text))
