"""Softmax and densities that somebody wrote out, as the autograd graph shows them."""

from typing import Any

from gradatim.doctor.nodes import children, saved, short

Node = Any
SHAPES = {"view", "unsafeview", "reshapealias", "unsqueeze", "squeeze", "expand"}


def normalized(node: Node) -> tuple[str, int | None, Node] | None:
    r"""Name, axis and scores of a softmax written as :math:`e^z/\sum e^z`, or of its logarithm :math:`z-\log\sum e^z`.

    Args:
        node: The quotient or the difference.

    Example:
        >>> import torch
        >>> z = torch.zeros(4, 3, requires_grad=True)
        >>> normalized((z - z.exp().sum(0).log()).grad_fn)[:2]
        ('logsoftmax', 0)
        >>> normalized((z.exp() / z.exp().sum(1, keepdim=True)).grad_fn)[:2]
        ('softmax', 1)
    """
    operands = [child for child, _ in node.next_functions]
    if len(operands) != 2 or operands[0] is None or operands[1] is None:
        return None
    below = _unshaped(operands[1])
    if short(node) == "sub" and short(below) == "logsumexp":
        return "logsoftmax", _axis(below), operands[0]
    if short(node) == "sub" and short(below) == "log" and children(below):
        below = _unshaped(children(below)[0])
        return ("logsoftmax", _axis(below), operands[0]) if _is_sum_of_exp(below) else None
    if short(node) == "div" and short(operands[0]) == "exp" and _is_sum_of_exp(below):
        return "softmax", _axis(below), children(operands[0])[0]
    return None


def is_log_density(node: Node) -> bool:
    r"""Whether a node is :math:`-\frac{(x-\mu)^2}{2\sigma^2} - \log\sigma - c`, the logarithm of a normal density.

    >>> import torch
    >>> mean = torch.zeros(3, requires_grad=True)
    >>> is_log_density(torch.distributions.Normal(mean, mean.exp()).log_prob(torch.ones(3)).grad_fn)
    True
    """
    for _ in range(3):
        if short(node) != "sub" or not children(node):
            break
        node = children(node)[0]
    if short(node) not in {"div", "mul"} or not children(node):
        return False
    top = children(node)[0]
    return short(top) == "neg" and bool(children(top)) and is_square(children(top)[0])


def is_square(node: Node) -> bool:
    """Whether a node is the square of a difference."""
    inner = children(node)
    return bool(inner) and short(node) == "pow" and saved(node, "exponent") == 2 and short(inner[0]) == "sub"  # fmt: skip


def _unshaped(node: Node) -> Node:
    while short(node) in SHAPES and len(children(node)) == 1:
        node = children(node)[0]
    return node


def _is_sum_of_exp(node: Node) -> bool:
    inner = children(node)
    return short(node) == "sum" and len(inner) == 1 and short(inner[0]) == "exp"


def _axis(node: Node) -> int | None:
    axes = saved(node, "dim")
    if not isinstance(axes, tuple | list) or len(axes) != 1:
        return None
    axis = int(axes[0])
    return axis - 2**64 if axis > 2**32 else axis
