-- Mail: 21 tables, after the Gmail API. How columns, descriptions and tags are read: eops_traj/gym/engine/schema.py.
-- Times are YYYY-MM-DD HH:MM:SS in UTC, but for messages.internal_date and watches.expiration: milliseconds.

CREATE TABLE users (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the person whose mailbox it is. [user_%03d]
    email TEXT NOT NULL UNIQUE,  -- Primary address of the mailbox.
    name TEXT NOT NULL,  -- Name of the person.
    role TEXT NOT NULL DEFAULT 'employee' CHECK (role IN ('admin', 'manager', 'agent', 'employee')),  -- What the person may do.
    department TEXT,  -- Department the person works in.
    active BOOLEAN NOT NULL DEFAULT 1,  -- False for those who have left; their mailbox is closed.
    static_token TEXT UNIQUE,  -- Secret that a caller shows to act as this person.
    history_id INTEGER NOT NULL DEFAULT 1,  -- Last history record of the mailbox.
    created_at TEXT,  -- When the mailbox was made. [created]
    updated_at TEXT  -- When it was changed last. [updated]
);

--- Messages

CREATE TABLE labels (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,  -- Whose label it is.
    id TEXT NOT NULL,  -- Id of the label: INBOX and the like for the system's own. [Label_%d]
    name TEXT NOT NULL CHECK (length(name) >= 1) CHECK (length(name) <= 225),  -- What the label is called; a slash nests it.
    type TEXT NOT NULL DEFAULT 'user' CHECK (type IN ('system', 'user')),  -- Who made it.
    message_list_visibility TEXT DEFAULT 'show' CHECK (message_list_visibility IN ('show', 'hide')),  -- Whether lists of messages show the label.
    label_list_visibility TEXT DEFAULT 'labelShow' CHECK (label_list_visibility IN ('labelShow', 'labelShowIfUnread', 'labelHide')),  -- Whether the list of labels shows it.
    text_color TEXT,  -- Colour of its writing, as #rrggbb.
    background_color TEXT,  -- Colour behind it, as #rrggbb.
    PRIMARY KEY (user_id, id)
);

CREATE TABLE threads (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the conversation: that of its first message.
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,  -- Whose mailbox holds it.
    snippet TEXT,  -- How its latest message begins.
    history_id INTEGER NOT NULL DEFAULT 1  -- Last history record that touched it.
);

CREATE TABLE messages (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of this copy of the message, 16 hex digits.
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,  -- Whose mailbox holds it.
    thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,  -- Conversation that it belongs to.
    snippet TEXT,  -- How its text begins.
    history_id INTEGER NOT NULL DEFAULT 1,  -- Last history record that touched it.
    internal_date INTEGER NOT NULL,  -- When it arrived, in milliseconds since 1970.
    size_estimate INTEGER NOT NULL,  -- Size in bytes.
    raw TEXT NOT NULL,  -- The whole message by RFC 2822, in base64url.
    mime_type TEXT NOT NULL,  -- Media type of the whole message.
    subject TEXT NOT NULL,  -- Subject, decoded.
    from_name TEXT NOT NULL,  -- Name of the sender.
    from_email TEXT NOT NULL,  -- Address of the sender.
    to_emails TEXT NOT NULL,  -- Addresses written to, with commas between.
    cc_emails TEXT NOT NULL,  -- Addresses that get a copy.
    bcc_emails TEXT NOT NULL,  -- Addresses that get a copy which nobody else sees.
    body TEXT NOT NULL,  -- Its text, without markup.
    rfc822_message_id TEXT,  -- Its Message-ID header; all copies share it.
    automatic BOOLEAN NOT NULL DEFAULT 0  -- Whether a machine wrote it: a vacation reply, a failure notice.
);

CREATE INDEX messages_of_mailbox ON messages (user_id, internal_date);
CREATE INDEX messages_of_thread ON messages (thread_id);
CREATE INDEX copies ON messages (rfc822_message_id);

CREATE TABLE message_labels (
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,  -- The message.
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,  -- Whose mailbox both are in.
    label_id TEXT NOT NULL,  -- The label on it.
    PRIMARY KEY (message_id, label_id),
    FOREIGN KEY (user_id, label_id) REFERENCES labels (user_id, id) ON DELETE CASCADE
);

