-- The tables of the Calendar server. A column's description is what tools say of the arguments bound to it.
-- Times of events are wall-clock times in the time zone beside them; all other times are UTC.

CREATE TABLE colors (
    id INTEGER NOT NULL PRIMARY KEY,  -- Row number; events refer to it by its digits.
    color_id VARCHAR(10) NOT NULL,  -- Number of the colour within its kind.
    color_type VARCHAR(8) NOT NULL CHECK (color_type IN ('CALENDAR', 'EVENT')),  -- What the colour is for.
    background VARCHAR(7) NOT NULL,  -- Colour of the surface, as #rrggbb.
    foreground VARCHAR(7) NOT NULL,  -- Colour of the writing on it, as #rrggbb.
    created_at DATETIME,  -- When it was made. [created]
    updated_at DATETIME  -- When it was changed last. [updated]
);

CREATE TABLE office_locations (
    id VARCHAR(255) NOT NULL PRIMARY KEY,  -- Id of the place. [{uuid}]
    "buildingId" VARCHAR(255),  -- Building.
    "deskId" VARCHAR(255),  -- Desk.
    "floorId" VARCHAR(255),  -- Floor.
    "floorSectionId" VARCHAR(255),  -- Part of the floor.
    label VARCHAR(255) NOT NULL  -- What people call the place.
);

CREATE TABLE recurring_events (
    recurring_event_id VARCHAR(255) NOT NULL PRIMARY KEY,  -- Id of the series. [{uuid}]
    original_recurrence TEXT  -- The rules that the series was made with, as a JSON array.
);

CREATE TABLE scopes (
    id VARCHAR NOT NULL PRIMARY KEY,  -- Id of the scope. [{uuid}]
    type VARCHAR(7) NOT NULL CHECK (type IN ('default', 'user', 'group', 'domain')),  -- Whom it covers: one person, a group, a domain, or everybody.
    value VARCHAR  -- Address of the person or group, or name of the domain.
);

CREATE TABLE users (
    user_id VARCHAR(255) NOT NULL PRIMARY KEY,  -- Id of the person or room.
    email VARCHAR(255) NOT NULL UNIQUE,  -- Address of the person or room.
    name VARCHAR(255) NOT NULL,  -- Full name.
    given_name VARCHAR(255),  -- First name.
    family_name VARCHAR(255),  -- Last name.
    picture VARCHAR(500),  -- Address of a picture.
    locale VARCHAR(10) DEFAULT 'en',  -- Language.
    timezone VARCHAR(100) NOT NULL DEFAULT 'UTC',  -- IANA time zone the person lives by.
    is_active BOOLEAN NOT NULL DEFAULT 1,  -- False for those who have left.
    is_verified BOOLEAN NOT NULL DEFAULT 0,  -- Whether the address is confirmed.
    provider VARCHAR(50),  -- Who signs the person in.
    provider_id VARCHAR(255),  -- Id of the person there.
    static_token VARCHAR(255) NOT NULL,  -- What the header x-access-token carries.
    access_token_hash TEXT,  -- Hash of a token of the provider.
    refresh_token_hash TEXT,  -- Hash of the token that renews it.
    created_at DATETIME,  -- When the account was made. [created]
    updated_at DATETIME,  -- When it was changed last. [updated]
    last_login_at DATETIME  -- When the person last signed in.
);

