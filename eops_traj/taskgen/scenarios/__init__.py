"""Scenario families, one package a domain."""
