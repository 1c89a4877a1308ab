"""Contestants that write text."""
