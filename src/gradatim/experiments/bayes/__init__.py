"""Bayesian learning: sampling, predictive uncertainty and Gaussian processes."""
