--- The tools of a mailbox that are one statement; messages, threads and drafts are in tools.py.
--- When a statement runs, :userId is the id of the mailbox that the call named (see __init__.py).

--   userId: Mailbox, by its address; "me" is the caller's own.
--     {type: string, examples: [me], pattern: '^(?:me|[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,})$'}
--   pageToken: Where to go on: nextPageToken of the page before. {type: string}
--   maxResults: How many at most. {type: integer, minimum: 1, maximum: 500, default: 100}
--   pageSize: How many at most. {type: integer, minimum: 1, maximum: 100, default: 20}
--   q: A search, in the words of Gmail's search box. {type: string, examples: ['from:amy is:unread -in:trash']}
--   includeSpamTrash: Whether spam and trash are searched too. {type: boolean, default: false}
--   labelIds: Ids of labels. {type: array, items: {type: string, examples: [INBOX, UNREAD]}}
--   addLabelIds: Ids of labels to put on. {type: array, items: {type: string, examples: [STARRED, IMPORTANT]}}
--   removeLabelIds: Ids of labels to take off. {type: array, items: {type: string, examples: [INBOX, UNREAD]}}
--   ids: Ids of messages. {type: array, items: {type: string}, maxItems: 1000}
--   metadataHeaders: With format metadata, the only headers to show. {type: array, items: {type: string}}
--   raw: The whole message by RFC 2822, in base64url.
--     {type: string, examples: [VG86IGFuYUB4LmV4YW1wbGUNClN1YmplY3Q6IFBsYW4NCg0KU2VlIHlvdS4NCg==]}
--   threadId: Conversation to put it in. {type: string}
--   snippet: Made by the server; ignored. {type: string}
--   historyId: Made by the server; ignored. {type: string}
--   sizeEstimate: Made by the server; ignored. {type: integer}
--   internalDate: When it arrived, in milliseconds since 1970. {type: string}
--   internalDateSource: What tells when it arrived. {type: string, enum: [receivedTime, dateHeader], default: receivedTime}
--   deleted: Whether it goes to the archive of the domain alone, and not into the mailbox. {type: boolean, default: false}
--   payload: The message as headers, a body and parts. {type: object, properties: {
--     partId: {type: string}, mimeType: {type: string}, filename: {type: string},
--     headers: {type: array, items: {type: object, properties: {name: {type: string}, value: {type: string}}}},
--     body: {type: object, properties: {attachmentId: {type: string}, size: {type: integer}, data: {type: string}},
--     required: [data, size]}, parts: {type: array, items: {type: object}}}}
--   message: The message, as raw or as payload. {type: object, properties: {
--     id: {type: string}, threadId: {type: string}, labelIds: {type: array, items: {type: string}},
--     snippet: {type: string}, historyId: {type: string}, internalDate: {type: string}, payload: {type: object, properties: {
--     partId: {type: string}, mimeType: {type: string}, filename: {type: string},
--     headers: {type: array, items: {type: object, properties: {name: {type: string}, value: {type: string}}}},
--     body: {type: object, properties: {attachmentId: {type: string}, size: {type: integer}, data: {type: string}},
--     required: [data, size]}, parts: {type: array, items: {type: object}}}},
--     sizeEstimate: {type: integer}, raw: {type: string}}, examples: [{raw: VG86IGFuYUB4LmV4YW1wbGUNClN1YmplY3Q6IFBsYW4NCg0KU2VlIHlvdS4NCg==}]}
--   color: Its colours; both are needed. {type: object, properties: {
--     textColor: {type: string, enum: &palette [
--       '#000000', '#434343', '#666666', '#999999', '#cccccc', '#efefef', '#f3f3f3', '#ffffff',
--       '#fb4c2f', '#ffad47', '#fad165', '#16a766', '#43d692', '#4a86e8', '#a479e2', '#f691b3',
--       '#f6c5be', '#ffe6c7', '#fef1d1', '#b9e4d0', '#c6f3de', '#c9daf8', '#e4d7f5', '#fcdee8',
--       '#efa093', '#ffd6a2', '#fce8b3', '#89d3b2', '#a0eac9', '#a4c2f4', '#d0bcf1', '#fbc8d9',
--       '#e66550', '#ffbc6b', '#fcda83', '#44b984', '#68dfa9', '#6d9eeb', '#b694e8', '#f7a7c0',
--       '#cc3a21', '#eaa041', '#f2c960', '#149e60', '#3dc789', '#3c78d8', '#8e63ce', '#e07798',
--       '#ac2b16', '#cf8933', '#d5ae49', '#0b804b', '#2a9c68', '#285bac', '#653e9b', '#b65775',
--       '#822111', '#a46a21', '#aa8831', '#076239', '#1a764d', '#1c4587', '#41236d', '#83334c',
--       '#464646', '#e7e7e7', '#0d3472', '#b6cff5', '#0d3b44', '#98d7e4', '#3d188e', '#e3d7ff',
--       '#711a36', '#fbd3e0', '#8a1c0a', '#f2b2a8', '#7a2e0b', '#ffc8af', '#7a4706', '#ffdeb5',
--       '#594c05', '#fbe983', '#684e07', '#fdedc1', '#0b4f30', '#b3efd3', '#04502e', '#a2dcc1',
--       '#c2c2c2', '#4986e7', '#2da2bb', '#b99aff', '#994a64', '#f691b2', '#ff7537', '#ffad46',
--       '#662e37', '#ebdbde', '#cca6ac', '#094228', '#42d692', '#16a765']},
--     backgroundColor: {type: string, enum: *palette}}}
--   criteria: What the messages have in common; empty texts, false and 0 ask for nothing. {type: object, properties: {
--     from: {type: string}, to: {type: string}, subject: {type: string}, query: {type: string},
--     negatedQuery: {type: string}, hasAttachment: {type: boolean}, excludeChats: {type: boolean},
--     size: {type: integer}, sizeComparison: {type: string, enum: [unspecified, smaller, larger]}},
--     required: [from, to, subject, query, negatedQuery, hasAttachment, excludeChats, size, sizeComparison]}
--   action: What is done with them. {type: object, properties: {addLabelIds: {type: array, items: {type: string}},
--     removeLabelIds: {type: array, items: {type: string}}, forward: {type: string}}}
--   smtpMsa: Relay that its mail goes through. {type: object, properties: {host: {type: string}, port: {type: integer},
--     username: {type: string}, password: {type: string},
--     securityMode: {type: string, enum: [securityModeUnspecified, none, ssl, starttls]}},
--     required: [host, port, securityMode]}
--   signAndEncryptKeyPairs: Two key pairs, one for each. {type: object, properties: {
--     signingKeyPairId: {type: string}, encryptionKeyPairId: {type: string}}}
--   privateKeyMetadata: Where its private keys are kept. {type: array, items: {type: object, properties: {
--     kaclsKeyMetadata: {type: object, properties: {kaclsUri: {type: string, pattern: '^https://.*'},
--     kaclsData: {type: string}}, required: [kaclsUri, kaclsData]},
--     hardwareKeyMetadata: {type: object, properties: {description: {type: string, minLength: 10}},
--     required: [description]}}}}

