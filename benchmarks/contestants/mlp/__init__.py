"""Contestants that train a classifier of dense layers."""
