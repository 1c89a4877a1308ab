"""Train a decoder on the true past, on its own past, or on a mixture that changes with time."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from torch import Tensor, nn

from gradatim.data.vocabulary import PAD
from gradatim.errors import require
from gradatim.losses import token_cross_entropy
from gradatim.losses.counting import Counts, counts_of
from gradatim.training.batches import Batch
from gradatim.training.objectives.objective import Objective


def inverse_sigmoid_decay(steps: float) -> Callable[[int], float]:
    r"""Make a schedule that falls slowly, then fast, then slowly, from 1 towards 0.

    .. math:: \epsilon_i = \frac{k}{k + e^{i/k}}

    Args:
        steps: :math:`k`, from 1; the ratio reaches one half after :math:`k\log k` steps.

    Example:
        >>> decay = inverse_sigmoid_decay(100)
        >>> [round(decay(i), 3) for i in (0, 460, 1000)]
        [0.99, 0.501, 0.005]

    Reference:
        Bengio et al., Scheduled Sampling for Sequence Prediction with Recurrent Neural Networks, 2015.
    """
    require(steps >= 1, "inverse_sigmoid_decay: steps must be 1 or more", steps)
    return lambda i: 1.0 / (1.0 + math.exp(min(i / steps, 700.0)) / steps)


class TeacherForcing(Objective):
    r"""Train a :class:`~gradatim.models.Seq2Seq`, with a schedule of teacher forcing.

    At ratio 1 each step of the decoder is given the true token before it; at 0 its own. Truth makes
    training fast, but the decoder never meets its own mistakes; a schedule moves from one to the other.
    Batches are ``(source, lengths, target)``. Validation uses truth. A checkpoint keeps the place in the schedule.

    Args:
        ratio: Probability of the true token: a number, or a function of the training step.
        padding: Token that fills up the target.

    Example:
        >>> import torch
        >>> from gradatim.models import Seq2Seq
        >>> from gradatim.training import Trainer
        >>> source = torch.randint(4, 9, (20, 6))
        >>> target = torch.cat([source.flip(1), torch.full((20, 1), 2)], 1)
        >>> forcing = TeacherForcing(inverse_sigmoid_decay(50))
        >>> trainer = Trainer(Seq2Seq(9, 9), objective=forcing, epochs=2, batch_size=10)
        >>> history = trainer.fit((source, torch.full((20,), 6), target))
        >>> forcing.steps
        4
    """

    any_layout = True

    def __init__(self, ratio: float | Callable[[int], float] = 1.0, *, padding: int = PAD) -> None:
        rule = "TeacherForcing: ratio must be from 0 to 1"
        require(callable(ratio) or 0.0 <= ratio <= 1.0, rule, ratio)
        self.ratio, self.padding = ratio, padding
        self.steps = 0

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        source, lengths, target = batch
        if not model.training:
            return token_cross_entropy(model(source, lengths, target), target, self.padding)
        ratio = self.ratio(self.steps) if callable(self.ratio) else self.ratio
        self.steps += 1
        return token_cross_entropy(model(source, lengths, target, ratio), target, self.padding)

    def counts(self, batch: Batch) -> Counts:
        return counts_of(partial(token_cross_entropy, padding=self.padding), batch[-1])

    def state_dict(self) -> dict[str, Any]:
        return {"steps": self.steps}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.steps = int(state["steps"])
