"""Anomalies in the contest: what normal rows and steps of a series look like, and which do not."""
