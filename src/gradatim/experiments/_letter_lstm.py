"""A recurrent network that reads a text letter by letter, and the bits it needs for each."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.experiments._characters import Text
from gradatim.losses import token_cross_entropy
from gradatim.models import RecurrentLanguageModel
from gradatim.randomness import seeded
from gradatim.training import Trainer, TruncatedBPTT


def as_streams(codes: Tensor, streams: int) -> tuple[Tensor, Tensor]:
    """Cut a text into parallel streams: letters, and the letter after each."""
    length = (len(codes) - 1) // streams
    x, y = codes[: length * streams], codes[1 : length * streams + 1]
    return x.view(streams, length), y.view(streams, length)


@torch.inference_mode()
def surprise(model: RecurrentLanguageModel, codes: Tensor, reset: int | None = None) -> Tensor:
    """Bits of each letter after the first, given all before it or, with ``reset``, those of its piece."""
    x, y = codes[:-1], codes[1:]
    if reset is not None:
        whole = len(x) // reset * reset
        x, y = x[:whole].view(-1, reset), y[:whole].view(-1, reset)
    else:
        x, y = x[None], y[None]
    logits, _ = model(x)
    return F.cross_entropy(logits.flatten(0, 1), y.flatten(), reduction="none") / math.log(2)


def train_lstm(
    text: Text, hidden_dim: int, *, lr: float, epochs: int, seed: int, dim: int = 32, streams: int = 32, bptt: int = 64
) -> RecurrentLanguageModel:  # fmt: skip
    with seeded(seed):
        model = RecurrentLanguageModel(len(text.letters), dim=dim, hidden_dim=hidden_dim)
    trainer = Trainer(
        model, token_cross_entropy, lr=lr, schedule="cosine", epochs=epochs, batch_size=streams,
        objective=TruncatedBPTT(bptt), clip_norm=1.0, seed=seed, progress=False,
    )  # fmt: skip
    trainer.fit(as_streams(text.train, streams))
    return model
