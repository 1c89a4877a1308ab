r"""A network of threshold units for any Boolean function."""

from collections.abc import Sequence

import torch
from torch import Tensor

from gradatim.errors import InvalidValue, require
from gradatim.neurons.threshold import ThresholdNetwork, binary_inputs

MAX_INPUTS = 12


def boolean_network(
    truth_table: Sequence[int] | Sequence[Sequence[int]] | Tensor,
) -> ThresholdNetwork:
    r"""Build a two-layer network of threshold units that computes a Boolean function.

    A hidden unit detects one input pattern :math:`p`: weight :math:`+1` where :math:`p_i = 1`, :math:`-1`
    where :math:`p_i = 0`, threshold :math:`\sum_i p_i`, which only :math:`p` itself reaches. The output
    fires when any detected pattern of value 1 is present (weights :math:`+1`, threshold 1), or, where
    fewer patterns have value 0, when none of those is (weights :math:`-1`, threshold 0). All weights are
    :math:`\pm 1`, as McCulloch and Pitts have them, and at most :math:`2^{n-1}` units are hidden for one
    function.

    Args:
        truth_table: Zeros and ones, shape ``(2**n,)`` with ``n`` up to 12: the value for each row of
            :func:`binary_inputs`. Shape ``(m, 2**n)`` gives a network with ``m`` outputs.

    Returns:
        A network from ``(..., n)`` to ``(..., m)``.

    Example:
        >>> xor = boolean_network([0, 1, 1, 0])
        >>> xor(binary_inputs(2)).T
        tensor([[0., 1., 1., 0.]])
        >>> every = torch.cartesian_prod(*[torch.tensor([0, 1])] * 4)  # the 16 functions of two inputs
        >>> bool((boolean_network(every)(binary_inputs(2)).T == every).all())
        True
    """
    table = torch.as_tensor(truth_table)
    table = table[None] if table.ndim == 1 else table  # (m, 2**n)
    inputs = binary_inputs(_num_inputs(table))  # (2**n, n)
    ones = table.to(inputs.dtype)
    mostly_ones = ones.mean(dim=1) > 0.5  # (m,)
    listed = torch.where(mostly_ones[:, None], 1 - ones, ones)
    used = listed.any(dim=0)
    used[0] |= not used.any()  # a constant needs no detector, but a layer needs a unit
    sign = torch.where(mostly_ones, -1.0, 1.0)
    hidden = (2 * inputs[used] - 1, inputs[used].sum(dim=1))
    output = (sign[:, None] * listed[:, used], torch.where(mostly_ones, 0.0, 1.0))
    return ThresholdNetwork([hidden, output])


def _num_inputs(table: Tensor) -> int:
    length = table.shape[-1] if table.ndim == 2 and len(table) else 0
    n = length.bit_length() - 1
    if length != 2 ** max(n, 0) or not 1 <= n <= MAX_INPUTS:
        raise InvalidValue(
            "boolean_network: truth_table must have a power of two of values, from 2 to "
            f"{2**MAX_INPUTS}, got shape {tuple(table.shape)}."
        )
    rule = "boolean_network: truth_table must hold zeros and ones"
    require(((table == 0) | (table == 1)).all(), rule, sorted(set(table.flatten().tolist()))[:5])
    return n
