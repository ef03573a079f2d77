"""The tools for people, groups and profiles."""

from dataclasses import replace

from eops_traj.gym.servers.hr.records import create, find_id, read_record, update
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_IDENTIFIERS = ("hr_profile_id", "number", "user_id")


@tool
def list_users(call: Call) -> Row:
    """(roles[] = role, active, email_like ~ email, first_name_like ~ first_name, last_name_like ~ last_name,
      limit, offset, order_by, order_direction) -> row of user

    People who match every filter given, a page at a time.
      limit: How many people to show at most. {type: integer, default: 50, minimum: 1, maximum: 100}
      offset: How many people to leave out first. {type: integer, default: 0, minimum: 0}
      order_by: What to sort by. {type: string, default: created_at,
        enum: [user_id, first_name, last_name, email, phone, role, active, created_at, updated_at]}
      order_direction: Which way to sort. {type: string, default: asc, enum: [asc, desc]}
    """
    arguments = call.arguments
    order, direction = arguments["order_by"], arguments["order_direction"]
    page = call.rows(
        "SELECT * FROM user_shown WHERE org_id = :caller_org_id AND {filters} "  # noqa: S608 - from enums
        f'ORDER BY "{order}" {direction}, user_id LIMIT :limit OFFSET :offset'
    )
    (total,) = call.rows("SELECT count(*) AS n FROM user WHERE org_id = :caller_org_id AND {filters}")
    counts = {"total_count": total["n"], "returned_count": len(page)}
    return {"users": page} | counts | {"limit": arguments["limit"], "offset": arguments["offset"]}


@tool
def add_new_user(call: Call) -> Row:
    """(first_name!, last_name!, email!, phone, role!, active) -> row of user

    Add a person to the caller's organization. Nobody else may have the address, nor both names.
      email: {format: email, maxLength: 120}
    @allow admin, manager
    @refuse DUPLICATE_USER_NAME: User '{first_name} {last_name}' already exists
        WHEN EXISTS (SELECT 1 FROM user
        WHERE first_name = :first_name AND last_name = :last_name AND org_id = :caller_org_id)
    """
    user = create(call)
    call.rows(
        "INSERT INTO user_role (user_id, role_id, org_id, created_at, updated_at) "
        "SELECT :new_id, role_id, :caller_org_id, :now, :now FROM role WHERE name = :role",
        new_id=user["user_id"],
    )
    return user


@tool
def update_user_details(call: Call) -> Row:
    """(user_id!, email, first_name, last_name, phone, role, active) -> row of user

    Change the fields given of a person. Whoever leaves is made inactive.
      user_id: {type: string}
      email: {format: email, maxLength: 120}
    @allow admin, manager
    @refuse DUPLICATE_USER_NAME: Another user has this first and last name
        WHEN EXISTS (SELECT 1 FROM user u, user o
        WHERE u.user_id = :user_id AND o.user_id <> u.user_id AND o.org_id = u.org_id
        AND o.first_name = ifnull(:first_name, u.first_name) AND o.last_name = ifnull(:last_name, u.last_name)
        AND coalesce(:first_name, :last_name) IS NOT NULL)
    """
    changed = update(call)
    if "role" in changed["changes_made"]:
        call.rows(
            "UPDATE OR REPLACE user_role SET updated_at = :now, "
            "role_id = (SELECT role_id FROM role WHERE name = :role) WHERE user_id = :user_id"
        )
    return changed


@tool
def update_user_group(call: Call) -> Row:
    r"""(group_id!, name, type, active) -> row of user_group

    Change the fields given of a group.
      group_id: {type: string}
      name: {minLength: 1, maxLength: 80, pattern: "^[\\w .'-]+$"}
    @allow admin, manager
    """
    return update(call)


# profiles


@tool
def onboard_new_hr_profile(call: Call) -> Row:
    r"""(user_id!, personal_email!, national_tax_id!, gender, marital_status, type, dob, nationality,
      employment_start_date, employment_end_date, manager, location_type, position) -> row of hr_profile

    Make the profile of a person who has none yet. It gets its number here. Only a manager can be the manager.
      user_id: {type: string}
      personal_email: {format: email}
      national_tax_id: Three digits, from which the tax id is made. {pattern: '^\d{3}$'}
    @allow admin, manager
    """
    return create(_profile_call(call))


