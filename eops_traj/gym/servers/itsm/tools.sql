--- Tools of IT service management. How headers and slots are read: eops_traj/gym/tools/declarations.py.
--- Numbers and names of the seeds repeat between organizations: where one row is wanted, the oldest is taken.

--   created_after: Only what was made after this time. Times are ISO 8601; a date alone is its midnight, UTC.
--   created_before: Only what was made up to this time.

--- Users

-- get_user_using_email(email!) -> row
-- Look a user up by e-mail address.
--   email: The whole address. {format: email}
SELECT * FROM users WHERE email = :email ORDER BY rowid LIMIT 1;

-- get_user(user_id!) -> row
-- Look a user up by id.
SELECT * FROM users WHERE user_id = :user_id;

-- get_user_using_name(first_name!, last_name!) -> row
-- Look a user up by first and last name, whatever the case. Of namesakes the first registered is shown: list_users
-- shows them all.
-- @else NOT_FOUND: User not found with identifier '{first_name} {last_name}'
SELECT * FROM users WHERE lower(first_name) = lower(:first_name) AND lower(last_name) = lower(:last_name)
ORDER BY rowid LIMIT 1;

-- list_users(email?, user_id?, first_name? ~, last_name? ~, phone? ~, role?, active?,
--   created_after? > created_on, created_before? <= created_on) -> rows
-- Users who match every filter given, the newest first; with no filter, everyone.
--   email: The whole address.
--   active: Whether the account is in use. {type: string, enum: ['true', 'false'], to_lower: true}
-- @plain
SELECT * FROM users WHERE (:active IS NULL OR active = (:active = 'true')) AND {filters}
ORDER BY created_on DESC, user_id;

-- add_new_user(first_name!, last_name!, email!, phone!, role!, active!, user_name, location_id) -> row
-- Register a user in your organization. Address and telephone must be new.
--   email: E-mail address. {format: email}
--   phone: Telephone, as in +1-212-555-0142. {pattern: '^\+\d{1,3}-\d{3}-\d{3}-\d{4}$'}
-- @allow admin, manager
-- @refuse DUPLICATE_EMAIL: A user with email '{email}' already exists in your organization
--     WHEN EXISTS (SELECT 1 FROM users WHERE email = :email AND org_id = :caller_org_id)
-- @refuse DUPLICATE_PHONE: A user with phone '{phone}' already exists
--     WHEN EXISTS (SELECT 1 FROM users WHERE phone = :phone)
-- @refuse INVALID_REFERENCE: Location with ID '{location_id}' not found
--     WHEN :location_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM location WHERE location_id = :location_id)
-- @refuse CROSS_ORGANIZATION_ACCESS: Location '{location_id}' does not belong to your organization
--     WHEN EXISTS (SELECT 1 FROM location WHERE location_id = :location_id AND org_id <> :caller_org_id)
INSERT INTO users {values, first_name = :first_name, last_name = :last_name,
    user_name = coalesce(:user_name, lower(:first_name || '.' || :last_name)), org_id = :caller_org_id}
RETURNING *;

-- update_user_details(user_id!, email?, first_name?, last_name?, active?, phone?, role?, user_name?,
--   company_id? = org_id, location_id?) -> row
-- Change the fields given of a user, and no others.
--   email: E-mail address; nobody else may have it. {format: email}
--   phone: Telephone, as in +1-212-555-0142; nobody else may have it. {pattern: '^\+\d{1,3}-\d{3}-\d{3}-\d{4}$'}
-- @allow admin, manager
-- @refuse DUPLICATE_EMAIL: A user with email '{email}' already exists
--     WHEN EXISTS (SELECT 1 FROM users WHERE email = :email AND user_id <> :user_id)
-- @refuse DUPLICATE_PHONE: A user with phone '{phone}' already exists
--     WHEN EXISTS (SELECT 1 FROM users WHERE phone = :phone AND user_id <> :user_id)
-- @refuse DUPLICATE_USER_NAME: A user with user_name '{user_name}' already exists
--     WHEN EXISTS (SELECT 1 FROM users WHERE user_name = :user_name AND user_id <> :user_id)
-- @refuse INVALID_REFERENCE: Location with ID '{location_id}' not found
--     WHEN :location_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM location WHERE location_id = :location_id)
-- @unchanged NO_CHANGES_DETECTED: No changes detected for fields: {already}
UPDATE users SET {changes} WHERE user_id = :user_id RETURNING *;

--- Groups

-- list_user_groups(group_id, name ~, active, type, created_after > created_on, created_before < created_on) -> rows
-- Groups that match every filter given, the newest first.
-- @closed
SELECT * FROM user_group WHERE {filters} ORDER BY created_on DESC, group_id;

-- find_group_by_name(name!) -> row
-- Look a group up by its exact name.
-- @closed
SELECT * FROM user_group WHERE name = :name ORDER BY rowid LIMIT 1;

-- add_new_user_group(name!, type!, active, email, description, manager_id) -> row
-- Set up a group in your organization. Name and address must be new, and a manager must lead it.
--   email: Address of the group. {format: email}
-- @allow admin, manager
-- @closed
-- @refuse INVALID_MANAGER_ROLE: User '{manager_id}' does not have manager role
--     WHEN EXISTS (SELECT 1 FROM users WHERE user_id = :manager_id AND role <> 'manager')
-- @refuse DUPLICATE_GROUP_NAME: A group with name '{name}' already exists
--     WHEN EXISTS (SELECT 1 FROM user_group WHERE name = :name)
-- @refuse DUPLICATE_GROUP_EMAIL: A group with email '{email}' already exists
--     WHEN EXISTS (SELECT 1 FROM user_group WHERE email = :email)
INSERT INTO user_group {values, org_id = :caller_org_id} RETURNING *;

