import pytest
import torch
from torch.func import functional_call, jacrev

from gradatim.models import MLP
from gradatim.nn import activation as build_activation
from gradatim.theory.stacked_mlp import layer_views, outputs_and_jacobian


@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "relu", "gelu", "identity"])
@pytest.mark.parametrize("sizes", [(1, 4, 1), (2, 3, 5, 1), (3, 2, 2, 2, 1)])
def test_equals_one_module_at_a_time_and_autograd(sizes, activation):
    models = [MLP(sizes, activation=activation).double() for _ in range(3)]
    params = torch.stack(
        [torch.cat([p.detach().flatten() for p in m.parameters()]) for m in models]
    )
    x = torch.randn(7, sizes[0], dtype=torch.float64)
    outputs, jacobian = outputs_and_jacobian(params, sizes, build_activation(activation), x)
    for replica, model in enumerate(models):
        torch.testing.assert_close(outputs[replica], model(x).squeeze(1))
        weights = {name: p.detach() for name, p in model.named_parameters()}
        blocks = jacrev(lambda w, m=model: functional_call(m, w, (x,)).squeeze(1))(weights)
        expected = torch.cat([blocks[name].flatten(1) for name in weights], dim=1)
        torch.testing.assert_close(jacobian[replica], expected)


def test_views_share_memory_with_the_flat_parameters():
    params = torch.zeros(2, 4 + 2 + 2 + 1)
    layer_views(params, (2, 2, 1))[1][1].fill_(5.0)
    assert params[:, -1].tolist() == [5.0, 5.0]
    assert params[:, :-1].abs().sum() == 0
