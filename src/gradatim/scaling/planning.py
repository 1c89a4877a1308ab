"""Put the formulas together: what a run will need, before anybody pays for it."""

from dataclasses import asdict, dataclass
from typing import Any

from gradatim.errors import choose, require
from gradatim.scaling.arithmetic import flops_per_token, peak_share
from gradatim.scaling.checks import PRECISIONS, check_parallel, check_positive, check_whole
from gradatim.scaling.memory import Memory, activation_bytes, memory_per_process
from gradatim.scaling.traffic import bytes_sent, communication_seconds


@dataclass(frozen=True)
class Plan:
    """What a step costs. What nothing was said about is ``None``.

    Args:
        parameters: Of the model.
        processes: How many.
        parallel: ``"none"``, ``"ddp"`` or ``"fsdp"``.
        memory_per_process: Bytes.
        bytes_per_step: Bytes that one process sends.
        flops_per_token: Operations, forward and backward.
        compute_seconds: Of a step.
        communication_seconds: Of a step.
        mfu: Share of the peak that the arithmetic reaches while a process computes.
    """

    parameters: float
    processes: int
    parallel: str
    memory_per_process: Memory
    bytes_per_step: float
    flops_per_token: float
    compute_seconds: float | None
    communication_seconds: float | None
    mfu: float | None

    @property
    def step_seconds(self) -> float | None:
        """Arithmetic, then messages: an upper bound where the two overlap; arithmetic alone where no bandwidth is known."""
        if self.compute_seconds is None:
            return None
        return self.compute_seconds + (self.communication_seconds or 0.0)

    @property
    def efficiency(self) -> float | None:
        """Share of a step in which a process computes."""
        if self.compute_seconds is None or self.communication_seconds is None:
            return None
        return self.compute_seconds / (self.compute_seconds + self.communication_seconds)

    def to_json(self) -> dict[str, Any]:
        """Plain numbers by name."""
        memory = self.memory_per_process
        return asdict(self) | {
            "memory_per_process": {**memory._asdict(), "total": memory.total},
            "step_seconds": self.step_seconds,
            "efficiency": self.efficiency,
        }


def plan(
    parameters: float,
    processes: int = 1,
    *,
    parallel: str = "ddp",
    precision: str = "float32",
    num_layers: int | None = None,
    dim: int | None = None,
    context: int | None = None,
    batch_tokens: float | None = None,
    peak_flops: float | None = None,
    bandwidth: float | None = None,
    latency: float = 0.0,
    tokens_per_second: float | None = None,
) -> Plan:
    r"""Say what a run needs: memory and traffic of a process, arithmetic of a token, time of a step.

    .. math:: t = \frac{B}{N R} + k (N-1)\,\alpha + \beta\, n, \qquad R = F / C \text{ where it was not measured}

    Args:
        parameters: Of the model.
        processes: :math:`N`.
        parallel: ``"none"``, ``"ddp"`` or ``"fsdp"``.
        precision: ``"float32"``, ``"bf16"`` or ``"fp16"``.
        num_layers: Layers of a Transformer.
        dim: Its width.
        context: Its positions.
        batch_tokens: :math:`B`, tokens (or rows) of a step of the whole run.
        peak_flops: :math:`F`, operations per second of one process's processor.
        bandwidth: :math:`1/\beta`, bytes per second that a process can send.
        latency: :math:`\alpha`, seconds.
        tokens_per_second: :math:`R`, what one process was measured to do, communication aside.

    Example:
        >>> needed = plan(7.5e9, 64, parallel="fsdp")
        >>> round(needed.memory_per_process.total / 1e9, 1)
        1.9
    """
    _check(parameters, processes, parallel, precision, num_layers=num_layers, dim=dim, context=context)  # fmt: skip
    check_positive("plan", batch_tokens=batch_tokens, peak_flops=peak_flops, bandwidth=bandwidth, tokens_per_second=tokens_per_second)  # fmt: skip
    check_positive("plan", may_be_zero=True, latency=latency)
    tokens = None if batch_tokens is None else batch_tokens / processes
    activations = 0.0
    if tokens is not None and num_layers is not None and dim is not None:
        activations = activation_bytes(tokens, num_layers, dim, precision=precision)
    sent = bytes_sent(parameters, processes, parallel=parallel, precision=precision)
    flops = flops_per_token(parameters, num_layers, dim, context)
    speed, mfu = _speed(flops, peak_flops, tokens_per_second)
    talk: float | None = 0.0 if processes == 1 else None
    if bandwidth is not None:
        talk = communication_seconds(sent, processes, parallel=parallel, bandwidth=bandwidth, latency=latency)  # fmt: skip
    return Plan(
        parameters,
        processes,
        parallel,
        memory_per_process(parameters, processes, parallel=parallel, activations=activations),
        sent,
        flops,
        None if tokens is None or speed is None else tokens / speed,
        talk,
        mfu,
    )


def _check(
    parameters: float, processes: int, parallel: str, precision: str, **sizes: int | None
) -> None:
    check_whole("plan", parameters=parameters)
    check_parallel("plan", parallel, processes)
    choose("plan", "precision", precision, PRECISIONS)
    known = {name: size for name, size in sizes.items() if size is not None}
    check_whole("plan", **known)
    missing = [name for name in ("num_layers", "dim") if name not in known]
    rule = "plan: num_layers and dim must be given together, and with context"
    require(not known or not missing, rule, f"no {' and no '.join(missing)}")


def _speed(
    flops: float, peak_flops: float | None, measured: float | None
) -> tuple[float | None, float | None]:
    """Tokens per second of a process that computes, and the share of the peak that this is."""
    if peak_flops is None:
        return measured, None
    if measured is None:
        return peak_flops / flops, 1.0
    return measured, peak_share(measured, flops, peak_flops)