-- update_user_group(group_id!, name, type, active) -> row
-- Change the fields given of a group, and no others.
-- @allow admin, manager
-- @closed
-- @refuse DUPLICATE_GROUP_NAME: A group with name '{name}' already exists
--     WHEN EXISTS (SELECT 1 FROM user_group WHERE name = :name AND group_id <> :group_id)
-- @unchanged NO_CHANGES_DETECTED: No changes detected. All provided fields already have the same values: {values}.
--     Please provide different values or omit unchanged fields.
UPDATE user_group SET {changes} WHERE group_id = :group_id RETURNING *;

-- add_new_group_member(group_id!, user_id!) -> row
-- Make a user a member of a group.
-- @allow admin, manager
-- @closed
-- @refuse DUPLICATE_MEMBERSHIP: User '{user_id}' is already a member of group '{group_id}'
--     WHEN EXISTS (SELECT 1 FROM user_group_member WHERE group_id = :group_id AND user_id = :user_id)
INSERT INTO user_group_member {values, group_id = :group_id,
    org_id = (SELECT org_id FROM user_group WHERE group_id = :group_id)}
RETURNING *;

-- remove_group_membership(group_id!, user_id!, member_id) -> row
-- Take a user out of a group. A membership id, if given, must be that of this user in this group.
-- @allow admin, manager
-- @closed
-- @else NOT_FOUND: Group membership not found with identifier 'group_id={group_id}, user_id={user_id}'
DELETE FROM user_group_member WHERE {filters} RETURNING 'Group membership removed successfully' AS message;

-- list_group_members(member_id, group_id, user_id, created_after > created_on, created_before < created_on) -> rows
-- Memberships that match every filter given, the newest first.
-- @closed
SELECT * FROM user_group_member WHERE {filters} ORDER BY created_on DESC, member_id;

--- Locations

-- find_location_by_given_name(name!) -> row
-- Look a location up by its exact name.
SELECT * FROM location WHERE name = :name ORDER BY rowid LIMIT 1;

-- find_locations(name? ~, city? ~, country? ~, active?, created_after? >= created_on, created_before? <= created_on)
--   -> rows
-- Locations that match every filter given, the newest first. A filter must not be empty.
-- @blank keep
-- @refuse EMPTY_FILTER_VALUE: Filter parameter 'name' cannot be empty. Please provide a valid value or omit
--     the parameter. WHEN trim(:name) = ''
-- @refuse EMPTY_FILTER_VALUE: Filter parameter 'city' cannot be empty. Please provide a valid value or omit
--     the parameter. WHEN trim(:city) = ''
-- @refuse EMPTY_FILTER_VALUE: Filter parameter 'country' cannot be empty. Please provide a valid value or omit
--     the parameter. WHEN trim(:country) = ''
SELECT * FROM location WHERE {filters} ORDER BY created_on DESC, location_id;

-- add_location(name!, active?, plot_no?, street?, city!, state?, country!) -> row
-- Register a location of your organization. Its name must be new.
-- @allow admin, manager, agent
-- @refuse DUPLICATE_LOCATION_NAME: A location with name '{name}' already exists
--     WHEN EXISTS (SELECT 1 FROM location WHERE name = :name)
INSERT INTO location {values, org_id = :caller_org_id} RETURNING *;

-- get_location_by_id(location_id!) -> row
-- Look a location up by id.
SELECT * FROM location WHERE location_id = :location_id;

-- update_location(location_id!, name?, active?, plot_no?, street?, city?, state?, country?) -> row
-- Change the fields given of a location, and no others. City and country must not become empty.
--   name: Name of the location; no two share it. {minLength: null}
-- @allow admin, manager, agent
-- @refuse DUPLICATE_LOCATION_NAME: A location with name '{name}' already exists
--     WHEN EXISTS (SELECT 1 FROM location WHERE name = :name AND location_id <> :location_id)
-- @unchanged NO_CHANGES_DETECTED: No changes detected - all provided values are the same as current values
UPDATE location SET {changes} WHERE location_id = :location_id RETURNING *;

--- Incident templates (those that are written: tools.py)

-- get_incident_template_by_name(name!) -> row
-- Look an incident template up by its exact name.
-- @as template
SELECT * FROM incident_template WHERE name = :name ORDER BY rowid LIMIT 1;

-- get_incident_templates(incident_template_id?, name?, active?, created_after? > created_at,
--   created_before? <= created_at) -> rows
-- Incident templates that match every filter given, the newest first.
-- @as template
SELECT * FROM incident_template WHERE {filters} ORDER BY created_at DESC, incident_template_id;

--- Configuration items

-- register_configuration_item(name!, owner_id!, location_id!, serial_number!, status!, cost!) -> row
-- Register a configuration item of your organization. Name and serial number must be new.
--   name: Name of the item; no two share it. {minLength: 1}
--   cost: What the item cost. {minimum: 0}
-- @allow admin, manager, agent
-- @refuse VALIDATION_ERROR: A configuration item with name '{name}' already exists
--     WHEN EXISTS (SELECT 1 FROM configuration_item WHERE name = :name)
-- @refuse DUPLICATE_SERIAL_NUMBER: A configuration item with serial_number '{serial_number}' already exists
--     WHEN EXISTS (SELECT 1 FROM configuration_item WHERE serial_number = :serial_number)
INSERT INTO configuration_item {values, org_id = :caller_org_id} RETURNING *;

