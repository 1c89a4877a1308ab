"""Figures must tell good pictures from bad ones, on pictures whose quality is known."""

import numpy as np
import pytest
import torch

from gradatim.fitting.generative.images import judging
from gradatim.fitting.generative.images.judging import Bench, as_seen, train_eye


def stripes(count, seed):
    """Upright or level stripes, with noise; the class says which."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 60, (count, 1, 8, 8))
    labels = rng.integers(0, 2, count)
    for k, label in enumerate(labels):
        place = rng.integers(0, 2)
        x[k, 0] += 150 * ((np.indices((8, 8))[label] + place) % 4 < 2)
    return torch.from_numpy(x.astype(np.uint8)), torch.from_numpy(labels)


@pytest.fixture(scope="module")
def bench():
    train, labels = stripes(400, 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "STEPS", (40, 40))
        eye = train_eye(train.float() / 255, labels, 2, 60.0, None, 0)
    return Bench(train, stripes(200, 1)[0], eye, 0)


def test_new_real_pictures_are_better_than_noise_by_every_figure(bench):
    real, labels = stripes(200, 2)
    noise = torch.randint(0, 256, real.shape, generator=torch.Generator().manual_seed(0)).to(torch.uint8)  # fmt: skip
    good, bad = (bench.judge(x, labels) for x in (real, noise))
    assert abs(good.losses.mean()) < 0.1 * bad.losses.mean()
    assert good.judged["frechet_distance"].high < bad.judged["frechet_distance"].low
    assert good.judged["precision"].low > bad.judged["precision"].high
    assert good.agreement.value > 0.95
    assert bad.agreement.value < 0.8
    assert good.judged["copying"].low < 0.5 < good.judged["copying"].high
    assert good.repeats.total == 0


def test_training_pictures_are_noticed(bench):
    copies = bench.judge(bench.train[:200], None)
    assert copies.repeats.unique == 200
    assert copies.judged["copying"].low > 0.5
    assert copies.agreement is None
    real = bench.judge(bench.train[:200], None, is_real=True)
    assert real.repeats is None
    assert "copying" not in real.judged


def test_without_classes_the_classifier_learns_turns(monkeypatch):
    monkeypatch.setattr(judging, "STEPS", (60, 60))
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.uniform(0, 0.2, (400, 1, 8, 8)).astype(np.float32))
    x[..., :3, :] += 0.8  # bright above
    eye = train_eye(x, None, 0, 60.0, None, 0)
    turned = torch.stack([own.rot90(k % 4, (1, 2)) for k, own in enumerate(x[:200])])
    said = eye.classifier(as_seen(turned)).argmax(1)
    assert float((said == torch.arange(200) % 4).float().mean()) > 0.95


def test_features_of_training_pictures_are_standard(bench):
    seen = bench.eye(bench.train.float() / 255)
    assert torch.allclose(seen.mean(0), torch.zeros(seen.shape[1]), atol=1e-4)
    spread = seen.std(0)
    assert bool(((spread - 1).abs() < 1e-3).logical_or(spread < 1e-3).all())


def test_large_pictures_are_seen_small():
    assert as_seen(torch.ones(2, 3, 64, 64)).shape == (2, 3, 32, 32)
    assert float(as_seen(torch.ones(1, 1, 8, 8)).min()) == 1.0