--- The mailbox

-- get_user_profile(userId!) -> row
-- Address of a mailbox, how many messages and threads it holds, and where its history stands.
SELECT email AS "emailAddress", (SELECT count(*) FROM messages WHERE user_id = u.id) AS "messagesTotal",
    (SELECT count(*) FROM threads WHERE user_id = u.id) AS "threadsTotal", CAST(history_id AS TEXT) AS "historyId"
FROM users u WHERE id = :userId;

-- get_attachment(userId!, messageId! = message_id, id!) -> row
-- The bytes of a file in a message; their ids are in the parts of get_message.
--   messageId: {minLength: 1}
--   id: {minLength: 1}
SELECT a.id AS "attachmentId", size, data FROM attachments a JOIN messages m ON m.id = a.message_id
WHERE a.id = :id AND message_id = :messageId AND m.user_id = :userId;

--- Labels

-- create_label(userId!, name!, messageListVisibility = message_list_visibility,
--   labelListVisibility = label_list_visibility, color) -> row
-- Make a label. No other may have its name, whatever the case.
-- @as one
-- @refuse ALREADY_EXISTS: Label name exists or conflicts WHEN EXISTS (SELECT 1 FROM labels
--     WHERE user_id = :userId AND casefold(labels.name) = casefold(:name))
-- @refuse INVALID_ARGUMENT: Invalid label color: textColor and backgroundColor go together
--     WHEN :color IS NOT NULL AND (:color ->> 'textColor' IS NULL OR :color ->> 'backgroundColor' IS NULL)
INSERT INTO labels {values, user_id = :userId, text_color = :color ->> 'textColor',
    background_color = :color ->> 'backgroundColor'} RETURNING *;

