"""Clusters of the rows of a table, without labels."""
