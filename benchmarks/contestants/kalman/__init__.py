"""Contestants that filter with linear dynamical systems."""