-- list_labels(userId!) -> rows
-- All labels of a mailbox, the system's own and people's.
-- @as many labels
SELECT * FROM labels WHERE user_id = :userId ORDER BY type, id;

-- get_label(userId!, id!) -> row
-- A label, with how many messages and threads carry it, and how many of them are unread.
-- @as one
SELECT labels.*, count(m.id) AS messages_total, count(u.message_id) AS messages_unread,
    count(DISTINCT m.thread_id) AS threads_total,
    count(DISTINCT iif(u.message_id IS NULL, NULL, m.thread_id)) AS threads_unread
FROM labels LEFT JOIN message_labels l ON l.label_id = labels.id AND l.user_id = :userId
    LEFT JOIN messages m ON m.id = l.message_id
    LEFT JOIN message_labels u ON u.message_id = m.id AND u.label_id = 'UNREAD'
WHERE labels.user_id = :userId AND labels.id = :id GROUP BY labels.id;

-- patch_label(userId!, id!, name, messageListVisibility = message_list_visibility,
--   labelListVisibility = label_list_visibility, color) -> row
-- Change what is given of a label, and nothing else.
-- @as one
-- @refuse INVALID_ARGUMENT: System labels cannot be changed WHEN EXISTS (SELECT 1 FROM labels
--     WHERE user_id = :userId AND id = :id AND type = 'system')
-- @refuse ALREADY_EXISTS: Label name exists or conflicts WHEN EXISTS (SELECT 1 FROM labels
--     WHERE user_id = :userId AND casefold(labels.name) = casefold(:name) AND id <> :id)
-- @refuse INVALID_ARGUMENT: Invalid label color: textColor and backgroundColor go together
--     WHEN :color IS NOT NULL AND (:color ->> 'textColor' IS NULL OR :color ->> 'backgroundColor' IS NULL)
UPDATE labels SET name = coalesce(:name, name),
    message_list_visibility = coalesce(:messageListVisibility, message_list_visibility),
    label_list_visibility = coalesce(:labelListVisibility, label_list_visibility),
    text_color = coalesce(:color ->> 'textColor', text_color),
    background_color = coalesce(:color ->> 'backgroundColor', background_color)
WHERE user_id = :userId AND id = :id RETURNING *;

-- update_label(userId!, id!, name!, messageListVisibility! = message_list_visibility,
--   labelListVisibility! = label_list_visibility, color) -> row
-- Set everything of a label; without colours it loses those it had.
-- @as one
-- @refuse INVALID_ARGUMENT: System labels cannot be changed WHEN EXISTS (SELECT 1 FROM labels
--     WHERE user_id = :userId AND id = :id AND type = 'system')
-- @refuse ALREADY_EXISTS: Label name exists or conflicts WHEN EXISTS (SELECT 1 FROM labels
--     WHERE user_id = :userId AND casefold(labels.name) = casefold(:name) AND id <> :id)
-- @refuse INVALID_ARGUMENT: Invalid label color: textColor and backgroundColor go together
--     WHEN :color IS NOT NULL AND (:color ->> 'textColor' IS NULL OR :color ->> 'backgroundColor' IS NULL)
UPDATE labels SET {changes}, text_color = :color ->> 'textColor', background_color = :color ->> 'backgroundColor'
WHERE user_id = :userId AND id = :id RETURNING *;

-- delete_label(userId!, id!) -> done
-- Remove a label for good, from all messages too. The messages stay.
-- @refuse INVALID_ARGUMENT: System labels cannot be deleted WHEN EXISTS (SELECT 1 FROM labels
--     WHERE user_id = :userId AND id = :id AND type = 'system')
DELETE FROM labels WHERE user_id = :userId AND id = :id;

--- Filters and forwarding

-- list_filters(userId!) -> rows
-- All filters of a mailbox.
-- @as many filter
SELECT id, criteria_json AS criteria, action_json AS action FROM filters WHERE user_id = :userId ORDER BY rowid;

