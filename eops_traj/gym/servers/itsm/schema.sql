--- IT service management: 24 tables. Ids are texts (INC_001); times are 'YYYY-MM-DD HH:MM:SS', UTC.

--- Who there is

CREATE TABLE organization (
    org_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the organization (ORG_001). [ORG_%03d]
    name VARCHAR(120) NOT NULL UNIQUE,  -- Name of the organization.
    active BOOLEAN NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),  -- Whether it still takes part.
    created_at DATETIME,  -- When it joined. [created]
    updated_at DATETIME  -- When its record last changed. [updated]
);

CREATE TABLE role (
    role_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the role (ROLE_001). [ROLE_%03d]
    name VARCHAR(8) NOT NULL UNIQUE CHECK (name IN ('admin', 'manager', 'agent', 'reporter'))  -- Name of the role.
);

CREATE TABLE permission (
    perm_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the permission (PERM_001). [PERM_%03d]
    resource VARCHAR(50) NOT NULL,  -- The kind of records it opens.
    action VARCHAR(50) NOT NULL CHECK (action IN ('read', 'crud')),  -- Reading alone, or writing too.
    CONSTRAINT uq_perm_resource_action UNIQUE (resource, action)
);

CREATE TABLE role_permission (
    role_id VARCHAR(32) NOT NULL REFERENCES role (role_id),  -- The role.
    perm_id VARCHAR(32) NOT NULL REFERENCES permission (perm_id),  -- What it may do.
    PRIMARY KEY (role_id, perm_id)
);

CREATE TABLE location (
    location_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the location (LOC_001). [LOC_%03d]
    name VARCHAR(120) NOT NULL CHECK (length(name) >= 1),  -- Name of the location; no two share it.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization that works there.
    plot_no VARCHAR(60),  -- House or plot number.
    street VARCHAR(60),  -- Street.
    city VARCHAR(100) NOT NULL CHECK (length(city) >= 1),  -- City.
    state VARCHAR(100),  -- State, province or region.
    country VARCHAR(100) NOT NULL CHECK (length(country) >= 1),  -- Country.
    active BOOLEAN NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),  -- Whether the location is in use.
    created_on DATETIME,  -- When the record was made. [created]
    updated_on DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE users (
    user_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the user (USER_001). [USER_%03d]
    user_name VARCHAR(100) NOT NULL,  -- Login name; first.last unless another is given.
    first_name VARCHAR(60) NOT NULL CHECK (length(first_name) >= 1) CHECK (length(first_name) <= 60),  -- First name.
    last_name VARCHAR(60) NOT NULL CHECK (length(last_name) >= 1) CHECK (length(last_name) <= 60),  -- Last name.
    email VARCHAR(120) NOT NULL,  -- E-mail address.
    phone VARCHAR(30) NOT NULL UNIQUE,  -- Telephone, as in +1-212-555-0142.
    role VARCHAR(50) NOT NULL CHECK (role IN ('admin', 'manager', 'agent', 'reporter')) REFERENCES role (name),  -- What the user is allowed to do.
    active BOOLEAN NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),  -- Whether the account is in use.
    static_token VARCHAR(255) NOT NULL,  -- What the user signs calls with. [token_{hex}]
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization the user belongs to.
    location_id VARCHAR(32),  -- Where the user works.
    created_on DATETIME,  -- When the record was made. [created]
    updated_on DATETIME,  -- When the record last changed. [updated]
    CONSTRAINT ck_user_email_format CHECK (email LIKE '%@%')
);

CREATE TABLE user_role (
    user_id VARCHAR(32) NOT NULL REFERENCES users (user_id),  -- The user.
    role_id VARCHAR(32) NOT NULL REFERENCES role (role_id),  -- The role; the user's record repeats its name.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- Where the role is held.
    PRIMARY KEY (user_id, role_id, org_id),
    CONSTRAINT uq_user_role_org UNIQUE (user_id, role_id, org_id)
);

