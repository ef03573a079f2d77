--- Tools of HR service delivery: what reads, and the plain writes. Those that change records, or take them by
--- name, are in tools.py. How headers and slots are read: eops_traj/gym/tools/declarations.py.
--- Everyone sees their own organization only. Writing is for managers and admins; agents write cases (policy.md).
--- A list of a real row may be no JSON: such a one names nobody, and is shown as it is.

--- Arguments that mean the same everywhere. Ids are texts in most tools, people go by their full names.

--   hr_service_id: {type: string}
--   topic_detail_id: {type: string}
--   topic_category_id: {type: string}
--   service_template_id: {type: string}
--   hr_criteria_id: {type: string}
--   skill_id: {type: string}
--   user_skill_id: {type: string}
--   hr_profile_id: {type: string}
--   hr_case_task_id: {type: string}
--   escalation_rule_id: {type: string}
--   escalate_from: {type: string}
--   escalate_to: {type: string}
--   skill: {type: string}
--   user: {type: string}
--   manager: {type: string}
--   parent_case: {type: string}
--   first_name: {minLength: 1, maxLength: 60, pattern: "^([^\\W\\d_]|[ .'-])+$"}
--   last_name: {minLength: 1, maxLength: 60, pattern: "^([^\\W\\d_]|[ .'-])+$"}
--   phone: {maxLength: 30}
--   topic_category: Name of the category. {type: string}
--   topic_detail: Name of the topic. {type: string}
--   service_template: Name of the template. {type: string}
--   hr_criteria: Name of the criteria. {type: string}
--   opened_for: First and last name of the person the case is for; the address, if several share it. {type: string}
--   opened_by: First and last name of whoever opened the case; the address, if several share it. {type: string}
--   approver: First and last name of whoever is to approve; the address, if several share it. {type: string}
--   assigned_to: First and last name of whoever is to do the work; the address, if several share it. {type: string}
--   assignment_group: Name of the group that is to do the work. {type: string}
--   users: Ids of people, with commas between them, such as 3,14. {type: string, pattern: '^ *[1-9][0-9]*( *, *[1-9][0-9]*)* *$'}
--   created_after: Only what was made after this time (YYYY-MM-DD, or with HH:MM:SS).
--   created_before: Only what was made before this time (YYYY-MM-DD, or with HH:MM:SS).

--- Services

-- get_hr_service_by_name(service_name!) -> row of hr_service
-- Look a service up by its exact name, with its topic, template and criteria.
SELECT * FROM hr_service_shown WHERE service_name = :service_name AND org_id = :caller_org_id;

-- find_hr_services(hr_service_id, fulfillment_type, topic_detail, service_template, hr_criteria, active)
--   -> rows of hr_service
-- Services that match every filter given; one at least is needed. Names may be given in part.
-- @some hr_service_id, fulfillment_type, topic_detail, service_template, hr_criteria, active
SELECT * FROM hr_service_shown WHERE org_id = :caller_org_id AND {filters}
    AND (:topic_detail IS NULL
        OR topic_detail IN (SELECT topic_detail_id FROM topic WHERE instr(lower(name), lower(:topic_detail)) > 0))
    AND (:service_template IS NULL OR service_template IN (
        SELECT service_template_id FROM service_template WHERE instr(lower(name), lower(:service_template)) > 0))
    AND (:hr_criteria IS NULL
        OR hr_criteria IN (SELECT hr_criteria_id FROM criteria WHERE instr(lower(name), lower(:hr_criteria)) > 0))
ORDER BY hr_service_id;

--- Topics

-- get_topic_details(topic_detail_id, name ~, active, topic_category) -> rows of topic_detail
-- Topics that match every filter given; one at least is needed.
--   topic_category: Part of the category's name.
-- @some topic_detail_id, name, active, topic_category
SELECT * FROM topic_detail_shown WHERE org_id = :caller_org_id AND {filters} AND (:topic_category IS NULL
    OR topic_category IN (SELECT topic_category_id FROM category WHERE instr(lower(name), lower(:topic_category)) > 0))
