r"""Monte Carlo dropout: an ensemble of thinned networks, and how much its members disagree.

.. math::
    \bar f(x) = \frac1S\sum_{s=1}^S f(x; m^{(s)}), \qquad
    \sigma^2(x) = \frac1{S-1}\sum_{s=1}^S \bigl(f(x; m^{(s)})-\bar f(x)\bigr)^2

The usual test pass scales instead of averaging. For a linear map the two agree in expectation; through
non-linearities the scaling is an approximation.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.modules.dropout import _DropoutNd

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.nn.dropout import StandardDropout
from gradatim.nn.training_modes import evaluation_mode
from gradatim.randomness import seeded

_ROWS = 4096  # rows of one pass; several samples of a small batch share it


class MCPrediction(NamedTuple):
    """Mean and standard deviation over the sampled networks, each of the shape of one output."""

    mean: Tensor
    spread: Tensor


@contextmanager
def _masked(model: nn.Module, seed: int, device: torch.device, owner: str) -> Iterator[None]:
    """Evaluation mode but for dropout, whose masks come from ``seed``; then every module's own mode again."""
    dropouts = [m for m in model.modules() if isinstance(m, _DropoutNd | StandardDropout)]
    if not dropouts:
        raise InvalidValue(
            f"{owner}: model must have a dropout layer, got none. Build it with dropout=0.1."
        )
    with evaluation_mode(model), torch.inference_mode(), seeded(seed, device):
        for dropout in dropouts:
            dropout.training = True
        yield


def _passes(model: nn.Module, x: Tensor, num_samples: int) -> Iterator[Tensor]:
    """Outputs under as many masks, several at a time, shape ``(copies, B, ...)``."""
    together = max(1, min(num_samples, _ROWS // max(len(x), 1)))
    for start in range(0, num_samples, together):
        copies = min(together, num_samples - start)
        out: Tensor = model(x.repeat(copies, *[1] * (x.ndim - 1)))  # (copies · B, ...)
        yield out.unflatten(0, (copies, len(x)))


def mc_outputs(model: nn.Module, x: Tensor, *, num_samples: int, seed: int, owner: str) -> Tensor:
    """The outputs under dropout masks, all of them, shape ``(num_samples, B, ...)``.

    Args:
        model: A network with dropout; its mode and the global random state are left as they were.
        x: Inputs, shape ``(B, ...)``.
        num_samples: Masks.
        seed: Seed of the masks.
        owner: Whom errors name.
    """
    with _masked(model, seed, x.device, owner):
        found = torch.cat(list(_passes(model, x, num_samples)))
    return found.clone()  # one that may be differentiated


@takes_arrays
def mc_predict(
    model: nn.Module,
    x: Tensor,
    *,
    num_samples: int = 100,
    seed: int = 0,
    transform: Callable[[Tensor], Tensor] | None = None,
) -> MCPrediction:
    r"""Average a model's outputs over dropout masks; batch normalization and the rest stay in test mode.

    Args:
        model: A network with dropout; its mode and the global random state are left as they were.
        x: Inputs, shape ``(B, ...)``.
        num_samples: :math:`S`, at least 2.
        seed: Seed of the masks.
        transform: Applied to every output before averaging, such as ``lambda z: z.softmax(1)``, since
            it is probabilities and not logits that an ensemble averages.

    Returns:
        ``mean`` :math:`\bar f` and ``spread`` :math:`\sigma`, in double precision.

    Example:
        >>> model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 1))
        >>> mean, spread = mc_predict(model, torch.ones(3, 4), num_samples=50)
        >>> mean.shape, bool((spread > 0).all())
        (torch.Size([3, 1]), True)

    Reference:
        Gal and Ghahramani, Dropout as a Bayesian Approximation, 2016.
    """
    if num_samples < 2:
        raise InvalidValue(
            f"mc_predict: num_samples must be at least 2, got {num_samples}. Try 100."
        )
    total = squares = torch.zeros(())
    shift: Tensor | None = None
    with _masked(model, seed, x.device, "mc_predict"):
        for out in _passes(model, x, num_samples):
            flat = out.flatten(0, 1)
            out = (flat if transform is None else transform(flat)).double().unflatten(0, out.shape[:2])  # fmt: skip
            shift = out[0] if shift is None else shift  # keeps the sum of squares well conditioned
            total = total + (out - shift).sum(0)
            squares = squares + (out - shift).square().sum(0)
    assert shift is not None
    mean = total / num_samples
    variance = (squares - num_samples * mean.square()) / (num_samples - 1)
    return MCPrediction((shift + mean).clone(), variance.clamp(min=0).sqrt().clone())
