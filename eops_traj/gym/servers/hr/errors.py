"""The HR server's refusals: with codes, as its sibling for IT has them; its results are bare JSON."""

from collections.abc import Mapping
from types import MappingProxyType

from eops_traj.gym.tools.coded_responses import CodedResponses, Wordings


class HrResponses(CodedResponses):
    """The names of HR's records, and its wordings for duplicates."""

    names: Mapping[str, str] = MappingProxyType({
        "assignment_rules": "Assignment rule",
        "checklist": "Checklist item",
        "hr_case": "HR case",
        "hr_case_knowledge": "HR case knowledge link",
        "hr_case_task": "HR case task",
        "hr_criteria": "HR criteria",
        "hr_profile": "HR profile",
        "hr_service": "HR service",
        "knowledge": "Knowledge article",
        "user_group_member": "Group member",
    })  # fmt: skip
    duplicates: Wordings = MappingProxyType({
        "assignment_rules.org_id, assignment_rules.name": (
            "DUPLICATE_NAME", "Assignment rule '{name}' already exists"),
        "escalation_rule.escalate_from, escalation_rule.escalate_to": (
            "DUPLICATE_RULE", "Group '{escalate_from}' already escalates to group '{escalate_to}'"),
        "hr_case_knowledge.hr_case_id, hr_case_knowledge.knowledge_id": (
            "DUPLICATE_LINK", "Article '{knowledge_id}' is already linked to HR case '{hr_case_id}'"),
        "hr_case_task.org_id, hr_case_task.number": (
            "DUPLICATE_NUMBER", "HR case task '{number}' already exists"),
        "hr_criteria.org_id, hr_criteria.name": (
            "DUPLICATE_NAME", "HR criteria '{name}' already exists"),
        "hr_profile.org_id, hr_profile.national_tax_id": (
            "DUPLICATE_TAX_ID", "Another profile has the national tax id given"),
        "hr_profile.org_id, hr_profile.personal_email": (
            "DUPLICATE_EMAIL", "Another profile has the personal email '{personal_email}'"),
        "hr_profile.user_id": (
            "DUPLICATE_PROFILE", "User '{user_id}' already has an HR profile"),
        "hr_service.org_id, hr_service.service_name": (
            "DUPLICATE_SERVICE_NAME", "HR service '{service_name}' already exists"),
        "service_template.org_id, service_template.name": (
            "DUPLICATE_TEMPLATE_NAME", "Service template '{name}' already exists"),
        "skill.org_id, skill.name": (
            "DUPLICATE_NAME", "Skill '{name}' already exists"),
        "topic_category.org_id, topic_category.name": (
            "DUPLICATE_NAME", "Topic category '{name}' already exists"),
        "topic_detail.org_id, topic_detail.name": (
            "DUPLICATE_NAME", "Topic detail '{name}' already exists"),
        "user.org_id, user.email": (
            "DUPLICATE_EMAIL", "A user with email '{email}' already exists"),
        "user_group.org_id, user_group.name": (
            "DUPLICATE_GROUP_NAME", "User group '{name}' already exists"),
        "user_group_member.group_id, user_group_member.user_id": (
            "DUPLICATE_MEMBERSHIP", "User '{user_id}' is already a member of group '{group_id}'"),
        "user_skill.skill, user_skill.user": (
            "DUPLICATE_SKILL", "User '{user}' already has skill '{skill}'"),
    })  # fmt: skip
