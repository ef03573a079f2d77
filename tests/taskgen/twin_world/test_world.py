"""A twin world holds together: ids exchanged everywhere, further rows taken, choices repeated."""

from random import Random

import pytest

from eops_traj.gym import registry
from eops_traj.plan import run
from eops_traj.taskgen.draft import play
from eops_traj.taskgen.family import families
from eops_traj.taskgen.twin_world.census import census
from eops_traj.taskgen.twin_world.clones import make_clone
from eops_traj.taskgen.twin_world.facts import other_facts
from eops_traj.taskgen.twin_world.rights import rights_of
from eops_traj.taskgen.twin_world.seen import Seen, identity, rows_in_reply
from eops_traj.taskgen.twin_world.staging import Origin, Twin
from eops_traj.taskgen.twin_world.tape import Tape, Unmatched
from eops_traj.taskgen.twin_world.world import ServerWorld

SERVERS = {
    "csm": "customer_case", "itsm": "incident", "hr": "hr_case", "drive": "files", "calendar": "events",
    "email": "messages", "teams": "channels",
}  # fmt: skip


def world_of(server: str, rows: int = 7, **parts: object) -> ServerWorld:
    """Return a world in which the first rows of a server's main table have exchanged ids and places."""
    addresses = {(SERVERS[server], rowid) for (rowid,) in census(server, 3).connection.execute(
        f'SELECT rowid FROM "{SERVERS[server]}" LIMIT {rows}')}  # fmt: skip
    return ServerWorld(census(server, 3), Seen(addresses), **parts)


@pytest.mark.parametrize("server", SERVERS)
def test_references_follow_the_ids(server: str) -> None:
    world, before = world_of(server), registry.server(server).template(3).open()
    after = world.template.open()
    assert not after.connection.execute("PRAGMA foreign_key_check").fetchall()
    for table in before.schema.tables:
        sql = f'SELECT COUNT(*) FROM "{table}"'
        assert before.connection.execute(sql).get == after.connection.execute(sql).get
    key, table = world.census.keys[SERVERS[server]], SERVERS[server]
    ids = [
        [value for (value,) in db.connection.execute(f'SELECT "{key}" FROM "{table}"')]
        for db in (before, after)
    ]
    assert sorted(map(str, ids[0])) == sorted(map(str, ids[1]))


@pytest.mark.parametrize("server", SERVERS)
def test_what_a_row_says_moves_with_it_and_is_known_again(server: str) -> None:
    world, table = world_of(server), SERVERS[server]
    after = world.template.open()
    for _, rowid in world.seen.rows:
        cursor = after.connection.execute(
            f'SELECT * FROM "{table}" WHERE rowid = ?', (world.place(table, rowid),)
        )
        values = next(iter(cursor))
        origins = tuple((table, name) for name in world.census.schema.tables[table].columns)
        was = tuple(world.census.row((table, rowid)).values())
        assert identity(world.census, world.renaming, origins, values) == identity(
            world.census, None, origins, was
        )
        assert world.place(table, rowid) != rowid


def test_rows_with_numbers_for_keys_take_their_new_ids_along() -> None:
    known = census("teams", 3)
    sql = """SELECT c.display_name, c.team_id, m.user_id FROM channel_members m
        JOIN channels c ON c.channel_id = m.channel_id"""
    members = {("channel_members", rowid) for (rowid,) in known.connection.execute(
        "SELECT rowid FROM channel_members")}  # fmt: skip
    channels = {("channels", rowid) for rowid in range(1, 5)}
    after = ServerWorld(known, Seen(channels | members)).template.open()
    assert sorted(after.connection.execute(sql)) == sorted(known.connection.execute(sql))


def test_a_log_keeps_its_numbers_since_a_request_may_tell_one() -> None:
    seen = {(table, rowid) for table in ("history", "messages") for rowid in range(1, 8)}
    world = ServerWorld(census("email", 3), Seen(seen))
    assert world.template.open().schema and all(world.place("history", n) == n for n in range(1, 8))
    assert all(world.place("messages", n) != n for n in range(1, 8))


@pytest.mark.parametrize("server", SERVERS)
def test_a_further_row_is_taken_and_bears_no_known_name(server: str) -> None:
    known = census(server, 3)
    [address] = world_of(server, rows=1).seen.rows
    world = world_of(server, clones=[make_clone(known, address)])
    after, table = world.template.open(), SERVERS[server]
    [clone] = world.clones
    assert after.connection.execute(f'SELECT COUNT(*) FROM "{table}"').get == 1 + known.connection.execute(
        f'SELECT COUNT(*) FROM "{table}"').get  # fmt: skip
    names = {value for column, value in known.row(address).items() if column in ("number", "name", "subject")}
    assert not names & set(clone.rows[0][1].values())