-- update_configuration_item(configuration_item_id!, owner_id?, location_id?, serial_number?, status?, cost?, name?)
--   -> row
-- Change the fields given of a configuration item, and no others.
--   cost: What the item cost. {minimum: 0}
-- @allow admin, manager, agent
-- @refuse DUPLICATE_SERIAL_NUMBER: A configuration item with serial_number '{serial_number}' already exists
--     WHEN EXISTS (SELECT 1 FROM configuration_item
--         WHERE serial_number = :serial_number AND configuration_item_id <> :configuration_item_id)
-- @refuse VALIDATION_ERROR: A configuration item with name '{name}' already exists
--     WHEN EXISTS (SELECT 1 FROM configuration_item
--         WHERE name = :name AND configuration_item_id <> :configuration_item_id)
-- @unchanged NO_CHANGES_DETECTED: No changes detected for fields: {already}
UPDATE configuration_item SET {changes} WHERE configuration_item_id = :configuration_item_id RETURNING *;

-- find_configuration_item_by_serial_number(serial_number!) -> row
-- Look a configuration item up by its serial number.
SELECT * FROM configuration_item WHERE serial_number = :serial_number ORDER BY rowid LIMIT 1;

-- find_configuration_items(configuration_item_id?, owner_id?, location_id?, serial_number?, status?, cost?,
--   created_after? > created_on, created_before? <= created_on) -> rows
-- Configuration items that match every filter given, the newest first.
--   cost: What the item cost, to the cent. {minimum: 0}
SELECT * FROM configuration_item WHERE {filters} ORDER BY created_on DESC, configuration_item_id DESC;

--- Services

-- find_services(service_id, name ~, owned_by, used_for, status, service_classification, business_criticality,
--   created_after > created_on, created_before <= created_on) -> rows
-- Services that match every filter given, the newest first.
-- @closed
SELECT * FROM service WHERE {filters} ORDER BY created_on DESC, service_id DESC;

-- find_service_by_name(name!) -> row
-- Look a service up by its exact name.
-- @closed
SELECT * FROM service WHERE name = :name ORDER BY rowid LIMIT 1;

-- add_new_service(name!, owned_by!, used_for, status, service_classification, business_criticality, description)
--   -> row
-- Set up a service of your organization. Its name must be new.
-- @allow admin, manager
-- @closed
-- @refuse DUPLICATE_SERVICE_NAME: A service with name '{name}' already exists
--     WHEN EXISTS (SELECT 1 FROM service WHERE name = :name)
INSERT INTO service {values, org_id = :caller_org_id} RETURNING *;

-- update_service(service_id!, name, owned_by, used_for, status, service_classification, business_criticality,
--   description) -> row
-- Change the fields given of a service, and no others.
-- @allow admin, manager
-- @closed
-- @refuse DUPLICATE_SERVICE_NAME: A service with name '{name}' already exists
--     WHEN EXISTS (SELECT 1 FROM service WHERE name = :name AND service_id <> :service_id)
-- @unchanged NO_CHANGES_DETECTED: No changes detected. All provided fields already have the same values: {values}.
--     Please provide different values or omit unchanged fields.
UPDATE service SET {changes} WHERE service_id = :service_id RETURNING *;

--- Changes. Databases hold a few values more than the tools take: a priority medium, a category database, a code withdrawn.

-- create_change(short_description!, status!, impact!, risk!, priority!, service, service_offering,
--   configuration_item, category, description, implementation_plan, testing_plan, cab_required, assigned_to,
--   assignment_group, close_code, close_notes) -> row
-- Ask for a change, in your own name and organization. It gets its id and its number here.
--   category: {enum: [network, software, hardware, documentation, system_software, application_software, service, telecom, other]}
--   priority: {enum: [critical, high, moderate, low]}
--   close_code: {enum: [successful, successful_with_issues, unsuccessful]}
-- @allow admin, manager, agent
-- @plain
INSERT INTO change {values, requested_by = :caller_user_id, org_id = :caller_org_id} RETURNING *;

-- update_change(change_id!, number, requested_by, short_description, service, service_offering, configuration_item,
--   category, description, implementation_plan, testing_plan, cab_required, assigned_to, assignment_group,
--   close_code, close_notes, status, impact, risk, priority) -> row
-- Change the fields given of a change, and no others. An empty text counts as not given.
--   category: {enum: [network, software, hardware, documentation, system_software, application_software, service, telecom, other]}
--   priority: {enum: [critical, high, moderate, low]}
--   close_code: {enum: [successful, successful_with_issues, unsuccessful]}
-- @allow admin, manager, agent
-- @plain
-- @refuse DUPLICATE_NUMBER: A change with number '{number}' already exists
--     WHEN EXISTS (SELECT 1 FROM change WHERE number = :number AND change_id <> :change_id)
-- @unchanged NO_CHANGES_DETECTED: No changes detected for fields: {already}
UPDATE change SET {changes} WHERE change_id = :change_id RETURNING *;

-- find_change_by_number(number!) -> row
-- Look a change up by its number.
SELECT * FROM change WHERE number = :number ORDER BY rowid LIMIT 1;

-- list_changes(change_id, number, service, service_offering, configuration_item, requested_by, assigned_to,
--   assignment_group, status, category, impact, risk, priority, close_code, short_description ~, description ~,
--   implementation_plan ~, testing_plan ~, close_notes ~, created_after > created_on, created_before <= created_on)
--   -> rows
-- Changes that match every filter given, the newest first.
--   category: {enum: [network, software, hardware, documentation, system_software, application_software, service, telecom, other]}
--   priority: {enum: [critical, high, moderate, low]}
--   close_code: {enum: [successful, successful_with_issues, unsuccessful]}
-- @plain
SELECT * FROM change WHERE {filters} ORDER BY created_on DESC, change_id;

-- get_changes_assigned_to(assignment_group, assigned_to) -> rows
-- Changes that a group, a user, or this user of this group carries out, the newest first. One of the two is needed.
-- @some
SELECT * FROM change WHERE {filters} ORDER BY created_on DESC, change_id;

--- Problems

