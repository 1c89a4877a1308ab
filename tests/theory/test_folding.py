import numpy as np
import pytest
import torch

from gradatim.theory import count_regions, folding_network, montufar
from gradatim.theory.polygons import area


@pytest.mark.parametrize(
    ("n", "width", "depth"),
    [(1, 1, 1), (1, 3, 3), (1, 5, 4), (2, 2, 3), (2, 4, 1), (2, 4, 3), (2, 5, 3), (2, 9, 2)],
)
def test_reaches_montufars_bound(n, width, depth):
    net = folding_network(n, width, depth)
    assert net.sizes == (n, *[width] * depth, 1)
    regions = count_regions(net, ((0.0, 1.0),) * n)
    assert regions.count == montufar(n, width, depth)
    if n == 2:
        assert area(regions.vertices).min() > 1e-6  # none is an artefact of rounding


def test_folds_lay_the_square_on_itself():
    net = folding_network(2, 4, 2)
    x = torch.rand(200, 2, dtype=torch.float64)
    # floor(4/2) = 2 folds per coordinate: mirror images about the middle agree
    torch.testing.assert_close(net(x), net(1 - x))
    torch.testing.assert_close(net(x), net(torch.stack((x[:, 0], 1 - x[:, 1]), dim=1)))


def test_zigzag_of_three_folds():
    net = folding_network(1, 3, 2)
    x = np.linspace(0, 1, 301)
    folded = np.abs((3 * x + 1) % 2 - 1)
    shallow = folding_network(1, 3, 1)
    torch.testing.assert_close(
        net(torch.tensor(x)[:, None]), shallow(torch.tensor(folded)[:, None])
    )


@pytest.mark.parametrize(("n", "width", "depth"), [(3, 6, 1), (2, 1, 1), (1, 3, 0)])
def test_refuses(n, width, depth):
    with pytest.raises(ValueError, match="folding_network: n must be 1 or 2, width >= n and depth"):
        folding_network(n, width, depth)
