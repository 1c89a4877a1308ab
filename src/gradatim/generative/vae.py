"""The variational autoencoder: a Gaussian code of a datum, and data from such codes."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, require, require_whole
from gradatim.generative.gaussian_code import GaussianCode, reparameterize
from gradatim.generative.likelihoods import Likelihood, build_likelihood


class VAE(nn.Module):
    r"""Explain data by a code drawn from a standard Gaussian; a second network guesses the code from the datum.

    .. math::
        z \sim N(0, I), \quad x \sim p(x \mid \mathrm{dec}(z)), \qquad
        q(z \mid x) = N\big(\mu, \operatorname{diag}\sigma^2\big), \quad (\mu, \log\sigma^2) = \mathrm{enc}(x)

    Train it with ``Trainer(vae, objective=BoundObjective())``, on pairs ``(x, anything)`` or, by class, ``(x, label)``. Of
    classes the decoder sees which it is as ones and zeros behind the code, and each class shifts what the encoder says.

    Notes 002 write the encoder's Gaussian as the posterior :math:`p(z \mid x)` of the model; it is a guess :math:`q` of it,
    and by just its divergence from the posterior the bound is below the log-likelihood.

    Args:
        encoder: From x to ``2 * latent_dim`` numbers: :math:`\mu`, then :math:`\log\sigma^2`.
        decoder: From z, and the class behind it, to what the likelihood needs.
        latent_dim: Entries of z; by default half of what the last layer of the encoder gives.
        likelihood: ``"bernoulli"``, ``"gaussian"``, whose variance is learned, or a :class:`Likelihood` of one's own.
        beta: Weight of the divergence from the prior in training; with 1 it is the bound.
        free_bits: Nats that each entry of the code may differ from the prior for nothing, in training.
        num_classes: Classes, where the model learns x by class.

    Example:
        >>> from gradatim.models import MLP
        >>> vae = VAE(MLP((784, 64, 2 * 8)), MLP((8, 64, 784)), likelihood="bernoulli")
        >>> vae.sample(5, generator=torch.Generator().manual_seed(0)).shape
        torch.Size([5, 784])

    Reference:
        Kingma, Welling, Auto-Encoding Variational Bayes, 2014; Rezende, Mohamed, Wierstra, Stochastic Backpropagation, 2014;
        Higgins et al., beta-VAE, 2017.
    """

    def __init__(
        self,
        encoder: nn.Module,
        decoder: nn.Module,
        latent_dim: int | None = None,
        *,
        likelihood: str | Likelihood = "bernoulli",
        beta: float = 1.0,
        free_bits: float = 0.0,
        num_classes: int | None = None,
    ) -> None:
        super().__init__()
        latent_dim = _half_of_last(encoder) if latent_dim is None else latent_dim
        require_whole("VAE", latent_dim=latent_dim)
        require(beta >= 0, "VAE: beta must be at least 0", beta, "Try beta=1.0.")
        require(free_bits >= 0, "VAE: free_bits must be at least 0", free_bits)
        rule = "VAE: num_classes must be at least 1 or None"
        require(num_classes is None or num_classes >= 1, rule, num_classes)
        self.encoder, self.decoder, self.latent_dim = encoder, decoder, latent_dim
        self.likelihood = build_likelihood("VAE", likelihood)
        self.likelihood_name = likelihood if isinstance(likelihood, str) else None
        self.beta, self.free_bits, self.num_classes = beta, free_bits, num_classes
        self.shift = None if num_classes is None else nn.Embedding(num_classes, 2 * latent_dim)
        if self.shift is not None:
            nn.init.zeros_(self.shift.weight)

    @takes_arrays
    def forward(self, x: Tensor, label: Tensor | None = None) -> Tensor:
        """Reconstruct x: the mean of what the decoder says of its code, which is drawn in training and the mean afterwards."""
        code = self.encode(x, label)
        z = reparameterize(*code, torch.randn_like(code.mean)) if self.training else code.mean
        return self.likelihood.mean(self.decode(z, label))

    @takes_arrays
    def encode(self, x: Tensor, label: Tensor | None = None) -> GaussianCode:
        """Mean and log-variance of the code of each row of x, shape ``(B, latent_dim)``."""
        self._check_label(label)
        found = self.encoder(x)  # (B, 2m)
        if found.ndim != 2 or found.shape[1] != 2 * self.latent_dim:
            raise InvalidValue(
                f"VAE: encoder must give {2 * self.latent_dim} numbers for each row, twice latent_dim, "
                f"got shape {tuple(found.shape)}."
            )
        if self.shift is not None and label is not None:
            found = found + self.shift(label.long())
        return GaussianCode(*found.chunk(2, dim=1))

    @takes_arrays
    def decode(self, z: Tensor, label: Tensor | None = None) -> Tensor:
        """What the decoder says of codes ``(..., B, latent_dim)``; ``label`` has shape ``(B,)``."""
        self._check_label(label)
        if self.num_classes is not None and label is not None:
            ones = F.one_hot(label.long(), self.num_classes).to(z.dtype)  # (B, C)
            z = torch.cat([z, ones.expand(*z.shape[:-1], -1)], dim=-1)
        decoded = self.decoder(z.flatten(0, -2))  # of any number of draws at once
        return decoded.unflatten(0, z.shape[:-1])

    @torch.no_grad()
    def sample(
        self,
        num_samples: int,
        *,
        label: Tensor | int | None = None,
        is_mean: bool = False,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """Draw new data.

        Args:
            num_samples: How many rows.
            label: Their class or classes, for a model that learned by class.
            is_mean: Show the mean of x for each drawn code, as is usual of images, in the place of a draw of x.
            generator: Source of randomness.
        """
        require_whole("VAE.sample", num_samples=num_samples)
        weight = next(self.parameters())
        noise = torch.randn(num_samples, self.latent_dim, generator=generator)
        labels = None if label is None else torch.as_tensor(label, device=weight.device).expand(num_samples)  # fmt: skip
        was_training = self.training
        decoded = self.eval().decode(noise.to(weight), labels)
        self.train(was_training)
        if is_mean:
            return self.likelihood.mean(decoded)
        return self.likelihood.sample(decoded, generator=generator)

    def _check_label(self, label: Tensor | None) -> None:
        if self.num_classes is None:
            require(label is None, "VAE: label must be left out of a model without classes", "one", "Build it with num_classes=.")  # fmt: skip
            return
        rule = f"VAE: label must be classes from 0 to {self.num_classes - 1}"
        require(label is not None, rule, "none", "The model learned x by class.")
        assert label is not None
        if label.numel():
            low, high = (int(value) for value in label.aminmax())
            require(low >= 0 and high < self.num_classes, rule, low if low < 0 else high)


def _half_of_last(encoder: nn.Module) -> int:
    """Half of the numbers that the last linear layer of an encoder gives: a mean and a log-variance of each entry."""
    widths = [own.out_features for own in encoder.modules() if isinstance(own, nn.Linear)]
    if not widths or widths[-1] % 2:
        raise InvalidValue(
            f"VAE: latent_dim must be given for an encoder whose last layer is not linear, with an even number of outputs, "
            f"got {type(encoder).__name__}. Try latent_dim=8."
        )
    return widths[-1] // 2
