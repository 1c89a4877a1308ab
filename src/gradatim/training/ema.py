"""An average of the weights along a run, in which the latest count most."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue, require
from gradatim.training.callbacks import Callback

if TYPE_CHECKING:
    from gradatim.training.trainer import Trainer


class EMA(Callback):
    r"""Average the weights along a run, forgetting what is long ago, and leave the average in the model.

    .. math:: \bar\theta_n = d_n\,\bar\theta_{n-1} + (1-d_n)\,\theta_n, \qquad d_n = \min\Bigl(d, \frac{1+n}{10+n}\Bigr)

    Samples of a diffusion model are much better with the average than with the last weights. While the run goes on the
    trainer has the wandering weights, with which the figures of the history are measured; :meth:`averaged` lends the average.
    A checkpoint keeps both, and a resumed run goes on with both. Statistics of batch normalization stay those of the last weights.

    Args:
        decay: :math:`d`; the average reaches back over about :math:`1/(1-d)` steps, at the beginning over fewer.

    Attributes:
        count: Steps averaged.

    Example:
        >>> from gradatim.training import Trainer
        >>> X = torch.linspace(-1, 1, 64).unsqueeze(1)
        >>> ema = EMA(decay=0.9)
        >>> trainer = Trainer(nn.Linear(1, 1), "mse", "sgd", lr=0.1, epochs=5, batch_size=16, callbacks=[ema])
        >>> history = trainer.fit((X, 3 * X + 1))
        >>> ema.count
        20

    Reference:
        Polyak and Juditsky, Acceleration of Stochastic Approximation by Averaging, 1992; with a rising decay as in Ho et al.,
        Denoising Diffusion Probabilistic Models, 2020, and others after it.
    """

    any_layout = True

    def __init__(self, *, decay: float = 0.999) -> None:
        require(0 <= decay < 1, "EMA: decay must be in [0, 1)", decay, "Try 0.999.")
        self.decay = decay
        self._reset()

    def _reset(self) -> None:
        self.count = 0
        self._average: dict[str, Tensor] = {}

    def on_fit_start(self, trainer: "Trainer") -> None:
        if trainer.steps == 0:
            self._reset()
        if not self._average:
            weights = _weights(trainer.model)
            self._average = {name: weight.detach().clone() for name, weight in weights.items()}

    @torch.no_grad()
    def on_batch_end(self, trainer: "Trainer", loss: Tensor | None) -> None:
        self.count += 1
        decay = min(self.decay, (1 + self.count) / (10 + self.count))
        weights = _weights(trainer.model)
        average = [self._average[name] for name in weights]
        torch._foreach_lerp_(average, list(weights.values()), 1 - decay)

    @contextmanager
    def averaged(self, model: nn.Module) -> Iterator[None]:
        """Lend a model the average; its own weights come back at the end.

        Args:
            model: The model that is trained, or one like it.
        """
        if not self._average:
            raise InvalidValue("EMA: averaged must come after a first step, got none. Train first.")
        weights = _weights(model)
        own = {name: weight.detach().clone() for name, weight in weights.items()}
        _give(weights, self._average)
        try:
            yield
        finally:
            _give(weights, own)

    def on_fit_end(self, trainer: "Trainer") -> None:
        if self.count:
            _give(_weights(trainer.model), self._average)

    def state_dict(self) -> dict[str, Any]:
        return {"count": self.count, "average": self._average} if self.count else {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._reset()
        if state:
            self.count = int(state["count"])
            self._average = {name: value.clone() for name, value in state["average"].items()}


def _weights(model: nn.Module) -> dict[str, Tensor]:
    """What of a model is averaged: parameters that are trained."""
    named = model.named_parameters()
    return {name: weight for name, weight in named if weight.requires_grad}


@torch.no_grad()
def _give(weights: Mapping[str, Tensor], values: Mapping[str, Tensor]) -> None:
    for name, weight in weights.items():
        weight.copy_(values[name])
