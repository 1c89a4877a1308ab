"""Backpropagation as an explicit recursion, gradient checks, Jacobians and pictures of computation graphs."""
