--- Tools of customer service management. How headers and slots are read: eops_traj/gym/tools/declarations.py.
--- Who may use a tool is said by @allow; the reasons stand in policy.md. Products, SLA definitions and
--- knowledge can be read by everyone; everything else about customers only by staff.

--- People

-- find_user(name!) -> row
-- Look one person up by full name, whoever it is: customer, agent, manager or admin.
-- @allow admin, manager, agent
--   name: First and last name with a space between them, such as 'Ana Ruiz'. {type: string}
SELECT user_id, first_name, last_name, email, role, location_id, active
FROM user WHERE first_name || ' ' || last_name = :name ORDER BY user_id LIMIT 1;

-- find_user_by_email(email!) -> row
-- Look one person up by e-mail address, which nobody shares.
-- @allow admin, manager, agent
SELECT user_id, first_name, last_name, email, role, location_id, active FROM user WHERE email = :email;

-- list_users(email, user_id, first_name ~, last_name ~, phone ~, role, location_id, active,
--   created_after > sys_created_on, created_before < sys_created_on) -> rows
-- People who match every filter given; with no filter, everyone.
-- @allow admin, manager, agent
SELECT user_id, first_name, last_name, email, phone, role, location_id, active, sys_created_on
FROM user WHERE {filters} ORDER BY user_id;

-- add_new_user(first_name!, last_name!, email!, phone, role!, location_id, active!) -> row
-- Add a person. Nobody else may have the e-mail address.
-- @allow admin
INSERT INTO user {values} RETURNING *;

-- update_user_details(user_id!, email, first_name, last_name, active, phone, role, location_id) -> row
-- Change the fields given of a person. Whoever leaves is made inactive, never removed.
-- @allow admin
UPDATE user SET {changes} WHERE user_id = :user_id RETURNING *;

--- Groups

-- find_user_group(name!) -> row
-- Look a group up by its exact name.
-- @allow admin, manager, agent
--   name: Exact name of the group. {minLength: 1}
SELECT group_id, name, type, active FROM user_group WHERE name = :name;

-- list_user_groups(group_id, name, active, type, created_after > sys_created_on, created_before < sys_created_on)
--   -> rows
-- Groups that match every filter given; with no filter, all of them.
-- @allow admin, manager, agent
SELECT group_id, name, type, active, sys_created_on FROM user_group WHERE {filters} ORDER BY group_id;

-- add_new_user_group(name!, type!, active!) -> row
-- Set up a group. Its name must be new.
-- @allow admin
INSERT INTO user_group {values} RETURNING *;

-- update_user_group(group_id!, name, type, active) -> row
-- Change the fields given of a group.
-- @allow admin
UPDATE user_group SET {changes} WHERE group_id = :group_id RETURNING *;

-- list_group_members(member_id, group_id, user_id, created_after > sys_created_on,
--   created_before < sys_created_on) -> rows
-- Who is in which group, as memberships that match every filter given.
-- @allow admin, manager, agent
SELECT member_id, group_id, user_id, sys_created_on FROM user_group_member WHERE {filters} ORDER BY member_id;

-- check_user_membership(user_id! = m.user_id, group_id! = m.group_id) -> row
-- Whether a person belongs to a group, and by which membership.
-- @allow admin, manager, agent
SELECT m.member_id IS NOT NULL AS "exists BOOLEAN", m.member_id
FROM (SELECT 1) LEFT JOIN user_group_member m ON m.user_id = :user_id AND m.group_id = :group_id;

-- add_new_group_member(group_id!, user_id!) -> row
-- Put a person into a group, once.
-- @allow admin, manager
INSERT INTO user_group_member {values} RETURNING *;

-- remove_group_membership(member_id, group_id, user_id) -> deleted
-- Take a person out of a group, named by the membership or by group and person together.
-- @allow admin, manager
-- @refuse Give member_id, or both group_id and user_id
--     WHEN :member_id IS NULL AND (:group_id IS NULL OR :user_id IS NULL)
DELETE FROM user_group_member WHERE member_id = :member_id
    OR (:member_id IS NULL AND group_id = :group_id AND user_id = :user_id);

