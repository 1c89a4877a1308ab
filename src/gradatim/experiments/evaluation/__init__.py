"""Honest evaluation and comparison."""
