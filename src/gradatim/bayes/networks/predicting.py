"""Predictions with what a network does not know, by seven methods under one name."""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.bayes.networks.density import build_density
from gradatim.bayes.networks.dropout_masks import mc_dropout
from gradatim.bayes.networks.ensemble import ensemble
from gradatim.bayes.networks.gradient_noise import sghmc, sgld
from gradatim.bayes.networks.hamiltonian import hmc
from gradatim.bayes.networks.laplace import laplace
from gradatim.bayes.networks.predictive import Predictive
from gradatim.bayes.networks.variational import variational
from gradatim.errors import choose, require, require_seed, require_whole

OWNER = "posterior_predictive"
_TRAINED = {"steps": 2000, "lr": 0.01, "batch_size": 128}
_WALKED = {"num_samples": 400, "steps": 4000, "lr": None, "batch_size": 128, "chains": 4}
# every method, and the options that it has with their defaults
METHODS: dict[str, tuple[Callable[..., Predictive], dict[str, Any]]] = {
    "laplace": (laplace, {"num_samples": 100, "covariance": "factored"}),
    "variational": (variational, {"num_samples": 100, **_TRAINED}),
    "ensemble": (ensemble, {"num_samples": 5, **_TRAINED}),
    "mc-dropout": (mc_dropout, {"num_samples": 100}),
    "sgld": (sgld, _WALKED),
    "sghmc": (sghmc, _WALKED),
    "hmc": (hmc, {"num_samples": 1000, "chains": 4, "warmup": 500}),
}


@takes_arrays
def posterior_predictive(
    model: nn.Module,
    data: tuple[Tensor, Tensor],
    x: Tensor,
    *,
    method: str = "laplace",
    likelihood: str = "auto",
    noise: float = 1.0,
    precision: float = 1.0,
    num_samples: int | None = None,
    covariance: str | None = None,
    steps: int | None = None,
    lr: float | None = None,
    batch_size: int | None = None,
    chains: int | None = None,
    warmup: int | None = None,
    seed: int = 0,
) -> Predictive:
    r"""Predict with many networks that the data allow, and say how much they differ.

    .. math::
        p(y\mid x, \text{data}) = \int p(y\mid f_\theta(x))\,p(\theta\mid\text{data})\,d\theta
        \approx\frac1S\sum_s p(y\mid f_{\theta_s}(x))

    ================= ================================================================ ==========================
    method            the networks                                                     the given weights
    ================= ================================================================ ==========================
    ``"laplace"``     a Gaussian of last layers around their mode                      features of a trained model
    ``"variational"`` a Gaussian for every weight of dense layers                      where the means start
    ``"ensemble"``    modes from several starts                                        are not used
    ``"mc-dropout"``  masks of dropout                                                 a model trained with dropout
    ``"sgld"``        points of descent on batches, with noise                         where the chains start
    ``"sghmc"``       the same with momentum                                           where the chains start
    ``"hmc"``         draws from the posterior itself, for small networks              where the chains start
    ================= ================================================================ ==========================

    Args:
        model: The network; it is left alone. Train it first for all methods but ``"ensemble"``.
        data: Rows and targets that the posterior is of.
        x: Rows to predict.
        method: One of the table.
        likelihood: ``"gaussian"``, ``"categorical"``, or ``"auto"``: whole numbers are classes.
        noise: :math:`\sigma^2`, the variance of numbers around the outputs.
        precision: :math:`\lambda` of the prior :math:`N(0, I/\lambda)` of weights and biases.
        num_samples: :math:`S`; by default 100, of an ensemble 5, of walks 400, of HMC 1,000.
        covariance: Of ``"laplace"``: ``"factored"`` (default) or ``"diagonal"``.
        steps: Updates of ``"variational"``, ``"ensemble"`` (2,000), ``"sgld"``, ``"sghmc"`` (4,000, half of them to get there).
        lr: Of the same; 0.01, of walks the step on the mean loss, found by itself.
        batch_size: Of the same, 128.
        chains: Of ``"sgld"``, ``"sghmc"``, ``"hmc"``, 4.
        warmup: Of ``"hmc"``, 500 draws.
        seed: Of all draws.

    Example:
        >>> import torch
        >>> x = torch.linspace(-1, 1, 50)[:, None]
        >>> found = posterior_predictive(nn.Linear(1, 1), (x, 2 * x), torch.tensor([[1.0], [3.0]]), noise=0.01)
        >>> found.mean.round(decimals=1).flatten().tolist(), bool(found.std[0] < found.std[1])
        ([2.0, 6.0], True)
    """
    draw, defaults = METHODS[choose(OWNER, "method", method, METHODS)]
    given = {
        "num_samples": num_samples, "covariance": covariance, "steps": steps, "lr": lr,
        "batch_size": batch_size, "chains": chains, "warmup": warmup,
    }  # fmt: skip
    for name, value in given.items():
        taken = ", ".join(defaults)
        is_taken = value is None or name in defaults
        require(is_taken, f"{OWNER}: {name} must be left out with method={method!r}", repr(value), f"It takes {taken}.")  # fmt: skip
    options = {name: default if given[name] is None else given[name] for name, default in defaults.items()}  # fmt: skip
    _check(options)
    require_seed(OWNER, seed)
    require(len(x), f"{OWNER}: x must have a row", f"shape {tuple(x.shape)}")
    density = build_density(OWNER, model, data, likelihood, noise, precision)
    return draw(density, x, **options, seed=seed)


def _check(options: dict[str, Any]) -> None:
    """Raise unless counts are counts and a step leads somewhere."""
    counts = {name: options[name] for name in ("num_samples", "steps", "batch_size", "chains", "warmup") if name in options}  # fmt: skip
    require_whole(OWNER, **counts)
    draws = counts["num_samples"]
    require(draws > 1, f"{OWNER}: num_samples must be at least 2, to have a spread", draws)
    lr = options.get("lr")
    require(lr is None or lr > 0, f"{OWNER}: lr must be more than 0", lr, "Leave it out.")
