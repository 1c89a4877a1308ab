"""Contestants that compute the tangent kernel of a network."""
