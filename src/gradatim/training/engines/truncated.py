r"""Truncated backpropagation through time.

A batch of long sequences is cut along time into chunks of :math:`U` steps. Every chunk makes one step of
the optimizer. It starts from the state in which the chunk before ended, but no gradient flows back into
that chunk: what the model remembers is not cut, what it can learn to remember is.

.. math:: \frac{\partial E}{\partial\theta} \approx \sum_{t} \sum_{k > t - t \bmod U}^{t}
    \frac{\partial E_t}{\partial h_k}\frac{\partial^+ h_k}{\partial\theta}

Reference:
    Williams and Peng, An Efficient Gradient-Based Algorithm for On-Line Training of Recurrent Network
    Trajectories, 1990. Werbos, Backpropagation Through Time, 1990.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from gradatim.errors import InvalidType, InvalidValue
from gradatim.training.batches import Batch
from gradatim.training.engines.general import AutogradStep

if TYPE_CHECKING:
    from gradatim.training.trainer import Trainer


class TruncatedStep:
    """One step of the optimizer for every chunk of a batch ``(x, ..., y)`` of shape ``(B, T, ...)``.

    The state is carried from chunk to chunk, detached, and starts anew with every batch.

    Args:
        trainer: Whose model is called as ``output, state = model(x, ..., state=state)``.
        bptt: Steps per chunk; from the length of the sequences on, nothing is truncated.
    """

    def __init__(self, trainer: "Trainer", bptt: int) -> None:
        self.bptt = bptt
        self.before: Any = None
        self.after: Any = None
        self.step = AutogradStep(trainer, self._forward, weigh=_count_steps)
        self.threads = self.step.threads

    def mode(self) -> AbstractContextManager[object]:
        return self.step.mode()

    def __call__(self, batch: Batch) -> Tensor | None:
        self.before, losses, weights = None, [], []
        for chunk in cut_in_time(batch, self.bptt):
            loss = self.step(chunk)
            self.before = detach(self.after)
            if loss is not None:
                losses.append(loss)
                weights.append(float(_count_steps(chunk)))
        mean = torch.stack(losses) @ torch.tensor(weights).to(losses[0])
        return mean / sum(weights)

    def _forward(
        self, trainer: "Trainer", chunk: Batch
    ) -> tuple[Tensor | None, Mapping[str, Tensor | float]]:
        result = trainer.model(*chunk[:-1], state=self.before)
        output, self.after = split_state(result)
        return trainer.loss(output, chunk[-1]), {}

    def sync(self) -> None:
        self.step.sync()

    def close(self) -> None:
        self.step.close()


def check_bptt(bptt: int | None, *, is_alone: bool) -> int | None:
    """Return the length of a chunk, or say what is wrong with it."""
    if bptt is None:
        return None
    if bptt < 1 or bptt != int(bptt):
        raise InvalidValue(f"Trainer: bptt must be a whole number from 1, got {bptt!r}.")
    if not is_alone:
        raise InvalidValue(
            f"Trainer: bptt must be None beside step= or attack=, got {bptt}. Cut sequences inside step=."
        )
    return int(bptt)


def cut_in_time(batch: Batch, length: int) -> list[tuple[Tensor, ...]]:
    """Cut every tensor of a batch along axis 1.

    >>> [tuple(x.shape) for x, y in cut_in_time((torch.zeros(2, 7, 3), torch.zeros(2, 7)), 3)]
    [(2, 3, 3), (2, 3, 3), (2, 1, 3)]
    """
    shapes = [tuple(t.shape) if isinstance(t, Tensor) else () for t in batch]
    if len({shape[:2] for shape in shapes}) != 1 or min(map(len, shapes)) < 2 or 0 in shapes[0][:2]:
        raise InvalidValue(
            "Trainer: with bptt= inputs and target must all be of shape (batch, time, ...), got "
            f"{', '.join(map(str, shapes))}."
        )
    return list(zip(*(t.split(length, 1) for t in batch), strict=True))


def detach(state: Any) -> Any:
    """Cut a state, a tensor or nested tuples of tensors, from the computation that made it."""
    return state.detach() if isinstance(state, Tensor) else tuple(detach(part) for part in state)


def split_state(result: object) -> tuple[Tensor, Any]:
    """Return output and state of a model, or say that it has no state."""
    if not isinstance(result, tuple) or len(result) != 2:
        raise InvalidType(
            "Trainer: with bptt= a model must return (output, state) and take state=, got "
            f"{type(result).__name__}."
        )
    return result


def _count_steps(chunk: Batch) -> int:
    return chunk[0].shape[0] * chunk[0].shape[1]