-- create_problem(problem_statement!, status!, impact!, urgency!, priority!, short_description, service,
--   service_offering, configuration_item, assigned_to, assignment_group, original_task, category, worknotes,
--   workaround, fix_notes) -> row
-- Open a problem, in your own name and organization. It gets its id and its number here.
-- @allow admin, manager, agent
-- @plain
INSERT INTO problem {values, opened_by = :caller_user_id, org_id = :caller_org_id} RETURNING *;

-- update_problem(problem_id, number, opened_by, problem_statement, short_description, service, service_offering,
--   configuration_item, assigned_to, assignment_group, original_task, status, category, worknotes, workaround,
--   fix_notes, impact, urgency, priority) -> row
-- Change the fields given of a problem, and no others. Say which by its id or by its number. An empty text counts
-- as not given.
-- @allow admin, manager, agent
-- @plain
-- @refuse MISSING_IDENTIFIERS: Either 'problem_id' or 'number' must be provided to identify the problem
--     WHEN :problem_id IS NULL AND :number IS NULL
-- @unchanged NO_CHANGES_DETECTED: No changes detected for fields: {already}
UPDATE problem SET {changes} WHERE problem_id = coalesce(:problem_id,
    (SELECT problem_id FROM problem WHERE number = :number ORDER BY rowid LIMIT 1)) RETURNING *;

-- find_problem_by_number(number!) -> row
-- Look a problem up by its number.
SELECT * FROM problem WHERE number = :number ORDER BY rowid LIMIT 1;

-- list_problems(problem_id, number, service, service_offering, configuration_item, opened_by, status, category,
--   problem_statement ~, short_description ~, impact, urgency, priority, assigned_to, assignment_group, worknotes ~,
--   workaround ~, fix_notes ~, original_task, created_after > created_on, created_before <= created_on) -> rows
-- Problems that match every filter given, the newest first.
-- @plain
SELECT * FROM problem WHERE {filters} ORDER BY created_on DESC, problem_id;

-- get_problems_assigned_to(assignment_group, assigned_to) -> rows
-- Problems that a group, a user, or this user of this group works on, the newest first. One of the two is needed.
-- @some
SELECT * FROM problem WHERE {filters} ORDER BY created_on DESC, problem_id;

--- Incidents

-- find_incident_by_number(number!) -> row
-- Look an incident up by its number. Organizations count on their own: of several with the number, the first
-- registered is shown.
SELECT * FROM incident WHERE number = :number ORDER BY rowid LIMIT 1;

-- find_incident_by_id(incident_id!) -> row
-- Look an incident up by id.
SELECT * FROM incident WHERE incident_id = :incident_id;

-- list_incidents(incident_id?, number?, service?, service_offering?, configuration_item?, called_id? = caller_id,
--   channel?, status?, category?, short_description? ~, description? ~, impact?, urgency?, priority?, assigned_to?,
--   assignment_group?, worknotes? ~, resolution_notes? ~, close_notes? ~, resolution_code?, parent_incident?,
--   problem?, change_request?, caused_by_change?, resolved_by?, on_hold_reason?, incident_template?, resolved?,
--   created_after? >= created_at, created_before? <= created_at) -> rows
-- Incidents that match every filter given, the newest first.
SELECT * FROM incident WHERE {filters} ORDER BY created_at DESC, incident_id;

-- get_incidents_assigned_to(assignment_group?, assigned_to?) -> rows
-- Incidents that a group, a user, or this user of this group works on, the newest first. One of the two is needed.
-- @allow admin, manager, agent
-- @some
SELECT * FROM incident WHERE {filters} ORDER BY created_at DESC, incident_id;

-- create_incident(service?, service_offering?, configuration_item?, caller_id!, channel?, status?, category?,
--   short_description!, description?, impact?, urgency?, priority?, assigned_to?, assignment_group?, worknotes?,
--   resolution_notes?, close_notes?, resolution_code?, parent_incident?, problem?, change_request?,
--   caused_by_change?, resolved_by?, on_hold_reason?, incident_template?, resolved?) -> row
-- Report an incident for a user, in that user's organization. It gets its id and its number here. Nothing is worked
-- out: left out, status is new, category inquiry-help, impact and urgency low, priority planning.
--   channel: How it was reported. {enum: [self-service, phone, email, chat, walk-in, virtual-agent]}
-- @allow admin, manager, agent
-- @refuse INVALID_REFERENCE: Incident with ID '{parent_incident}' not found WHEN :parent_incident IS NOT NULL
--     AND NOT EXISTS (SELECT 1 FROM incident WHERE incident_id = :parent_incident)
INSERT INTO incident {values, caller_id = :caller_id,
    org_id = (SELECT org_id FROM users WHERE user_id = :caller_id)}
RETURNING *;

-- update_incident(incident_id!, number?, service?, service_offering?, configuration_item?, caller_id?, channel?,
--   status?, category?, short_description?, description?, impact?, urgency?, priority?, assigned_to?,
--   assignment_group?, worknotes?, resolution_notes?, close_notes?, resolution_code?, parent_incident?, problem?,
--   change_request?, caused_by_change?, resolved_by?, on_hold_reason?, incident_template?, resolved?) -> row
-- Change the fields given of an incident, and no others: resolving it fills in neither who nor when. An empty text
-- clears a field.
--   channel: How it was reported. {enum: [self-service, phone, email, chat, walk-in, virtual-agent]}
-- @allow admin, manager, agent
-- @blank clear
-- @refuse INVALID_REFERENCE: Incident with ID '{parent_incident}' not found WHEN :parent_incident IS NOT NULL
--     AND NOT EXISTS (SELECT 1 FROM incident WHERE incident_id = :parent_incident)
-- @unchanged NO_CHANGES_DETECTED: No changes detected for fields: {already}
UPDATE incident SET {changes} WHERE incident_id = :incident_id RETURNING *;

