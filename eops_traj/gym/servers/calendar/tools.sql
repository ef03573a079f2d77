--- Calendar. How headers and slots are read: eops_traj/gym/tools/declarations.py. Most tools ask who may do what on which
--- calendar, or expand series, and so are functions; tools.py lists them. The same arguments go through many of
--- them: what is said of an argument here holds everywhere.

--- Which calendar, which event, which page
--   calendarId: Id of the calendar; 'primary' for your own main one; the address of a person for theirs. {type: string,
--     examples: [primary]}
--   eventId: Id of the event. One event of a series has an id of its own, as lists and instances show it. {type: string}
--   destination: Id of the calendar that the event goes to. {type: string}
--   maxResults: How many to show at most. {type: integer}
--   pageToken: The nextPageToken of the page before; without it, the first page. {type: string}
--   syncToken: The nextSyncToken of an earlier list, to see only what has changed since. {type: string}
--   showDeleted: Whether to show what was deleted or called off, too. {type: boolean}
--   timeMin: Only what ends after this moment. {type: string, examples: ['2026-01-05T09:00:00Z']}
--   timeMax: Only what begins before this moment; it is later than timeMin. {type: string,
--     examples: ['2026-01-12T09:00:00Z']}
--   timeZone: IANA time zone to show times in; without it, each in its own. {type: string, examples: [Asia/Tokyo]}
--   maxAttendees: How many guests of an event to show at most. {type: integer, minimum: 1}

