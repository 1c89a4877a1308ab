"""Time series and hidden states."""
