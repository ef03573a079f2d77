"""The scripted expert, which follows gold plans and errs on request."""
