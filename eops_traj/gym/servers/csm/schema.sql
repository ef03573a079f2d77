-- Customer service management: 17 tables. How columns, descriptions and tags are read: eops_traj/gym/engine/schema.py.

CREATE TABLE location (
    location_id INTEGER PRIMARY KEY,  -- Id of the location.
    name TEXT NOT NULL CHECK (length(name) >= 1),  -- What the site is called.
    plot_no TEXT,  -- Plot or building number.
    street TEXT,  -- Street of the site.
    city TEXT NOT NULL CHECK (city IN ('new_york', 'london', 'mumbai', 'tokyo', 'sydney')),  -- City of the site.
    country TEXT NOT NULL CHECK (country IN ('usa', 'uk', 'india', 'japan', 'australia')),  -- Country of the site.
    active BOOLEAN NOT NULL CHECK (active IN (0, 1)),  -- Whether the site is in use.
    sys_created_on TEXT NOT NULL,  -- When the record was made (YYYY-MM-DD HH:MM:SS, UTC). [created]
    sys_updated_on TEXT NOT NULL  -- When the record last changed (YYYY-MM-DD HH:MM:SS, UTC). [updated]
);

CREATE TABLE user (
    user_id INTEGER PRIMARY KEY,  -- Id of the person.
    first_name TEXT NOT NULL CHECK (length(first_name) >= 1),  -- Given name.
    last_name TEXT NOT NULL CHECK (length(last_name) >= 1),  -- Family name.
    email TEXT NOT NULL UNIQUE CHECK (length(email) >= 1),  -- E-mail address; no two people share one.
    phone TEXT,  -- Telephone number.
    role TEXT NOT NULL CHECK (role IN ('admin', 'agent', 'manager', 'customer')),  -- What the person may do here.
    location_id INTEGER REFERENCES location (location_id),  -- Where the person works.
    active BOOLEAN NOT NULL CHECK (active IN (0, 1)),  -- Whether the person can log in.
    sys_created_on TEXT NOT NULL,  -- When the record was made (YYYY-MM-DD HH:MM:SS, UTC). [created]
    sys_updated_on TEXT NOT NULL  -- When the record last changed (YYYY-MM-DD HH:MM:SS, UTC). [updated]
);

CREATE TABLE user_group (
    group_id INTEGER PRIMARY KEY,  -- Id of the group.
    name TEXT NOT NULL UNIQUE CHECK (length(name) >= 1),  -- Name of the group; no two groups share one.
    type TEXT NOT NULL CHECK (type IN ('support', 'backoffice', 'field', 'vendor')),  -- What kind of work it does.
    active BOOLEAN NOT NULL CHECK (active IN (0, 1)),  -- Whether the group takes work.
    sys_created_on TEXT NOT NULL,  -- When the record was made (YYYY-MM-DD HH:MM:SS, UTC). [created]
    sys_updated_on TEXT NOT NULL  -- When the record last changed (YYYY-MM-DD HH:MM:SS, UTC). [updated]
);

CREATE TABLE user_group_member (
    member_id INTEGER PRIMARY KEY,  -- Id of the membership.
    group_id INTEGER NOT NULL REFERENCES user_group (group_id),  -- The group.
    user_id INTEGER NOT NULL REFERENCES user (user_id),  -- The person in it.
    sys_created_on TEXT NOT NULL,  -- When the record was made (YYYY-MM-DD HH:MM:SS, UTC). [created]
    UNIQUE (group_id, user_id)
);

CREATE TABLE account (
    account_id INTEGER PRIMARY KEY,  -- Id of the account.
    name TEXT NOT NULL UNIQUE CHECK (length(name) >= 1),  -- Name of the company; no two accounts share one.
    account_type TEXT NOT NULL CHECK (account_type IN ('customer', 'partner', 'internal')),  -- How the company relates to ours.
    email_domain TEXT CHECK (length(email_domain) >= 1),  -- Domain of its people's e-mail addresses.
    active BOOLEAN NOT NULL CHECK (active IN (0, 1)),  -- Whether we do business with it.
    sys_created_on TEXT NOT NULL,  -- When the record was made (YYYY-MM-DD HH:MM:SS, UTC). [created]
    sys_updated_on TEXT NOT NULL  -- When the record last changed (YYYY-MM-DD HH:MM:SS, UTC). [updated]
);