CREATE TABLE watch_channels (
    id VARCHAR NOT NULL PRIMARY KEY,  -- Id that the caller chooses for the channel.
    resource_id VARCHAR NOT NULL,  -- Id of what is watched.
    resource_uri VARCHAR NOT NULL,  -- Path of what is watched.
    resource_type VARCHAR NOT NULL DEFAULT 'acl',  -- Kind of what is watched: acl, event, settings or calendar_list.
    calendar_id VARCHAR NOT NULL,  -- Calendar it belongs to; empty for settings and the calendar list.
    user_id VARCHAR NOT NULL,  -- Who opened the channel.
    webhook_address VARCHAR NOT NULL,  -- HTTPS address that is told of changes.
    webhook_token VARCHAR,  -- Secret sent along, by which the receiver knows the sender.
    webhook_type VARCHAR NOT NULL DEFAULT 'web_hook',  -- How it is told; web_hook is the only way.
    params TEXT,  -- Further settings, as a JSON object.
    created_at DATETIME NOT NULL,  -- When it was opened. [created]
    expires_at DATETIME,  -- When it ends by itself.
    last_notification_at DATETIME,  -- When it was last told of a change.
    is_active VARCHAR NOT NULL DEFAULT 'true',  -- 'true' while it is open, then 'false'.
    notification_count INTEGER NOT NULL DEFAULT 0  -- How often it was told of a change.
);

CREATE TABLE calendars (
    calendar_id VARCHAR(255) NOT NULL PRIMARY KEY,  -- Id of the calendar. [{uuid}]
    user_id VARCHAR(255) NOT NULL REFERENCES users (user_id),  -- Whose calendar it is.
    summary VARCHAR(255) NOT NULL CHECK (length(summary) >= 1) CHECK (length(summary) <= 255),  -- Title of the calendar.
    description TEXT CHECK (length(description) <= 1000),  -- What the calendar is for.
    location VARCHAR(500) CHECK (length(location) <= 500),  -- Where it belongs, in words.
    time_zone VARCHAR(100) NOT NULL DEFAULT 'UTC',  -- IANA time zone of the calendar.
    conference_properties TEXT,  -- Which video conferences it allows, as a JSON object.
    is_primary BOOLEAN NOT NULL DEFAULT 0,  -- Whether it is its owner's main calendar.
    summary_override VARCHAR(255) CHECK (length(summary_override) <= 255),  -- Title in the calendar list, in place of its own.
    color_id VARCHAR(50) CHECK (length(color_id) <= 50),  -- Number of one of the calendar colours.
    background_color VARCHAR(7),  -- Surface colour in the calendar list, as #rrggbb.
    foreground_color VARCHAR(7),  -- Writing colour in the calendar list, as #rrggbb.
    hidden BOOLEAN NOT NULL DEFAULT 0,  -- Whether the calendar list leaves it out.
    selected BOOLEAN NOT NULL DEFAULT 1,  -- Whether its events are on display.
    default_reminders TEXT,  -- Reminders of events that ask for the default, as a JSON array.
    notification_settings TEXT,  -- What its owner is written about, as a JSON object.
    deleted BOOLEAN NOT NULL DEFAULT 0,  -- Whether it was taken off the calendar list.
    created_at DATETIME,  -- When it was made. [created]
    updated_at DATETIME  -- When it was changed last. [updated]
);
CREATE UNIQUE INDEX one_primary_calendar ON calendars (user_id) WHERE is_primary;

CREATE TABLE settings (
    id VARCHAR(255) NOT NULL PRIMARY KEY,  -- Id of the setting: its owner and its name.
    value VARCHAR(255) NOT NULL,  -- What it is set to.
    etag VARCHAR(255),  -- Version.
    user_id VARCHAR(255) REFERENCES users (user_id)  -- Whose setting it is.
);

CREATE TABLE acls (
    id VARCHAR NOT NULL PRIMARY KEY,  -- Id of the rule. [{uuid}]
    calendar_id VARCHAR NOT NULL REFERENCES calendars (calendar_id) ON DELETE CASCADE,  -- Calendar that it opens.
    user_id VARCHAR NOT NULL REFERENCES users (user_id),  -- Who set the rule.
    scope_id VARCHAR NOT NULL REFERENCES scopes (id),  -- Whom it lets in.
    role VARCHAR(14) NOT NULL CHECK (role IN ('none', 'freeBusyReader', 'reader', 'writer', 'owner')),  -- How far: nowhere, busy times only, reading, writing, or everything with sharing.
    etag VARCHAR,  -- Version. ["{uuid}"]
    created_at DATETIME,  -- When it was set. [created]
    updated_at DATETIME  -- When it was changed last. [updated]
);
CREATE INDEX acls_of_calendar ON acls (calendar_id);

