import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.evaluation import TemperatureScaling, expected_calibration_error


def draw(count=4000, classes=3, temperature=1.0, seed=0):
    """Logits, and classes drawn with the probabilities of the logits divided by a temperature."""
    source = np.random.default_rng(seed)
    logits = 2 * source.normal(size=(count, classes))
    p = torch.softmax(torch.from_numpy(logits) / temperature, 1).numpy()
    y = (p.cumsum(1) < source.random((count, 1))).sum(1)
    return logits, p, y


def test_the_error_by_a_loop():
    _, p, y = draw(500)
    total = 0.0
    for low in np.linspace(0, 1, 11)[:-1]:
        rows = [n for n in range(500) if low < p[n].max() <= low + 0.1 + 1e-12]
        if rows:
            right = np.mean([p[n].argmax() == y[n] for n in rows])
            total += len(rows) / 500 * abs(right - np.mean([p[n].max() for n in rows]))
    assert expected_calibration_error(p, y, bins=10) == pytest.approx(total)


def test_calibrated_probabilities_have_a_small_error_and_sharpened_ones_a_large_one():
    logits, p, y = draw(20_000)
    assert expected_calibration_error(p, y) < 0.02
    sure = torch.softmax(3 * torch.from_numpy(logits), 1).numpy()
    assert expected_calibration_error(sure, y) > 0.1


def test_one_part_is_the_gap_of_the_means():
    _, p, y = draw(100)
    expected = abs((p.argmax(1) == y).mean() - p.max(1).mean())
    assert expected_calibration_error(p, y, bins=1) == pytest.approx(expected)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_the_temperature_of_the_data_is_found(temperature):
    logits, _, y = draw(20_000, temperature=temperature)
    scaling = TemperatureScaling().fit(logits, y)
    assert scaling.temperature_ == pytest.approx(temperature, rel=0.05)
    assert expected_calibration_error(scaling.predict_proba(logits), y) < 0.02


def test_the_loss_is_stationary_there():
    logits, _, y = draw(300, temperature=2.0)
    found = TemperatureScaling().fit(logits, y).temperature_
    T = torch.tensor(found, dtype=torch.float64, requires_grad=True)
    torch.nn.functional.cross_entropy(torch.from_numpy(logits) / T, torch.from_numpy(y)).backward()
    assert abs(T.grad.item()) < 1e-5


def test_classes_keep_their_order():
    logits, _, y = draw(200)
    scaled = TemperatureScaling().fit(logits, y).predict_proba(logits)
    assert (scaled.argmax(1) == logits.argmax(1)).all()
    np.testing.assert_allclose(scaled.sum(1), 1.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: expected_calibration_error([[1.0, 0.0]], [2]), "y must hold whole numbers from 0 to 1, got int64 from 2 to 2"),
        (lambda: expected_calibration_error([[1.0, 0.0]], [0.5]), "y must hold whole numbers"),
        (lambda: expected_calibration_error([[1.0, 0.0]], [0, 1]), r"shape \(N,\), N from 1, got \(1, 2\) and \(2,\)"),
        (lambda: expected_calibration_error([[1.0, 0.0]], [0], bins=0), "bins must be at least 1, got 0"),
        (lambda: TemperatureScaling().fit([[np.nan, 0.0]], [0]), "TemperatureScaling: rows must be finite"),
        (lambda: TemperatureScaling().predict_proba([[1.0]]), "fit must come first"),
    ],
)  # fmt: skip
def test_what_is_refused(call, words):
    with pytest.raises(InvalidValue, match=words):
        call()
