"""The tools for services, topics, templates, criteria, skills and assignment rules."""

from eops_traj.gym.servers.hr.records import create, find_id, read_record, update
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_SERVICE = ("topic_detail", "service_template", "hr_criteria")


@tool
def create_new_hr_service(call: Call) -> Row:
    """(service_name!, fulfillment_type!, topic_detail, service_template, hr_criteria, active!)
      -> row of hr_service

    Add a service. No other may have its name; what it refers to has to exist.
    @allow admin, manager
    """
    return create(call, _SERVICE)


@tool
def update_hr_service(call: Call) -> Row:
    """(hr_service_id!, service_name, fulfillment_type, topic_detail, service_template, hr_criteria, active)
      -> row of hr_service

    Change the fields given of a service.
    @allow admin, manager
    """
    return update(call, _SERVICE)


@tool
def delete_hr_service(call: Call) -> Row:
    """(hr_service_id!, service_name!) -> row of hr_service

    Take a service out of the catalogue: it becomes inactive. Id and name have to be of one service.
    @allow admin, manager
    @refuse ALREADY_INACTIVE: HR service '{service_name}' is already inactive
        WHEN EXISTS (SELECT 1 FROM hr_service WHERE hr_service_id = :hr_service_id
        AND service_name = :service_name AND NOT active AND org_id = :caller_org_id)
    """
    row_id = find_id(call, ("hr_service_id", "service_name"))
    call.rows(
        "UPDATE hr_service SET active = 0, updated_at = :now WHERE hr_service_id = :row_id", row_id=row_id
    )
    return read_record(call, row_id)


@tool
def add_new_topic_detail(call: Call) -> Row:
    """(name!, active!, topic_category) -> row of topic_detail

    Add a topic. No other may have its name.
    @allow admin, manager
    """
    return create(call, ("topic_category",))


@tool
def update_topic_detail(call: Call) -> Row:
    """(topic_detail_id!, name!, active, topic_category) -> row of topic_detail

    Change the fields given of a topic.
    @allow admin, manager
    """
    return update(call, ("topic_category",))


@tool
def update_topic_category(call: Call) -> Row:
    """(topic_category_id!, name!, coe_type, active) -> row of topic_category

    Change the fields given of a category.
    @allow admin, manager
    """
    return update(call)


@tool
def update_service_template(call: Call) -> Row:
    """(service_template_id!, name, change_request_values, coe_type, active) -> row of service_template

    Change the fields given of a template.
      change_request_values: What a request made from it starts with; it takes the place of the old ones.
        {properties: {short_description: {type: string}, category: {type: string}}}
    @allow admin, manager
    """
    return update(call)


@tool
def register_hr_criteria(call: Call) -> Row:
    """(name!, type!, active, user_group, users) -> row of hr_criteria

    Add criteria. No others may have their name; the group and the people have to exist.
      user_group: {type: string}
    @allow admin, manager
    """
    return create(call)


@tool
def update_hr_criteria(call: Call) -> Row:
    """(hr_criteria_id!, name, type, active, user_group, users) -> row of hr_criteria

    Change the fields given of criteria.
      user_group: {type: string}
    @allow admin, manager
    """
    return update(call)


@tool
def update_skill(call: Call) -> Row:
    """(skill_id!, name, active) -> row of skill

    Rename a skill, or say whether it is still asked for.
    @allow admin, manager
    """
    return update(call)


@tool
def add_new_assignment_rule(call: Call) -> Row:
    """(name!, based_on_skills[], based_on_country, based_on_priority, active, user_group, users[])
      -> row of assignment_rules

    Add a rule for who gets a case. It is applied only once it is active.
      name: {minLength: 1, maxLength: 120}
      based_on_skills: Ids of the skills for which it sends a case on. {items: {type: integer}}
      users: Ids of the people who get the case. {type: array, items: {type: integer}, pattern: null}
    @allow admin, manager
    """
    return create(call)


@tool
def update_assignment_rules(call: Call) -> Row:
    """(assignment_rule_id!, name, based_on_skills[], based_on_country, based_on_priority, active, user_group,
      users[]) -> row of assignment_rules

    Change the fields given of a rule. Lists take the place of the old ones.
      name: {minLength: 1, maxLength: 120}
      based_on_skills: Ids of the skills for which it sends a case on. {items: {type: integer}}
      users: Ids of the people who get the case. {type: array, items: {type: integer}, pattern: null}
    @allow admin, manager
    """
    return update(call)
