"""Errors put into gold plans one at a time, by what goes wrong: the cause of each failure is known."""
