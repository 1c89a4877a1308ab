"""Groups make anything invariant."""

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.instruments import equivariance_error
from gradatim.nn import Invariant, dihedral_group, reflection, rotation_group, translation_group

X = torch.randn(3, 2, 12, 12, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


@pytest.mark.parametrize("reduce", ["max", "mean"])
@pytest.mark.parametrize("group", [rotation_group(), dihedral_group(), translation_group(12, 12)])
def test_any_function_becomes_invariant(group, reduce):
    torch.manual_seed(0)
    dense = nn.Sequential(nn.Flatten(), nn.Linear(288, 3)).double()
    model = Invariant(dense, group, reduce=reduce)
    for transform in group[1:4]:
        assert equivariance_error(model, transform, X, on_output=lambda y: y) < 1e-14
        assert equivariance_error(dense, transform, X, on_output=lambda y: y) > 0.1


def test_invariant_takes_the_best_or_the_mean_and_is_a_module():
    first = lambda x: x[:, 0]  # noqa: E731
    x = torch.tensor([[1.0, 5.0, 3.0]])
    assert Invariant(first, translation_group(3))(x).item() == 5.0
    assert Invariant(first, translation_group(3), reduce="mean")(x).item() == 3.0
    model = Invariant(nn.Linear(4, 2), [reflection(), lambda x: x])
    assert sum(p.numel() for p in model.parameters()) == 10
    model(torch.randn(3, 4)).sum().backward()
    assert all(p.grad is not None for p in model.parameters())


def test_errors():
    with pytest.raises(InvalidValue, match=r"group must hold a transformation, got none"):
        Invariant(nn.Flatten(), [])
    with pytest.raises(InvalidValue, match=r"reduce must be one of .*got 'sum'"):
        Invariant(nn.Flatten(), rotation_group(), reduce="sum")
