"""Verdicts and labels: verifiers, outcomes, refusals, failure modes."""
