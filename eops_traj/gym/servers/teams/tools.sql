--- Tools of Teams. How headers and slots are read: eops_traj/gym/tools/declarations.py. What `@as` names: teams/graph.py.

--- What arguments mean wherever they occur

-- @camel
--   teamId: Id of the team. {type: string}
--   team_id: Id of the team. {type: string}
--   channelId: Id of the channel. {type: string}
--   chatId: Id of the chat. {type: string}
--   messageId: Id of the message. {type: string}
--   replyId: Id of a reply to the message, when the reply is meant. {type: string}
--   tabId: Id of the tab. {type: string}
--   tag_id: Id of the tag. {type: string}
--   groupId: Id of the group. {type: string}
--   membershipId: Id of the membership, as the list of members has it. {type: string}
--   webinar_id: Id of the webinar, two UUIDs with an @ between. {type: string}
--   townhall_id: Id of the town hall, two UUIDs with an @ between. {type: string}
--   call_id: Id of the call. {type: string}
--   userId: Id of the person, or the name they log in with. {type: string, minLength: 1, maxLength: 320}
--   userPrincipalName: Name the person logs in with. {type: string, minLength: 1, maxLength: 320}
--   _filter: OData condition, such as "startswith(displayName, 'A') and city eq 'Oslo'".
--     {type: string, examples: ["startswith(id, 'a')"]}
--   _select: Properties to show, with commas between; all without it. {type: string, examples: [id]}
--   _expand: Related things to show along, with commas between. {type: string}
--   _orderby: Properties to sort by, each followed by asc or desc. {type: string, examples: [id desc]}
--   _count: Whether to say how many match in all. {type: boolean, default: false}
--   _top: How many to show at most. {type: integer, minimum: 1}
--   _skip: How many to leave out at the start. {type: integer, minimum: 0, default: 0}
--   businessPhones: Telephone numbers at work. {type: array, items: {type: string}, maxItems: 10}
--   otherMails: Further e-mail addresses. {type: array, items: {type: string}, maxItems: 250}
--   interests: What the person likes. {type: array, items: {type: string}}
--   skills: What the person can do. {type: array, items: {type: string}}
--   pastProjects: Projects of the past. {type: array, items: {type: string}}
--   responsibilities: What the person answers for. {type: array, items: {type: string}}
--   schools: Where the person studied. {type: array, items: {type: string}}
--   employeeOrgData: Cost centre and division.
--     {type: object, properties: {costCenter: {type: string}, division: {type: string}}}
--   ageGroup: Age, as far as the law asks. {enum: [Minor, NotAdult, Adult]}
--   preferredLanguage: Language, such as en-GB. {type: string, pattern: '^[a-z]{2}(-[A-Z]{2})?$'}
--   user_odata_bind: The person, as https://graph.microsoft.com/v1.0/users('id or principal name'). {type: string}
--   teamsApp_odata_bind: The app, as https://graph.microsoft.com/v1.0/appCatalogs/teamsApps/id. {type: string}
--   _odata_type: Kind of member. {type: string, default: '#microsoft.graph.aadUserConversationMember'}
--   reactionType: The emoji. {type: string}
--   configuration: How the app is set up in the tab.
--     {type: object, properties: {entityId: {type: string}, contentUrl: {type: string},
--     websiteUrl: {type: string}, removeUrl: {type: string}}}
--   attachments: Files, tabs or cards that go with the message.
--     {type: array, items: {type: object, properties: {id: {type: string}, contentType: {type: string},
--     contentUrl: {type: string}, content: {type: string}, name: {type: string}, thumbnailUrl: {type: string}}}}
--   mentions: Who is mentioned; the id is that of the <at id="0"> in the text.
--     {type: array, items: {type: object, required: [id, mentionText, mentioned], properties: {
--     id: {type: integer}, mentionText: {type: string}, mentioned: {type: object, properties: {user: {
--     type: object, required: [id], properties: {id: {type: string}, displayName: {type: string},
--     userIdentityType: {type: string}}}}}}}}
--   reactions: All reactions to the message. {type: array, items: {type: object}}
--   messageHistory: What was done with the message. {type: array, items: {type: object}}
--   policyViolation: What data loss prevention says of the message. {type: object}
--   startDateTime: When it begins; the time zone by its Windows name, such as Pacific Standard Time.
--     {type: object, required: [dateTime, timeZone], properties: {dateTime: {type: string},
--     timeZone: {type: string}}}
--   endDateTime: When it ends, likewise. {type: object, required: [dateTime, timeZone], properties: {
--     dateTime: {type: string}, timeZone: {type: string}}}
--   coOrganizers: Who helps to run it, by user id.
--     {type: array, items: {type: object, required: [id], properties: {id: {type: string}}}}
--   settings: Whether attendees get mail.
--     {type: object, properties: {isAttendeeEmailNotificationEnabled: {type: boolean}}}
--   memberSettings: What members may do, true or false for each of allowCreateUpdateChannels,
--     allowCreatePrivateChannels, allowDeleteChannels, allowAddRemoveApps, allowCreateUpdateRemoveTabs and
--     allowCreateUpdateRemoveConnectors. {type: object}
--   guestSettings: What guests may do, true or false for allowCreateUpdateChannels and allowDeleteChannels.
--     {type: object}
--   messagingSettings: What may be done with messages, true or false for each of allowUserEditMessages,
--     allowUserDeleteMessages, allowOwnerDeleteMessages, allowTeamMentions and allowChannelMentions. {type: object}
--   funSettings: Which amusements are allowed, true or false for allowGiphy, allowStickersAndMemes and
--     allowCustomMemes; giphyContentRating is strict or moderate.
--     {type: object, properties: {giphyContentRating: {type: string, enum: [strict, moderate]}}}
--   discoverySettings: Whether people find the team, as showInTeamsSearchAndSuggestions. {type: object}

