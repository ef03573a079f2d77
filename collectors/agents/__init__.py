"""Orchestrators, one a file. A name here is the name in a config and in episodes."""

ORCHESTRATORS = {
    "react": "REACT",
    "planner_react": "PLANNER_REACT",
    "decomposing": "DECOMPOSING",
    "plan": "PLAN",
    "plan_vote": "PLAN_VOTE",
    "conditioned": "plan_conditioned:PLAN_CONDITIONED",
    "expert": "expert.agent:EXPERT",
    "command": "command.agent:COMMAND",
    "benchmark_planner_react": "BENCHMARK_PLANNER_REACT",
    "benchmark_decomposing": "BENCHMARK_DECOMPOSING",
}
"""Every orchestrator: its name and its `OrchestratorKind`, in the module of that name if none is given."""
