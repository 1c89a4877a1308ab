"""Data in three parts: to learn from, to choose a network by, and to judge by."""

import numpy as np

from gradatim.errors import require

LEAST = 80
VALIDATION = 0.15  # of what is not held out


def split_rows(count: int, share: float, seed: int, things: str, place: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Places of training, validation and held-out rows.

    Args:
        count: How many rows there are.
        share: Of the held-out rows.
        seed: Fixes the split.
        things: What they are, such as ``"rows"``, for messages.
        place: Where they are, such as ``"the table"``.

    Example:
        >>> [len(part) for part in split_rows(100, 0.2, 0, "rows", "the table")]
        [68, 12, 20]
    """
    require(count >= LEAST, f"fit: {place} must have at least {LEAST} {things} to make more of them", count)  # fmt: skip
    order = np.random.default_rng([seed, 11]).permutation(count)
    held = round(share * count)
    kept = round(VALIDATION * (count - held))
    rule = f"fit: test must leave at least 10 {things} to judge by, 10 to choose by and 30 to learn from"
    is_enough = held >= 10 and kept >= 10 and count - held - kept >= 30
    require(is_enough, rule, f"{share:g} of {count} {things}", "Try 0.2.")
    parts = np.split(order, [count - held - kept, count - held])
    return parts[0], parts[1], parts[2]
