-- Google Drive: 28 tables. How columns, descriptions and tags are read: eops_traj/gym/engine/schema.py.
-- Times are YYYY-MM-DD HH:MM:SS in UTC unless their column says otherwise.

CREATE TABLE users (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the person. [{ulid}]
    display_name TEXT NOT NULL,  -- Name that others see.
    email TEXT NOT NULL UNIQUE,  -- Address of the account.
    photo_url TEXT,  -- Link to a picture.
    auth_token TEXT,  -- Secret that a caller shows to act as this person.
    created_time TEXT,  -- When the account was made. [created]
    kind TEXT DEFAULT 'drive#user',  -- What this resource is.
    permission_id TEXT,  -- Id that stands for the person in permissions.
    me BOOLEAN DEFAULT 0  -- Whether calls without a token are this person's.
);

CREATE TABLE groups (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the group. [{ulid}]
    name TEXT NOT NULL,  -- What the group is called.
    email TEXT,  -- Address that reaches its members, and to which files are shared.
    created_time TEXT  -- When the group was made. [created]
);

CREATE TABLE group_memberships (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the membership. [{ulid}]
    group_id TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,  -- The group.
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,  -- The person in it.
    role TEXT DEFAULT 'member',  -- What the person is in the group: owner, manager or member.
    created_time TEXT  -- When the person joined. [created]
);
CREATE INDEX group_memberships_by_user ON group_memberships (user_id);

CREATE TABLE drives (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the shared drive. [{ulid}]
    name TEXT NOT NULL CHECK (length(name) >= 1),  -- What the shared drive is called.
    color_rgb TEXT,  -- Colour of the shared drive, such as '#0f9d58'.
    theme_id TEXT,  -- Theme that sets colour and background; the themes are in get_about.
    background_image_link TEXT,  -- Link to the picture behind its name.
    hidden BOOLEAN DEFAULT 0,  -- Whether the shared drive is left out of the default view.
    restricted_to_domain BOOLEAN DEFAULT 0,  -- Whether it was opened for the domain alone.
    trashed BOOLEAN DEFAULT 0,  -- Whether the shared drive is thrown away.
    created_time TEXT,  -- When the shared drive was made. [created]
    modified_time TEXT,  -- When its settings last changed. [updated]
    copy_requires_writer_permission BOOLEAN DEFAULT 0,  -- Whether readers may not copy, print or download.
    domain_users_only BOOLEAN DEFAULT 0,  -- Whether nobody outside the domain may be let in.
    drive_members_only BOOLEAN DEFAULT 0,  -- Whether its items are for its members alone.
    admin_managed_restrictions BOOLEAN DEFAULT 0,  -- Whether only administrators may change restrictions.
    sharing_folders_requires_organizer_permission BOOLEAN DEFAULT 0,  -- Whether only organizers share folders.
    download_restricted_for_readers BOOLEAN DEFAULT 0,  -- Whether readers may not download.
    download_restricted_for_writers BOOLEAN DEFAULT 0,  -- Whether writers may not download either.
    org_unit_id TEXT,  -- Organizational unit that the shared drive belongs to.
    kind TEXT DEFAULT 'drive#drive',  -- What this resource is.
    request_id TEXT UNIQUE  -- Your own id of the request, such as a UUID, so that repeating it makes no second drive.
);

CREATE TABLE drive_memberships (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the membership. [{ulid}]
    drive_id TEXT NOT NULL REFERENCES drives (id) ON DELETE CASCADE,  -- The shared drive.
    type TEXT NOT NULL CHECK (type IN ('user', 'group', 'domain')),  -- Who the member is.
    user_id TEXT REFERENCES users (id) ON DELETE CASCADE,  -- The person, of a member of type user.
    group_id TEXT REFERENCES groups (id) ON DELETE CASCADE,  -- The group, of a member of type group.
    domain TEXT,  -- The domain, of a member of type domain.
    role TEXT NOT NULL CHECK (role IN ('organizer', 'fileOrganizer', 'writer', 'commenter', 'reader')),  -- What members may do.
    created_time TEXT  -- When the member was let in. [created]
);
CREATE INDEX drive_memberships_by_drive ON drive_memberships (drive_id);

CREATE TABLE blobs (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the stored bytes. [{ulid}]
    digest TEXT,  -- Hash of the bytes, with the name of its algorithm ahead.
    size_bytes INTEGER,  -- How many bytes.
    storage TEXT,  -- Where they lie: S3, GCS or DB.
    key TEXT,  -- Name of the bytes there.
    created_time TEXT  -- When they were stored. [created]
);

