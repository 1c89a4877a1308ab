"""The linear dynamical system: a hidden state that moves linearly and is seen through noise."""

from collections.abc import Callable, Collection, Iterable
from functools import partial
from statistics import NormalDist
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.errors import InvalidType, InvalidValue, choose, require, require_whole
from gradatim.threads import in_one_thread
from gradatim.timeseries import lds_learning, riccati
from gradatim.timeseries.autoregression import Forecast
from gradatim.timeseries.inputs import Array, check_covariance
from gradatim.timeseries.kalman import (
    Filtered,
    Parameters,
    filter_together,
    shared_updates,
    update,
)
from gradatim.timeseries.kalman_gaps import filter_each
from gradatim.timeseries.linear_response import respond
from gradatim.timeseries.rts import Smoothed, smooth_each, smooth_together

Treatment = Callable[[Tensor, Tensor | None], tuple[Tensor, ...]]
LEARNABLE = ("A", "B", "C", "Q", "R", "mean0", "cov0")


class SteadyState(NamedTuple):
    """Where the filter's covariances end.

    Args:
        predicted_covariance: Before an observation, :math:`P^-`, shape ``(n, n)``.
        covariance: After it, :math:`P`, shape ``(n, n)``.
        gain: Kalman gain, shape ``(n, m)``.
    """

    predicted_covariance: Tensor
    covariance: Tensor
    gain: Tensor


class SystemFit(NamedTuple):
    """A learned system.

    Args:
        model: The system after the last round.
        log_likelihoods: Log-likelihood of all sequences before each round, which never falls.
    """

    model: "LinearDynamicalSystem"
    log_likelihoods: list[float]


