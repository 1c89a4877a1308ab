"""Two networks: one makes data from noise, the other tells them from real ones."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole
from gradatim.nn.training_modes import evaluation_mode


class GAN(nn.Module):
    r"""A generative adversarial network: :math:`x = G(z)` with :math:`z \sim N(0, I)`, and a judge of it.

    Train it with :func:`~gradatim.generative.train_gan`. Unlike other generative models it has no likelihood: what it has
    learned can only be judged by its samples.

    Args:
        generator: From noise ``(B, latent_dim)`` to data; of classes, from noise and class codes ``(B,)``.
        discriminator: From data, and class codes, to one logit per row.
        latent_dim: Entries of z.
        num_classes: Classes, where the model learns data by class.

    Example:
        >>> from gradatim.models import MLP
        >>> gan = GAN(MLP((4, 16, 2)), MLP((2, 16, 1)), 4)
        >>> gan.sample(5, generator=torch.Generator().manual_seed(0)).shape
        torch.Size([5, 2])

    Reference:
        Goodfellow et al., Generative Adversarial Nets, 2014; Mirza and Osindero, Conditional Generative Adversarial Nets, 2014.
    """

    def __init__(
        self,
        generator: nn.Module,
        discriminator: nn.Module,
        latent_dim: int,
        *,
        num_classes: int | None = None,
    ) -> None:
        super().__init__()
        require_whole("GAN", latent_dim=latent_dim)
        rule = "GAN: num_classes must be at least 1 or None"
        require(num_classes is None or num_classes >= 1, rule, num_classes)
        self.generator, self.discriminator = generator, discriminator
        self.latent_dim, self.num_classes = latent_dim, num_classes

    @takes_arrays
    def forward(self, z: Tensor, label: Tensor | None = None) -> Tensor:
        """Make data from noise."""
        self.check_label(label)
        return self.generator(z) if label is None else self.generator(z, label)

    @takes_arrays
    def score(self, x: Tensor, label: Tensor | None = None) -> Tensor:
        """Logits that rows are real, shape ``(B,)``."""
        self.check_label(label)
        found = self.discriminator(x) if label is None else self.discriminator(x, label)
        return found.flatten()

    @torch.no_grad()
    def sample(
        self,
        num_samples: int,
        *,
        label: Tensor | int | None = None,
        generator: torch.Generator | None = None,
        batch_size: int = 1024,
    ) -> Tensor:
        """Draw new data.

        Args:
            num_samples: How many rows.
            label: Their class or classes, for a model that learned by class.
            generator: Source of randomness.
            batch_size: Rows at once.
        """
        require_whole("GAN.sample", num_samples=num_samples, batch_size=batch_size)
        weight = next(self.generator.parameters())
        noise = torch.randn(num_samples, self.latent_dim, generator=generator).to(weight)
        labels = None
        if label is not None:
            labels = torch.as_tensor(label, device=weight.device).expand(num_samples)
        self.check_label(labels)
        places = torch.arange(num_samples).split(batch_size)
        with evaluation_mode(self):
            made = [self(noise[at], None if labels is None else labels[at]) for at in places]
        return torch.cat(made)

    def check_label(self, label: Tensor | None) -> None:
        """Raise unless classes are given where the model learned by class, and only there."""
        if self.num_classes is None:
            require(label is None, "GAN: label must be left out of a model without classes", "one", "Build it with num_classes=.")  # fmt: skip
            return
        rule = f"GAN: label must be classes from 0 to {self.num_classes - 1}"
        require(label is not None, rule, "none", "The model learned data by class.")
        assert label is not None
        outside = label[(label < 0) | (label >= self.num_classes)]
        require(not len(outside), rule, outside[:1].tolist() and int(outside[0]))
