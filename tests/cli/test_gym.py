import json
import signal
import subprocess
import sys

import httpx
import pytest

from eops_traj.errors import InputError
from eops_traj.gym import registry, try_call

CLOSE = ("gym", "call", "update_case", "case_id=7", "reopen_count=9", "--server", "csm")


def test_tools_are_listed_with_their_schemas(cli):
    ran = cli("gym", "tools", "--server", "csm", "--json")
    listed = json.loads(ran.out)
    assert ran.code == 0
    assert [t["name"] for t in listed] == list(registry.server("csm").tools)
    assert listed[0]["server"] == "csm" and listed[0]["inputSchema"]["type"] == "object"


def test_tools_are_a_table_for_people(cli):
    lines = cli("gym", "tools", "--server", "csm").out.splitlines()
    assert lines[0].split() == ["server", "tool", "arguments", "description"]
    assert any(line.split()[:3] == ["csm", "find_user", "name!"] for line in lines)


def test_stats_count_in_all_and_by_server(cli):
    counted = json.loads(cli("gym", "stats", "--server", "csm", "--json").out)
    [only] = counted.pop("per_server")
    assert counted == {"servers": 1} | {k: v for k, v in only.items() if k != "server"}
    assert (only["server"], only["tables"], only["tools"]) == ("csm", 17, 89)
    assert only["foreign_keys_per_table"] == round(only["foreign_keys"] / 17, 2)
    assert only["rows"] > 10_000


def test_a_call_prints_its_result_and_the_rows_it_changed(cli):
    ran = cli(*CLOSE)
    result, _, table = ran.out.partition("\n}\n")
    assert ran.code == 0
    assert json.loads(result + "}")["reopen_count"] == 9
    assert table.splitlines()[0].split() == ["table", "key", "operation", "column", "before", "after"]
    assert ["customer_case", "7", "update", "reopen_count", "0", "9"] in map(str.split, table.splitlines())


def test_a_call_leaves_nothing_behind(cli):
    first, again = (json.loads(cli(*CLOSE, "--json").out) for _ in range(2))
    assert first == again and not first["is_error"]
    assert {change["operation"] for change in first["changes"]} == {"update"}


def test_a_refused_call_exits_1(cli):
    ran = cli("gym", "call", "update_case", "case_id=7")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "eops-traj: API Error [update_case]: No fields to update\n"


def test_permissions_are_enforced_on_demand(cli):
    ran = cli("gym", "call", "list_users", "--server", "csm", "--strict")
    assert ran.code == 1 and "x-user-email header is required" in ran.err
    named = ran.err.rpartition("such as ")[2].split()
    assert named[0] == "--user"
    assert cli("gym", "call", "list_users", "--server", "csm", "--strict", *named).code == 0


@pytest.mark.parametrize("name", [n for n in registry.SERVERS if registry.server(n).identity.required])
def test_the_option_is_named_whatever_words_a_server_has(cli, name):
    ran = cli("gym", "call", next(iter(registry.server(name).tools)), "--server", name, "--strict")
    assert ran.code == 1 and "; --user says who calls, such as --user " in ran.err


def test_a_refusal_that_no_option_mends_names_none(cli):
    ran = cli("gym", "call", "list_users", "--server", "csm", "--strict", "--user", "nobody@example.com")
    assert ran.code == 1 and "--user" not in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("call", "update_cas"), "unknown tool 'update_cas'; did you mean update_case"),
        (("call", "update_case", "case_id"), "'case_id' is not of the form key=value"),
        (("call", "update_case", "id=7"), "update_case has no argument 'id'; its arguments: case_id"),
        (("call", "update_case", "case_id=seven"), "case_id: 'seven' is not JSON; expected integer"),
        (("call", "find_user", "name=x", "--server", "nope"), "unknown server 'nope'; choose from"),
        (("tools", "--server", "nope"), "unknown server 'nope'"),
        (("serve",), "say which: --server NAME"),
        (("serve", "--all", "--server", "csm"), "say which: --server NAME"),
    ],
)
def test_bad_input_is_one_line(cli, arguments, message):
    ran = cli("gym", *arguments)
    assert ran.code == 2
    assert ran.err.startswith(f"eops-traj: {message}") and ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("7", {"type": "string"}, "7"),
        ("null", {"type": ["string", "null"]}, None),
        ("null", {"type": "string"}, "null"),
        ("7", {"type": "integer"}, 7),
        ("true", {"type": "boolean"}, True),
        ('["a"]', {"type": "array"}, ["a"]),
        ("null", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, None),
        ("a b", {}, "a b"),
    ],
)
def test_values_are_read_as_the_schema_says(text, schema, value):
    assert try_call._parse("x", text, schema) == value


