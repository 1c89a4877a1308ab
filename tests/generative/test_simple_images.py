import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.generative import ImageMixture, jitter_images


def draws(seed=0):
    return torch.Generator().manual_seed(seed)


def plane(rows=4000, seed=0):
    """Images on a plane through pixel space, with a known mean and covariance; brightness stays well inside [0, 1]."""
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(16, 2)))[0].T
    z = rng.normal(size=(rows, 2)) * (0.12, 0.06)
    return torch.from_numpy((0.5 + z @ basis).reshape(rows, 1, 4, 4)).float()


def test_a_single_gaussian_has_the_mean_and_the_covariance_of_the_images():
    images = plane()
    mixture = ImageMixture.learn(images, num_gaussians=1)
    assert mixture.basis.shape[0] <= 2
    made = mixture.sample(torch.zeros(20_000, dtype=torch.long), generator=draws())
    assert torch.allclose(made.mean(0), images.mean(0), atol=5e-3)
    found, wanted = (torch.cov(x.flatten(1).T) for x in (made, images))
    assert (found - wanted).norm() < 0.06 * wanted.norm()


def test_gaussians_of_a_mixture_find_its_clusters():
    centers = torch.tensor([0.2, 0.8])
    parts = torch.randint(2, (2000,), generator=draws())
    images = centers[parts].view(-1, 1, 1, 1) + 0.02 * torch.randn(2000, 1, 4, 4, generator=draws())
    mixture = ImageMixture.learn(images, num_gaussians=2)
    made = mixture.sample(torch.zeros(5000, dtype=torch.long), generator=draws()).mean((1, 2, 3))
    near = (made.view(-1, 1) - centers).abs().min(1)
    assert float(near.values.max()) < 0.15
    assert abs(float(near.indices.double().mean()) - float(parts.double().mean())) < 0.03


def test_every_class_has_gaussians_of_its_own():
    labels = torch.arange(300) % 3
    images = (0.25 * (labels + 1)).view(-1, 1, 1, 1) + 0.02 * torch.randn(
        300, 3, 4, 4, generator=draws()
    )
    mixture = ImageMixture.learn(images, labels)
    assert mixture.num_classes == 3
    assert torch.allclose(mixture.weights.sum(1), torch.ones(3))
    for k in range(3):
        made = mixture.sample(torch.full((500,), k), generator=draws())
        assert made.shape == (500, 3, 4, 4)
        assert abs(float(made.mean()) - 0.25 * (k + 1)) < 0.02


@pytest.mark.parametrize("images", [torch.full((20, 1, 4, 4), 0.3), torch.zeros(8, 1, 8, 8)])
def test_equal_images_stay_what_they_are(images):
    made = ImageMixture.learn(images).sample(torch.zeros(9, dtype=torch.long), generator=draws())
    assert torch.allclose(made, images[:1].expand_as(made), atol=0.01)


def test_equal_seeds_give_equal_mixtures():
    images = plane(200)
    first, again = (ImageMixture.learn(images, seed=1) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(vars(first).values(), vars(again).values(), strict=True))  # fmt: skip


def test_jittered_images_are_images_with_noise_of_that_width():
    images = plane(50)
    made = jitter_images(images, 2000, width=0.01, generator=draws())
    gaps = torch.cdist(made.flatten(1), images.flatten(1)).min(1).values
    assert abs(float(gaps.square().mean()) - 16 * 0.01**2) < 0.1 * 16 * 0.01**2
    still = jitter_images(images, 30, width=0.0, generator=draws())
    assert all((own == images).flatten(1).all(1).any() for own in still)


def test_what_cannot_be_learned():
    with pytest.raises(InvalidValue, match=r"images must be at least 8 of shape \(N, C, H, W\), got \(3, 1, 4, 4\)"):  # fmt: skip
        ImageMixture.learn(torch.rand(3, 1, 4, 4))
    with pytest.raises(InvalidValue, match=r"width must be at least 0, got -1"):
        jitter_images(torch.rand(3, 1, 4, 4), 2, width=-1.0, generator=draws())
