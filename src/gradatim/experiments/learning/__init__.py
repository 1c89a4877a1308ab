"""Backpropagation, optimization and initialization."""