ORDER BY topic_detail_id;

-- get_topic_categories(topic_category_id, name ~, active, coe_type) -> rows of topic_category
-- Categories that match every filter given, with the number of their topics; one filter at least is needed.
-- @some
SELECT * FROM topic_category_shown WHERE org_id = :caller_org_id AND {filters} ORDER BY topic_category_id;

-- add_new_topic_category(name!, coe_type!, active!) -> row
-- Add a category. No other may have its name.
-- @allow admin, manager
INSERT INTO topic_category {values, org_id = :caller_org_id} RETURNING *;

--- Service templates

-- get_service_template_by_name(name!) -> row
-- Look a template up by its name; upper and lower case are the same here.
SELECT * FROM service_template WHERE lower(name) = lower(:name) AND org_id = :caller_org_id;

-- get_service_templates(service_template_id, name ~, active, coe_type) -> rows
-- Templates that match every filter given; one at least is needed.
-- @some
SELECT * FROM service_template WHERE org_id = :caller_org_id AND {filters} ORDER BY service_template_id;

-- create_new_service_template(name!, change_request_values!, coe_type!, active) -> row
-- Add a template. No other may have its name.
--   change_request_values: What a request made from it starts with.
--     {properties: {short_description: {type: string}, category: {type: string}}, required: [short_description, category]}
-- @allow admin, manager
INSERT INTO service_template {values, org_id = :caller_org_id} RETURNING *;

--- People

-- get_user(user_id!) -> row of user
-- Look one person up by id.
--   user_id: {type: string}
SELECT * FROM user_shown WHERE user_id = :user_id AND org_id = :caller_org_id;

-- get_user_using_email(email!) -> row of user
-- Look one person up by the address at work.
--   email: {format: email}
SELECT * FROM user_shown WHERE lower(email) = lower(:email) AND org_id = :caller_org_id;

-- get_user_using_name(first_name!, last_name!) -> row of user
-- Look one person up by first and last name, exactly as written. Of namesakes it finds the one with the lowest id.
SELECT * FROM user_shown WHERE first_name = :first_name AND last_name = :last_name AND org_id = :caller_org_id
ORDER BY user_id LIMIT 1;

--- Groups

-- list_user_groups(group_id, name, active, type) -> rows
-- Groups that match every filter given; with no filter, all of them.
SELECT * FROM user_group WHERE org_id = :caller_org_id AND {filters} ORDER BY group_id;

-- find_group_by_name(name!) -> row
-- Look a group up by its exact name.
--   name: {minLength: 1, maxLength: 80}
SELECT * FROM user_group WHERE name = :name AND org_id = :caller_org_id;

-- list_group_members(group_id!, member_id, user_id) -> rows
-- Memberships of a group that match every filter given.
-- @refuse NOT_FOUND: User group not found with identifier '{group_id}' WHEN NOT EXISTS
--     (SELECT 1 FROM user_group WHERE group_id = :group_id AND org_id = :caller_org_id)
SELECT * FROM user_group_member WHERE group_id = :group_id AND org_id = :caller_org_id AND {filters} ORDER BY member_id;

-- add_new_user_group(name!, type!, active) -> row
-- Add a group. No other may have its name.
--   name: {minLength: 1, maxLength: 80, pattern: "^[\\w .'-]+$"}
-- @allow admin, manager
INSERT INTO user_group {values, org_id = :caller_org_id} RETURNING *;

-- add_new_group_member(group_id!, user_id!) -> row
-- Put a person into a group.
--   group_id: {type: string}
--   user_id: {type: string}
-- @allow admin, manager
INSERT INTO user_group_member {values, org_id = :caller_org_id} RETURNING *;

