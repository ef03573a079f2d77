-- HR service delivery. How a column is read: eops_traj/gym/engine/schema.py.

-- Who there is

CREATE TABLE organization (
    org_id INTEGER PRIMARY KEY,  -- Id of the organization.
    name TEXT NOT NULL UNIQUE,  -- Its name.
    active BOOLEAN NOT NULL DEFAULT 1,  -- Whether it is in business.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE permission (
    perm_id INTEGER PRIMARY KEY,  -- Id of the permission.
    resource TEXT NOT NULL,  -- What it is about: users, hr_cases, knowledge and so on.
    action TEXT NOT NULL CHECK (action IN ('read', 'crud')),  -- read: look; crud: look and write.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    UNIQUE (resource, action)
);

CREATE TABLE role (
    role_id INTEGER PRIMARY KEY,  -- Id of the role.
    name TEXT NOT NULL UNIQUE,  -- Its name, as people carry it.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE role_permission (
    role_id INTEGER NOT NULL REFERENCES role (role_id),  -- The role.
    perm_id INTEGER NOT NULL REFERENCES permission (perm_id),  -- What the role may do.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    PRIMARY KEY (role_id, perm_id)
);

CREATE TABLE user (
    user_id INTEGER PRIMARY KEY,  -- Id of the person.
    first_name TEXT NOT NULL,  -- First name.
    last_name TEXT NOT NULL,  -- Last name.
    email TEXT NOT NULL,  -- Address at work.
    phone TEXT,  -- Telephone number.
    role TEXT NOT NULL REFERENCES role (name) CHECK (role IN ('admin', 'agent', 'manager', 'employee')),  -- What the person may do.
    active BOOLEAN NOT NULL DEFAULT 1,  -- Whether the account is open.
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization of the person.
    static_token TEXT,  -- What proves who is calling.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    UNIQUE (org_id, email)
);

CREATE TABLE user_role (
    user_id INTEGER NOT NULL REFERENCES user (user_id),  -- The person.
    role_id INTEGER NOT NULL REFERENCES role (role_id),  -- The person's role.
    org_id INTEGER REFERENCES organization (org_id),  -- The organization it holds in.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    PRIMARY KEY (user_id, role_id)
);

CREATE TABLE user_group (
    group_id INTEGER PRIMARY KEY,  -- Id of the group.
    name TEXT NOT NULL,  -- Name of the group; upper and lower case differ.
    type TEXT NOT NULL CHECK (type IN ('IT Support', 'Service Desk', 'Field Support Technicians', 'Infrastructure Problem Team')),  -- Kind of group.
    active BOOLEAN NOT NULL DEFAULT 1,  -- Whether the group takes work.
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization of the group.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    UNIQUE (org_id, name)
);

CREATE TABLE user_group_member (
    member_id INTEGER PRIMARY KEY,  -- Id of the membership.
    group_id INTEGER NOT NULL REFERENCES user_group (group_id),  -- Id of the group.
    user_id INTEGER NOT NULL REFERENCES user (user_id),  -- Id of the member.
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization of both.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    UNIQUE (group_id, user_id)
);

CREATE TABLE skill (
    skill_id INTEGER PRIMARY KEY,  -- Id of the skill.
    name TEXT NOT NULL,  -- Name of the skill.
    active BOOLEAN NOT NULL DEFAULT 1,  -- Whether the skill is still asked for.
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization that uses it.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    UNIQUE (org_id, name)
);

CREATE TABLE user_skill (
    user_skill_id INTEGER PRIMARY KEY,  -- Id of the assignment.
    skill INTEGER NOT NULL REFERENCES skill (skill_id),  -- Id of the skill.
    user INTEGER NOT NULL REFERENCES user (user_id),  -- Id of the person who has it.
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization of both.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    UNIQUE (skill, user)
);

CREATE TABLE hr_profile (
    hr_profile_id INTEGER PRIMARY KEY,  -- Id of the profile; not the id of the person.
    number TEXT NOT NULL,  -- Number of the profile as people quote it, such as HRP00012. [HRP%05d]
    gender TEXT CHECK (gender IN ('Male', 'Female', 'Other')),  -- Gender, where it was given.
    user_id INTEGER NOT NULL UNIQUE REFERENCES user (user_id),  -- Id of the person whose profile it is.
    personal_email TEXT NOT NULL,  -- Private address, which nobody shares.
    marital_status TEXT CHECK (marital_status IN ('Single', 'Married', 'Divorced')),  -- Marital status, where it was given.
    type TEXT CHECK (type IN ('full-time', 'part-time', 'contractor')),  -- Kind of employment.
    dob DATETIME,  -- Day of birth (YYYY-MM-DD).
    nationality TEXT CHECK (nationality IN ('US', 'GB', 'CA', 'IN', 'DE', 'FR', 'JP', 'CN', 'AU', 'BR')),  -- Nationality.
    employment_start_date DATETIME,  -- First day of employment (YYYY-MM-DD).
    employment_end_date DATETIME,  -- Last day of employment (YYYY-MM-DD); empty while it goes on.
    manager INTEGER REFERENCES hr_profile (hr_profile_id),  -- Id of the manager's profile.
    location_type TEXT CHECK (location_type IN ('Hotdesk', 'Office Based', 'Remote')),  -- Where the person works.
    national_tax_id TEXT NOT NULL,  -- Tax id, such as TAX-1-123.
    position TEXT CHECK (position IN ('Software Engineer', 'QA', 'Manager', 'HR', 'IT Support', 'Administration', 'Sales')),  -- Kind of job.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization that employs.
    UNIQUE (org_id, number),
    UNIQUE (org_id, personal_email),
    UNIQUE (org_id, national_tax_id)
);

-- What HR offers

CREATE TABLE topic_category (
    topic_category_id INTEGER PRIMARY KEY,  -- Id of the category.
    name TEXT NOT NULL,  -- Name of the category.
    active BOOLEAN NOT NULL DEFAULT 1,  -- Whether the category is offered.
    coe_type TEXT NOT NULL CHECK (coe_type IN ('HRIT', 'Payroll', 'Talent Management', 'Total Rewards', 'Workforce Administration')),  -- Centre of excellence that answers for it.
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization that uses it.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    UNIQUE (org_id, name)
);

CREATE TABLE topic_detail (
    topic_detail_id INTEGER PRIMARY KEY,  -- Id of the topic.
    active BOOLEAN NOT NULL DEFAULT 1,  -- Whether the topic is offered.
    name TEXT NOT NULL,  -- Name of the topic.
    topic_category INTEGER REFERENCES topic_category (topic_category_id),  -- The category it belongs to.
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization that uses it.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    UNIQUE (org_id, name)
);

CREATE TABLE service_template (
    service_template_id INTEGER PRIMARY KEY,  -- Id of the template.
    name TEXT NOT NULL,  -- Name of the template.
    change_request_values JSON,  -- What a request made from it starts with.
    active BOOLEAN NOT NULL DEFAULT 1,  -- Whether the template may be used.
    coe_type TEXT NOT NULL CHECK (coe_type IN ('HRIT', 'Payroll', 'Talent Management', 'Total Rewards', 'Workforce Administration')),  -- Centre of excellence that answers for it.
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization that uses it.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    UNIQUE (org_id, name)
);

CREATE TABLE hr_criteria (
    hr_criteria_id INTEGER PRIMARY KEY,  -- Id of the criteria.
    name TEXT NOT NULL,  -- Name of the criteria.
    type TEXT NOT NULL CHECK (type IN ('case_visibility', 'approval')),  -- What they decide: who sees a case, or who approves it.
    active BOOLEAN NOT NULL DEFAULT 1,  -- Whether they are applied.
    user_group INTEGER REFERENCES user_group (group_id),  -- Id of the group that meets them.
    users JSON,  -- Ids of the people who meet them.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization that uses them.
    UNIQUE (org_id, name)
);

CREATE TABLE hr_service (
    hr_service_id INTEGER PRIMARY KEY,  -- Id of the service.
    service_name TEXT NOT NULL,  -- Name of the service; upper and lower case differ.
    fulfillment_type TEXT NOT NULL CHECK (fulfillment_type IN ('manual', 'service_activity', 'workflow', 'lifecycle event', 'advanced', 'flow')),  -- How a request for it is carried out.
    topic_detail INTEGER REFERENCES topic_detail (topic_detail_id),  -- The topic it is about.
    service_template INTEGER REFERENCES service_template (service_template_id),  -- The template its requests start from.
    hr_criteria INTEGER REFERENCES hr_criteria (hr_criteria_id),  -- The criteria for who may ask for it.
    active BOOLEAN NOT NULL DEFAULT 1,  -- Whether it can be asked for.
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization that offers it.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    UNIQUE (org_id, service_name)
);

CREATE TABLE assignment_rules (
    assignment_rule_id INTEGER PRIMARY KEY,  -- Id of the rule.
    name TEXT NOT NULL,  -- Name of the rule.
    based_on_skills JSON,  -- The skills for which it sends a case on.
    based_on_country TEXT CHECK (based_on_country IN ('US', 'GB', 'CA', 'IN', 'DE', 'FR', 'JP', 'CN', 'AU', 'BR')),  -- The country for which it sends a case on.
    based_on_priority TEXT NOT NULL DEFAULT 'planning' CHECK (based_on_priority IN ('critical', 'high', 'moderate', 'low', 'planning')),  -- The priority for which it sends a case on.
    active BOOLEAN NOT NULL DEFAULT 0,  -- Whether the rule is applied.
    user_group INTEGER REFERENCES user_group (group_id),  -- Id of the group that gets the case.
    users JSON,  -- Ids of the people who get the case.
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization that uses it.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    UNIQUE (org_id, name)
);

CREATE TABLE escalation_rule (
    escalation_rule_id INTEGER PRIMARY KEY,  -- Id of the rule.
    escalate_from INTEGER NOT NULL REFERENCES user_group (group_id),  -- Id of the group that hands on.
    escalate_to INTEGER NOT NULL REFERENCES user_group (group_id),  -- Id of the group that takes over.
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization of both.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    UNIQUE (escalate_from, escalate_to)
);

-- The work

CREATE TABLE hr_case (
    hr_case_id INTEGER PRIMARY KEY,  -- Id of the case.
    number TEXT NOT NULL,  -- Number of the case as people quote it, such as HRC0000725. [HRC%07d]
    status TEXT NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'ready', 'awaiting_approval', 'work_in_progress', 'closed_complete', 'closed_incomplete', 'awaiting_acceptance', 'suspended', 'cancelled')),  -- Where the case stands.
    hr_service INTEGER REFERENCES hr_service (hr_service_id),  -- The service asked for.
    opened_for INTEGER REFERENCES user (user_id),  -- Whom the case is for.
    opened_by INTEGER REFERENCES user (user_id),  -- Who opened it.
    priority TEXT NOT NULL DEFAULT 'planning' CHECK (priority IN ('critical', 'high', 'moderate', 'low', 'planning')),  -- How pressing it is.
    source TEXT CHECK (source IN ('self-service', 'phone', 'email', 'chat', 'walk-in', 'virtual-agent')),  -- How it came in.
    assigned_to INTEGER REFERENCES user (user_id),  -- Who works on it.
    assignment_group INTEGER REFERENCES user_group (group_id),  -- The group that works on it.
    short_description TEXT NOT NULL,  -- What it is about, in one line.
    worknotes TEXT,  -- The latest note on the work.
    skills JSON,  -- Ids of the skills it takes.
    approval_criteria INTEGER REFERENCES hr_criteria (hr_criteria_id),  -- The criteria for who may approve it.
    coe_type TEXT CHECK (coe_type IN ('HRIT', 'Payroll', 'Talent Management', 'Total Rewards', 'Workforce Administration')),  -- Centre of excellence that answers for it.
    approver INTEGER REFERENCES user (user_id),  -- Who is to approve it.
    request_status TEXT CHECK (request_status IN ('approved', 'rejected', 'requested')),  -- What became of the approval.
    account_number TEXT,  -- Number of the bank account concerned.
    account_type TEXT CHECK (account_type IN ('checking', 'savings', 'other')),  -- Kind of bank account.
    created_at DATETIME,  -- When the case was opened. [created]
    updated_at DATETIME,  -- When the case last changed. [updated]
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization it belongs to.
    UNIQUE (org_id, number)
);