--- Accounts and contacts

-- find_account(name!) -> row
-- Look an account up by its exact name.
-- @allow admin, manager, agent
--   name: Exact name of the company. {minLength: 1}
SELECT account_id, name, account_type, email_domain, active FROM account WHERE name = :name;

-- get_accounts(account_id, name ~, email_domain ~, account_types[] = account_type, active,
--   created_after > sys_created_on, created_before < sys_created_on) -> rows
-- Accounts that match every filter given; with no filter, all of them.
-- @allow admin, manager, agent
--   name: {minLength: 1}
--   email_domain: {minLength: 1}
SELECT account_id, name, email_domain, account_type, active, sys_created_on
FROM account WHERE {filters} ORDER BY account_id;

-- create_new_account(name!, email_domain, account_type!, active!) -> row
-- Take a company on. Its name must be new.
-- @allow admin
INSERT INTO account {values} RETURNING *;

-- update_account_details(account_id!, name, email_domain, active, account_type) -> row
-- Change the fields given of an account.
-- @allow admin
UPDATE account SET {changes} WHERE account_id = :account_id RETURNING *;

-- find_contact_by_portal_user(portal_user_id!) -> row
-- The contact that a portal user is.
-- @allow admin, manager, agent
SELECT contact_id, account_id, portal_user_id, active
FROM contact WHERE portal_user_id = :portal_user_id ORDER BY contact_id LIMIT 1;

-- find_contacts(contact_id, account_id, portal_user_id, active, is_primary,
--   created_after > sys_created_on, created_before < sys_created_on) -> rows
-- Contacts that match every filter given; with no filter, all of them.
-- @allow admin, manager, agent
SELECT contact_id, account_id, portal_user_id, active, is_primary, sys_created_on
FROM contact WHERE {filters} ORDER BY contact_id;

-- create_contact(account_id!, portal_user_id!, active!, is_primary!) -> row
-- Let a portal user speak for an account.
-- @allow admin
INSERT INTO contact {values} RETURNING *;

-- update_contact(contact_id!, account_id, portal_user_id, active, is_primary) -> row
-- Change the fields given of a contact. Another primary contact of the account stays one until it is changed too.
-- @allow admin
UPDATE contact SET {changes} WHERE contact_id = :contact_id RETURNING *;

--- Locations

-- find_location(name!) -> row
-- Look a location up by its exact name.
-- @allow admin, manager, agent
--   name: Exact name of the site. {minLength: 1}
SELECT location_id, name, city, country, active FROM location WHERE name = :name ORDER BY location_id LIMIT 1;

-- find_locations(location_id, name ~, active, plot_no ~, street ~, city ~, country ~,
--   created_before < sys_created_on, created_after > sys_created_on) -> rows
-- Locations that match every filter given; with no filter, all of them.
-- @allow admin, manager, agent
--   city: City, or a part of it, as in 'new_york'. {enum: null}
--   country: Country, or a part of it, as in 'usa'. {enum: null}
SELECT location_id, name, plot_no, street, city, country, active, sys_created_on
FROM location WHERE {filters} ORDER BY location_id;

-- add_location(name!, active!, plot_no, street, city!, country!) -> row
-- Add a site. That city and country belong together is not checked here.
-- @allow admin
INSERT INTO location {values} RETURNING *;

-- update_location(location_id!, name, active, plot_no, street, city, country) -> row
-- Change the fields given of a site.
-- @allow admin
UPDATE location SET {changes} WHERE location_id = :location_id RETURNING *;

--- Products

-- find_product(name!) -> row
-- Look a product up by its exact name.
--   name: Exact name of the product. {minLength: 1}
SELECT product_id, name, category, lifecycle_state FROM product WHERE name = :name ORDER BY product_id LIMIT 1;

-- find_product_by_id(product_id!) -> row
-- Look a product up by its id.
SELECT product_id, name, category, lifecycle_state FROM product WHERE product_id = :product_id;

