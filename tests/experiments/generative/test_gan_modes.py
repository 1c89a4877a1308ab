"""Clouds are counted rightly."""

import pytest
import torch

from gradatim.experiments.generative.gan_modes import MODES, centres, draw_ring, look


def test_centres_lie_evenly_on_a_circle():
    found = centres()
    torch.testing.assert_close(found.norm(dim=1), torch.ones(MODES))
    torch.testing.assert_close((found - found.roll(1, 0)).norm(dim=1), torch.full((MODES,), 0.76537), atol=1e-4, rtol=0)  # fmt: skip


def test_data_are_in_all_clouds_evenly():
    found = look(draw_ring(1000, torch.Generator().manual_seed(0)))
    assert found.modes == MODES
    assert found.share > 0.99  # exp(-8) of a cloud are more than four deviations away


@pytest.mark.parametrize(("rows", "modes"), [(13, 1), (12, 0)])
def test_a_cloud_needs_a_tenth_of_its_share(rows, modes):
    samples = torch.cat([centres()[:1].expand(rows, 2), torch.zeros(1000 - rows, 2)])
    assert look(samples) == (modes, rows / 1000)