-- remove_group_membership(group_id!, user_id!) -> row
-- Take a person out of a group.
--   group_id: {type: string}
--   user_id: {type: string}
-- @allow admin, manager
-- @else NOT_FOUND: User '{user_id}' is not a member of group '{group_id}'
DELETE FROM user_group_member WHERE group_id = :group_id AND user_id = :user_id AND org_id = :caller_org_id RETURNING *;

--- Criteria

-- list_hr_criteria(hr_criteria_id, name ~, type, active, user_group, users, created_before < created_at,
--   created_after > created_at) -> rows
-- Criteria that match every filter given; one at least is needed. Of several people, one has to be named in them.
--   user_group: {type: string}
-- @some hr_criteria_id, name, type, active, user_group, users, created_before, created_after
SELECT * FROM hr_criteria WHERE org_id = :caller_org_id AND {filters} AND (:users IS NULL OR EXISTS (
    SELECT 1 FROM json_each(iif(json_valid(users), users, NULL)) named
    JOIN json_each('[' || :users || ']') wanted ON named.value = wanted.value))
ORDER BY hr_criteria_id;

--- Skills

-- list_skills(skill_id, name ~, active, created_before < created_at, created_after > created_at) -> rows
-- Skills that match every filter given; one at least is needed.
-- @some
SELECT * FROM skill WHERE org_id = :caller_org_id AND {filters} ORDER BY skill_id;

-- list_user_skills(user_skill_id, skill, user, created_before < created_at, created_after > created_at) -> rows
-- Who has which skill, by every filter given; one at least is needed.
-- @some
SELECT * FROM user_skill WHERE org_id = :caller_org_id AND {filters} ORDER BY user_skill_id;

-- add_new_skill(name!, active) -> row
-- Add a skill. No other may have its name.
-- @allow admin, manager
INSERT INTO skill {values, org_id = :caller_org_id} RETURNING *;

-- add_new_skill_to_user(skill!, user!) -> row
-- Record that a person has a skill.
-- @allow admin, manager
INSERT INTO user_skill {values, org_id = :caller_org_id} RETURNING *,
    (SELECT name FROM skill WHERE skill_id = user_skill.skill) AS skill_name,
    (SELECT email FROM user WHERE user_id = user_skill.user) AS user_email,
    (SELECT first_name FROM user WHERE user_id = user_skill.user) AS user_first_name,
    (SELECT last_name FROM user WHERE user_id = user_skill.user) AS user_last_name;

-- remove_user_skills(user_skill_id!) -> row
-- Remove for good the record that a person has a skill.
-- @allow admin, manager
DELETE FROM user_skill WHERE user_skill_id = :user_skill_id AND org_id = :caller_org_id RETURNING *,
    (SELECT name FROM skill WHERE skill_id = user_skill.skill) AS skill_name,
    (SELECT email FROM user WHERE user_id = user_skill.user) AS user_email,
    (SELECT first_name FROM user WHERE user_id = user_skill.user) AS user_first_name,
    (SELECT last_name FROM user WHERE user_id = user_skill.user) AS user_last_name;

--- Checklists and surveys

-- list_checklists(checklist_id, checklist_item_description ~, checked, case_task_id) -> rows
-- Checklist items that match every filter given; with no filter, all of them.
SELECT * FROM checklist WHERE org_id = :caller_org_id AND {filters} ORDER BY checklist_id;

-- create_checklist(checklist_item_description!, checked, case_task_id!) -> row
-- Add an item to the checklist of a task.
--   checklist_item_description: {pattern: '\S'}
-- @allow admin, manager
INSERT INTO checklist {values, org_id = :caller_org_id} RETURNING *;

-- list_surveys(survey_id, question_1 ~, question_2 ~, question_3 ~, question_4 ~, question_5 ~) -> rows
-- Surveys that match every filter given; with no filter, all of them.
SELECT * FROM survey WHERE org_id = :caller_org_id AND {filters} ORDER BY survey_id;

-- create_survey(question_1, question_2, question_3, question_4, question_5) -> row
-- Make a survey of one to five questions.
-- @some
-- @allow admin, manager
INSERT INTO survey {values, org_id = :caller_org_id} RETURNING *;