--- Incidents within incidents (add_child_incidents: tools.py)

-- list_child_incidents(parent_incident!) -> rows
-- The links from an incident to those below it.
-- @refuse INVALID_REFERENCE: Incident with ID '{parent_incident}' not found
--     WHEN NOT EXISTS (SELECT 1 FROM incident WHERE incident_id = :parent_incident)
SELECT * FROM child_incident WHERE parent_incident = :parent_incident
ORDER BY created_at DESC, child_incident_mapping_id;

-- find_parent_incident(child_incident!) -> row
-- The link from an incident to the one above it.
-- @else NOT_FOUND: No parent found for child incident '{child_incident}'
SELECT * FROM child_incident WHERE child_incident = :child_incident ORDER BY rowid LIMIT 1;

-- add_child_incident(parent_incident!, child_incident!) -> row
-- Put an incident below another.
-- @allow admin, manager, agent
-- @refuse INVALID_RELATIONSHIP: An incident cannot be its own child WHEN :parent_incident = :child_incident
-- @refuse INVALID_RELATIONSHIP: Child incident relationship already exists: '{parent_incident}' -> '{child_incident}'
--     WHEN EXISTS (SELECT 1 FROM child_incident
--         WHERE parent_incident = :parent_incident AND child_incident = :child_incident)
-- @refuse INVALID_RELATIONSHIP: Reverse relationship already exists: '{child_incident}' -> '{parent_incident}'
--     WHEN EXISTS (SELECT 1 FROM child_incident
--         WHERE parent_incident = :child_incident AND child_incident = :parent_incident)
INSERT INTO child_incident {values} RETURNING *;

-- update_child_incident(child_incident_mapping_id!, parent_incident!, child_incident!) -> row
-- Make a link join two other incidents.
-- @allow admin, manager, agent
-- @refuse INVALID_RELATIONSHIP: An incident cannot be its own child WHEN :parent_incident = :child_incident
-- @refuse INVALID_RELATIONSHIP: Child incident relationship already exists: '{parent_incident}' -> '{child_incident}'
--     WHEN EXISTS (SELECT 1 FROM child_incident
--         WHERE parent_incident = :parent_incident AND child_incident = :child_incident
--         AND child_incident_mapping_id <> :child_incident_mapping_id)
-- @refuse INVALID_RELATIONSHIP: Reverse relationship already exists: '{child_incident}' -> '{parent_incident}'
--     WHEN EXISTS (SELECT 1 FROM child_incident
--         WHERE parent_incident = :child_incident AND child_incident = :parent_incident
--         AND child_incident_mapping_id <> :child_incident_mapping_id)
-- @unchanged NO_CHANGES_DETECTED: No changes detected for fields: {already}
UPDATE child_incident SET {changes} WHERE child_incident_mapping_id = :child_incident_mapping_id RETURNING *;

-- remove_child_incident(child_incident_mapping_id?, parent_incident?, child_incident?) -> row
-- Take a link away. Say which by its id, or by both of its incidents.
-- @allow admin, manager, agent
-- @refuse MISSING_IDENTIFIERS: Either child_incident_mapping_id or both parent_incident and child_incident must be
--     provided WHEN :child_incident_mapping_id IS NULL AND (:parent_incident IS NULL OR :child_incident IS NULL)
-- @else NOT_FOUND: Child incident mapping not found
DELETE FROM child_incident
WHERE child_incident_mapping_id = coalesce(:child_incident_mapping_id, child_incident_mapping_id)
    AND parent_incident = coalesce(:parent_incident, parent_incident)
    AND child_incident = coalesce(:child_incident, child_incident)
RETURNING 'Child incident mapping removed successfully' AS message;

--- Counts of incidents

-- get_count_of_incident_priority_wise(priority_list[] = priority) -> rows
-- How many incidents there are of each priority, or of each of these.
-- @as keyed
SELECT priority AS "key", count(*) AS value FROM incident WHERE {filters} GROUP BY priority ORDER BY priority;

-- count_incident_for_assignment_group(assignment_group_id! = assignment_group, status, priority, channel) -> rows
-- How many incidents a group has, among those that match every filter given.
-- @as keyed
-- @refuse INVALID_REFERENCE: User group with ID '{assignment_group_id}' not found
--     WHEN NOT EXISTS (SELECT 1 FROM user_group WHERE group_id = :assignment_group_id)
SELECT :assignment_group_id AS "key", count(*) AS value
FROM incident WHERE assignment_group = :assignment_group_id AND {filters};

--- Service offerings

-- find_service_offerings(service_offering_id, name ~, owned_by, used_for, status, service_classification,
--   business_criticality, short_description ~, parent = business_service, created_after >= created_on,
--   created_before <= created_on) -> rows
-- Service offerings that match every filter given, the newest first.
-- @closed
SELECT * FROM service_offering WHERE {filters} ORDER BY created_on DESC, service_offering_id DESC;

-- find_service_offering_by_name(name!) -> row
-- Look a service offering up by its exact name.
-- @closed
SELECT * FROM service_offering WHERE name = :name ORDER BY rowid LIMIT 1;

-- register_new_service_offering(name!, owned_by!, used_for, status, service_classification, business_criticality,
--   short_description!, parent! = business_service) -> row
-- Set up a service offering of your organization. Its name must be new.
-- @allow admin, manager
-- @closed
-- @refuse DUPLICATE_SERVICE_OFFERING_NAME: A service offering with name '{name}' already exists
--     WHEN EXISTS (SELECT 1 FROM service_offering WHERE name = :name)
INSERT INTO service_offering {values, org_id = :caller_org_id} RETURNING *;

