r"""Hidden states that emit vectors from a normal distribution, entries of which may be missing.

A missing entry is integrated out: what is left of :math:`N(\mu,\Sigma)` is the normal distribution of the
other entries. Learning expects it, given the state and the entries seen,

.. math::
    E[y_u\mid y_o]=\mu_u+\Sigma_{uo}\Sigma_{oo}^{-1}(y_o-\mu_o),\qquad
    \operatorname{cov}[y_u\mid y_o]=\Sigma_{uu}-\Sigma_{uo}\Sigma_{oo}^{-1}\Sigma_{ou}
"""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.timeseries.emissions import Floats
from gradatim.timeseries.inputs import Array

LOG_2_PI = math.log(2 * math.pi)


class GaussianEmission:
    r"""State :math:`k` emits :math:`y\sim N(\mu_k,\Sigma_k)`.

    Args:
        means: :math:`\mu`, shape ``(K, D)``.
        covariances: :math:`\Sigma`, shape ``(K, D, D)``, or ``(K, D)`` for diagonal ones.
        floor: Least variance in any direction that learning may reach.
    """

    in_logs = True

    def __init__(self, means: Tensor, covariances: Tensor, floor: float) -> None:
        self.means, self.covariances, self.floor = means, covariances, floor

    def as_batch(self, owner: str, y: Array) -> Tensor:
        values, dim = torch.as_tensor(y), self.means.shape[1]
        values = values[None] if values.ndim == 2 else values
        if values.ndim != 3 or values.shape[2] != dim or not values.numel():
            raise InvalidValue(
                f"{owner}: y must be (T, {dim}) or (B, T, {dim}) and not empty, "
                f"got shape {tuple(torch.as_tensor(y).shape)}."
            )
        return values.double()

    def check(self, owner: str, values: Tensor) -> None:
        if torch.isinf(values).any():
            raise InvalidValue(f"{owner}: y must be finite, or NaN where missing, got infinity.")

    def log_prob(self, y: Tensor) -> Tensor:
        rows = y.reshape(-1, y.shape[-1])
        if self.covariances.ndim == 2:
            away, seen = _away(rows, self.means)
            squares = (away.square() / self.covariances).sum(-1)
            volume = seen @ (self.covariances.log() + LOG_2_PI).T
            found = -0.5 * (squares + volume)
        else:
            parts, places = [], []
            for seen, where in _patterns(rows):
                parts.append(self._log_prob_of(rows[where][:, seen], seen))
                places.append(where)
            found = torch.cat(parts)[torch.cat(places).argsort()]
        return found.view(*y.shape[:-1], len(self.means))

    def _log_prob_of(self, rows: Tensor, seen: Tensor) -> Tensor:
        """Log-density of the entries that are seen, ``(N, D')``, under each state with full covariances."""
        away = rows[:, None] - self.means[:, seen]  # (N, K, D')
        factor = torch.linalg.cholesky(self.covariances[:, seen][:, :, seen])
        eye = torch.eye(rows.shape[1], dtype=factor.dtype)
        white = torch.linalg.solve_triangular(factor, eye, upper=False)
        squares = torch.einsum("kij,nkj->nki", white, away).square().sum(-1)
        volume = 2 * factor.diagonal(dim1=1, dim2=2).log().sum(-1)
        return -0.5 * (squares + volume + rows.shape[1] * LOG_2_PI)

    def relative(self, y: Tensor) -> tuple[Tensor, Tensor]:
        log_prob = self.log_prob(y)
        best = log_prob.detach().amax(-1)
        return log_prob - best[..., None], best

    def sample(self, states: Tensor, generator: torch.Generator | None) -> Tensor:
        noise = torch.randn(*states.shape, self.means.shape[1], generator=generator).double()
        if self.covariances.ndim == 2:
            return self.means[states] + noise * self.covariances[states].sqrt()
        factor = torch.linalg.cholesky(self.covariances)
        return self.means[states] + (factor[states] @ noise[..., None])[..., 0]

    def maximize(self, y: Tensor, weights: Floats) -> "GaussianEmission":
        w = torch.from_numpy(weights)
        return (
            self._maximize_diagonal(y, w)
            if self.covariances.ndim == 2
            else self._maximize_full(y, w)
        )

    def _maximize_diagonal(self, y: Tensor, w: Tensor) -> "GaussianEmission":
        """Entries are independent given the state: those that are missing do not count."""
        seen = ~torch.isnan(y)
        totals = w.T @ seen.double()  # (K, D)
        known, per = totals > 0, totals.clamp(min=torch.finfo(totals.dtype).tiny)
        means = torch.where(known, w.T @ torch.where(seen, y, 0.0) / per, self.means)
        away, _ = _away(y, means)
        spread = (torch.einsum("nk,nki->ki", w, away.square()) / per).clamp(min=self.floor)
        return GaussianEmission(means, torch.where(known, spread, self.covariances), self.floor)

    def _maximize_full(self, y: Tensor, w: Tensor) -> "GaussianEmission":
        w = torch.where(
            torch.isnan(y).all(1, keepdim=True), 0.0, w
        )  # nothing seen, nothing learned
        totals = w.sum(0)[:, None]  # (K, 1)
        known = totals > 0
        shares = w / torch.where(known, totals, 1.0).T  # columns sum to one
        filled, unsure = self._fill(y, shares)
        means = torch.where(known, (shares[..., None] * filled).sum(0), self.means)
        away = filled - means  # (N, K, D)
        spread = torch.einsum("nk,nki,nkj->kij", shares, away, away) + unsure
        values, vectors = torch.linalg.eigh(spread)
        raised = (vectors * values.clamp(min=self.floor)[:, None]) @ vectors.mT
        covariances = torch.where(known[..., None], raised, self.covariances)
        return GaussianEmission(means, covariances, self.floor)

    def _fill(self, y: Tensor, shares: Tensor) -> tuple[Tensor, Tensor]:
        """Rows with their missing entries as each state expects them, ``(N, K, D)``, and what is unsure about these."""
        filled, unsure = y[:, None], torch.zeros_like(self.covariances)
        if not torch.isnan(y).any():
            return filled, unsure
        filled = filled.repeat(1, len(self.means), 1)
        for seen, where in _patterns(y):
            gone = ~seen
            if not gone.any():
                continue
            cov, mu = self.covariances, self.means
            inverse = torch.linalg.inv(cov[:, seen][:, :, seen])
            weight = cov[:, gone][:, :, seen] @ inverse  # (K, u, o)
            away = y[where][:, None, seen] - mu[:, seen]  # (N', K, o)
            rows = filled[where]
            rows[..., gone] = mu[:, gone] + torch.einsum("kuo,nko->nku", weight, away)
            filled[where] = rows
            left = cov[:, gone][:, :, gone] - weight @ cov[:, seen][:, :, gone]
            u = gone.nonzero()
            unsure[:, u, u.T] += shares[where].sum(0)[:, None, None] * left
        return filled, unsure


def _away(rows: Tensor, means: Tensor) -> tuple[Tensor, Tensor]:
    """Differences from the means, ``(N, K, D)``, zero where missing, and 1 for each entry seen, ``(N, D)`` or ``(1, D)``."""
    away, gone = rows[:, None] - means, torch.isnan(rows)
    if not gone.any():
        return away, torch.ones_like(rows[:1])
    return away.masked_fill(gone[:, None], 0.0), (~gone).double()


def _patterns(rows: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Each pattern of seen entries, ``(D,)``, with the places of its rows."""
    seen = ~torch.isnan(rows)
    if seen.all():
        yield seen[0], torch.arange(len(rows))
        return
    patterns, which = torch.unique(seen, dim=0, return_inverse=True)
    for index, pattern in enumerate(patterns):
        yield pattern, (which == index).nonzero()[:, 0]
