"""Any function of tensors, or module, as a float64 scalar function of named variables."""

import copy
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

from gradatim.backprop.unchanged import forked_rng
from gradatim.errors import InvalidType, InvalidValue

Tensors = Tensor | Sequence[Tensor] | Mapping[str, Tensor]


class ScalarFunction:
    r"""The function :math:`E = \sum_i v_i f_i` of named float64 variables; see :func:`scalar_function`.

    Args:
        call: Maps a value for each variable to the output of :math:`f`.
        variables: Where the function is looked at, by name.
        inputs: Names of those variables that are inputs rather than parameters.
        seed: For :math:`v`; a function with one output has :math:`v=1`.
    """

    def __init__(
        self,
        call: Callable[[dict[str, Tensor]], Any],
        *,
        variables: dict[str, Tensor],
        inputs: list[str],
        seed: int,
    ) -> None:
        self.call, self.variables, self.inputs = call, variables, inputs
        self.is_batched = True
        with torch.no_grad(), forked_rng(variables.values()):
            output = call(variables)
        if not isinstance(output, Tensor) or not output.is_floating_point():
            got = output.dtype if isinstance(output, Tensor) else type(output).__name__
            raise InvalidType(f"check_gradients: f must return a real floating tensor, got {got}.")
        if not output.isfinite().all():
            raise InvalidValue(
                "check_gradients: f must be finite at the inputs, got nan or inf. Check it elsewhere."
            )
        self.outputs = output.numel()
        generator = torch.Generator().manual_seed(seed)
        v = torch.randn(output.shape, generator=generator, dtype=torch.float64)
        self.v = (torch.ones_like(v) if self.outputs == 1 else v).to(output.device)
        self.value = float((self.v * output).sum())
        self.scale = float((self.v * output).abs().sum())

    def __call__(self, variables: dict[str, Tensor]) -> Tensor:
        return (self.v * self.call(variables)).sum()

    def gradients(self) -> dict[str, Tensor]:
        """Gradient of the function by autograd; zero where the output does not depend on a variable."""
        leaves = {name: value.detach().requires_grad_() for name, value in self.variables.items()}
        with torch.enable_grad(), forked_rng(leaves.values()):
            energy = self({name: leaf.clone() for name, leaf in leaves.items()})
            pulled: Sequence[Tensor | None] = [None] * len(leaves)
            if energy.requires_grad:
                pulled = torch.autograd.grad(energy, list(leaves.values()), allow_unused=True)
        return {
            name: torch.zeros_like(leaf) if g is None else g.detach()
            for (name, leaf), g in zip(leaves.items(), pulled, strict=True)
        }

    def given(self, gradients: Tensors) -> dict[str, Tensor]:
        """Take the caller's gradients as float64, by name."""
        if self.outputs != 1:
            raise InvalidValue(
                "check_gradients: gradients must belong to a function with one output, "
                f"got {self.outputs} outputs. Check the gradient of their sum."
            )
        named = (
            gradients
            if isinstance(gradients, Mapping)
            else dict(
                zip(
                    self.inputs,
                    [gradients] if isinstance(gradients, Tensor) else gradients,
                    strict=False,
                )
            )
        )
        for name, gradient in named.items():
            if name not in self.variables:
                raise InvalidValue(
                    f"check_gradients: gradients must be named among {', '.join(self.variables)}, got {name!r}."
                )
            if gradient.shape != self.variables[name].shape:
                raise InvalidValue(
                    f"check_gradients: gradients of {name} must have shape {tuple(self.variables[name].shape)}, "
                    f"got {tuple(gradient.shape)}."
                )
        return {name: gradient.detach().double() for name, gradient in named.items()}

    def evaluate(self, name: str, points: Tensor) -> Tensor:
        """Values at many points of one variable, shape ``(K, ...)``, the others as they are: ``(K,)``."""

        def at(point: Tensor) -> Tensor:
            return self({**self.variables, name: point})

        with torch.no_grad():
            if self.is_batched:
                values = self._evaluate_together(at, name, points)
                if values is not None:
                    return values
                self.is_batched = False
            values = points.new_empty(len(points))
            for k, point in enumerate(points):
                with forked_rng([points]):
                    values[k] = at(point)
        return values

    def _evaluate_together(
        self, at: Callable[[Tensor], Tensor], name: str, points: Tensor
    ) -> Tensor | None:
        """All values at once, or ``None`` where ``vmap`` cannot do it or does not reproduce the function."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="There is a performance drop")
            try:
                with forked_rng([points]):
                    values = torch.vmap(at, randomness="same")(
                        torch.cat([self.variables[name][None], points])
                    )
            except (RuntimeError, TypeError, ValueError):
                return None
        known = torch.tensor(self.value, dtype=values.dtype, device=values.device)
        close = torch.isclose(values[0], known, rtol=1e-9, atol=1e-12 * self.scale)
        return values[1:] if close else None


def scalar_function(
    f: Callable[..., Any] | nn.Module, inputs: Tensors, *, seed: int = 0
) -> ScalarFunction:
    """Name the floating inputs of ``f``, and the parameters of a module, as variables.

    A module is copied. Inputs of a function are called as its arguments are; those of a module, and
    arguments without a name, are called ``input[0]``, ``input[1]`` and so on.

    Args:
        f: Function or module.
        inputs: Its arguments, by position or by name.
        seed: For the weights of a function with several outputs.

    Example:
        >>> scalar_function(lambda x, w: x @ w, [torch.ones(2), torch.ones(2)]).inputs
        ['x', 'w']
    """
    by_name = isinstance(inputs, Mapping)
    arguments = dict(inputs) if isinstance(inputs, Mapping) else _positional(f, inputs)
    for name, value in arguments.items():
        if not isinstance(value, Tensor):
            raise InvalidType(
                f"check_gradients: inputs must be tensors, got {type(value).__name__} for {name}."
            )
    double = {n: v.detach().double() for n, v in arguments.items() if v.is_floating_point()}
    module = copy.deepcopy(f).double() if isinstance(f, nn.Module) else None
    parameters = (
        {n: p.detach() for n, p in module.named_parameters() if p.requires_grad} if module else {}
    )

    def call(variables: dict[str, Tensor]) -> Any:
        values = {name: variables.get(name, value) for name, value in arguments.items()}
        args, named = ((), values) if by_name else (tuple(values.values()), {})
        if module is None:
            return f(*args, **named)
        return functional_call(module, {n: variables[n] for n in parameters}, args, named)

    return ScalarFunction(call, variables={**double, **parameters}, inputs=list(double), seed=seed)


def _positional(f: object, inputs: Tensor | Sequence[Tensor]) -> dict[str, Tensor]:
    values = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    names = [f"input[{position}]" for position in range(len(values))]
    if callable(f) and not isinstance(f, nn.Module):
        try:
            known = list(inspect.signature(f).parameters.values())
        except ValueError:  # built in, without a signature
            known = []
        plain = [p.name for p in known if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        names = plain[: len(values)] + names[len(plain) :]
    return dict(zip(names, values, strict=True))