def test_facts_are_other_but_for_what_is_told() -> None:
    known = census("csm", 3)
    row = known.row(("customer_case", 5))
    facts = {fact.column: fact for fact in other_facts(known, ("customer_case", 5), " nothing ")}
    assert facts["priority"].new != row["priority"] and {"state", "channel", "sys_created_on"} <= facts.keys()
    assert not {"case_id", "number", "account_id", "assigned_to"} & facts.keys()
    told = {fact.column for fact in other_facts(known, ("customer_case", 5), f" a {row['priority']} case ")}
    assert "priority" not in told and "state" in told


def test_rows_are_found_in_replies() -> None:
    known = census("csm", 3)
    seen = rows_in_reply(known, '[{"case_id": 5, "account_id": 2}, {"case_id": 9, "state": "new"}]')
    assert seen.lists == [[("customer_case", 5), ("customer_case", 9)]] and ("account", 2) in seen.rows


def test_a_choice_is_repeated_by_what_it_was() -> None:
    first = Tape(lambda *row: ())
    rng = first.random("seed")
    chosen, number = rng.choice(["a", "b", "c", "d"]), rng.random()
    again = Tape(lambda *row: (), first).random("seed")
    assert again.choice(["x", "d", "c", "b", "a"]) == chosen and again.random() == number
    with pytest.raises(Unmatched, match="not among"):
        Tape(lambda *row: (), first).random("seed").choice(["x", "y"])
    assert Random("seed").choice(["a", "b", "c", "d"]) == chosen  # taping changes nothing


def test_what_a_world_takes_back_is_as_it_was() -> None:
    known = census("csm", 3)
    facts = list(other_facts(known, ("customer_case", 5), " "))
    world = world_of("csm", facts=facts)
    world.take_back([fact for fact in facts if fact.column == "priority"], [])
    sql = f"SELECT priority, state FROM customer_case WHERE case_id = {world.place('customer_case', 5)}"
    [priority] = {fact.old for fact in facts if fact.column == "priority"}
    template = world.template  # made anew
    sql = f"SELECT priority, state FROM customer_case WHERE case_id = {world.place('customer_case', 5)}"
    found = template.open().connection.execute(sql).fetchall()[0]
    assert found[0] == priority and found[1] != known.row(("customer_case", 5))["state"]


def test_who_owns_a_calendar_owns_it_in_the_twin_world_too_and_readers_have_other_roles() -> None:
    known = census("calendar", 1)
    roles = known.connection.execute("SELECT rowid, role FROM acls").fetchall()
    other = {
        role for rowid, role in roles for f in other_facts(known, ("acls", rowid), "") if f.column == "role"
    }
    assert {role for _, role in roles} == {"owner", *other} and "owner" not in other


@pytest.mark.parametrize(("domain", "name"), [("drive", "new_folder"), ("csm", "close_resolved")])
def test_the_caller_may_do_the_same_and_others_may_not(domain: str, name: str) -> None:
    family = next(family for family in families([domain]) if family.name == name)
    draft = play((family,), 3, "rights")
    with draft.scene.start_state().open() as session:
        twin = Twin.of(Origin((family,), 3, "rights"), run(draft.scene.plan(), session))
    world = twin.worlds[domain]
    rights = rights_of(world.census, draft.scene.caller["email"])
    roles = {(fact.table, fact.rowid) for fact in world.facts if fact.column == "role"}
    assert rights & world.seen.rows and not rights & roles
    assert roles  # of others


@pytest.mark.parametrize("server", ["csm", "itsm", "hr", "email", "drive", "calendar"])
def test_rights_are_found_by_whom_they_belong_to(server: str) -> None:
    known = census(server, 3)
    table = "user" if server in ("csm", "hr") else "users"
    [(email,), (other,)] = known.connection.execute(f"SELECT email FROM {table} LIMIT 2").fetchall()
    rights = rights_of(known, email)
    assert rights and not rights & rights_of(known, other) and not rights_of(known, "nobody@corvane.example")
    assert all(isinstance(known.row(address)["role"], str) for address in rights)


def test_a_world_is_made_anew_only_where_it_is_another() -> None:
    facts = list(other_facts(census("csm", 3), ("customer_case", 5), " "))
    world = world_of("csm", facts=facts)
    first = world.template
    world.forget_template()
    assert world.template is first
    world.take_back(facts[:1], [])
    assert world.template is not first and world.template.image != first.image
