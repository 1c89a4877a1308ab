"""Autoencoders of any two networks; with noise, denoising ones."""

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.data import add_noise
from gradatim.errors import require


class Autoencoder(nn.Module):
    r"""Reconstruct data from a code that is too short, or too noisy, to say everything.

    .. math:: z = \mathrm{enc}(x + \sigma\epsilon), \qquad \hat x = \mathrm{dec}(z), \qquad E = \lVert x - \hat x\rVert^2

    The two networks may be dense or convolutional; what the decoder gives is brought into the shape of x. Train it on
    ``(x, x)`` with ``loss="mse"``. Noise is added in training only, and the clean x is asked for. It says nothing of
    where codes lie: what is decoded elsewhere need not look like data; see :class:`VAE`.

    Args:
        encoder: From x to codes ``(B, m)``.
        decoder: From codes to x.
        noise: :math:`\sigma`.

    Example:
        >>> import torch
        >>> from gradatim.models import MLP
        >>> model = Autoencoder(MLP((784, 64, 8)), MLP((8, 64, 784)), noise=0.3)
        >>> model(torch.rand(5, 1, 28, 28)).shape
        torch.Size([5, 1, 28, 28])

    Reference:
        Vincent et al., Extracting and Composing Robust Features with Denoising Autoencoders, 2008.
    """

    def __init__(self, encoder: nn.Module, decoder: nn.Module, *, noise: float = 0.0) -> None:
        super().__init__()
        require(noise >= 0, "Autoencoder: noise must be at least 0", noise)
        self.encoder, self.decoder, self.noise = encoder, decoder, noise

    @takes_arrays
    def encode(self, x: Tensor) -> Tensor:
        """Codes of x, to which no noise is added."""
        return self.encoder(x)

    @takes_arrays
    def decode(self, z: Tensor) -> Tensor:
        """What the decoder makes of codes, in its own shape."""
        return self.decoder(z)

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        """Reconstruct x, in training from a noisy one."""
        seen = add_noise(x, std=self.noise) if self.training and self.noise else x
        return self.decode(self.encode(seen)).reshape(x.shape)
