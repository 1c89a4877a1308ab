"""Generative models: a table or a folder of pictures becomes a network that makes more of the same."""
