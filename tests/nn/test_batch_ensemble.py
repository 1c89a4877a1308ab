"""Members of a batch ensemble are dense layers with weights of rank-one difference."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.nn import BatchEnsembleLinear


def test_every_member_is_a_dense_layer():
    torch.manual_seed(0)
    layer = BatchEnsembleLinear(3, 2, num_members=4).double()
    with torch.no_grad():
        layer.s.normal_()
    x = torch.randn(5, 4, 3, dtype=torch.float64)
    found = layer(x)
    for k in range(4):
        weight = layer.weight * layer.s[k][:, None] * layer.r[k][None, :]
        torch.testing.assert_close(found[:, k], x[:, k] @ weight.T + layer.bias[k])
    torch.testing.assert_close(layer(x[:, 0]), layer(x[:, :1].expand(5, 4, 3)))


def test_members_begin_apart_or_equal():
    torch.manual_seed(0)
    apart, equal = (BatchEnsembleLinear(8, 2, num_members=6, start=s) for s in ("signs", "ones"))
    assert set(apart.r.unique().tolist()) == {-1.0, 1.0}
    assert len({tuple(row) for row in apart.r.tolist()}) > 1
    assert (equal.r == 1).all()
    assert (equal.s == 1).all()


def test_gradient_and_refusals():
    layer = BatchEnsembleLinear(3, 2, num_members=2).double()
    x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, x)
    with pytest.raises(InvalidValue, match=r"x must have shape \(N, 3\) or \(N, 2, 3\), got \(4, 5\)"):  # fmt: skip
        layer(torch.zeros(4, 5))
    with pytest.raises(InvalidValue, match="start must be"):
        BatchEnsembleLinear(3, 2, start="zeros")
    with pytest.raises(InvalidValue, match="num_members must be a whole number from 1, got 0"):
        BatchEnsembleLinear(3, 2, num_members=0)