CREATE TABLE user_group (
    group_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the group (GROUP_001). [GROUP_%03d]
    name VARCHAR(80) NOT NULL CHECK (length(name) >= 1) CHECK (length(name) <= 80),  -- Name of the group; no two share it.
    type VARCHAR(27) NOT NULL CHECK (type IN ('IT Support', 'Service Desk', 'Field Support Technicians', 'Infrastructure Problem Team')),  -- What kind of work the group does.
    active BOOLEAN NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),  -- Whether the group takes work.
    email VARCHAR(120),  -- Address of the group.
    description VARCHAR(255),  -- What the group is for.
    manager_id VARCHAR(32) NOT NULL REFERENCES users (user_id),  -- Who leads the group: a user with the role manager.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization it belongs to.
    created_on DATETIME,  -- When the record was made. [created]
    updated_on DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE user_group_member (
    member_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the membership (MEMBER_001). [MEMBER_%03d]
    group_id VARCHAR(32) NOT NULL REFERENCES user_group (group_id),  -- The group.
    user_id VARCHAR(32) NOT NULL REFERENCES users (user_id),  -- The member.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization of the group.
    created_on DATETIME,  -- When the user joined the group. [created]
    updated_on DATETIME,  -- When the record last changed. [updated]
    CONSTRAINT uq_group_member_org UNIQUE (org_id, group_id, user_id)
);

--- What is looked after

CREATE TABLE configuration_item (
    configuration_item_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the configuration item (CI_001). [CI_%03d]
    name VARCHAR(120) NOT NULL CHECK (length(name) <= 120),  -- Name of the item; no two share it.
    serial_number VARCHAR(60) NOT NULL CHECK (length(serial_number) >= 1) CHECK (length(serial_number) <= 60),  -- Serial number; no two items share it.
    owner_id VARCHAR(32) NOT NULL REFERENCES users (user_id),  -- The user who answers for the item.
    location_id VARCHAR(32) REFERENCES location (location_id),  -- Where the item stands.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization that owns it.
    status VARCHAR(11) NOT NULL CHECK (status IN ('in_use', 'in_stock', 'maintenance', 'retired', 'disposed')),  -- Where the item is in its life.
    cost NUMERIC(10, 2),  -- What the item cost.
    created_on DATETIME,  -- When the record was made. [created]
    updated_on DATETIME,  -- When the record last changed. [updated]
    CONSTRAINT ck_ci_cost_positive CHECK (cost IS NULL OR cost >= 0)
);

