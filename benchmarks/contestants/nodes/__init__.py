"""Contestants that classify the nodes of a graph."""
