"""Contestants that filter signals on a graph."""
