"""The loop: tasks, episodes, plans, a planner trained on them, and the same verifiers again."""