-- list_survey_instances(survey_instance_id, survey_id, case_task_id, assigned_to, answer_1 ~, answer_2 ~, answer_3 ~,
--   answer_4 ~, answer_5 ~) -> rows
-- Surveys as sent to people, with their answers, by every filter given; with no filter, all of them.
--   assigned_to: Id of the person who is asked. {type: integer}
SELECT * FROM survey_instance WHERE org_id = :caller_org_id AND {filters} ORDER BY survey_instance_id;

-- create_survey_instance(survey_id!, case_task_id, assigned_to, answer_1, answer_2, answer_3, answer_4, answer_5) -> row
-- Send a survey to a person, for a task if there is one. Answers may come later.
--   assigned_to: Id of the person who is asked. {type: integer}
-- @allow admin, manager
-- @outward assigned_to
INSERT INTO survey_instance {values, org_id = :caller_org_id} RETURNING *;

--- Cases

-- find_hr_case_by_number(number!) -> row of hr_case
-- Look a case up by its number, with its service, people, group and criteria.
--   number: {minLength: 10, maxLength: 10, pattern: '^HRC\d{7}$'}
-- @closed
SELECT * FROM hr_case_shown WHERE number = :number AND org_id = :caller_org_id;

-- find_my_cases_to_approve() -> rows of hr_case
-- The cases that wait for the caller's own approval.
SELECT * FROM hr_case_shown
WHERE approver = :caller_user_id AND request_status = 'requested' AND org_id = :caller_org_id ORDER BY hr_case_id;

-- list_hr_cases(hr_case_id, number, status, hr_service, opened_for, opened_by, priority, source, assigned_to,
--   assignment_group, short_description ~, worknotes ~, skills[], approval_criteria, coe_type, approver, request_status,
--   account_number ~, account_type, created_after > created_at, created_before < created_at, limit) -> rows of hr_case
-- Cases that match every filter given, with their service, people, group and criteria.
--   hr_case_id: {type: string}
--   number: {minLength: 10, maxLength: 10, pattern: '^HRC\d{7}$'}
--   hr_service: Name of the service. {type: string}
--   skills: Ids of skills, of which the case takes one at least. {items: {type: integer}}
--   approval_criteria: Name of the criteria for who may approve. {type: string}
--   limit: How many cases to show at most. {type: integer, default: 50, minimum: 1, maximum: 100}
SELECT * FROM hr_case_shown WHERE org_id = :caller_org_id AND {filters}
    AND (:hr_service IS NULL OR hr_service IN (SELECT hr_service_id FROM service WHERE name = :hr_service))
    AND (:opened_for IS NULL OR opened_for IN (SELECT user_id FROM person WHERE :opened_for IN (name, email)))
    AND (:opened_by IS NULL OR opened_by IN (SELECT user_id FROM person WHERE :opened_by IN (name, email)))
    AND (:assigned_to IS NULL OR assigned_to IN (SELECT user_id FROM person WHERE :assigned_to IN (name, email)))
    AND (:approver IS NULL OR approver IN (SELECT user_id FROM person WHERE :approver IN (name, email)))
    AND (:assignment_group IS NULL
        OR assignment_group IN (SELECT group_id FROM team WHERE name = :assignment_group))
    AND (:approval_criteria IS NULL
        OR approval_criteria IN (SELECT hr_criteria_id FROM criteria WHERE name = :approval_criteria))
    AND (:skills IS NULL OR EXISTS (
        SELECT 1 FROM json_each(iif(json_valid(skills), skills, NULL)) taken
        JOIN json_each(:skills) wanted ON taken.value = wanted.value))
ORDER BY hr_case_id LIMIT :limit;

