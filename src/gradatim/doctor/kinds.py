"""Kinds of losses by the names of their operations."""

REGRESSION = {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "squares by hand", "distances by hand"}  # fmt: skip
CLASSIFYING = {"cross_entropy", "nll_loss", "nll by hand"}
BINARY = {"binary_cross_entropy", "binary_cross_entropy_with_logits"}
BINARY_LOGITS = "binary_cross_entropy_with_logits"
