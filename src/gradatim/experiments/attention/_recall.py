"""Associative recall: pairs of a key and a value, then a key, and the question which value stood beside it."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.nn import Recurrent, attend, linear_attention
from gradatim.randomness import seeded
from gradatim.training import Trainer

READERS = ("attention", "window", "linear attention", "GRU")


@dataclass(frozen=True)
class RecallSettings:
    seed: int = 0
    pairs: int = 32
    values: int = 8
    dim: int = 16
    window: int = 9
    steps: int = 2000
    batch_size: int = 64
    lr: float = 0.01


class Reader(nn.Module):
    """One layer that looks back from the last position, and a map of what it found."""

    def __init__(self, kind: str, settings: RecallSettings) -> None:
        super().__init__()
        self.kind, self.window = kind, settings.window
        width, dim = settings.pairs + settings.values, settings.dim
        self.recurrence = Recurrent("gru", width, dim) if kind == "GRU" else None
        self.query, self.key, self.value = (nn.Linear(width, dim) for _ in range(3))
        self.readout = nn.Linear(dim, settings.values)

    def forward(self, x: Tensor) -> Tensor:
        if self.recurrence is not None:
            return self.readout(self.recurrence(x)[0][:, -1])
        query, key, value = self.query(x[:, -1:]), self.key(x), self.value(x)
        if self.kind == "linear attention":
            found = linear_attention(query, key, value)
        else:
            window = self.window if self.kind == "window" else None
            found = attend(query, key, value, is_causal=True, window=window)
        return self.readout(found[:, 0])


def draw_pairs(
    settings: RecallSettings, rows: int, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """Rows of all keys in random order beside random values, then one of the keys.

    Returns:
        Inputs ``(rows, pairs + 1, pairs + values)``, the value asked for, and how many steps back it stood.
    """
    n = settings.pairs
    keys = torch.rand(rows, n, generator=generator).argsort(1)
    values = torch.randint(settings.values, (rows, n), generator=generator)
    place = torch.randint(n, (rows, 1), generator=generator)
    shown = torch.cat([F.one_hot(keys, n), F.one_hot(values, settings.values)], 2)
    asked = F.one_hot(keys.gather(1, place), n)
    x = torch.cat([shown, F.pad(asked, (0, settings.values))], 1).float()
    return x, values.gather(1, place)[:, 0], n - place[:, 0]


def recall(kind: str, settings: RecallSettings) -> dict[int, float]:
    """Train a reader on fresh rows; return its accuracy by how many steps back the pair stood."""
    generator = torch.Generator().manual_seed(settings.seed)
    with seeded(settings.seed):
        model = Reader(kind, settings)
    for k in range(4):  # a quarter of the rows at a time, to spare memory
        x, y, _ = draw_pairs(settings, settings.steps * settings.batch_size // 4, generator)
        Trainer(
            model, "cross_entropy", lr=settings.lr / 2**k, epochs=1, batch_size=settings.batch_size, clip_norm=1.0,
            seed=settings.seed + k, progress=False,
        ).fit((x, y))  # fmt: skip
    x, y, back = draw_pairs(settings, 4000, generator)
    with torch.inference_mode():
        is_right = (model.eval()(x).argmax(1) == y).double()
    return {lag: is_right[back == lag].mean().item() for lag in range(1, settings.pairs + 1)}