--- What is refused of every tool, and wherever these arguments occur

-- @refuse Access token is missing or invalid WHEN :caller_user_id IS NULL
-- @refuse Team not found: {teamId} WHEN NOT EXISTS (
--     SELECT 1 FROM teams WHERE team_id = :teamId AND org_id = :caller_org_id AND NOT soft_delete)
-- @refuse Team not found: {team_id} WHEN NOT EXISTS (
--     SELECT 1 FROM teams WHERE team_id = :team_id AND org_id = :caller_org_id AND NOT soft_delete)
-- @refuse Channel not found: {channelId} WHEN NOT EXISTS (
--     SELECT 1 FROM channels c WHERE c.channel_id = :channelId AND NOT c.soft_delete AND (c.team_id = :teamId
--     OR EXISTS (SELECT 1 FROM shared_with_channel_teams s
--     WHERE s.channel_id = c.channel_id AND s.team_id = :teamId AND NOT s.soft_delete)))
-- @refuse Message not found: {messageId} WHEN NOT EXISTS (
--     SELECT 1 FROM channel_messages WHERE message_id = :messageId AND channel_id = :channelId)
-- @refuse Reply not found: {replyId} WHEN :replyId IS NOT NULL AND NOT EXISTS (
--     SELECT 1 FROM channel_messages WHERE message_id = :replyId AND reply_to_id = :messageId)
-- @refuse Tab not found: {tabId} WHEN NOT EXISTS (
--     SELECT 1 FROM teams_channel_tabs WHERE tab_id = :tabId AND channel_id = :channelId)
-- @refuse Chat not found: {chatId} WHEN NOT EXISTS (
--     SELECT 1 FROM chats WHERE chat_id = :chatId AND org_id = :caller_org_id AND NOT soft_delete)
-- @refuse Message not found: {messageId} WHEN NOT EXISTS (
--     SELECT 1 FROM chat_messages WHERE message_id = :messageId AND chat_id = :chatId)
-- @refuse Tag not found: {tag_id} WHEN NOT EXISTS (
--     SELECT 1 FROM teamwork_tags WHERE id = :tag_id AND team_id = :team_id)
-- @refuse Group not found: {groupId} WHEN NOT EXISTS (
--     SELECT 1 FROM groups WHERE group_id = :groupId AND org_id = :caller_org_id AND NOT soft_delete)
-- @refuse Call not found: {call_id} WHEN NOT EXISTS (
--     SELECT 1 FROM calls WHERE id = :call_id AND org_id = :caller_org_id AND NOT soft_delete)
-- @refuse Webinar not found: {webinar_id} WHEN NOT EXISTS (
--     SELECT 1 FROM virtual_event_webinars WHERE id = :webinar_id AND org_id = :caller_org_id)
-- @refuse Townhall not found: {townhall_id} WHEN NOT EXISTS (
--     SELECT 1 FROM virtual_event_townhalls WHERE id = :townhall_id AND org_id = :caller_org_id)
-- @refuse Either 'userId' or 'userPrincipalName' must be provided
--     WHEN coalesce(:userId, :userPrincipalName) IS NULL
-- @refuse User not found: {userId} or not from your organization WHEN :userId IS NOT NULL AND NOT EXISTS (
--     SELECT 1 FROM teams_users WHERE (user_id = :userId OR user_principal_name = :userId)
--     AND org_id = :caller_org_id AND NOT soft_deleted)