CREATE TABLE contact (
    contact_id INTEGER PRIMARY KEY,  -- Id of the contact.
    account_id INTEGER NOT NULL REFERENCES account (account_id),  -- The account that the contact speaks for.
    portal_user_id INTEGER NOT NULL REFERENCES user (user_id),  -- The person, as a user of the portal.
    active BOOLEAN NOT NULL CHECK (active IN (0, 1)),  -- Whether the contact may ask for support.
    is_primary BOOLEAN NOT NULL CHECK (is_primary IN (0, 1)),  -- Whether this is the account's first contact.
    sys_created_on TEXT NOT NULL,  -- When the record was made (YYYY-MM-DD HH:MM:SS, UTC). [created]
    sys_updated_on TEXT NOT NULL  -- When the record last changed (YYYY-MM-DD HH:MM:SS, UTC). [updated]
);

CREATE TABLE product (
    product_id INTEGER PRIMARY KEY,  -- Id of the product.
    name TEXT NOT NULL CHECK (length(name) >= 1),  -- Name of the product.
    category TEXT NOT NULL CHECK (category IN ('software', 'hardware', 'service')),  -- What kind of product it is.
    product_price INTEGER,  -- List price.
    lifecycle_state TEXT NOT NULL CHECK (lifecycle_state IN ('active', 'retired')),  -- Whether it is still sold.
    sys_created_on TEXT NOT NULL,  -- When the record was made (YYYY-MM-DD HH:MM:SS, UTC). [created]
    sys_updated_on TEXT NOT NULL  -- When the record last changed (YYYY-MM-DD HH:MM:SS, UTC). [updated]
);

CREATE TABLE installed_product (
    installed_product_id INTEGER PRIMARY KEY,  -- Id of the installed product.
    account_id INTEGER NOT NULL REFERENCES account (account_id),  -- The account that owns it.
    product_id INTEGER NOT NULL REFERENCES product (product_id),  -- What product it is.
    location_id INTEGER REFERENCES location (location_id),  -- Where it stands.
    serial_number TEXT NOT NULL CHECK (length(serial_number) >= 1),  -- Serial number of the piece.
    status TEXT NOT NULL CHECK (status IN ('in_use', 'in_stock', 'repair', 'retired')),  -- What state it is in.
    warranty_end TEXT,  -- Last day of the warranty (YYYY-MM-DD).
    sys_created_on TEXT NOT NULL,  -- When the record was made (YYYY-MM-DD HH:MM:SS, UTC). [created]
    sys_updated_on TEXT NOT NULL,  -- When the record last changed (YYYY-MM-DD HH:MM:SS, UTC). [updated]
    UNIQUE (account_id, product_id, serial_number)
);

CREATE TABLE contract (
    contract_id INTEGER PRIMARY KEY,  -- Id of the contract.
    account_id INTEGER NOT NULL REFERENCES account (account_id),  -- The account that signed it.
    contract_type TEXT NOT NULL CHECK (contract_type IN ('support', 'warranty', 'subscription')),  -- What it covers.
    status TEXT NOT NULL CHECK (status IN ('draft', 'active', 'suspended', 'expired')),  -- Whether it is in force.
    contract_price INTEGER,  -- Agreed price.
    start_date TEXT NOT NULL,  -- First day (YYYY-MM-DD).
    end_date TEXT NOT NULL,  -- Last day (YYYY-MM-DD).
    sys_created_on TEXT NOT NULL,  -- When the record was made (YYYY-MM-DD HH:MM:SS, UTC). [created]
    sys_updated_on TEXT NOT NULL  -- When the record last changed (YYYY-MM-DD HH:MM:SS, UTC). [updated]
);

CREATE TABLE entitlement (
    entitlement_id INTEGER PRIMARY KEY,  -- Id of the entitlement.
    account_id INTEGER NOT NULL REFERENCES account (account_id),  -- The account that is entitled.
    product_id INTEGER REFERENCES product (product_id),  -- The product it is for; empty means every product.
    contract_id INTEGER REFERENCES contract (contract_id),  -- The contract it comes from.
    support_level TEXT NOT NULL CHECK (support_level IN ('standard', 'premium', 'enterprise')),  -- How much support is owed.
    coverage_hours TEXT DEFAULT 'h8x5' CHECK (coverage_hours IN ('h8x5', 'h12x6', 'h24x7')),  -- When support is owed: hours a day, days a week.
    max_cases_per_month INTEGER DEFAULT 0,  -- Cases allowed a month; 0 means no limit.
    active BOOLEAN NOT NULL CHECK (active IN (0, 1)),  -- Whether it can be used.
    sys_created_on TEXT NOT NULL,  -- When the record was made (YYYY-MM-DD HH:MM:SS, UTC). [created]
    sys_updated_on TEXT NOT NULL  -- When the record last changed (YYYY-MM-DD HH:MM:SS, UTC). [updated]
);