CREATE TABLE service (
    service_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the service (SVC_001). [SVC_%03d]
    name VARCHAR(120) NOT NULL CHECK (length(name) >= 1) CHECK (length(name) <= 100),  -- Name of the service; no two share it.
    owned_by VARCHAR(32) NOT NULL REFERENCES users (user_id),  -- The user who answers for the service.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization that runs it.
    used_for VARCHAR(11) NOT NULL DEFAULT 'production' CHECK (used_for IN ('production', 'QA', 'test', 'development')),  -- The stage it serves.
    status VARCHAR(18) NOT NULL DEFAULT 'operational' CHECK (status IN ('operational', 'non-operational', 'repair_in_progress', 'ready', 'retired')),  -- Whether it works.
    service_classification VARCHAR(21) NOT NULL DEFAULT 'business' CHECK (service_classification IN ('business', 'technology-management', 'application')),  -- What kind of service it is.
    business_criticality VARCHAR(17) NOT NULL DEFAULT 'critical' CHECK (business_criticality IN ('critical', 'somewhat-critical', 'less-critical', 'not-critical')),  -- How much depends on it.
    description VARCHAR(500),  -- What it does.
    created_on DATETIME,  -- When the record was made. [created]
    updated_on DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE service_offering (
    service_offering_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the service offering (SVCOFF_001). [SVCOFF_%03d]
    name VARCHAR(120) NOT NULL CHECK (length(name) >= 1) CHECK (length(name) <= 120),  -- Name of the offering; no two share it.
    short_description VARCHAR(120) NOT NULL CHECK (length(short_description) <= 120),  -- What is offered, in a line.
    owned_by VARCHAR(32) NOT NULL REFERENCES users (user_id),  -- The user who answers for the offering.
    business_service VARCHAR(32) NOT NULL REFERENCES service (service_id),  -- The service that it is a part of.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization that offers it.
    used_for VARCHAR(11) NOT NULL DEFAULT 'production' CHECK (used_for IN ('production', 'QA', 'test', 'development')),  -- The stage it serves.
    status VARCHAR(18) NOT NULL DEFAULT 'operational' CHECK (status IN ('operational', 'non-operational', 'repair_in_progress', 'ready', 'retired')),  -- Whether it works.
    service_classification VARCHAR(21) NOT NULL DEFAULT 'business' CHECK (service_classification IN ('business', 'technology-management', 'application')),  -- What kind of offering it is.
    business_criticality VARCHAR(17) NOT NULL DEFAULT 'critical' CHECK (business_criticality IN ('critical', 'somewhat-critical', 'less-critical', 'not-critical')),  -- How much depends on it.
    description VARCHAR(500),  -- What is offered, at length; no tool writes it.
    created_on DATETIME,  -- When the record was made. [created]
    updated_on DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE sla_definition (
    sla_def_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the SLA definition (SLA_001). [SLA_%03d]
    name VARCHAR(120) NOT NULL,  -- Name of the SLA; no two share it.
    metric VARCHAR(10) NOT NULL CHECK (metric IN ('response', 'resolution')),  -- What is measured: the time to answer, or to solve.
    target_mins INTEGER NOT NULL,  -- Minutes until the target is missed.
    pause_on_pending BOOLEAN NOT NULL CHECK (pause_on_pending IN (0, 1)),  -- Whether the clock stops while the incident is on hold.
    applies_to_priority VARCHAR(8) CHECK (applies_to_priority IN ('critical', 'high', 'moderate', 'low')),  -- The priority of the incidents it is for.
    active BOOLEAN NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),  -- Whether it may be put on incidents.
    schedule VARCHAR(32),  -- The hours that count, such as '24x7'.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization that promised it.
    created_on DATETIME,  -- When the record was made. [created]
    updated_on DATETIME,  -- When the record last changed. [updated]
    CONSTRAINT uq_sla_definition_org_name UNIQUE (org_id, name)
);

--- Work

CREATE TABLE incident_template (
    incident_template_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the template (TMPL_001). [TMPL_%03d]
    name VARCHAR(120) NOT NULL CHECK (length(name) <= 120),  -- Name of the template; no two share it.
    active BOOLEAN DEFAULT 1 CHECK (active IN (0, 1)),  -- Whether the template may be used.
    caller_id VARCHAR(32) NOT NULL REFERENCES users (user_id),  -- The caller of incidents made from it.
    channel VARCHAR(13) CHECK (channel IN ('self-service', 'phone', 'email', 'chat', 'walk-in', 'virtual-agent')),  -- How such incidents come in.
    short_description VARCHAR(120) NOT NULL,  -- Their short description.
    category VARCHAR(14) CHECK (category IN ('inquiry-help', 'software', 'hardware', 'database', 'password-reset', 'network')),  -- Their category.
    impact VARCHAR(6) NOT NULL DEFAULT 'low' CHECK (impact IN ('high', 'medium', 'low')),  -- Their impact.
    urgency VARCHAR(6) NOT NULL DEFAULT 'low' CHECK (urgency IN ('high', 'medium', 'low')),  -- Their urgency.
    priority VARCHAR(8) NOT NULL DEFAULT 'planning' CHECK (priority IN ('critical', 'high', 'moderate', 'low', 'planning')),  -- Their priority.
    configuration_item VARCHAR(32) REFERENCES configuration_item (configuration_item_id),  -- Their configuration item.
    service VARCHAR(32) REFERENCES service (service_id),  -- Their service.
    service_offering VARCHAR(32) REFERENCES service_offering (service_offering_id),  -- Their service offering.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization that uses it.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE change (
    change_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the change (CHG_001). [CHG_%03d]
    number VARCHAR(120) NOT NULL,  -- Number of the change as people quote it (CHG0000001). [CHG%07d]
    short_description VARCHAR(120) NOT NULL,  -- What is to change, in a line.
    requested_by VARCHAR(32) NOT NULL REFERENCES users (user_id),  -- The user who asked for the change.
    service VARCHAR(32) REFERENCES service (service_id),  -- Id of the service it touches.
    service_offering VARCHAR(32) REFERENCES service_offering (service_offering_id),  -- Id of the service offering it touches.
    configuration_item VARCHAR(32) REFERENCES configuration_item (configuration_item_id),  -- Id of the configuration item it touches.
    assigned_to VARCHAR(32) REFERENCES users (user_id),  -- Id of the user who carries it out.
    assignment_group VARCHAR(32) REFERENCES user_group (group_id),  -- Id of the group that carries it out.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization it happens in.
    status VARCHAR(30) NOT NULL CHECK (status IN ('new', 'assess', 'authorize', 'scheduled', 'implement', 'review', 'closed', 'canceled')),  -- Where the change stands.
    category VARCHAR(50) NOT NULL DEFAULT 'other' CHECK (category IN ('network', 'software', 'hardware', 'documentation', 'system_software', 'application_software', 'service', 'telecom', 'other', 'database')),  -- What is changed.
    description VARCHAR(120),  -- What is to change, at more length.
    implementation_plan VARCHAR(120),  -- How it will be done.
    testing_plan VARCHAR(120),  -- How it will be tested.
    close_notes VARCHAR(120),  -- What is to be said at the end.
    cab_required BOOLEAN DEFAULT 0 CHECK (cab_required IN (0, 1)),  -- Whether the change advisory board must agree.
    impact VARCHAR(20) NOT NULL CHECK (impact IN ('high', 'medium', 'low')),  -- How much is affected.
    priority VARCHAR(20) NOT NULL CHECK (priority IN ('critical', 'high', 'moderate', 'low', 'medium')),  -- How soon it has to happen.
    risk VARCHAR(20) NOT NULL CHECK (risk IN ('high', 'medium', 'low')),  -- How likely it is to go wrong.
    close_code VARCHAR(50) CHECK (close_code IN ('successful', 'successful_with_issues', 'unsuccessful', 'withdrawn')),  -- How it went.
    created_on DATETIME,  -- When the record was made. [created]
    updated_on DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE problem (
    problem_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the problem (PRB_001). [PRB_%03d]
    number VARCHAR(120) NOT NULL,  -- Number of the problem as people quote it (PRB0000001). [PRB%07d]
    problem_statement VARCHAR NOT NULL,  -- What keeps going wrong.
    short_description VARCHAR(255),  -- The same in a line.
    opened_by VARCHAR(32) NOT NULL REFERENCES users (user_id),  -- The user who opened it.
    service VARCHAR(32) REFERENCES service (service_id),  -- Id of the service concerned.
    service_offering VARCHAR(32) REFERENCES service_offering (service_offering_id),  -- Id of the service offering concerned.
    configuration_item VARCHAR(32) REFERENCES configuration_item (configuration_item_id),  -- Id of the configuration item concerned.
    assigned_to VARCHAR(32) REFERENCES users (user_id),  -- Id of the user who works on it.
    assignment_group VARCHAR(32) REFERENCES user_group (group_id),  -- Id of the group that works on it.
    original_task VARCHAR(32) REFERENCES incident (incident_id),  -- Id of the incident it came from.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization it happens in.
    status VARCHAR(15) NOT NULL CHECK (status IN ('new', 'assess', 'root_cause', 'fix_in_progress', 'resolved', 'closed')),  -- Where the problem stands.
    category VARCHAR(8) CHECK (category IN ('network', 'software', 'hardware', 'database')),  -- What it is about.
    worknotes TEXT,  -- Notes of those who work on it.
    workaround TEXT,  -- How to live with it for now.
    fix_notes TEXT,  -- How it was, or will be, put right.
    impact VARCHAR(6) NOT NULL CHECK (impact IN ('high', 'medium', 'low')),  -- How much is affected.
    urgency VARCHAR(6) NOT NULL CHECK (urgency IN ('high', 'medium', 'low')),  -- How pressing it is.
    priority VARCHAR(8) NOT NULL CHECK (priority IN ('critical', 'high', 'moderate', 'low', 'planning')),  -- How soon it has to be dealt with.
    created_on DATETIME,  -- When the record was made. [created]
    updated_on DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE incident (
    incident_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the incident (INC_001). [INC_%03d]
    number VARCHAR(120) NOT NULL,  -- Number of the incident as people quote it (INC-000001). [INC-%06d of incident_id]
    short_description VARCHAR(120) NOT NULL,  -- What is wrong, in a line.
    caller_id VARCHAR(32) NOT NULL REFERENCES users (user_id),  -- Id of the user it was reported by.
    service VARCHAR(32) REFERENCES service (service_id),  -- Id of the service concerned.
    service_offering VARCHAR(32) REFERENCES service_offering (service_offering_id),  -- Id of the service offering concerned.
    configuration_item VARCHAR(32) REFERENCES configuration_item (configuration_item_id),  -- Id of the configuration item concerned.
    assigned_to VARCHAR(32) REFERENCES users (user_id),  -- Id of the user who works on it.
    assignment_group VARCHAR(32) REFERENCES user_group (group_id),  -- Id of the group that works on it.
    resolved_by VARCHAR(32) REFERENCES users (user_id),  -- Id of the user who resolved it.
    problem VARCHAR(32) REFERENCES problem (problem_id),  -- Id of the problem behind it.
    change_request VARCHAR(32) REFERENCES change (change_id),  -- Id of the change that will resolve it.
    caused_by_change VARCHAR(32) REFERENCES change (change_id),  -- Id of the change that caused it.
    incident_template VARCHAR(32) REFERENCES incident_template (incident_template_id),  -- Id of the template it was made from.
    parent_incident VARCHAR(32),  -- Id of the incident it is a part of.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization of its caller.
    channel VARCHAR(13) CHECK (channel IN ('self-service', 'phone', 'email', 'chat', 'walk-in', 'virtual-agent', 'web')),  -- How it was reported.
    contact_type VARCHAR(7),  -- The same in another spelling; no tool writes it.
    status VARCHAR(11) NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'in_progress', 'on_hold', 'resolved', 'closed', 'canceled')),  -- Where the incident stands.
    category VARCHAR(14) NOT NULL DEFAULT 'inquiry-help' CHECK (category IN ('inquiry-help', 'software', 'hardware', 'database', 'password-reset', 'network')),  -- What it is about.
    description VARCHAR(120),  -- What is wrong, at more length.
    worknotes VARCHAR(120),  -- Notes of those who work on it.
    resolution_notes VARCHAR(120),  -- How it was resolved.
    close_notes VARCHAR(120),  -- What is to be said at the end.
    impact VARCHAR(6) NOT NULL DEFAULT 'low' CHECK (impact IN ('high', 'medium', 'low')),  -- How many people or how much work it affects.
    urgency VARCHAR(6) NOT NULL DEFAULT 'low' CHECK (urgency IN ('high', 'medium', 'low')),  -- How long it can wait.
    priority VARCHAR(8) NOT NULL DEFAULT 'planning' CHECK (priority IN ('critical', 'high', 'moderate', 'low', 'planning')),  -- How soon it has to be dealt with; not worked out from impact and urgency.
    resolution_code VARCHAR(22) CHECK (resolution_code IN ('Duplicate', 'Known Error', 'No resolution provided', 'Resolved By Caller', 'Resolved By Problem', 'Resolved By Change', 'Solution Provided', 'Workaround Provided', 'User error')),  -- What kind of resolution it was.
    on_hold_reason VARCHAR(16) CHECK (on_hold_reason IN ('Awaiting Change', 'Awaiting Caller', 'Awaiting Problem')),  -- What it waits for while on hold.
    resolved DATETIME,  -- When it was resolved; nothing fills it by itself.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    service_display VARCHAR(255),  -- Name of the service at the time; no tool writes it.
    service_offering_display VARCHAR(255),  -- Name of the service offering at the time; no tool writes it.
    configuration_item_display VARCHAR(255),  -- Name of the configuration item at the time; no tool writes it.
    assigned_to_display VARCHAR(255),  -- Name of the user at the time; no tool writes it.
    assignment_group_display VARCHAR(255),  -- Name of the group at the time; no tool writes it.
    parent_incident_display VARCHAR(255),  -- Number of the parent at the time; no tool writes it.
    problem_display VARCHAR(255),  -- Number of the problem at the time; no tool writes it.
    change_request_display VARCHAR(255),  -- Number of the change at the time; no tool writes it.
    incident_template_display VARCHAR(255)  -- Name of the template at the time; no tool writes it.
);

CREATE TABLE child_incident (
    child_incident_mapping_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the link (CINC_001). [CINC_%03d]
    parent_incident VARCHAR(32) NOT NULL REFERENCES incident (incident_id),  -- Id of the incident above.
    child_incident VARCHAR(32) NOT NULL REFERENCES incident (incident_id),  -- Id of the incident below.
    created_at DATETIME,  -- When they were linked. [created]
    updated_at DATETIME,  -- When the link last changed. [updated]
    CONSTRAINT uq_parent_child_incident UNIQUE (parent_incident, child_incident),
    CONSTRAINT ck_child_inc_not_self CHECK (parent_incident <> child_incident)
);

CREATE TABLE change_request_mapping (
    change_request_mapping_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the mapping (CRM_001). [CRM_%03d]
    change_id VARCHAR(32) NOT NULL REFERENCES change (change_id),  -- Id of the change.
    incident_id VARCHAR(32) REFERENCES incident (incident_id),  -- Id of the incident it is made for.
    problem_id VARCHAR(32) REFERENCES problem (problem_id),  -- Id of the problem it is made for.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization of whoever linked them.
    created_at DATETIME,  -- When they were linked. [created]
    updated_at DATETIME,  -- When the link last changed. [updated]
    CONSTRAINT uq_crm_change_incident UNIQUE (org_id, change_id, incident_id),
    CONSTRAINT uq_crm_change_problem UNIQUE (org_id, change_id, problem_id),
    CONSTRAINT ck_crm_incident_or_problem CHECK (incident_id IS NOT NULL OR problem_id IS NOT NULL)
);

CREATE TABLE incident_affected_cis (
    incident_affected_cis_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the link (TASKCI_001). [TASKCI_%03d]
    configuration_item VARCHAR(32) NOT NULL REFERENCES configuration_item (configuration_item_id),  -- Id of the configuration item.
    incident_id VARCHAR(32) NOT NULL REFERENCES incident (incident_id),  -- Id of the incident.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization of whoever linked them.
    created_on DATETIME,  -- When they were linked. [created]
    updated_on DATETIME,  -- When the link last changed. [updated]
    CONSTRAINT uq_org_incident_ci UNIQUE (org_id, incident_id, configuration_item)
);

CREATE TABLE incident_sla (
    incident_sla_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the SLA on the incident (TSLA_001). [TSLA_%03d]
    incident_id VARCHAR(32) NOT NULL REFERENCES incident (incident_id),  -- Id of the incident.
    sla_def_id VARCHAR(32) NOT NULL REFERENCES sla_definition (sla_def_id),  -- Id of the SLA definition that is tracked.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization of whoever linked them.
    stage VARCHAR(11) NOT NULL DEFAULT 'in_progress' CHECK (stage IN ('in_progress', 'paused', 'completed', 'cancelled', 'breached')),  -- Where the tracking stands.
    has_breached BOOLEAN NOT NULL DEFAULT 0 CHECK (has_breached IN (0, 1)),  -- Whether the target was missed.
    start_time DATETIME NOT NULL,  -- When the clock started.
    breach_time DATETIME,  -- When the target is missed; not worked out here.
    completed_time DATETIME,  -- When the target was met.
    created_on DATETIME,  -- When they were linked. [created]
    updated_on DATETIME,  -- When the link last changed. [updated]
    CONSTRAINT uq_org_incident_sla_def UNIQUE (org_id, incident_id, sla_def_id),
    CONSTRAINT ck_sla_breach_time CHECK (breach_time IS NULL OR start_time IS NULL OR breach_time >= start_time)
);

CREATE TABLE knowledge (
    knowledge_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the article (KB_001). [KB_%03d]
    kb_number VARCHAR(40) NOT NULL,  -- Number of the article as people quote it (KB0000001). [KB%07d]
    title VARCHAR(120) NOT NULL CHECK (length(title) >= 1) CHECK (length(title) <= 120),  -- Title of the article.
    short_description VARCHAR(255),  -- What it is about, in a line; no tool writes it.
    body TEXT,  -- Text of the article.
    state VARCHAR(9) NOT NULL DEFAULT 'published' CHECK (state IN ('draft', 'review', 'published', 'retired')),  -- Whether it is being written, read over, in use or out of use.
    visibility VARCHAR(8) NOT NULL DEFAULT 'internal' CHECK (visibility IN ('internal', 'external')),  -- Who may read it: staff, or anyone.
    owner_id VARCHAR(32) REFERENCES users (user_id),  -- Id of the user who answers for the article.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization it is written for.
    created_on DATETIME,  -- When the record was made. [created]
    updated_on DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE incident_knowledge (
    incident_kb_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the link (IKB_001). [IKB_%03d]
    incident_id VARCHAR(32) NOT NULL REFERENCES incident (incident_id),  -- Id of the incident.
    knowledge_id VARCHAR(32) NOT NULL REFERENCES knowledge (knowledge_id),  -- Id of the article.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization of the incident.
    used_as VARCHAR(10) NOT NULL DEFAULT 'suggested' CHECK (used_as IN ('suggested', 'applied', 'resolution')),  -- What the article did for the incident.
    created_on DATETIME,  -- When they were linked. [created]
    updated_on DATETIME,  -- When the link last changed. [updated]
    CONSTRAINT uq_incident_knowledge_org UNIQUE (org_id, incident_id, knowledge_id)
);

CREATE TABLE notification (
    notification_id VARCHAR(32) NOT NULL PRIMARY KEY,  -- Id of the notification (NOTIF_001). [NOTIF_%03d]
    incident_id VARCHAR(32) NOT NULL REFERENCES incident (incident_id),  -- Id of the incident it is about.
    org_id VARCHAR(32) NOT NULL REFERENCES organization (org_id),  -- The organization of whoever sent it.
    email VARCHAR(120) NOT NULL,  -- Address it goes to: that of a user.
    subject VARCHAR(255) CHECK (length(subject) >= 1),  -- Its subject.
    message VARCHAR(2000) CHECK (length(message) >= 1),  -- Its text.
    type VARCHAR(17) DEFAULT 'other' CHECK (type IN ('alert', 'update', 'reminder', 'report', 'solution_proposal', 'other')),  -- What it is for.
    status VARCHAR(9) DEFAULT 'queued' CHECK (status IN ('queued', 'sent', 'delivered', 'opened', 'failed')),  -- How far it got.
    created_on DATETIME,  -- When the record was made. [created]
    updated_on DATETIME,  -- When the record last changed. [updated]
    CONSTRAINT ck_notification_email_format CHECK (email LIKE '%@%')
);

CREATE INDEX users_static_token ON users (static_token);
CREATE INDEX users_email ON users (email);
CREATE INDEX incident_number ON incident (number);
CREATE INDEX incident_sla_incident ON incident_sla (incident_id);
