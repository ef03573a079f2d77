"""Conventions that several servers share: Google APIs and OData."""
