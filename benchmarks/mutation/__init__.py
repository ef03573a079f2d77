"""Mutation testing of the modules of value."""
