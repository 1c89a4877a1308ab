r"""The lottery ticket: a small part of a network that, from its own first weights, learns as well as the whole.

Train; remove the smallest weights; set the others back to what they were at the start (or soon after);
train again. After :math:`r` rounds at rate :math:`\rho` a share :math:`(1-\rho)^r` of the weights remains.
"""

from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor, nn

from gradatim.errors import require
from gradatim.nn.pruning import Masks, apply_masks, magnitude_masks, weight_sparsity


class Ticket(NamedTuple):
    """What a round trained: the masks it wore, the share of weights they hold at zero, and its score."""

    sparsity: float
    score: float
    masks: Masks
    start: dict[str, Tensor]


def find_tickets(
    model: nn.Module,
    train: Callable[[nn.Module], float],
    *,
    rounds: int = 5,
    rate: float = 0.2,
    warm_up: Callable[[nn.Module], object] | None = None,
    scope: str = "global",
) -> list[Ticket]:
    r"""Prune a network by iterative magnitude pruning with rewinding, in place.

    Args:
        model: A fresh network.
        train: Trains a model in place and returns its score.
        rounds: Number of prunings; one more training than that takes place.
        rate: :math:`\rho`, the share of remaining weights removed in each.
        warm_up: Trains a little before the weights to rewind to are noted, which deep networks need.
        scope: ``"global"`` or ``"layer"``, as in :func:`~gradatim.nn.magnitude_masks`.

    Returns:
        One ticket a training, the unpruned network first. ``masks`` and ``start`` (the weights before
        training, by parameter name) suffice to train a ticket again, or its mask on other weights.

    Example:
        >>> import torch
        >>> tickets = find_tickets(nn.Linear(10, 10), train=lambda model: 0.0, rounds=2, rate=0.5)
        >>> [ticket.sparsity for ticket in tickets]
        [0.0, 0.5, 0.75]

    Reference:
        Frankle and Carbin, The Lottery Ticket Hypothesis, 2019; rewinding: Frankle et al., 2020.
    """
    require(0.0 < rate < 1.0, "find_tickets: rate must be in (0, 1)", rate, "Try rate=0.2.")
    require(rounds >= 0, "find_tickets: rounds must be at least 0", rounds, "Try rounds=5.")
    if warm_up is not None:
        warm_up(model)
    plain = {name: value.detach().clone() for name, value in model.state_dict().items()}
    masks = magnitude_masks(model, 0.0)
    apply_masks(model, masks)
    dressed = {name: value.detach().clone() for name, value in model.state_dict().items()}
    tickets: list[Ticket] = []
    for place in range(rounds + 1):
        if place:
            masks = magnitude_masks(model, 1.0 - (1.0 - rate) ** place, scope=scope)
            model.load_state_dict(dressed)
            apply_masks(model, masks)
        score = train(model)
        tickets.append(Ticket(weight_sparsity(model), score, masks, plain))
    return tickets