-- find_products(product_id, name ~, category, lifecycle_state, product_price,
--   created_before < sys_created_on, created_after > sys_created_on) -> rows
-- Products that match every filter given; with no filter, the whole catalogue.
--   name: {minLength: 1}
SELECT product_id, name, category, lifecycle_state, product_price, sys_created_on
FROM product WHERE {filters} ORDER BY product_id;

-- add_new_product(name!, category!, lifecycle_state!, product_price) -> row
-- Put a product into the catalogue. Its name must be new.
-- @allow admin
-- @refuse name already exists WHEN EXISTS (SELECT 1 FROM product WHERE name = :name)
INSERT INTO product {values} RETURNING *;

-- update_product(product_id!, name, category, product_price, lifecycle_state) -> row
-- Change the fields given of a product.
-- @allow admin
-- @refuse name already exists WHEN EXISTS (SELECT 1 FROM product WHERE name = :name AND product_id <> :product_id)
UPDATE product SET {changes} WHERE product_id = :product_id RETURNING *;

-- delete_products(product_id, name, category, lifecycle_state, product_price,
--   created_before < sys_created_on, created_after > sys_created_on) -> deleted
-- Remove the products that match every filter given, all of them or none: what others refer to stays.
-- @allow admin
--   name: Exact name of the product. {minLength: null}
DELETE FROM product WHERE {filters};

--- Installed products

-- find_installed_product_by_serial(serial_number!) -> row
-- Look an installed product up by its exact serial number.
-- @allow admin, manager, agent
--   serial_number: Exact serial number. {minLength: 1}
SELECT installed_product_id, account_id, product_id, location_id, serial_number, status, warranty_end
FROM installed_product WHERE serial_number = :serial_number ORDER BY installed_product_id LIMIT 1;

-- retrieve_installed_products(installed_product_id, location_id, account_id, product_id, serial_number, status,
--   warranty_end, created_before < sys_created_on, created_after > sys_created_on) -> rows
-- Installed products that match every filter given; with no filter, all of them.
-- @allow admin, manager, agent
SELECT installed_product_id, account_id, product_id, location_id, serial_number, status, warranty_end, sys_created_on
FROM installed_product WHERE {filters} ORDER BY installed_product_id;

-- register_new_installed_product(location_id, account_id!, product_id!, serial_number!, status!, warranty_end) -> row
-- Record a product that an account has. Account, product and serial number together must be new.
-- @allow admin
INSERT INTO installed_product {values} RETURNING *;

-- update_installed_product_details(installed_product_id!, location_id, account_id, product_id, serial_number,
--   status, warranty_end) -> row
-- Change the fields given of an installed product.
-- @allow admin
UPDATE installed_product SET {changes} WHERE installed_product_id = :installed_product_id RETURNING *;

-- installed_product_warranties_ended_count(account_id, product_id, on_date! <= warranty_end) -> row
-- How many warranties have run out by a day, that day included.
-- @allow admin, manager, agent
--   on_date: The day (YYYY-MM-DD).
SELECT count(*) AS ended_count FROM installed_product WHERE {filters};

-- count_installed_product_by_status(account_id, product_id, location_id) -> rows
-- How many installed products there are in each status.
-- @allow admin, manager, agent
SELECT status, count(*) AS count FROM installed_product WHERE {filters} GROUP BY status ORDER BY status;

-- avg_installed_per_account_by_status(product_id, location_id, account_id) -> rows
-- How many installed products an account has on average, for each status.
-- @allow admin, manager, agent
SELECT min(account_id) AS account_id, status,
    CAST(count(*) AS REAL) / count(DISTINCT account_id) AS avg_installed_per_account
FROM installed_product WHERE {filters} GROUP BY status ORDER BY status;

--- Contracts

-- find_contracts(contract_id, status, account_id, contract_type, start_date, end_date, contract_price,
--   contract_price_range_start >= contract_price, contract_price_range_end <= contract_price,
--   created_before < sys_created_on, created_after > sys_created_on) -> rows
-- Contracts that match every filter given; with no filter, all of them.
-- @allow admin, manager, agent
--   contract_price_range_start: Lowest price to include.
--   contract_price_range_end: Highest price to include.
SELECT contract_id, account_id, contract_type, status, contract_price, start_date, end_date, sys_created_on
FROM contract WHERE {filters} ORDER BY contract_id;

