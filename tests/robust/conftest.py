"""Small classifiers to attack, and a witness that they are left as they were."""

import copy

import pytest
import torch
from torch import nn

from gradatim.randomness import seeded


def make_network(seed=0, classes=3, d=6, dtype=torch.float64):
    """A network with the layers that react to training mode, untrained, whose classes are about equally frequent."""
    with seeded(seed):
        network = nn.Sequential(
            nn.Linear(d, 16), nn.BatchNorm1d(16), nn.Tanh(), nn.Dropout(0.3), nn.Linear(16, classes)
        )
        with torch.no_grad():
            scores = network.eval()(torch.rand(200, d))
            network[-1].bias -= scores.mean(0)
            network[-1].weight /= scores.std()
            network[-1].bias /= scores.std()
    return network.train().to(dtype)


def make_samples(seed=0, classes=3, d=6, rows=8, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(rows, d, dtype=dtype, generator=generator)
    return x, torch.randint(0, classes, (rows,), generator=generator)


@pytest.fixture
def network():
    return make_network()


@pytest.fixture
def samples():
    return make_samples()


@pytest.fixture
def witness():
    """Call it with a model, attack, and call what it returned: it checks that nothing has changed."""

    def watch(model):
        state = copy.deepcopy(model.state_dict())
        for parameter in model.parameters():
            parameter.grad = torch.full_like(parameter, 0.5)
        modes = [module.training for module in model.modules()]
        flags = [parameter.requires_grad for parameter in model.parameters()]
        places = [parameter.data_ptr() for parameter in model.parameters()]
        rng = torch.get_rng_state()

        def check():
            for name, value in model.state_dict().items():
                assert torch.equal(value, state[name]), name
            for parameter in model.parameters():
                assert torch.equal(parameter.grad, torch.full_like(parameter, 0.5))
            assert [module.training for module in model.modules()] == modes
            assert [parameter.requires_grad for parameter in model.parameters()] == flags
            assert [parameter.data_ptr() for parameter in model.parameters()] == places
            assert torch.equal(torch.get_rng_state(), rng)

        return check

    return watch
