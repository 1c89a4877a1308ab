"""The memory of a process that trains: weights, gradients, moments of Adam, activations."""

from typing import NamedTuple

from gradatim.errors import choose
from gradatim.scaling.checks import PRECISIONS, check_parallel, check_positive, check_whole

WEIGHT_BYTES, GRADIENT_BYTES, OPTIMIZER_BYTES = 4, 4, 8  # float32; Adam keeps two moments
LAYER_BYTES = {"float32": 66, "bf16": 34, "fp16": 34}  # per token and unit of width


class Memory(NamedTuple):
    """Bytes of one process."""

    weights: float
    gradients: float
    optimizer: float
    activations: float

    @property
    def total(self) -> float:
        """All of them."""
        return self.weights + self.gradients + self.optimizer + self.activations


def memory_per_process(
    parameters: float, processes: int = 1, *, parallel: str = "ddp", activations: float = 0.0
) -> Memory:
    r"""Bytes that a process needs to train with Adam: 16 per parameter, divided by the processes where they share.

    .. math:: M = \frac{(4 + 4 + 8)\,P}{S} + A, \qquad S = N \text{ if sharded, else } 1

    Weights, gradients and both moments are float32, also under mixed precision, whose short copies live for one
    operation. The ZeRO paper counts the same 16 as 2 + 2 + 12: its weights and gradients are short, and the float32
    copy of the weights belongs to the optimizer. A sharded process holds one layer whole at a time besides.

    Args:
        parameters: :math:`P`.
        processes: :math:`N`.
        parallel: ``"none"``, ``"ddp"`` (every process has all) or ``"fsdp"`` (each has its share).
        activations: :math:`A`, see :func:`activation_bytes`.

    Example:
        >>> round(memory_per_process(7.5e9, 64, parallel="fsdp").total / 1e9, 1)
        1.9

    Reference:
        Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, 2020, figure 1.
    """
    check_whole("memory_per_process", parameters=parameters)
    check_parallel("memory_per_process", parallel, processes)
    check_positive("memory_per_process", may_be_zero=True, activations=activations)
    own = parameters / (processes if parallel == "fsdp" else 1)
    return Memory(own * WEIGHT_BYTES, own * GRADIENT_BYTES, own * OPTIMIZER_BYTES, activations)


def activation_bytes(
    tokens: float, num_layers: int, dim: int, *, precision: str = "float32"
) -> float:
    r"""Bytes that a Transformer's layers keep for the backward pass.

    .. math:: A = (16\,b + 2)\; t\, D\, L

    A layer keeps 16 numbers of :math:`b` bytes for every token and unit of width, and two masks of dropout of one byte:
    34 bytes in half precision. The matrix of attention is not among them: fused attention makes it anew (the paper's
    selective recomputation). Embedding and logits are not counted.

    Args:
        tokens: :math:`t`, of one process and step.
        num_layers: :math:`L`.
        dim: :math:`D`.
        precision: ``"float32"`` (:math:`b = 4`), ``"bf16"`` or ``"fp16"`` (:math:`b = 2`).

    Example:
        >>> activation_bytes(2048, 1, 1024, precision="bf16") / (2048 * 1024)
        34.0

    Reference:
        Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models, 2022, section 4.
    """
    check_positive("activation_bytes", tokens=tokens)
    check_whole("activation_bytes", num_layers=num_layers, dim=dim)
    choose("activation_bytes", "precision", precision, PRECISIONS)
    return float(LAYER_BYTES[precision] * tokens * dim * num_layers)
