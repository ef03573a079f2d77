"""The responses of the ITSM server: lists with their length, and refusals with codes
(`eops_traj.gym.tools.coded_responses`)."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from eops_traj.gym.tools.coded_responses import CodedResponses, Wordings
from eops_traj.gym.tools.tool import Tool

_NAMES = {  # table: what a row is called, what a list of them is called
    "change": ("Change", "changes"),
    "change_request_mapping": ("Change request mapping", "change_request_mappings"),
    "child_incident": ("Child incident mapping", "child_incidents"),
    "configuration_item": ("Configuration item", "configuration_items"),
    "incident": ("Incident", "incidents"),
    "incident_affected_cis": ("Incident affected CI mapping", "incident_affected_cis"),
    "incident_knowledge": ("Incident knowledge link", "incident_knowledges"),
    "incident_sla": ("Incident SLA", "incident_slas"),
    "incident_template": ("Incident template", "incident_templates"),
    "knowledge": ("Knowledge article", "knowledges"),
    "location": ("Location", "locations"),
    "notification": ("Notification", "notifications"),
    "organization": ("Organization", "organizations"),
    "problem": ("Problem", "problems"),
    "role": ("Role", "roles"),
    "service": ("Service", "services"),
    "service_offering": ("Service offering", "service_offerings"),
    "sla_definition": ("SLA definition", "sla_definitions"),
    "user_group": ("User group", "user_groups"),
    "user_group_member": ("Group member", "group_members"),
    "users": ("User", "users"),
}
_DISPLAYED = ("service", "service_offering", "configuration_item", "assigned_to", "assignment_group",
              "parent_incident", "problem", "change_request", "incident_template")  # fmt: skip
_HIDDEN = {
    "users": frozenset({"static_token"}),  # whoever reads it could sign with it
    "incident": frozenset({"org_id", "contact_type", *(f"{name}_display" for name in _DISPLAYED)}),
    "change": frozenset({"org_id"}),
    "configuration_item": frozenset({"org_id"}),
}
"""The columns that the real server's answers leave out."""


class ItsmResponses(CodedResponses):
    """Objects as they are, lists as ``{"incidents": [...], "total_count": 2}``."""

    names: Mapping[str, str] = MappingProxyType({table: called for table, (called, _) in _NAMES.items()})
    not_found: Mapping[str, str] = MappingProxyType(
        dict.fromkeys(("location", "notification", "incident_knowledge"), "RESOURCE_NOT_FOUND")
    )
    duplicates: Wordings = MappingProxyType(
        {"users.phone": ("DUPLICATE_PHONE", "A user with phone '{phone}' already exists")}
    )
    formats: Wordings = MappingProxyType({
        "string_pattern_mismatch": ("INVALID_PHONE_FORMAT", "phone must have the form +<cc>-XXX-XXX-XXXX"),
        "value_error": ("INVALID_EMAIL_FORMAT", "not an e-mail address"),
    })  # fmt: skip

    def success(self, tool: Tool, result: Any) -> str:
        """Return the text of a result."""
        table = tool.table.name if tool.table else ""
        if tool.shape == "deleted":
            result = {"deleted_count": result["deleted"]}
        elif isinstance(result, list):
            length = "count" if table == "notification" else "total_count"
            result = {_NAMES[table][1]: [_visible(table, row) for row in result], length: len(result)}
        else:
            result = _visible(table, result)
        return json.dumps(result, ensure_ascii=False)


def _visible(table: str, row: Any) -> Any:
    hidden = _HIDDEN.get(table)
    return {key: value for key, value in row.items() if key not in hidden} if hidden else row