-- get_filter(userId!, id!) -> row
-- A filter: what it looks for, and what it does.
SELECT id, criteria_json AS criteria, action_json AS action FROM filters WHERE user_id = :userId AND id = :id;

-- delete_filter(userId!, id!) -> done
-- Remove a filter for good. What it has sorted stays sorted.
DELETE FROM filters WHERE user_id = :userId AND id = :id;

-- create_forwarding_address(userId!, forwardingEmail! = forwarding_email) -> row
-- Let mail be forwarded to an address. One of a colleague is accepted at once, any other pends until its owner
-- agrees.
--   forwardingEmail: {format: email}
-- @allow admin
-- @as one
-- @refuse INVALID_ARGUMENT: Mail cannot be forwarded to the mailbox itself
--     WHEN EXISTS (SELECT 1 FROM users WHERE id = :userId AND lower(users.email) = lower(:forwardingEmail))
-- @outward
INSERT INTO forwarding_addresses (user_id, forwarding_email, verification_status) VALUES (:userId,
    lower(:forwardingEmail), iif(EXISTS (SELECT 1 FROM users WHERE lower(email) = lower(:forwardingEmail) AND active),
    'accepted', 'pending')) RETURNING *;

-- list_forwarding_addresses(userId!) -> rows
-- All addresses that mail of a mailbox may be forwarded to.
-- @as many forwardingAddresses
SELECT * FROM forwarding_addresses WHERE user_id = :userId ORDER BY forwarding_email;

-- get_forwarding_address(userId!, forwardingEmail! = forwarding_email) -> row
-- A forwarding address, and whether it is verified.
--   forwardingEmail: {format: email}
-- @as one
SELECT * FROM forwarding_addresses WHERE user_id = :userId AND forwarding_email = lower(:forwardingEmail);

-- delete_forwarding_address(userId!, forwardingEmail! = forwarding_email) -> done
-- Remove a forwarding address. Auto-forwarding to it has to be off.
--   forwardingEmail: {format: email}
-- @allow admin
-- @refuse FAILED_PRECONDITION: Auto-forwarding uses this address WHEN EXISTS (SELECT 1 FROM auto_forwarding
--     WHERE user_id = :userId AND email_address = lower(:forwardingEmail) AND enabled)
DELETE FROM forwarding_addresses WHERE user_id = :userId AND forwarding_email = lower(:forwardingEmail);

-- get_auto_forwarding(userId!) -> row
-- Whether all incoming mail is forwarded, and where to.
-- @as one
SELECT * FROM auto_forwarding WHERE user_id = :userId;

-- update_auto_forwarding(userId!, enabled!, emailAddress!, disposition!) -> row
-- Turn forwarding of all incoming mail on or off. It needs an accepted forwarding address of the mailbox.
--   emailAddress: Where it goes; one of the mailbox's verified forwarding addresses. {type: string}
-- @allow admin
-- @as one
-- @refuse FAILED_PRECONDITION: Unrecognized forwarding address WHEN :enabled AND NOT EXISTS (
--     SELECT 1 FROM forwarding_addresses WHERE user_id = :userId AND forwarding_email = lower(:emailAddress)
--     AND verification_status = 'accepted')
UPDATE auto_forwarding SET enabled = :enabled, disposition = :disposition, email_address = (
    SELECT forwarding_email FROM forwarding_addresses WHERE user_id = :userId AND forwarding_email = lower(:emailAddress))
WHERE user_id = :userId RETURNING *;

--- Settings

-- get_imap_settings(userId!) -> row
-- How mail programs reach a mailbox by IMAP.
-- @as one
SELECT * FROM imap_settings WHERE user_id = :userId;

-- update_imap_settings(userId!, enabled!, autoExpunge! = auto_expunge,
--   expungeBehavior! = expunge_behavior, maxFolderSize! = max_folder_size) -> row
-- Set all of how mail programs reach a mailbox by IMAP.
-- @as one
UPDATE imap_settings SET {changes} WHERE user_id = :userId RETURNING *;

-- get_pop_settings(userId!) -> row
-- What mail programs may fetch by POP.
-- @as one
SELECT * FROM pop_settings WHERE user_id = :userId;

-- update_pop_settings(userId!, accessWindow! = access_window, disposition!) -> row
-- Set what mail programs may fetch by POP.
-- @as one
UPDATE pop_settings SET {changes} WHERE user_id = :userId RETURNING *;

