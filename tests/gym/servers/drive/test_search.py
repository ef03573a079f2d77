import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.gym.servers.drive import search
from eops_traj.gym.servers.drive.query import Comparison, Joined, Not
from tests.gym.servers.drive.query_text import render


@pytest.fixture
def matches(answer):
    """Return a function that returns the ids of the files that match a query, everywhere."""

    def find(q, by=None, **more):
        arguments = {"corpora": "allDrives"} | more | ({"q": q} if q else {})
        return {file["id"] for file in answer("list_files", by, **arguments)["files"]}

    return find


@pytest.mark.parametrize(
    ("q", "ids"),
    [
        ("name = 'Plan'", {"plan"}),
        ("name contains 'PLA'", {"plan"}),
        ("name != 'Plan' and mimeType = 'application/pdf'", {"scan"}),
        ("mimeType contains 'folder'", {"work", "shelf"}),
        ("'work' in parents", {"plan", "scan"}),
        ("'root' in parents", {"work"}),
        ("'team' in parents", {"shelf"}),
        ("modifiedTime > '2025-03-04T12:00:00'", {"plan", "book"}),
        ("modifiedTime >= '2025-03-06T01:00:00+01:00'", {"book"}),
        ("createdTime <= '2025-03-01'", {"work", "shelf"}),
        ("viewedByMeTime > '2020-01-01'", set()),
        ("not viewedByMeTime > '2020-01-01'", {"work", "plan", "scan", "bens", "shelf", "book"}),
        ("'ana@x.org' in owners", {"work", "plan", "scan"}),
        ("'me' in owners and not 'me' in readers", {"work", "plan", "scan"}),
        ("'ANA@x.org' in readers", {"bens"}),
        ("sharedWithMe", {"bens"}),
        ("sharedWithMe = false", {"work", "plan", "scan", "shelf", "book"}),
        ("sharedWithMe != true and not 'ana@x.org' in owners", {"shelf", "book"}),
        ("not 'root' in parents and not 'work' in parents", {"bens", "shelf", "book"}),
        ("not properties has { key='a' and value='b' } and name = 'Plan'", {"plan"}),
        ("sharedWithMe = false and starred = false and name = 'Notes'", set()),
        ("visibility = 'limited' and name contains 'n'", {"plan", "scan", "bens"}),
        ("fullText contains 'shelf'", {"shelf"}),
        ("name = 'Plan' or name = 'Book' and trashed = true", {"plan"}),
        ("(name = 'Plan' or name = 'Book') and trashed = false", {"plan", "book"}),
    ],
)
def test_a_query_finds_what_it_says(matches, q, ids):
    assert matches(q) == ids


def test_properties_labels_and_shortcuts_are_found(answer, matches):
    created = answer("create_file", name="A", mimeType="text/plain", properties={"stage": "draft", "n": 3})[
        "id"
    ]
    link = answer("create_file", name="B", mimeType="application/vnd.google-apps.shortcut",
                shortcutDetails={"targetId": created}, appProperties={"k": "v"})["id"]  # fmt: skip
    answer("modify_files_labels", fileId=created, labelModifications=[{"labelId": "l5"}])
    assert matches("properties has { key='stage' and value='draft' }") == {created}
    assert matches("properties has { key='n' and value='3' }") == {created}
    assert matches("appProperties has { key='k' and value='v' }") == {link}
    assert matches(f"shortcutDetails.targetId = '{created}'") == {link}
    assert matches("'labels/l5' in labels") == {created}


def test_the_text_of_a_file_is_searched_by_words_and_phrases(answer, matches):
    hints = {"indexableText": "a slow green turtle"}
    about = {"name": "Zoo", "mimeType": "text/plain", "description": "animals"}
    created = answer("create_file", **about, contentHints=hints)["id"]
    assert matches("fullText contains 'turtle animals'") == {created}
    assert matches("fullText contains '\"green turtle\"'") == {created}
    assert matches("fullText contains '\"turtle green\"'") == set()


def test_where_a_search_looks(matches):
    assert matches(None, corpora="user") == {"work", "plan", "scan", "bens"}
    assert matches(None, corpora="user", includeItemsFromAllDrives=True) == matches(None)
    assert matches(None, corpora="drive", driveId="team") == {"shelf", "book"}
    assert matches(None, corpora="domain") == set()


def test_only_what_the_caller_may_see_is_found(matches):
    assert matches(None, by="ben") == {"bens", "shelf", "book", "gold"}
    assert matches(None, by="cleo") == {"shelf", "book"}
    assert matches(None, by="dov") == set()


