"""What an attack learns from the model at a point: what it has gained there, and where to gain more."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from gradatim.robust.log_odds import log_odds_against
from gradatim.robust.norms import steepest
from gradatim.robust.victim import class_scores, input_gradient


class Look(NamedTuple):
    """What the attack has gained, the class predicted, and the direction that gains most, of norm one.

    The gain is the log-odds against the true class, or for a targeted attack in favour of the wanted one.
    """

    gain: Tensor
    predicted: Tensor
    direction: Tensor


def look(
    owner: str, model: nn.Module, z: Tensor, y: Tensor, p: float, *, targeted: bool = False
) -> Look:
    """Evaluate ``model`` at ``z``, forwards and backwards."""
    z = z.detach().requires_grad_()
    scores = class_scores(owner, model, z)
    gain, slope = _gain(owner, scores.detach(), y, targeted)
    gradient = input_gradient(owner, scores, z, slope)
    direction = steepest(gradient.flatten(1), p).reshape(z.shape)
    return Look(gain, scores.detach().argmax(1), direction)


@torch.no_grad()
def glance(owner: str, model: nn.Module, z: Tensor, y: Tensor, *, targeted: bool = False) -> Look:
    """Evaluate ``model`` at ``z``, forwards only; there is no direction then."""
    scores = class_scores(owner, model, z)
    return Look(_gain(owner, scores, y, targeted)[0], scores.argmax(1), z.new_zeros(()))


def _gain(owner: str, scores: Tensor, y: Tensor, targeted: bool) -> tuple[Tensor, Tensor]:
    odds, slope = log_odds_against(owner, scores, y)
    return (-odds, -slope) if targeted else (odds, slope)