-- update_service_offering(service_offering_id!, name, owned_by, used_for, status, service_classification,
--   business_criticality, short_description, parent = business_service) -> row
-- Change the fields given of a service offering, and no others.
-- @allow admin, manager
-- @closed
-- @refuse DUPLICATE_SERVICE_OFFERING_NAME: A service offering with name '{name}' already exists
--     WHEN EXISTS (SELECT 1 FROM service_offering WHERE name = :name AND service_offering_id <> :service_offering_id)
-- @unchanged NO_CHANGES_DETECTED: No changes detected. All provided fields already have the same values: {values}.
--     Please provide different values or omit unchanged fields.
UPDATE service_offering SET {changes} WHERE service_offering_id = :service_offering_id RETURNING *;

--- Knowledge (find_incident_knowledge_links: tools.py)

-- retrieve_knowledge_articles(knowledge_id, kb_number, title ~, body ~, state, visibility, owner_id,
--   created_after > created_on, created_before <= created_on) -> rows
-- Knowledge articles that match every filter given, the newest first.
SELECT * FROM knowledge WHERE {filters} ORDER BY created_on DESC, knowledge_id;

-- create_knowledge_article(title!, body, state, visibility, owner_id!) -> row
-- Write a knowledge article for your organization; an owner has no two of the same title. It gets its number here.
-- @allow admin, manager, agent
-- @refuse DUPLICATE_ARTICLE: A knowledge article with title '{title}' already exists for this owner
--     WHEN EXISTS (SELECT 1 FROM knowledge WHERE title = :title AND owner_id = :owner_id)
INSERT INTO knowledge {values, org_id = :caller_org_id} RETURNING *;

-- update_knowledge_article(knowledge_id, kb_number, title, body, state, visibility, owner_id) -> row
-- Change the fields given of a knowledge article, and no others. Say which by its id or its number, not by both. An
-- empty text clears a field.
-- @allow admin, manager, agent
-- @blank clear
-- @refuse MISSING_IDENTIFIERS: Exactly one of 'knowledge_id' and 'kb_number' must be provided
--     WHEN (:knowledge_id IS NULL) = (:kb_number IS NULL)
-- @unchanged NO_CHANGES_DETECTED: No changes detected for fields: {already}
UPDATE knowledge SET {changes} WHERE knowledge_id = coalesce(:knowledge_id,
    (SELECT knowledge_id FROM knowledge WHERE kb_number = :kb_number ORDER BY rowid LIMIT 1)) RETURNING *;

-- link_knowledge_to_incident(incident_id!, knowledge_id!, used_as) -> row
-- Put a knowledge article on an incident.
-- @allow admin, manager, agent
INSERT INTO incident_knowledge {values, incident_id = :incident_id,
    org_id = (SELECT org_id FROM incident WHERE incident_id = :incident_id)}
RETURNING *;

-- remove_knowledge_link_to_incident(incident_kb_id, incident_id, knowledge_id, used_as) -> row
-- Take a knowledge article off an incident. Say which link by its id, or by both incident and article.
-- @allow admin, manager, agent
-- @refuse MISSING_IDENTIFIERS: Either incident_kb_id or both incident_id and knowledge_id must be provided
--     WHEN :incident_kb_id IS NULL AND (:incident_id IS NULL OR :knowledge_id IS NULL)
-- @else RESOURCE_NOT_FOUND: Incident knowledge link not found
DELETE FROM incident_knowledge
WHERE incident_kb_id = coalesce(:incident_kb_id, incident_kb_id)
    AND incident_id = coalesce(:incident_id, incident_id)
    AND knowledge_id = coalesce(:knowledge_id, knowledge_id) AND used_as = coalesce(:used_as, used_as)
RETURNING 'Knowledge link removed successfully' AS message;

--- SLA definitions

-- add_new_sla_definition(name!, metric!, target_mins!, pause_on_pending!, active!, applies_to_priority, schedule) -> row
-- Promise an SLA in your organization. Its name must be new.
--   target_mins: Minutes until the target is missed. {minimum: 1}
-- @allow admin, manager
-- @refuse DUPLICATE_NAME: SLA definition with name '{name}' already exists
--     WHEN EXISTS (SELECT 1 FROM sla_definition WHERE name = :name)
INSERT INTO sla_definition {values, org_id = :caller_org_id} RETURNING *;

-- update_sla_definition(sla_def_id!, name, metric, target_mins, pause_on_pending, active, applies_to_priority,
--   schedule) -> row
-- Change the fields given of an SLA definition, and no others.
--   target_mins: Minutes until the target is missed. {minimum: 1}
-- @allow admin, manager
-- @refuse DUPLICATE_NAME: SLA definition with name '{name}' already exists
--     WHEN EXISTS (SELECT 1 FROM sla_definition WHERE name = :name AND sla_def_id <> :sla_def_id)
-- @unchanged NO_CHANGES_DETECTED: No changes detected for fields: {already}
UPDATE sla_definition SET {changes} WHERE sla_def_id = :sla_def_id RETURNING *;

-- find_sla_definition_by_name(name!) -> row
-- Look an SLA definition up by its exact name.
SELECT * FROM sla_definition WHERE name = :name ORDER BY rowid LIMIT 1;

-- find_sla_definitions(sla_def_id, name ~, metric?, target_mins?, pause_on_pending?, applies_to_priority?, active?,
--   created_after > created_on, created_before <= created_on) -> rows
-- SLA definitions that match every filter given, the newest first.
SELECT * FROM sla_definition WHERE {filters} ORDER BY created_on DESC, sla_def_id;

-- total_sum_of_target_mins_per_priority(priority[] = applies_to_priority) -> rows
-- The target minutes of all SLA definitions of a priority, added up; for each priority, or for each of these.
-- @as keyed metrics
SELECT applies_to_priority AS "key", sum(target_mins) AS value
FROM sla_definition WHERE applies_to_priority IS NOT NULL AND {filters}
GROUP BY applies_to_priority ORDER BY applies_to_priority;

