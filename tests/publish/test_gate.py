"""The gate names the row, and nothing goes out: keys, people, held-out tasks, licences, certificates."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from eops_traj.errors import WorkError
from eops_traj.publish.build import BuiltDataset, NotPublished
from eops_traj.publish.gate import GateReport, Stop
from eops_traj.publish.policy import load_policy, vouched_licences
from eops_traj.schema import Json
from tests.planner_data import task_files
from tests.privacy.test_secret_scan import KEY
from tests.publish.publications import HELD, SERVER, may_go, publication, stops

PERSON = "Call Ann Person at +1 415 867 5309, or write to ann.person@gmail.com."


def test_what_may_go_passes(tmp_path: Path) -> None:
    known = "Johanne is at johanne.wolf@corvane.example and +1-212-555-3910."
    assert stops(tmp_path, [may_go(reply=known)]) == []


def test_keys_and_people_are_found_wherever_they_lie(tmp_path: Path) -> None:
    called = replace(may_go().turns[0].tool_calls[0], result='{"items": [{"email": "ann@gmail.com"}]}')
    hidden = may_go("e2", turns=(replace(may_go().turns[0], tool_calls=(called,)), may_go().turns[1]))
    findings = stops(tmp_path, [may_go("e0", reply=f"The key is {KEY}."), may_go("e1", reply=PERSON), hidden])
    assert findings == [
        ("secrets", "episodes/train", 0, "e0", "turns[1].text"),
        ("personal_data", "episodes/train", 1, "e1", "turns[1].text"),
        ("personal_data", "episodes/train", 1, "e1", "turns[1].text"),
        ("personal_data", "episodes/train", 2, "e2", "turns[0].tool_calls[0].result.items[0].email"),
    ]


def test_a_stop_is_exit_code_1_with_the_row_and_not_its_content(tmp_path: Path, cli: Callable) -> None:
    episodes = [may_go("e0"), may_go("e1", reply=f"Key: {KEY}"), may_go("e2", reply=PERSON)]
    publication(tmp_path, [*episodes, may_go("e3", split="test")])
    where = ("--store", tmp_path / "store", "--to", tmp_path / "out", "--tasks", tmp_path / "tasks")
    ran = cli("publish", "chosen", *where, "--licence", "MIT")
    for row in ("train row 1 (episode e1)", "train row 2 (episode e2)", "test row 0 (episode e3)"):
        assert ran.code == 1 and f"episodes/{row}" in ran.err
    assert KEY not in ran.err and "gmail" not in ran.err and "5309" not in ran.err
    assert not (tmp_path / "out").exists()


def test_the_card_is_scanned_too(tmp_path: Path) -> None:
    verdicts = (replace(may_go().verdicts[0], category=KEY),)
    told = may_go("e0", orchestrator="ann.person@gmail.com", verdicts=verdicts)
    job = publication(tmp_path, [told], configs=("sft",))
    dataset = job.rehearse()
    assert [(stop.check, str(stop)) for stop in dataset.report.stops] == [
        ("secrets", "README.md: AWS Access Key"),
        ("personal_data", "README.md: e-mail address"),
    ]
    assert {stop.row for stop in dataset.report.stops} == {0} and "stopped" in dataset.card
    with pytest.raises(WorkError, match=r"README\.md: AWS Access Key"):
        job.run()
    assert not (tmp_path / "data").exists()


def test_held_out_tasks_stay_in_under_any_name(tmp_path: Path) -> None:
    findings = stops(
        tmp_path,
        [
            may_go("e0", user_prompt=f"Hello! {HELD.user_prompt} Thank you."),
            may_go("e1", servers=HELD.servers),
            may_go("e2", task_id=HELD.task_id),
            may_go("e3", split=None),
        ],
        configs=("episodes",),
    )
    assert [(check, where, row, field) for check, where, row, _, field in findings] == [
        ("held_out", "episodes/train", 0, "prompt"),
        ("held_out", "episodes/train", 1, "database"),
        ("held_out", "episodes/train", 2, "task"),
        ("held_out", "episodes/test", 0, "split"),
    ]


def test_tasks_that_are_held_out_with_their_families_stay_in_too(tmp_path: Path) -> None:
    task_files(tmp_path / "tasks", [replace(HELD, split="test_ood")])
    episodes = [may_go("e0", task_id=HELD.task_id), may_go("e1")]
    assert stops(tmp_path, episodes, configs=("episodes",)) == [
        ("held_out", "episodes/train", 0, "e0", "task")
    ]


def test_rows_of_unknown_origin_stay_in(tmp_path: Path) -> None:
    unknown = replace(SERVER, seed="", details=Json("{}"))
    episodes = [may_go("e0"), may_go("e1", servers=(unknown,))]
    assert stops(tmp_path, episodes, configs=("episodes",)) == [
        ("held_out", "episodes/train", 1, "e1", "database")
    ]


def test_held_out_episodes_go_out_alone_and_not_to_train_on(tmp_path: Path) -> None:
    tested = [may_go("e0", split="test"), may_go("e1", split="test_ood")]
    job = publication(tmp_path, tested, held_out_ok=True, configs=("episodes", "sft"))
    dataset = job.rehearse()
    assert [stop[:5] for stop in dataset.report.stops] == [
        ("held_out", "sft", "test", 0, "e0"),
        ("held_out", "sft", "test_ood", 0, "e1"),
    ]
    assert "not for training" in dataset.card


def test_training_rows_beside_held_out_ones_stay_in(tmp_path: Path) -> None:
    mixed = [may_go("e0"), may_go("e1", split="test")]
    assert [stop[:4] for stop in stops(tmp_path, mixed, held_out_ok=True)] == [
        ("held_out", "episodes/train", 0, "e0")
    ]


def test_models_of_unknown_or_forbidding_licence_stop(tmp_path: Path) -> None:
    planner = Json('{"models":{"planner":{"model":"in-house-7b"}}}')
    episodes = [may_go("e0", settings=planner), may_go("e1", model="vllm/Azure/gpt-5-2025-08-07")]
    findings = stops(tmp_path, episodes, configs=("episodes", "sft"))
    assert [(where, row) for _, where, row, *_ in findings] == [
        ("episodes/train", 0),
        ("sft/train", 0),
        ("sft/train", 1),
    ]


def test_a_licence_that_the_publisher_vouches_for_counts_first() -> None:
    policy = load_policy().with_models(
        vouched_licences(["in-house[7b]=apache-2.0", "gpt-5=MIT"], "--model-licence")
    )
    assert policy.terms("In-House[7b]").licence == "Apache-2.0" and policy.terms("gpt-5").train
    assert not policy.terms("gpt-5-mini").train and policy.terms("in-house7") is None


def test_texts_of_unknown_terms_stop(tmp_path: Path) -> None:
    episodes = [may_go("e0"), may_go("e1", suite="house"), may_go("e2", suite="house")]
    assert stops(tmp_path, episodes) == [("licences", "episodes/train", 1, "e1", "suite")]
    vouched = {"tests": "CC0-1.0", "house": "MIT"}
    assert not stops(tmp_path, episodes, task_licences=vouched)


def test_terms_that_travel_are_the_dataset_s_too(tmp_path: Path) -> None:
    episodes = [may_go("e0", suite="enterpriseops-gym")]
    (stop,) = publication(tmp_path, episodes).rehearse().report.stops
    assert stop.field == "suite" and "CC-BY-NC-4.0" in stop.why and "this one is to be CC-BY-4.0" in stop.why
    dataset = publication(tmp_path, episodes, licence="CC-BY-NC-4.0").rehearse()
    assert not dataset.report.stops and "| enterpriseops-gym | 1 | CC-BY-NC-4.0 | yes |" in dataset.card
    assert not stops(tmp_path, episodes, task_licences={"enterpriseops-gym": "Apache-2.0"})


def test_a_failed_certificate_stops_with_the_row(tmp_path: Path) -> None:
    """Ten decimals are as many as ``load_dataset`` keeps, so the second row does not read as written."""
    called = replace(may_go().turns[0].tool_calls[0], arguments=Json('{"share":0.123456789012345}'))
    finer = may_go("e1", turns=(replace(may_go().turns[0], tool_calls=(called,)), may_go().turns[1]))
    findings = stops(tmp_path, [may_go("e0"), finer], configs=("sft",))
    assert ("certificate", "sft/train", 1, "e1", "reads_as_written") in findings
    assert not stops(tmp_path / "whole", [may_go("e0"), finer]), "Parquet keeps them"


def test_numbers_of_the_seed_are_made_up_and_others_are_not() -> None:
    from eops_traj.privacy.pii import Datum
    from eops_traj.publish.policy import AllowedData
    from eops_traj.publish.synthetic_values import embedded_seeds, is_synthetic, seed_values

    [seed] = embedded_seeds([SERVER])
    number = next(datum for datum in sorted(seed_values(seed)) if datum.kind == "telephone number")
    assert is_synthetic(number, AllowedData(), {seed}) and not is_synthetic(number, AllowedData(), ())
    assert not is_synthetic(Datum("telephone number", "+14158675309"), AllowedData(), {seed})


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("ann@corvane.com", True),
        ("ann@mail.corvane.com", True),
        ("ann@evilcorvane.com", False),
        ("ann@corvane.com.evil.org", False),
        ("ann@corvane.org", False),
    ],
)
def test_a_domain_that_only_looks_like_an_allowed_one_is_not(address: str, allowed: bool) -> None:
    from eops_traj.privacy.pii import Datum
    from eops_traj.publish.policy import AllowedData
    from eops_traj.publish.synthetic_values import is_synthetic

    allow = AllowedData(email_domains=["Corvane.com"])
    assert is_synthetic(Datum("e-mail address", address), allow, ()) is allowed


def stop(check: str, row: int) -> Stop:
    return Stop(check, "sft", "train", row, f"e{row}", "text", "AWS Access Key")


def test_the_report_counts_the_stops_of_each_check() -> None:
    report = GateReport(stops=[stop("secrets", 0), stop("secrets", 1), stop("licences", 2)])
    counted = {row["check"]: (row["status"], row["stops"], row["rows"]) for row in report.table()}
    assert counted == {
        "certificate": ("passed", 0, 0), "secrets": ("stopped", 2, 0), "personal_data": ("passed", 0, 0),
        "licences": ("stopped", 1, 0), "held_out": ("passed", 0, 0),
    }  # fmt: skip
    BuiltDataset([], GateReport(), "").require_passed()


@pytest.mark.parametrize(("count", "more"), [(3, ""), (4, " and 1 more"), (9, " and 6 more")])
def test_three_rows_of_each_check_are_named(count: int, more: str) -> None:
    report = GateReport(stops=[*(stop("secrets", n) for n in range(count)), stop("licences", 70)])
    named = "; ".join(f"sft/train row {n} (episode e{n}), text: AWS Access Key" for n in range(3))
    licence = "licences: sft/train row 70 (episode e70), text: AWS Access Key"
    with pytest.raises(NotPublished) as refused:
        BuiltDataset([], report, "").require_passed()
    assert str(refused.value) == f"not published. secrets: {named}{more}. {licence}"


def test_a_secret_does_not_hide_another_fault_of_the_certificate(tmp_path: Path) -> None:
    odd = replace(may_go().turns[0].tool_calls[0], arguments=Json('{"latitude":52.516275123456}'))
    rounded = may_go("e1", turns=(replace(may_go().turns[0], tool_calls=(odd,)), may_go().turns[1]))
    found = stops(tmp_path, [may_go("e0", reply=f"Key: {KEY}"), rounded], configs=("sft",))
    assert {(check, row) for check, _, row, _, _ in found} == {("secrets", 0), ("certificate", 1)}
