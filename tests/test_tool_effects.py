import json

import pytest

from eops_traj.schema import Change, Json, ToolCall
from eops_traj.tool_effects import (
    DOUBTFUL_VERBS,
    READ_VERBS,
    WRITE_VERBS,
    changed,
    is_read,
    is_write,
    succeeded,
)


def call(name, **fields):
    return ToolCall(id="c", name=name, arguments=Json("{}"), **fields)


@pytest.mark.parametrize(
    "name",
    [
        "update_case",
        "email_create_delegate",
        "createIssue",
        "calendar.events.insert",
        "updated_linked_case_knowledge",
    ],
)
def test_tools_that_write(name):
    assert is_write(name)


@pytest.mark.parametrize(
    "name", ["find_user", "list_updated_cases", "getUpdates", "email_list_delegates", "ping", ""]
)
def test_tools_that_read(name):
    assert not is_write(name)


def test_a_tool_of_no_known_verb_may_do_anything_and_is_no_read():
    assert not is_read("frobnicate") and not is_write("frobnicate") and not is_read("")
    assert is_read("get_case") and not is_read("update_case")


@pytest.mark.parametrize(
    "name", ["check_in_guest", "generate_invoice", "download_files", "generate_files_Ids"]
)
def test_a_tool_of_a_doubtful_verb_is_no_read_either(name):
    assert not is_read(name) and not is_write(name)
    assert is_read("check_user_membership") and is_read("export_files")


def test_no_verb_is_two_things():
    assert not WRITE_VERBS & READ_VERBS and not DOUBTFUL_VERBS & (WRITE_VERBS | READ_VERBS)


def test_every_real_tool_has_a_verb(shared):
    files = (shared / "eog" / "tools").glob("*.json")
    names = [tool["name"] for file in files for tool in json.loads(file.read_text())["tools"]]
    verbs = WRITE_VERBS | READ_VERBS | DOUBTFUL_VERBS
    assert len(names) == 512
    assert [name for name in names if not verbs & set(name.lower().split("_"))] == []


def test_errors_in_plain_text_are_errors():
    assert not succeeded(call("get_event", result="HTTP 404: Event not found: e1"))
    assert not succeeded(call("get_event", result="{}", is_error=True))
    assert not succeeded(call("get_event", error="connection refused"))
    assert succeeded(call("get_event", result="HTTP is a protocol"))


def test_changes_are_told_by_record_or_by_name():
    row = Change(server="csm", table="account", operation="update", key=Json('{"account_id":1}'))
    noop, acted = call("update_case", result="{}"), call("frobnicate", result="{}", changes=(row,))
    assert changed([noop], recorded=False) and not changed([noop], recorded=True)
    assert changed([acted], recorded=True) and not changed([acted], recorded=False)
    assert not changed([call("update_case", result="no", is_error=True)], recorded=False)
