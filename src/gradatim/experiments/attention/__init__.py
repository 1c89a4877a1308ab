"""Attention and Transformers."""