@tool
def update_hr_profile(call: Call) -> Row:
    r"""(hr_profile_id, number, personal_email, user_id, gender, marital_status, type, dob, nationality,
      employment_start_date, employment_end_date, manager, location_type, position, national_tax_id)
      -> row of hr_profile

    Change the fields given of a profile, which its id, its number or its person tells. Without any of these
    the private address tells which; with one, it is changed. Only a manager can be the manager.
      user_id: {type: string}
      personal_email: {format: email}
      national_tax_id: Three digits, from which the tax id is made. {pattern: '^\d{3}$'}
    @some hr_profile_id, number, personal_email, user_id
    @allow admin, manager
    """
    by = [name for name in _IDENTIFIERS if name in call.arguments] or ["personal_email"]
    itself = "SELECT 1 FROM hr_profile WHERE hr_profile_id = :manager AND hr_profile_id = :row_id"
    if call.row(itself, row_id=find_id(call, by)):
        call.refuse("A profile cannot be its own manager", "INVALID_RELATIONSHIP")
    return update(_profile_call(call), by=by)


@tool
def offboard_hr_profile(call: Call) -> Row:
    """(hr_profile_id, number, personal_email, user_id) -> row of hr_profile

    End a person's employment today. Where it has ended already nothing changes. Nobody offboards themselves.
      user_id: {type: string}
    @some
    @allow admin, manager
    """
    row_id = find_id(call, call.arguments)
    if read_record(call, row_id)["user_id"] == call.caller.get("user_id"):
        call.refuse("You cannot offboard yourself", "CANNOT_OFFBOARD_SELF")
    _end_employment(call, "{filters}")
    return read_record(call, row_id)


@tool
def offboard_hr_profiles(call: Call) -> Row:
    r"""(hr_profile_id, number, user_id, personal_email, gender, marital_status, type, dob, nationality,
      employment_start_date, employment_end_date = none, manager, location_type, national_tax_id, position,
      created_before < created_at, created_after > created_at) -> row of hr_profile

    End today the employment of everyone who matches every filter given, the caller and those who left aside.
    Without a filter that is everyone.
      user_id: {type: string}
      employment_end_date: Last day of employment (YYYY-MM-DD), or null for those without one.
        {type: string, pattern: '^(null|\d{4}-\d\d-\d\d([ T].*)?)$'}
    @allow admin, manager
    """
    ended = _end_employment(
        call,
        """{filters}
        AND (:dob IS NULL OR date(dob) = date(:dob))
        AND (:employment_start_date IS NULL OR date(employment_start_date) = date(:employment_start_date))
        AND (:employment_end_date IS NULL OR ifnull(date(employment_end_date), 'null')
            = CASE :employment_end_date WHEN 'null' THEN 'null' ELSE date(:employment_end_date) END)""",
    )
    return {"offboarded_count": len(ended), "profiles": ended}


def _end_employment(call: Call, condition: str) -> list[Row]:
    """End today the employments that match and have not ended; the caller's own goes on."""
    return call.rows(
        "UPDATE hr_profile SET employment_end_date = date(:now) || ' 00:00:00', updated_at = :now "  # noqa: S608
        "WHERE org_id = :caller_org_id AND user_id IS NOT :caller_user_id "
        f"AND (employment_end_date IS NULL OR employment_end_date > :now) AND {condition} RETURNING *"
    )


def _profile_call(call: Call) -> Call:
    """Return the call with a tax id built from its digits; refuse a manager without that role."""
    arguments = dict(call.arguments)
    if "national_tax_id" in arguments:
        arguments["national_tax_id"] = f"TAX-{call.caller.get('org_id')}-{arguments['national_tax_id']}"
    role = call.row("SELECT role FROM user JOIN hr_profile USING (user_id) WHERE hr_profile_id = :manager")
    if role and role["role"] != "manager":
        call.refuse(
            f"Profile '{arguments['manager']}' is not of a user with role 'manager'", "INVALID_MANAGER_ROLE"
        )
    return replace(call, arguments=arguments)
