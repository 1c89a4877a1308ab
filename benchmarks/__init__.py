"""Gradatim beside its peers: the same job, the same arithmetic, in one run."""
