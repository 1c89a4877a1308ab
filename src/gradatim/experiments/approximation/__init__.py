"""Networks as function approximators."""
