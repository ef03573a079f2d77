"""The comparison with the real servers' answers: what counts as equal, and what it comes to."""

import json

import pytest

from benchmarks import fidelity

_MADE = "'2024-05-01 10:00:00', '2024-05-01 10:00:00'"
SEED = f"""-- MCP Server: sn-csm-server
INSERT INTO user VALUES (1, 'Ana', 'Ruiz', 'ana@x.org', NULL, 'admin', NULL, 1, {_MADE});
INSERT INTO product VALUES (3, 'Lens', 'hardware', 90, 'active', {_MADE});
"""
PRODUCT = {
    "product_id": 3, "name": "Lens", "category": "hardware", "product_price": 95,
    "lifecycle_state": "active", "sys_created_on": "2024-05-01 10:00:00",
    "sys_updated_on": "2026-07-01 12:00:00",
}  # fmt: skip
UPDATE = {"tool": "update_product", "arguments": {"product_id": 3, "product_price": 95}, "ok": True}


@pytest.fixture
def compare(tmp_path, capsys):
    """Return a function that compares calls of its own, and returns the exit code and what was printed."""
    (tmp_path / "seeds").mkdir()
    (tmp_path / "calls").mkdir()
    (tmp_path / "seeds/db.sql").write_text(SEED)
    (tmp_path / "seeds/part.sample.sql").write_text("-- MCP Server: sn-csm-server\n")

    def run(*calls, server="csm"):
        (tmp_path / f"calls/{server}.json").write_text(json.dumps(calls))
        code = fidelity.main([str(tmp_path)])
        out = capsys.readouterr()
        return code, out.out + out.err

    return run


def test_the_clock_is_counted_by_itself_and_only_where_it_was_told_now(compare):
    code, out = compare(UPDATE | {"answer": PRODUCT})
    assert (code, out) == (
        0, "csm: 1 calls, 7 values, 7 equal (100.00%); apart: 1 told by the clock, 0 made up\n"
    )  # fmt: skip
    code, out = compare(UPDATE | {"answer": PRODUCT | {"sys_created_on": "2024-05-02 10:00:00"}})
    assert code == 1 and 'sys_created_on: wanted "2024-05-02 10:00:00", got "2024-05-01 10:00:00"' in out


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (PRODUCT | {"product_price": 96}, "answer.product_price: wanted 96, got 95"),
        (PRODUCT | {"colour": "red"}, 'answer.colour: wanted "red", got (absent)'),
        ({k: v for k, v in PRODUCT.items() if k != "name"}, 'answer.name: wanted (absent), got "Lens"'),
    ],
)
def test_a_value_that_differs_lacks_or_is_too_many_is_told(compare, answer, line):
    code, out = compare(UPDATE | {"answer": answer})
    assert code == 1 and f"  call 1, update_product: {line}\n" in out


def test_calls_follow_each_other_on_one_database(compare):
    find = {"tool": "find_products", "arguments": {"product_price": 95}, "ok": True}
    shown = {name: value for name, value in PRODUCT.items() if name != "sys_updated_on"}
    assert compare(UPDATE | {"answer": PRODUCT}, find | {"answer": [shown]})[0] == 0
    assert compare(find | {"answer": [shown]})[0] == 1
    refused = {"tool": "update_product", "arguments": {"product_id": 9, "product_price": 1}, "ok": True}
    assert "ok: wanted true, got false" in compare(refused | {"answer": {}})[1]


def test_equal_is_what_json_calls_equal():
    assert fidelity.same(1, 1.0) and not fidelity.same(1, True) and not fidelity.same(0, False)
    assert fidelity.same(None, None) and not fidelity.same(None, 0) and not fidelity.same("1", 1)
    assert dict(fidelity.leaves({"a": [{"b": 1}, []], "c": {}})) == {"a[0].b": 1, "a[1]": [], "c": {}}


@pytest.mark.parametrize("server", ["itsm", "garden"])
def test_calls_without_a_database_or_a_server_are_named(compare, server):
    code, out = compare(UPDATE, server=server)
    assert code == 2 and server in out and out.count("\n") == 1


def test_the_real_answers_are_given(shared, capsys):
    """All values, and of runs on other databases all but what stands in their rows."""
    assert fidelity.main([str(shared / "eog"), "--results"]) == 0
    reports = fidelity.compared(shared / "eog")
    assert {report.server: report.differences for report in reports} == {"csm": [], "itsm": []}
    (csm, _) = fidelity.compared(shared / "eog", results=True)
    assert csm.calls > 300 and csm.share > 0.98