def test_a_tool_is_found_by_part_of_its_name():
    with pytest.raises(InputError, match=r"did you mean .*list_users"):
        try_call.find_tool("users", [registry.server("csm")])


def test_serving_starts_answers_and_stops():
    command = [sys.executable, "-m", "eops_traj.cli", "gym", "serve", "--server", "csm", "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stderr.readline()
        assert line.startswith("csm is served at http://127.0.0.1:")
        url = line.split()[-1].removesuffix("/mcp")
        assert httpx.get(f"{url}/health", verify=False).json()["status"] == "healthy"
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == 0
    assert process.stderr.read() == ""
    process.stderr.close()


def test_the_command_line_loads_nothing_heavy():
    heavy = ("apsw", "mcp", "httpx", "uvicorn", "pydantic")
    code = f"import sys, eops_traj.cli.main; print([name for name in {heavy} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_a_seed_is_checked_in_a_line(cli, tmp_path):
    columns = "location_id, name, city, country, active, sys_created_on, sys_updated_on"
    values = "1, NULL, 'london', 'uk', 1, '', ''"
    (tmp_path / "seed.sql").write_text(f"INSERT INTO location ({columns}) VALUES ({values});")
    ran = cli("gym", "check-seed", tmp_path / "seed.sql", "--server", "csm")
    assert ran.out.splitlines() == [
        "csm: 1 rows in 1 tables", "loosened: location.name may be NULL: 1 row"
    ]  # fmt: skip
    report = json.loads(cli("gym", "check-seed", tmp_path / "seed.sql", "--server", "csm", "--json").out)
    assert report["loosened"] == [
        {"kind": "null", "table": "location", "columns": ["name"], "rule": "", "count": 1}
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("DROP TABLE user;", "a seed may only insert, change and delete rows"),
        ("INSERT INTO moon (a) VALUES (1);", "the seed is of none of the servers"),
        ("INSERT INTO hr_case (hr_case_id, moon) VALUES (", "statement 1"),
    ],
)
def test_a_file_that_is_no_seed_is_one_line(cli, tmp_path, text, said):
    (tmp_path / "seed.sql").write_text(text)
    ran = cli("gym", "check-seed", tmp_path / "seed.sql", *(["--server", "csm"] if "DROP" in text else []))
    assert ran.code == 2 and said in ran.err and ran.err.count("\n") == 1 and "seed.sql" in ran.err


@pytest.mark.parametrize("url", ["nonsense", "ftp://a/mcp", "http://", "http://[", "http://a:b/mcp"])
def test_a_bridge_to_nowhere_is_refused(cli, url):
    ran = cli("gym", "bridge", url)
    assert ran.code == 2 and len(ran.err.splitlines()) == 1 and "is no address" in ran.err


def test_a_bridge_tells_that_its_session_is_gone_and_ends_with_its_client():
    lines = [
        {"jsonrpc": "2.0", "id": 7, "method": "tools/list"},
        {"jsonrpc": "2.0", "method": "notifications/x"},
    ]
    command = [sys.executable, "-m", "eops_traj.cli", "gym", "bridge", "http://127.0.0.1:9/x/mcp"]
    typed = "".join(json.dumps(line) + "\n" for line in lines) + "nonsense\n"
    ran = subprocess.run(command, input=typed, capture_output=True, text=True, timeout=300)
    answers = {answer["id"]: answer["error"] for answer in map(json.loads, ran.stdout.splitlines())}
    assert ran.returncode == 0 and not ran.stderr and answers.keys() == {7, None}
    assert "connection" in answers[7]["message"] and answers[None]["message"] == "not JSON"