CREATE INDEX labelled ON message_labels (user_id, label_id);

CREATE TABLE attachments (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the attachment.
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,  -- Message that carries it.
    part_id TEXT NOT NULL,  -- Which part of the message it is.
    filename TEXT NOT NULL,  -- Name of the file.
    mime_type TEXT NOT NULL,  -- Media type of the file.
    size INTEGER NOT NULL,  -- Size in bytes.
    data TEXT NOT NULL  -- The bytes, in base64url.
);

CREATE INDEX attached ON attachments (message_id);

CREATE TABLE drafts (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the draft; the message in it has its own.
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,  -- Whose draft it is.
    message_id TEXT NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE  -- What it says so far.
);

CREATE TABLE history (
    id INTEGER PRIMARY KEY,  -- Number of the record; it only grows.
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,  -- Mailbox that changed.
    history_type TEXT NOT NULL CHECK (history_type IN ('messageAdded', 'messageDeleted', 'labelAdded', 'labelRemoved')),  -- What happened.
    message_id TEXT NOT NULL,  -- Message it happened to; it may be gone by now.
    thread_id TEXT NOT NULL,  -- Conversation of that message.
    label_ids JSON NOT NULL DEFAULT '[]',  -- Labels put on or taken off; of a message added or deleted, those it had.
    created_at TEXT  -- When it happened. [created]
);

CREATE INDEX history_of_mailbox ON history (user_id, id);

CREATE TABLE watches (
    user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,  -- Mailbox that is watched.
    topic_name TEXT NOT NULL,  -- Topic that hears of changes, as projects/x/topics/y.
    label_ids JSON NOT NULL DEFAULT '[]',  -- Labels it is about.
    label_filter_behavior TEXT NOT NULL DEFAULT 'include' CHECK (label_filter_behavior IN ('include', 'exclude')),  -- Whether only these labels are told, or all but these.
    expiration INTEGER NOT NULL,  -- When the watch ends, in milliseconds since 1970.
    history_id INTEGER NOT NULL  -- Where the mailbox stood when the watch began.
);

--- Settings

CREATE TABLE filters (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the filter. [ANe1Bm{hex}]
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,  -- Whose incoming mail it sorts.
    criteria_json JSON NOT NULL,  -- Which messages it is for.
    action_json JSON NOT NULL,  -- What it does with them.
    created_at TEXT  -- When it was made. [created]
);

CREATE TABLE forwarding_addresses (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,  -- Whose mail may go there.
    forwarding_email TEXT NOT NULL,  -- Address that mail may be forwarded to.
    verification_status TEXT NOT NULL DEFAULT 'pending' CHECK (verification_status IN ('accepted', 'pending')),  -- Whether its owner has agreed.
    PRIMARY KEY (user_id, forwarding_email)
);

CREATE TABLE auto_forwarding (
    user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,  -- Whose mail is forwarded.
    enabled BOOLEAN NOT NULL DEFAULT 0,  -- Whether all incoming mail is forwarded.
    email_address TEXT,  -- Where it goes; a verified forwarding address of the mailbox.
    disposition TEXT NOT NULL DEFAULT 'leaveInInbox' CHECK (disposition IN ('leaveInInbox', 'archive', 'trash', 'markRead')),  -- What becomes of the copy that stays.
    FOREIGN KEY (user_id, email_address) REFERENCES forwarding_addresses (user_id, forwarding_email)
);

CREATE TABLE imap_settings (
    user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,  -- Whose settings they are.
    enabled BOOLEAN NOT NULL DEFAULT 1,  -- Whether mail programs may use IMAP.
    auto_expunge BOOLEAN NOT NULL DEFAULT 1,  -- Whether what is marked as deleted goes at once.
    expunge_behavior TEXT NOT NULL DEFAULT 'archive' CHECK (expunge_behavior IN ('archive', 'trash', 'deleteForever')),  -- What becomes of messages that are expunged.
    max_folder_size TEXT NOT NULL DEFAULT '0' CHECK (max_folder_size IN ('0', '1000', '2000', '5000', '10000'))  -- How many messages a folder shows; 0 for all.
);