-- average_target_mins_per_priority(priority[] = applies_to_priority) -> rows
-- The target minutes of SLA definitions on average; for each priority, or for each of these.
-- @as keyed metrics
SELECT applies_to_priority AS "key", round(avg(target_mins), 2) AS value
FROM sla_definition WHERE applies_to_priority IS NOT NULL AND {filters}
GROUP BY applies_to_priority ORDER BY applies_to_priority;

--- Notifications

-- count_notifications_by_status(status[]) -> rows
-- How many notifications there are of each status, or of each of these.
-- @as keyed metrics
SELECT status AS "key", count(*) AS value FROM notification
WHERE status IS NOT NULL AND {filters} GROUP BY status ORDER BY status;

-- count_notifications_by_incident(incident_id[]) -> rows
-- How many notifications each incident has that has one, or each of these.
-- @as keyed metrics
-- @refuse INVALID_REFERENCE: An incident of 'incident_id' was not found WHEN EXISTS (
--     SELECT 1 FROM json_each(:incident_id) WHERE value NOT IN (SELECT incident_id FROM incident))
SELECT incident_id AS "key", count(*) AS value FROM notification
WHERE {filters} GROUP BY incident_id ORDER BY incident_id;

-- average_notifications_by_incident(incident_id[]) -> row
-- How many notifications an incident has on average, among those that have one.
-- @refuse INVALID_REFERENCE: An incident of 'incident_id' was not found WHEN EXISTS (
--     SELECT 1 FROM json_each(:incident_id) WHERE value NOT IN (SELECT incident_id FROM incident))
SELECT coalesce(round(avg(sent), 2), 0.0) AS average
FROM (SELECT count(*) AS sent FROM notification WHERE {filters} GROUP BY incident_id);

-- count_notifications_by_type(type[]) -> rows
-- How many notifications there are of each type, or of each of these.
-- @as keyed metrics
SELECT type AS "key", count(*) AS value FROM notification
WHERE type IS NOT NULL AND {filters} GROUP BY type ORDER BY type;

-- find_notifications_for_email(email!) -> rows
-- Notifications that went to an address, the newest first.
-- @refuse RESOURCE_NOT_FOUND: Notifications not found with identifier 'email={email}'
--     WHEN NOT EXISTS (SELECT 1 FROM notification WHERE email = :email)
SELECT * FROM notification WHERE email = :email ORDER BY created_on DESC, notification_id;

-- find_notifications_sent_for_incident(incident_id!) -> rows
-- Notifications about an incident, the newest first.
-- @refuse RESOURCE_NOT_FOUND: Notifications not found with identifier 'incident_id={incident_id}'
--     WHEN NOT EXISTS (SELECT 1 FROM notification WHERE incident_id = :incident_id)
SELECT * FROM notification WHERE incident_id = :incident_id ORDER BY created_on DESC, notification_id;

-- find_notifications(notification_id?, incident_id?, email? ~, type?, status?, created_before? <= created_on,
--   created_after? > created_on) -> rows
-- Notifications that match every filter given, the newest first.
SELECT * FROM notification WHERE {filters} ORDER BY created_on DESC, notification_id;

-- send_notification(incident_id!, email!, type, status, subject, message) -> row
-- Tell a user other than yourself about an incident.
-- @allow admin, manager
-- @refuse USER_EMAIL_NOT_FOUND: User with email '{email}' not found or does not belong to your organization
--     WHEN NOT EXISTS (SELECT 1 FROM users WHERE email = :email)
-- @refuse CANNOT_SEND_TO_SELF: Cannot send notification to yourself WHEN :email = :caller_email
-- @outward email
INSERT INTO notification {values, email = :email, org_id = :caller_org_id} RETURNING *;

-- update_notification(notification_id!, incident_id, email, type, status, subject, message) -> row
-- Change the fields given of a notification, and no others.
-- @allow admin, manager
-- @refuse USER_EMAIL_NOT_FOUND: User with email '{email}' not found or does not belong to your organization
--     WHEN :email IS NOT NULL AND NOT EXISTS (SELECT 1 FROM users WHERE email = :email)
-- @unchanged NO_CHANGES_DETECTED: No changes detected for fields: {already}
UPDATE notification SET {changes} WHERE notification_id = :notification_id RETURNING *;

-- delete_notifications(notification_id!) -> row
-- Remove a notification.
-- @allow admin, manager
DELETE FROM notification WHERE notification_id = :notification_id
RETURNING 'Notification deleted successfully' AS message, notification_id;

--- Changes made for incidents and problems

-- map_change_request(change_id!, incident_id?, problem_id?) -> row
-- Note that a change is made for an incident, for a problem, or for both.
-- @allow admin, manager
-- @any incident_id, problem_id
-- @refuse DUPLICATE_MAPPING: Mapping for change '{change_id}' and incident '{incident_id}' already exists
--     WHEN EXISTS (SELECT 1 FROM change_request_mapping WHERE change_id = :change_id AND incident_id = :incident_id)
-- @refuse DUPLICATE_MAPPING: Mapping for change '{change_id}' and problem '{problem_id}' already exists
--     WHEN EXISTS (SELECT 1 FROM change_request_mapping WHERE change_id = :change_id AND problem_id = :problem_id)
INSERT INTO change_request_mapping {values, org_id = :caller_org_id} RETURNING *;

-- list_change_request_mappings(change_request_mapping_id, change_id, incident_id, problem_id,
--   created_after >= created_at, created_before <= created_at) -> rows
-- Mappings of changes that match every filter given, the newest first.
SELECT * FROM change_request_mapping WHERE {filters} ORDER BY created_at DESC, change_request_mapping_id;

