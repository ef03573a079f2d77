"""The audit of real tasks: every known-broken one is found, and no sound one is blamed."""

import json
from collections import Counter
from dataclasses import replace

from eops_traj.audit.register import audit_task, audit_tasks
from eops_traj.gym import registry
from eops_traj.schema import Server, Verdict, Verifier, json_of
from eops_traj.tasks import load_tasks
from eops_traj.tasks.from_episode import task_of_episode
from tests.audit.broken import imported, seeds
from tests.real import real_episodes

KNOWN_BROKEN = 81


def as_asked(verdict: Verdict) -> Verifier:
    """The verifier that a result file tells of."""
    expected = json.loads(verdict.expected or "null")
    config = {"query": verdict.query, "expected_value": expected, "comparison_type": verdict.comparison}
    return Verifier(name=verdict.name, kind=verdict.kind, server=verdict.server, config=json_of(config))


def test_each_known_broken_query_is_found_with_a_reason(shared, tmp_path):
    lines = (shared / "eog" / "facts" / "verifiers_of_known_broken_tasks.jsonl").read_text().splitlines()
    found = Counter()
    for line in map(json.loads, lines):
        server = registry.server(line["server"].split("|")[0]).gym_name
        config = json_of({"query": line["query"], "expected_value": line["expected"]})
        check = Verifier(name=line["verifier"], kind="database_state", server=server, config=config)
        task = imported(check, servers=(Server(name=server, seed="no.sql"),), tools=())
        known = {f.reason for f in audit_task(task, tmp_path) if f.verifier == line["verifier"]}
        assert known, line
        found.update(known)
    assert found["text_for_number"] == len(lines) == KNOWN_BROKEN


def test_no_real_task_is_blamed_with_its_own_seed_or_without(shared):
    tasks = list(load_tasks(shared / "eog" / "tasks").values())
    assert audit_tasks(tasks, shared / "eog" / "seeds").head()["defective"] == 0


def test_no_verifier_that_a_real_run_passed_is_blamed(shared, tmp_path):
    """Of the 267 verifiers of 52 real result files, only such as failed there are found."""
    blamed, checked = [], 0
    for episode in real_episodes(shared).values():
        checks = tuple(map(as_asked, episode.verdicts))
        findings = audit_task(replace(task_of_episode(episode), verifiers=checks), seeds(tmp_path))
        blamed += [episode.verdicts[f.number] for f in findings if f.number is not None and f.defect]
        checked += len(checks)
    assert checked > 250 and blamed and not any(verdict.passed_parity for verdict in blamed)
