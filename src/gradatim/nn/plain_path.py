r"""Where a fast kernel ends and the plain formula takes over.

A kernel that is written out, ours or PyTorch's, gives a value and a gradient. Derivatives along a direction, batches of
``torch.func.vmap`` and the gradient of a gradient need the formula itself, in operations that PyTorch can follow.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def plain_gradients(
    plain: Callable[..., Tensor], inputs: Sequence[Tensor], grad: Tensor
) -> tuple[Tensor | None, ...]:
    """Return the gradient of a plain formula with a graph of its own, to be differentiated again.

    Args:
        plain: From tensors to a tensor, in operations that PyTorch can differentiate twice.
        inputs: What it is given.
        grad: Gradient of its result.

    Returns:
        One gradient per input, ``None`` where none is wanted.

    Example:
        >>> x = torch.tensor([3.0], requires_grad=True)
        >>> (g,) = plain_gradients(torch.square, [x], torch.ones(1))
        >>> torch.autograd.grad(g, x)
        (tensor([2.]),)
    """
    wanted = [value for value in inputs if value.requires_grad]
    found = iter(torch.autograd.grad(plain(*inputs), wanted, grad, create_graph=True))
    return tuple(next(found) if value.requires_grad else None for value in inputs)


def differentiable_twice(
    result: Tensor, kernel: str, plain: Callable[..., Tensor], inputs: Sequence[Tensor]
) -> Tensor:
    """Give the result of a kernel of PyTorch that can be differentiated once a second derivative.

    Where a graph of the gradient is asked for (``create_graph=True``), the gradient is that of ``plain``; anywhere else
    the kernel's own runs, untouched.

    Args:
        result: What the kernel returned, right after it did.
        kernel: How autograd's name of the kernel begins; any other that ran instead is left alone.
        plain: The same function of ``inputs``, in operations that PyTorch can differentiate twice.
        inputs: The first inputs of the kernel, in its order.

    Returns:
        ``result``.

    Example:
        >>> W, x = torch.eye(2, requires_grad=True), torch.tensor([[0, 1]])
        >>> bag = torch.nn.functional.embedding_bag(x, W, mode="sum")
        >>> y = differentiable_twice(bag, "EmbeddingBag", lambda W: W[x].sum(1), [W])
        >>> (g,) = torch.autograd.grad((y * y).sum(), W, create_graph=True)
        >>> torch.autograd.grad(g.sum(), W)[0]
        tensor([[4., 4.],
                [4., 4.]])
    """

    def replace(
        grad_inputs: tuple[Tensor | None, ...], grad_outputs: tuple[Tensor, ...]
    ) -> tuple[Tensor | None, ...] | None:
        if not torch.is_grad_enabled():
            return None
        found = plain_gradients(plain, inputs, grad_outputs[0])
        return *found, *grad_inputs[len(inputs) :]

    if torch.compiler.is_compiling() or result.grad_fn is None:
        return result
    if result.grad_fn.name().startswith(kernel):
        result.grad_fn.register_hook(replace)
    return result


def at_least_single(x: Tensor) -> Tensor:
    """Return ``x`` in single precision where it has less, for what half precision cannot hold.

    Example:
        >>> at_least_single(torch.ones(1, dtype=torch.bfloat16)).dtype
        torch.float32
    """
    return x.to(torch.promote_types(x.dtype, torch.float32))
