import pytest


def modify(call, label, **change):
    modification = {"labelId": label} | ({"fieldModifications": [change]} if change else {})
    return call("modify_files_labels", fileId="plan", labelModifications=[modification])


@pytest.mark.parametrize(
    ("label", "field", "argument", "text", "kind"),
    [
        ("l1", "class", "setSelectionValues", "high", "selection"),
        ("l2", "years", "setIntegerValues", "7", "integer"),
        ("l3", "l3", "setDateValues", "2026-02-01", "dateString"),
        ("l4", "ok", "setSelectionValues", "true", "selection"),
        ("l5", "note", "setTextValues", "hello", "text"),
    ],
)
def test_each_type_of_label_takes_its_values(answer, label, field, argument, text, kind):
    modified = modify(answer, label, **{"fieldId": field, argument: [text]})
    [result] = modified["modifiedLabels"]
    [value] = result["fields"].values()
    assert (modified["kind"], result["id"], value[kind]) == ("drive#modifyLabelsResponse", label, [text])
    assert answer("list_files_labels", fileId="plan") == {"kind": "drive#labelList", "labels": [result]}


def test_a_value_is_changed_and_taken_away_and_a_label_taken_off(answer, rows):
    modify(answer, "l2", fieldId="years", setIntegerValues=["7"])
    modify(answer, "l2", fieldId="years", setIntegerValues=["8"])
    assert rows("SELECT value_number FROM file_labels") == ((8.0,),)
    modify(answer, "l2", fieldId="years", unsetValues=True)
    assert rows("SELECT value_number FROM file_labels") == ((None,),)
    answer("modify_files_labels", fileId="plan", labelModifications=[{"labelId": "l2", "removeLabel": True}])
    assert rows("SELECT * FROM file_labels") == ()


def test_a_label_goes_by_its_key_too(answer):
    modified = modify(answer, "years", fieldId="years", setIntegerValues=["7"])
    assert [result["id"] for result in modified["modifiedLabels"]] == ["l2"]


@pytest.mark.parametrize(
    ("label", "change"),
    [
        ("l1", {}), ("l1", {"fieldId": "class", "setSelectionValues": ["middle"]}),
        ("l1", {"fieldId": "class", "unsetValues": True}),
        ("l1", {"fieldId": "years", "setSelectionValues": ["high"]}),
        ("l2", {"fieldId": "years", "setIntegerValues": ["7", "8"]}),
        ("l2", {"fieldId": "years", "setIntegerValues": ["many"]}),
        ("l2", {"fieldId": "years", "setTextValues": ["7"]}), ("l2", {"fieldId": "years"}),
        ("l2", {"fieldId": "years", "setIntegerValues": ["7"], "unsetValues": True}),
        ("l3", {"fieldId": "due", "setDateValues": ["2026-02-30"]}),
        ("l4", {"fieldId": "ok", "setSelectionValues": ["maybe"]}),
    ],
)  # fmt: skip
def test_what_a_label_does_not_take(refused, label, change):
    assert modify(refused, label, **change) == (400, "invalid", "labelModifications")


def test_labels_that_are_not_there_and_people_who_may_not(refused):
    assert modify(refused, "l9") == (404, "notFound", "labelId")
    assert refused("modify_files_labels", "cleo", fileId="book", labelModifications=[])[0] == 403
    refusal = refused("modify_files_labels", fileId="plan", labelModifications=[{}])
    assert refusal == (400, "required", "labelModifications.0.labelId")


def test_a_value_of_another_type_than_the_labels_is_shown(answer, database):
    """As a row of a real database has it: a choice on a label that is true or false."""
    database.connection.execute(
        "INSERT INTO file_labels (id, file_id, label_id, value_enum) VALUES ('x', 'plan', 'l4', 'active')"
    )
    [label] = answer("list_files_labels", fileId="plan")["labels"]
    assert label["fields"]["ok"]["selection"] == ["active"]
