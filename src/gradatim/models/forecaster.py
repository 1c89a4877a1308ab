"""Forecast several steps of a series, and how sure the forecast is."""

from statistics import NormalDist
from typing import NamedTuple, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, choose
from gradatim.models.sequence_encoder import SequenceEncoder
from gradatim.models.stack_step import step_stack
from gradatim.nn import Recurrent, initialize
from gradatim.nn.cells.named import CellFactory
from gradatim.nn.padding import real_steps
from gradatim.nn.training_modes import evaluation_mode

STRATEGIES = ("direct", "recursive")
SMALLEST_SCALE = (
    1e-4  # a series that repeats itself would drive the scale to 0, the likelihood to ∞
)


class Forecast(NamedTuple):
    """What comes next, and between which bounds.

    Args:
        median: Half of the outcomes lie below, shape ``(B, horizon, D)``.
        low: Lower bound, shape ``(B, horizon, D)``.
        high: Upper bound, shape ``(B, horizon, D)``.
    """

    median: Tensor
    low: Tensor
    high: Tensor


class Forecaster(nn.Module):
    r"""Read a history, state the distribution of the next ``horizon`` values.

    Direct: the state after the last step answers for all steps ahead at once.

    .. math:: p(x_{T+k} \mid x_{1:T}) = N(\mu_k(h_T), \sigma_k(h_T)^2), \qquad k = 1,\dots,H

    Recursive: one step ahead, then the forecast is fed back as if it had been observed. Paths drawn
    this way carry the uncertainty of each step into the next.

    .. math:: x_{t+1} \sim N(\mu(h_t), \sigma(h_t)^2), \qquad h_{t+1} = R(h_t, x_{t+1})

    With ``quantiles`` the direct strategy learns these quantiles instead of a Gaussian. Standardize the
    series first. Train

    - direct on ``(history, lengths, future)``, shapes ``(B, T, D)``, ``(B,)``, ``(B, H, D)``,
    - recursive on ``(series[:, :-1], lengths, series[:, 1:])``: each step is a target,

    with :func:`~gradatim.losses.gaussian_likelihood`, or :func:`~gradatim.losses.quantile_loss` for
    quantiles. ``lengths`` may be left out.

    Args:
        input_dim: Series :math:`D` that are read and forecast.
        horizon: :math:`H`, steps ahead.
        hidden_dim: Width of :math:`h_t`.
        strategy: ``"direct"`` or ``"recursive"``.
        quantiles: Levels in ascending order, with 0.5; ``None`` for a Gaussian.
        cell: :math:`R`, as in :class:`~gradatim.nn.Recurrent`.
        num_layers: Layers in the stack.
        dropout: Probability to drop an entry of every layer's output.

    Example:
        >>> model = Forecaster(1, 12)
        >>> median, low, high = model.forecast(torch.randn(3, 40, 1), level=0.8)
        >>> median.shape, bool((low < median).all() and (median < high).all())
        (torch.Size([3, 12, 1]), True)

    Reference:
        Salinas et al., DeepAR, 2020 (recursive); Wen et al., A Multi-Horizon Quantile Recurrent
        Forecaster, 2017 (direct).
    """

    def __init__(
        self,
        input_dim: int,
        horizon: int,
        *,
        hidden_dim: int = 32,
        strategy: str = "direct",
        quantiles: tuple[float, ...] | None = None,
        cell: str | CellFactory = "gru",
        num_layers: int = 1,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if horizon < 1:
            raise InvalidValue(f"Forecaster: horizon must be 1 or more, got {horizon}.")
        self.input_dim, self.horizon, self.hidden_dim = input_dim, horizon, hidden_dim
        self.strategy = choose("Forecaster", "strategy", strategy, STRATEGIES)
        self.quantiles = None if quantiles is None else _checked(tuple(quantiles), strategy)
        self.cell, self.num_layers, self.dropout = cell, num_layers, dropout
        self.encoder = SequenceEncoder(
            input_dim, hidden_dim, cell=cell, num_layers=num_layers, dropout=dropout
        )
        self.parameters_per_value = 2 if self.quantiles is None else len(self.quantiles)
        steps = horizon if strategy == "direct" else 1
        self.readout = nn.Linear(hidden_dim, steps * input_dim * self.parameters_per_value)
        initialize(self.readout, "xavier")

    @takes_arrays
    def forward(self, x: Tensor, lengths: object | None = None) -> Tensor:
        """State the distributions that training compares with what came.

        Args:
            x: History, padded at the end, shape ``(B, T, D)``.
            lengths: Real steps of each history, from 1 to ``T``; all by default.

        Returns:
            Direct: shape ``(B, horizon, D, P)``; recursive: of the step after each, ``(B, T, D, P)``.
            The last axis is mean and scale, or the quantiles.
        """
        encoded = self.encoder(x, lengths)
        if self.strategy == "recursive":
            return self._distributions(encoded.outputs)
        return self._distributions(encoded.summary).view(
            x.shape[0], self.horizon, self.input_dim, -1
        )

    def _distributions(self, hidden: Tensor) -> Tensor:
        out = self.readout(hidden)
        out = out.view(*out.shape[:-1], -1, self.parameters_per_value)  # (..., D, P)
        if self.quantiles is not None:
            return out
        mean, raw = out.unbind(-1)
        return torch.stack([mean, F.softplus(raw) + SMALLEST_SCALE], -1)

    @takes_arrays
    @torch.no_grad()
    def forecast(
        self,
        x: Tensor,
        lengths: object | None = None,
        *,
        level: float = 0.9,
        num_paths: int = 200,
        generator: torch.Generator | None = None,
    ) -> Forecast:
        """Forecast the next ``horizon`` steps, with intervals that hold with probability ``level``.

        Args:
            x: History without gaps, shape ``(B, T, D)``.
            lengths: Real steps of each history; all by default.
            level: Probability between the bounds, at each step by itself.
            num_paths: Paths to draw, for the recursive strategy.
            generator: Source of randomness, for the recursive strategy.
        """
        if not 0.0 < level < 1.0:
            raise InvalidValue(f"Forecaster: level must be between 0 and 1, got {level}. Try 0.9.")
        self._check_history(x, lengths)
        if self.strategy == "recursive":
            return self._summarize(self.simulate(x, lengths, num_paths, generator), level)
        with evaluation_mode(self):
            out = self(x, lengths)  # (B, horizon, D, P)
        if self.quantiles is not None:
            return self._pick(out.sort(-1).values, level)  # crossing quantiles are put in order
        mean, scale = out.unbind(-1)
        reach = NormalDist().inv_cdf((1 + level) / 2) * scale
        return Forecast(mean, mean - reach, mean + reach)

    @takes_arrays
    @torch.no_grad()
    def simulate(
        self,
        x: Tensor,
        lengths: object | None = None,
        num_paths: int = 200,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """Draw paths into the future, each step given the one drawn before it.

        Args:
            x: History, shape ``(B, T, D)``.
            lengths: Real steps of each history; all by default.
            num_paths: Paths for each history.
            generator: Source of randomness.

        Returns:
            Paths, shape ``(num_paths, B, horizon, D)``.
        """
        if self.strategy != "recursive" or num_paths < 1:
            raise InvalidValue(
                "Forecaster: simulate must have strategy='recursive' and one path or more, "
                f"got {self.strategy!r} and {num_paths}."
            )
        self._check_history(x, lengths)
        with evaluation_mode(self):
            encoded, steps = self.encoder(x, lengths), []
            state = tuple(part.repeat(1, num_paths, 1) for part in encoded.state)
            hidden = encoded.summary.repeat(num_paths, 1)  # (paths * B, H)
            rnn = cast(Recurrent, self.encoder.rnn)
            for _ in range(self.horizon):
                mean, scale = self._distributions(hidden).unbind(-1)  # (paths * B, D)
                noise = torch.empty_like(mean).normal_(generator=generator)
                steps.append(mean + scale * noise)
                hidden, state = step_stack(rnn, steps[-1], state)
        return torch.stack(steps, 1).view(num_paths, len(x), self.horizon, -1)

    def _check_history(self, x: Tensor, lengths: object | None) -> None:
        """Refuse a history with gaps: one NaN would be in every figure after it."""
        if bool(torch.isfinite(x.sum())):
            return
        bad = ~torch.isfinite(x).all(-1)  # (B, T)
        is_real = real_steps("Forecaster.forecast", x, lengths)
        bad = bad if is_real is None else bad & is_real
        if bad.any():
            row, step = bad.nonzero()[0].tolist()
            raise InvalidValue(
                f"Forecaster.forecast: x must be finite, got NaN or infinity at step {step} of history {row}. "
                "Interpolate missing values, or begin the history after them."
            )

    def _summarize(self, paths: Tensor, level: float) -> Forecast:
        tails = paths.new_tensor([0.5, (1 - level) / 2, (1 + level) / 2])
        return Forecast(*torch.quantile(paths, tails, dim=0))

    def _pick(self, out: Tensor, level: float) -> Forecast:
        assert self.quantiles is not None
        wanted = (0.5, (1 - level) / 2, (1 + level) / 2)
        places = [
            next((i for i, q in enumerate(self.quantiles) if abs(q - w) < 1e-6), None)
            for w in wanted
        ]
        if None in places:
            levels = sorted({round(2 * q - 1, 6) for q in self.quantiles if q > 0.5})
            raise InvalidValue(
                f"Forecaster: level must be one that the quantiles {self.quantiles} span, "
                f"got {level}. Try {', '.join(map(str, levels))}."
            )
        return Forecast(*(out[..., place] for place in places))


def _checked(quantiles: tuple[float, ...], strategy: str) -> tuple[float, ...]:
    if strategy != "direct":
        raise InvalidValue(
            "Forecaster: quantiles must go with strategy='direct', got 'recursive'. "
            "Leave quantiles out: paths are drawn from Gaussians."
        )
    inside = all(0.0 < q < 1.0 for q in quantiles)
    if not inside or 0.5 not in quantiles or list(quantiles) != sorted(set(quantiles)):
        raise InvalidValue(
            "Forecaster: quantiles must ascend between 0 and 1 and hold 0.5, "
            f"got {quantiles}. Try (0.05, 0.5, 0.95)."
        )
    return quantiles
