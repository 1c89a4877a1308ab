"""The networks that pairs of processes train are those that the tables name."""

import pytest
from benchmarks.contestants.scaling.task import make_task


@pytest.mark.parametrize(
    ("network", "parameters"),
    [
        ("mlp", 784 * 256 + 256 + 256 * 128 + 128 + 128 * 10 + 10),
        ("resnet20", 269_722),  # 0.27 million: He et al. 2016, table 6
        ("gpt", 3_241_728),
    ],
)
def test_the_networks_are_as_large_as_they_are_said_to_be(network, parameters):
    model = make_task(network, 1).model()
    assert sum(p.numel() for p in model.parameters()) == parameters