-- get_cases_assigned_to(assignment_group, assigned_to) -> rows of hr_case
-- The cases that a group or a person works on; with both given, that the person works on within the group.
-- @some assignment_group, assigned_to
SELECT * FROM hr_case_shown WHERE org_id = :caller_org_id
    AND (:assigned_to IS NULL OR assigned_to IN (SELECT user_id FROM person WHERE :assigned_to IN (name, email)))
    AND (:assignment_group IS NULL
        OR assignment_group IN (SELECT group_id FROM team WHERE name = :assignment_group))
ORDER BY hr_case_id;

-- get_count_of_case_priority_wise(priority_list[]? = priority) -> rows
-- How many cases there are of each priority, or of those listed.
-- @as tally priority_list
SELECT priority AS value, count(*) AS count FROM hr_case WHERE org_id = :caller_org_id AND {filters} GROUP BY priority;

-- count_case_for_assignment_group(assignment_group_id! = assignment_group, statuses[]? = status,
--   priority_list[]? = priority, source?) -> row of hr_case
-- How many cases a group has, among those that match every filter given.
--   assignment_group_id: Id of the group. {type: integer}
-- @refuse NOT_FOUND: User group not found with identifier '{assignment_group_id}' WHEN NOT EXISTS
--     (SELECT 1 FROM user_group WHERE group_id = :assignment_group_id AND org_id = :caller_org_id)
SELECT :assignment_group_id AS assignment_group_id, count(*) AS count FROM hr_case
WHERE assignment_group = :assignment_group_id AND org_id = :caller_org_id AND {filters};

--- Tasks of cases

-- list_hr_case_tasks(hr_case_task_id, number, status, assigned_to, assignment_group, task_type, hr_service,
--   external_url ~, short_description ~, worknotes ~, active, parent_case) -> rows of hr_case_task
-- Tasks that match every filter given, with their people, group, service and case.
--   status: {enum: [draft, ready, work_in_progress, closed_complete, closed_incomplete, cancelled]}
--   hr_service: Name of the service. {type: string}
SELECT * FROM hr_case_task_shown WHERE org_id = :caller_org_id AND {filters}
    AND (:assigned_to IS NULL OR assigned_to IN (SELECT user_id FROM person WHERE :assigned_to IN (name, email)))
    AND (:assignment_group IS NULL
        OR assignment_group IN (SELECT group_id FROM team WHERE name = :assignment_group))
    AND (:hr_service IS NULL OR hr_service IN (SELECT hr_service_id FROM service WHERE name = :hr_service))
ORDER BY hr_case_task_id;

-- count_case_task_for_assignment_group(assignment_group_id! = assignment_group, statuses[]? = status)
--   -> row of hr_case_task
-- How many tasks a group has, in any status or in those listed.
--   assignment_group_id: Id of the group. {type: integer}
-- @refuse NOT_FOUND: User group not found with identifier '{assignment_group_id}' WHEN NOT EXISTS
--     (SELECT 1 FROM user_group WHERE group_id = :assignment_group_id AND org_id = :caller_org_id)
SELECT :assignment_group_id AS assignment_group_id, count(*) AS count FROM hr_case_task
WHERE assignment_group = :assignment_group_id AND org_id = :caller_org_id AND {filters};

--- Profiles

-- get_hr_profile_by_id(hr_profile_id!) -> row
-- Look a profile up by its id.
SELECT * FROM hr_profile WHERE hr_profile_id = :hr_profile_id AND org_id = :caller_org_id;

-- get_hr_profile_by_personal_email(personal_email!) -> row
-- Look a profile up by the private address; upper and lower case are the same here.
SELECT * FROM hr_profile WHERE lower(personal_email) = lower(:personal_email) AND org_id = :caller_org_id;

-- get_users_hr_profile(user_id!) -> row
-- Look up the profile of a person.
--   user_id: {type: string}
SELECT * FROM hr_profile WHERE user_id = :user_id AND org_id = :caller_org_id;

-- fetch_hr_profile_by_number(number!) -> row
-- Look a profile up by its number.
SELECT * FROM hr_profile WHERE number = :number AND org_id = :caller_org_id;

