"""A linear head on published features: against scikit-learn, as part of the network, and what is chosen."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler

from gradatim.fitting.images.heads import (
    PIXEL_MEAN,
    PIXEL_STD,
    Head,
    fit_head,
    put_on,
    read_features,
    read_out,
    with_head,
)
from gradatim.fitting.learning import read_target
from gradatim.models import MobileNetV2, ResNet

RNG = np.random.default_rng(0)
IMAGES = RNG.integers(0, 256, (7, 40, 40, 3), dtype=np.uint8)


def build(width=0.25):
    torch.manual_seed(0)
    return MobileNetV2(9, width=width).eval()


def features(rows=120, dim=10):
    X = RNG.normal(size=(rows, dim)) * RNG.uniform(0.1, 5.0, dim) + RNG.normal(size=dim)
    return X[:, None, :]


@pytest.mark.parametrize("module", [build(), ResNet(18, 4).eval()])
def test_features_are_what_the_readout_reads(module):
    found = read_features(module, IMAGES, 32)
    pixels = torch.from_numpy(IMAGES).permute(0, 3, 1, 2).float()
    pixels = torch.nn.functional.interpolate(pixels, size=(32, 32), mode="bilinear", antialias=True)
    mean, std = (torch.tensor(v)[:, None, None] for v in (PIXEL_MEAN, PIXEL_STD))
    with torch.no_grad():
        logits = module((pixels - mean) / std)
        ours = module.readout(torch.from_numpy(found))
    torch.testing.assert_close(ours, logits, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("task", ["classes", "two", "tags", "values"])
def test_heads_are_linear_models_of_standardized_features(task):
    F = features()
    X = F[:, 0]
    scores = X @ RNG.normal(size=(10, 3))
    y = {"classes": scores.argmax(1), "two": (scores[:, 0] > 0).astype(int), "tags": (scores > 0).astype(int), "values": 3 + 2 * scores[:, 0]}[task]  # fmt: skip
    classes = {"classes": 3, "two": 2, "tags": 3, "values": 0}[task]
    target = read_target(y, classes)
    head = fit_head([F], y, target, 0, chosen=Head(np.zeros(0), np.zeros(0), 10.0))
    Z = StandardScaler().fit_transform(X)
    logits = X @ head.weight.T + head.bias
    said = target.decode(logits)
    if task == "values":
        theirs = Ridge(10.0).fit(Z, y).predict(Z)
        np.testing.assert_allclose(said, theirs, rtol=1e-6)
    elif task == "tags":
        fitted = [LogisticRegression(C=0.1, max_iter=500).fit(Z, own) for own in y.T]
        theirs = np.stack([own.predict_proba(Z)[:, 1] for own in fitted], 1)
        np.testing.assert_allclose(said, theirs, atol=5e-3)
    else:
        theirs = LogisticRegression(C=0.1, max_iter=500).fit(Z, y).predict_proba(Z)
        np.testing.assert_allclose(said, theirs, atol=5e-3)


def test_a_fold_without_a_class_or_a_label_still_has_a_head():
    F = features(60)
    y = (F[:, 0, 0] > 0).astype(int)
    head = fit_head([F], y, read_target(np.append(y, 2), 3), 0)
    assert head.weight.shape == (3, 10)
    tags = np.stack([y, np.zeros(60, int)], 1)
    said = read_target(tags, 2).decode(F[:, 0] @ (h := fit_head([F], tags, read_target(tags, 2), 0)).weight.T + h.bias)  # fmt: skip
    assert said[:, 1].max() < 0.05


def test_the_network_with_a_head_says_the_same_bits_as_the_head_on_kept_features():
    module = build()
    kept = read_features(module, IMAGES, 32)
    y = np.array([0, 1, 2, 0, 1, 2, 0])
    head = Head(RNG.normal(size=(3, kept.shape[1])), RNG.normal(size=3), 1.0)
    network = with_head(module, head, y, read_target(y, 3), 32, 1)
    np.testing.assert_array_equal(network.say([read_out(network, kept)]), network.outputs(IMAGES))
    assert module.readout.out_features == 9  # the published one stays as it was
    assert put_on(module, head).num_classes == 3


def test_mirror_images_are_looked_at_only_where_that_helps():
    signal = 2.0 * RNG.normal(size=(2000, 1, 4))
    y = (signal[:, 0, 0] > 0).astype(int)
    noise = [signal + 2.0 * RNG.normal(size=signal.shape) for _ in range(2)]
    target = read_target(y, 2)
    assert fit_head(noise, y, target, 0).views == 2  # another look at the same
    wrong = [signal, -3.0 * signal]
    assert fit_head(wrong, y, target, 0).views == 1  # a look that says the opposite


def test_strong_penalties_are_chosen_for_noise_and_weak_ones_for_signal():
    X = RNG.normal(size=(200, 1, 30))
    random = RNG.integers(0, 2, 200)
    clear = (X[:, 0] @ RNG.normal(size=30) > 0).astype(int)
    noisy = fit_head([X], random, read_target(random, 2), 0).penalty
    assert noisy > fit_head([X], clear, read_target(clear, 2), 0).penalty