-- enlist_new_contract(account_id!, contract_type!, contract_price, status!, start_date!, end_date!) -> row
-- Record a contract with an account.
-- @allow admin
INSERT INTO contract {values} RETURNING *;

-- update_contract(contract_id!, account_id, contract_price, contract_type, status, start_date, end_date) -> row
-- Change the fields given of a contract. A new end date does not change its status.
-- @allow admin
UPDATE contract SET {changes} WHERE contract_id = :contract_id RETURNING *;

-- count_contract_by_status(account_id, contract_type) -> rows
-- How many contracts there are in each status.
-- @allow admin, manager, agent
SELECT status, count(*) AS count FROM contract WHERE {filters} GROUP BY status ORDER BY status;

-- avg_contracts_per_account_by_status(contract_type) -> rows
-- How many contracts an account has on average, for each status.
-- @allow admin, manager, agent
SELECT status, CAST(count(*) AS REAL) / count(DISTINCT account_id) AS avg_contracts_per_account
FROM contract WHERE {filters} GROUP BY status ORDER BY status;

--- Entitlements

-- find_entitlements(entitlement_id, account_id, product_id, contract_id, support_level, coverage_hours,
--   max_cases_per_month, active, created_before < sys_created_on, created_after > sys_created_on) -> rows
-- Entitlements that match every filter given. One for every product has no product_id, and is not found by one.
-- @allow admin, manager, agent
SELECT entitlement_id, account_id, product_id, contract_id, support_level, coverage_hours, max_cases_per_month,
    active, sys_created_on
FROM entitlement WHERE {filters} ORDER BY entitlement_id;

-- add_new_entitlement(account_id!, product_id, contract_id, support_level!, coverage_hours, max_cases_per_month,
--   active!) -> row
-- Entitle an account to support. Leave product_id out for every product.
-- @allow admin
INSERT INTO entitlement {values} RETURNING *;

-- update_entitlement(entitlement_id!, account_id, product_id, contract_id, support_level, coverage_hours,
--   max_cases_per_month, active) -> row
-- Change the fields given of an entitlement.
-- @allow admin, manager
UPDATE entitlement SET {changes} WHERE entitlement_id = :entitlement_id RETURNING *;

-- total_sum_of_max_cases_per_support_level(support_level) -> row
-- How many cases a month all entitlements together allow, at one level of support or at 'all'.
-- @allow admin, manager, agent
SELECT coalesce(:support_level, 'all') AS support_level, coalesce(sum(max_cases_per_month), 0) AS sum
FROM entitlement WHERE :support_level IS NULL OR support_level = :support_level;

--- SLA definitions

-- find_sla_definitions(sla_def_id, name ~, metric, target_mins, pause_on_pending, applies_to_priority, active,
--   created_before < sys_created_on, created_after > sys_created_on) -> rows
-- SLA definitions that match every filter given; with no filter, all of them.
--   name: {minLength: 1}
SELECT sla_def_id, name, metric, target_mins, pause_on_pending, applies_to_priority, active, sys_created_on
FROM sla_definition WHERE {filters} ORDER BY sla_def_id;

-- add_new_sla_definition(metric!, target_mins!, name!, pause_on_pending!, applies_to_priority, active!) -> row
-- Define an SLA. Its name must be new.
-- @allow admin
-- @refuse name already exists WHEN EXISTS (SELECT 1 FROM sla_definition WHERE name = :name)
INSERT INTO sla_definition {values} RETURNING *;

-- update_sla_definition(sla_def_id!, name, metric, target_mins, pause_on_pending, applies_to_priority, active) -> row
-- Change the fields given of an SLA definition. SLAs already on cases keep their times.
-- @allow admin
-- @refuse name already exists
--     WHEN EXISTS (SELECT 1 FROM sla_definition WHERE name = :name AND sla_def_id <> :sla_def_id)
UPDATE sla_definition SET {changes} WHERE sla_def_id = :sla_def_id RETURNING *;

