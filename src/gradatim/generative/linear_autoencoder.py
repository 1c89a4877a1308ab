"""The linear autoencoder: principal components by gradient descent."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole


class LinearAutoencoder(nn.Module):
    r"""Reconstruct rows from fewer numbers, by linear maps.

    .. math:: z = Ex + e, \qquad \hat x = Dz + b, \qquad \ell = \tfrac12\lVert x - \hat x\rVert^2

    At the minimum :math:`DE` is the projection onto the span of the first :math:`m` principal components, and the loss half
    of the variance that they leave out; every other place without a slope is a saddle. The subspace is theirs, the
    axes are not: :math:`DG` and :math:`G^{-1}E` do as well for any :math:`G`.

    Notes 002 have no :math:`e, b` and take the eigenvectors of :math:`X^\top X/n`; these are principal components only where
    the mean of the data is 0. With ``has_bias`` (the default) no centring is needed.

    Args:
        input_dim: Entries of x.
        latent_dim: :math:`m`, entries of z, at most ``input_dim``.
        has_bias: Whether there are :math:`e` and :math:`b`.

    Example:
        >>> model = LinearAutoencoder(64, 8)
        >>> model(torch.zeros(5, 64)).shape, model.basis().shape
        (torch.Size([5, 64]), torch.Size([64, 8]))

    Reference:
        Baldi, Hornik, Neural Networks and Principal Component Analysis: Learning from Examples Without Local Minima, 1989.
    """

    def __init__(self, input_dim: int, latent_dim: int, *, has_bias: bool = True) -> None:
        super().__init__()
        require_whole("LinearAutoencoder", input_dim=input_dim, latent_dim=latent_dim)
        rule = f"LinearAutoencoder: latent_dim must be at most input_dim={input_dim}"
        require(latent_dim <= input_dim, rule, latent_dim)
        self.input_dim, self.latent_dim, self.has_bias = input_dim, latent_dim, has_bias
        self.encoder = nn.Linear(input_dim, latent_dim, bias=has_bias)
        self.decoder = nn.Linear(latent_dim, input_dim, bias=has_bias)

    @takes_arrays
    def encode(self, x: Tensor) -> Tensor:
        """Codes ``(B, latent_dim)`` of x."""
        return self.encoder(x.flatten(1))

    @takes_arrays
    def decode(self, z: Tensor) -> Tensor:
        """Rows ``(B, input_dim)`` of codes."""
        return self.decoder(z)

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        """Reconstruct x."""
        return self.decode(self.encode(x)).view_as(x)

    @torch.no_grad()
    def basis(self) -> Tensor:
        """Orthonormal directions that span what it can say, shape ``(input_dim, latent_dim)``."""
        return torch.linalg.qr(self.decoder.weight).Q
