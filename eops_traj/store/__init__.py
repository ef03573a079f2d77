"""The trajectory store: Delta tables with a crash-safe journal in front."""
