"""The diffusion model: a network that takes noise from data, at every level of noise."""

from collections.abc import Sequence
from typing import cast

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, choose, require
from gradatim.generative.diffuse import beside
from gradatim.generative.guidance import check_guidance, guide
from gradatim.generative.noise_schedule import NoiseSchedule
from gradatim.generative.predictions import PREDICTIONS, Denoised, read_prediction
from gradatim.generative.sample_shape import shape_of_samples


class Diffusion(nn.Module):
    r"""Turn noise into data in small steps back, each of which a network has learned.

    .. math:: q(x_t \mid x_{t-1}) = N(\sqrt{1-\beta_t}\,x_{t-1}, \beta_t I), \qquad
        p(x_{t-1} \mid x_t) = N(\tilde\mu(\hat x_0(x_t, t), x_t), \sigma_t^2 I)

    Train it with ``Trainer(diffusion, objective=DiffusionObjective())`` on pairs ``(x, label)``, or ``(x, anything)`` for a network
    without classes; draw with :func:`sample`. Data should have deviation about 1, images lie from -1 to 1.

    Args:
        network: A call ``(x, time, label) -> answer`` of the shape of ``x``, such as :class:`~gradatim.models.TimeMLP` or
            :class:`~gradatim.models.TimeUNet`; ``time`` is :math:`t/T`, shape ``(B,)``.
        schedule: ``"linear"`` or ``"cosine"``: how :math:`\beta_t` grows.
        predict: What the network answers: ``"noise"``, the data ``"x0"``, or the velocity ``"v"``.
        num_steps: :math:`T`.
        clip: Largest absolute value that data can have, such as 1 for images: guesses :math:`\hat x_0` are kept within it.
        sample_shape: Shape of a datum; by default what the network says it is.

    Attributes:
        num_classes: Classes that may be asked for, or ``None``.
        noise_schedule: :math:`\bar\alpha` and :math:`\beta` at any time.

    Example:
        >>> import torch
        >>> from gradatim.models import TimeMLP
        >>> model = Diffusion(TimeMLP(2), schedule="cosine")
        >>> model.denoise(torch.zeros(5, 2), torch.full((5,), 0.5)).x0.shape
        torch.Size([5, 2])

    Reference:
        Ho et al., Denoising Diffusion Probabilistic Models, 2020; Nichol and Dhariwal, Improved Denoising Diffusion
        Probabilistic Models, 2021.
    """

    def __init__(
        self,
        network: nn.Module,
        *,
        schedule: str = "linear",
        predict: str = "noise",
        num_steps: int = 1000,
        clip: float | None = None,
        sample_shape: Sequence[int] | None = None,
    ) -> None:
        super().__init__()
        self.schedule, self.num_steps = schedule, num_steps
        self.noise_schedule = NoiseSchedule(schedule, num_steps)
        self.predict = choose("Diffusion", "predict", predict, PREDICTIONS)
        require(clip is None or clip > 0, "Diffusion: clip must be more than 0 or None", clip)
        self.network, self.clip = network, clip
        self.sample_shape = shape_of_samples("Diffusion", network, sample_shape)
        self.num_classes = cast(int | None, getattr(network, "num_classes", None))

    @takes_arrays
    def forward(self, x: Tensor, time: Tensor, label: Tensor | None = None) -> Tensor:
        """What the network answers at rows ``x`` with the noise of ``time``, shape ``(B,)``, from 0 to 1."""
        if label is None:
            return cast(Tensor, self.network(x, time))
        return cast(Tensor, self.network(x, time, label))

    @takes_arrays
    def denoise(
        self, x: Tensor, time: Tensor, label: Tensor | None = None, *, guidance: float = 0.0
    ) -> Denoised:
        r"""Take rows apart into data and noise.

        Args:
            x: :math:`x_t`, shape ``(B, ...)``.
            time: :math:`t/T` above 0, shape ``(B,)``.
            label: Classes, shape ``(B,)``; ``num_classes`` stands for none.
            guidance: How far to go beyond what the class asks for, as in :func:`sample`.
        """
        check_guidance("Diffusion.denoise", self.num_classes, guidance, label)
        if x.shape[1:] != self.sample_shape:
            raise InvalidValue(
                f"Diffusion: x must have shape (B, {', '.join(map(str, self.sample_shape))}), got {tuple(x.shape)}."
            )
        answer = guide(self, x, time, label, self.num_classes, guidance)
        alpha_bar = self.noise_schedule.alpha_bar(time.to(x.dtype))
        found = read_prediction(self.predict, answer, x, alpha_bar)
        if self.clip is None:
            return found
        x0, share = found.x0.clamp(-self.clip, self.clip), beside(alpha_bar, x)
        return Denoised(x0, (x - share.sqrt() * x0) / (1 - share).sqrt())

    @takes_arrays
    def score(self, x: Tensor, time: Tensor, label: Tensor | None = None) -> Tensor:
        r"""The slope of the log-density of noisy data, :math:`\nabla\log q_t(x) \approx -\hat\epsilon / \sqrt{1-\bar\alpha_t}`.

        Args:
            x: :math:`x_t`, shape ``(B, ...)``.
            time: :math:`t/T` above 0, shape ``(B,)``.
            label: Classes, shape ``(B,)``.
        """
        spread = (1 - self.noise_schedule.alpha_bar(time.to(x.dtype))).sqrt()
        return -self.denoise(x, time, label).noise / beside(spread, x)