CREATE TABLE events (
    event_id VARCHAR(255) NOT NULL PRIMARY KEY,  -- Id of the event. [{uuid}]
    calendar_id VARCHAR(255) NOT NULL REFERENCES calendars (calendar_id) ON DELETE CASCADE,  -- Calendar that it stands on.
    user_id VARCHAR(255) NOT NULL REFERENCES users (user_id),  -- Who made it.
    organizer_id VARCHAR(255),  -- Id of who invites.
    organizer_email VARCHAR(255),  -- Address of who invites.
    organizer_display_name VARCHAR(255),  -- Name of who invites.
    organizer_self BOOLEAN DEFAULT 0,  -- Whether the maker is the one who invites.
    recurring_event_id VARCHAR(255) REFERENCES recurring_events (recurring_event_id) ON DELETE CASCADE,  -- Series that it belongs to.
    summary VARCHAR(255),  -- Title.
    description TEXT,  -- What it is about.
    location VARCHAR(500),  -- Where it takes place.
    start_datetime DATETIME NOT NULL,  -- When it begins, by the clocks of its time zone.
    end_datetime DATETIME NOT NULL,  -- When it ends, by the clocks of its time zone.
    start_timezone VARCHAR(100),  -- IANA time zone of the beginning.
    end_timezone VARCHAR(100),  -- IANA time zone of the end.
    recurrence TEXT,  -- The lines of RFC 5545 that make it a series, as a JSON array.
    status VARCHAR(50) NOT NULL DEFAULT 'confirmed' CHECK (status IN ('confirmed', 'tentative', 'cancelled')),  -- Whether it will take place.
    visibility VARCHAR(50) NOT NULL DEFAULT 'default' CHECK (visibility IN ('default', 'public', 'private', 'confidential')),  -- Who may read it: all readers of the calendar, or only those it concerns.
    color_id VARCHAR(50) REFERENCES colors (id) ON DELETE SET NULL,  -- Number of one of the event colours.
    "eventType" VARCHAR(15) NOT NULL DEFAULT 'default' CHECK ("eventType" IN ('birthday', 'default', 'focusTime', 'fromGmail', 'outOfOffice', 'workingLocation')),  -- What sort of event it is; it stays so.
    "focusTimeProperties" JSON,  -- What happens to invitations during focus time.
    "guestsCanInviteOthers" BOOLEAN NOT NULL DEFAULT 1,  -- Whether guests may bring in more guests.
    "guestsCanModify" BOOLEAN NOT NULL DEFAULT 0,  -- Whether guests may change the event.
    "guestsCanSeeOtherGuests" BOOLEAN NOT NULL DEFAULT 1,  -- Whether guests see who else is invited.
    "outOfOfficeProperties" JSON,  -- What happens to invitations during an absence.
    sequence INTEGER,  -- How often it was changed, as iCalendar counts.
    source JSON,  -- Web page that it came from.
    transparency VARCHAR(50) DEFAULT 'opaque' CHECK (transparency IN ('opaque', 'transparent')),  -- Whether it makes its people busy (opaque) or not.
    "iCalUID" VARCHAR(255),  -- Id that all calendar programs know it by, such as abc123@corvane.example.
    "privateCopy" BOOLEAN DEFAULT 0,  -- Whether it is a copy for this calendar alone.
    locked BOOLEAN DEFAULT 0,  -- Whether its main fields are not to be changed.
    "hangoutLink" VARCHAR(500),  -- Address of its video call.
    "originalStartTime_date" DATE,  -- Day the series had planned for it; for other events, the day it begins.
    "originalStartTime_dateTime" DATETIME,  -- Time the series had planned for it; for other events, when it begins.
    "originalStartTime_timeZone" VARCHAR(100),  -- Time zone of that day or time.
    created_at DATETIME,  -- When it was made. [created]
    updated_at DATETIME  -- When it was changed last. [updated]
);
CREATE INDEX events_of_calendar ON events (calendar_id);
CREATE INDEX events_of_series ON events (recurring_event_id);
CREATE INDEX events_of_user ON events (user_id);

