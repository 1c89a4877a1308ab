"""What processes send each other in a step, and how long it takes."""

from gradatim.errors import choose
from gradatim.scaling.checks import PRECISIONS, check_parallel, check_positive, check_whole

FLOAT_BYTES = 4
ROUNDS = {"none": 0, "ddp": 2, "fsdp": 3}  # reduce-scatter and gather; sharded weights twice


def bytes_sent(
    parameters: float, processes: int, *, parallel: str = "ddp", precision: str = "float32"
) -> float:
    r"""Bytes that one process sends in a step.

    .. math:: \text{DDP: } 2\,\frac{N-1}{N}\,4P, \qquad \text{FSDP: } \frac{N-1}{N}\,(2w + 4)\,P

    DDP's ring reduces gradients (each process sends all shares but one) and then gathers the sums. FSDP gathers the
    weights for the forward pass, gathers them again for the backward pass, and reduces the gradients: in float32 three
    times :math:`(N-1)/N` of the parameters' bytes. Gradients travel in float32.

    Args:
        parameters: :math:`P`.
        processes: :math:`N`.
        parallel: ``"none"``, ``"ddp"`` or ``"fsdp"``.
        precision: In which sharded weights travel: :math:`w` is 4 for ``"float32"``, 2 for ``"bf16"`` and ``"fp16"``.

    Example:
        >>> 2 * bytes_sent(3_241_728, 2) / 1e6
        25.933824

    Reference:
        Patarasuk and Yuan, Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations, 2009.
        Rajbhandari et al., ZeRO, 2020, section 7.2.
    """
    check_whole("bytes_sent", parameters=parameters)
    check_parallel("bytes_sent", parallel, processes)
    choose("bytes_sent", "precision", precision, PRECISIONS)
    weight = FLOAT_BYTES if precision == "float32" else 2
    per_parameter = {"none": 0, "ddp": 2 * FLOAT_BYTES, "fsdp": 2 * weight + FLOAT_BYTES}[parallel]
    return parameters * per_parameter * (processes - 1) / processes


def communication_seconds(
    sent: float, processes: int, *, parallel: str = "ddp", bandwidth: float, latency: float = 0.0
) -> float:
    r"""Seconds that the messages of a step take, one behind the other.

    .. math:: t = k\,(N-1)\,\alpha + \beta\, n, \qquad k = 2 \text{ (DDP)},\; 3 \text{ (FSDP)}

    Each of :math:`k` collective operations passes :math:`N-1` messages round the ring. The paper's third term, the time
    for adding what comes in, is left out; so are the buckets and layers into which an operation is cut.

    Args:
        sent: :math:`n`, bytes that one process sends, see :func:`bytes_sent`.
        processes: :math:`N`.
        parallel: ``"none"``, ``"ddp"`` or ``"fsdp"``.
        bandwidth: :math:`1/\beta`, bytes per second that a process can send.
        latency: :math:`\alpha`, seconds before a message's first byte arrives.

    Example:
        >>> communication_seconds(12e9, 4, bandwidth=10e9, latency=0.01)
        1.26

    Reference:
        Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, 2005.
    """
    check_positive("communication_seconds", may_be_zero=True, sent=sent, latency=latency)
    check_positive("communication_seconds", bandwidth=bandwidth)
    check_parallel("communication_seconds", parallel, processes)
    return ROUNDS[parallel] * (processes - 1) * latency + sent / bandwidth