CREATE TABLE pop_settings (
    user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,  -- Whose settings they are.
    access_window TEXT NOT NULL DEFAULT 'disabled' CHECK (access_window IN ('disabled', 'fromNowOn', 'allMail')),  -- Which messages POP may fetch.
    disposition TEXT NOT NULL DEFAULT 'leaveInInbox' CHECK (disposition IN ('leaveInInbox', 'archive', 'trash', 'markRead'))  -- What becomes of a message once fetched.
);

CREATE TABLE language_settings (
    user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,  -- Whose settings they are.
    display_language TEXT NOT NULL DEFAULT 'en'  -- Language of the interface, such as en-GB or ja.
);

CREATE TABLE vacation_settings (
    user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,  -- Who is away.
    enable_auto_reply BOOLEAN NOT NULL DEFAULT 0,  -- Whether incoming mail is answered automatically.
    response_subject TEXT,  -- What the subject of the answer begins with.
    response_body_plain_text TEXT,  -- The answer, as plain text.
    response_body_html TEXT,  -- The answer, as HTML; it goes before the plain text.
    restrict_to_contacts BOOLEAN NOT NULL DEFAULT 0,  -- Whether only those are answered to whom the person has written.
    restrict_to_domain BOOLEAN NOT NULL DEFAULT 0,  -- Whether only people of the same domain are answered.
    start_time TEXT,  -- First moment at which mail is answered.
    end_time TEXT  -- Moment from which it is answered no more.
);

CREATE TABLE delegates (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,  -- Whose mailbox it is.
    delegate_email TEXT NOT NULL REFERENCES users (email) ON DELETE CASCADE,  -- Primary address of the colleague who may use it too.
    verification_status TEXT NOT NULL DEFAULT 'accepted' CHECK (verification_status IN ('accepted', 'pending', 'rejected', 'expired')),  -- Whether the colleague has agreed.
    PRIMARY KEY (user_id, delegate_email)
);

CREATE TABLE send_as_aliases (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,  -- Who sends.
    send_as_email TEXT NOT NULL,  -- Address that mail comes from.
    display_name TEXT,  -- Name beside that address; without one, the person's.
    reply_to_address TEXT,  -- Where answers are to go, if elsewhere.
    signature TEXT,  -- HTML below new messages.
    is_primary BOOLEAN NOT NULL DEFAULT 0,  -- Whether it is the mailbox's own address.
    is_default BOOLEAN NOT NULL DEFAULT 0,  -- Whether new messages come from it; exactly one of a mailbox is.
    treat_as_alias BOOLEAN NOT NULL DEFAULT 0,  -- Whether mail to it is mail to this person.
    smtp_host TEXT,  -- Relay that its mail goes through.
    smtp_port INTEGER,  -- Port of the relay.
    smtp_username TEXT,  -- Name to sign in with there; never shown.
    smtp_password TEXT,  -- Password there; never shown.
    smtp_security_mode TEXT CHECK (smtp_security_mode IN ('securityModeUnspecified', 'none', 'ssl', 'starttls')),  -- How the relay is reached.
    verification_status TEXT CHECK (verification_status IN ('verificationStatusUnspecified', 'accepted', 'pending')),  -- Whether the owner of the address has agreed.
    PRIMARY KEY (user_id, send_as_email)
);

CREATE INDEX senders ON send_as_aliases (send_as_email);

CREATE TABLE smime_info (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the certificate. [{hex}]
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,  -- Who signs with it.
    send_as_email TEXT NOT NULL,  -- Address that it signs for.
    issuer_cn TEXT NOT NULL,  -- Common name of who issued it.
    is_default BOOLEAN NOT NULL DEFAULT 0,  -- Whether mail from the address is signed with it.
    expiration TEXT NOT NULL,  -- When it expires, in milliseconds since 1970.
    encrypted_key_password TEXT,  -- Password of its key; never shown.
    pem TEXT,  -- The certificate and its chain, as PEM.
    pkcs12 TEXT,  -- Key pair and chain as they were uploaded, in base64; never shown.
    FOREIGN KEY (user_id, send_as_email) REFERENCES send_as_aliases (user_id, send_as_email) ON DELETE CASCADE
);