-- get_language_settings(userId!) -> row
-- The language that a mailbox is shown in.
-- @as one
SELECT * FROM language_settings WHERE user_id = :userId;

-- update_language_settings(userId!, displayLanguage! = display_language) -> row
-- Show a mailbox in another language.
--   displayLanguage: {examples: [en-GB, ja], pattern: '^[a-z]{2,3}(-[A-Z]{2})?(-[a-zA-Z0-9]{1,8})*$'}
-- @as one
UPDATE language_settings SET {changes} WHERE user_id = :userId RETURNING *;

-- get_vacation_settings(userId!) -> row
-- Whether someone is away, and what their mailbox answers.
-- @as one
SELECT * FROM vacation_settings WHERE user_id = :userId;

--- Delegates

-- email_create_delegate(userId!, delegateEmail! = delegate_email) -> row
-- Let a colleague use a mailbox: read, sort, send and delete its mail. Accepted at once.
--   userId: {pattern: null}
-- @allow admin
-- @as one
-- @refuse INVALID_ARGUMENT: Invalid delegate WHEN EXISTS (SELECT 1 FROM users
--     WHERE users.email = :delegateEmail AND (id = :userId OR NOT active))
-- @refuse FAILED_PRECONDITION: A mailbox has at most 25 delegates
--     WHEN 25 <= (SELECT count(*) FROM delegates WHERE user_id = :userId)
-- @outward
INSERT INTO delegates {values, user_id = :userId, verification_status = 'accepted'} RETURNING *;

-- email_delete_delegate(userId!, delegateEmail! = delegate_email) -> done
-- Take a mailbox away from a colleague, whatever the state of the delegation.
--   userId: {pattern: null}
-- @allow admin
DELETE FROM delegates WHERE user_id = :userId AND delegate_email = :delegateEmail;

-- email_get_delegate(userId!, delegateEmail! = delegate_email) -> row
-- A delegate, by primary address.
--   userId: {pattern: null}
-- @as one
SELECT * FROM delegates WHERE user_id = :userId AND delegate_email = :delegateEmail;

-- email_list_delegates(userId!) -> rows
-- All delegates of a mailbox, whatever their state.
--   userId: {pattern: null}
-- @as many delegates
SELECT * FROM delegates WHERE user_id = :userId ORDER BY delegate_email;

--- Send-as aliases

-- list_send_as_aliases(userId!) -> rows
-- Every address that a mailbox sends as, its own first.
--   userId: {pattern: null}
-- @as many sendAs
SELECT * FROM send_as_aliases WHERE user_id = :userId ORDER BY is_primary DESC, send_as_email;

-- get_send_as_alias(userId!, sendAsEmail! = send_as_email) -> row
-- An address that a mailbox sends as.
-- @as one
SELECT * FROM send_as_aliases WHERE user_id = :userId AND send_as_email = lower(:sendAsEmail);

-- delete_send_as_alias(userId!, sendAsEmail! = send_as_email) -> done
-- Stop sending as an address. The primary address and the default one stay.
-- @allow admin
-- @refuse FAILED_PRECONDITION: The primary and the default address cannot be deleted WHEN EXISTS (
--     SELECT 1 FROM send_as_aliases WHERE user_id = :userId AND send_as_email = lower(:sendAsEmail)
--     AND (is_primary OR is_default))
DELETE FROM send_as_aliases WHERE user_id = :userId AND send_as_email = lower(:sendAsEmail);

-- verify_send_as_alias(userId!, sendAsEmail! = send_as_email) -> done
-- Ask the owner of an alias once more whether it may be used. Only for one that is pending.
-- @allow admin
-- @refuse FAILED_PRECONDITION: The alias is not pending verification WHEN EXISTS (SELECT 1 FROM send_as_aliases
--     WHERE user_id = :userId AND send_as_email = lower(:sendAsEmail) AND verification_status IS NOT 'pending')
SELECT 1 FROM send_as_aliases WHERE user_id = :userId AND send_as_email = lower(:sendAsEmail);

--- S/MIME certificates of send-as aliases

-- list_smime_configs(userId!, sendAsEmail! = send_as_email) -> rows
-- All certificates of an alias.
--   userId: {pattern: null}
-- @as many smimeInfo
SELECT * FROM smime_info WHERE user_id = :userId AND send_as_email = lower(:sendAsEmail) ORDER BY expiration, id;

