"""The ITSM tools that take more than one statement, and formatters of results that are not rows."""

import json
from collections.abc import Mapping
from typing import Any

from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import result_formatter, tool

_TEMPLATE_FIELDS = ("caller_id", "short_description", "channel", "category", "impact", "urgency", "priority",
           "configuration_item", "service", "service_offering")  # fmt: skip


# result formatters


@result_formatter()
def keyed(call: Call, rows: list[Row], name: str) -> Row:
    """Return keys and values as one object, named or not; a key that was asked for is never left out."""
    keys = next((value for value in call.arguments.values() if isinstance(value, list)), ())
    values = dict.fromkeys(keys, 0) | {row["key"]: row["value"] for row in rows}
    return {name: values} if name else values


@result_formatter()
def removed_mappings(call: Call, rows: list[Row], _: str) -> Row:
    """Return the mappings that were deleted; refuse a filter that matches none."""
    if not rows:
        filters = ", ".join(f"{name}={value}" for name, value in call.arguments.items())
        message = f"No change request mappings found matching the provided parameters: {filters}"
        call.refuse(message, "NOT_FOUND")
    message = f"Successfully deleted {len(rows)} change request mapping(s)"
    return {"deleted_count": len(rows), "deleted_mappings": rows, "message": message}


@result_formatter()
def template(call: Call, result: Any, _: str) -> Any:
    """Put the values of incident templates for an incident into an object of their own."""
    return [_nest_values(row) for row in result] if isinstance(result, list) else _nest_values(result)


def _nest_values(row: Row) -> Row:
    outer = {name: value for name, value in row.items() if name not in _TEMPLATE_FIELDS}
    return outer | {"change_request_values": {name: row[name] for name in _TEMPLATE_FIELDS}}


# incident templates


@tool
def create_new_incident_template(call: Call) -> Row:
    """(name!, change_request_values!, active) -> row of incident_template

    Prepare incidents of one kind. Left out, impact and urgency are low, priority is planning.
      name: Name of the template; no two share it. {minLength: 1}
      change_request_values: What an incident made from it starts with. {type: object, properties: {
          caller_id: {type: string, description: Id of the user it is reported by.},
          short_description: {type: string, description: What is wrong.},
          channel: {type: string, enum: [self-service, phone, email, chat, walk-in, virtual-agent]},
          category: {type: string, enum: [inquiry-help, software, hardware, database, password-reset]},
          impact: {type: string, enum: [high, medium, low]},
          urgency: {type: string, enum: [high, medium, low]},
          priority: {type: string, enum: [critical, high, moderate, low, planning]},
          configuration_item: {type: string, description: Id of the configuration item.},
          service: {type: string, description: Id of the service.},
          service_offering: {type: string, description: Id of an offering of that service.}},
          required: [caller_id, short_description]}
    @allow admin, manager
    """
    values = _template_values(call)
    _check_name(call)
    _check_references(call, values, values)
    columns = ", ".join(f"{name} = :{name}" for name in values)
    sql = f"INSERT INTO incident_template {{values, {columns}, org_id = :caller_org_id}} RETURNING *"
    (row,) = call.rows(sql, **values)
    return _nest_values(row)


@tool
def update_incident_template(call: Call) -> Row | None:
    """(incident_template_id!, name, change_request_values, active?) -> row of incident_template

    Change the fields given of an incident template, and no others. An empty text is not given; null clears a
    value that may be missing.
      change_request_values: What an incident made from it starts with. {type: object, properties: {
          caller_id: {type: string, description: Id of the user it is reported by.},
          short_description: {type: string, description: What is wrong.},
          channel: {type: [string, "null"], enum: [self-service, phone, email, chat, walk-in, virtual-agent]},
          category: {type: [string, "null"],
            enum: [inquiry-help, software, hardware, database, password-reset]},
          impact: {type: string, enum: [high, medium, low]},
          urgency: {type: string, enum: [high, medium, low]},
          priority: {type: string, enum: [critical, high, moderate, low, planning]},
          configuration_item: {type: [string, "null"], description: Id of the configuration item.},
          service: {type: [string, "null"], description: Id of the service.},
          service_offering: {type: [string, "null"], description: Id of an offering of that service.}}}
    @allow admin, manager
    """
    fields = _template_values(call) | {
        n: call.arguments[n] for n in ("name", "active") if n in call.arguments
    }
    if not fields:
        raise call.server.responses.nothing_given(call.tool)
    row = call.row("SELECT * FROM incident_template WHERE incident_template_id = :incident_template_id")
    if row is None:
        return None
    _check_name(call)
    _check_references(call, fields, row | fields)
    if all(row[name] == value for name, value in fields.items()):
        unchanged = ", ".join(f"{name} (already {value!r})" for name, value in fields.items())
        call.refuse(f"No changes detected for fields: {unchanged}", "NO_CHANGES_DETECTED")
    changes = ", ".join(f'"{name}" = :{name}' for name in fields)
    sql = f"UPDATE incident_template SET {changes}, updated_at = :now"  # noqa: S608 - names of columns
    (row,) = call.rows(f"{sql} WHERE incident_template_id = :incident_template_id RETURNING *", **fields)
    return _nest_values(row)


