"""Values of several names and supports as one row of real numbers per chain, with the Jacobian of the way there."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.distributions import Transform, biject_to, constraints

from gradatim.bayes.density import LogDensity
from gradatim.errors import InvalidType, InvalidValue, choose, nearest_first

Values = Tensor | dict[str, Tensor]
Support = str | constraints.Constraint
SUPPORTS: dict[str, constraints.Constraint] = {
    "real": constraints.real,
    "positive": constraints.positive,
    "unit": constraints.unit_interval,
    "simplex": constraints.simplex,
}
ALONE = "theta"  # what a single tensor is called


class Part(NamedTuple):
    """The place of one name in the row.

    Args:
        name: Of the value.
        transform: From real numbers to the support; ``None`` where it is all real numbers.
        shape: Of the real numbers of a chain.
    """

    name: str
    transform: Transform | None
    shape: torch.Size


class Space:
    r"""The rows in which a sampler moves, :math:`\theta = t(u)` for real :math:`u`.

    Args:
        start: A tensor ``(C, ...)`` or several by name.
        support: Where they live, by name; for a single tensor the support alone.
    """

    def __init__(self, start: Values, support: Support | Mapping[str, Support] | None) -> None:
        self.is_alone = not isinstance(start, Mapping)
        values = _named(start)
        supports = _read_supports(support, values)
        self.parts, rows = [], []
        for name, value in values.items():
            own = supports.get(name, constraints.real)
            _check_value(name, value, own)
            transform = None if own is constraints.real else biject_to(own)
            row = value if transform is None else transform.inv(value)
            self.parts.append(Part(name, transform, row.shape[1:]))
            rows.append(row.reshape(len(row), -1))
        self.start = torch.cat(rows, 1)  # (C, d)
        self.sizes = [row.shape[1] for row in rows]
        self.is_plain = (
            self.is_alone and self.parts[0].transform is None and values[ALONE].ndim == 2
        )

    def values(self, rows: Tensor) -> tuple[dict[str, Tensor], Tensor | None]:
        r"""The values of rows ``(N, d)``, and :math:`\log\lvert\det\partial\theta/\partial u\rvert`, shape ``(N,)``."""
        found, log_jacobian = {}, None
        for part, piece in zip(self.parts, rows.split(self.sizes, 1), strict=True):
            u = piece.reshape(len(rows), *part.shape)
            found[part.name] = u if part.transform is None else part.transform(u)
            if part.transform is not None:
                own = part.transform.log_abs_det_jacobian(u, found[part.name])
                total = own.reshape(len(rows), -1).sum(1)
                log_jacobian = total if log_jacobian is None else log_jacobian + total
        return found, log_jacobian

    def density(self, log_density: Callable[[Any], Tensor], *, is_batched: bool) -> LogDensity:
        r"""The log-density of the rows, :math:`\log p(t(u))+\log\lvert\det t'(u)\rvert`."""
        each = log_density if is_batched else torch.vmap(log_density)
        if self.is_plain:
            return each

        def of_rows(rows: Tensor) -> Tensor:
            found, log_jacobian = self.values(rows)
            value = each(found[ALONE]) if self.is_alone else each(found)
            return value if log_jacobian is None else value + log_jacobian

        return of_rows

    def draws(self, rows: Tensor) -> Values:
        """The values of rows ``(C, N, d)``, as ``(C, N, ...)`` by name or alone."""
        found, _ = self.values(rows.flatten(0, 1))
        shaped = {name: value.unflatten(0, rows.shape[:2]) for name, value in found.items()}
        return shaped[ALONE] if self.is_alone else shaped


def _named(start: Values) -> dict[str, Tensor]:
    """The starting values by name, all of one real dtype, a row per chain."""
    given = dict(start) if isinstance(start, Mapping) else {ALONE: start}
    found = {str(name): torch.as_tensor(value).detach() for name, value in given.items()}
    counts = {name: len(value) if value.ndim else 0 for name, value in found.items()}
    if len(set(counts.values())) != 1 or 0 in counts.values():
        raise InvalidValue(
            f"sample: start must have a row per chain, equally many of every name, got {counts}. "
            "Try value.expand(4, ...) for four chains from one place."
        )
    if not isinstance(start, Mapping) and found[ALONE].ndim == 1:
        raise InvalidValue(
            f"sample: start must have a row per chain, shape (chains, d), got shape {tuple(found[ALONE].shape)}. "
            "Try start[None] for one chain, start[:, None] for one parameter."
        )
    real = [v.dtype for v in found.values() if v.is_floating_point()]
    dtype = max(real, key=lambda kind: torch.finfo(kind).bits, default=torch.get_default_dtype())
    return {name: value.to(dtype) for name, value in found.items()}


def _read_supports(
    support: Support | Mapping[str, Support] | None, values: Mapping[str, Tensor]
) -> dict[str, constraints.Constraint]:
    given = support if isinstance(support, Mapping) else {name: support for name in values if support}  # fmt: skip
    strangers = [name for name in given if name not in values]
    if strangers:
        known = ", ".join(nearest_first(strangers[0], values))
        raise InvalidValue(
            f"sample: support must name values of start ({known}), got {strangers[0]!r}."
        )
    return {name: _read_support(name, each) for name, each in given.items()}


def _read_support(name: str, support: Support) -> constraints.Constraint:
    if isinstance(support, str):
        return SUPPORTS[choose("sample", f"support of {name}", support, SUPPORTS)]
    if not isinstance(support, constraints.Constraint):
        raise InvalidType(
            f"sample: support of {name} must be a word or a constraint of torch.distributions, got a "
            f"{type(support).__name__}. Try 'positive'."
        )
    return support


def _check_value(name: str, value: Tensor, support: constraints.Constraint) -> None:
    is_inside = support.check(value)
    if not bool(is_inside.all()):
        words = next((word for word, each in SUPPORTS.items() if each is support), str(support))
        raise InvalidValue(
            f"sample: start of {name} must lie in its support, {words}, got {value.min():g} to {value.max():g}."
        )
