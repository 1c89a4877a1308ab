"""Contestants that find the largest eigenvalue of a Hessian."""
