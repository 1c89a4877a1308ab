"""Contestants that put graphs together."""