def _template_values(call: Call) -> Row:
    values: Mapping[str, Any] = call.arguments.get("change_request_values", {})
    return {name: values[name] for name in _TEMPLATE_FIELDS if name in values}


def _check_name(call: Call) -> None:
    sql = "SELECT 1 FROM incident_template WHERE name = :name AND incident_template_id IS NOT :own"
    if call.row(sql, own=call.arguments.get("incident_template_id")):
        message = f"An incident template with name '{call.arguments['name']}' already exists"
        call.refuse(message, "DUPLICATE_TEMPLATE_NAME")


def _check_references(call: Call, fields: Mapping[str, Any], template: Mapping[str, Any]) -> None:
    """Check that references exist, and that the offering of the whole template belongs to its service."""
    columns = call.server.schema.tables["incident_template"].columns
    for name, value in fields.items():
        if (reference := columns[name].references) and value is not None:
            table, key = reference
            if not call.row(f'SELECT 1 FROM "{table}" WHERE "{key}" = :value', value=value):  # noqa: S608
                raise call.server.responses.reference(call.tool, name, value, table)
    offering, service = template.get("service_offering"), template.get("service")
    if offering and service and ("service" in fields or "service_offering" in fields):
        sql = "SELECT 1 FROM service_offering WHERE service_offering_id = :offering"
        if not call.row(f"{sql} AND business_service = :service", offering=offering, service=service):
            message = f"Service offering '{offering}' does not belong to service '{service}'"
            call.refuse(message, "INVALID_REFERENCE")


# incidents within incidents


@tool
def add_child_incidents(call: Call) -> list[Row]:
    """(parent_incident!, child_incidents!) -> rows of child_incident

    Put several incidents below another: all of them, or none where one cannot be.
      child_incidents: Ids of the incidents below. {type: array, items: {type: string}, minItems: 1}
    @allow admin, manager, agent
    """
    return [_link_child(call, child) for child in call.arguments["child_incidents"]]


def _link_child(call: Call, child: str) -> Row:
    parent = call.arguments["parent_incident"]
    for name, incident in (("parent_incident", parent), ("child_incidents", child)):
        if not call.row("SELECT 1 FROM incident WHERE incident_id = :incident", incident=incident):
            raise call.server.responses.reference(call.tool, name, incident, "incident")
    if child == parent:
        call.refuse("An incident cannot be its own child", "INVALID_RELATIONSHIP")
    existing = call.row(
        "SELECT parent_incident, child_incident FROM child_incident"
        " WHERE parent_incident IN (:parent, :child) AND child_incident IN (:parent, :child)",
        parent=parent, child=child,
    )  # fmt: skip
    if existing:
        kind = "Child incident" if existing["parent_incident"] == parent else "Reverse"
        link = f"'{existing['parent_incident']}' -> '{existing['child_incident']}'"
        call.refuse(f"{kind} relationship already exists: {link}", "INVALID_RELATIONSHIP")
    (row,) = call.rows(
        "INSERT INTO child_incident {values, child_incident = :child} RETURNING *", child=child
    )
    return row


# knowledge on incidents


@tool
def find_incident_knowledge_links(call: Call) -> list[Row]:
    """(incident_kb_id, incident_id, knowledge_id, used_as) -> rows of incident_knowledge

    Links between incidents and knowledge articles that match every filter given, the newest first.
      used_as: What the article did; one of suggested, applied, resolution, or several with commas between.
          {enum: null}
    """
    uses = [use.strip() for use in call.arguments.get("used_as", "").split(",")]
    choices = call.server.schema.tables["incident_knowledge"].columns["used_as"].enum
    if "used_as" in call.arguments and (invalid := [use for use in uses if use not in choices]):
        message = f"Invalid value(s) for 'used_as': {', '.join(invalid)}. Must be one or more of: "
        call.refuse(message + ", ".join(choices), "INVALID_ENUM_VALUE")
    return call.rows(
        "SELECT * FROM incident_knowledge WHERE {filters}"
        " AND (:used_as IS NULL OR used_as IN (SELECT value FROM json_each(:uses)))"
        " ORDER BY created_on DESC, incident_kb_id",
        uses=json.dumps(uses),
    )