--- People

-- list_users(_top, _skip, _filter, _orderby, _select, _count) -> rows of teams_users
-- People of the organization. Those who were deleted are not among them; those who cannot log in are.
--   _top: How many to show at most. {maximum: 999, default: 100}
--   _filter: OData condition. {maxLength: 2000, examples: ["accountEnabled eq true and startswith(surname, 'O')"]}
--   _orderby: Properties to sort by. {maxLength: 500, examples: ['surname desc, givenName']}
--   _select: Properties to show, with commas between; without it the commonest. {maxLength: 1000, default:
--     'businessPhones,displayName,givenName,id,jobTitle,mail,mobilePhone,officeLocation,preferredLanguage,surname,userPrincipalName'}
-- @as collection users
SELECT * FROM graph_user WHERE "orgId" = :caller_org_id AND NOT "softDeleted" ORDER BY "displayName", id;

-- get_user(userId, userPrincipalName, _select) -> row of teams_users
-- One person, by id or by the name they log in with. Given both, they have to be the same person's.
--   _select: Properties to show, with commas between; all without it. {maxLength: 1000}
-- @else User not found or not from your organization
-- @as entity
SELECT * FROM graph_user WHERE "orgId" = :caller_org_id AND NOT "softDeleted"
    AND (:userId IS NULL OR id = :userId OR "userPrincipalName" = :userId)
    AND (:userPrincipalName IS NULL OR "userPrincipalName" = :userPrincipalName);

-- create_user(userPrincipalName!, displayName!, accountEnabled!, mailNickname!, passwordProfile!, givenName,
--   surname, jobTitle, mail, businessPhones, mobilePhone, officeLocation, preferredLanguage, department,
--   companyName, usageLocation, city, state, country, streetAddress, postalCode, employeeId, employeeType,
--   userType, employeeHireDate, otherMails, aboutMe, birthday, interests, skills, mySite, preferredName,
--   faxNumber, ageGroup, pastProjects, responsibilities, schools, employeeOrgData) -> row
-- Add a person to the organization. The password is checked and not kept.
--   userPrincipalName: Name to log in with, an address nobody else has. {pattern: '^[^@\s]+@[^@\s]+\.[^@\s]+$'}
--   mailNickname: Part of the address before the @. {minLength: 1}
--   mail: E-mail address. {format: email}
--   userType: Member of the organization, or Guest in it. {enum: [Member, Guest], default: Member}
--   passwordProfile: First password, and whether it has to be changed at the first login.
--     {type: object, required: [password, forceChangePasswordNextSignIn], properties: {
--     password: {type: string, minLength: 1}, forceChangePasswordNextSignIn: {type: boolean}}}
-- @allow admin, user_admin
-- @refuse User with userPrincipalName '{userPrincipalName}' already exists WHEN EXISTS (SELECT 1 FROM teams_users
--     WHERE org_id = :caller_org_id AND user_principal_name = :userPrincipalName)
-- @refuse displayName cannot be empty WHEN trim(:displayName) = ''
-- @as entity FROM graph_user WHERE id = :id AND "orgId" = :caller_org_id
INSERT INTO teams_users {values, org_id = :caller_org_id} RETURNING user_id AS id;

