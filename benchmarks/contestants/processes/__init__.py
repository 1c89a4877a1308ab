"""Contestants that learn the parameters of Gaussian processes."""
