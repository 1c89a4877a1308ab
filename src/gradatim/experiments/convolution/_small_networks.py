"""Train a small network on images, and see what it reads right."""

import torch
from torch import Tensor, nn

from gradatim.training import Trainer

Pair = tuple[Tensor, Tensor]


def fit_small(
    model: nn.Module, train: Pair, *, lr: float, epochs: int, seed: int, batch_size: int = 64, weight_decay: float = 0.0
) -> nn.Module:  # fmt: skip
    """Train ``model`` with a rate that falls along a cosine, and leave it in eval mode."""
    Trainer(
        model, lr=lr, weight_decay=weight_decay, schedule="cosine", epochs=epochs, batch_size=batch_size, seed=seed,
        progress=False,
    ).fit(train)  # fmt: skip
    return model.eval()


@torch.inference_mode()
def is_right(model: nn.Module, images: Tensor, labels: Tensor) -> Tensor:
    """1 for every image whose class ``model`` finds, else 0."""
    return (model(images).argmax(1) == labels).float()