CREATE TABLE files (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the file or folder. [{ulid}]
    drive_id TEXT REFERENCES drives (id) ON DELETE CASCADE,  -- Shared drive of the file; none in somebody's My Drive.
    name TEXT NOT NULL,  -- Name of the file; several may share one.
    mime_type TEXT NOT NULL,  -- MIME type of the file; a folder's is application/vnd.google-apps.folder.
    size_bytes INTEGER,  -- How many bytes of content; none, or 0, for folders, shortcuts and Google's own documents.
    md5_checksum TEXT,  -- MD5 of the content.
    parent_id TEXT REFERENCES files (id) ON DELETE SET NULL,  -- Folder that the file is in; none at the top.
    parent_ids JSON,  -- The same as a list.
    starred BOOLEAN DEFAULT 0,  -- Whether the file carries a star.
    trashed BOOLEAN DEFAULT 0,  -- Whether the file lies in the trash, itself or with a folder above it.
    trashed_time TEXT,  -- When the file was thrown away.
    created_by TEXT REFERENCES users (id),  -- Who made the file.
    modified_by TEXT REFERENCES users (id),  -- Who last changed the file.
    created_time TEXT,  -- When the file was made. [created]
    modified_time TEXT,  -- When anyone last changed the file. [created]
    viewed_by_me_time TEXT,  -- When you last looked at the file.
    properties JSON,  -- Keys and values that every app sees.
    is_shortcut BOOLEAN DEFAULT 0,  -- Whether the file only points to another.
    shortcut_target_id TEXT REFERENCES files (id) ON DELETE SET NULL,  -- The file that a shortcut points to.
    shortcut_target_mime TEXT,  -- MIME type of that file.
    kind TEXT DEFAULT 'drive#file',  -- What this resource is.
    space TEXT DEFAULT 'drive',  -- Space of the file: drive or appDataFolder.
    file_extension TEXT,  -- Last extension of the name.
    full_file_extension TEXT,  -- Everything after the first dot of the name, such as 'tar.gz'.
    original_filename TEXT,  -- Name of the file when it was uploaded.
    web_view_link TEXT,  -- Link that opens the file.
    web_content_link TEXT,  -- Link that downloads the content.
    thumbnail_link TEXT,  -- Link to a small picture of it.
    icon_link TEXT,  -- Link to its icon.
    shared BOOLEAN DEFAULT 0,  -- Whether others than the owner were let in.
    owned_by_me BOOLEAN DEFAULT 0,  -- Whether the file is yours.
    viewed_by_me BOOLEAN DEFAULT 0,  -- Whether you have looked at the file.
    modified_by_me BOOLEAN DEFAULT 0,  -- Whether you have changed the file.
    explicitly_trashed BOOLEAN DEFAULT 0,  -- Whether the file itself was thrown away, not a folder above it.
    writers_can_share BOOLEAN DEFAULT 1,  -- Whether writers may let others in.
    version INTEGER DEFAULT 1,  -- Goes up with every change of the file.
    head_revision_id TEXT REFERENCES revisions (id) ON DELETE SET NULL,  -- Newest revision of the content.
    sha1_checksum TEXT,  -- SHA-1 of the content.
    quota_bytes_used INTEGER DEFAULT 0,  -- What the file takes of its owner's storage, old revisions included.
    description TEXT,  -- What the file is about.
    app_properties JSON,  -- Keys and values that belong to the asking app.
    folder_color_rgb TEXT,  -- Colour of a folder or a shortcut to one.
    copy_requires_writer_permission BOOLEAN DEFAULT 0,  -- Whether readers and commenters may not copy, print or download.
    content_restrictions JSON,  -- Why the content may not be changed; a list of objects.
    download_restrictions JSON,  -- Whether the file may not be downloaded, and why.
    inherited_permissions_disabled BOOLEAN DEFAULT 0,  -- Whether permissions of folders above it do not count.
    indexable_text TEXT  -- Text of the content, as far as searches know it.
);
CREATE INDEX files_by_parent ON files (parent_id);
CREATE INDEX files_by_drive ON files (drive_id);
CREATE INDEX files_by_shortcut ON files (shortcut_target_id);
CREATE INDEX files_by_revision ON files (head_revision_id);

