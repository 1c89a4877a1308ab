"""Contestants that train a compiled language model."""