-- update_user(userId, userPrincipalName, displayName, givenName, surname, jobTitle, mail, businessPhones,
--   mobilePhone, officeLocation, preferredLanguage, accountEnabled, mailNickname, department, companyName,
--   usageLocation, city, state, country, streetAddress, postalCode, employeeId, employeeType, userType,
--   employeeHireDate, otherMails, aboutMe, birthday, interests, skills, mySite, preferredName, faxNumber,
--   ageGroup, isResourceAccount, pastProjects, responsibilities, schools, employeeOrgData) -> row
-- Change the fields given of a person, and no others. An empty text clears a field.
--   mail: E-mail address. {format: email}
--   userType: Member of the organization, or Guest in it. {enum: [Member, Guest]}
-- @allow admin, user_admin
-- @blank null
-- @else User not found or not from your organization
-- @as entity FROM graph_user WHERE id = :id AND "orgId" = :caller_org_id
UPDATE teams_users SET {changes} WHERE org_id = :caller_org_id AND NOT soft_deleted
    AND (:userId IS NULL OR user_id = :userId OR user_principal_name = :userId)
    AND (:userPrincipalName IS NULL OR user_principal_name = :userPrincipalName)
RETURNING user_id AS id;

-- delete_user(userId, userPrincipalName) -> done
-- Delete a person. The record stays, out of sight, and could be restored.
-- @allow admin, user_admin
-- @else User not found or not from your organization
UPDATE teams_users SET soft_deleted = 1, updated_at = :now WHERE org_id = :caller_org_id AND NOT soft_deleted
    AND (:userId IS NULL OR user_id = :userId OR user_principal_name = :userId)
    AND (:userPrincipalName IS NULL OR user_principal_name = :userPrincipalName);

--- Chats

-- update_chat(chatId!, topic!) -> row
-- Change what a group chat is about. A chat between two people has no topic.
--   topic: What the chat is about. {maxLength: 250}
-- @refuse Only group chats can be updated WHEN (SELECT chat_type FROM chats WHERE chat_id = :chatId) <> 'group'
-- @as entity chats/$entity FROM graph_chat WHERE id = :id
UPDATE chats SET topic = :topic, updated_at = :now WHERE chat_id = :chatId RETURNING chat_id AS id;

-- list_chats(_expand, _top, _filter, _orderby) -> rows of chats
-- Chats that the caller takes part in, the one changed last first.
--   _expand: members, lastMessagePreview, or both with a comma between. {examples: ['members,lastMessagePreview']}
--   _orderby: Only the one order. {examples: [lastMessagePreview/createdDateTime desc]}
--   _top: How many to show at most. {maximum: 50, default: 50}
-- @refuse Invalid orderby value: '{_orderby}'. Supported values: 'lastMessagePreview/createdDateTime desc'
--     WHEN trim(:_orderby) <> 'lastMessagePreview/createdDateTime desc'
-- @as collection chats
SELECT c.*, json_object('isHidden', json(iif(m.is_hidden, 'true', 'false')),
    'lastMessageReadDateTime', m.last_message_read_datetime) AS "viewpoint JSON"
FROM graph_chat c JOIN chat_members m ON m.chat_id = c.id
WHERE m.user_id = :caller_user_id AND m.org_id = :caller_org_id ORDER BY c."lastUpdatedDateTime" DESC, c.id;

-- soft_delete_chat_message(chatId!, messageId!) -> done
-- Delete a message of a chat. It can be brought back.
-- @else Message is already deleted: {messageId}
UPDATE chat_messages SET deleted_datetime = :now WHERE message_id = :messageId AND deleted_datetime IS NULL
    AND chat_id = :chatId;

-- undo_soft_delete_chat_message(chatId!, messageId!) -> done
-- Bring back a deleted message of a chat.
-- @else Message is not deleted: {messageId}
UPDATE chat_messages SET deleted_datetime = NULL WHERE message_id = :messageId AND deleted_datetime IS NOT NULL
    AND chat_id = :chatId;

-- pin_chat_message(chatId!, messageId!) -> row
-- Put a message at the top of its chat.
--   chatId: Id of the chat. {minLength: 1}
--   messageId: Id of the message. {minLength: 1}
-- @refuse Message is already pinned: {messageId} WHEN EXISTS (
--     SELECT 1 FROM pinned_chat_messages WHERE chat_id = :chatId AND message_id = :messageId)
INSERT INTO pinned_chat_messages {values, chat_id = :chatId, message_id = :messageId}
RETURNING '#microsoft.graph.pinnedChatMessageInfo' AS "@odata.type", pinned_message_id AS id;

