"""What the experiments on autoencoders compare with, by hand."""

import pytest
import torch

from gradatim.experiments.generative import posterior_collapse, vae_mnist
from gradatim.experiments.generative.pca_is_linear_autoencoder import turned_loss


def test_turned_by_a_right_angle_the_other_component_is_kept():
    rows = torch.randn(50, 3, dtype=torch.float64) * torch.tensor([3.0, 2.0, 1.0])
    directions = torch.eye(3, dtype=torch.float64)
    for turn, left_out in ((0.0, 1), (torch.pi / 2, 2)):
        loss = turned_loss(rows, directions, torch.tensor(turn), leaving=2, entering=1)
        assert float(loss) == pytest.approx(float(rows[:, left_out].square().mean()) / 2)


def test_the_expected_log_likelihood_is_that_of_many_draws():
    rows = posterior_collapse.draw_rows(posterior_collapse.Settings(rows=20))
    vae = posterior_collapse.train_linear(rows, 1.0, posterior_collapse.Settings(rows=20, steps=3))
    with torch.no_grad():
        drawn = posterior_collapse.elbo(vae, rows, samples=50_000).log_likelihood
        exact = posterior_collapse.expected_log_likelihood(vae, rows)
    torch.testing.assert_close(drawn, exact, rtol=0.02, atol=0.02)


def test_the_divergences_of_theory_by_hand():
    found = posterior_collapse.predicted_divergences(torch.tensor([0.8, 0.2, 0.1]), 1.0)
    torch.testing.assert_close(found, torch.tensor([4.0, 1.0, 1.0]).log() / 2)


def test_a_decoder_of_images_begins_with_their_mean():
    train = torch.rand(40, 784)
    settings = vae_mnist.Settings(hidden=(8,))
    vae = vae_mnist.build(train, 3, settings)
    with torch.no_grad():
        vae.decoder[-1].weight.zero_()
    torch.testing.assert_close(vae.decode(torch.randn(1, 3)).sigmoid()[0], train.mean(0))


def test_both_stages_of_training_raise_the_bound():
    train = (torch.rand(300, 1) < 0.5).float() * torch.ones(784)
    settings = vae_mnist.Settings(hidden=(8,), epochs=6, weighted_epochs=3)
    vae = vae_mnist.build(train, 3, settings)
    before = posterior_collapse.elbo(vae, train).bound.mean()
    minutes = vae_mnist.train_vae(vae, train, settings)
    assert posterior_collapse.elbo(vae, train).bound.mean() > before + 100
    assert 0 < minutes < 1
