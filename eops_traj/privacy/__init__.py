"""Find and remove secrets and personal data."""
