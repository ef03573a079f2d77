"""The tools for cases and their tasks, checklists, surveys, knowledge and notifications."""

from eops_traj.gym.servers.hr.records import create, update
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_CASE = ("opened_for", "assigned_to", "approver", "assignment_group")
_TASK = ("assigned_to", "assignment_group", "hr_service")


@tool
def create_new_hr_case(call: Call) -> Row:
    r"""(status, hr_service, opened_for, priority, source, assigned_to, assignment_group, short_description!,
      worknotes, skills[], approval_criteria, coe_type!, approver, request_status, account_number,
      account_type) -> row of hr_case

    Open a case in the caller's name. It gets its number here.
      short_description: {pattern: '\S', maxLength: 120}
      worknotes: {maxLength: 120}
      account_number: {maxLength: 120}
      hr_service: Id of the service. {type: string}
      skills: Ids of the skills it takes. {items: {type: integer}}
      approval_criteria: Id of the criteria for who may approve. {type: string}
    @allow admin, manager, agent
    """
    return create(call, _CASE, "opened_by = :caller_user_id")


@tool
def update_hr_case(call: Call) -> Row:
    r"""(hr_case_id!, number, status, hr_service, opened_for, priority, source, assigned_to, assignment_group,
      short_description, worknotes, skills[], approval_criteria, coe_type, approver, request_status,
      account_number, account_type, created_before < created_at, created_after > created_at) -> row of hr_case

    Change the fields given of a case. Its number and the times, if given, must agree with it.
      hr_case_id: {type: string}
      number: Number of the case, if it is to be made sure of. {pattern: '^HRC\d{7}$'}
      short_description: {pattern: '\S', maxLength: 120}
      worknotes: {maxLength: 120}
      account_number: {maxLength: 120}
      hr_service: Id of the service. {type: string}
      skills: Ids of the skills it takes; they take the place of the old ones. {items: {type: integer}}
      approval_criteria: Id of the criteria for who may approve. {type: string}
    @allow admin, manager, agent
    """
    return update(call, _CASE, by=("hr_case_id", "number", "created_before", "created_after"))


@tool
def create_hr_case_task(call: Call) -> Row:
    r"""(status!, short_description!, assigned_to, assignment_group, task_type, hr_service, external_url,
      worknotes, active, parent_case) -> row of hr_case_task

    Add a task, to a case if one is given. It gets its number here.
      short_description: {pattern: '\S'}
      hr_service: Name of the service. {type: string}
      status: {enum: [draft, ready, work_in_progress, closed_complete, closed_incomplete, cancelled]}
    @allow admin, manager
    """
    return create(call, _TASK)


@tool
def update_hr_case_task(call: Call) -> Row:
    r"""(hr_case_task_id!, number, status, assigned_to, assignment_group, task_type, hr_service, external_url,
      short_description, worknotes, active, parent_case) -> row of hr_case_task

    Change the fields given of a task.
      short_description: {pattern: '\S'}
      hr_service: Name of the service. {type: string}
      status: {enum: [draft, ready, work_in_progress, closed_complete, closed_incomplete, cancelled]}
    @allow admin, manager
    """
    return update(call, _TASK)


@tool
def update_checklist(call: Call) -> Row:
    r"""(checklist_id!, checklist_item_description, checked, case_task_id) -> row of checklist

    Tick a checklist item off, reword it, or move it to another task.
      checklist_item_description: {pattern: '\S'}
    @allow admin, manager
    """
    return update(call)


@tool
def update_survey(call: Call) -> Row:
    """(survey_id!, question_1, question_2, question_3, question_4, question_5) -> row of survey

    Change the questions given of a survey.
    @allow admin, manager
    """
    return update(call)


@tool
def update_survey_instance(call: Call) -> Row:
    """(survey_instance_id!, survey_id, case_task_id, assigned_to, answer_1, answer_2, answer_3, answer_4,
      answer_5) -> row of survey_instance

    Change the answers given of a survey sent to someone, or whom and what it is for.
      assigned_to: Id of the person who is asked. {type: integer}
    @allow admin, manager
    """
    return update(call)


@tool
def update_knowledge_article(call: Call) -> Row:
    """(knowledge_id?, kb_number?, title?, body?, state?, visibility?, owner_id?) -> row of knowledge

    Change the fields given of an article, which its id or its number tells.
      title: {minLength: 1, maxLength: 120}
    @some knowledge_id, kb_number
    @allow admin, manager
    """
    return update(call, by=("knowledge_id", "kb_number"))


@tool
def remove_knowledge_link_to_hr_case(call: Call) -> Row | None:
    """(hr_case_kb_id?, hr_case_id?, knowledge_id?, used_as?) -> row of hr_case_knowledge

    Remove the link of this id; or else the link between this case and article; or else all links of the case.
      used_as: Not looked at.
    @some hr_case_kb_id, hr_case_id
    @allow admin, manager, agent
    @else NOT_FOUND: No link found
    """
    removed = call.rows(
        """DELETE FROM hr_case_knowledge WHERE org_id = :caller_org_id AND CASE
            WHEN :hr_case_kb_id IS NOT NULL THEN hr_case_kb_id = :hr_case_kb_id
            ELSE hr_case_id = :hr_case_id AND knowledge_id = ifnull(:knowledge_id, knowledge_id) END
            RETURNING 1"""
    )
    return {"deleted": len(removed)} if removed else None


@tool
def update_notification(call: Call) -> Row:
    """(notification_id!, hr_case_id?, email?, type?, status?) -> row of notification

    Change the fields given of a notification.
    @allow admin, manager
    """
    return update(call)


@tool
def delete_notifications(call: Call) -> Row | None:
    """(notification_id?, hr_case_id?, email?, type?, status?, sys_created_on? = created_at,
      created_before? < created_at, created_after? > created_at) -> row of notification

    Remove the notifications that match every filter given. One filter at least is needed.
    @some
    @allow admin, manager
    @else NOT_FOUND: No notification matches
    """
    removed = call.rows("DELETE FROM notification WHERE org_id = :caller_org_id AND {filters} RETURNING 1")
    return {"deleted": len(removed)} if removed else None