--- Channels

-- update_channel(teamId!, channelId!, displayName, description, isFavoriteByDefault) -> done
-- Change the fields given of a channel, and no others.
-- @allow admin, teams_admin, user_admin, member
UPDATE channels SET {changes} WHERE channel_id = :channelId AND team_id = :teamId;

-- list_channels(teamId!, _filter, _select) -> rows of channels
-- The team's own channels, archived ones too.
-- @as collection teams('{teamId}')/channels
SELECT * FROM graph_channel WHERE _team = :teamId ORDER BY "createdDateTime", id;

-- list_all_channels(teamId!, _filter, _select) -> rows of channels
-- The team's own channels, and those that other teams share with it.
-- @as collection teams('{teamId}')/allChannels
SELECT * FROM graph_channel c WHERE _team = :teamId OR EXISTS (SELECT 1 FROM shared_with_channel_teams s
    WHERE s.channel_id = c.id AND s.team_id = :teamId AND NOT s.soft_delete) ORDER BY "createdDateTime", id;

-- get_primary_channel(teamId!, _filter, _select, _expand) -> row of channels
-- The channel that every team has: General, or whatever it was made with.
--   _expand: members, tabs, or both with a comma between. {examples: ['members,tabs']}
-- @else Primary channel not found in team: {teamId}
-- @as entity teams('{teamId}')/primaryChannel/$entity
SELECT * FROM graph_channel WHERE _team = :teamId AND "membershipType" = 'standard'
ORDER BY "displayName" = 'General' DESC, "createdDateTime", id LIMIT 1;

-- archive_channel(teamId!, channelId!) -> done
-- Close a channel for writing. What stands in it can still be read; General cannot be closed.
-- @allow admin, teams_admin, user_admin, member
-- @refuse Cannot archive the General channel WHEN EXISTS (
--     SELECT 1 FROM channels WHERE channel_id = :channelId AND display_name = 'General')
UPDATE channels SET is_archived = 1 WHERE channel_id = :channelId;

-- list_channel_messages(teamId!, channelId!, _top, _expand) -> rows of channel_messages
-- Messages of a channel, the newest first; replies stand with the message they reply to, if expanded.
--   _top: How many to show at most. {maximum: 50, default: 20}
--   _expand: replies or hostedContents. {examples: [replies, replies(_top=5)]}
-- @as collection teams('{teamId}')/channels('{channelId}')/messages
SELECT * FROM graph_channel_message WHERE _channel = :channelId AND "replyToId" IS NULL
    ORDER BY "createdDateTime" DESC, id;

-- soft_delete_channel_message(teamId!, channelId!, messageId!, replyId) -> done
-- Delete a message of a channel, or a reply to it. It can be brought back.
-- @else Message is already deleted: {messageId}
UPDATE channel_messages SET deleted_datetime = :now
WHERE message_id = coalesce(:replyId, :messageId) AND deleted_datetime IS NULL
    AND channel_id = :channelId;

-- undo_soft_delete_channel_message(teamId!, channelId!, messageId!, replyId) -> done
-- Bring back a deleted message of a channel, or a deleted reply to it.
-- @else Message is not deleted: {messageId}
UPDATE channel_messages SET deleted_datetime = NULL
WHERE message_id = coalesce(:replyId, :messageId) AND deleted_datetime IS NOT NULL
    AND channel_id = :channelId;

-- get_files_folder(teamId!, channelId!) -> row of channel_files_folders
-- The folder that holds the files of a channel. There is none before the first file.
-- @else Files folder not found for channel: {channelId}
-- @as entity teams('{teamId}')/channels('{channelId}')/filesFolder/$entity
SELECT * FROM graph_files_folder WHERE _channel = :channelId;

-- list_tabs_in_channel(teamId!, channelId!, _filter, _select, _expand) -> rows of teams_channel_tabs
-- Tabs of a channel, in their order.
--   _expand: Only teamsApp. {examples: [teamsApp, teamsApp(_select=displayName)]}
-- @as collection teams('{teamId}')/channels('{channelId}')/tabs
SELECT * FROM graph_tab WHERE _channel = :channelId ORDER BY "sortOrderIndex", id;

