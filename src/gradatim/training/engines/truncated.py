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

from typing import Any

import torch
from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.training.batches import Batch
from gradatim.training.engines.engine import Engine, Run
from gradatim.training.engines.general import GeneralEngine
from gradatim.training.objectives.objective import Figures
from gradatim.training.objectives.truncated_bptt import TruncatedBPTT


class TruncatedEngine(Engine):
    """One step of the optimizer for every chunk of a batch ``(x, ..., y)`` of shape ``(B, T, ...)``.

    The state is carried from chunk to chunk, detached, and starts anew with every batch.

    Args:
        run: What to move; its objective says how long a chunk is.
    """

    def __init__(self, run: Run) -> None:
        assert isinstance(run.objective, TruncatedBPTT)
        self.model, self.objective = run.model, run.objective
        self.before: Any = None
        self.after: Any = None
        self.general = GeneralEngine(run, self._forward, count=_count_steps)
        self.threads = self.general.threads

    def __call__(self, batch: Batch) -> Tensor | None:
        self.before, losses, weights = None, [], []
        for chunk in cut_in_time(batch, self.objective.length):
            loss = self.general(chunk)
            self.before = detach(self.after)
            if loss is not None:
                losses.append(loss)
                weights.append(float(_count_steps(chunk)))
        mean = torch.stack(losses) @ torch.tensor(weights).to(losses[0])
        return mean / sum(weights)

    def _forward(self, chunk: Batch) -> tuple[Tensor, Figures]:
        loss, self.after = self.objective.advance(self.model, chunk, self.before)
        return loss, {}


def cut_in_time(batch: Batch, length: int) -> list[tuple[Tensor, ...]]:
    """Cut every tensor of a batch along axis 1.

    >>> [tuple(x.shape) for x, y in cut_in_time((torch.zeros(2, 7, 3), torch.zeros(2, 7)), 3)]
    [(2, 3, 3), (2, 3, 3), (2, 1, 3)]
    """
    shapes = [tuple(t.shape) if isinstance(t, Tensor) else () for t in batch]
    if len({shape[:2] for shape in shapes}) != 1 or min(map(len, shapes)) < 2 or 0 in shapes[0][:2]:
        raise InvalidValue(
            "TruncatedBPTT: inputs and target must all be of shape (batch, time, ...), got "
            f"{', '.join(map(str, shapes))}."
        )
    return list(zip(*(t.split(length, 1) for t in batch), strict=True))


def detach(state: Any) -> Any:
    """Cut a state, a tensor or nested tuples of tensors, from the computation that made it."""
    return state.detach() if isinstance(state, Tensor) else tuple(detach(part) for part in state)


def _count_steps(chunk: Batch) -> int:
    return chunk[0].shape[0] * chunk[0].shape[1]