-- fetch_hr_profiles(gender, marital_status, type, dob, nationality, employment_start_date, employment_end_date = none,
--   manager, location_type, national_tax_id, position) -> rows
-- Profiles that match every filter given; with no filter, all of them.
--   employment_end_date: Last day of employment (YYYY-MM-DD), or null for those without one.
--     {type: string, pattern: '^(null|\d{4}-\d\d-\d\d([ T].*)?)$'}
SELECT * FROM hr_profile WHERE org_id = :caller_org_id AND {filters}
    AND (:dob IS NULL OR date(dob) = date(:dob))
    AND (:employment_start_date IS NULL OR date(employment_start_date) = date(:employment_start_date))
    AND (:employment_end_date IS NULL OR ifnull(date(employment_end_date), 'null')
        = CASE :employment_end_date WHEN 'null' THEN 'null' ELSE date(:employment_end_date) END)
ORDER BY hr_profile_id;

--- Knowledge

-- retrieve_knowledge_articles(knowledge_id?, kb_number?, title? ~, body? ~, state?, visibility?, owner_id?,
--   created_before? < created_at, created_after? > created_at) -> rows
-- Articles that match every filter given; with no filter, all of them.
SELECT * FROM knowledge WHERE org_id = :caller_org_id AND {filters} ORDER BY knowledge_id;

-- create_knowledge_article(title!, body?, state, visibility, owner_id?) -> row
-- Write an article. It gets its number here.
--   title: {minLength: 1, maxLength: 120}
-- @allow admin, manager
INSERT INTO knowledge {values, org_id = :caller_org_id} RETURNING *;

-- link_knowledge_to_hr_case(hr_case_id!, knowledge_id!, used_as) -> row
-- Say what an article did for a case. An article is linked to a case once.
-- @allow admin, manager, agent
INSERT INTO hr_case_knowledge {values, org_id = :caller_org_id} RETURNING *;

-- find_hr_case_knowledge_links(hr_case_kb_id?, hr_case_id?, knowledge_id?, used_as?) -> rows
-- Links between cases and articles that match every filter given; with no filter, all of them.
SELECT * FROM hr_case_knowledge WHERE org_id = :caller_org_id AND {filters} ORDER BY hr_case_kb_id;

--- Rules of assignment and escalation

-- list_assignment_rules(assignment_rule_id, name ~, based_on_skills, based_on_country, based_on_priority, active,
--   user_group, users, limit) -> rows
-- Rules that match every filter given; one at least is needed. Of several skills or people, one has to be in the rule.
--   based_on_skills: Ids of skills, with commas between them. {type: string, pattern: '^ *[1-9][0-9]*( *, *[1-9][0-9]*)* *$'}
--   limit: How many rules to show at most. {type: integer, default: 50, minimum: 1, maximum: 100}
-- @some assignment_rule_id, name, based_on_skills, based_on_country, based_on_priority, active, user_group, users
SELECT * FROM assignment_rules WHERE org_id = :caller_org_id AND {filters}
    AND (:based_on_skills IS NULL OR EXISTS (
        SELECT 1 FROM json_each(iif(json_valid(based_on_skills), based_on_skills, NULL)) named
        JOIN json_each('[' || :based_on_skills || ']') wanted
        ON named.value = wanted.value OR named.value = (SELECT name FROM skill WHERE skill_id = wanted.value)))
    AND (:users IS NULL OR EXISTS (SELECT 1 FROM json_each(iif(json_valid(users), users, NULL)) named
        JOIN json_each('[' || :users || ']') wanted ON named.value = wanted.value))
ORDER BY assignment_rule_id LIMIT :limit;

-- list_escalation_rules(escalation_rule_id, escalate_from, escalate_to) -> rows of escalation_rule
-- Rules that match every filter given, with the names of both groups; one filter at least is needed.
-- @some
SELECT * FROM escalation_rule_shown WHERE org_id = :caller_org_id AND {filters} ORDER BY escalation_rule_id;