-- get_smime_config(userId!, sendAsEmail! = send_as_email, id!) -> row
-- A certificate of an alias.
--   userId: {pattern: null}
-- @as one
SELECT * FROM smime_info WHERE user_id = :userId AND send_as_email = lower(:sendAsEmail) AND id = :id;

-- set_default_smime_config(userId!, sendAsEmail! = send_as_email, id!) -> done
-- Sign mail of an alias with this certificate from now on, instead of another.
--   userId: {pattern: null}
-- @allow admin
UPDATE smime_info SET is_default = (id = :id) WHERE user_id = :userId AND send_as_email = lower(:sendAsEmail)
    AND EXISTS (SELECT 1 FROM smime_info s
        WHERE s.id = :id AND s.user_id = :userId AND s.send_as_email = lower(:sendAsEmail));

-- delete_smime_config(userId!, sendAsEmail! = send_as_email, id!) -> done
-- Remove a certificate of an alias.
--   userId: {pattern: null}
-- @allow admin
DELETE FROM smime_info WHERE user_id = :userId AND send_as_email = lower(:sendAsEmail) AND id = :id;

--- Client-side encryption

-- email_create_cse_keypair(userId!, pkcs7!, privateKeyMetadata) -> row
-- Add a key pair for encrypted mail; it is on at once.
-- @allow admin
-- @as one
-- @refuse INVALID_ARGUMENT: pkcs7 is not a PEM-encoded PKCS#7 chain
--     WHEN :pkcs7 NOT LIKE '-----BEGIN %-----END %-----%'
INSERT INTO cse_keypairs {values, user_id = :userId, private_key_metadata = coalesce(:privateKeyMetadata, '[]'),
    subject_email_addresses = (SELECT json_array(email) FROM users WHERE id = :userId)} RETURNING *;

-- email_list_cse_keypairs(userId!, pageToken, pageSize) -> rows
-- The key pairs of a mailbox, page by page.
-- @as paged cseKeyPairs
SELECT * FROM cse_keypairs WHERE user_id = :userId ORDER BY key_pair_id;

-- email_get_cse_keypair(userId!, keyPairId! = key_pair_id) -> row
-- A key pair.
-- @as one
SELECT * FROM cse_keypairs WHERE user_id = :userId AND key_pair_id = :keyPairId;

-- email_disable_cse_keypair(userId!, keyPairId! = key_pair_id) -> row
-- Turn a key pair off: nothing is decrypted or signed with it any more.
-- @allow admin
-- @as one
-- @refuse FAILED_PRECONDITION: The key pair is already turned off WHEN EXISTS (SELECT 1 FROM cse_keypairs
--     WHERE user_id = :userId AND key_pair_id = :keyPairId AND enablement_state = 'disabled')
UPDATE cse_keypairs SET enablement_state = 'disabled', disable_time = :now
WHERE user_id = :userId AND key_pair_id = :keyPairId RETURNING *;

-- email_enable_cse_keypair(userId!, keyPairId! = key_pair_id) -> row
-- Turn a key pair on again.
-- @allow admin
-- @as one
-- @refuse FAILED_PRECONDITION: The key pair is already turned on WHEN EXISTS (SELECT 1 FROM cse_keypairs
--     WHERE user_id = :userId AND key_pair_id = :keyPairId AND enablement_state = 'enabled')
UPDATE cse_keypairs SET enablement_state = 'enabled', disable_time = NULL
WHERE user_id = :userId AND key_pair_id = :keyPairId RETURNING *;

-- email_obliterate_cse_keypair(userId!, keyPairId! = key_pair_id) -> done
-- Destroy a key pair for good. It must have been off for more than 30 days.
-- @allow admin
-- @refuse FAILED_PRECONDITION: The key pair must be turned off for more than 30 days first WHEN EXISTS (
--     SELECT 1 FROM cse_keypairs WHERE user_id = :userId AND key_pair_id = :keyPairId
--     AND (enablement_state <> 'disabled' OR coalesce(julianday(:now) - julianday(disable_time), 0) <= 30))
DELETE FROM cse_keypairs WHERE user_id = :userId AND key_pair_id = :keyPairId;