CREATE TABLE sla_definition (
    sla_def_id INTEGER PRIMARY KEY,  -- Id of the SLA definition.
    name TEXT NOT NULL CHECK (length(name) >= 1),  -- Name of the SLA.
    metric TEXT NOT NULL CHECK (metric IN ('response', 'resolution')),  -- What is timed: the first answer or the solution.
    target_mins INTEGER NOT NULL,  -- Minutes allowed.
    pause_on_pending BOOLEAN NOT NULL CHECK (pause_on_pending IN (0, 1)),  -- Whether the timer rests while a case is pending.
    applies_to_priority TEXT CHECK (applies_to_priority IN ('critical', 'high', 'moderate', 'low')),  -- Priority of the cases it is for.
    active BOOLEAN NOT NULL CHECK (active IN (0, 1)),  -- Whether it is in force.
    sys_created_on TEXT NOT NULL,  -- When the record was made (YYYY-MM-DD HH:MM:SS, UTC). [created]
    sys_updated_on TEXT NOT NULL  -- When the record last changed (YYYY-MM-DD HH:MM:SS, UTC). [updated]
);

CREATE TABLE customer_case (
    case_id INTEGER PRIMARY KEY,  -- Id of the case.
    number TEXT NOT NULL UNIQUE,  -- Number of the case as people quote it. [CS-%07d of case_id]
    account_id INTEGER NOT NULL REFERENCES account (account_id),  -- The account it is about.
    contact_id INTEGER NOT NULL REFERENCES contact (contact_id),  -- The contact who raised it.
    product_id INTEGER REFERENCES product (product_id),  -- The product concerned.
    installed_product_id INTEGER REFERENCES installed_product (installed_product_id),  -- The very piece concerned.
    channel TEXT NOT NULL CHECK (channel IN ('web', 'email', 'phone', 'chat', 'social', 'alert', 'community')),  -- How it came in.
    priority TEXT NOT NULL CHECK (priority IN ('critical', 'high', 'moderate', 'low')),  -- How urgent it is.
    state TEXT NOT NULL CHECK (state IN ('new', 'in_progress', 'pending', 'resolved', 'closed', 'canceled')),  -- Where it stands.
    short_description TEXT NOT NULL CHECK (length(short_description) >= 1) CHECK (length(short_description) <= 500),  -- What it is about, in a sentence.
    assignment_group_id INTEGER REFERENCES user_group (group_id),  -- The group that answers for it.
    assigned_to INTEGER REFERENCES user (user_id),  -- The person who works on it.
    escalation BOOLEAN NOT NULL DEFAULT 0 CHECK (escalation IN (0, 1)),  -- Whether it has been escalated.
    escalation_reason TEXT CHECK (escalation_reason IN ('urgency', 'vip', 'impact', 'breach_risk', 'customer_request')),  -- Why it was escalated.
    reopen_count INTEGER NOT NULL DEFAULT 0,  -- How often it was opened again.
    sys_created_on TEXT NOT NULL,  -- When the record was made (YYYY-MM-DD HH:MM:SS, UTC). [created]
    sys_updated_on TEXT NOT NULL,  -- When the record last changed (YYYY-MM-DD HH:MM:SS, UTC). [updated]
    closed_on TEXT  -- When it was closed (YYYY-MM-DD HH:MM:SS, UTC); nothing fills it by itself.
);

CREATE TABLE case_sla (
    case_sla_id INTEGER PRIMARY KEY,  -- Id of the SLA on the case.
    case_id INTEGER NOT NULL REFERENCES customer_case (case_id),  -- The case.
    sla_def_id INTEGER NOT NULL REFERENCES sla_definition (sla_def_id),  -- The SLA definition that is tracked.
    stage TEXT NOT NULL CHECK (stage IN ('in_progress', 'paused', 'completed', 'canceled')),  -- Where the tracking stands.
    start_time TEXT NOT NULL,  -- When the timer started (YYYY-MM-DD HH:MM:SS, UTC). [created]
    breach_time TEXT,  -- When the target is missed (YYYY-MM-DD HH:MM:SS, UTC); not computed.
    has_breached BOOLEAN NOT NULL DEFAULT 0 CHECK (has_breached IN (0, 1)),  -- Whether the target was missed.
    completed_time TEXT  -- When the target was met (YYYY-MM-DD HH:MM:SS, UTC).
);