-- find_change_request_mappings_for_incident(incident_id!) -> rows
-- The changes made for an incident.
-- @refuse INVALID_REFERENCE: Incident with ID '{incident_id}' not found
--     WHEN NOT EXISTS (SELECT 1 FROM incident WHERE incident_id = :incident_id)
SELECT * FROM change_request_mapping WHERE incident_id = :incident_id
ORDER BY created_at DESC, change_request_mapping_id;

-- find_change_request_mappings_for_problem(problem_id!) -> rows
-- The changes made for a problem.
-- @refuse INVALID_REFERENCE: Problem with ID '{problem_id}' not found
--     WHEN NOT EXISTS (SELECT 1 FROM problem WHERE problem_id = :problem_id)
SELECT * FROM change_request_mapping WHERE problem_id = :problem_id
ORDER BY created_at DESC, change_request_mapping_id;

-- delete_change_request_mappings(change_request_mapping_id, change_id, incident_id, problem_id) -> rows
-- Remove the mappings of changes that match every filter given, and show them. One filter at least is needed.
-- @allow admin, manager
-- @any
-- @as removed_mappings
DELETE FROM change_request_mapping WHERE {filters} RETURNING *;

--- Configuration items that an incident affects

-- link_affected_ci_to_incident(configuration_item!, incident_id!) -> row
-- Note that an incident affects a configuration item.
-- @allow admin, manager
-- @refuse DUPLICATE_LINK: Configuration item '{configuration_item}' is already linked to incident '{incident_id}'
--     WHEN EXISTS (SELECT 1 FROM incident_affected_cis
--         WHERE configuration_item = :configuration_item AND incident_id = :incident_id)
INSERT INTO incident_affected_cis {values, org_id = :caller_org_id} RETURNING *;

-- list_incident_affected_cis(incident_affected_cis_id, configuration_item, incident_id, created_before <= created_on,
--   created_after >= created_on) -> rows
-- Links between incidents and configuration items that match every filter given, the newest first.
SELECT * FROM incident_affected_cis WHERE {filters} ORDER BY created_on DESC, incident_affected_cis_id;

-- remove_affected_ci_from_incident(incident_affected_cis_id, configuration_item, incident_id,
--   created_before <= created_on, created_after >= created_on) -> deleted
-- Remove the links between incidents and configuration items that match every filter given. One filter at least is
-- needed.
-- @allow admin, manager
-- @any
-- @else NOT_FOUND: Incident affected CI mapping not found with the filters given
DELETE FROM incident_affected_cis WHERE {filters};

--- SLAs on incidents

-- find_incident_slas(incident_sla_id, incident_id, sla_def_id, stage, has_breached, created_before <= created_on,
--   created_after >= created_on) -> rows
-- SLAs on incidents that match every filter given, the newest first.
--   stage: Where the tracking stands, in any case. {to_lower: true}
-- @plain
SELECT * FROM incident_sla WHERE {filters} ORDER BY created_on DESC, incident_sla_id;

-- find_stage_wise_breached_incident_sla_counts(stages[] = stage) -> rows
-- How many SLAs on incidents have missed their target, for each stage, or for each of these.
--   stages: Stages, in any case. {items: {to_lower: true}}
-- @plain
-- @as keyed counts
SELECT stage AS "key", count(*) AS value FROM incident_sla
WHERE has_breached AND {filters} GROUP BY stage ORDER BY stage;

-- link_new_incident_sla(incident_id!, sla_def_id!, stage, has_breached, start_time!, breach_time, completed_time)
--   -> row
-- Start tracking an SLA on an incident. The time of breach is not worked out here.
--   stage: Where the tracking stands, in any case; in_progress unless told. {to_lower: true}
-- @allow admin, manager
-- @plain
-- @refuse DUPLICATE_LINK: SLA '{sla_def_id}' is already linked to incident '{incident_id}'
--     WHEN EXISTS (SELECT 1 FROM incident_sla WHERE sla_def_id = :sla_def_id AND incident_id = :incident_id)
INSERT INTO incident_sla {values, org_id = :caller_org_id} RETURNING *;

-- update_incident_sla_details(incident_sla_id!, incident_id, sla_def_id, stage, has_breached, start_time,
--   breach_time, completed_time) -> row
-- Change the fields given of an SLA on an incident, and no others: completing it fills in no time.
--   stage: Where the tracking stands, in any case. {to_lower: true}
-- @allow admin, manager
-- @plain
-- @refuse DUPLICATE_LINK: This SLA is already linked to this incident
--     WHEN EXISTS (SELECT 1 FROM incident_sla AS this, incident_sla AS other
--         WHERE this.incident_sla_id = :incident_sla_id AND other.incident_sla_id <> this.incident_sla_id
--         AND other.incident_id = coalesce(:incident_id, this.incident_id)
--         AND other.sla_def_id = coalesce(:sla_def_id, this.sla_def_id)
--         AND coalesce(:incident_id, :sla_def_id) IS NOT NULL)
-- @unchanged NO_CHANGES_DETECTED: No changes detected for fields: {already}
UPDATE incident_sla SET {changes} WHERE incident_sla_id = :incident_sla_id RETURNING *;

-- delete_incident_slas(incident_sla_id, incident_id, sla_def_id, stage, has_breached, created_before <= created_on,
--   created_after >= created_on) -> deleted
-- Remove the SLAs on incidents that match every filter given. One filter at least is needed.
--   stage: Where the tracking stands, in any case. {to_lower: true}
-- @allow admin, manager
-- @plain
-- @any
-- @else NOT_FOUND: Incident SLA not found with the filters given
DELETE FROM incident_sla WHERE {filters};
