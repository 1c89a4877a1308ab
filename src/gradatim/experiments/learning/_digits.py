"""The digits, split and scaled, as several experiments train on them."""

import numpy as np
from sklearn.model_selection import train_test_split

from gradatim.data import load

Pair = tuple[np.ndarray, np.ndarray]


def standard_digits(seed: int) -> tuple[Pair, Pair]:
    """Three quarters to train, a quarter to test; pixels of mean zero and deviation one in training."""
    data = load("digits")
    X, X_test, y, y_test = train_test_split(data.X, data.y, stratify=data.y, random_state=seed)
    mean, deviation = X.mean(), X.std()
    return ((X - mean) / deviation, y), ((X_test - mean) / deviation, y_test)
