"""What the filters of ITSM select, as the real contract has it: the whole address, the moment itself."""


def test_an_address_finds_its_own_user_and_none_whose_address_ends_in_it(result_of):
    for number, email in enumerate(("jo.x@corvane.example", "banjo.x@corvane.example")):
        phone = f"+1-212-555-019{number}"
        result_of("add_new_user", first_name="Bo", last_name="X", email=email, phone=phone, role="agent",
                  active=True)  # fmt: skip
    users = result_of("list_users", email="jo.x@corvane.example")["users"]
    assert [user["email"] for user in users] == ["jo.x@corvane.example"]


def test_a_link_of_the_moment_asked_for_is_listed_and_removed(result_of, refused):
    link = result_of("list_incident_affected_cis")["incident_affected_cis"][0]
    then, later = link["created_on"], link["created_on"][:-2] + "59"
    of_link = {"incident_affected_cis_id": link["incident_affected_cis_id"]}
    counts = [
        result_of("list_incident_affected_cis", **of_link, created_after=time)["total_count"]
        for time in (then, later)
    ]
    assert then < later and counts == [1, 0]
    assert refused("remove_affected_ci_from_incident", **of_link, created_after=later)[0] == "NOT_FOUND"
    removed = result_of("remove_affected_ci_from_incident", **of_link, created_after=then)
    assert removed == {"deleted_count": 1}


def test_slas_of_the_first_centuries_are_none(refused, one):
    there = one("SELECT count(*) FROM incident_sla")
    assert refused("delete_incident_slas", created_before="0225-12-01")[0] == "NOT_FOUND"
    assert one("SELECT count(*) FROM incident_sla") == there > 0
