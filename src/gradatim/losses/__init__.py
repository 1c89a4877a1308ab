"""Losses that networks minimize."""

from gradatim.losses.named import (
    LOSSES,
    Loss,
    align,
    bce,
    build_loss,
    cross_entropy,
    huber,
    mae,
    mse,
)

__all__ = ["LOSSES", "Loss", "align", "bce", "build_loss", "cross_entropy", "huber", "mae", "mse"]
