"""Neurons and memories."""