-- total_sum_of_target_mins_per_priority(priority = applies_to_priority) -> row
-- The minutes that all SLA definitions allow together, for one priority or for 'all'.
SELECT coalesce(:priority, 'all') AS priority, coalesce(sum(target_mins), 0) AS sum
FROM sla_definition WHERE :priority IS NULL OR applies_to_priority = :priority;

-- average_target_mins_per_priority(priority_list[] = applies_to_priority) -> rows
-- The minutes that an SLA definition allows on average, for each priority.
SELECT applies_to_priority AS priority, avg(target_mins) AS avg_target_mins FROM sla_definition
WHERE applies_to_priority IS NOT NULL AND {filters} GROUP BY applies_to_priority ORDER BY applies_to_priority;

--- Cases

-- search_cases(case_id, number, account_id, contact_id, product_id, installed_product_id, channel, priority, state,
--   short_description ~, escalation, escalation_reason, reopen_count, closed_on,
--   created_before < sys_created_on, created_after > sys_created_on) -> rows
-- Cases that match every filter given.
-- @allow admin, manager, agent
SELECT case_id, number, account_id, contact_id, product_id, installed_product_id, channel, priority, state,
    short_description, escalation, escalation_reason, reopen_count, sys_created_on, sys_updated_on, closed_on,
    assignment_group_id, assigned_to
FROM customer_case WHERE {filters} ORDER BY case_id;

-- get_cases_assigned_to(assignment_group_id, assigned_to) -> rows
-- Cases that a group answers for, a person works on, or both.
-- @allow admin, manager, agent
SELECT case_id, number, account_id, contact_id, product_id, installed_product_id, channel, priority, state,
    short_description, assignment_group_id, assigned_to, sys_created_on
FROM customer_case WHERE {filters} ORDER BY case_id;

-- create_new_case(account_id!, contact_id!, product_id, installed_product_id, channel!, priority!, state!,
--   short_description!, escalation, escalation_reason, reopen_count, closed_on, assignment_group_id, assigned_to) -> row
-- Open a case for a contact of an account. It gets its id and its number here.
-- @allow admin, manager, agent
INSERT INTO customer_case {values} RETURNING *;

-- update_case(case_id!, account_id, contact_id, product_id, installed_product_id, channel, priority, state,
--   short_description, escalation, escalation_reason, reopen_count, closed_on, assignment_group_id, assigned_to) -> row
-- Change the fields given of a case, and no others: closing it does not fill closed_on, reopening it counts nothing.
-- @allow admin, manager, agent
UPDATE customer_case SET {changes} WHERE case_id = :case_id RETURNING *;

-- assign_case_to_user(case_id!, assigned_to_user_id! = assigned_to) -> row
-- Hand a case to the person who is to work on it.
-- @allow admin, manager, agent
UPDATE customer_case SET assigned_to = :assigned_to_user_id, sys_updated_on = :now WHERE case_id = :case_id
RETURNING 'success' AS assignment_status, assigned_to, :now AS assigned_at;

-- set_case_assignment_group(case_id!, assignment_group_id!) -> row
-- Hand a case to the group that is to answer for it.
-- @allow admin, manager, agent
UPDATE customer_case SET assignment_group_id = :assignment_group_id, sys_updated_on = :now WHERE case_id = :case_id
RETURNING 'success' AS status, assignment_group_id, :now AS set_at;

-- count_case_by_state(account_id, product_id, assignment_group_id, assigned_to, priority, channel) -> rows
-- How many cases there are in each state, among those that match every filter given.
-- @allow admin, manager, agent
SELECT state, count(*) AS count FROM customer_case WHERE {filters} GROUP BY state ORDER BY state;

-- get_count_of_cases_priority_wise(priority) -> rows
-- How many cases there are of each priority.
-- @allow admin, manager, agent
SELECT priority, count(*) AS count FROM customer_case WHERE {filters} GROUP BY priority ORDER BY priority;

-- count_case_for_assignment_group(assignment_group_id!, state, priority, channel, account_id, product_id) -> row
-- How many cases a group answers for.
-- @allow admin, manager, agent
SELECT :assignment_group_id AS assignment_group_id, count(*) AS count
FROM customer_case WHERE assignment_group_id = :assignment_group_id AND {filters};

