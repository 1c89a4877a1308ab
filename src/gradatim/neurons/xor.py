r"""Exclusive or by hand-set ReLU weights, with and without an output bias."""

import torch

from gradatim.models import MLP


def xor_mlp(*, output_bias: bool = True) -> MLP:
    r"""Two hidden ReLU units that compute XOR under the rule "class 1 where f(x) > 0".

    .. math::
        \text{with bias: } f = (x_1+x_2)_+ - 2\,(x_1+x_2-1)_+ - \tfrac12
        \qquad
        \text{without: } f = (x_1-x_2)_+ + (x_2-x_1)_+ = |x_1-x_2|

    Args:
        output_bias: Whether the output has a bias. It is not needed, though without one the inputs of
            class 0 lie exactly on the boundary f = 0.

    Example:
        >>> corners = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
        >>> xor_mlp()(corners).flatten().tolist(), xor_mlp(output_bias=False)(corners).flatten().tolist()
        ([-0.5, 0.5, 0.5, -0.5], [0.0, 1.0, 1.0, 0.0])
    """
    if output_bias:
        values = {
            "0.weight": [[1.0, 1.0], [1.0, 1.0]],
            "0.bias": [0.0, -1.0],
            "2.weight": [[1.0, -2.0]],
            "2.bias": [-0.5],
        }
    else:
        values = {
            "0.weight": [[1.0, -1.0], [-1.0, 1.0]],
            "0.bias": [0.0, 0.0],
            "2.weight": [[1.0, 1.0]],
            "2.bias": [0.0],
        }
    with torch.random.fork_rng(devices=[]):
        model = MLP((2, 2, 1))
    model.load_state_dict({name: torch.tensor(value) for name, value in values.items()})
    return model
