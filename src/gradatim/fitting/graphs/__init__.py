"""Whole graphs with a class or a number each."""
