r"""The autoregressive model: tomorrow is a linear mix of the last days, plus noise."""

from statistics import NormalDist
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.errors import InvalidValue, choose
from gradatim.timeseries.autoregression_estimates import least_squares, yule_walker
from gradatim.timeseries.inputs import Array, as_series, check_covariance
from gradatim.timeseries.sliding import windows

METHODS = ("least_squares", "yule_walker")
UNIT = 1.0 - 1e-8  # a computed unit root is off by rounding only


class Forecast(NamedTuple):
    """Predicted values with an interval for each, shape ``(steps, D)`` or ``(steps,)``.

    Args:
        mean: The most probable course.
        lower: Lower end of the interval.
        upper: Upper end of the interval.
    """

    mean: Tensor
    lower: Tensor
    upper: Tensor


class AR:
    r"""An autoregression of order :math:`p`, of one variable or of several.

    .. math:: x_t=c+\sum_{k=1}^p A_kx_{t-k}+\epsilon_t,\qquad \epsilon_t\sim N(0,\Sigma)

    The noise belongs to the series; a prediction is the sum without it. The model is stationary if all
    roots of :math:`\det(z^pI-\sum_kA_kz^{p-k})=0` lie inside the unit circle. A root on the circle means
    that shocks never fade, and that the variance grows without end.

    Args:
        coefficients: :math:`A_1,\dots,A_p`, shape ``(p,)`` for one variable or ``(p, D, D)``.
        intercept: :math:`c`, shape ``(D,)``; zeros by default.
        noise: :math:`\Sigma`, shape ``(D, D)``; the identity by default.

    Example:
        >>> weather = AR([0.7, 0.2, 0.1])
        >>> round(weather.predict(torch.tensor([15.0, 18.0, 20.0])).item(), 6)  # oldest day first
        19.1
        >>> weather.is_stationary
        False

    Reference:
        Lütkepohl, New Introduction to Multiple Time Series Analysis, 2005, chapters 2 and 3.
    """

    def __init__(
        self, coefficients: Array, intercept: Array | None = None, noise: Array | None = None
    ) -> None:
        A = torch.as_tensor(coefficients, dtype=torch.float64)
        A = A[:, None, None] if A.ndim == 1 else A  # (p, D, D)
        if A.ndim != 3 or A.shape[1] != A.shape[2] or not A.numel() or not A.isfinite().all():
            raise InvalidValue(
                "AR: coefficients must be finite, of shape (p,) or (p, D, D), "
                f"got {coefficients if A.numel() < 9 else tuple(A.shape)}."
            )
        self.coefficients, dim = A, A.shape[1]
        c = torch.zeros(dim) if intercept is None else torch.as_tensor(intercept)
        if c.shape != (dim,):
            raise InvalidValue(f"AR: intercept must have shape ({dim},), got {tuple(c.shape)}.")
        self.intercept = c.double()
        self.noise = (torch.eye(dim) if noise is None else torch.as_tensor(noise)).double()
        check_covariance("AR", "noise", self.noise, dim)

    def __repr__(self) -> str:
        p, dim, _ = self.coefficients.shape
        shown = self.coefficients.flatten().tolist() if dim == 1 else f"{dim} variables"
        return f"AR({p}): {shown}, largest root {self.roots[0].abs():.4g}"

    @classmethod
    def fit(
        cls, series: Array, order: int, *, method: str = "least_squares", fit_intercept: bool = True
    ) -> "AR":
        """Estimate the model from one series.

        Args:
            series: Values in the order of time, shape ``(T,)`` or ``(T, D)``.
            order: Number of lags :math:`p`.
            method: ``"least_squares"``, the maximum of the likelihood given the first ``order`` values, or
                ``"yule_walker"``, the model with the sample's autocovariances, which is always stationary.
            fit_intercept: Whether to fit :math:`c`; without it the series should have mean zero.
        """
        choose("AR.fit", "method", method, METHODS)
        values = as_series("AR.fit", series)
        unknowns = order * values.shape[1] + fit_intercept
        if order < 1 or len(values) < order + unknowns:
            raise InvalidValue(
                f"AR.fit: order must be at least 1 and the series have {max(order, 1) + max(unknowns, 2)} "
                f"steps or more for it, got order={order} and {len(values)} steps."
            )
        solve = least_squares if method == "least_squares" else yule_walker
        return cls(*solve(values, order, fit_intercept))

    @property
    def order(self) -> int:
        """Number of lags :math:`p`."""
        return len(self.coefficients)

    @property
    def roots(self) -> Tensor:
        """The :math:`pD` roots, complex, largest modulus first: eigenvalues of the companion matrix."""
        p, dim, _ = self.coefficients.shape
        companion = torch.zeros(p * dim, p * dim, dtype=torch.float64)
        companion[:dim] = self.coefficients.movedim(0, 1).flatten(1)  # A_1 … A_p side by side
        companion[dim:, :-dim] = torch.eye((p - 1) * dim)
        found = torch.linalg.eigvals(companion)
        return found[found.abs().argsort(descending=True, stable=True)]

    @property
    def is_stationary(self) -> bool:
        """Whether every root lies inside the unit circle."""
        return bool(self.roots[0].abs() < UNIT)

    @property
    def mean(self) -> Tensor:
        """Mean of the stationary process, shape ``(D,)``."""
        if not self.is_stationary:
            raise InvalidValue(
                f"AR: mean needs a stationary model, got a root of modulus {self.roots[0].abs():.6g}. "
                "Difference the series."
            )
        return torch.linalg.solve(
            torch.eye(len(self.intercept)) - self.coefficients.sum(0), self.intercept
        )

    def predict(self, series: Array) -> Tensor:
        """One-step predictions from every stretch of ``order`` steps.

        Args:
            series: Shape ``(T,)`` or ``(T, D)``.

        Returns:
            Shape ``(T - order + 1, D)`` or ``(T - order + 1,)``: the first is for step ``order``, the last
            for the step after the series.
        """
        past, _ = windows(self._values("AR.predict", series), self.order, horizon=0)
        mean = self.intercept + _mix(past, self.coefficients)
        return mean if torch.as_tensor(series).ndim == 2 else mean[:, 0]

    def residuals(self, series: Array) -> Tensor:
        """What the predictions miss, from step ``order`` on, shape ``(T - order, D)`` or ``(T - order,)``."""
        predicted = self.predict(series)[:-1]
        return torch.as_tensor(series)[self.order :].double() - predicted

    def forecast(self, series: Array, steps: int, *, level: float = 0.95) -> Forecast:
        r"""Predict the next ``steps`` values, with the interval that holds each with probability ``level``.

        .. math:: \hat x_{T+h}\pm z\sqrt{\operatorname{diag}\Sigma_h},\qquad
            \Sigma_h=\sum_{j<h}\Psi_j\Sigma\Psi_j^\top,\quad \Psi_0=I,\quad \Psi_j=\sum_kA_k\Psi_{j-k}

        The intervals count the noise to come, not the error of the estimated coefficients.

        Args:
            series: The past, at least ``order`` steps, shape ``(T,)`` or ``(T, D)``.
            steps: How far ahead.
            level: Probability of the interval.
        """
        if steps < 1 or not 0 < level < 1:
            raise InvalidValue(
                f"AR.forecast: steps must be at least 1 and level in (0, 1), got {steps} and {level}."
            )
        past = self._values("AR.forecast", series)[-self.order :]
        for _ in range(steps):
            mean = self.intercept + _mix(past[None, -self.order :], self.coefficients)
            past = torch.cat([past, mean])
        mean = past[self.order :]
        deviation = self.forecast_covariance(steps).diagonal(dim1=1, dim2=2).sqrt()
        reach = NormalDist().inv_cdf(0.5 + level / 2) * deviation
        ends = (mean, mean - reach, mean + reach)
        return Forecast(*(e if torch.as_tensor(series).ndim == 2 else e[:, 0] for e in ends))

    def forecast_covariance(self, steps: int) -> Tensor:
        r"""Covariances :math:`\Sigma_1,\dots,\Sigma_{steps}` of the forecast errors, shape ``(steps, D, D)``."""
        psi = [torch.eye(len(self.intercept), dtype=torch.float64)]
        for _ in range(steps - 1):
            recent = torch.stack(psi[: -self.order - 1 : -1])  # newest first
            psi.append((self.coefficients[: len(recent)] @ recent).sum(0))
        response = torch.stack(psi)
        return (response @ self.noise @ response.mT).cumsum(0)

    def simulate(
        self,
        steps: int,
        num_sequences: int = 1,
        *,
        start: Array | None = None,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """Draw series from the model, all at once.

        Args:
            steps: Length of each.
            num_sequences: How many.
            start: The ``order`` values before the first, shape ``(order,)`` or ``(order, D)``; zeros by
                default, whose influence a stationary model forgets.
            generator: Source of randomness.

        Returns:
            Shape ``(num_sequences, steps, D)``.
        """
        if steps < 1 or num_sequences < 1:
            raise InvalidValue(
                f"AR.simulate: steps and num_sequences must be at least 1, got {steps} and {num_sequences}."
            )
        dim = len(self.intercept)
        past = torch.zeros(self.order, dim, dtype=torch.float64)
        if start is not None:
            past = self._values("AR.simulate", start)[-self.order :]
        values, vectors = torch.linalg.eigh(self.noise)
        draws = torch.randn(steps, num_sequences, dim, generator=generator, dtype=torch.float64)
        shocks = draws @ (vectors * values.clamp(min=0).sqrt()).T + self.intercept
        path = [row.expand(num_sequences, dim) for row in past]
        weights = self.coefficients.flip(0).mT.flatten(0, 1)  # (p·D, D), oldest lag first
        for shock in shocks:
            path.append(torch.cat(path[-self.order :], 1) @ weights + shock)
        return torch.stack(path[self.order :], 1)

    def _values(self, owner: str, series: Array) -> Tensor:
        values, dim = as_series(owner, series), len(self.intercept)
        if values.shape[1] != dim or len(values) < self.order:
            raise InvalidValue(
                f"{owner}: series must have {dim} variables and at least {self.order} steps, "
                f"got {values.shape[1]} and {len(values)}."
            )
        return values


def _mix(past: Tensor, coefficients: Tensor) -> Tensor:
    """Sum of :math:`A_kx_{t-k}` for windows ``(N, p, D)``, oldest step first."""
    return torch.einsum("kij,nkj->ni", coefficients.flip(0), past)
