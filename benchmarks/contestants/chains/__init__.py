"""Contestants that sample with many chains."""