-- get_average_case_reopen_count(channel, priority, state) -> row
-- How often cases are opened again, on average.
-- @allow admin, manager, agent
SELECT coalesce(avg(reopen_count), 0.0) AS avg_reopen_count FROM customer_case WHERE {filters};

-- avg_reopen_count_for_assignment_group(assignment_group_id!, state, priority, channel) -> row
-- How often the cases of a group are opened again, on average.
-- @allow admin, manager, agent
SELECT :assignment_group_id AS assignment_group_id, coalesce(avg(reopen_count), 0.0) AS avg_reopen_count
FROM customer_case WHERE assignment_group_id = :assignment_group_id AND {filters};

--- SLAs on cases

-- find_case_slas(case_sla_id, case_id, sla_def_id, stage, start_time, breach_time, has_breached, completed_time)
--   -> rows
-- SLAs on cases that match every filter given.
-- @allow admin, manager, agent
SELECT * FROM case_sla WHERE {filters} ORDER BY case_sla_id;

-- link_new_case_sla(case_id!, sla_def_id!, stage!, start_time, breach_time, has_breached, completed_time) -> row
-- Start tracking an SLA on a case. The time of breach is not worked out here.
-- @allow admin, manager, agent
INSERT INTO case_sla {values} RETURNING *;

-- update_case_sla_details(case_sla_id!, case_id, sla_def_id, stage, start_time, breach_time, has_breached,
--   completed_time) -> row
-- Change the fields given of an SLA on a case. Completing it does not fill completed_time.
-- @allow admin, manager, agent
UPDATE case_sla SET {changes} WHERE case_sla_id = :case_sla_id RETURNING *;

-- delete_case_slas(case_sla_id, case_id, sla_def_id, stage, start_time, breach_time, has_breached,
--   completed_time) -> deleted
-- Remove the SLAs on cases that match every filter given. One filter at least is needed.
-- @allow admin, manager
DELETE FROM case_sla WHERE {filters};

--- Interactions

-- find_interactions(interaction_id, channel, account_id, contact_id, case_id, interacted_user, status, started_at,
--   ended_at, created_before < sys_created_on, created_after > sys_created_on, started_at_before < started_at,
--   started_at_after > started_at, ended_at_before < ended_at, ended_at_after > ended_at) -> rows
-- Interactions that match every filter given; with no filter, all of them.
-- @allow admin, manager, agent
SELECT * FROM interaction WHERE {filters} ORDER BY interaction_id;

-- register_new_interaction(channel!, account_id, contact_id, case_id, interacted_user, status!, started_at, ended_at)
--   -> row
-- Note that somebody spoke with a customer. It begins now unless started_at says otherwise.
-- @allow admin, manager, agent
INSERT INTO interaction {values} RETURNING *;

-- update_interaction(interaction_id!, channel, account_id, contact_id, case_id, interacted_user, status, started_at,
--   ended_at) -> row
-- Change the fields given of an interaction.
-- @allow admin, manager, agent
UPDATE interaction SET {changes} WHERE interaction_id = :interaction_id RETURNING *;

-- count_interaction_by_status(account_id, contact_id, case_id, channel) -> rows
-- How many interactions there are in each status.
-- @allow admin, manager, agent
SELECT status, count(*) AS count FROM interaction WHERE {filters} GROUP BY status ORDER BY status;

-- avg_interactions_per_case_by_status(account_id, contact_id, channel) -> rows
-- How many interactions a case has on average, for each status. Those without a case do not count.
-- @allow admin, manager, agent
SELECT status, CAST(count(case_id) AS REAL) / max(count(DISTINCT case_id), 1) AS avg_interactions_per_case
FROM interaction WHERE {filters} GROUP BY status ORDER BY status;

--- Knowledge

-- create_knowledge(title!, state!, body!, visibility!, product_id, owner_id!) -> row
-- Write a knowledge article. It gets its number here.
-- @allow admin, manager, agent
--   body: Text of the article, 120 characters at most. {maxLength: 120}
INSERT INTO knowledge {values} RETURNING *;

