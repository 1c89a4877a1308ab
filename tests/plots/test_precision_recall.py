"""The curve goes through the points that a loop over thresholds finds."""

import numpy as np

from gradatim.plots.precision_recall import precision_recall


def test_points_and_mark():
    rng = np.random.default_rng(0)
    score = rng.random(50).round(1)
    is_positive = rng.random(50) < score
    figure = precision_recall(is_positive, score, threshold=0.45)
    axes = figure.axes[0]
    curve = axes.lines[0].get_xydata()
    for threshold in np.unique(score):
        said = score >= threshold
        point = [(said & is_positive).sum() / is_positive.sum(), is_positive[said].mean()]
        assert np.abs(curve - point).max(1).min() < 1e-12
    said = score >= 0.45
    mark = [(said & is_positive).sum() / is_positive.sum(), is_positive[said].mean()]
    np.testing.assert_allclose(axes.lines[-1].get_xydata()[0], mark)
    assert axes.texts[0].get_text() == "threshold 0.45"
