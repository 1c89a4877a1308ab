"""Contestants that cross-validate a classifier of dense layers."""