CREATE TABLE revisions (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the revision. [{ulid}]
    file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,  -- The file.
    revision_number INTEGER,  -- Counts the revisions of a file from 1.
    blob_id TEXT REFERENCES blobs (id),  -- The stored bytes.
    md5_checksum TEXT,  -- MD5 of this content.
    size_bytes INTEGER,  -- How many bytes of content.
    mime_type TEXT,  -- MIME type of this content.
    keep_forever BOOLEAN DEFAULT 0,  -- Whether the revision is never thrown away by itself.
    published BOOLEAN DEFAULT 0,  -- Whether the revision is published; Google's own documents only.
    published_link TEXT,  -- Link to the published revision.
    created_time TEXT,  -- When the revision was made. [created]
    modified_time TEXT,  -- When the revision was made or last changed. [created]
    properties JSON,  -- Keys and values of the revision.
    last_modifying_user_id TEXT REFERENCES users (id),  -- Who made the revision.
    kind TEXT DEFAULT 'drive#revision',  -- What this resource is.
    publish_auto BOOLEAN DEFAULT 0,  -- Whether later revisions are published by themselves.
    published_outside_domain BOOLEAN DEFAULT 0,  -- Whether it is published to everyone.
    original_filename TEXT,  -- Name of the file when this content was uploaded.
    export_links JSON,  -- Links to the content in other formats, by MIME type.
    deleted BOOLEAN DEFAULT 0  -- Whether the revision was deleted; its row stays.
);
CREATE INDEX revisions_by_file ON revisions (file_id);

CREATE TABLE permissions (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the permission. [{ulid}]
    file_id TEXT REFERENCES files (id) ON DELETE CASCADE,  -- The file that it opens, or else
    drive_id TEXT REFERENCES drives (id) ON DELETE CASCADE,  -- the shared drive that it opens.
    role TEXT NOT NULL CHECK (role IN ('owner', 'organizer', 'fileOrganizer', 'writer', 'commenter', 'reader')),  -- What the permission allows; owner is for My Drive, organizer and fileOrganizer for shared drives.
    type TEXT NOT NULL CHECK (type IN ('user', 'group', 'domain', 'anyone')),  -- Who the permission is for: one person, a group, a domain, or everyone with the link.
    user_id TEXT REFERENCES users (id) ON DELETE CASCADE,  -- The person, where known here.
    group_id TEXT REFERENCES groups (id) ON DELETE CASCADE,  -- The group.
    email_address TEXT,  -- Address of the person or group; wanted for those two types.
    domain TEXT,  -- The domain; wanted for that type.
    allow_file_discovery BOOLEAN DEFAULT 0,  -- Whether searches find the file; for domain and anyone only.
    kind TEXT DEFAULT 'drive#permission',  -- What this resource is.
    deleted BOOLEAN DEFAULT 0,  -- Whether the account behind it is gone.
    "view" TEXT,  -- The view that the permission belongs to; only published exists.
    inherited BOOLEAN DEFAULT 0,  -- Whether it was copied from a folder or drive above.
    inherited_from TEXT,  -- Id of that folder or drive.
    created_time TEXT,  -- When the permission was given. [created]
    updated_time TEXT,  -- When the permission last changed. [updated]
    expiration_time TEXT,  -- When the permission ends (RFC 3339); later than now.
    pending_owner BOOLEAN DEFAULT 0,  -- Whether the person was asked to become the owner.
    CHECK ((file_id IS NULL) <> (drive_id IS NULL))
);
CREATE INDEX permissions_by_file ON permissions (file_id);
CREATE INDEX permissions_by_drive ON permissions (drive_id) WHERE drive_id IS NOT NULL;
CREATE INDEX permissions_by_user ON permissions (user_id);

CREATE TABLE comments (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the comment. [{ulid}]
    file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,  -- The file.
    author_id TEXT REFERENCES users (id),  -- Who wrote the comment.
    content TEXT CHECK (length(content) >= 1),  -- Plain text of the comment.
    anchor TEXT,  -- The place in the document that is meant, as a JSON text.
    resolved BOOLEAN DEFAULT 0,  -- Whether a reply has settled the comment.
    deleted BOOLEAN DEFAULT 0,  -- Whether the comment was deleted; its row stays.
    quoted_file_content_mime_type TEXT,  -- MIME type of the quoted passage.
    quoted_file_content_value TEXT,  -- The passage that the comment is about.
    kind TEXT DEFAULT 'drive#comment',  -- What this resource is.
    html_content TEXT,  -- The content as HTML.
    created_time TEXT,  -- When the comment was written. [created]
    modified_time TEXT  -- When the comment or one of its replies last changed. [updated]
);
CREATE INDEX comments_by_file ON comments (file_id);

