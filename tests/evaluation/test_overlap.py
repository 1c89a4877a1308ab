"""Overlaps against sets of pixels, and the laws that bind them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, f1_score, jaccard_score

from gradatim.errors import InvalidValue
from gradatim.evaluation import count_pixels, draw_overlaps, measure_overlap

RNG = np.random.default_rng(0)


def masks(seed, images=3, side=6, classes=4):
    rng = np.random.default_rng(seed)
    return rng.integers(0, classes, (2, images, side, side))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), classes=st.integers(2, 5))
def test_the_definitions(seed, classes):
    truth, said = masks(seed, classes=classes)
    counts = count_pixels(truth, said, classes)
    for k, own in enumerate(counts):
        expected = confusion_matrix(truth[k].ravel(), said[k].ravel(), labels=range(classes))
        np.testing.assert_array_equal(own, expected)
    found = measure_overlap(counts.sum(0))
    for k in range(classes):
        a, b = ({tuple(at) for at in np.argwhere(m == k)} for m in (truth, said))
        assert found.iou[k] == pytest.approx(len(a & b) / len(a | b))
        assert found.dice[k] == pytest.approx(2 * len(a & b) / (len(a) + len(b)))
        assert found.dice[k] == pytest.approx(2 * found.iou[k] / (1 + found.iou[k]))
    assert found.accuracy == pytest.approx((truth == said).mean())
    flat = truth.ravel(), said.ravel()
    assert found.mean_iou == pytest.approx(jaccard_score(*flat, average="macro"))
    assert found.mean_dice == pytest.approx(f1_score(*flat, average="macro"))


def test_the_truth_overlaps_with_itself():
    truth, _ = masks(1)
    found = measure_overlap(count_pixels(truth, truth, 4))
    assert (found.iou == 1).all()
    assert (found.accuracy == 1).all()


def test_a_class_that_is_nowhere_is_left_out_and_one_that_is_only_said_is_wrong():
    truth, said = np.zeros((2, 1, 1, 4), dtype=int)
    said[..., 0] = 2
    found = measure_overlap(count_pixels(truth, said, 4)[0])
    np.testing.assert_array_equal(found.iou, [0.75, np.nan, 0.0, np.nan])
    assert found.mean_iou == pytest.approx(0.375)


def test_draws_of_images_spread_around_the_whole():
    truth, _ = masks(2, images=40)
    said = np.where(RNG.random(truth.shape) < 0.2, (truth + 1) % 4, truth)
    counts = count_pixels(truth, said, 4)
    whole, drawn = measure_overlap(counts.sum(0)), draw_overlaps(counts)
    low, high = np.quantile(drawn.iou, [0.025, 0.975], axis=0)
    assert (low < whole.iou).all()
    assert (whole.iou < high).all()
    equal = draw_overlaps(np.repeat(counts[:1], 5, 0), draws=7)
    assert equal.iou.std(0).max() == pytest.approx(0.0, abs=1e-15)


def test_shapes_must_agree():
    with pytest.raises(InvalidValue, match="count_pixels: said must have the shape of truth"):
        count_pixels(np.zeros((1, 2, 2), int), np.zeros((1, 2, 3), int), 2)
