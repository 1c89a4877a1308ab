"""Hidden states that emit vectors from a mixture of normal distributions."""

import numpy as np
import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.timeseries.emissions import Floats
from gradatim.timeseries.gaussian_emission import GaussianEmission
from gradatim.timeseries.inputs import Array
from gradatim.timeseries.log_recursions import safe_log
from gradatim.timeseries.markov import as_probabilities


class MixtureEmission:
    r"""State :math:`k` emits :math:`y\sim\sum_m c_{km}\,N(\mu_{km},\Sigma_{km})`.

    Learning shares the weight :math:`\gamma_n(k)` of an observation among the parts of its state,
    :math:`\gamma_n(k,m)=\gamma_n(k)\,c_{km}N(y_n;\mu_{km},\Sigma_{km})/b_k(y_n)`. Until recurrent networks, recognizers of speech
    were hidden Markov models with such states; build one as ``HMM(start, transition, MixtureEmission(...))``.

    Args:
        weights: :math:`c`, shape ``(K, M)``, rows summing to one.
        parts: The ``K * M`` normal distributions, those of the first state first.

    Example:
        >>> parts = GaussianEmission(torch.tensor([[0.0], [4.0]]).double(), torch.ones(2, 1).double(), 1e-6)
        >>> emission = MixtureEmission(torch.tensor([[0.5, 0.5]]), parts)
        >>> round(emission.log_prob(torch.tensor([[2.0]]).double()).item(), 4)  # log N(2; 0, 1)
        -2.9189

    Reference:
        Rabiner, A tutorial on hidden Markov models and selected applications in speech recognition, 1989, eq. 49 to 54.
    """

    in_logs = True

    def __init__(self, weights: Array, parts: GaussianEmission) -> None:
        self.weights = as_probabilities("MixtureEmission", "weights", weights, (None, None))
        self.parts = parts
        if self.weights.numel() != len(parts.means):
            raise InvalidValue(
                f"MixtureEmission: parts must be one for each of {self.weights.numel()} weights, got {len(parts.means)}."
            )

    def as_batch(self, owner: str, y: Array) -> Tensor:
        return self.parts.as_batch(owner, y)

    def check(self, owner: str, values: Tensor) -> None:
        self.parts.check(owner, values)

    def _log_parts(self, y: Tensor) -> Tensor:
        """Log-density of each part, with its weight, shape ``(..., K, M)``."""
        return self.parts.log_prob(y).unflatten(-1, self.weights.shape) + safe_log(self.weights)

    @takes_arrays
    def log_prob(self, y: Tensor) -> Tensor:
        return self._log_parts(y).logsumexp(-1)

    def relative(self, y: Tensor) -> tuple[Tensor, Tensor]:
        log_prob = self.log_prob(y)
        best = log_prob.detach().amax(-1)
        return log_prob - best[..., None], best

    def sample(self, states: Tensor, generator: torch.Generator | None) -> Tensor:
        chosen = torch.multinomial(self.weights[states], 1, generator=generator)[:, 0]
        return self.parts.sample(states * self.weights.shape[1] + chosen, generator)

    def maximize(self, y: Tensor, weights: Floats) -> "MixtureEmission":
        shares = self._log_parts(y).softmax(-1) * torch.from_numpy(weights)[..., None]  # (N, K, M)
        counts = shares.sum(0)  # (K, M)
        totals = counts.sum(1, keepdim=True)
        # a state that is never visited keeps what it emits
        mixed = torch.where(totals > 0, counts / totals, self.weights)
        parts = self.parts.maximize(y, np.ascontiguousarray(shares.flatten(1).numpy()))
        return MixtureEmission(mixed, parts)