@pytest.mark.parametrize(
    ("arguments", "location"),
    [
        ({"q": "name ="}, "q"), ({"orderBy": "size"}, "orderBy"), ({"orderBy": "name up"}, "orderBy"),
        ({"pageToken": "?"}, "pageToken"), ({"corpora": "all"}, "corpora"), ({"corpora": "drive"}, "corpora"),
        ({"spaces": "cellar"}, "spaces"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_an_invalid_value(refused, arguments, location):
    assert refused("list_files", **arguments) == (400, "invalid", location)


def test_a_drive_that_is_not_seen_cannot_be_searched(refused):
    assert refused("list_files", driveId="vault") == (404, "notFound", "driveId")


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("name", ["bens", "plan", "scan", "work"]),
        ("name desc", ["work", "scan", "plan", "bens"]),
        ("folder,name desc", ["work", "scan", "plan", "bens"]),
        ("modifiedTime", ["work", "scan", "bens", "plan"]),
        ("sharedWithMeTime, name", ["bens", "plan", "scan", "work"]),
    ],
)
def test_files_come_in_the_order_that_was_asked_for(answer, order, ids):
    listed = [file["id"] for file in answer("list_files", orderBy=order)["files"]]
    if order == "modifiedTime":
        assert listed in (ids, ["work", "bens", "scan", "plan"])
    else:
        assert listed == ids


def test_numbers_in_names_are_ordered_as_numbers(answer):
    for name in ("v10", "v9", "v09b"):
        answer("create_file", name=name, mimeType="text/plain")
    listed = answer("list_files", q="name contains 'v'", orderBy="name_natural")["files"]
    assert [file["name"] for file in listed] == ["v9", "v09b", "v10"]


def test_the_pages_of_a_list_are_the_list(answer):
    whole = [file["id"] for file in answer("list_files", pageSize=100)["files"]]
    first = answer("list_files", pageSize=3)
    second = answer("list_files", pageSize=3, pageToken=first["nextPageToken"])
    assert [file["id"] for file in first["files"] + second["files"]] == whole
    assert "nextPageToken" not in second and first["kind"] == "drive#fileList"


def test_shared_drives_are_searched_too(answer, refused):
    def named(q, by="ben"):
        return [drive["name"] for drive in answer("list_drives", by, q=q)["drives"]]

    assert named("name contains 'a'") == ["Team", "Vault"]
    assert named("memberCount > 1 and hidden = false") == ["Team"]
    assert named("organizerCount = 1 and createdTime > '2025-01-15'") == ["Vault"]
    assert refused("list_drives", q="trashed = true") == (400, "invalid", "q")


SIMPLE = {
    "name": st.builds(Comparison, st.just("name"), st.sampled_from(["=", "!=", "contains"]),
                      st.sampled_from(["Plan", "plan", "a", "Scan.pdf", "", "'"])),
    "type": st.builds(Comparison, st.just("mimeType"), st.sampled_from(["=", "contains"]),
                      st.sampled_from(["pdf", "application/pdf", "google"])),
    "trashed": st.builds(Comparison, st.just("trashed"), st.sampled_from(["=", "!="]), st.booleans()),
}  # fmt: skip
QUERIES = st.recursive(
    st.one_of(*SIMPLE.values()),
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(Joined, st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=8,
)
FILES = [{"name": "Plan", "mimeType": "application/vnd.google-apps.document", "trashed": False},
         {"name": "Scan.pdf", "mimeType": "application/pdf", "trashed": True}]  # fmt: skip


def holds(node, file):
    """What the tree means for a file, worked out here once more."""
    if isinstance(node, Joined):
        return (all if node.word == "and" else any)(holds(term, file) for term in node.terms)
    if isinstance(node, Not):
        return not holds(node.term, file)
    value, expected = file[node.field], node.value
    if node.operator == "contains":
        return expected.lower() in value.lower()
    return (value == expected) == (node.operator == "=")


@given(QUERIES)
def test_the_sql_of_a_query_means_what_the_query_means(drive, tree):
    condition = search.condition(render(tree), search.FILES)
    database = drive.template().open()
    for file in FILES:
        row = "SELECT :name AS name, :mimeType AS mime_type, :trashed AS trashed"
        sql = f"SELECT 1 FROM ({row}) AS f WHERE {condition.sql}"
        rows = database.connection.execute(sql, condition.values | file).fetchall()
        assert bool(rows) == holds(tree, file)
    database.close()