CREATE TABLE replies (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the reply. [{ulid}]
    comment_id TEXT NOT NULL REFERENCES comments (id) ON DELETE CASCADE,  -- The comment that it answers.
    author_id TEXT REFERENCES users (id),  -- Who wrote the reply.
    content TEXT CHECK (length(content) >= 1) CHECK (length(content) <= 8192),  -- Plain text of the reply.
    action TEXT,  -- What the reply did to the comment: resolve, reopen or nothing.
    deleted BOOLEAN DEFAULT 0,  -- Whether the reply was deleted; its row stays.
    kind TEXT DEFAULT 'drive#reply',  -- What this resource is.
    html_content TEXT,  -- The content as HTML.
    created_time TEXT,  -- When the reply was written. [created]
    modified_time TEXT  -- When the reply last changed. [updated]
);
CREATE INDEX replies_by_comment ON replies (comment_id);

CREATE TABLE changes (
    token TEXT NOT NULL PRIMARY KEY,  -- Token of the change; a page of changes begins after one. [{ulid}]
    change_time TEXT,  -- When it happened. [created]
    file_id TEXT,  -- The file that changed; it may be gone by now.
    drive_id TEXT,  -- The shared drive that changed, or that the file is in if that is noted; it may be gone by now.
    change_type TEXT NOT NULL,  -- What happened, such as file_created, perm_created or drive_updated.
    payload JSON,  -- More about it.
    kind TEXT DEFAULT 'drive#change',  -- What this resource is.
    removed BOOLEAN DEFAULT 0  -- Whether the file or drive is gone for good.
);

CREATE TABLE change_tokens (
    scope TEXT NOT NULL PRIMARY KEY,  -- Whose changes: global, user:ID or drive:ID.
    last_token TEXT REFERENCES changes (token)  -- The newest change there.
);

CREATE TABLE uploads (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the upload. [{ulid}]
    file_id TEXT REFERENCES files (id) ON DELETE CASCADE,  -- The file that it filled.
    intended_mime TEXT,  -- MIME type that was announced.
    total_size INTEGER,  -- How many bytes were announced.
    received_bytes INTEGER,  -- How many have arrived.
    chunk_size INTEGER,  -- How many come at a time.
    state TEXT,  -- How far it is: initiated, in_progress, finalizing or completed.
    created_time TEXT,  -- When it began. [created]
    updated_time TEXT  -- When it last moved on. [updated]
);
CREATE INDEX uploads_by_file ON uploads (file_id);

CREATE TABLE thumbnails (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the picture. [{ulid}]
    file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,  -- The file that it shows.
    revision_id TEXT REFERENCES revisions (id) ON DELETE SET NULL,  -- The revision that it shows.
    kind TEXT,  -- What was drawn: pdf, doc and so on.
    blob_id TEXT REFERENCES blobs (id),  -- The stored bytes.
    width INTEGER,  -- Width in pixels.
    height INTEGER,  -- Height in pixels.
    created_time TEXT  -- When it was drawn. [created]
);
CREATE INDEX thumbnails_by_file ON thumbnails (file_id);
CREATE INDEX thumbnails_by_revision ON thumbnails (revision_id);

CREATE TABLE labels (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the label. [{ulid}]
    key TEXT NOT NULL,  -- Short name of its field, which programs use.
    name TEXT NOT NULL,  -- Name that people see.
    type TEXT NOT NULL,  -- Kind of its values: enum, number, boolean, date or string.
    options JSON,  -- The values of an enum.
    required BOOLEAN DEFAULT 0,  -- Whether a file with the label needs a value.
    created_time TEXT  -- When the label was made. [created]
);

CREATE TABLE file_labels (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the label's use. [{ulid}]
    file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,  -- The file.
    label_id TEXT NOT NULL REFERENCES labels (id) ON DELETE CASCADE,  -- The label on it.
    value_string TEXT,  -- Value of a string label.
    value_number REAL,  -- Value of a number label.
    value_boolean BOOLEAN,  -- Value of a boolean label.
    value_date TEXT,  -- Value of a date label, YYYY-MM-DD.
    value_enum TEXT,  -- Value of an enum label.
    created_time TEXT  -- When the label was put on. [created]
);
CREATE INDEX file_labels_by_file ON file_labels (file_id);

