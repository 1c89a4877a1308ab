"""Pretext tasks: labels that the data give themselves, so that a trunk can learn before labels come.

Each ignores the batch's target. Train with one, then :func:`~gradatim.training.replace_head`.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.data.flip_and_crop import quarter_turns
from gradatim.data.noise import add_noise, mask_entries
from gradatim.training.batches import Batch
from gradatim.training.objectives.objective import Figures, Objective


class Rotation(Objective):
    """Ask by how many right angles an image was turned.

    The model needs four outputs. Every image of a batch comes in all four directions, so the guess of a
    model that has learned nothing is right one time in four. The recorded ``accuracy`` tells.

    Example:
        >>> from gradatim.models import MLP
        >>> from gradatim.training import Trainer
        >>> images = torch.rand(10, 1, 8, 8)
        >>> trainer = Trainer(MLP((64, 16, 4)), objective=Rotation(), epochs=1)
        >>> "train_accuracy" in trainer.fit((images, torch.zeros(10))).records[0]
        True

    Reference:
        Gidaris, Singh, Komodakis, Unsupervised Representation Learning by Predicting Image Rotations, 2018.
    """

    any_layout = True

    def __call__(self, model: nn.Module, batch: Batch) -> Figures:
        images = batch[0]
        turns = torch.arange(4, device=images.device).repeat_interleave(len(images))
        logits = model(quarter_turns(images.repeat(4, 1, 1, 1), turns))  # (4B, 4)
        accuracy = (logits.argmax(1) == turns).double().mean()
        return {"loss": F.cross_entropy(logits, turns), "accuracy": accuracy}


class Denoising(Objective):
    r"""Ask for the clean input behind Gaussian noise.

    .. math:: E=\lVert f(x+\sigma\epsilon)-x\rVert^2

    The best answer is :math:`\mathbb E[x\mid x+\sigma\epsilon]`, so the model must know what inputs
    look like.

    Args:
        std: :math:`\sigma`.

    Example:
        >>> from gradatim.models import MLP
        >>> from gradatim.training import Trainer
        >>> X = torch.rand(10, 6)
        >>> history = Trainer(MLP((6, 3, 6)), objective=Denoising(), epochs=1).fit((X, X))
    """

    any_layout = True

    def __init__(self, std: float = 0.3) -> None:
        add_noise(torch.zeros(0), std=std)
        self.std = std

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        x = batch[0]
        return F.mse_loss(model(add_noise(x, std=self.std)), x.flatten(1))


class MaskedReconstruction(Objective):
    r"""Ask for the entries hidden from the model.

    .. math:: E=\frac{\sum_j h_j\,(f(x\odot(1-h))_j-x_j)^2}{\sum_j h_j}, \qquad
        h_j\sim\operatorname{Bernoulli}(d)

    Args:
        drop: :math:`d`, the probability to hide an entry.

    Example:
        >>> from gradatim.models import MLP
        >>> from gradatim.training import Trainer
        >>> X = torch.rand(10, 6)
        >>> history = Trainer(MLP((6, 3, 6)), objective=MaskedReconstruction(), epochs=1).fit((X, X))
    """

    any_layout = True

    def __init__(self, drop: float = 0.25) -> None:
        mask_entries(torch.zeros(0), drop=drop)
        self.drop = drop

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        x = batch[0]
        visible, hidden = mask_entries(x, drop=self.drop)
        wrong = (model(visible) - x.flatten(1)).square() * hidden.flatten(1)
        return wrong.sum() / hidden.sum().clamp(min=1)