-- create_cse_identity(userId!, emailAddress! = email_address, primaryKeyPairId = primary_key_pair_id,
--   signAndEncryptKeyPairs) -> row
-- Let a mailbox send encrypted mail from its primary address, with one key pair or with two.
--   userId: {pattern: null}
--   emailAddress: {pattern: '^[^@\s]+@[^@\s]+\.[^@\s]+$'}
-- @allow admin
-- @as one
-- @refuse INVALID_ARGUMENT: The address is not the primary one of the mailbox WHEN NOT EXISTS (
--     SELECT 1 FROM users WHERE id = :userId AND lower(users.email) = lower(:emailAddress))
-- @refuse INVALID_ARGUMENT: primaryKeyPairId and signAndEncryptKeyPairs exclude each other
--     WHEN :primaryKeyPairId IS NOT NULL AND :signAndEncryptKeyPairs IS NOT NULL
-- @refuse FAILED_PRECONDITION: A key pair is not there or turned off WHEN EXISTS (
--     SELECT 1 FROM (SELECT :primaryKeyPairId AS id UNION SELECT :signAndEncryptKeyPairs ->> 'signingKeyPairId'
--     UNION SELECT :signAndEncryptKeyPairs ->> 'encryptionKeyPairId') WHERE id IS NOT NULL AND id NOT IN (
--     SELECT key_pair_id FROM cse_keypairs WHERE user_id = :userId AND enablement_state = 'enabled'))
INSERT INTO cse_identities (user_id, email_address, primary_key_pair_id, signing_key_pair_id, encryption_key_pair_id)
VALUES (:userId, lower(:emailAddress), :primaryKeyPairId, :signAndEncryptKeyPairs ->> 'signingKeyPairId',
    :signAndEncryptKeyPairs ->> 'encryptionKeyPairId') RETURNING *;

-- patch_cse_identity(userId!, emailAddress! = email_address, primaryKeyPairId = primary_key_pair_id,
--   signAndEncryptKeyPairs) -> row
-- Give an encryption identity other key pairs. They have to be turned on.
--   userId: {pattern: null}
--   emailAddress: {pattern: '^[^@\s]+@[^@\s]+\.[^@\s]+$'}
-- @allow admin
-- @as one
-- @some primaryKeyPairId, signAndEncryptKeyPairs
-- @refuse INVALID_ARGUMENT: primaryKeyPairId and signAndEncryptKeyPairs exclude each other
--     WHEN :primaryKeyPairId IS NOT NULL AND :signAndEncryptKeyPairs IS NOT NULL
-- @refuse FAILED_PRECONDITION: A key pair is not there or turned off WHEN EXISTS (
--     SELECT 1 FROM (SELECT :primaryKeyPairId AS id UNION SELECT :signAndEncryptKeyPairs ->> 'signingKeyPairId'
--     UNION SELECT :signAndEncryptKeyPairs ->> 'encryptionKeyPairId') WHERE id IS NOT NULL AND id NOT IN (
--     SELECT key_pair_id FROM cse_keypairs WHERE user_id = :userId AND enablement_state = 'enabled'))
UPDATE cse_identities SET primary_key_pair_id = :primaryKeyPairId,
    signing_key_pair_id = :signAndEncryptKeyPairs ->> 'signingKeyPairId',
    encryption_key_pair_id = :signAndEncryptKeyPairs ->> 'encryptionKeyPairId'
WHERE user_id = :userId AND email_address = lower(:emailAddress) RETURNING *;

-- list_cse_identities(userId!, pageToken, pageSize) -> rows
-- The encryption identities of a mailbox, page by page.
--   userId: {pattern: null}
-- @as paged cseIdentities
SELECT * FROM cse_identities WHERE user_id = :userId ORDER BY email_address;

-- get_cse_identity(userId!, cseEmailAddress! = email_address) -> row
-- An encryption identity.
--   userId: {pattern: null}
-- @as one
SELECT * FROM cse_identities WHERE user_id = :userId AND email_address = lower(:cseEmailAddress);

-- delete_cse_identity(userId!, cseEmailAddress! = email_address) -> done
-- Remove an encryption identity for good; its key pairs stay.
--   userId: {pattern: null}
-- @allow admin
DELETE FROM cse_identities WHERE user_id = :userId AND email_address = lower(:cseEmailAddress);