--- What an event is made of
--   start: When it begins. {type: object, properties: {
--     dateTime: {type: string, description: A time with its offset or with timeZone beside it,
--       examples: ['2026-01-06T10:00:00-05:00', '2026-01-06T10:00:00']},
--     date: {type: string, description: 'The day, as YYYY-MM-DD, of an event that takes whole days'},
--     timeZone: {type: string, description: IANA time zone, examples: [America/New_York]}}}
--   end: When it ends; for whole days, the day after the last. {type: object, properties: {
--     dateTime: {type: string, description: A time with its offset or with timeZone beside it,
--       examples: ['2026-01-06T11:00:00-05:00', '2026-01-06T11:00:00']},
--     date: {type: string, description: 'The day after the last one, as YYYY-MM-DD'},
--     timeZone: {type: string, description: IANA time zone, examples: [America/New_York]}}}
--   originalStartTime: When it was planned; for a new event the same as start. {type: object, properties: {
--     dateTime: {type: string, description: The time of start}, date: {type: string, description: The day of start},
--     timeZone: {type: string, description: The zone of start}}}
--   attendees: Everyone invited; the list takes the place of the one before. {type: array, items: {type: object,
--     required: [email], properties: {
--     email: {type: string, description: Address of the guest, examples: [guest@elsewhere.example]},
--     displayName: {type: string, description: Name to show},
--     optional: {type: boolean, description: Whether it goes on without the guest},
--     resource: {type: boolean, description: Whether it is a room or a thing},
--     responseStatus: {type: string, enum: [needsAction, declined, tentative, accepted], description: The answer},
--     comment: {type: string, description: Words with the answer},
--     additionalGuests: {type: integer, minimum: 0, maximum: 999, description: How many more the guest brings}}}}
--   attachments: Files to attach; they count only with supportsAttachments. {type: array, items: {type: object,
--     required: [fileUrl], properties: {fileUrl: {type: string, description: https address of the file}}}}
--   supportsAttachments: Whether you mean to set attachments; without it they stay as they are. {type: boolean}
--   conferenceData: The video call; it counts only with conferenceDataVersion 1. Ask for a new one with createRequest,
--     or describe one with conferenceSolution and entryPoints. {type: object, properties: {
--     conferenceId: {type: string, description: Code of a call of an add-on},
--     conferenceSolution: {type: object, properties: {
--       key: {type: object, properties: {type: {type: string, description: hangoutsMeet or addOn}}},
--       name: {type: string, description: Name of the product}, iconUri: {type: string, description: Its picture}}},
--     createRequest: {type: object, properties: {
--       requestId: {type: string, description: An id that you choose anew for each request},
--       conferenceSolutionKey: {type: object, properties: {type: {type: string, description: hangoutsMeet or addOn}}}}},
--     entryPoints: {type: array, items: {type: object, properties: {
--       entryPointType: {type: string, description: 'video, phone, sip or more'},
--       uri: {type: string, description: Address or number}, label: {type: string, description: Text to show},
--       meetingCode: {type: string, description: Code of the meeting}, pin: {type: string, description: PIN},
--       accessCode: {type: string, description: Access code}, passcode: {type: string, description: Passcode},
--       password: {type: string, description: Password}}}},
--     notes: {type: string, description: Words for those who join},
--     signature: {type: string, description: Signature of the data}}}
--   conferenceDataVersion: 1 if you mean to set conferenceData; with 0 it stays as it is. {type: integer, minimum: 0, maximum: 1}
--   recurrence: The rules of a series, each a line such as RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=10 (DAILY, WEEKLY, MONTHLY,
--     YEARLY; INTERVAL, COUNT or UNTIL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS), EXDATE:20260113T140000Z for one left
--     out, RDATE for one more. {type: array, items: {type: string, examples: ['RRULE:FREQ=WEEKLY;COUNT=10']}}
--   reminders: What its people are reminded by. {type: object, properties: {
--     useDefault: {type: boolean, description: Whether the calendar's own reminders hold},
--     overrides: {type: array, description: Up to five instead of those, items: {type: object,
--       required: [method, minutes], properties: {
--       method: {type: string, enum: [email, popup], description: How},
--       minutes: {type: integer, minimum: 0, maximum: 40320, description: How long ahead}}}}}}
--   extendedProperties: Names and values that programs keep with the event. {type: object, properties: {
--     private: {type: object, description: For this copy alone}, shared: {type: object, description: For all copies}}}
--   birthdayProperties: For an event of the type birthday. {type: object, required: [type], properties: {
--     type: {type: string, enum: [birthday], description: Always birthday}}}
--   focusTimeProperties: For an event of the type focusTime. {type: object, properties: {
--     autoDeclineMode: {type: string, description: Which invitations it declines,
--       enum: [declineNone, declineAllConflictingInvitations, declineOnlyNewConflictingInvitations]},
--     chatStatus: {type: string, enum: [available, doNotDisturb], description: What chat shows meanwhile},
--     declineMessage: {type: string, description: Words with what is declined}}}
--   outOfOfficeProperties: For an event of the type outOfOffice. {type: object, properties: {
--     autoDeclineMode: {type: string, description: Which invitations it declines,
--       enum: [declineNone, declineAllConflictingInvitations, declineOnlyNewConflictingInvitations]},
--     declineMessage: {type: string, description: Words with what is declined}}}
--   workingLocationProperties: For an event of the type workingLocation. {type: object, required: [type], properties: {
--     type: {type: string, enum: [homeOffice, officeLocation, customLocation], description: Sort of place},
--     homeOffice: {type: object, additionalProperties: true, description: Where home is, properties: {
--       address_1: {type: string}, address_2: {type: string}, city: {type: string}, state: {type: string},
--       postal_code: {type: string}}},
--     officeLocation: {type: object, description: Which desk, properties: {
--       label: {type: string, description: Name of the office}, buildingId: {type: string, description: Building},
--       floorId: {type: string, description: Floor}, floorSectionId: {type: string, description: Part of the floor},
--       deskId: {type: string, description: Desk}}},
--     customLocation: {type: object, properties: {label: {type: string, description: Name of the place}}}}}
--   source: The web page that it came from. {type: object, properties: {
--     url: {type: string, description: Address of the page}, title: {type: string, description: Its title}}}
--   colorId: Number of one of the event colours, 1 to 11. {type: string, examples: ["9"]}
--   eventType: What sort of event it is; it stays so. {enum: [default, birthday, outOfOffice, focusTime, workingLocation]}
--   sequence: {minimum: 0, maximum: 2147483647}
--   sendUpdates: Who is written to about it. {type: string, enum: [all, externalOnly, none]}

--- Calendars, rules and channels
--   conferenceProperties: Which video conferences the calendar allows. {type: object, properties: {
--     allowedConferenceSolutionTypes: {type: array, description: Their sorts, items: {type: string,
--       enum: [eventHangout, eventNamedHangout, hangoutsMeet]}}}}
--   colorRgbFormat: Whether backgroundColor and foregroundColor are given, not colorId. {type: boolean}
--   defaultReminders: Reminders of events that ask for the default. {type: array, items: {type: object,
--     required: [method, minutes], properties: {
--     method: {type: string, enum: [email, popup], description: How},
--     minutes: {type: integer, minimum: 0, description: How long ahead}}}}
--   notificationSettings: What the owner is written about. {type: object, properties: {
--     notifications: {type: array, items: {type: object, required: [method, type], properties: {
--       method: {type: string, enum: [email], description: How},
--       type: {type: string, description: About what,
--         enum: [eventCreation, eventChange, eventCancellation, eventResponse, agenda]}}}}}}
--   id: An id for the channel, which you choose and nobody has used. {type: string, minLength: 1,
--     examples: [channel-for-reports]}
--   type: How it is told; web_hook is the only way. {type: string, examples: [web_hook]}
--   ruleId: Id of the rule. {type: string, minLength: 1}
--   scope: Whom the rule lets in. {type: object, required: [type], properties: {
--     type: {type: string, minLength: 1, description: 'user, group, domain, or default for everybody',
--       examples: [domain]},
--     value: {type: string, minLength: 1, description: Address or domain; not with default,
--       examples: [corvane.example]}}}
--   sendNotifications: Whether channels that watch the rules are told. {type: boolean}
--   address: The https address that is told of changes. {type: string, minLength: 1,
--     examples: ["https://hooks.corvane.example/calendar"]}
--   token: Secret that is sent along, by which the receiver knows the sender. {type: string}
--   params: Further settings. {type: object, properties: {
--     ttl: {type: string, description: Seconds until the channel ends, examples: ["86400"]}}}

--- People, settings, colours

-- get_user_by_email(email!) -> row
-- The account of a person or room, by address.
--   email: Address to look for. {type: string}
-- @else NOT_FOUND: User not found with email: {email}
SELECT user_id AS id, email, name, given_name, family_name, picture, locale, timezone, is_active, is_verified,
    provider, replace(created_at, ' ', 'T') AS created_at, replace(updated_at, ' ', 'T') AS updated_at,
    replace(last_login_at, ' ', 'T') AS last_login_at
FROM users WHERE lower(email) = lower(:email);

-- get_settings(settingId!) -> row
-- One of your settings.
--   settingId: Name of the setting, or its whole id. {type: string, minLength: 1, examples: [timezone]}
-- @else NOT_FOUND: Setting {settingId} not found
SELECT 'calendar#setting' AS kind, etag, id, value, user_id FROM settings
WHERE user_id = :caller_user_id AND (id = :settingId OR substr(id, -length(:settingId) - 1) = '_' || :settingId)
ORDER BY id <> :settingId LIMIT 1;

-- list_settings() -> rows
-- All of your settings.
-- @as settings
SELECT 'calendar#setting' AS kind, etag, id, value FROM settings
WHERE user_id = :caller_user_id ORDER BY id;

-- get_colors() -> rows
-- The colours that calendars and events may have, by number.
-- @as palette
-- @closed
SELECT color_id, lower(color_type) AS kind, background, foreground, updated_at FROM colors ORDER BY id;
