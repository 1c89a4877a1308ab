"""Figures of robustness show what they are given."""

import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.plots.robust import adversarial_triples, perturbation_histogram, robustness_curves
from gradatim.plots.style import INK, PALETTE
from gradatim.robust import RobustnessCurve


@pytest.mark.parametrize("shape", [(2, 4, 5), (2, 1, 4, 5), (2, 3, 4, 5)])
def test_triples_show_image_difference_and_sum(shape):
    random = np.random.default_rng(0)
    clean = random.random(shape)
    noise = np.full(shape, 0.25)
    noise[0] = -0.5
    panels = adversarial_triples(clean, clean + noise, [(7, 2), (1, 1)]).axes
    pictures = [panel.images[0].get_array() for panel in panels[:6]]
    np.testing.assert_allclose(pictures[2], np.full((4, 5), -0.5))
    np.testing.assert_allclose(pictures[3], np.full((4, 5), 0.25))
    assert panels[2].images[0].get_clim() == (-0.5, 0.5)
    assert [panel.get_title() for panel in panels[:6]] == ["7", "1", "", "", "2", "1"]
    assert panels[4].title.get_color() == PALETTE[1]  # the answer has changed
    assert panels[5].title.get_color() == INK


def test_triples_without_noise_or_titles():
    assert len(adversarial_triples(torch.zeros(1, 8, 8), torch.zeros(1, 8, 8)).axes) == 4


def test_triples_refuse_two_shapes():
    with pytest.raises(InvalidValue, match="clean and adversarial must have one shape, got"):
        adversarial_triples(np.zeros((2, 4, 4)), np.zeros((3, 4, 4)))


def test_curves_are_in_per_cent_and_mark_a_budget():
    curve = RobustnessCurve(torch.tensor([0.0, 0.1]), torch.tensor([1.0, 0.25]))
    panel = robustness_curves({"a": curve, "b": curve}, marked=0.05).axes[0]
    first, second, mark = panel.get_lines()
    assert (first.get_label(), second.get_label()) == ("a", "b")
    assert list(first.get_ydata()) == [100, 25]
    assert list(mark.get_xdata()) == [0.05, 0.05]


def test_histogram_counts_what_it_leaves_out():
    panel = perturbation_histogram({"a": torch.tensor([0.0, 1.0, 2.0, 3.0, torch.inf])}).axes[0]
    assert sum(bar.get_height() for bar in panel.patches) == 3
    assert panel.get_legend().get_texts()[0].get_text() == "a: median 2, 1 wrong, 1 not found"
    assert list(panel.get_lines()[0].get_xdata()) == [2, 2]
