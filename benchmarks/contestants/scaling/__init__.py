"""Training by a pair of processes."""