-- provision_channel_email(teamId!, channelId!) -> row
-- Give a channel an address that posts into it; one it has already stays.
-- @allow admin, teams_admin, user_admin, member
UPDATE channels SET email = coalesce(email, lower(replace(display_name, ' ', '-')) || '.' || substr(:teamId, 1, 8)
    || '@' || org_id || '.teams.ms') WHERE channel_id = :channelId
RETURNING '#microsoft.graph.provisionChannelEmailResult' AS "@odata.type", email;

-- update_channel_tab(teamId!, channelId!, tabId!, displayName, configuration = configuration_json) -> row
-- Change the name or the configuration of a tab; the configuration is replaced as a whole.
--   displayName: What the tab is called. {minLength: 1, maxLength: 128}
-- @allow admin, teams_admin, user_admin, member
UPDATE teams_channel_tabs SET {changes}
WHERE tab_id = :tabId AND channel_id = :channelId AND team_id = :teamId
RETURNING tab_id AS id, display_name AS "displayName",
    'https://graph.microsoft.com/v1.0/appCatalogs/teamsApps(''' || app_id || ''')' AS "teamsApp_odata_bind",
    configuration_json AS configuration, sort_order_index AS "sortOrderIndex", web_url AS "webUrl";

-- delete_channel_tab(teamId!, channelId!, tabId!) -> done
-- Take a tab out of its channel for good. The app stays installed.
-- @allow admin, teams_admin, user_admin, member
DELETE FROM teams_channel_tabs WHERE tab_id = :tabId AND channel_id = :channelId;

--- Teams

-- list_teams(_top, _skiptoken, _filter, _select, _count) -> rows of teams
-- Teams of the organization. Deleted ones are not among them.
--   _top: How many to show at most. {maximum: 1000, default: 50}
--   _skiptoken: Where to go on, from the @odata.nextLink of the page before. {type: string}
-- @as collection teams
SELECT * FROM graph_team WHERE _org = :caller_org_id ORDER BY id;

-- update_team(teamId!, displayName, description, visibility, specialization, memberSettings, guestSettings,
--   messagingSettings, funSettings, discoverySettings) -> row
-- Change the fields given of a team, and no others; of settings only those named change.
-- @allow admin, teams_admin, user_admin, member
-- @some displayName, description, visibility, specialization, memberSettings, guestSettings, messagingSettings,
--     funSettings, discoverySettings
UPDATE teams SET display_name = coalesce(:displayName, display_name),
    description = coalesce(:description, description), visibility = coalesce(:visibility, visibility),
    specialization = coalesce(:specialization, specialization),
    member_settings = json_patch(coalesce(member_settings, '{}'), coalesce(:memberSettings, '{}')),
    guest_settings = json_patch(coalesce(guest_settings, '{}'), coalesce(:guestSettings, '{}')),
    messaging_settings = json_patch(coalesce(messaging_settings, '{}'), coalesce(:messagingSettings, '{}')),
    fun_settings = json_patch(coalesce(fun_settings, '{}'), coalesce(:funSettings, '{}')),
    discovery_settings = json_patch(coalesce(discovery_settings, '{}'), coalesce(:discoverySettings, '{}')),
    updated_date_time = :now
WHERE team_id = :teamId
RETURNING team_id AS id, internal_id AS "internalId", :caller_tenant_id AS "tenantId",
    display_name AS "displayName", description, visibility, specialization, classification,
    member_settings AS "memberSettings", guest_settings AS "guestSettings",
    messaging_settings AS "messagingSettings", fun_settings AS "funSettings", NULL AS "classSettings",
    is_archived AS "isArchived", created_date_time AS "createdDateTime", NULL AS summary, web_url AS "webUrl",
    NULL AS members, NULL AS channels, NULL AS "installedApps", NULL AS "incomingChannels";

-- list_team_members(teamId!, _filter, _select, _top) -> rows of teams
-- Members of a team with their roles. The id of a membership is not the id of the person.
--   _top: How many to show at most. {maximum: 999, default: 50}
-- @as collection
SELECT * FROM graph_team_member WHERE _team = :teamId;

-- list_installed_apps(teamId!, _expand, _filter, _select) -> rows of installed_apps
-- Apps installed in a team. The id of an installation is not the id of the app.
--   _expand: teamsApp, teamsAppDefinition, or both with a comma between.
--     {examples: ['teamsApp,teamsAppDefinition']}
--   _filter: OData condition. {examples: ["teamsApp/displayName eq 'Planner'"]}
-- @as collection $metadata#teams('{teamId}')/installedApps
SELECT * FROM graph_installed_app WHERE _team = :teamId ORDER BY id;

-- list_teamwork_tags(team_id!, _filter, _top) -> rows of teamwork_tags
-- Tags of a team, each with the number of people who have it.
-- @as collection teams('{team_id}')/tags
SELECT * FROM graph_tag WHERE "teamId" = :team_id ORDER BY "displayName", id;

-- list_teams_apps(_filter, _select, _expand) -> rows of teams_apps
-- Apps in the organization's catalog. Only these can be put into tabs, chats and teams.
--   _expand: Only appDefinitions. {examples: [appDefinitions]}
-- @as uncounted appCatalogs/teamsApps
SELECT * FROM graph_app WHERE _org = :caller_org_id ORDER BY "displayName", id;

--- Groups

-- list_groups(_top, _filter, _select, _orderby, _search, _count, _expand) -> rows of groups
-- Groups of the directory. Deleted ones are not among them.
--   _top: How many to show at most. {maximum: 999, default: 100}
--   _search: Words in displayName or description, each in double quotes.
--     {type: string, examples: ['"Support"']}
--   _expand: members, owners, or both with a comma between. {examples: ['members,owners']}
-- @as collection groups
SELECT * FROM graph_group WHERE _org = :caller_org_id ORDER BY "displayName", id;

-- update_group(groupId!, allowExternalSenders, assignedLabels[], autoSubscribeNewMembers, description,
--   displayName, mailNickname, preferredDataLocation, securityEnabled, uniqueName, visibility) -> done
-- Change the fields given of a group, and no others.
--   displayName: What the group is called. {maxLength: 255}
--   assignedLabels: Sensitivity labels. {items: {type: object, properties: {labelId: {type: string},
--     displayName: {type: string}}}}
--   mailNickname: Part of its address before the @. {minLength: null}
--   visibility: Who can see and join it. {enum: [Private, Public, Hiddenmembership]}
-- @allow admin, user_admin
-- @refuse uniqueName cannot be changed once it is set WHEN :uniqueName IS NOT NULL AND EXISTS (
--     SELECT 1 FROM groups WHERE group_id = :groupId AND unique_name <> :uniqueName)
-- @refuse mailNickname '{mailNickname}' is already in use WHEN EXISTS (SELECT 1 FROM groups WHERE NOT soft_delete
--     AND org_id = :caller_org_id AND lower(mail_nickname) = lower(:mailNickname) AND group_id <> :groupId)
UPDATE groups SET {changes} WHERE group_id = :groupId;

--- Calls

-- list_call_records(_filter, _select) -> rows of call_records
-- Calls that are over, the newest first.
--   _filter: OData condition. {examples: ['startDateTime ge 2026-01-01T00:00:00Z']}
-- @allow admin, teams_admin
-- @as uncounted communications/callRecords
SELECT * FROM graph_call_record WHERE _org = :caller_org_id ORDER BY "startDateTime" DESC, id;

-- get_call_record(id!, _select, _expand) -> row of call_records
-- One call that is over.
--   id: Id of the call record.
--   _expand: participants_v2, sessions, or both with a comma between.
--     {examples: [participants_v2, sessions(_expand=segments)]}
-- @allow admin, teams_admin
-- @else Call record not found: {id}
-- @as entity communications/callRecords/$entity
SELECT * FROM graph_call_record WHERE id = :id AND _org = :caller_org_id;

-- list_call_sessions(id! = call_record_id, _select, _expand) -> rows of call_sessions
-- Sessions of a call that is over: one for each pair of endpoints.
--   id: Id of the call record.
--   _expand: Only segments. {examples: [segments, segments(_select=id)]}
-- @allow admin, teams_admin
-- @refuse Call record not found: {id} WHEN NOT EXISTS (
--     SELECT 1 FROM call_records WHERE id = :id AND org_id = :caller_org_id)
-- @as uncounted communications/callRecords('{id}')/sessions
SELECT * FROM graph_call_session WHERE _record = :id ORDER BY "startDateTime", id;

-- create_audio_routing_group(call_id!, routingMode!, sources[]!, receivers[]!) -> row
-- Open a private sound route in a call that is under way.
--   routingMode: To exactly one receiver (oneToOne), or to two and more (multicast).
--   sources: The participant who speaks; exactly one. {items: {type: string}, minItems: 1, maxItems: 1}
--   receivers: The participants who hear. {items: {type: string}, minItems: 1}
-- @allow admin, teams_admin, application
-- @refuse Call is not active: {call_id} WHEN EXISTS (
--     SELECT 1 FROM calls WHERE id = :call_id AND state IN ('terminated', 'terminating'))
-- @refuse routingMode 'oneToOne' requires exactly one receiver
--     WHEN :routingMode = 'oneToOne' AND json_array_length(:receivers) <> 1
-- @refuse routingMode 'multicast' requires at least two receivers
--     WHEN :routingMode = 'multicast' AND json_array_length(:receivers) < 2
-- @refuse Participant not found in call: {call_id} WHEN EXISTS (
--     SELECT 1 FROM (SELECT value FROM json_each(:sources) UNION ALL SELECT value FROM json_each(:receivers))
--     WHERE value NOT IN (SELECT id FROM participants WHERE call_id = :call_id))
INSERT INTO audio_routing_groups {values, org_id = :caller_org_id, call_id = :call_id}
RETURNING id, routing_mode AS "routingMode", sources, receivers;

--- Webinars and town halls

-- get_virtual_event_webinar(webinar_id! = id) -> row of virtual_event_webinars
-- One webinar.
-- @as entity
SELECT * FROM graph_webinar WHERE id = :webinar_id;

-- list_virtual_event_webinars(_count) -> rows of virtual_event_webinars
-- Webinars of the organization, canceled ones too.
-- @as collection solutions/virtualEvents/webinars
SELECT * FROM graph_webinar WHERE _org = :caller_org_id ORDER BY "startDateTime JSON" ->> 'dateTime', id;

-- publish_virtual_event_webinar(webinar_id! = id) -> done
-- Show a webinar to its audience. Its organizer alone can.
-- @refuse Only the organizer can publish the webinar WHEN NOT EXISTS (SELECT 1 FROM virtual_event_webinars
--     WHERE id = :webinar_id AND created_by_user_id = :caller_user_id)
-- @refuse Cannot publish a canceled webinar WHEN EXISTS (
--     SELECT 1 FROM virtual_event_webinars WHERE id = :webinar_id AND status = 'canceled')
UPDATE virtual_event_webinars SET status = 'published', updated_at = :now WHERE id = :webinar_id;

-- cancel_virtual_event_webinar(webinar_id! = id) -> done
-- Call a webinar off for good. Its organizer alone can.
-- @refuse Only the organizer can cancel the webinar WHEN NOT EXISTS (SELECT 1 FROM virtual_event_webinars
--     WHERE id = :webinar_id AND created_by_user_id = :caller_user_id)
UPDATE virtual_event_webinars SET status = 'canceled', updated_at = :now WHERE id = :webinar_id;

-- list_virtual_event_townhalls(_count) -> rows of virtual_event_townhalls
-- Town halls of the organization, canceled ones too.
-- @as collection solutions/virtualEvents/townhalls
SELECT * FROM graph_townhall WHERE _org = :caller_org_id ORDER BY "startDateTime JSON" ->> 'dateTime', id;

-- cancel_virtual_event_townhall(townhall_id! = id) -> done
-- Call a town hall off for good. Its organizer alone can.
-- @refuse Only the organizer can cancel the townhall WHEN NOT EXISTS (SELECT 1 FROM virtual_event_townhalls
--     WHERE id = :townhall_id AND created_by_user_id = :caller_user_id)
UPDATE virtual_event_townhalls SET status = 'canceled', updated_at = :now WHERE id = :townhall_id;
