"""Contestants that train a language model."""
