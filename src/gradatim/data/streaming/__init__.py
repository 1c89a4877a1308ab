"""Rows of files that are larger than memory, in an order that seed and epoch alone decide."""
