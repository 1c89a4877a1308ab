"""Spoken digits as sequences of coefficients: recorded ones, or made-up ones that need no download."""

from dataclasses import dataclass

import numpy as np
import torch
from sklearn.model_selection import train_test_split
from torch import Tensor

from gradatim.data import load, pad_sequences

WIDTH = 13  # mel-frequency cepstral coefficients


@dataclass(frozen=True)
class Utterances:
    """Sequences ``(T_n, 13)`` of standardized coefficients, and which digit each is."""

    sequences: list[np.ndarray]
    labels: np.ndarray

    def padded(self) -> tuple[Tensor, Tensor, Tensor]:
        """Sequences, lengths and labels, as a trainer takes them."""
        return *pad_sequences(self.sequences), torch.as_tensor(self.labels)


def load_utterances(source: str, count: int, seed: int) -> tuple[Utterances, Utterances]:
    """Draw ``count`` utterances, four fifths to train; coefficients are scaled by the training part."""
    if source == "spoken-digits":
        data = load(source)
        X, y = [np.asarray(x, np.float32) for x in data.X], np.asarray(data.y)
    else:
        X, y = make_utterances(count, seed)
    rows, test = train_test_split(np.arange(len(y)), test_size=0.2, stratify=y, random_state=seed)
    frames = np.concatenate([X[row] for row in rows])
    mean, deviation = frames.mean(0), frames.std(0)
    parts = [[(X[row] - mean) / deviation for row in part] for part in (rows, test)]
    return Utterances(parts[0], y[rows]), Utterances(parts[1], y[test])


def make_utterances(count: int, seed: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Ten digits as paths through three sounds, spoken at any speed, by many voices, in noise.

    Digits 5 to 9 are 0 to 4 backwards: only the order of the sounds tells them apart.
    """
    rng = np.random.default_rng(seed)
    sounds = rng.normal(size=(5, 3, WIDTH))
    sounds = np.concatenate([sounds, sounds[:, ::-1]])  # (10, 3, WIDTH)
    labels = rng.permutation(np.arange(count) % 10)
    sequences = []
    for label in labels:
        turns = np.sort(rng.uniform(0.15, 0.85, 2))  # when one sound becomes the next
        time = np.linspace(0, 1, rng.integers(8, 24))
        place = np.interp(time, [0, *turns, 1], [0, 0.8, 1.4, 2])
        path = np.stack([np.interp(place, [0, 1, 2], sounds[label, :, k]) for k in range(WIDTH)], 1)
        voice = 0.3 * rng.normal(size=WIDTH)
        sequences.append((path + voice + 0.4 * rng.normal(size=path.shape)).astype(np.float32))
    return sequences, labels