class LinearDynamicalSystem:
    r"""A state of :math:`n` numbers with linear dynamics, observed as :math:`m` noisy numbers.

    .. math::
        h_t=Ah_{t-1}+Bx_t+w_t,\qquad y_t=Ch_t+v_t,\qquad
        w_t\sim N(0,Q),\quad v_t\sim N(0,R),\quad h_0\sim N(\mu_0,P_0)

    The first state comes from its own distribution: :math:`A`, :math:`Q` and the first input play no part
    in it. All results are differentiable in all matrices, so a system can also be fitted by gradient.

    Args:
        A: Transition, shape ``(n, n)``.
        C: Observation, shape ``(m, n)``.
        Q: Covariance of the state's noise, shape ``(n, n)``.
        R: Covariance of the observation's noise, shape ``(m, m)``.
        mean0: :math:`\mu_0`, shape ``(n,)``.
        cov0: :math:`P_0`, shape ``(n, n)``.
        B: Effect of the inputs, shape ``(n, k)``; none by default.

    Example:
        >>> one = torch.ones(1, 1, dtype=torch.float64)
        >>> walk = LinearDynamicalSystem(one, one, one, one, torch.zeros(1).double(), 25 * one)
        >>> walk.filter(torch.tensor([[1.0]]).double()).gains  # 25 / 26
        tensor([[[0.9615]]], dtype=torch.float64)

    Reference:
        Kalman, A new approach to linear filtering and prediction problems, 1960;
        Rauch, Tung and Striebel, Maximum likelihood estimates of linear dynamic systems, 1965.
    """

    def __init__(
        self,
        A: Array,
        C: Array,
        Q: Array,
        R: Array,
        mean0: Array,
        cov0: Array,
        B: Array | None = None,
    ) -> None:
        self.A, self.C, self.Q, self.R = (torch.as_tensor(matrix) for matrix in (A, C, Q, R))
        self.mean0, self.cov0 = torch.as_tensor(mean0), torch.as_tensor(cov0)
        self.B = None if B is None else torch.as_tensor(B)
        self.parameters = Parameters(self.A, self.C, self.Q, self.R, self.mean0, self.cov0, self.B)
        _check(self.parameters)

    def __repr__(self) -> str:
        return f"LinearDynamicalSystem(state {len(self.A)}, observation {len(self.C)})"

    def simulate(
        self,
        steps: int,
        num_sequences: int | None = None,
        *,
        inputs: Array | None = None,
        generator: torch.Generator | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Draw states and observations.

        Args:
            steps: Length :math:`T`.
            num_sequences: How many sequences; ``None`` gives one, without the axis for it.
            inputs: :math:`x_t`, shape ``(T, k)`` or ``(B, T, k)``, for a system with ``B``.
            generator: Source of randomness.

        Returns:
            States ``(B, T, n)`` and observations ``(B, T, m)``.
        """
        B, n = 1 if num_sequences is None else num_sequences, len(self.A)
        if steps < 1 or B < 1:
            raise InvalidValue(
                "LinearDynamicalSystem.simulate: steps and num_sequences must be at least 1, "
                f"got {steps} and {B}."
            )
        draw = partial(torch.randn, generator=generator, dtype=self.A.dtype)
        shocks = draw((B, steps, n)) @ _root(self.Q).T
        start = draw((B, n)) @ _root(self.cov0).T + self.mean0
        noise = draw((B, steps, len(self.C))) @ _root(self.R).T
        drive = self._drive("simulate", inputs, B, steps)
        shocks = shocks if drive is None else shocks + drive
        eye = torch.eye(n, dtype=self.A.dtype)
        later = respond(self.A, eye, self.A, eye, shocks[:, 1:], start)
        states = torch.cat([start[:, None], later], 1)
        y = states @ self.C.T + noise
        return (states, y) if num_sequences is not None else (states[0], y[0])

    def filter(self, y: Array, *, inputs: Array | None = None, joseph: bool = False) -> Filtered:
        """Estimate each state from the observations up to it.

        Args:
            y: Observations, shape ``(T, m)`` or ``(B, T, m)``; NaN marks a missing one. Missing steps at
                the end give forecasts of the state; :meth:`forecast` those of observations.
            inputs: :math:`x_t`, shape ``(T, k)`` or ``(B, T, k)``.
            joseph: Whether to use the Joseph form of the update, for huge or nearly singular covariances.

        Returns:
            Means, covariances, gains and log-likelihood, with a batch axis if ``y`` has one.
        """
        batch = self._observations("filter", y)
        found = self._filter(batch, self._drive("filter", inputs, *batch.shape[:2]), joseph)
        return found if torch.as_tensor(y).ndim == 3 else Filtered(*(part[0] for part in found))

    def log_likelihood(self, y: Array, *, inputs: Array | None = None) -> Tensor:
        """Log-density of the observations, shape ``(B,)``, or a scalar for one sequence."""
        return self.filter(y, inputs=inputs).log_likelihood

    def smooth(self, y: Array, *, inputs: Array | None = None, joseph: bool = False) -> Smoothed:
        """Estimate each state from all observations; arguments as for :meth:`filter`."""
        batch = self._observations("smooth", y)
        found = self._smooth(batch, self._drive("smooth", inputs, *batch.shape[:2]), joseph)
        return found if torch.as_tensor(y).ndim == 3 else Smoothed(*(part[0] for part in found))

    def forecast(
        self, y: Array, steps: int, *, inputs: Array | None = None, level: float = 0.95
    ) -> Forecast:
        r"""Predict the next observations, with the interval that holds each with probability ``level``.

        .. math:: \hat y_{T+h}=C\hat h_{T+h}\pm z\sqrt{\operatorname{diag}(CP_{T+h}C^\top+R)},\qquad
            \hat h_{t+1}=A\hat h_t+Bx_{t+1},\quad P_{t+1}=AP_tA^\top+Q

        The intervals count the noise to come and what is unsure about the state, not the error of learned
        matrices.

        Args:
            y: The past, as for :meth:`filter`.
            steps: How far ahead.
            inputs: :math:`x_t` of the past and of the steps ahead, shape ``(T + steps, k)`` or
                ``(B, T + steps, k)``.
            level: Probability of the interval.

        Returns:
            Mean and ends of the intervals, shape ``(steps, m)`` or ``(B, steps, m)``.
        """
        owner = "LinearDynamicalSystem.forecast"
        require_whole(owner, steps=steps)
        require(0 < level < 1, f"{owner}: level must lie in (0, 1)", level)
        batch = self._observations("forecast", y)
        B, T, _ = batch.shape
        drive = self._drive("forecast", inputs, B, T + steps)
        known = self._filter(batch, None if drive is None else drive[:, :T], False)
        h, P, found = known.means[:, -1], known.covariances[:, -1], []
        for t in range(T, T + steps):
            h, P = h @ self.A.T, self.A @ P @ self.A.T + self.Q
            h = h if drive is None else h + drive[:, t]
            spread = (self.C @ P @ self.C.T + self.R).diagonal(dim1=1, dim2=2)
            found.append((h @ self.C.T, spread.sqrt()))
        mean, deviation = (torch.stack(part, 1) for part in zip(*found, strict=True))
        reach = NormalDist().inv_cdf(0.5 + level / 2) * deviation
        ends = (mean, mean - reach, mean + reach)
        return Forecast(*(end if torch.as_tensor(y).ndim == 3 else end[0] for end in ends))

    def steady_state(self) -> SteadyState:
        r"""The covariances and the gain after infinitely many observations, whatever ``cov0`` was.

        They solve the discrete algebraic Riccati equation
        :math:`P^-=A(P^--P^-C^\top(CP^-C^\top+R)^{-1}CP^-)A^\top+Q`.
        """
        P = riccati.steady_covariance(*self.parameters[:4])
        predicted = self.A @ P @ self.A.T + self.Q
        return SteadyState(predicted, P, update(predicted, self.C, self.R, False).gain)

    def learn(
        self,
        y: Array,
        *,
        inputs: Array | None = None,
        max_steps: int = 50,
        tol: float = 1e-6,
        parts: Collection[str] = LEARNABLE,
    ) -> SystemFit:
        """Learn from sequences by expectation-maximization, from this system on.

        Args:
            y: Observations, shape ``(T, m)`` or ``(B, T, m)``; NaN marks a missing one.
            inputs: :math:`x_t`, shape ``(T, k)`` or ``(B, T, k)``.
            max_steps: Most rounds.
            tol: Stop when a round gains less log-likelihood than this per observed step.
            parts: Names of what to learn; the rest stays. A and C are determined up to a change of the
                state's coordinates only, so with both free the states lose their names.
        """
        for name in parts:
            choose("LinearDynamicalSystem.learn", "parts", name, LEARNABLE)
        batch = self._observations("learn", y)
        B, T, _ = batch.shape
        moves = [name for name in parts if name in ("A", "B", "Q")]
        if T < 2 and moves:
            raise InvalidValue(
                f"LinearDynamicalSystem.learn: y must have at least two steps to learn {', '.join(moves)}, "
                f"got {T}. Take longer sequences."
            )
        seen = ~torch.isnan(batch)
        if not seen.any():
            raise InvalidValue(
                "LinearDynamicalSystem.learn: y must not be missing everywhere, got NaN only."
            )
        x = None if inputs is None else self._inputs("learn", inputs, B, T)
        model: LinearDynamicalSystem = self
        scores: list[float] = []
        enough = tol * int(seen.any(-1).sum())
        for _ in range(max_steps):
            with torch.no_grad():
                smoothed = model._smooth(batch, model._drive("learn", inputs, B, T), False)
                scores.append(float(smoothed.log_likelihood.sum()))
                if len(scores) > 1 and scores[-1] - scores[-2] < enough:
                    break
                found = lds_learning.maximize(model.parameters, smoothed, batch, x, parts)
                model = LinearDynamicalSystem(*found)
        return SystemFit(model, scores)

    def _filter(self, y: Tensor, drive: Tensor | None, joseph: bool) -> Filtered:
        model = self.parameters

        def complete(y: Tensor, drive: Tensor | None) -> Filtered:
            return filter_together(model, y, drive, shared_updates(model, y.shape[1], joseph))

        def with_gaps(y: Tensor, drive: Tensor | None) -> Filtered:
            return filter_each(model, y, drive, joseph)

        with in_one_thread(y.shape[0] * y.shape[1] * self.A.numel()):
            return Filtered(*_by_gaps(y, drive, complete, with_gaps))

    def _smooth(self, y: Tensor, drive: Tensor | None, joseph: bool) -> Smoothed:
        model = self.parameters

        def complete(y: Tensor, drive: Tensor | None) -> Smoothed:
            updates = shared_updates(model, y.shape[1], joseph)
            filtered = filter_together(model, y, drive, updates)
            return smooth_together(model, filtered, drive, len(updates.gain))

        def with_gaps(y: Tensor, drive: Tensor | None) -> Smoothed:
            return smooth_each(model, filter_each(model, y, drive, joseph), drive)

        with in_one_thread(y.shape[0] * y.shape[1] * self.A.numel()):
            return Smoothed(*_by_gaps(y, drive, complete, with_gaps))

    def _observations(self, verb: str, y: Array) -> Tensor:
        """Checked observations ``(B, T, m)``."""
        batch = torch.as_tensor(y)
        batch = batch[None] if batch.ndim == 2 else batch
        m = len(self.C)
        if batch.ndim != 3 or batch.shape[2] != m or not batch.numel():
            raise InvalidValue(
                f"LinearDynamicalSystem.{verb}: y must be (T, {m}) or (B, T, {m}) with at least one step, "
                f"got shape {tuple(torch.as_tensor(y).shape)}."
            )
        batch = batch.to(self.A.dtype)
        if not _is_complete(batch) and torch.isinf(batch).any():
            raise InvalidValue(
                f"LinearDynamicalSystem.{verb}: y must be finite, or NaN where missing, got infinity."
            )
        return batch

    def _drive(self, verb: str, inputs: Array | None, B: int, T: int) -> Tensor | None:
        """:math:`Bx_t`, shape ``(B, T, n)``, zero at the first step."""
        if (inputs is None) != (self.B is None):
            had = "a system without B got inputs" if self.B is None else "a system with B got none"
            raise InvalidValue(
                f"LinearDynamicalSystem.{verb}: inputs and B must be given together, {had}."
            )
        if inputs is None or self.B is None:
            return None
        drive = self._inputs(verb, inputs, B, T) @ self.B.T
        return torch.cat([torch.zeros_like(drive[:, :1]), drive[:, 1:]], 1)

    def _inputs(self, verb: str, inputs: Array, B: int, T: int) -> Tensor:
        assert self.B is not None
        x, k = torch.as_tensor(inputs).to(self.A.dtype), self.B.shape[1]
        if x.shape not in ((T, k), (B, T, k)) or not torch.isfinite(x).all():
            raise InvalidValue(
                f"LinearDynamicalSystem.{verb}: inputs must be finite, of shape ({T}, {k}) or ({B}, {T}, {k}), "
                f"got shape {tuple(x.shape)}."
            )
        return x.expand(B, T, k)


def _check(model: Parameters) -> None:
    owner, A, C, B = "LinearDynamicalSystem", model.A, model.C, model.B
    n, m = (len(x) if x.ndim else 0 for x in (A, C))
    k = B.shape[-1] if B is not None and B.ndim else 0
    shapes = {"A": (n, n), "C": (m, n), "mean0": (n,), "B": (n, k)}
    for name, value in model._asdict().items():
        if value is None:
            continue
        if not value.is_floating_point() or value.dtype != A.dtype:
            raise InvalidType(
                f"{owner}: {name} must be floating point like A, got {value.dtype} beside {A.dtype}. "
                "Try torch.float64 for all."
            )
        if name in shapes and (value.shape != shapes[name] or not value.numel()):
            raise InvalidValue(
                f"{owner}: {name} must have shape {shapes[name]} and not be empty, got {tuple(value.shape)}."
            )
        if not torch.isfinite(value).all():
            raise InvalidValue(f"{owner}: {name} must be finite, got NaN or infinity.")
        if name in ("Q", "R", "cov0"):
            check_covariance(owner, name, value, m if name == "R" else n)


def _is_complete(y: Tensor) -> bool:
    """Whether nothing is NaN or infinite; a sum is the fastest way to see it."""
    return bool(torch.isfinite(y.detach().sum()))


def _by_gaps(
    y: Tensor, drive: Tensor | None, complete: Treatment, with_gaps: Treatment
) -> Iterable[Tensor]:
    """Results of sequences without missing observations by one way, of the others by the other."""
    if _is_complete(y):
        return complete(y, drive)
    has_gaps = torch.isnan(y).flatten(1).any(1)
    if has_gaps.all():
        return with_gaps(y, drive)
    ways = ((complete, ~has_gaps), (with_gaps, has_gaps))
    parts = (way(y[rows], None if drive is None else drive[rows]) for way, rows in ways)
    place = torch.cat([rows.nonzero()[:, 0] for _, rows in ways]).argsort()
    return (torch.cat(pair)[place] for pair in zip(*parts, strict=True))


def _root(covariance: Tensor) -> Tensor:
    """A matrix whose product with its transpose is the covariance, singular ones included."""
    values, vectors = torch.linalg.eigh(covariance)
    return vectors * values.clamp(min=0).sqrt()
