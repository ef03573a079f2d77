"""The company that all seven servers share."""
