"""Contestants that learn to hold a pole upright by proximal policy optimization."""
