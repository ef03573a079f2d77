"""A cause of a failure: its kind, one sentence, and the evidence that it stands on."""

from dataclasses import dataclass

KINDS = {
    "missing_write": "A change that was asked for was never made.",
    "wrong_value": "A record has another value in a column than the one that was asked for.",
    "wrong_record": "Another record was changed or referred to than the one that was meant.",
    "extra_write": "Something was changed that nobody asked to be changed.",
    "missing_effect": "A change was made without a side effect that it had to have, such as a notice.",
    "premature_step": "Something was written before what had to be known for it was looked up.",
    "unrepaired_call": "A call was refused, and what it was for was never done another way.",
    "over_refusal": "What could be done was declined, on a ground that does not hold.",
    "forbidden_action": "Something was changed, or tried, in a task that had to be declined.",
    "false_claim": "The answer says that something was done which was not.",
    "unfounded_refusal": "A task was rightly declined, but not for what forbids it, or unseen.",
    "incomplete_answer": "The answer lacks what was asked for.",
    "stopped_early": "The agent ended by itself before the work was done.",
    "out_of_budget": "The episode ran out of turns, tokens, money or time.",
    "broken_off": "The episode ended in an error of its surroundings.",
    "faulty_verifier": "The verifier itself could not pass, or could not run: the task is at fault.",
}
"""Every kind of cause by its name, with what it means."""

NOT_THE_AGENT = frozenset({"broken_off", "faulty_verifier"})
"""The kinds that say nothing of the agent."""


@dataclass(frozen=True)
class Evidence:
    """Where a cause shows; what does not apply is None. Turns, calls and verdicts count from 0."""

    verifier: int | None = None
    """The place of the failed verdict among the episode's."""
    turn: int | None = None
    """The turn where it went wrong; for what was never done, the one in which the episode ended."""
    call: int | None = None
    """The place of the call in that turn."""
    row: str | None = None
    """The row: table and key."""
    column: str | None = None
    """The column, or the argument."""
    wanted: str | None = None
    got: str | None = None
    origin: str | None = None
    """Where the wrong value came from: another record, the request, or nowhere."""


@dataclass(frozen=True)
class Cause:
    """One reason why an episode failed."""

    kind: str
    """One of KINDS."""
    sentence: str
    evidence: Evidence = Evidence()
    consequence: bool = False
    """Whether an earlier cause of the same episode explains it."""
