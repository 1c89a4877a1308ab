import numpy as np
import pytest
import torch
from scipy.linalg import subspace_angles
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from gradatim.errors import InvalidValue
from gradatim.generative import LinearAutoencoder
from gradatim.randomness import seeded
from gradatim.training import Trainer

CENTRE = [8 * row + column for row in range(1, 5) for column in (2, 3, 4, 5)]
X = load_digits().data[:, CENTRE] / 16  # pixels that vary


def trained(rows, latent_dim, **arguments):
    """The minimum of the squared error, by L-BFGS on all rows."""
    with seeded(0):
        model = LinearAutoencoder(rows.shape[1], latent_dim, **arguments).double()
    optimizer = torch.optim.LBFGS(
        model.parameters(), max_iter=400, history_size=30, tolerance_grad=1e-10, tolerance_change=0, line_search_fn="strong_wolfe",
    )  # fmt: skip
    Trainer(model, "mse", optimizer, epochs=1, batch_size=len(rows), progress=False).fit((rows, rows))  # fmt: skip
    return model


@pytest.fixture(scope="module")
def model():
    return trained(X, 4)


def test_it_spans_the_principal_components(model):
    components = PCA(4).fit(X).components_
    assert subspace_angles(model.basis().numpy(), components.T).max() < 1e-3


def test_the_error_left_is_the_variance_left_out(model):
    left_out = PCA().fit(X).explained_variance_[4:].sum() * (len(X) - 1) / len(X)
    error = (model(torch.as_tensor(X)) - torch.as_tensor(X)).square().sum(1).mean()
    assert float(error.detach()) == pytest.approx(left_out, rel=1e-6)


def test_what_it_does_is_the_projection(model):
    basis = model.basis()
    whole = model.decoder.weight @ model.encoder.weight
    torch.testing.assert_close(whole.detach(), basis @ basis.T, atol=1e-3, rtol=0)


def test_without_bias_on_data_off_the_origin_it_spans_something_else():
    biasless = trained(X, 4, has_bias=False)
    singular = np.linalg.svd(X, full_matrices=False)[2][:4]
    assert subspace_angles(biasless.basis().numpy(), singular.T).max() < 1e-3
    assert subspace_angles(biasless.basis().numpy(), PCA(4).fit(X).components_.T).max() > 0.1


def test_images_come_back_as_images():
    assert LinearAutoencoder(64, 3)(torch.rand(5, 1, 8, 8)).shape == (5, 1, 8, 8)


def test_errors():
    with pytest.raises(InvalidValue, match="latent_dim must be at most input_dim=4, got 5"):
        LinearAutoencoder(4, 5)
    with pytest.raises(InvalidValue, match="input_dim must be a whole number from 1, got 0"):
        LinearAutoencoder(0, 1)
