import pytest

NEW = {"personal_email": "new@mailbox.example", "national_tax_id": "321"}


@pytest.fixture
def newcomer(rows):
    """Someone who has no profile yet."""
    return str(rows("SELECT user_id FROM user WHERE user_id NOT IN (SELECT user_id FROM hr_profile)")[0][0])


@pytest.fixture
def boss(rows):
    """The profile of a manager."""
    return rows("SELECT hr_profile_id FROM hr_profile JOIN user USING (user_id) WHERE role = 'manager'")[-1][
        0
    ]


def test_onboarding_numbers_the_profile_and_makes_the_tax_id(result_of, newcomer, boss):
    created = result_of(
        "onboard_new_hr_profile", user_id=newcomer, manager=str(boss), dob="1990-01-15", **NEW
    )
    assert (created["number"], created["national_tax_id"]) == ("HRP00072", "TAX-1-321")
    assert (created["dob"], created["manager"]) == ("1990-01-15 00:00:00", boss)
    assert result_of("get_users_hr_profile", user_id=newcomer) == created


@pytest.mark.parametrize(
    ("spoilt", "code"),
    [
        ({"user_id": "1"}, "DUPLICATE_PROFILE"),
        ({"user_id": "999"}, "INVALID_REFERENCE"),
        ({"national_tax_id": "TAX-1"}, None),
        ({"manager": "999"}, "INVALID_REFERENCE"),
        ({"manager": "an agent"}, "INVALID_MANAGER_ROLE"),
        ({"dob": "the first of May"}, "INVALID_DATE_FORMAT"),
        ({"position": "Pilot"}, "INVALID_ENUM_VALUE"),
    ],
)
def test_onboarding_is_refused_for_a_reason(refused, rows, newcomer, spoilt, code):
    if spoilt.get("manager") == "an agent":
        profile = rows("SELECT hr_profile_id FROM hr_profile JOIN user USING (user_id) WHERE role = 'agent'")
        spoilt = {"manager": str(profile[0][0])}
    detail = refused("onboard_new_hr_profile", **{"user_id": newcomer} | NEW | spoilt)
    assert (detail[0]["type"] if code is None else detail["error_code"]) == (
        code or "string_pattern_mismatch"
    )


def test_addresses_and_tax_ids_are_not_shared(result_of, refused, newcomer):
    result_of("onboard_new_hr_profile", user_id=newcomer, **NEW)
    detail = refused("update_hr_profile", hr_profile_id="1", national_tax_id="321")
    assert detail["error_code"] == "DUPLICATE_TAX_ID"
    detail = refused("update_hr_profile", user_id="1", personal_email=NEW["personal_email"])
    assert detail["error_code"] == "DUPLICATE_EMAIL"


def test_a_profile_is_told_by_whatever_tells_it(result_of):
    profile = result_of("get_hr_profile_by_id", hr_profile_id="5")
    for n, name in enumerate(("hr_profile_id", "number", "user_id", "personal_email")):
        position = ("HR", "QA", "Sales", "Manager")[n]
        changed = result_of("update_hr_profile", position=position, **{name: str(profile[name])})
        assert (changed["hr_profile_id"], changed["changes_made"]) == (5, ["position"])
    changed = result_of("update_hr_profile", number=profile["number"], personal_email="moved@mailbox.example")
    assert changed == result_of(
        "get_hr_profile_by_personal_email", personal_email="MOVED@mailbox.example"
    ) | {"changes_made": ["personal_email"]}


def test_nobody_is_their_own_manager(refused, boss):
    detail = refused("update_hr_profile", hr_profile_id=str(boss), manager=str(boss))
    assert detail["error_code"] == "INVALID_RELATIONSHIP"


def test_nobody_is_their_own_manager_however_the_number_is_written(refused, result_of, rows, boss):
    for written in (f"0{boss}", f" {boss}.0 "):
        detail = refused("update_hr_profile", hr_profile_id=str(boss), manager=written)
        assert detail["error_code"] == "INVALID_RELATIONSHIP"
    other = rows(f"SELECT max(hr_profile_id) FROM hr_profile WHERE hr_profile_id <> {boss}")[0][0]
    assert result_of("update_hr_profile", hr_profile_id=str(other), manager=f"0{boss}")["manager"] == boss


def test_offboarding_twice_is_offboarding_once(ask, result_of, rows):
    ((profile,),) = rows("SELECT hr_profile_id FROM hr_profile WHERE employment_end_date IS NULL LIMIT 1")
    assert (
        result_of("offboard_hr_profile", hr_profile_id=str(profile))["employment_end_date"]
        == "2026-01-05 00:00:00"
    )
    assert ask("offboard_hr_profile", hr_profile_id=str(profile)).changes == ()


def test_nobody_offboards_themselves(refused, result_of, rows):
    token, user = rows("SELECT static_token, user_id FROM user WHERE role = 'manager' LIMIT 1")[0]
    assert refused("offboard_hr_profile", token, user_id=str(user))["error_code"] == "CANNOT_OFFBOARD_SELF"
    gone = result_of("offboard_hr_profiles", token, position="Manager")
    assert gone["offboarded_count"] == len(gone["profiles"]) > 10
    assert user not in {p["user_id"] for p in gone["profiles"]}


def test_those_who_left_are_not_offboarded_again(result_of, rows):
    ended = {
        n for (n,) in rows("SELECT hr_profile_id FROM hr_profile WHERE employment_end_date < '2026-01-01'")
    }
    gone = result_of("offboard_hr_profiles", type="contractor", created_before="2025-01-01")
    assert ended and not ended & {p["hr_profile_id"] for p in gone["profiles"]}