CREATE TABLE attachments (
    attachment_id VARCHAR(255) NOT NULL PRIMARY KEY,  -- Id of the attachment. [{uuid}]
    event_id VARCHAR(255) NOT NULL REFERENCES events (event_id) ON DELETE CASCADE,  -- Event it hangs on.
    file_url VARCHAR(2000) NOT NULL  -- Where the file is.
);
CREATE INDEX attachments_of_event ON attachments (event_id);

CREATE TABLE attendees (
    attendees_id VARCHAR(255) NOT NULL PRIMARY KEY,  -- Id of the invitation. [{uuid}]
    comment VARCHAR(255),  -- What the guest wrote back.
    "displayName" VARCHAR(255),  -- Name of the guest, as the invitation has it.
    "additionalGuests" INTEGER DEFAULT 0,  -- How many more the guest brings.
    optional BOOLEAN NOT NULL DEFAULT 0,  -- Whether it goes on without this guest.
    resource BOOLEAN NOT NULL DEFAULT 0,  -- Whether the guest is a room or a thing.
    "responseStatus" VARCHAR(50) NOT NULL DEFAULT 'needsAction' CHECK ("responseStatus" IN ('needsAction', 'declined', 'tentative', 'accepted')),  -- What the guest answered.
    event_id VARCHAR(255) NOT NULL REFERENCES events (event_id) ON DELETE CASCADE,  -- Event it invites to.
    user_id VARCHAR(255) REFERENCES users (user_id)  -- Who is invited.
);
CREATE INDEX attendees_of_event ON attendees (event_id);
CREATE INDEX attendees_of_user ON attendees (user_id);

CREATE TABLE birthday_properties (
    id VARCHAR(50) NOT NULL PRIMARY KEY,  -- Id of the row. [{uuid}]
    event_id VARCHAR(255) NOT NULL UNIQUE REFERENCES events (event_id) ON DELETE CASCADE,  -- Event it describes.
    type VARCHAR(50) NOT NULL DEFAULT 'birthday'  -- Sort of yearly day; birthday is the only one.
);

CREATE TABLE conference_data (
    id VARCHAR(50) NOT NULL PRIMARY KEY,  -- Code of the conference, or a generated id. [{uuid}]
    event_id VARCHAR(255) NOT NULL UNIQUE REFERENCES events (event_id) ON DELETE CASCADE,  -- Event it serves.
    solution_type VARCHAR(100),  -- Sort of conference.
    solution_name VARCHAR(255),  -- Name of the conference product.
    solution_icon_uri VARCHAR(500),  -- Its picture.
    request_id VARCHAR(255),  -- Id of the request that asked for a new conference.
    create_solution_type VARCHAR(100),  -- Sort of conference that was asked for.
    status_code VARCHAR(50),  -- What became of that request.
    entry_points JSON,  -- Ways to join.
    notes TEXT,  -- Words for those who join.
    signature VARCHAR(500),  -- Signature of the conference data.
    meeting_uri VARCHAR(500),  -- Address to join by video.
    label VARCHAR(255)  -- Name shown for it.
);

CREATE TABLE extended_properties (
    id VARCHAR(255) NOT NULL PRIMARY KEY,  -- Id of the row. [{uuid}]
    event_id VARCHAR(255) NOT NULL REFERENCES events (event_id) ON DELETE CASCADE,  -- Event it belongs to.
    scope VARCHAR(7) NOT NULL CHECK (scope IN ('private', 'shared')),  -- Whether only this calendar's copy has them.
    properties JSON  -- Names and values that a program keeps with the event.
);
CREATE INDEX extended_properties_of_event ON extended_properties (event_id);

