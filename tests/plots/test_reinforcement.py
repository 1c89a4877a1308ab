"""Maps, curves over seeds and poles show what they are given."""

import numpy as np
import pytest

from gradatim.errors import GradatimError
from gradatim.evaluation import bootstrap_band
from gradatim.plots import GridPanel, SeedCurves, grid_panels, pole_frames, return_curves


def test_a_map_shows_values_arrows_and_the_walk():
    panel = GridPanel("Maze", ["S.", "#G"], [0.5, 1.0, 0.0, 0.0], [1, 2, 0, 0], [0, 1, 3])
    axis = grid_panels([panel, panel._replace(values=None, policy=None, path=())]).axes[0]
    image = axis.get_images()[0].get_array()
    assert np.isnan(np.ma.filled(image, np.nan)).tolist() == [[False, False], [True, True]]
    assert axis.get_lines()[0].get_xydata().tolist() == [[0, 0], [1, 0], [1, 1]]
    assert [text.get_text() for text in axis.texts if text.get_text()] == ["S", "G"]
    assert axis.get_title() == "Maze"


def test_curves_are_the_band_and_the_marks():
    returns = np.random.default_rng(0).normal(size=(6, 3))
    axis = return_curves({"PPO": SeedCurves([1, 2, 3], returns)}, best=5.0, random=-1.0).axes[0]
    lines = {line.get_label(): line.get_ydata() for line in axis.get_lines()}
    np.testing.assert_allclose(lines["PPO"], bootstrap_band(returns).mean)
    assert lines["best possible"][0] == 5.0
    assert lines["random policy"][0] == -1.0


def test_a_pole_leans_as_it_is_told():
    axis = pole_frames([[1.0, 0.0, np.pi / 2, 0.0]], ["now"]).axes[0]
    x, y = axis.get_lines()[1].get_xydata().T
    assert x.tolist() == pytest.approx([1.0, 2.6])
    assert y.tolist() == pytest.approx([0.1, 0.1])


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: grid_panels([]), "grid_panels: panels must hold at least one"),
        (lambda: return_curves({}), "return_curves: curves must hold at least one"),
        (lambda: return_curves({"a": SeedCurves([1], [[1.0]] * 4)}), "at least 5 rows"),
        (lambda: pole_frames([[0.0] * 3], ["a"]), "pole_frames: states must have shape"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, words):
    with pytest.raises(GradatimError, match=words):
        draw()