CREATE TABLE interaction (
    interaction_id INTEGER PRIMARY KEY,  -- Id of the interaction.
    channel TEXT NOT NULL CHECK (channel IN ('web', 'email', 'phone', 'chat', 'social', 'alert', 'community')),  -- How the people spoke.
    account_id INTEGER REFERENCES account (account_id),  -- The account concerned.
    contact_id INTEGER REFERENCES contact (contact_id),  -- The contact spoken with.
    case_id INTEGER REFERENCES customer_case (case_id),  -- The case spoken about.
    interacted_user INTEGER REFERENCES user (user_id),  -- Who spoke for us.
    status TEXT NOT NULL CHECK (status IN ('open', 'handled', 'closed')),  -- Where the interaction stands.
    started_at TEXT NOT NULL,  -- When it began (YYYY-MM-DD HH:MM:SS, UTC). [created]
    ended_at TEXT,  -- When it ended (YYYY-MM-DD HH:MM:SS, UTC).
    sys_created_on TEXT NOT NULL  -- When the record was made (YYYY-MM-DD HH:MM:SS, UTC). [created]
);

CREATE TABLE knowledge (
    knowledge_id INTEGER PRIMARY KEY,  -- Id of the article.
    kb_number TEXT NOT NULL,  -- Number of the article as people quote it. [KB%06d of knowledge_id]
    title TEXT NOT NULL CHECK (length(title) >= 1),  -- Title of the article.
    body TEXT NOT NULL,  -- Text of the article.
    state TEXT NOT NULL CHECK (state IN ('draft', 'published', 'retired')),  -- Whether readers find it.
    visibility TEXT NOT NULL CHECK (visibility IN ('internal', 'external')),  -- Who may read it: staff, or customers too.
    product_id INTEGER REFERENCES product (product_id),  -- The product it is about.
    owner_id INTEGER NOT NULL REFERENCES user (user_id),  -- Who answers for it.
    sys_created_on TEXT NOT NULL,  -- When the record was made (YYYY-MM-DD HH:MM:SS, UTC). [created]
    sys_updated_on TEXT NOT NULL  -- When the record last changed (YYYY-MM-DD HH:MM:SS, UTC). [updated]
);

CREATE TABLE case_knowledge (
    case_kb_id INTEGER PRIMARY KEY,  -- Id of the link.
    case_id INTEGER NOT NULL REFERENCES customer_case (case_id),  -- The case.
    knowledge_id INTEGER NOT NULL REFERENCES knowledge (knowledge_id),  -- The article.
    used_as TEXT NOT NULL CHECK (used_as IN ('suggested', 'applied', 'resolution'))  -- What the article did for the case.
);

CREATE TABLE notification (
    notification_id INTEGER PRIMARY KEY,  -- Id of the notification.
    case_id INTEGER NOT NULL REFERENCES customer_case (case_id),  -- The case it is about.
    knowledge_id INTEGER REFERENCES knowledge (knowledge_id),  -- The article it brings along.
    email TEXT NOT NULL CHECK (length(email) >= 1),  -- Address it goes to.
    type TEXT NOT NULL CHECK (type IN ('report', 'update', 'alert', 'reminder', 'solution_proposal', 'next_steps', 'other')),  -- What it is for.
    status TEXT NOT NULL DEFAULT 'success' CHECK (status IN ('success', 'failed')),  -- Whether it was delivered.
    sys_created_on TEXT NOT NULL  -- When the record was made (YYYY-MM-DD HH:MM:SS, UTC). [created]
);

CREATE INDEX customer_case_account ON customer_case (account_id);
CREATE INDEX customer_case_assigned_to ON customer_case (assigned_to);
CREATE INDEX case_sla_case ON case_sla (case_id);
CREATE INDEX case_knowledge_case ON case_knowledge (case_id);
CREATE INDEX interaction_case ON interaction (case_id);
CREATE INDEX notification_case ON notification (case_id);
