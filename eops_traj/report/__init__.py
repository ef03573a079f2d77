"""The report: one page of figures about the episodes of a store, and the figures as files beside it."""
