r"""Laplace's approximation of the last layer: a Gaussian at the mode, as narrow as the curvature there.

With the features :math:`\phi_n` of the layers before (and a 1 for the bias), the last layer is a linear model, whose loss is
convex. It is brought to its mode :math:`M`, shape ``(K, F)``, and the curvature of the loss there is

.. math:: H = \sum_n\Lambda_n\otimes\phi_n\phi_n^\top+\lambda I, \qquad
    \Lambda_n = I/\sigma^2 \quad\text{or}\quad \mathrm{diag}(p_n)-p_np_n^\top

Factored, :math:`\sum_n\Lambda_n\otimes\phi_n\phi_n^\top\approx\bar\Lambda\otimes\Phi^\top\Phi`, exact for Gaussian targets: with
:math:`\bar\Lambda=U\,\mathrm{diag}(a)\,U^\top` and :math:`\Phi^\top\Phi=V\,\mathrm{diag}(b)\,V^\top` the posterior is

.. math:: W = M+U\Bigl(\Xi\oslash\sqrt{ab^\top+\lambda}\Bigr)V^\top, \qquad \Xi_{kj}\sim N(0, 1)

and no matrix is larger than :math:`F\times F`. Diagonal keeps the diagonal of :math:`H` alone.
"""

import torch
from torch import Tensor, nn

from gradatim.bayes.networks.density import NetworkDensity
from gradatim.bayes.networks.likelihood import Likelihood
from gradatim.bayes.networks.predictive import Predictive, summarize
from gradatim.errors import choose, require
from gradatim.nn.training_modes import evaluation_mode
from gradatim.training.model_outputs import plain_output

ROWS = 4096  # of a pass through the encoder


def laplace(
    density: NetworkDensity, x: Tensor, *, num_samples: int, covariance: str, seed: int
) -> Predictive:
    """Draw last layers around their mode.

    Args:
        density: Of the network, whose layers before the last stay as they are.
        x: Rows to predict.
        num_samples: Draws.
        covariance: ``"factored"`` or ``"diagonal"``.
        seed: Of the draws.
    """
    choose("posterior_predictive", "covariance", covariance, ("factored", "diagonal"))
    head = find_head(density.network.model, density.X)
    features, queries = (encode(density.network.model, head, rows) for rows in (density.X, x))
    mode = find_mode(features, density.y, density.likelihood, density.precision, head.out_features)
    left, right, scale = spread(features, mode, density, covariance)
    dtype, generator = head.weight.dtype, torch.Generator().manual_seed(seed)
    noise = torch.randn(num_samples, *mode.shape, generator=generator, dtype=mode.dtype).to(mode)
    weights = mode + left @ (noise * scale) @ right.T  # (S, K, F)
    found = summarize(density.likelihood, (queries @ weights.mT).to(dtype))  # (S, N, K)
    if not density.likelihood.is_gaussian:
        return found
    variance = (queries @ right).square() @ scale.square().T @ left.square().T  # (N, K)
    return Predictive((queries @ mode.T).to(dtype), variance.sqrt().to(dtype), found.draws)


def find_mode(
    features: Tensor, y: Tensor, likelihood: Likelihood, precision: float, num_outputs: int
) -> Tensor:
    r"""The most probable last layer :math:`M`, shape ``(K, F)``: normal equations, or a convex search.

    Args:
        features: :math:`\Phi`, shape ``(N, F)``.
        y: Targets ``(N, K)``, or classes ``(N,)``.
        likelihood: Of targets.
        precision: :math:`\lambda`.
        num_outputs: :math:`K`.
    """
    if likelihood.is_gaussian:
        ridge = precision * likelihood.noise * torch.eye(features.shape[1]).to(features)
        return torch.linalg.solve(features.T @ features + ridge, features.T @ y.to(features)).T
    mode = features.new_zeros(num_outputs, features.shape[1], requires_grad=True)
    search = torch.optim.LBFGS([mode], max_iter=500, tolerance_grad=1e-8, tolerance_change=1e-12, line_search_fn="strong_wolfe")  # fmt: skip

    def loss() -> Tensor:
        search.zero_grad()
        value = precision / 2 * mode.square().sum() - likelihood.log_density((features @ mode.T)[None], y)[0]  # fmt: skip
        value.backward()
        return value

    with torch.enable_grad():
        search.step(loss)
    return mode.detach()


def spread(
    features: Tensor, mode: Tensor, density: NetworkDensity, covariance: str
) -> tuple[Tensor, Tensor, Tensor]:
    """Bases ``(K, K)`` and ``(F, F)``, and the standard deviations ``(K, F)`` of the last layer in them."""
    precision, likelihood = density.precision, density.likelihood
    p = likelihood.answers(features @ mode.T)  # (N, K)
    if covariance == "diagonal":
        slopes = torch.ones_like(p) / likelihood.noise if likelihood.is_gaussian else p * (1 - p)
        scale = (slopes.T @ features.square() + precision).rsqrt()
        return torch.eye(mode.shape[0]).to(mode), torch.eye(mode.shape[1]).to(mode), scale
    if likelihood.is_gaussian:
        mean = torch.eye(mode.shape[0]).to(mode) / likelihood.noise
    else:
        mean = (torch.diag(p.sum(0)) - p.T @ p) / len(p)
    a, left = torch.linalg.eigh(mean)
    b, right = torch.linalg.eigh(features.T @ features)
    return left, right, (torch.outer(a.clamp(min=0), b.clamp(min=0)) + precision).rsqrt()


def find_head(model: nn.Module, X: Tensor) -> nn.Linear:
    """The dense layer whose output is the model's."""
    seen: list[tuple[nn.Module, Tensor]] = []
    layers = [m for m in model.modules() if isinstance(m, nn.Linear)]
    hooks = [m.register_forward_hook(lambda m, _, out: seen.append((m, out))) for m in layers]
    try:
        with evaluation_mode(model), torch.no_grad():
            output = plain_output(model(X[:2]))
    finally:
        for hook in hooks:
            hook.remove()
    last = seen[-1] if seen else (model, torch.empty(0))
    is_head = torch.equal(last[1], output) and sum(m is last[0] for m, _ in seen) == 1
    remedy = "Put nn.Linear at its end, or take another method."
    require(is_head and output.ndim == 2, "posterior_predictive: model must end in a dense layer for method='laplace'", type(model).__name__, remedy)  # fmt: skip
    assert isinstance(last[0], nn.Linear)
    return last[0]


def encode(model: nn.Module, head: nn.Linear, X: Tensor) -> Tensor:
    """What the head sees of every row, and a 1 where it has a bias, in double precision, shape ``(N, F)``."""
    seen: list[Tensor] = []
    hook = head.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0].double()))
    try:
        with evaluation_mode(model), torch.no_grad():
            for rows in X.split(ROWS):
                model(rows)
    finally:
        hook.remove()
    features = torch.cat(seen)
    has_bias = head.bias is not None
    return torch.cat([features, features.new_ones(len(features), 1)], 1) if has_bias else features
