"""What a training run costs on many processes: memory, traffic, arithmetic, time."""

from gradatim.scaling.arithmetic import flops_per_token, peak_share
from gradatim.scaling.memory import Memory, activation_bytes, memory_per_process
from gradatim.scaling.planning import Plan, plan
from gradatim.scaling.traffic import bytes_sent, communication_seconds

__all__ = [
    "Memory",
    "Plan",
    "activation_bytes",
    "bytes_sent",
    "communication_seconds",
    "flops_per_token",
    "memory_per_process",
    "peak_share",
    "plan",
]
