import numpy as np
import torch

from gradatim.bayes import Trace
from gradatim.plots import chain_figure


def test_chains_and_ranks_side_by_side():
    draws = torch.randn(3, 200, 2, generator=torch.Generator().manual_seed(0))
    figure = chain_figure(Trace(draws, {}, 0.1), ["theta[1]"])
    left, right = figure.axes
    assert left.get_ylabel() == "theta[1]"
    np.testing.assert_allclose(left.lines[2].get_ydata(), draws[2, :, 1])
    counts = [patch.get_data().values for patch in right.patches if hasattr(patch, "get_data")]
    assert len(counts) == 3
    assert [values.sum() for values in counts] == [200] * 3
    np.testing.assert_array_equal(np.sum(counts, 0), [600 / 20] * 20)  # every rank once


def test_a_chain_above_the_others_has_the_high_ranks():
    draws = torch.randn(2, 100, 1, generator=torch.Generator().manual_seed(0))
    draws[1] += 10
    _, right = chain_figure(Trace(draws, {}, 0.1)).axes
    low, high = [patch.get_data().values for patch in right.patches if hasattr(patch, "get_data")]
    assert low[:10].sum() == high[10:].sum() == 100


def test_one_draw_can_be_drawn(tmp_path):
    chain_figure(Trace(torch.zeros(1, 1, 1), {}, 0.1)).savefig(tmp_path / "one.png")
    assert (tmp_path / "one.png").stat().st_size > 1000