-- add_new_escalation_rule(escalate_from!, escalate_to!) -> row
-- Say which group takes over from which.
-- @allow admin, manager
-- @refuse INVALID_RELATIONSHIP: A group cannot escalate to itself WHEN CAST(:escalate_from AS INTEGER) = CAST(:escalate_to AS INTEGER)
INSERT INTO escalation_rule {values, org_id = :caller_org_id} RETURNING *,
    (SELECT name FROM user_group WHERE group_id = escalate_from) AS escalate_from_group_name,
    (SELECT name FROM user_group WHERE group_id = escalate_to) AS escalate_to_group_name;

-- remove_escalation_rule(escalation_rule_id!) -> row
-- Remove a rule of escalation.
-- @allow admin, manager
DELETE FROM escalation_rule WHERE escalation_rule_id = :escalation_rule_id AND org_id = :caller_org_id RETURNING *,
    (SELECT name FROM user_group WHERE group_id = escalate_from) AS escalate_from_group_name,
    (SELECT name FROM user_group WHERE group_id = escalate_to) AS escalate_to_group_name;

--- Notifications

-- find_notifications_for_email(email!) -> rows
-- Everything that was sent to an address.
SELECT * FROM notification WHERE email = :email AND org_id = :caller_org_id ORDER BY notification_id;

-- find_notifications_sent_for_incident(hr_case_id!) -> rows
-- Everything that was sent about a case.
SELECT * FROM notification WHERE hr_case_id = :hr_case_id AND org_id = :caller_org_id ORDER BY notification_id;

-- find_notifications(notification_id?, hr_case_id?, email?, type?, status?, sys_created_on? = created_at) -> rows
-- Notifications that match every filter given; with no filter, all of them.
--   sys_created_on: The second at which it was made.
SELECT * FROM notification WHERE org_id = :caller_org_id AND {filters} ORDER BY notification_id;

-- send_notification(hr_case_id!, email!, type?, status?) -> row
-- Send word of a case to an address, at work or private, of someone here. It tells of the case's status, if not of another.
-- @allow admin, manager
-- @refuse USER_EMAIL_NOT_FOUND: User with email '{email}' not found or does not belong to your organization WHEN NOT EXISTS
--     (SELECT 1 FROM user u LEFT JOIN hr_profile p ON p.user_id = u.user_id
--     WHERE lower(:email) IN (lower(u.email), lower(p.personal_email)) AND u.org_id = :caller_org_id)
-- @outward email
INSERT INTO notification {values, org_id = :caller_org_id, hr_case_id = :hr_case_id,
    status = (SELECT ifnull(:status, status) FROM hr_case WHERE hr_case_id = :hr_case_id)} RETURNING *;

-- count_notifications_by_status(status[]?) -> rows of notification
-- How many notifications there are of each status, or of those listed.
-- @as tally status
SELECT status AS value, count(*) AS count FROM notification WHERE org_id = :caller_org_id AND {filters} GROUP BY status;

-- count_notifications_by_type(type[]?) -> rows of notification
-- How many notifications there are of each type, or of those listed.
-- @as tally type
SELECT type AS value, count(*) AS count FROM notification WHERE org_id = :caller_org_id AND {filters} GROUP BY type;

-- count_notifications_by_case(case_ids[]? = hr_case_id) -> row
-- How many notifications there are, about any case or about those listed.
SELECT count(*) AS count FROM notification WHERE org_id = :caller_org_id AND {filters};

-- avg_notifications_by_case(case_ids[]? = hr_case_id) -> row of hr_case
-- How many notifications a case has on average, over all cases or those listed.
SELECT coalesce(avg(sent), 0.0) AS average FROM (
    SELECT (SELECT count(*) FROM notification n WHERE n.hr_case_id = c.hr_case_id) AS sent
    FROM hr_case c WHERE c.org_id = :caller_org_id AND {filters});