CREATE TABLE hr_case_task (
    hr_case_task_id INTEGER PRIMARY KEY,  -- Id of the task.
    number TEXT NOT NULL,  -- Number of the task as people quote it, such as HRT0001012. [HRT%07d]
    status TEXT NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'ready', 'awaiting_approval', 'work_in_progress', 'closed_complete', 'closed_incomplete', 'suspended', 'cancelled')),  -- Where the task stands.
    assigned_to INTEGER REFERENCES user (user_id),  -- Who is to do it.
    assignment_group INTEGER REFERENCES user_group (group_id),  -- The group that is to do it.
    short_description TEXT NOT NULL,  -- What is to be done, in one line.
    task_type TEXT CHECK (task_type IN ('checklist', 'survey', 'hr service', 'mark when complete', 'url')),  -- How it is done.
    hr_service INTEGER REFERENCES hr_service (hr_service_id),  -- The service it asks for.
    external_url TEXT,  -- Address of the page where it is done.
    worknotes TEXT,  -- The latest note on the work.
    active BOOLEAN NOT NULL DEFAULT 1,  -- Whether it still has to be done.
    parent_case INTEGER REFERENCES hr_case (hr_case_id),  -- Id of the case it is part of.
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization it belongs to.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    UNIQUE (org_id, number)
);

