"""The gym for other trainers: OpenEnv's and NeMo Gym's wire protocols, and a taskset for verifiers."""
