-- Teams: 52 tables, and the views that give their rows the shapes of Microsoft Graph.
-- How columns, descriptions and tags are read: eops_traj/gym/engine/schema.py.

-- The organization and its people

CREATE TABLE teams_orgs (
    org_id TEXT PRIMARY KEY,  -- Id of the organization, a short name with a number.
    tenant_id TEXT NOT NULL UNIQUE,  -- Id of its tenant in the directory.
    display_name TEXT NOT NULL,  -- What it is called.
    domain_name TEXT,  -- Domain of its addresses.
    country_letter_code TEXT,  -- Country it is registered in, two letters.
    preferred_language TEXT,  -- Language of its people, unless they say otherwise.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    soft_deleted BOOLEAN NOT NULL DEFAULT 0  -- Whether it is gone.
);

CREATE TABLE teams_users (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    user_id TEXT NOT NULL,  -- Id of the person. [{uuid}]
    user_principal_name TEXT NOT NULL COLLATE NOCASE,  -- Name to log in with, in the form of an address.
    display_name TEXT NOT NULL CHECK (length(display_name) >= 1) CHECK (length(display_name) <= 256),  -- Name shown to others.
    job_title TEXT CHECK (length(job_title) <= 128),  -- Title of the job.
    mail TEXT CHECK (length(mail) <= 320),  -- E-mail address.
    given_name TEXT CHECK (length(given_name) <= 128),  -- First name.
    surname TEXT CHECK (length(surname) <= 128),  -- Last name.
    mail_nickname TEXT CHECK (length(mail_nickname) <= 64),  -- Part of the address before the @.
    account_enabled BOOLEAN NOT NULL DEFAULT 1,  -- Whether the person can log in.
    business_phones JSON,  -- Telephone numbers at work.
    mobile_phone TEXT CHECK (length(mobile_phone) <= 64),  -- Mobile telephone number.
    office_location TEXT CHECK (length(office_location) <= 128),  -- Where the desk is.
    preferred_language TEXT CHECK (length(preferred_language) <= 10),  -- Language, such as en-GB.
    department TEXT CHECK (length(department) <= 128),  -- Department.
    company_name TEXT CHECK (length(company_name) <= 128),  -- Company the person works for.
    usage_location TEXT CHECK (length(usage_location) <= 10),  -- Country where the services are used, two letters.
    city TEXT CHECK (length(city) <= 128),  -- City.
    state TEXT CHECK (length(state) <= 128),  -- State or region.
    country TEXT CHECK (length(country) <= 128),  -- Country.
    street_address TEXT CHECK (length(street_address) <= 256),  -- Street and number.
    postal_code TEXT CHECK (length(postal_code) <= 64),  -- Postal code.
    employee_id TEXT CHECK (length(employee_id) <= 16),  -- Number on the payroll.
    employee_type TEXT CHECK (length(employee_type) <= 128),  -- Kind of contract: Employee, Contractor, Intern.
    user_type TEXT DEFAULT 'Member',  -- Member of the organization, Guest in it, or Application.
    employee_hire_date TEXT,  -- First day at work (ISO 8601).
    other_mails JSON,  -- Further e-mail addresses.
    on_premises_sync_enabled BOOLEAN,  -- Whether the account comes from a directory on site.
    about_me TEXT,  -- What the person says of themselves.
    birthday TEXT,  -- Date of birth (ISO 8601).
    interests JSON,  -- What the person likes.
    skills JSON,  -- What the person can do.
    my_site TEXT CHECK (length(my_site) <= 512),  -- Personal web page.
    preferred_name TEXT CHECK (length(preferred_name) <= 128),  -- Name the person goes by.
    fax_number TEXT CHECK (length(fax_number) <= 64),  -- Fax number.
    age_group TEXT,  -- Age, as far as the law asks: Minor, NotAdult, Adult.
    is_resource_account BOOLEAN DEFAULT 0,  -- Whether it stands for a room or a device.
    past_projects JSON,  -- Projects of the past.
    responsibilities JSON,  -- What the person answers for.
    schools JSON,  -- Where the person studied.
    employee_org_data JSON,  -- Cost centre and division.
    static_token TEXT UNIQUE,  -- Access token that says who calls.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    soft_deleted BOOLEAN NOT NULL DEFAULT 0,  -- Whether the account is deleted; it could be restored.
    PRIMARY KEY (org_id, user_id),
    UNIQUE (org_id, user_principal_name)
);

CREATE TABLE teams_presence_sessions (
    id INTEGER PRIMARY KEY,  -- Number of the entry.
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    user_id TEXT NOT NULL,  -- Whose presence it is.
    availability TEXT DEFAULT 'Available',  -- Whether the person can be reached.
    status_message JSON,  -- What the person says beside their name, and until when.
    updated_at DATETIME,  -- When the record last changed. [updated]
    UNIQUE (org_id, user_id),
    FOREIGN KEY (org_id, user_id) REFERENCES teams_users (org_id, user_id)
);

CREATE TABLE teams_user_roles (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    user_id TEXT NOT NULL,  -- Who holds the role.
    role_id TEXT NOT NULL,  -- Id of the directory role.
    role_name TEXT NOT NULL,  -- Name of the role, such as Teams Administrator.
    role_description TEXT,  -- What the role is for.
    assigned_at DATETIME,  -- When the record was made. [created]
    assigned_by TEXT,  -- Who gave it.
    PRIMARY KEY (org_id, user_id, role_id),
    FOREIGN KEY (org_id, user_id) REFERENCES teams_users (org_id, user_id)
);