CREATE TABLE checklist (
    checklist_id INTEGER PRIMARY KEY,  -- Id of the checklist item.
    checklist_item_description TEXT NOT NULL,  -- What the item asks for.
    checked BOOLEAN NOT NULL DEFAULT 0,  -- Whether it is ticked off.
    case_task_id INTEGER NOT NULL REFERENCES hr_case_task (hr_case_task_id),  -- Id of the task it is part of.
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization it belongs to.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE survey (
    survey_id INTEGER PRIMARY KEY,  -- Id of the survey.
    question_1 TEXT,  -- First question.
    question_2 TEXT,  -- Second question.
    question_3 TEXT,  -- Third question.
    question_4 TEXT,  -- Fourth question.
    question_5 TEXT,  -- Fifth question.
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization that asks.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE survey_instance (
    survey_instance_id INTEGER PRIMARY KEY,  -- Id of the survey as sent to one person.
    survey_id INTEGER NOT NULL REFERENCES survey (survey_id),  -- Id of the survey.
    case_task_id INTEGER REFERENCES hr_case_task (hr_case_task_id),  -- Id of the task it is part of.
    assigned_to INTEGER REFERENCES user (user_id),  -- Id of the person who is asked.
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization that asks.
    answer_1 TEXT,  -- Answer to the first question.
    answer_2 TEXT,  -- Answer to the second question.
    answer_3 TEXT,  -- Answer to the third question.
    answer_4 TEXT,  -- Answer to the fourth question.
    answer_5 TEXT,  -- Answer to the fifth question.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE knowledge (
    knowledge_id INTEGER PRIMARY KEY,  -- Id of the article.
    kb_number TEXT NOT NULL,  -- Number of the article as people quote it, such as KB0040012. [KB%07d]
    title TEXT NOT NULL,  -- Title of the article.
    body TEXT,  -- Text of the article.
    state TEXT NOT NULL DEFAULT 'published' CHECK (state IN ('draft', 'published', 'retired')),  -- Whether readers find it.
    visibility TEXT NOT NULL DEFAULT 'internal' CHECK (visibility IN ('internal', 'external')),  -- Who may read it: HR, or everyone.
    owner_id INTEGER REFERENCES user (user_id),  -- Id of the person who answers for it.
    created_at DATETIME,  -- When the article was written. [created]
    updated_at DATETIME,  -- When the article last changed. [updated]
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization it belongs to.
    UNIQUE (org_id, kb_number)
);

CREATE TABLE hr_case_knowledge (
    hr_case_kb_id INTEGER PRIMARY KEY,  -- Id of the link.
    hr_case_id INTEGER NOT NULL REFERENCES hr_case (hr_case_id),  -- Id of the case.
    knowledge_id INTEGER NOT NULL REFERENCES knowledge (knowledge_id),  -- Id of the article.
    used_as TEXT NOT NULL DEFAULT 'suggested' CHECK (used_as IN ('suggested', 'applied', 'resolution')),  -- What the article did for the case.
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization of both.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    UNIQUE (hr_case_id, knowledge_id)
);

CREATE TABLE notification (
    notification_id INTEGER PRIMARY KEY,  -- Id of the notification.
    hr_case_id INTEGER REFERENCES hr_case (hr_case_id),  -- Id of the case it is about.
    email TEXT NOT NULL,  -- Address it goes to.
    type TEXT NOT NULL DEFAULT 'other' CHECK (type IN ('report', 'update', 'alert', 'reminder', 'solution_proposal', 'other')),  -- What it is for.
    status TEXT CHECK (status IN ('draft', 'ready', 'awaiting_approval', 'work_in_progress', 'closed_complete', 'closed_incomplete', 'awaiting_acceptance', 'suspended', 'cancelled')),  -- Status of the case that it tells of.
    created_at DATETIME,  -- When it was made. [created]
    org_id INTEGER NOT NULL REFERENCES organization (org_id),  -- The organization it belongs to.
    updated_at DATETIME  -- When it last changed. [updated]
);

CREATE INDEX hr_case_assigned_to ON hr_case (assigned_to);
CREATE INDEX hr_case_task_parent ON hr_case_task (parent_case);
CREATE INDEX checklist_task ON checklist (case_task_id);
CREATE INDEX notification_case ON notification (hr_case_id);

-- How records are shown: the row, and then its references again, as objects that take the ids' places

CREATE VIEW person AS
SELECT user_id, org_id, active, email, first_name || ' ' || last_name AS name, json_object(
    'user_id', user_id, 'first_name', first_name, 'last_name', last_name, 'email', email) AS shown
FROM user;

CREATE VIEW team AS
SELECT group_id, org_id, active, name, json_object('group_id', group_id, 'name', name, 'type', type) AS shown
FROM user_group;

CREATE VIEW criteria AS
SELECT hr_criteria_id, org_id, active, name,
    json_object('hr_criteria_id', hr_criteria_id, 'name', name, 'type', type) AS shown
FROM hr_criteria;

CREATE VIEW category AS
SELECT topic_category_id, org_id, active, name,
    json_object('topic_category_id', topic_category_id, 'name', name, 'coe_type', coe_type) AS shown
FROM topic_category;

CREATE VIEW topic AS
SELECT topic_detail_id, org_id, active, name,
    json_object('topic_detail_id', topic_detail_id, 'name', name, 'topic_category',
    json((SELECT shown FROM category WHERE topic_category_id = topic_category))) AS shown
FROM topic_detail;

CREATE VIEW service AS
SELECT hr_service_id, org_id, active, service_name AS name, json_object(
    'hr_service_id', hr_service_id, 'service_name', service_name, 'fulfillment_type', fulfillment_type) AS shown
FROM hr_service;

CREATE VIEW user_shown AS
SELECT user_id, first_name, last_name, email, phone, role, active, org_id, created_at, updated_at FROM user;

CREATE VIEW user_skill_shown AS
SELECT a.*, s.name AS skill_name, u.email AS user_email, u.first_name AS user_first_name, u.last_name AS user_last_name
FROM user_skill a LEFT JOIN skill s ON s.skill_id = a.skill LEFT JOIN user u ON u.user_id = a.user;

CREATE VIEW topic_category_shown AS
SELECT c.*, (SELECT count(*) FROM topic_detail d WHERE d.topic_category = c.topic_category_id) AS topic_details_count
FROM topic_category c;

CREATE VIEW topic_detail_shown AS
SELECT d.*, (SELECT shown FROM category WHERE topic_category_id = d.topic_category) AS "topic_category JSON"
FROM topic_detail d;

CREATE VIEW hr_service_shown AS
SELECT s.*,
    (SELECT shown FROM topic WHERE topic_detail_id = s.topic_detail) AS "topic_detail JSON",
    (SELECT json_object('service_template_id', service_template_id, 'name', name, 'coe_type', coe_type)
        FROM service_template WHERE service_template_id = s.service_template) AS "service_template JSON",
    (SELECT shown FROM criteria WHERE hr_criteria_id = s.hr_criteria) AS "hr_criteria JSON"
FROM hr_service s;

CREATE VIEW escalation_rule_shown AS
SELECT r.*, f.name AS escalate_from_group_name, t.name AS escalate_to_group_name
FROM escalation_rule r
LEFT JOIN user_group f ON f.group_id = r.escalate_from LEFT JOIN user_group t ON t.group_id = r.escalate_to;

CREATE VIEW hr_case_shown AS
SELECT c.*,
    (SELECT shown FROM service WHERE hr_service_id = c.hr_service) AS "hr_service JSON",
    (SELECT shown FROM person WHERE user_id = c.opened_for) AS "opened_for JSON",
    (SELECT shown FROM person WHERE user_id = c.opened_by) AS "opened_by JSON",
    (SELECT shown FROM person WHERE user_id = c.assigned_to) AS "assigned_to JSON",
    (SELECT shown FROM team WHERE group_id = c.assignment_group) AS "assignment_group JSON",
    (SELECT shown FROM criteria WHERE hr_criteria_id = c.approval_criteria) AS "approval_criteria JSON",
    (SELECT shown FROM person WHERE user_id = c.approver) AS "approver JSON"
FROM hr_case c;

CREATE VIEW hr_case_task_shown AS
SELECT t.*,
    (SELECT shown FROM person WHERE user_id = t.assigned_to) AS "assigned_to JSON",
    (SELECT shown FROM team WHERE group_id = t.assignment_group) AS "assignment_group JSON",
    (SELECT shown FROM service WHERE hr_service_id = t.hr_service) AS "hr_service JSON",
    (SELECT json_object('hr_case_id', hr_case_id, 'number', number, 'status', status, 'short_description',
        short_description) FROM hr_case WHERE hr_case_id = t.parent_case) AS "parent_case JSON"
FROM hr_case_task t;
