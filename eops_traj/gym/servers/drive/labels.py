"""Labels on files. A label has one field, which goes by the label's key or id."""

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, Final

from eops_traj.gym.api_styles.google import invalid, listing
from eops_traj.gym.servers.drive import access, records
from eops_traj.gym.servers.drive.errors import not_found
from eops_traj.gym.servers.drive.resources import Resource, file_labels
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_LOCATION: Final = "labelModifications"


@tool
def list_files_labels(call: Call) -> Resource:
    """(fileId! = file_id, maxResults, pageToken) -> rows of file_labels

    The labels on a file, each with its value.
      maxResults: How many to show at most; 100 if not given. {type: integer, minimum: 1, maximum: 1000}
    @closed
    """
    file = access.open_file(call)
    labels = file_labels(call, file["id"])
    return listing(call, "drive#labelList", "labels", labels, lambda label: label, size="maxResults")


@tool
def modify_files_labels(call: Call) -> Resource:
    """(fileId! = file_id, labelModifications[]!) -> rows of file_labels

    Put labels on a file, change their values, or take labels off. It takes the role of a writer.
      labelModifications: What to do with each label.
        {type: array, items: {type: object, additionalProperties: false, required: [labelId], properties: {
          labelId: {type: string, description: Id or key of the label.},
          removeLabel: {type: boolean, description: Whether the label is taken off.},
          kind: {type: string, default: drive#labelModification},
          fieldModifications: {type: array, items: {type: object, additionalProperties: false,
            required: [fieldId], properties: {
              fieldId: {type: string, description: Id or key of the field.},
              setDateValues: {type: array, items: {type: string}, description: New date (YYYY-MM-DD).},
              setTextValues: {type: array, items: {type: string}, description: New text.},
              setSelectionValues: {type: array, items: {type: string}, description: New choice.},
              setIntegerValues: {type: array, items: {type: string}, description: New number.},
              setUserValues: {type: array, items: {type: string}, description: New address of a user.},
              unsetValues: {type: boolean, description: Whether the value is taken away.},
              kind: {type: string, default: drive#labelFieldModification}}}}}}}
    @closed
    """
    file = access.open_file(call, "writer")
    label_ids = {_modify(call, file, modification) for modification in call.arguments["labelModifications"]}
    records.record_change(call, "labels_modified", file, labels=sorted(label_ids))
    labels = [label for label in file_labels(call, file["id"]) if label["id"] in label_ids]
    return {"kind": "drive#modifyLabelsResponse", "modifiedLabels": labels}


def _modify(call: Call, file: Row, modification: Mapping[str, Any]) -> str:
    """Put a label on a file, change it or take it off; return the label's id."""
    label = call.row("SELECT * FROM labels WHERE :label IN (id, key)", label=modification["labelId"])
    if label is None:
        raise not_found("labelId", modification["labelId"])
    key = {"file": file["id"], "label": label["id"]}
    if modification.get("removeLabel"):
        call.rows("DELETE FROM file_labels WHERE file_id = :file AND label_id = :label RETURNING id", **key)
        return str(label["id"])
    if not call.row("SELECT 1 FROM file_labels WHERE file_id = :file AND label_id = :label", **key):
        call.rows(
            """INSERT INTO file_labels (id, file_id, label_id, created_time)
            VALUES (new_ulid(), :file, :label, :now) RETURNING id""",
            **key,
        )
    for change in modification.get("fieldModifications") or ():
        _set_value(call, key, label, change)
    _check_value(call, key, label)
    return str(label["id"])


def _set_value(call: Call, key: Mapping[str, str], label: Row, change: Mapping[str, Any]) -> None:
    """Give a label on a file its value, in the column of the label's type."""
    if change["fieldId"] not in (label["key"], label["id"]):
        raise invalid(_LOCATION, f"The label {label['name']} has no field {change['fieldId']}.")
    argument, read = _READERS.get(label["type"], _READERS["string"])
    values = {name: value for name, value in change.items() if name.startswith("set") and value}
    unset = change.get("unsetValues")
    if values.keys() - {argument} or bool(values) == bool(unset) or len(values.get(argument, ())) > 1:
        raise invalid(_LOCATION, f"The field {label['key']} takes one of {argument}, or unsetValues.")
    value = None if unset else read(values[argument][0], label)
    column = f"value_{label['type'] if label['type'] in _READERS else 'string'}"
    sql = f"UPDATE file_labels SET {column} = :value WHERE file_id = :file AND label_id = :label RETURNING id"  # noqa: S608
    call.rows(sql, value=value, **key)


def _check_value(call: Call, key: Mapping[str, str], label: Row) -> None:
    """Refuse to leave a label without the value that it requires."""
    value = "coalesce(value_string, value_number, value_boolean, value_date, value_enum)"
    sql = f"SELECT 1 FROM file_labels WHERE file_id = :file AND label_id = :label AND {value} IS NOT NULL"  # noqa: S608
    if label["required"] and not call.row(sql, **key):
        raise invalid(_LOCATION, f"The label {label['name']} needs a value.")


def _read_choice(text: str, label: Row) -> str:
    if text not in (label["options"] or ()):
        raise invalid(_LOCATION, f"{text!r} is none of the options of {label['name']}.")
    return text


def _read_number(text: str, label: Row) -> int:
    if not re.fullmatch(r"[+-]?\d{1,15}", text, re.ASCII):
        raise invalid(_LOCATION, f"{text!r} is no number for {label['name']}.")
    return int(text)


def _read_date(text: str, label: Row) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise invalid(_LOCATION, f"{text!r} is no date for {label['name']}.") from None


def _read_boolean(text: str, label: Row) -> bool:
    if text.lower() not in ("true", "false"):
        raise invalid(_LOCATION, f"{label['name']} is either true or false.")
    return text.lower() == "true"


_READERS: Final[Mapping[str, tuple[str, Callable[[str, Row], Any]]]] = {
    "enum": ("setSelectionValues", _read_choice),
    "number": ("setIntegerValues", _read_number),
    "date": ("setDateValues", _read_date),
    "boolean": ("setSelectionValues", _read_boolean),
    "string": ("setTextValues", lambda text, label: text),
}