CREATE TABLE share_links (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the link. [{ulid}]
    file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,  -- The file that it opens.
    permission_role TEXT,  -- What whoever has it may do: reader, commenter or writer.
    link_token TEXT,  -- Secret part of the link.
    allow_discovery BOOLEAN DEFAULT 0,  -- Whether searches find the file.
    expires_time TEXT,  -- When the link ends.
    created_by TEXT REFERENCES users (id),  -- Who made the link.
    created_time TEXT  -- When the link was made. [created]
);
CREATE INDEX share_links_by_file ON share_links (file_id);

CREATE TABLE path_closure (
    ancestor_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,  -- A folder, or the file itself, though not every file has a row of its own.
    descendant_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,  -- A file anywhere below it.
    depth INTEGER NOT NULL,  -- How many steps there are between them; 0 from a file to itself.
    PRIMARY KEY (ancestor_id, descendant_id)
);
CREATE INDEX path_closure_up ON path_closure (descendant_id);

CREATE TABLE id_pool (
    id TEXT NOT NULL PRIMARY KEY,  -- An id that no file has yet. [{ulid}]
    reserved BOOLEAN DEFAULT 1,  -- Whether somebody was given the id.
    reserved_time TEXT  -- When it was given. [created]
);

CREATE TABLE trash_log (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the entry. [{ulid}]
    file_id TEXT,  -- The file that was removed for good; here its row is gone, real logs name some that are there.
    emptied_time TEXT,  -- When the trash was emptied. [created]
    actor_id TEXT REFERENCES users (id)  -- Who emptied the trash.
);

CREATE TABLE drive_channels (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the channel. [{ulid}]
    resource_id TEXT,  -- What is watched, as an opaque id.
    resource_uri TEXT,  -- What is watched, as a link.
    address TEXT,  -- Where notifications go.
    expiration TEXT,  -- When the channel ends.
    type TEXT DEFAULT 'web_hook',  -- How notifications travel.
    token TEXT,  -- Text that comes with every notification.
    params JSON,  -- Settings of the delivery.
    created_time TEXT  -- When the channel was opened. [created]
);

CREATE TABLE subscriptions (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the subscription. [{ulid}]
    channel_id TEXT NOT NULL REFERENCES drive_channels (id) ON DELETE CASCADE,  -- The channel that it uses.
    resource_type TEXT,  -- What is watched: changes, files or drives.
    resource_id TEXT,  -- Which one, if not all.
    callback_url TEXT,  -- Where notifications go.
    created_time TEXT,  -- When it was made. [created]
    expires_time TEXT,  -- When it ends.
    active BOOLEAN DEFAULT 1  -- Whether it still notifies.
);

CREATE TABLE webhook_deliveries (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the delivery. [{ulid}]
    subscription_id TEXT REFERENCES subscriptions (id) ON DELETE CASCADE,  -- The subscription.
    channel_id TEXT REFERENCES drive_channels (id) ON DELETE CASCADE,  -- The channel.
    change_token TEXT REFERENCES changes (token),  -- The change that was told.
    status TEXT,  -- How it went: pending, retrying, delivered or failed.
    attempts INTEGER DEFAULT 0,  -- How often it was tried.
    last_error TEXT,  -- Why the last attempt failed.
    next_retry_time TEXT,  -- When it is tried again.
    created_time TEXT,  -- When it was due. [created]
    updated_time TEXT  -- When it was last tried. [updated]
);

CREATE TABLE access_proposals (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the proposal. [{ulid}]
    file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,  -- The file that somebody asks for.
    requester_email TEXT NOT NULL,  -- Who asked; it may be an address outside the company.
    recipient_email TEXT,  -- Who is asked: an owner, or somebody else who may let people in.
    proposed_roles JSON,  -- The roles that were asked for; a list.
    proposed_view TEXT,  -- The view that was asked for.
    request_message TEXT,  -- What the one who asked wrote.
    status TEXT DEFAULT 'pending',  -- How it stands: pending, approved or denied.
    resolved_at TEXT,  -- When it was decided (RFC 3339).
    resolved_by_email TEXT REFERENCES users (email),  -- Who decided it.
    created_at TEXT  -- When it was asked (RFC 3339).
);
CREATE INDEX access_proposals_by_file ON access_proposals (file_id);

