r"""Simple generators of images, which a network must beat: Gaussians on principal components, and jittered images.

.. math:: x = m + B z, \qquad z \sim \sum_k \pi_{ck}\, N(\mu_k, L_k L_k^\top)

:math:`B` holds the directions in which images differ most, and :math:`c` is the class.
"""

import warnings
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole

MOST_DIRECTIONS = 48
KEPT = 0.95  # of the variance in that many directions
ROWS_PER_NUMBER = 5  # of a Gaussian's mean, for another one in the mixture
MOST_GAUSSIANS = 10  # of a class
MOST_ROWS = 4_000  # of a class, or from which directions are found
FLOOR = 1e-6  # of the variance of a direction


@dataclass(frozen=True, eq=False)
class ImageMixture:
    r"""A mixture of Gaussians on principal components of pixels.

    Args:
        mean: :math:`m`, shape ``(C, H, W)``.
        basis: :math:`B^\top`, shape ``(D, C H W)``.
        weights: :math:`\pi`, shape ``(classes, K)``; one row where there are no classes.
        centers: :math:`\mu`, shape ``(K, D)``.
        factors: :math:`L`, shape ``(K, D, D)``.
    """

    mean: Tensor
    basis: Tensor
    weights: Tensor
    centers: Tensor
    factors: Tensor

    @classmethod
    @takes_arrays
    def learn(
        cls,
        images: Tensor,
        labels: Tensor | None = None,
        *,
        num_gaussians: int | None = None,
        seed: int = 0,
    ) -> Self:
        """Learn from images.

        Args:
            images: Brightness from 0 to 1, shape ``(N, C, H, W)``.
            labels: Their classes, shape ``(N,)``, each of which gets Gaussians of its own.
            num_gaussians: Of every class; as many as its images bear by default.
            seed: Fixes the start of the search for them.

        Example:
            >>> images = torch.rand(60, 1, 4, 4)
            >>> ImageMixture.learn(images, torch.arange(60) % 2, num_gaussians=3).centers.shape[0]
            6
        """
        rule = "ImageMixture: images must be at least 8 of shape (N, C, H, W)"
        require(images.ndim == 4 and len(images) >= 8, rule, tuple(images.shape))
        flat = images.flatten(1).numpy()
        codes = np.zeros(len(flat), np.int64) if labels is None else labels.numpy()
        rng = np.random.default_rng(seed)
        some = flat[_some(np.arange(len(flat)), rng)].astype(np.float64)
        most = max(min(MOST_DIRECTIONS, len(some) // 4, some.shape[1] - 1), 1)
        with np.errstate(invalid="ignore"):  # of equal images there is no variance
            found = PCA(most, svd_solver="randomized", random_state=seed).fit(some)
        spread = found.explained_variance_
        dim = min(int(np.searchsorted(spread.cumsum(), KEPT * spread.sum())) + 1, most)
        basis, mean = found.components_[:dim], found.mean_
        centers, factors, weights = [], [], np.zeros((int(codes.max()) + 1, 0))
        for k in range(len(weights)):
            z = (flat[_some(np.flatnonzero(codes == k), rng)] - mean) @ basis.T
            own = _gaussians(z, num_gaussians, seed)
            weights = np.pad(weights, ((0, 0), (0, len(own.weights_))))
            weights[k, -len(own.weights_) :] = own.weights_
            centers.append(own.means_)
            factors.append(np.linalg.cholesky(own.covariances_))
        arrays = mean.reshape(images.shape[1:]), basis, weights, np.concatenate(centers), np.concatenate(factors)  # fmt: skip
        return cls(*(torch.from_numpy(np.ascontiguousarray(own)).float() for own in arrays))

    @property
    def num_classes(self) -> int:
        """Classes that may be asked for; 1 where there are none."""
        return len(self.weights)

    def sample(self, labels: Tensor, *, generator: torch.Generator) -> Tensor:
        """Draw images, brightness from 0 to 1.

        Args:
            labels: Class of each, shape ``(N,)``; zeros where there are none.
            generator: Source of randomness.

        Example:
            >>> mixture = ImageMixture.learn(torch.rand(60, 1, 4, 4))
            >>> mixture.sample(torch.zeros(5, dtype=torch.long), generator=torch.Generator().manual_seed(0)).shape
            torch.Size([5, 1, 4, 4])
        """
        chosen = torch.multinomial(self.weights[labels], 1, generator=generator)[:, 0]
        noise = torch.randn(len(labels), self.basis.shape[0], generator=generator)
        z = self.centers[chosen] + torch.einsum("nij,nj->ni", self.factors[chosen], noise)
        return ((z @ self.basis).view(-1, *self.mean.shape) + self.mean).clamp(0, 1)


@takes_arrays
def jitter_images(
    images: Tensor, num_samples: int, *, width: float = 0.02, generator: torch.Generator
) -> Tensor:
    r"""Images drawn with replacement, with a little noise: what copying looks like.

    .. math:: x' = x_i + h\,\epsilon, \qquad i \sim U, \quad \epsilon \sim N(0, I)

    Args:
        images: Brightness from 0 to 1, shape ``(N, C, H, W)``.
        num_samples: How many.
        width: :math:`h`.
        generator: Source of randomness.

    Example:
        >>> jitter_images(torch.rand(5, 1, 4, 4), 8, generator=torch.Generator().manual_seed(0)).shape
        torch.Size([8, 1, 4, 4])
    """
    require(width >= 0, "jitter_images: width must be at least 0", width)
    require_whole("jitter_images", num_samples=num_samples)
    chosen = images[torch.randint(len(images), (num_samples,), generator=generator)]
    return (chosen + width * torch.randn(chosen.shape, generator=generator)).clamp(0, 1)


def _some(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rows if len(rows) <= MOST_ROWS else np.sort(rng.permutation(rows)[:MOST_ROWS])


def _gaussians(z: np.ndarray, count: int | None, seed: int) -> GaussianMixture:
    """Gaussians of codes ``(N, D)``, of which few rows bear few."""
    if len(z) < 2:  # a class of one image
        z = np.repeat(z, 2, axis=0)
    bears = min(max(len(z) // (ROWS_PER_NUMBER * z.shape[1]), 1), MOST_GAUSSIANS)
    spread = max(float(z.var(0).max()), 1e-6)
    shrink = spread * max(
        FLOOR, 0.1 * min(z.shape[1] / len(z), 1.0)
    )  # of few rows the variance is too little known
    mixture = GaussianMixture(
        min(count or bears, len(z)), reg_covar=shrink, max_iter=50, tol=1e-2, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ConvergenceWarning
        )  # of equal images, and of the last few steps
        return mixture.fit(z)