-- update_knowledge(knowledge_id!, kb_number, title, state, visibility, product_id, owner_id) -> row
-- Change the fields given of an article. Its text cannot be changed.
-- @allow admin, manager, agent
UPDATE knowledge SET {changes} WHERE knowledge_id = :knowledge_id RETURNING *;

-- find_case_knowledge_linkages(case_kb_id, case_id, knowledge_id, used_as) -> rows
-- Which articles belong to which cases, as links that match every filter given.
-- @allow admin, manager, agent
SELECT * FROM case_knowledge WHERE {filters} ORDER BY case_kb_id;

-- link_case_knowledge(case_id!, knowledge_id!, used_as!) -> row
-- Link an article to a case, once.
-- @allow admin, manager, agent
-- @refuse case_id, knowledge_id already exists
--     WHEN EXISTS (SELECT 1 FROM case_knowledge WHERE case_id = :case_id AND knowledge_id = :knowledge_id)
INSERT INTO case_knowledge {values} RETURNING *;

-- updated_linked_case_knowledge(case_kb_id!, case_id, knowledge_id, used_as) -> row
-- Change the fields given of a link between a case and an article.
-- @allow admin, manager, agent
-- @refuse case_id, knowledge_id already exists WHEN EXISTS (
--     SELECT 1 FROM case_knowledge old JOIN case_knowledge other ON other.case_kb_id <> old.case_kb_id
--     AND other.case_id = coalesce(:case_id, old.case_id)
--     AND other.knowledge_id = coalesce(:knowledge_id, old.knowledge_id) WHERE old.case_kb_id = :case_kb_id)
UPDATE case_knowledge SET {changes} WHERE case_kb_id = :case_kb_id RETURNING *;

-- delete_case_knowledge_linkages(case_kb_id, case_id, knowledge_id, used_as) -> deleted
-- Remove the links that match every filter given. One filter at least is needed.
-- @allow admin, manager
DELETE FROM case_knowledge WHERE {filters};

--- Notifications

-- find_notifications(notification_id, case_id, knowledge_id, email, type, status, sys_created_on) -> rows
-- Notifications that match every filter given; with no filter, all of them.
-- @allow admin, manager, agent
SELECT * FROM notification WHERE {filters} ORDER BY notification_id;

-- send_notification(case_id!, knowledge_id, email!, type!) -> row
-- Tell somebody about a case. There is no text: the type says what it is for, an article can go with it.
-- @allow admin, manager, agent
-- @outward email
INSERT INTO notification {values} RETURNING *;

-- update_notification(notification_id!, case_id, knowledge_id, email, type, status) -> row
-- Change the fields given of a notification.
-- @allow admin, manager
UPDATE notification SET {changes} WHERE notification_id = :notification_id RETURNING *;

-- delete_notifications(notification_id, case_id, knowledge_id, email, type, status, sys_created_on,
--   created_before < sys_created_on, created_after > sys_created_on) -> deleted
-- Remove the notifications that match every filter given. One filter at least is needed.
-- @allow admin
--   email: Address it went to. {minLength: null}
DELETE FROM notification WHERE {filters};

-- count_notifications_by_status(status) -> rows
-- How many notifications there are in each status.
-- @allow admin, manager, agent
SELECT status, count(*) AS count FROM notification WHERE {filters} GROUP BY status ORDER BY status;

-- count_notifications_by_type(type[]) -> rows
-- How many notifications there are of each type.
-- @allow admin, manager, agent
SELECT type, count(*) AS count FROM notification WHERE {filters} GROUP BY type ORDER BY type;

-- count_notifications_by_case(case_id) -> row
-- How many notifications a case has, or all cases together.
-- @allow admin, manager, agent
SELECT count(*) AS count FROM notification WHERE {filters};

-- avg_notifications_by_case(case = case_id) -> row
-- How many notifications a case has: the one given, or on average those that have any.
-- @allow admin, manager, agent
SELECT CAST(count(*) AS REAL) / max(count(DISTINCT case_id), 1) AS avg_count FROM notification WHERE {filters};
