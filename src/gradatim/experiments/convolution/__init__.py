"""Convolution and images."""
