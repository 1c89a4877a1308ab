"""The posterior of a network's weights, for a batch of chains."""

import math

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.bayes.density import LogDensity
from gradatim.bayes.networks.likelihood import Likelihood, find_likelihood, read_data, read_targets
from gradatim.bayes.networks.stacking import StackedNetwork
from gradatim.errors import choose, require, require_whole

OWNER = "network_log_density"
PLACES = 100_000  # rows times networks of one computation


class NetworkDensity:
    r"""The log-density of weights and targets, as :func:`network_log_density` makes it.

    Args:
        network: Computes the outputs of many weights.
        X: Rows.
        y: Targets in the shape of the outputs, or class numbers.
        likelihood: Of targets given outputs.
        precision: :math:`\lambda` of the prior.
    """

    def __init__(
        self,
        network: StackedNetwork,
        X: Tensor,
        y: Tensor,
        likelihood: Likelihood,
        precision: float,
    ) -> None:
        self.network, self.X, self.y = network, X, y
        self.likelihood, self.precision = likelihood, precision

    def __call__(self, theta: Tensor) -> Tensor:
        return self.log_prior(theta) + self.likelihood.log_density(self.network(theta, self.X), self.y)  # fmt: skip

    def log_prior(self, theta: Tensor) -> Tensor:
        r"""The log-density of :math:`N(0, I/\lambda)`.

        Args:
            theta: Weights, shape ``(C, d)``.
        """
        constant = theta.shape[1] / 2 * math.log(self.precision / (2 * math.pi))
        return constant - self.precision / 2 * theta.square().sum(1)

    def estimate(self, rows: Tensor) -> LogDensity:
        r"""The log-density as a few rows tell it, which is right in the mean over batches.

        .. math:: \log p(\theta)+\frac NB\sum_{n\in\text{batch}}\log p(y_n\mid x_n, \theta)

        Args:
            rows: Numbers of the batch's :math:`B` rows, for all chains.
        """
        x, y, scale = self.X[rows], self.y[rows], len(self.X) / len(rows)

        def log_density(theta: Tensor) -> Tensor:
            seen = self.likelihood.log_density(self.network(theta, x), y)
            return self.log_prior(theta) + scale * seen

        return log_density

    def start(
        self,
        chains: int,
        *,
        source: str = "weights",
        spread: float = 0.1,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        r"""Where chains may start, shape ``(chains, d)``.

        Args:
            chains: How many.
            source: ``"weights"``, the model's own, jittered; or ``"prior"``, draws from :math:`N(0, I/\lambda)`.
            spread: Standard deviation of the jitter, in that of the model's own weights.
            generator: Source of the draws.
        """
        require_whole(OWNER, chains=chains)
        choose(OWNER, "source", source, ("weights", "prior"))
        require(spread >= 0, f"{OWNER}: spread must be at least 0", spread, "Try 0.1.")
        own = self.network.present
        noise = torch.randn(chains, len(own), dtype=own.dtype, device=own.device, generator=generator)  # fmt: skip
        if source == "prior":
            return noise / math.sqrt(self.precision)
        return own + spread * own.square().mean().sqrt() * noise

    @torch.no_grad()
    def outputs(self, draws: Tensor, x: Tensor) -> Tensor:
        """Outputs of drawn networks, shape ``(..., N, K)``.

        Args:
            draws: Weights, shape ``(..., d)``.
            x: Rows, shape ``(N, ...)``.
        """
        flat = draws.reshape(-1, draws.shape[-1])
        together = max(1, PLACES // max(len(x), 1))  # networks at a time, so that hidden layers fit
        found = torch.cat([self.network(piece, x) for piece in flat.split(together)])
        return found.reshape(*draws.shape[:-1], *found.shape[1:])

    def predict(self, draws: Tensor, x: Tensor) -> Tensor:
        """Outputs of drawn networks, probabilities where targets are classes, shape ``(..., N, K)``.

        Args:
            draws: Weights, shape ``(..., d)``.
            x: Rows, shape ``(N, ...)``.
        """
        return self.likelihood.answers(self.outputs(draws, x))


@takes_arrays
def network_log_density(
    model: nn.Module,
    X: Tensor,
    y: Tensor,
    *,
    likelihood: str = "auto",
    noise: float = 1.0,
    precision: float = 1.0,
) -> NetworkDensity:
    r"""Make the log-posterior of a network's weights, up to a constant, for a batch of chains.

    .. math:: \log p(\theta, y\mid X) = \log N(\theta\mid0, I/\lambda)+\sum_n\log p(y_n\mid f_\theta(x_n))

    It is what :func:`sample` takes: a function from weights ``(C, d)`` to ``(C,)``, with
    ``start(chains)`` to begin at, ``estimate(rows)`` for samplers that see a batch at a time, and ``predict(draws, x)``. The
    weights are all trainable parameters, flat, in the order of ``model.parameters()``.

    Args:
        model: The network; it is left alone, and computed in evaluation mode.
        X: Rows.
        y: Targets: numbers, a row per row of the outputs, or classes ``(N,)``.
        likelihood: ``"gaussian"``, ``"categorical"``, or ``"auto"``: whole numbers are classes.
        noise: :math:`\sigma^2`, the variance of numbers around the outputs.
        precision: :math:`\lambda`, of the prior of every weight and bias.

    Example:
        >>> x = torch.linspace(-1, 1, 20)[:, None]
        >>> density = network_log_density(nn.Linear(1, 1), x, 2 * x, noise=0.01)
        >>> density(torch.tensor([[2.0, 0.0], [0.0, 0.0]])).diff() < 0  # the second line misses the points
        tensor([True])
        >>> density.start(4, source="prior").shape
        torch.Size([4, 2])

    Reference:
        Neal, Bayesian Learning for Neural Networks, 1996.
    """
    return build_density(OWNER, model, (X, y), likelihood, noise, precision)


def build_density(
    owner: str,
    model: nn.Module,
    data: object,
    likelihood: str,
    noise: float,
    precision: float,
) -> NetworkDensity:
    """Check everything once, in the name of ``owner``."""
    X, y = read_data(owner, model, data)
    require(0 < precision < math.inf, f"{owner}: precision must be positive and finite", precision, "Try 1.0.")  # fmt: skip
    kind = find_likelihood(owner, likelihood, noise, y)
    network = StackedNetwork(model, owner)
    with torch.no_grad():
        outputs = network(network.present[None], X)[0]
    rule = f"{owner}: model must return a tensor with a row per row of X"
    require(outputs.ndim > 1 and len(outputs) == len(X), rule, f"shape {tuple(outputs.shape)}")
    return NetworkDensity(network, X, read_targets(owner, kind, y, outputs), kind, precision)