CREATE TABLE cse_keypairs (
    key_pair_id TEXT NOT NULL PRIMARY KEY,  -- Id of the key pair. [ANe{hex}]
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,  -- Whose key pair it is.
    pkcs7 TEXT NOT NULL,  -- Public key and certificate chain, PKCS#7 in PEM.
    pem TEXT,  -- The chain alone, as PEM.
    subject_email_addresses JSON NOT NULL DEFAULT '[]',  -- Addresses that the certificate is for.
    enablement_state TEXT NOT NULL DEFAULT 'enabled' CHECK (enablement_state IN ('stateUnspecified', 'enabled', 'disabled')),  -- Whether it may be used.
    disable_time TEXT,  -- When it was turned off.
    private_key_metadata JSON NOT NULL DEFAULT '[]'  -- Where its private keys are kept.
);

CREATE TABLE cse_identities (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,  -- Who sends encrypted mail.
    email_address TEXT NOT NULL,  -- Address it comes from; the primary one of the mailbox.
    primary_key_pair_id TEXT REFERENCES cse_keypairs (key_pair_id) ON DELETE SET NULL,  -- Key pair that signs and encrypts.
    signing_key_pair_id TEXT REFERENCES cse_keypairs (key_pair_id) ON DELETE SET NULL,  -- Key pair that only signs.
    encryption_key_pair_id TEXT REFERENCES cse_keypairs (key_pair_id) ON DELETE SET NULL,  -- Key pair that only encrypts.
    PRIMARY KEY (user_id, email_address)
);

--- When a seed has run
-- What every mailbox has, though a seed may not say so. What is there is looked up: a seed with a key given
-- twice goes without that key, so that nothing would conflict.
INSERT OR IGNORE INTO labels (user_id, id, name, type, message_list_visibility, label_list_visibility)
SELECT DISTINCT users.id, value, value, 'system', iif(value IN ('INBOX', 'SENT', 'DRAFT'), 'show', 'hide'),
    CASE WHEN value LIKE 'CATEGORY%' THEN 'labelHide' WHEN value = 'UNREAD' THEN 'labelHide' ELSE 'labelShow' END
FROM users, json_each('["INBOX", "SENT", "DRAFT", "TRASH", "SPAM", "UNREAD", "STARRED", "IMPORTANT", "CHAT",
    "CATEGORY_PERSONAL", "CATEGORY_SOCIAL", "CATEGORY_PROMOTIONS", "CATEGORY_UPDATES", "CATEGORY_FORUMS"]')
WHERE NOT EXISTS (SELECT 1 FROM labels l WHERE l.user_id = users.id AND l.id = value);
INSERT OR IGNORE INTO auto_forwarding (user_id)
SELECT DISTINCT id FROM users WHERE id NOT IN (SELECT user_id FROM auto_forwarding);
INSERT OR IGNORE INTO imap_settings (user_id)
SELECT DISTINCT id FROM users WHERE id NOT IN (SELECT user_id FROM imap_settings);
INSERT OR IGNORE INTO pop_settings (user_id)
SELECT DISTINCT id FROM users WHERE id NOT IN (SELECT user_id FROM pop_settings);
INSERT OR IGNORE INTO language_settings (user_id)
SELECT DISTINCT id FROM users WHERE id NOT IN (SELECT user_id FROM language_settings);
INSERT OR IGNORE INTO vacation_settings (user_id)
SELECT DISTINCT id FROM users WHERE id NOT IN (SELECT user_id FROM vacation_settings);
INSERT OR IGNORE INTO send_as_aliases (user_id, send_as_email, is_primary, is_default)
SELECT DISTINCT id, email, 1, NOT EXISTS (SELECT 1 FROM send_as_aliases s WHERE s.user_id = users.id AND s.is_default) FROM users
WHERE NOT EXISTS (SELECT 1 FROM send_as_aliases s WHERE s.user_id = users.id AND s.send_as_email = users.email);
