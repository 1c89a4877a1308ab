"""What is kept beside a tensor serves whoever wants it next."""

import pytest
import torch

from gradatim.made_once import made_once
from gradatim.models import GAT, GCN, GIN, ChebNet, GraphSAGE


def test_what_was_made_in_inference_mode_can_be_trained_with():
    tensor = torch.arange(3.0)
    with torch.inference_mode():
        kept = made_once(tensor, "double", lambda: 2 * torch.ones(3))
    assert not kept.is_inference()
    assert made_once(tensor, "double", lambda: None) is kept
    tensor += 1
    assert made_once(tensor, "double", lambda: "new") == "new"


@pytest.mark.parametrize("build", [GCN, GAT, GraphSAGE, GIN, ChebNet])
def test_a_network_that_was_asked_first_is_trained_next(build):
    model, x, edges = build(3, 8, 2), torch.randn(4, 3), torch.tensor([[0, 1], [1, 0]])
    with torch.inference_mode():
        said = model.eval()(x, edges)
    model(x, edges).sum().backward()
    assert all(p.grad is not None for p in model.parameters())
    torch.testing.assert_close(model(x, edges), said.clone())