CREATE TABLE operations (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the operation. [{ulid}]
    name TEXT NOT NULL,  -- Name of the operation, with or without 'operations/' ahead.
    operation_type TEXT,  -- What it does: download, export, copy, import or thumbnail.
    status TEXT DEFAULT 'running',  -- How it stands: running, done or error.
    operation_metadata JSON,  -- What it was given.
    response_data JSON,  -- What came of it.
    error_data JSON,  -- Why it failed.
    created_at TEXT,  -- When it began. [created]
    completed_at TEXT  -- When it ended.
);

CREATE TABLE apps (
    id TEXT NOT NULL PRIMARY KEY,  -- Id of the app. [{ulid}]
    name TEXT NOT NULL,  -- What the app is called.
    object_type TEXT,  -- What its files are: document, spreadsheet, presentation, viewer or editor.
    product_id TEXT,  -- Id of the app in the store.
    product_url TEXT,  -- Page of the app in the store.
    supports_create BOOLEAN DEFAULT 0,  -- Whether it makes new files.
    supports_import BOOLEAN DEFAULT 0,  -- Whether it converts files of others.
    supports_multi_open BOOLEAN DEFAULT 0,  -- Whether it opens several files at once.
    supports_offline_create BOOLEAN DEFAULT 0,  -- Whether it makes files without a connection.
    has_drive_wide_scope BOOLEAN DEFAULT 0,  -- Whether it may see all files.
    installed BOOLEAN DEFAULT 1,  -- Whether it is installed.
    authorized BOOLEAN DEFAULT 1,  -- Whether it may see your files.
    use_by_default BOOLEAN DEFAULT 0,  -- Whether it opens its types without being asked.
    primary_mime_types JSON,  -- Types that it was made for.
    secondary_mime_types JSON,  -- Other types that it opens.
    primary_file_extensions JSON,  -- Extensions that it was made for.
    secondary_file_extensions JSON,  -- Other extensions that it opens.
    create_url TEXT,  -- Link that makes a file.
    create_in_folder_template TEXT,  -- The same with a place for a folder's id.
    open_url_template TEXT,  -- Link that opens files, with a place for their ids.
    short_description TEXT,  -- What it does, in a few words.
    long_description TEXT,  -- What it does.
    icons JSON,  -- Its icons.
    created_at TEXT,  -- When it was installed. [created]
    updated_at TEXT,  -- When it was last updated. [updated]
    installed_by TEXT REFERENCES users (id)  -- Who installed it.
);

CREATE TABLE channels (
    id TEXT NOT NULL PRIMARY KEY,  -- Your own id of the channel, such as a UUID; no other channel may have it.
    resource_id TEXT,  -- What is watched, as an opaque id.
    resource_uri TEXT,  -- What is watched, as a link.
    type TEXT DEFAULT 'web_hook',  -- How notifications travel: web_hook, in some rows webhook.
    address TEXT,  -- Where notifications go.
    token TEXT,  -- Text that comes with every notification, so that you know it is meant for you.
    payload BOOLEAN,  -- Whether notifications carry a body.
    params JSON,  -- Settings of the delivery.
    expiration TEXT,  -- When the channel ends, in milliseconds since 1970.
    active BOOLEAN DEFAULT 1,  -- Whether it still notifies.
    user_id TEXT REFERENCES users (id),  -- Who opened the channel.
    created_time TEXT  -- When the channel was opened. [created]
);

-- Who was let into what: permissions, and members of shared drives that have no permission of their own.
CREATE VIEW grants AS
SELECT id, file_id, drive_id, role, type, user_id, group_id, email_address, domain, allow_file_discovery, kind, deleted,
    "view", inherited, inherited_from, created_time, updated_time, expiration_time, pending_owner
FROM permissions
UNION ALL
SELECT m.id, NULL, m.drive_id, m.role, m.type, m.user_id, m.group_id, coalesce(u.email, g.email), m.domain, 0,
    'drive#permission', 0, NULL, 0, NULL, m.created_time, m.created_time, NULL, 0
FROM drive_memberships m LEFT JOIN users u ON u.id = m.user_id LEFT JOIN groups g ON g.id = m.group_id
WHERE NOT EXISTS (
    SELECT 1 FROM permissions p
    WHERE p.drive_id = m.drive_id AND p.type = m.type AND p.user_id IS m.user_id AND p.group_id IS m.group_id
        AND p.domain IS m.domain
);
