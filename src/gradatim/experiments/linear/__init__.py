"""Linear models and what their losses assume."""
