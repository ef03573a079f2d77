"""What to do about each cause of failure: the next step for someone who collects, trains or makes tasks."""

ADVICE = {
    "missing_write": "Train on episodes of the same families that pass, and on plans: what is left out is "
    "mostly the step that follows from another one. Branch at the turn before the answer.",
    "wrong_value": "Look at where the value came from. Pairs of a failed and a passed attempt at the same "
    "task teach the difference; a value misread in the policy calls for harder policies in training.",
    "wrong_record": "Train on tasks with namesakes, and check that look-ups tell them apart.",
    "extra_write": "Prefer attempts that change nothing else, in preference pairs.",
    "missing_effect": "Look at the policy: it asks for something beside the request. Train on its rules.",
    "premature_step": "Prefer attempts that look up first, in pairs of steps.",
    "unrepaired_call": "Train on episodes that repair a refused call; check that the error says "
    "what is wrong.",
    "over_refusal": "Balance refusals with their feasible twins in training.",
    "forbidden_action": "Add infeasible twins to training, with refusals that look first.",
    "false_claim": "Drop such episodes from training, and pair them against honest ones.",
    "unfounded_refusal": "Train on refusals that look up and name what forbids the task.",
    "incomplete_answer": "Train on answers that give what was asked; the work itself was done.",
    "stopped_early": "Check limits and the prompt's word on when to stop; pair against attempts that go on.",
    "out_of_budget": "Raise the limit once to see whether it is the limit; else look for loops.",
    "broken_off": "Collect again: nothing is known of the agent.",
    "faulty_verifier": "Repair or leave out the task: nothing can pass it.",
}
"""One sentence or two for each kind of cause."""
