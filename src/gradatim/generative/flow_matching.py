"""Flow matching: learn the velocity of straight lines from noise to data, and follow it."""

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidType, choose, require, require_whole
from gradatim.generative.diffuse import beside
from gradatim.generative.evaluating import evaluating
from gradatim.generative.guidance import check_guidance, guide
from gradatim.generative.label_dropout import drop_labels, labels_of
from gradatim.generative.sample_shape import shape_of_samples
from gradatim.generative.sampling import ROWS, labels_for
from gradatim.training import Objective

METHODS = ("euler", "heun")


class FlowMatching(nn.Module):
    r"""Carry noise to data along a velocity that a network has learned.

    .. math:: x_\tau = (1-\tau)\,x_0 + \tau\,\epsilon, \qquad \frac{dx}{d\tau} = f(x, \tau) \approx
        \mathbb E[\epsilon - x_0 \mid x_\tau = x], \qquad \tau: 1 \to 0

    As in diffusion, time 0 is data and time 1 is noise (papers often count the other way). Train it with
    ``Trainer(flow, objective=FlowObjective())``.

    Args:
        network: A call ``(x, time, label) -> velocity``, such as :class:`~gradatim.models.TimeMLP`.
        sample_shape: Shape of a datum; by default what the network says it is.

    Attributes:
        num_classes: Classes that may be asked for, or ``None``.

    Example:
        >>> from gradatim.models import TimeMLP
        >>> flow = FlowMatching(TimeMLP(2))
        >>> flow.sample(5, generator=torch.Generator().manual_seed(0)).shape
        torch.Size([5, 2])

    Reference:
        Lipman et al., Flow Matching for Generative Modeling, 2023; Liu et al., Flow Straight and Fast, 2023.
    """

    def __init__(self, network: nn.Module, *, sample_shape: Sequence[int] | None = None) -> None:
        super().__init__()
        self.network = network
        self.sample_shape = shape_of_samples("FlowMatching", network, sample_shape)
        self.num_classes = cast(int | None, getattr(network, "num_classes", None))

    @takes_arrays
    def forward(self, x: Tensor, time: Tensor, label: Tensor | None = None) -> Tensor:
        """The velocity at rows ``x`` and times from 0 to 1, shape ``(B,)``."""
        if label is None:
            return cast(Tensor, self.network(x, time))
        return cast(Tensor, self.network(x, time, label))

    @takes_arrays
    def sample(
        self,
        num_samples: int,
        *,
        method: str = "heun",
        steps: int = 20,
        guidance: float = 0.0,
        label: Tensor | int | None = None,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """Draw new data.

        Args:
            num_samples: How many rows.
            method: ``"euler"``, one evaluation a step, or ``"heun"``, of second order, two.
            steps: Steps.
            guidance: How far to go beyond what the class asks for, as in :func:`sample`.
            label: A class for all, or one for each.
            generator: Source of randomness.
        """
        require_whole("FlowMatching.sample", num_samples=num_samples, steps=steps)
        choose("FlowMatching.sample", "method", method, METHODS)
        check_guidance("FlowMatching.sample", self.num_classes, guidance, label)
        weight = next(self.parameters())
        labels = labels_for("FlowMatching.sample", label, num_samples, self.num_classes, weight.device)  # fmt: skip
        x = torch.randn(num_samples, *self.sample_shape, generator=generator, dtype=weight.dtype).to(weight.device)  # fmt: skip
        h = 1 / steps
        with evaluating(self):
            for k in range(steps):
                time = 1 - k * h
                slope = self._velocity(x, time, labels, guidance)
                ahead = x - h * slope
                if method == "heun" and k + 1 < steps:
                    slope = (slope + self._velocity(ahead, time - h, labels, guidance)) / 2
                    ahead = x - h * slope
                x = ahead
        return x.clone()

    def _velocity(self, x: Tensor, time: float, labels: Tensor | None, guidance: float) -> Tensor:
        parts = []
        for start in range(0, len(x), ROWS):
            rows = x[start : start + ROWS]
            label = None if labels is None else labels[start : start + ROWS]
            now = torch.full((len(rows),), time, dtype=x.dtype, device=x.device)
            parts.append(guide(self, rows, now, label, self.num_classes, guidance))
        return torch.cat(parts)


class FlowObjective(Objective):
    r"""The squared error of a :class:`FlowMatching` about the velocity, at one time for each row.

    .. math:: L = \frac1d \lVert \epsilon - x_0 - f((1-\tau)\,x_0 + \tau\,\epsilon, \tau)\rVert^2

    Args:
        label_dropout: Probability that a row's class is kept from the network.

    Example:
        >>> from gradatim.models import TimeMLP
        >>> from gradatim.training import Trainer
        >>> flow, x = FlowMatching(TimeMLP(2, hidden_dim=16)), torch.randn(64, 2)
        >>> history = Trainer(flow, objective=FlowObjective(), epochs=1, progress=False).fit((x, x))
    """

    any_layout = True

    def __init__(self, *, label_dropout: float = 0.1) -> None:
        rule = "FlowObjective: label_dropout must be in [0, 1)"
        require(0 <= label_dropout < 1, rule, label_dropout, "Try 0.1.")
        self.label_dropout = label_dropout

    def __call__(self, model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
        if not isinstance(model, FlowMatching):
            raise InvalidType(
                f"FlowObjective: model must be a FlowMatching, got {type(model).__name__}."
            )
        x0 = batch[0]
        label = labels_of(batch, model.num_classes)
        if label is not None and model.training:
            label = drop_labels(label, model.num_classes, self.label_dropout)
        even = torch.arange(len(x0), dtype=x0.dtype, device=x0.device)
        time = (even + torch.rand_like(even)) / max(len(x0), 1)  # (B,), uniform each
        noise = torch.randn_like(x0)
        x = torch.lerp(x0, noise, beside(time, x0))
        return nn.functional.mse_loss(model(x, time, label), noise - x0)