CREATE TABLE reminders (
    id VARCHAR(255) NOT NULL PRIMARY KEY,  -- Id of the reminder. [{uuid}]
    event_id VARCHAR(255) NOT NULL REFERENCES events (event_id) ON DELETE CASCADE,  -- Event it reminds of.
    method VARCHAR(5) NOT NULL CHECK (method IN ('email', 'popup')),  -- How it reminds.
    minutes INTEGER NOT NULL,  -- How many minutes ahead.
    use_default BOOLEAN NOT NULL DEFAULT 1  -- Whether it stands for the calendar's own reminders.
);
CREATE INDEX reminders_of_event ON reminders (event_id);

CREATE TABLE working_location_properties (
    working_location_id VARCHAR(255) NOT NULL PRIMARY KEY,  -- Id of the row. [{uuid}]
    event_id VARCHAR(255) NOT NULL REFERENCES events (event_id) ON DELETE CASCADE,  -- Event it describes.
    type VARCHAR(50) NOT NULL CHECK (type IN ('homeOffice', 'officeLocation', 'customLocation')),  -- From where the person works.
    "homeOffice" JSON,  -- Details of working at home.
    "customLocationLabel" VARCHAR(255),  -- Name of a place that is neither home nor office.
    "officeLocationId" VARCHAR(255) UNIQUE REFERENCES office_locations (id)  -- Place in an office.
);
CREATE INDEX working_locations_of_event ON working_location_properties (event_id);

-- An event shows on its own calendar, and on the main calendar of everyone invited. It makes a series when it
-- alone has the rules of one: a seed may also hold every event of a series as a row with rules.
CREATE VIEW shown_events AS
SELECT p.shown_on, e.*, u.email AS creator_email, u.name AS creator_name, r.recurring_event_id AS series_id,
    e.recurrence IS NOT NULL AND e.recurrence NOT IN ('', '[]', 'null') AND NOT EXISTS (
        SELECT 1 FROM events o
        WHERE o.recurring_event_id = e.recurring_event_id AND o.event_id <> e.event_id AND o.recurrence IS NOT NULL
    ) AS is_series
FROM (
    SELECT event_id, calendar_id AS shown_on FROM events
    UNION
    SELECT a.event_id, c.calendar_id FROM calendars c JOIN attendees a ON a.user_id = c.user_id WHERE c.is_primary
) p
JOIN events e ON e.event_id = p.event_id LEFT JOIN users u ON u.user_id = e.user_id
LEFT JOIN recurring_events r ON r.recurring_event_id = e.recurring_event_id;

--- When a seed has run

INSERT OR IGNORE INTO scopes (id, type, value)
SELECT 'scope-' || u.user_id, 'user', u.email FROM users u
WHERE NOT EXISTS (SELECT 1 FROM scopes s WHERE s.type = 'user' AND s.value = u.email)
AND EXISTS (
    SELECT 1 FROM calendars c
    WHERE c.user_id = u.user_id AND NOT EXISTS (SELECT 1 FROM acls a WHERE a.calendar_id = c.calendar_id)
);
INSERT OR IGNORE INTO acls (id, calendar_id, user_id, scope_id, role, etag, created_at, updated_at)
SELECT 'acl-' || c.calendar_id, c.calendar_id, c.user_id, s.id, 'owner', '"acl-' || c.calendar_id || '"',
    c.created_at, c.updated_at
FROM calendars c JOIN users u ON u.user_id = c.user_id JOIN scopes s ON s.type = 'user' AND s.value = u.email
WHERE NOT EXISTS (SELECT 1 FROM acls a WHERE a.calendar_id = c.calendar_id);
