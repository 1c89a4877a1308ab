"""What a diffusion model learns by: its error about noisy data, at random levels of noise."""

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidType, choose, require
from gradatim.generative.diffuse import diffuse
from gradatim.generative.diffusion import Diffusion
from gradatim.generative.diffusion_bound import step_weight
from gradatim.generative.label_dropout import drop_labels, labels_of
from gradatim.generative.predictions import prediction_target, read_prediction
from gradatim.training import Objective

WEIGHTS = ("simple", "bound")


class DiffusionObjective(Objective):
    r"""The squared error of a :class:`Diffusion`, one level of noise for each row.

    .. math:: L = \frac1d\lVert y - f(x_t, t)\rVert^2 \quad\text{(simple)}, \qquad
        L = \frac Td\,\lambda_t \lVert\epsilon - \hat\epsilon(x_t, t)\rVert^2 \quad\text{(bound)}

    with :math:`y` what the network answers. The simple loss weighs all levels alike, and makes better samples; with
    :math:`\lambda_t = \beta_t / (2\alpha_t(1-\bar\alpha_t))` it is the bound on the log-likelihood, up to what nobody learns, and weighs
    low noise most. The levels of a batch are spread evenly, from a common random start.

    Args:
        weight: ``"simple"`` or ``"bound"``.
        label_dropout: Probability that a row's class is kept from the network, so that it learns to answer without, which
            guidance needs.

    Example:
        >>> from gradatim.models import TimeMLP
        >>> from gradatim.training import Trainer
        >>> model = Diffusion(TimeMLP(2, hidden_dim=16), num_steps=50)
        >>> x = torch.randn(64, 2)
        >>> history = Trainer(model, objective=DiffusionObjective(), epochs=1, progress=False).fit((x, x))

    Reference:
        Ho et al., Denoising Diffusion Probabilistic Models, 2020, eq. 12 and 14; evenly spread levels as in Kingma et al.,
        Variational Diffusion Models, 2021.
    """

    any_layout = True

    def __init__(self, *, weight: str = "simple", label_dropout: float = 0.1) -> None:
        self.weight = choose("DiffusionObjective", "weight", weight, WEIGHTS)
        rule = "DiffusionObjective: label_dropout must be in [0, 1)"
        require(0 <= label_dropout < 1, rule, label_dropout, "Try 0.1.")
        self.label_dropout = label_dropout

    def __call__(self, model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
        if not isinstance(model, Diffusion):
            raise InvalidType(
                f"DiffusionObjective: model must be a Diffusion, got {type(model).__name__}."
            )
        x0 = batch[0]
        label = labels_of(batch, model.num_classes)
        if label is not None and model.training:
            label = drop_labels(label, model.num_classes, self.label_dropout)
        step = spread_steps(len(x0), model.num_steps, x0.device)  # (B,)
        alpha_bar = model.noise_schedule.alpha_bar((step / model.num_steps).to(x0.dtype))
        noise = torch.randn_like(x0)
        x_t = diffuse(x0, noise, alpha_bar)
        answer = model(x_t, (step / model.num_steps).to(x0.dtype), label)
        if self.weight == "simple":
            target = prediction_target(model.predict, x0, noise, alpha_bar)
            return nn.functional.mse_loss(answer, target)
        found = read_prediction(model.predict, answer, x_t, alpha_bar)
        error = (noise - found.noise).square().flatten(1).mean(1)  # (B,)
        weight = step_weight(model.noise_schedule, step).to(x0.dtype)
        return (model.num_steps * weight * error).mean()


def spread_steps(rows: int, num_steps: int, device: torch.device) -> Tensor:
    """Whole steps from 1 to ``num_steps``, uniform each, but evenly spread over the rows."""
    places = (torch.arange(rows, device=device) + torch.rand(rows, device=device)) / max(rows, 1)
    return (places * num_steps).long().clamp(max=num_steps - 1) + 1
