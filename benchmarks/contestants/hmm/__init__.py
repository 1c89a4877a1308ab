"""Contestants that learn and decode hidden Markov models."""