CREATE TABLE permissions_catalog (
    id TEXT PRIMARY KEY,  -- Id: the name, a colon, and delegated or application.
    name TEXT NOT NULL,  -- Name of the permission.
    type TEXT NOT NULL CHECK (type IN ('delegated', 'application')),  -- Who can hold it: a person, or an application.
    admin_consent_required BOOLEAN DEFAULT 0,  -- Whether an administrator has to agree.
    description TEXT,  -- What it lets its holder do.
    resource TEXT,  -- What it is about.
    operation TEXT,  -- What may be done with that.
    "constraint" TEXT,  -- What narrows it down, such as All.
    constraint_scope TEXT,  -- How far it reaches.
    permission_level_rank INTEGER,  -- How much it lets its holder do; more is more.
    requires_resource_ownership BOOLEAN,  -- Whether it holds for one's own things only.
    allowed_fields_read JSON,  -- Properties that may be read; all when empty.
    allowed_fields_write JSON,  -- Properties that may be written.
    applies_to_scope TEXT,  -- Whose things it holds for.
    resource_constraint TEXT,  -- Which single thing it is tied to.
    source_url TEXT,  -- Where it is documented.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE module_permissions (
    module_name TEXT NOT NULL,  -- Part of the service.
    permission_id TEXT NOT NULL REFERENCES permissions_catalog (id),  -- Permission that the part asks for.
    created_at DATETIME,  -- When the record was made. [created]
    PRIMARY KEY (module_name, permission_id)
);

CREATE TABLE user_permissions (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    user_id TEXT NOT NULL,  -- Who holds the permission.
    permission_id TEXT NOT NULL REFERENCES permissions_catalog (id),  -- Permission.
    resource_scope TEXT,  -- What it is limited to; empty means nothing.
    granted_by TEXT,  -- Who gave it.
    granted_at DATETIME,  -- When the record was made. [created]
    PRIMARY KEY (org_id, user_id, permission_id),
    FOREIGN KEY (org_id, user_id) REFERENCES teams_users (org_id, user_id)
);

CREATE TABLE groups (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    group_id TEXT PRIMARY KEY,  -- Id of the group. [group_{hex}]
    display_name TEXT NOT NULL CHECK (length(display_name) >= 1) CHECK (length(display_name) <= 256),  -- What the group is called.
    description TEXT,  -- What the group is for.
    mail_nickname TEXT CHECK (length(mail_nickname) >= 1) CHECK (length(mail_nickname) <= 64),  -- Part of its address before the @.
    mail TEXT,  -- Its e-mail address.
    visibility TEXT,  -- Who can see and join it: Private, Public or HiddenMembership.
    group_types JSON DEFAULT '[]',  -- Unified for a Microsoft 365 group; empty for security and distribution groups.
    security_enabled BOOLEAN DEFAULT 0,  -- Whether rights can be given to it.
    mail_enabled BOOLEAN DEFAULT 0,  -- Whether it takes mail.
    classification TEXT,  -- How sensitive its contents are.
    members JSON DEFAULT '[]',  -- Its members, as users of the directory.
    owners JSON DEFAULT '[]',  -- Its owners, as users of the directory.
    assigned_labels JSON,  -- Sensitivity labels.
    membership_rule TEXT,  -- Rule that finds the members of a dynamic group.
    membership_rule_processing_state TEXT,  -- Whether the rule is applied: On or Paused.
    is_assignable_to_role BOOLEAN,  -- Whether directory roles can be given to it.
    is_management_restricted BOOLEAN,  -- Whether only some administrators can manage it.
    preferred_data_location TEXT,  -- Where its data should be kept.
    preferred_language TEXT,  -- Its language.
    resource_behavior_options JSON,  -- How it behaves.
    resource_provisioning_options JSON,  -- What was made along with it, such as Team.
    theme TEXT,  -- Its colour.
    unique_name TEXT,  -- A name by which nothing else goes; once set it stays.
    allow_external_senders BOOLEAN DEFAULT 0,  -- Whether outsiders may write to it.
    auto_subscribe_new_members BOOLEAN DEFAULT 0,  -- Whether new members get its mail in their inbox.
    created_date_time DATETIME,  -- When the record was made. [created]
    updated_date_time DATETIME,  -- When the record last changed. [updated]
    soft_delete BOOLEAN NOT NULL DEFAULT 0  -- Whether it is deleted.
);

-- Teams

CREATE TABLE teams_templates (
    org_id TEXT NOT NULL,  -- Organization whose template it is; 'default' for everyone's.
    template_id TEXT NOT NULL,  -- Id of the template.
    display_name TEXT NOT NULL,  -- What it is called.
    short_description TEXT,  -- What it is for, in a few words.
    description TEXT,  -- What it is for.
    icon_url TEXT,  -- Its picture.
    visibility TEXT,  -- Who can see teams made from it.
    categories JSON,  -- What it is filed under.
    channel_count INTEGER,  -- How many channels it brings.
    app_count INTEGER,  -- How many apps it brings.
    is_system_template BOOLEAN,  -- Whether the service brings it.
    created_date_time DATETIME,  -- When the record was made. [created]
    updated_date_time DATETIME,  -- When the record last changed. [updated]
    soft_delete BOOLEAN NOT NULL DEFAULT 0,  -- Whether it is gone.
    PRIMARY KEY (org_id, template_id)
);

CREATE TABLE teams (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    team_id TEXT PRIMARY KEY,  -- Id of the team. [team_{hex}]
    group_id TEXT REFERENCES groups (group_id),  -- Microsoft 365 group behind it.
    template_id TEXT,  -- Template it was made from.
    display_name TEXT NOT NULL CHECK (length(display_name) >= 1) CHECK (length(display_name) <= 255),  -- What the team is called.
    description TEXT CHECK (length(description) <= 1024),  -- What the team is for.
    visibility TEXT DEFAULT 'private' CHECK (visibility IN ('private', 'public', 'hiddenMembership')),  -- Who can find and join it.
    specialization TEXT DEFAULT 'none' CHECK (specialization IN ('none', 'educationStandard', 'educationClass', 'educationProfessionalLearningCommunity', 'educationSpecialInterest', 'healthcareStandard', 'healthcareCareCoordination', 'unknownFutureValue')),  -- Field of work it is made for.
    classification TEXT,  -- How sensitive its contents are.
    internal_id TEXT,  -- Id that it has inside the service.
    incoming_channels JSON,  -- Channels of other teams that are shared with it.
    member_settings JSON,  -- What members may do.
    guest_settings JSON,  -- What guests may do.
    messaging_settings JSON,  -- What may be done with messages.
    fun_settings JSON,  -- Which amusements are allowed.
    discovery_settings JSON,  -- Whether people find it by searching.
    members JSON DEFAULT '[]',  -- Its members: membership id, roles, user.
    is_archived BOOLEAN NOT NULL DEFAULT 0,  -- Whether it can only be read.
    migration_mode BOOLEAN DEFAULT 0,  -- Whether it is being filled from another service.
    web_url TEXT,  -- Link to it.
    created_date_time DATETIME,  -- When the record was made. [created]
    updated_date_time DATETIME,  -- When the record last changed. [updated]
    soft_delete BOOLEAN NOT NULL DEFAULT 0  -- Whether it is deleted.
);

CREATE TABLE teamwork (
    org_id TEXT PRIMARY KEY REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    teamwork_id TEXT DEFAULT 'teamwork',  -- Always 'teamwork'.
    is_teams_enabled BOOLEAN DEFAULT 1,  -- Whether the organization uses the service.
    region TEXT  -- Where its data are kept.
);

CREATE TABLE day_notes (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    team_id TEXT NOT NULL REFERENCES teams (team_id),  -- Id of the team.
    day_note_id TEXT PRIMARY KEY,  -- Id of the note. [NOTE_{uuid}]
    day_note_date TEXT NOT NULL,  -- Day it is about (YYYY-MM-DD).
    draft_day_note JSON,  -- The note as it is being written.
    shared_day_note JSON,  -- The note as everyone sees it.
    created_date_time DATETIME,  -- When the record was made. [created]
    last_modified_date_time DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE teamwork_tags (
    id TEXT PRIMARY KEY,  -- Id of the tag. [{uuid}]
    team_id TEXT NOT NULL REFERENCES teams (team_id),  -- Id of the team.
    display_name TEXT NOT NULL CHECK (length(display_name) <= 40),  -- Name by which its people are mentioned.
    description TEXT,  -- Who it stands for.
    tag_type TEXT DEFAULT 'standard' CHECK (tag_type IN ('standard', 'scheduled')),  -- Kept by hand, or by the shift plan.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE teamwork_tag_members (
    id TEXT PRIMARY KEY,  -- Id of the entry. [{uuid}]
    tenantId TEXT,  -- Tenant of the person.
    teamId TEXT NOT NULL REFERENCES teams (team_id),  -- Team of the tag.
    tagId TEXT NOT NULL REFERENCES teamwork_tags (id),  -- The tag.
    userId TEXT NOT NULL,  -- Who has it.
    displayName TEXT,  -- Name of the person.
    UNIQUE (tagId, userId)
);

CREATE TABLE teams_apps (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    app_id TEXT NOT NULL,  -- Id of the app.
    display_name TEXT NOT NULL,  -- What the app is called.
    external_id TEXT,  -- Id in its maker's manifest.
    distribution_method TEXT DEFAULT 'store' CHECK (distribution_method IN ('organization', 'store', 'sideloaded')),  -- Where it comes from.
    description TEXT,  -- What it does.
    version TEXT,  -- Its version.
    developer_name TEXT,  -- Who made it.
    publishing_state TEXT,  -- Whether it may be used: submitted, rejected or published.
    teams_app_id TEXT,  -- Id in the catalog.
    azure_ad_app_id TEXT,  -- Id of its registration in the directory.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    PRIMARY KEY (org_id, app_id)
);

CREATE TABLE installed_apps (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    team_id TEXT NOT NULL REFERENCES teams (team_id),  -- Id of the team.
    installation_id TEXT PRIMARY KEY,  -- Id of the installation.
    teams_app_id TEXT NOT NULL,  -- The app.
    teams_app_external_id TEXT,  -- Id in its maker's manifest.
    teams_app_display_name TEXT,  -- What the app is called.
    teams_app_distribution_method TEXT,  -- Where it comes from.
    teams_app_definition_id TEXT,  -- Id of the installed version.
    teams_app_definition_version TEXT,  -- The installed version.
    azure_ad_app_id TEXT,  -- Id of its registration in the directory.
    publishing_state TEXT,  -- Whether it may be used.
    short_description TEXT,  -- What it does, in a few words.
    description TEXT,  -- What it does.
    required_resource_specific_permissions JSON,  -- Permissions in the team that it asks for.
    consented_permission_set JSON,  -- Permissions in the team that it was given.
    created_date_time DATETIME,  -- When the record was made. [created]
    soft_delete BOOLEAN NOT NULL DEFAULT 0,  -- Whether it was taken out.
    FOREIGN KEY (org_id, teams_app_id) REFERENCES teams_apps (org_id, app_id)
);

CREATE TABLE resource_specific_permission_grants (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    grant_id TEXT PRIMARY KEY,  -- Id: installation, permission and type.
    resource_type TEXT NOT NULL CHECK (resource_type IN ('team', 'chat')),  -- What the permission is for.
    resource_id TEXT NOT NULL,  -- The team or the chat.
    client_app_id TEXT,  -- The app.
    resource_app_id TEXT,  -- The service that honours it.
    client_id TEXT,  -- The app's registration in the directory.
    permission_type TEXT CHECK (permission_type IN ('Delegated', 'Application')),  -- Whether it acts for a person or by itself.
    permission TEXT NOT NULL,  -- The permission.
    installation_id TEXT,  -- The installation that brought it.
    created_date_time DATETIME,  -- When the record was made. [created]
    soft_deleted BOOLEAN NOT NULL DEFAULT 0,  -- Whether it was taken back.
    additional_metadata JSON  -- Anything else.
);

CREATE TABLE learning_providers (
    learning_provider_id TEXT PRIMARY KEY,  -- Id of the provider.
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization that uses it.
    display_name TEXT NOT NULL,  -- What it is called.
    square_logo_web_url_for_dark_theme TEXT,  -- Small picture on dark ground.
    long_logo_web_url_for_dark_theme TEXT,  -- Wide picture on dark ground.
    square_logo_web_url_for_light_theme TEXT,  -- Small picture on light ground.
    long_logo_web_url_for_light_theme TEXT,  -- Wide picture on light ground.
    login_web_url TEXT,  -- Where one logs in.
    is_course_activity_sync_enabled BOOLEAN DEFAULT 0,  -- Whether progress is reported here.
    created_date_time DATETIME,  -- When the record was made. [created]
    last_modified_date_time DATETIME,  -- When the record last changed. [updated]
    soft_delete BOOLEAN NOT NULL DEFAULT 0  -- Whether it is gone.
);

CREATE TABLE learning_course_activities (
    learning_course_activity_id TEXT PRIMARY KEY,  -- Id of the activity. [{uuid}]
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    learning_provider_id TEXT NOT NULL REFERENCES learning_providers (learning_provider_id),  -- Who offers the course.
    learner_user_id TEXT NOT NULL,  -- Who learns.
    learning_content_id TEXT,  -- The course.
    activity_type TEXT NOT NULL CHECK (activity_type IN ('learningAssignment', 'learningSelfInitiatedCourse')),  -- Assigned, or chosen freely.
    status TEXT DEFAULT 'notStarted' CHECK (status IN ('notStarted', 'inProgress', 'completed')),  -- How far it is.
    assignment_type TEXT,  -- How binding it is: required, recommended or peerRecommended.
    assigner_user_id TEXT,  -- Who assigned it.
    assigned_date_time TEXT,  -- When it was assigned.
    due_date_time TEXT,  -- When it should be done.
    notes_content TEXT,  -- What was said about it.
    completion_percentage INTEGER,  -- How much is done.
    completed_date_time TEXT,  -- When it was done.
    started_date_time TEXT,  -- When it was begun.
    external_course_activity_id TEXT,  -- Id at the provider.
    created_date_time DATETIME,  -- When the record was made. [created]
    last_modified_date_time DATETIME,  -- When the record last changed. [updated]
    soft_delete BOOLEAN NOT NULL DEFAULT 0,  -- Whether it is gone.
    FOREIGN KEY (org_id, learner_user_id) REFERENCES teams_users (org_id, user_id),
    FOREIGN KEY (org_id, assigner_user_id) REFERENCES teams_users (org_id, user_id)
);

-- Channels

CREATE TABLE channels (
    channel_id TEXT PRIMARY KEY,  -- Id of the channel. [channel_{hex}]
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    team_id TEXT NOT NULL REFERENCES teams (team_id),  -- Id of the team.
    display_name TEXT NOT NULL CHECK (length(display_name) >= 1) CHECK (length(display_name) <= 50),  -- What the channel is called.
    description TEXT CHECK (length(description) <= 1024),  -- What the channel is for.
    membership_type TEXT DEFAULT 'standard' CHECK (membership_type IN ('standard', 'private', 'shared')),  -- Whose channel it is: the whole team's, some members', or other teams' too.
    email TEXT,  -- Address that posts into it, once provisioned.
    is_favorite_by_default BOOLEAN DEFAULT 0,  -- Whether members see it without looking for it.
    is_archived BOOLEAN NOT NULL DEFAULT 0,  -- Whether it can only be read.
    migration_mode TEXT,  -- Set while it is being filled from another service.
    created_date_time DATETIME,  -- When the record was made. [created]
    soft_delete BOOLEAN NOT NULL DEFAULT 0  -- Whether it is deleted.
);

CREATE TABLE channel_members (
    id INTEGER PRIMARY KEY,  -- Number of the membership.
    channel_id TEXT NOT NULL REFERENCES channels (channel_id),  -- Id of the channel.
    user_id TEXT NOT NULL,  -- Who belongs to it.
    roles TEXT DEFAULT 'member',  -- Role in the channel: owner, member or guest.
    display_name TEXT,  -- Name of the person.
    email TEXT,  -- Address of the person.
    tenant_id TEXT,  -- Tenant of the person, if it is another one.
    added_at DATETIME,  -- When the record was made. [created]
    UNIQUE (channel_id, user_id)
);

CREATE TABLE teams_channel_tabs (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    team_id TEXT NOT NULL REFERENCES teams (team_id),  -- Id of the team.
    channel_id TEXT NOT NULL REFERENCES channels (channel_id),  -- Id of the channel.
    tab_id TEXT PRIMARY KEY,  -- Id of the tab.
    display_name TEXT NOT NULL,  -- What the tab is called.
    web_url TEXT,  -- Link to it.
    app_id TEXT NOT NULL,  -- App it shows.
    sort_order_index TEXT,  -- Where it stands among the tabs.
    configuration_json JSON,  -- How the app is set up there.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    FOREIGN KEY (org_id, app_id) REFERENCES teams_apps (org_id, app_id)
);

CREATE TABLE shared_with_channel_teams (
    shared_team_id TEXT PRIMARY KEY,  -- Id of the share.
    channel_id TEXT NOT NULL REFERENCES channels (channel_id),  -- Id of the channel.
    team_id TEXT NOT NULL REFERENCES teams (team_id),  -- Id of the team.
    tenant_id TEXT,  -- Tenant of the team.
    display_name TEXT,  -- Name of the team.
    is_host_team BOOLEAN DEFAULT 0,  -- Whether the channel is this team's own.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    soft_delete BOOLEAN NOT NULL DEFAULT 0  -- Whether the share has ended.
);

CREATE TABLE channel_messages (
    message_id TEXT PRIMARY KEY,  -- Id of the message. [msg_{hex}]
    channel_id TEXT NOT NULL REFERENCES channels (channel_id),  -- Id of the channel.
    team_id TEXT NOT NULL REFERENCES teams (team_id),  -- Id of the team.
    reply_to_id TEXT REFERENCES channel_messages (message_id),  -- Message it replies to.
    etag TEXT,  -- Version of the message.
    message_type TEXT DEFAULT 'message' CHECK (message_type IN ('message', 'chatEvent', 'typing', 'unknownFutureValue', 'systemEventMessage')),  -- What kind of message it is.
    created_datetime TEXT NOT NULL,  -- When it was sent. [created]
    last_modified_datetime TEXT,  -- When it last changed, reactions included. [updated]
    last_edited_datetime TEXT,  -- When its text was last edited.
    deleted_datetime TEXT,  -- When it was deleted; it can be brought back.
    subject TEXT CHECK (length(subject) <= 255),  -- Its subject.
    summary TEXT,  -- What a notification says of it.
    importance TEXT DEFAULT 'normal' CHECK (importance IN ('normal', 'high', 'urgent')),  -- How important it is.
    locale TEXT DEFAULT 'en-us',  -- Language of the sender's client.
    web_url TEXT,  -- Link to it.
    channel_identity_json JSON,  -- Team and channel, if it stands in one.
    policy_violation_json JSON,  -- What data loss prevention says of it.
    on_behalf_of_json JSON,  -- For whom it was sent.
    event_detail_json JSON,  -- What happened, if it tells of an event.
    from_json JSON,  -- Who sent it.
    body_json JSON NOT NULL,  -- What it says: content and contentType.
    attachments_json JSON DEFAULT '[]',  -- What is attached.
    mentions_json JSON DEFAULT '[]',  -- Who is mentioned.
    reactions_json JSON DEFAULT '[]',  -- How people reacted.
    message_history_json JSON DEFAULT '[]'  -- What was done with it.
);

CREATE TABLE channel_files_folders (
    channel_id TEXT PRIMARY KEY REFERENCES channels (channel_id),  -- Channel whose files are kept there.
    team_id TEXT NOT NULL REFERENCES teams (team_id),  -- Id of the team.
    drive_item_id TEXT NOT NULL REFERENCES drive_items (drive_item_id),  -- Id of the folder.
    name TEXT NOT NULL,  -- Name of the folder or file.
    size INTEGER DEFAULT 0,  -- Size in bytes.
    created_date_time TEXT,  -- When it was made.
    last_modified_date_time TEXT,  -- When it last changed.
    web_url TEXT,  -- Link to it.
    web_dav_url TEXT,  -- Link for WebDAV.
    e_tag TEXT,  -- Version of it.
    c_tag TEXT,  -- Version of its contents.
    description TEXT,  -- What it holds.
    created_by_json JSON,  -- Who made it.
    last_modified_by_json JSON,  -- Who last changed it.
    drive_id TEXT,  -- Drive it is on.
    drive_type TEXT,  -- Kind of drive.
    parent_id TEXT,  -- Folder it is in.
    parent_path TEXT,  -- Path of that folder.
    parent_name TEXT,  -- Name of that folder.
    parent_site_id TEXT,  -- Site it belongs to.
    child_count INTEGER DEFAULT 0,  -- How many files and folders are in it.
    fs_created_date_time TEXT,  -- When the file itself was made.
    fs_last_modified_date_time TEXT  -- When the file itself last changed.
);

CREATE TABLE drive_items (
    drive_item_id TEXT PRIMARY KEY,  -- Id of the folder or file.
    name TEXT NOT NULL,  -- Name of the folder or file.
    size INTEGER DEFAULT 0,  -- Size in bytes.
    created_date_time TEXT,  -- When it was made.
    last_modified_date_time TEXT,  -- When it last changed.
    web_url TEXT,  -- Link to it.
    web_dav_url TEXT,  -- Link for WebDAV.
    e_tag TEXT,  -- Version of it.
    c_tag TEXT,  -- Version of its contents.
    description TEXT,  -- What it holds.
    created_by_json JSON,  -- Who made it.
    last_modified_by_json JSON,  -- Who last changed it.
    drive_id TEXT,  -- Drive it is on.
    drive_type TEXT,  -- Kind of drive.
    parent_id TEXT,  -- Folder it is in.
    parent_path TEXT,  -- Path of that folder.
    parent_name TEXT,  -- Name of that folder.
    parent_site_id TEXT,  -- Site it belongs to.
    child_count INTEGER DEFAULT 0,  -- How many files and folders are in it.
    fs_created_date_time TEXT,  -- When the file itself was made.
    fs_last_modified_date_time TEXT,  -- When the file itself last changed.
    folder_id TEXT,  -- What it has as a folder.
    file_id TEXT,  -- What it has as a file.
    image_id TEXT,  -- What it has as an image.
    photo_id TEXT,  -- What it has as a photograph.
    video_id TEXT,  -- What it has as a film.
    audio_id TEXT,  -- What it has as a recording.
    shared_id TEXT,  -- What it has as something shared.
    root_id TEXT,  -- What it has as a root.
    special_folder_id TEXT,  -- What it has as a special folder.
    sharepoint_ids_id TEXT,  -- What SharePoint calls it.
    file_system_info_id TEXT,  -- What the file system knows of it.
    channel_files_folder_id TEXT  -- Channel whose files it holds.
);

-- Chats

CREATE TABLE chats (
    chat_id TEXT PRIMARY KEY,  -- Id of the chat.
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    topic TEXT CHECK (length(topic) <= 255),  -- What a group chat is about.
    chat_type TEXT NOT NULL CHECK (chat_type IN ('oneOnOne', 'group')),  -- Between two people, or among several.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    soft_delete BOOLEAN NOT NULL DEFAULT 0  -- Whether it is deleted.
);

CREATE TABLE chat_members (
    chat_id TEXT NOT NULL REFERENCES chats (chat_id),  -- Id of the chat.
    org_id TEXT NOT NULL,  -- Organization of the person.
    user_id TEXT NOT NULL,  -- Who takes part.
    roles TEXT DEFAULT 'owner',  -- Role in the chat: owner or guest.
    tenant_id TEXT,  -- Tenant of the person, if it is another one.
    display_name TEXT,  -- Name of the person.
    is_hidden BOOLEAN DEFAULT 0,  -- Whether the person has put the chat out of sight.
    last_message_read_datetime TEXT,  -- Up to when the person has read.
    added_at DATETIME,  -- When the record was made. [created]
    PRIMARY KEY (chat_id, user_id),
    FOREIGN KEY (org_id, user_id) REFERENCES teams_users (org_id, user_id)
);

CREATE TABLE chat_messages (
    message_id TEXT PRIMARY KEY,  -- Id of the message: milliseconds since 1970.
    chat_id TEXT NOT NULL REFERENCES chats (chat_id),  -- Id of the chat.
    reply_to_id TEXT REFERENCES chat_messages (message_id),  -- Message it replies to.
    etag TEXT,  -- Version of the message.
    message_type TEXT DEFAULT 'message' CHECK (message_type IN ('message', 'chatEvent', 'typing', 'unknownFutureValue', 'systemEventMessage')),  -- What kind of message it is.
    created_datetime TEXT NOT NULL,  -- When it was sent. [created]
    last_modified_datetime TEXT,  -- When it last changed, reactions included. [updated]
    last_edited_datetime TEXT,  -- When its text was last edited.
    deleted_datetime TEXT,  -- When it was deleted; it can be brought back.
    subject TEXT CHECK (length(subject) <= 255),  -- Its subject.
    summary TEXT,  -- What a notification says of it.
    importance TEXT DEFAULT 'normal' CHECK (importance IN ('normal', 'high', 'urgent')),  -- How important it is.
    locale TEXT DEFAULT 'en-us',  -- Language of the sender's client.
    web_url TEXT,  -- Link to it.
    channel_identity_json JSON,  -- Team and channel, if it stands in one.
    policy_violation_json JSON,  -- What data loss prevention says of it.
    on_behalf_of_json JSON,  -- For whom it was sent.
    event_detail_json JSON,  -- What happened, if it tells of an event.
    from_json JSON,  -- Who sent it.
    body_json JSON NOT NULL,  -- What it says: content and contentType.
    attachments_json JSON DEFAULT '[]',  -- What is attached.
    mentions_json JSON DEFAULT '[]',  -- Who is mentioned.
    reactions_json JSON DEFAULT '[]',  -- How people reacted.
    message_history_json JSON DEFAULT '[]'  -- What was done with it.
);

CREATE TABLE pinned_chat_messages (
    pinned_message_id TEXT PRIMARY KEY,  -- Id of the pin. [{hex}]
    chat_id TEXT NOT NULL REFERENCES chats (chat_id),  -- Id of the chat.
    message_id TEXT NOT NULL REFERENCES chat_messages (message_id),  -- The message on top.
    created_datetime DATETIME,  -- When the record was made. [created]
    UNIQUE (chat_id, message_id)
);

CREATE TABLE chat_message_hosted_contents (
    hosted_content_id TEXT PRIMARY KEY,  -- Id of the content.
    message_id TEXT NOT NULL REFERENCES chat_messages (message_id),  -- Message it stands in.
    chat_id TEXT NOT NULL REFERENCES chats (chat_id),  -- Id of the chat.
    content_type TEXT,  -- Kind of content, such as image/png.
    content_bytes BLOB,  -- The content itself.
    created_datetime DATETIME  -- When the record was made. [created]
);

CREATE TABLE chat_tabs (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    chat_id TEXT NOT NULL REFERENCES chats (chat_id),  -- Id of the chat.
    tab_id TEXT PRIMARY KEY,  -- Id of the tab. [{uuid}]
    display_name TEXT NOT NULL,  -- What the tab is called.
    web_url TEXT,  -- Link to it.
    app_id TEXT NOT NULL,  -- App it shows.
    sort_order_index TEXT,  -- Where it stands among the tabs.
    configuration_json JSON,  -- How the app is set up there.
    created_at DATETIME,  -- When the record was made. [created]
    FOREIGN KEY (org_id, app_id) REFERENCES teams_apps (org_id, app_id)
);

CREATE TABLE chat_app_installations (
    installation_id TEXT PRIMARY KEY,  -- Id of the installation. [{uuid}]
    chat_id TEXT NOT NULL REFERENCES chats (chat_id),  -- Id of the chat.
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    app_id TEXT NOT NULL,  -- The app.
    app_display_name TEXT,  -- What the app is called.
    app_external_id TEXT,  -- Id in its maker's manifest.
    app_distribution_method TEXT,  -- Where it comes from.
    installed_by_user_id TEXT,  -- Who installed it.
    installed_at DATETIME,  -- When the record was made. [created]
    consented_permission_set JSON,  -- Permissions in the chat that it was given.
    teams_app_definition_id TEXT,  -- Id of the installed version.
    FOREIGN KEY (org_id, app_id) REFERENCES teams_apps (org_id, app_id),
    FOREIGN KEY (org_id, installed_by_user_id) REFERENCES teams_users (org_id, user_id)
);

-- Calls and meetings

CREATE TABLE calls (
    id TEXT PRIMARY KEY,  -- Id of the call. [{uuid}]
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    callback_uri TEXT NOT NULL,  -- Address that is told how the call goes.
    call_chain_id TEXT,  -- Id that stays when the call is passed on. [{uuid}]
    direction TEXT DEFAULT 'outgoing' CHECK (direction IN ('incoming', 'outgoing')),  -- Who called whom.
    state TEXT DEFAULT 'establishing',  -- How far it is: incoming, establishing, established, terminated.
    subject TEXT,  -- What it is about.
    source JSON,  -- Who calls.
    targets JSON,  -- Who is called.
    my_participant_id TEXT,  -- The caller as a participant. [{uuid}]
    requested_modalities JSON,  -- Sound, picture, screen.
    call_options JSON,  -- What else was asked for.
    media_config JSON,  -- Who carries the media.
    chat_info JSON,  -- Chat of the meeting that is joined.
    meeting_info JSON,  -- Meeting that is joined.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    soft_delete BOOLEAN NOT NULL DEFAULT 0  -- Whether it is deleted.
);

CREATE TABLE participants (
    id TEXT PRIMARY KEY,  -- Id of the participant.
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    call_id TEXT NOT NULL REFERENCES calls (id),  -- Id of the call.
    info JSON,  -- Who it is.
    media_streams JSON,  -- What is sent and received.
    is_muted BOOLEAN DEFAULT 0,  -- Whether nobody hears the participant.
    is_in_lobby BOOLEAN DEFAULT 0,  -- Whether the participant is still waiting.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE content_sharing_sessions (
    id TEXT PRIMARY KEY,  -- Id of the session.
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    call_id TEXT NOT NULL REFERENCES calls (id),  -- Id of the call.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE audio_routing_groups (
    id TEXT PRIMARY KEY,  -- Id of the private route. [{uuid}]
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    call_id TEXT NOT NULL REFERENCES calls (id),  -- Id of the call.
    routing_mode TEXT NOT NULL CHECK (routing_mode IN ('oneToOne', 'multicast')),  -- To one receiver, or to several.
    sources JSON NOT NULL,  -- The participant who speaks.
    receivers JSON NOT NULL,  -- The participants who hear.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE large_gallery_view_operations (
    id TEXT PRIMARY KEY,  -- Id of the operation.
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    call_id TEXT NOT NULL REFERENCES calls (id),  -- Id of the call.
    status TEXT NOT NULL CHECK (status IN ('notStarted', 'running', 'completed', 'failed')),  -- How far it is.
    client_context TEXT,  -- What the client calls it.
    result_info JSON,  -- What came of it.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE hold_music_configs (
    config_id TEXT PRIMARY KEY,  -- Id of the setting.
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    name TEXT NOT NULL,  -- What it is called.
    description TEXT,  -- What one hears.
    media_uri TEXT,  -- The recording.
    resource_id TEXT,  -- Id of the recording.
    client_context TEXT,  -- What the client calls it.
    is_active BOOLEAN DEFAULT 1  -- Whether it is played.
);

CREATE TABLE call_records (
    id TEXT PRIMARY KEY,  -- Id of the record.
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    version INTEGER DEFAULT 1,  -- Version of the record.
    type TEXT NOT NULL CHECK (type IN ('unknown', 'groupCall', 'peerToPeer', 'pstn', 'direct_routing', 'unknownFutureValue')),  -- Kind of call.
    modalities JSON DEFAULT '[]',  -- Sound, picture, screen.
    organizer JSON,  -- Who called for it.
    participants JSON DEFAULT '[]',  -- Who took part.
    start_date_time TEXT NOT NULL,  -- When it began.
    end_date_time TEXT,  -- When it ended.
    last_modified_date_time TEXT,  -- When the record last changed.
    join_web_url TEXT,  -- Link of the meeting.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE call_sessions (
    id TEXT PRIMARY KEY,  -- Id of the session.
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    call_record_id TEXT NOT NULL REFERENCES call_records (id),  -- Call it is part of.
    caller JSON,  -- Endpoint that called.
    callee JSON,  -- Endpoint that answered.
    failure_info JSON,  -- What went wrong, if anything.
    modalities JSON DEFAULT '[]',  -- Sound, picture, screen.
    segments JSON DEFAULT '[]',  -- Stretches between two endpoints.
    start_date_time TEXT NOT NULL,  -- When it began.
    end_date_time TEXT  -- When it ended.
);

CREATE TABLE online_meetings (
    id TEXT PRIMARY KEY,  -- Id of the meeting.
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    user_id TEXT NOT NULL,  -- Who called the meeting.
    subject TEXT,  -- What it is about.
    start_date_time TEXT NOT NULL,  -- When it begins.
    end_date_time TEXT,  -- When it ends.
    creation_date_time TEXT,  -- When it was planned.
    external_id TEXT,  -- Id elsewhere.
    join_web_url TEXT,  -- Link to join by.
    video_teleconference_id TEXT,  -- Id for conference rooms.
    allow_attendee_to_enable_camera BOOLEAN DEFAULT 1,  -- Whether attendees may show themselves.
    allow_attendee_to_enable_mic BOOLEAN DEFAULT 1,  -- Whether attendees may speak.
    allow_breakout_rooms BOOLEAN DEFAULT 1,  -- Whether it can split into rooms.
    allow_copying_and_sharing_meeting_content BOOLEAN DEFAULT 1,  -- Whether contents may be copied.
    allow_live_share TEXT DEFAULT 'enabled',  -- Whether apps may be used together: enabled or disabled.
    allow_meeting_chat TEXT DEFAULT 'enabled',  -- Whether people may write.
    allow_participants_to_change_name BOOLEAN DEFAULT 0,  -- Whether people may rename themselves.
    allow_powerpoint_sharing BOOLEAN DEFAULT 1,  -- Whether slides may be shown.
    allow_recording BOOLEAN DEFAULT 1,  -- Whether it may be recorded.
    allow_teamwork_reactions BOOLEAN DEFAULT 1,  -- Whether people may react.
    allow_transcription BOOLEAN DEFAULT 1,  -- Whether it may be written down.
    allow_whiteboard BOOLEAN DEFAULT 1,  -- Whether there is a whiteboard.
    allowed_lobby_admitters TEXT,  -- Who may let people in.
    allowed_presenters TEXT,  -- Who may present.
    is_end_to_end_encryption_enabled BOOLEAN DEFAULT 0,  -- Whether nobody between can listen.
    is_entry_exit_announced BOOLEAN DEFAULT 1,  -- Whether coming and going is heard.
    record_automatically BOOLEAN DEFAULT 0,  -- Whether recording starts by itself.
    share_meeting_chat_history_default TEXT,  -- What newcomers see of the chat.
    meeting_template_id TEXT,  -- Template of the meeting.
    is_broadcast BOOLEAN DEFAULT 0,  -- Whether it goes out to many.
    chat_info JSON,  -- Its chat.
    participants JSON,  -- Organizer and attendees.
    lobby_bypass_settings JSON,  -- Who need not wait.
    audio_conferencing JSON,  -- Numbers to call.
    chat_restrictions JSON,  -- What may not be written.
    join_information JSON,  -- What the invitation says.
    join_meeting_id_settings JSON,  -- Number and passcode to join by.
    watermark_protection JSON,  -- Whose name is shown on the picture.
    broadcast_settings JSON,  -- How it goes out.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    FOREIGN KEY (org_id, user_id) REFERENCES teams_users (org_id, user_id)
);

CREATE TABLE call_transcripts (
    id TEXT PRIMARY KEY,  -- Id of the transcript.
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    meeting_id TEXT NOT NULL REFERENCES online_meetings (id),  -- Meeting it is of.
    call_id TEXT,  -- Call it is of.
    created_date_time TEXT,  -- When it was begun.
    end_date_time TEXT,  -- When it was ended.
    content_correlation_id TEXT,  -- What ties it to the recording.
    transcript_content_url TEXT,  -- Where its text is.
    content TEXT,  -- Its text.
    metadata_content TEXT,  -- Who spoke when.
    meeting_organizer JSON,  -- Who called the meeting.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE meeting_attendance_reports (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    id TEXT PRIMARY KEY,  -- Id of the report.
    meeting_id TEXT NOT NULL REFERENCES online_meetings (id),  -- Meeting it is of.
    total_participant_count INTEGER DEFAULT 0,  -- How many came.
    meeting_start_date_time TEXT,  -- When the meeting began.
    meeting_end_date_time TEXT,  -- When the meeting ended.
    external_event_information JSON,  -- Ids elsewhere.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME  -- When the record last changed. [updated]
);

CREATE TABLE attendance_records (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    id TEXT PRIMARY KEY,  -- Id of the record.
    report_id TEXT NOT NULL REFERENCES meeting_attendance_reports (id),  -- Report it is part of.
    email_address TEXT,  -- Address of the attendee.
    identity_id TEXT,  -- Id of the attendee.
    display_name TEXT,  -- Name of the attendee.
    total_attendance_in_seconds INTEGER DEFAULT 0,  -- How long the attendee stayed.
    role TEXT,  -- Presenter, Attendee or Organizer.
    attendance_intervals JSON,  -- When the attendee came and left.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME  -- When the record last changed. [updated]
);

-- Webinars and town halls

CREATE TABLE virtual_event_webinars (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    id TEXT PRIMARY KEY,  -- Id of the event: two UUIDs with an @ between.
    display_name TEXT NOT NULL,  -- What the event is called.
    description_content_type TEXT NOT NULL DEFAULT 'text' CHECK (description_content_type IN ('text', 'html')),  -- How the description is written.
    description_content TEXT,  -- What the event is about.
    start_date_time TEXT NOT NULL,  -- When it begins, in its time zone.
    start_time_zone TEXT NOT NULL DEFAULT 'UTC',  -- Time zone of the beginning, by its Windows name.
    end_date_time TEXT NOT NULL,  -- When it ends, in its time zone.
    end_time_zone TEXT NOT NULL DEFAULT 'UTC',  -- Time zone of the end, by its Windows name.
    audience TEXT NOT NULL CHECK (audience IN ('everyone', 'organization', 'unknownFutureValue')),  -- Who may come.
    status TEXT DEFAULT 'draft' CHECK (status IN ('draft', 'published', 'canceled', 'unknownFutureValue')),  -- How far it is.
    created_by_user_id TEXT NOT NULL,  -- Who organizes it.
    created_by_display_name TEXT,  -- Name of the organizer.
    created_by_tenant_id TEXT,  -- Tenant of the organizer.
    is_attendee_email_notification_enabled BOOLEAN DEFAULT 0,  -- Whether attendees get mail about it.
    external_event_information JSON DEFAULT '[]',  -- Ids elsewhere.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    FOREIGN KEY (org_id, created_by_user_id) REFERENCES teams_users (org_id, user_id)
);

CREATE TABLE virtual_event_webinar_coorganizers (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    webinar_id TEXT NOT NULL REFERENCES virtual_event_webinars (id),  -- The webinar.
    user_id TEXT NOT NULL,  -- Who helps to run it.
    added_at DATETIME,  -- When the record was made. [created]
    PRIMARY KEY (webinar_id, user_id),
    FOREIGN KEY (org_id, user_id) REFERENCES teams_users (org_id, user_id)
);

CREATE TABLE virtual_event_webinar_presenters (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    webinar_id TEXT NOT NULL REFERENCES virtual_event_webinars (id),  -- The webinar.
    presenter_id TEXT PRIMARY KEY,  -- Id of the entry. [{uuid}]
    identity_type TEXT,  -- User or guest.
    identity_id TEXT,  -- Id of the speaker.
    email TEXT,  -- Address of the speaker.
    display_name TEXT,  -- Name of the speaker.
    guest_email TEXT,  -- Address of a speaker from outside.
    presenter_details_bio_content TEXT,  -- What is said of the speaker.
    presenter_details_bio_content_type TEXT,  -- How that is written: text or html.
    presenter_details_company TEXT,  -- Company of the speaker.
    presenter_details_job_title TEXT,  -- Title of the speaker.
    presenter_details_linkedin_profile_web_url TEXT,  -- Profile of the speaker.
    presenter_details_personal_site_web_url TEXT,  -- Web page of the speaker.
    presenter_details_twitter_profile_web_url TEXT,  -- Another profile of the speaker.
    added_at DATETIME  -- When the record was made. [created]
);

CREATE TABLE virtual_event_townhalls (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    id TEXT PRIMARY KEY,  -- Id of the event: two UUIDs with an @ between.
    display_name TEXT NOT NULL,  -- What the event is called.
    description_content_type TEXT NOT NULL DEFAULT 'text' CHECK (description_content_type IN ('text', 'html')),  -- How the description is written.
    description_content TEXT,  -- What the event is about.
    start_date_time TEXT NOT NULL,  -- When it begins, in its time zone.
    start_time_zone TEXT NOT NULL DEFAULT 'UTC',  -- Time zone of the beginning, by its Windows name.
    end_date_time TEXT NOT NULL,  -- When it ends, in its time zone.
    end_time_zone TEXT NOT NULL DEFAULT 'UTC',  -- Time zone of the end, by its Windows name.
    audience TEXT NOT NULL CHECK (audience IN ('everyone', 'organization', 'unknownFutureValue')),  -- Who may come.
    is_invite_only BOOLEAN DEFAULT 0,  -- Whether only those invited may come.
    status TEXT DEFAULT 'draft' CHECK (status IN ('draft', 'published', 'canceled', 'unknownFutureValue')),  -- How far it is.
    created_by_user_id TEXT NOT NULL,  -- Who organizes it.
    created_by_display_name TEXT,  -- Name of the organizer.
    created_by_tenant_id TEXT,  -- Tenant of the organizer.
    is_attendee_email_notification_enabled BOOLEAN DEFAULT 0,  -- Whether attendees get mail about it.
    external_event_information JSON DEFAULT '[]',  -- Ids elsewhere.
    created_at DATETIME,  -- When the record was made. [created]
    updated_at DATETIME,  -- When the record last changed. [updated]
    FOREIGN KEY (org_id, created_by_user_id) REFERENCES teams_users (org_id, user_id)
);

CREATE TABLE virtual_event_townhall_coorganizers (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    townhall_id TEXT NOT NULL REFERENCES virtual_event_townhalls (id),  -- The town hall.
    user_id TEXT NOT NULL,  -- Who helps to run it.
    added_at DATETIME,  -- When the record was made. [created]
    PRIMARY KEY (townhall_id, user_id),
    FOREIGN KEY (org_id, user_id) REFERENCES teams_users (org_id, user_id)
);

CREATE TABLE virtual_event_townhall_invited_attendees (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    townhall_id TEXT NOT NULL REFERENCES virtual_event_townhalls (id),  -- The town hall.
    identity_id TEXT NOT NULL,  -- Who is invited: a user, or a guest's address.
    identity_type TEXT NOT NULL CHECK (identity_type IN ('communicationsUserIdentity', 'communicationsGuestIdentity')),  -- User or guest.
    display_name TEXT,  -- Name of the person.
    tenant_id TEXT,  -- Tenant of the person.
    guest_email TEXT,  -- Address of a guest.
    added_at DATETIME,  -- When the record was made. [created]
    PRIMARY KEY (townhall_id, identity_id)
);

CREATE TABLE virtual_event_townhall_presenters (
    org_id TEXT NOT NULL REFERENCES teams_orgs (org_id),  -- Organization it belongs to.
    townhall_id TEXT NOT NULL REFERENCES virtual_event_townhalls (id),  -- The town hall.
    presenter_id TEXT PRIMARY KEY,  -- Id of the entry. [{uuid}]
    identity_type TEXT,  -- User or guest.
    identity_id TEXT,  -- Id of the speaker.
    email TEXT,  -- Address of the speaker.
    display_name TEXT,  -- Name of the speaker.
    guest_email TEXT,  -- Address of a speaker from outside.
    added_at DATETIME  -- When the record was made. [created]
);
-- The shapes of Microsoft Graph, a view each. A column called "+x" is shown only where a call expands x, one
-- called "_x" is never shown but can be asked for.

CREATE VIEW graph_user AS
SELECT 'https://graph.microsoft.com/v1.0/$metadata#users/$entity' AS "@odata.context",
    user_id AS id, user_principal_name AS "userPrincipalName", display_name AS "displayName",
    account_enabled AS "accountEnabled", given_name AS "givenName", surname, job_title AS "jobTitle", mail,
    mail_nickname AS "mailNickname", business_phones AS "businessPhones", mobile_phone AS "mobilePhone",
    office_location AS "officeLocation", preferred_language AS "preferredLanguage", department,
    company_name AS "companyName", usage_location AS "usageLocation", city, state, country,
    street_address AS "streetAddress", postal_code AS "postalCode", employee_id AS "employeeId",
    employee_type AS "employeeType", user_type AS "userType", employee_hire_date AS "employeeHireDate",
    other_mails AS "otherMails", on_premises_sync_enabled AS "onPremisesSyncEnabled", NULL AS identities,
    NULL AS "passwordPolicies", about_me AS "aboutMe", birthday, interests, skills, my_site AS "mySite",
    preferred_name AS "preferredName", fax_number AS "faxNumber", age_group AS "ageGroup",
    NULL AS "lastPasswordChangeDateTime", is_resource_account AS "isResourceAccount",
    past_projects AS "pastProjects", responsibilities, schools, employee_org_data AS "employeeOrgData",
    org_id AS "orgId", created_at AS "createdDateTime", updated_at AS "lastModifiedDateTime",
    soft_deleted AS "softDeleted"
FROM teams_users;

CREATE VIEW graph_group AS
SELECT group_id AS id, NULL AS "deletedDateTime", classification, created_date_time AS "createdDateTime",
    description, display_name AS "displayName", group_types AS "groupTypes",
    is_assignable_to_role AS "isAssignableToRole", mail, mail_enabled AS "mailEnabled",
    mail_nickname AS "mailNickname", membership_rule AS "membershipRule",
    membership_rule_processing_state AS "membershipRuleProcessingState",
    preferred_data_location AS "preferredDataLocation", preferred_language AS "preferredLanguage",
    resource_behavior_options AS "resourceBehaviorOptions",
    resource_provisioning_options AS "resourceProvisioningOptions", security_enabled AS "securityEnabled",
    theme, unique_name AS "uniqueName", visibility, members AS "+members", owners AS "+owners", org_id AS _org
FROM groups WHERE NOT soft_delete;

CREATE VIEW graph_team AS
SELECT t.team_id AS id, t.display_name AS "displayName", t.description, t.visibility, t.specialization,
    t.is_archived AS "isArchived", t.web_url AS "webUrl", t.created_date_time AS "createdDateTime",
    t.internal_id AS "internalId", t.classification, o.tenant_id AS "tenantId",
    t.member_settings AS "memberSettings", t.guest_settings AS "guestSettings",
    t.messaging_settings AS "messagingSettings", t.fun_settings AS "funSettings",
    t.discovery_settings AS "discoverySettings", t.incoming_channels AS "incomingChannels", t.org_id AS _org
FROM teams t JOIN teams_orgs o USING (org_id) WHERE NOT t.soft_delete;

CREATE VIEW graph_team_member AS
SELECT m.value ->> 'id' AS id, m.value -> 'roles' AS "roles JSON", m.value ->> 'displayName' AS "displayName",
    m.value ->> 'visibleHistoryStartDateTime' AS "visibleHistoryStartDateTime", m.value ->> 'userId' AS "userId",
    m.value ->> 'email' AS email, m.value ->> 'tenantId' AS "tenantId", t.team_id AS _team
FROM teams t JOIN json_each(t.members) m;

CREATE VIEW graph_tag AS
SELECT id, team_id AS "teamId", display_name AS "displayName", description,
    (SELECT count(*) FROM teamwork_tag_members m WHERE m."tagId" = t.id) AS "memberCount", tag_type AS "tagType",
    (SELECT json_group_array(json_object('id', id, 'userId', "userId", 'displayName', "displayName",
        'tenantId', "tenantId")) FROM teamwork_tag_members m WHERE m."tagId" = t.id) AS "+members JSON"
FROM teamwork_tags t;

CREATE VIEW graph_app AS
SELECT app_id AS id, external_id AS "externalId", display_name AS "displayName",
    distribution_method AS "distributionMethod", json_array(json_object('id', app_id, 'teamsAppId', teams_app_id,
        'azureADAppId', azure_ad_app_id, 'displayName', display_name, 'version', version,
        'publishingState', publishing_state, 'description', description)) AS "+appDefinitions JSON", org_id AS _org
FROM teams_apps;

CREATE VIEW graph_installed_app AS
SELECT installation_id AS id, consented_permission_set AS "consentedPermissionSet",
    json_object('id', teams_app_id, 'externalId', teams_app_external_id, 'displayName', teams_app_display_name,
        'distributionMethod', teams_app_distribution_method) AS "+teamsApp JSON",
    json_object('id', teams_app_definition_id, 'teamsAppId', teams_app_id, 'azureADAppId', azure_ad_app_id,
        'displayName', teams_app_display_name, 'version', teams_app_definition_version,
        'requiredResourceSpecificApplicationPermissions', json(required_resource_specific_permissions),
        'publishingState', publishing_state, 'shortDescription', short_description, 'description', description,
        'lastModifiedDateTime', NULL, 'createdBy', NULL) AS "+teamsAppDefinition JSON",
    team_id AS _team
FROM installed_apps WHERE NOT soft_delete;

CREATE VIEW graph_tab AS
SELECT t.tab_id AS id, t.display_name AS "displayName", t.web_url AS "webUrl",
    t.sort_order_index AS "sortOrderIndex", t.configuration_json AS configuration,
    json_object('id', a.app_id, 'externalId', a.external_id, 'displayName', a.display_name,
        'distributionMethod', a.distribution_method) AS "+teamsApp JSON", t.channel_id AS _channel
FROM teams_channel_tabs t LEFT JOIN teams_apps a USING (org_id, app_id);

CREATE VIEW graph_channel AS
SELECT 'https://graph.microsoft.com/v1.0/tenants/' || o.tenant_id || '/teams/' || c.team_id || '/channels/'
        || c.channel_id AS "@odata.id",
    c.channel_id AS id, c.created_date_time AS "createdDateTime", c.display_name AS "displayName", c.description,
    c.is_favorite_by_default AS "isFavoriteByDefault", c.email, o.tenant_id AS "tenantId",
    'https://teams.microsoft.com/l/channel/' || c.channel_id AS "webUrl", c.membership_type AS "membershipType",
    c.is_archived AS "isArchived",
    (SELECT json_group_array(json_object('id', m.id, 'roles', json_array(m.roles), 'displayName', m.display_name,
        'userId', m.user_id, 'email', m.email)) FROM channel_members m WHERE m.channel_id = c.channel_id)
        AS "+members JSON",
    (SELECT json_group_array(json_object('id', t.tab_id, 'displayName', t.display_name, 'webUrl', t.web_url))
        FROM teams_channel_tabs t WHERE t.channel_id = c.channel_id) AS "+tabs JSON",
    c.team_id AS _team
FROM channels c JOIN teams_orgs o USING (org_id) WHERE NOT c.soft_delete;

CREATE VIEW graph_files_folder AS
SELECT drive_item_id AS id, name, size, web_url AS "webUrl", web_dav_url AS "webDavUrl", e_tag AS "eTag",
    c_tag AS "cTag", description, created_date_time AS "createdDateTime",
    last_modified_date_time AS "lastModifiedDateTime", created_by_json AS "createdBy",
    last_modified_by_json AS "lastModifiedBy", json_object('driveId', drive_id, 'driveType', drive_type,
        'id', parent_id, 'path', parent_path, 'name', parent_name, 'siteId', parent_site_id)
        AS "parentReference JSON",
    json_object('createdDateTime', fs_created_date_time, 'lastModifiedDateTime', fs_last_modified_date_time)
        AS "fileSystemInfo JSON",
    json_object('childCount', child_count) AS "folder JSON", channel_id AS _channel
FROM channel_files_folders;

CREATE VIEW graph_channel_message AS
SELECT m.message_id AS id, m.reply_to_id AS "replyToId", m.etag, m.message_type AS "messageType",
    m.created_datetime AS "createdDateTime", m.last_modified_datetime AS "lastModifiedDateTime",
    m.last_edited_datetime AS "lastEditedDateTime", m.deleted_datetime AS "deletedDateTime", m.subject, m.summary,
    NULL AS "chatId", m.importance, m.locale, m.web_url AS "webUrl", m.policy_violation_json AS "policyViolation",
    m.event_detail_json AS "eventDetail", m.from_json AS "from", m.body_json AS body,
    json_object('teamId', m.team_id, 'channelId', m.channel_id) AS "channelIdentity JSON",
    m.attachments_json AS attachments, m.mentions_json AS mentions, m.reactions_json AS reactions,
    m.message_history_json AS "messageHistory",
    (SELECT json_group_array(json_object('id', r.message_id, 'replyToId', r.reply_to_id,
        'createdDateTime', r.created_datetime, 'deletedDateTime', r.deleted_datetime, 'importance', r.importance,
        'from', json(r.from_json), 'body', json(r.body_json)))
        FROM channel_messages r WHERE r.reply_to_id = m.message_id) AS "+replies JSON",
    '[]' AS "+hostedContents JSON", m.channel_id AS _channel
FROM channel_messages m;

CREATE VIEW graph_chat_message AS
SELECT message_id AS id, reply_to_id AS "replyToId", etag, message_type AS "messageType",
    created_datetime AS "createdDateTime", last_modified_datetime AS "lastModifiedDateTime",
    last_edited_datetime AS "lastEditedDateTime", deleted_datetime AS "deletedDateTime", subject, summary,
    chat_id AS "chatId", importance, locale, web_url AS "webUrl", channel_identity_json AS "channelIdentity",
    policy_violation_json AS "policyViolation", event_detail_json AS "eventDetail", from_json AS "from",
    body_json AS body, attachments_json AS attachments, mentions_json AS mentions, reactions_json AS reactions,
    message_history_json AS "messageHistory"
FROM chat_messages;

CREATE VIEW graph_chat AS
SELECT c.chat_id AS id, c.topic, c.created_at AS "createdDateTime", c.updated_at AS "lastUpdatedDateTime",
    c.chat_type AS "chatType", 'https://teams.microsoft.com/l/chat/'
        || iif(c.chat_type = 'oneOnOne', replace(c.chat_id, '_', '%3A'), c.chat_id) || '/0?tenantId=' || c.org_id
        AS "webUrl",
    c.org_id AS "tenantId", NULL AS "onlineMeetingInfo",
    '{"isHidden": false, "lastMessageReadDateTime": null}' AS "viewpoint JSON", 'false' AS "isHiddenForAllMembers JSON",
    (SELECT json_group_array(json_object('id', m.chat_id || '_' || m.user_id, 'roles', json_array(m.roles),
        'displayName', m.display_name, 'userId', m.user_id, 'tenantId', m.tenant_id))
        FROM chat_members m WHERE m.chat_id = c.chat_id) AS "+members JSON",
    (SELECT json_object('id', p.message_id, 'createdDateTime', p.created_datetime,
        'isDeleted', json(iif(p.deleted_datetime IS NULL, 'false', 'true')), 'messageType', p.message_type,
        'body', json(p.body_json), 'from', json(p.from_json)) FROM chat_messages p WHERE p.chat_id = c.chat_id
        ORDER BY p.created_datetime DESC, p.message_id DESC LIMIT 1) AS "+lastMessagePreview JSON",
    c.org_id AS _org
FROM chats c WHERE NOT c.soft_delete;

CREATE VIEW graph_call AS
SELECT id, state, direction, callback_uri AS "callbackUri", call_chain_id AS "callChainId", source, targets,
    requested_modalities AS "requestedModalities", '[]' AS "activeModalities JSON", media_config AS "mediaConfig",
    chat_info AS "chatInfo", meeting_info AS "meetingInfo", my_participant_id AS "myParticipantId", subject,
    call_options AS "callOptions", '[]' AS "callRoutes JSON", NULL AS "resultInfo", NULL AS "mediaState",
    NULL AS "toneInfo", NULL AS transcription, NULL AS "answeredBy", NULL AS "ringingTimeoutInSeconds",
    NULL AS "tenantId", NULL AS "terminationReason", NULL AS "meetingCapability", '[]' AS "routingPolicies JSON"
FROM calls;

CREATE VIEW graph_call_session AS
SELECT id, caller, callee, failure_info AS "failureInfo", modalities, start_date_time AS "startDateTime",
    end_date_time AS "endDateTime", segments AS "+segments", call_record_id AS _record
FROM call_sessions;

CREATE VIEW graph_call_record AS
SELECT id, version, type, modalities, last_modified_date_time AS "lastModifiedDateTime",
    start_date_time AS "startDateTime", end_date_time AS "endDateTime", join_web_url AS "joinWebUrl", organizer,
    json_object('id', organizer ->> '$.user.id', 'identity', json(organizer)) AS "organizer_v2 JSON",
    participants AS "+participants_v2",
    (SELECT json_group_array(json_object('id', s.id, 'modalities', json(s.modalities), 'caller', json(s.caller),
        'callee', json(s.callee), 'startDateTime', s.start_date_time, 'endDateTime', s.end_date_time,
        '+segments', json(s.segments))) FROM call_sessions s WHERE s.call_record_id = r.id) AS "+sessions JSON",
    org_id AS _org
FROM call_records r;

CREATE VIEW graph_webinar AS
SELECT '#microsoft.graph.virtualEventWebinar' AS "@odata.type", id, status, display_name AS "displayName",
    json_object('contentType', description_content_type, 'content', description_content) AS "description JSON",
    json_object('dateTime', substr(start_date_time, 1, 19), 'timeZone', start_time_zone) AS "startDateTime JSON",
    json_object('dateTime', substr(end_date_time, 1, 19), 'timeZone', end_time_zone) AS "endDateTime JSON",
    audience, json_object('application', NULL, 'device', NULL, 'user', json_object(
        '@odata.type', '#microsoft.graph.communicationsUserIdentity', 'id', created_by_user_id,
        'displayName', created_by_display_name, 'tenantId', created_by_tenant_id)) AS "createdBy JSON",
    (SELECT json_group_array(json_object('id', u.user_id, 'tenantId', o.tenant_id, 'displayName', u.display_name))
        FROM virtual_event_webinar_coorganizers c JOIN teams_users u USING (org_id, user_id)
        JOIN teams_orgs o USING (org_id) WHERE c.webinar_id = w.id) AS "coOrganizers JSON",
    json_object('isAttendeeEmailNotificationEnabled',
        json(iif(is_attendee_email_notification_enabled, 'true', 'false'))) AS "settings JSON",
    external_event_information AS "externalEventInformation", org_id AS _org
FROM virtual_event_webinars w;

CREATE VIEW graph_townhall AS
SELECT '#microsoft.graph.virtualEventTownhall' AS "@odata.type", id, status, display_name AS "displayName",
    json_object('contentType', description_content_type, 'content', description_content) AS "description JSON",
    json_object('dateTime', substr(start_date_time, 1, 19), 'timeZone', start_time_zone) AS "startDateTime JSON",
    json_object('dateTime', substr(end_date_time, 1, 19), 'timeZone', end_time_zone) AS "endDateTime JSON",
    audience, is_invite_only AS "isInviteOnly",
    (SELECT json_group_array(json_object('@odata.type', '#microsoft.graph.' || i.identity_type,
        'id', i.identity_id, 'displayName', i.display_name, 'tenantId', i.tenant_id, 'email', i.guest_email))
        FROM virtual_event_townhall_invited_attendees i WHERE i.townhall_id = t.id) AS "invitedAttendees JSON",
    json_object('application', NULL, 'device', NULL, 'user', json_object(
        '@odata.type', '#microsoft.graph.communicationsUserIdentity', 'id', created_by_user_id,
        'displayName', created_by_display_name, 'tenantId', created_by_tenant_id)) AS "createdBy JSON",
    (SELECT json_group_array(json_object('id', u.user_id, 'tenantId', o.tenant_id, 'displayName', u.display_name))
        FROM virtual_event_townhall_coorganizers c JOIN teams_users u USING (org_id, user_id)
        JOIN teams_orgs o USING (org_id) WHERE c.townhall_id = t.id) AS "coOrganizers JSON",
    json_object('isAttendeeEmailNotificationEnabled',
        json(iif(is_attendee_email_notification_enabled, 'true', 'false'))) AS "settings JSON",
    external_event_information AS "externalEventInformation", org_id AS _org
FROM virtual_event_townhalls t;

CREATE VIEW user_role AS
SELECT org_id, user_id, CASE
    WHEN EXISTS (SELECT 1 FROM teams_user_roles r WHERE (r.org_id, r.user_id) = (u.org_id, u.user_id)
        AND r.role_name = 'Global Administrator') THEN 'admin'
    WHEN EXISTS (SELECT 1 FROM teams_user_roles r WHERE (r.org_id, r.user_id) = (u.org_id, u.user_id)
        AND r.role_name = 'Teams Administrator') THEN 'teams_admin'
    WHEN EXISTS (SELECT 1 FROM teams_user_roles r WHERE (r.org_id, r.user_id) = (u.org_id, u.user_id)
        AND r.role_name = 'User Administrator') THEN 'user_admin'
    ELSE lower(coalesce(user_type, 'Member')) END AS role
FROM teams_users u;

CREATE VIEW next_chat_message AS
SELECT max(CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER),
    1 + coalesce((SELECT max(CAST(message_id AS INTEGER)) FROM chat_messages), 0)) AS id;

CREATE INDEX channels_team ON channels (team_id);
CREATE INDEX channel_messages_channel ON channel_messages (channel_id);
CREATE INDEX channel_messages_reply ON channel_messages (reply_to_id);
CREATE INDEX chat_messages_chat ON chat_messages (chat_id);
CREATE INDEX teams_channel_tabs_channel ON teams_channel_tabs (channel_id);
CREATE INDEX call_sessions_record ON call_sessions (call_record_id);
