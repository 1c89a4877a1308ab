"""Sentences whose words have tags."""
