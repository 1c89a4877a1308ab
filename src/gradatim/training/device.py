"""Which device a run uses."""

import torch

from gradatim.errors import InvalidValue


def choose_device(device: str | torch.device = "auto", local_rank: int = 0) -> torch.device:
    """Return the device asked for; ``"auto"`` takes an accelerator when there is one, every process of a machine its own.

    Args:
        device: What is asked for.
        local_rank: Number of this process on the machine.

    Example:
        >>> choose_device("cpu")
        device(type='cpu')
    """
    if device == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda", local_rank) if local_rank else torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        return torch.empty(0, device=device).device
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise InvalidValue(
            f"Trainer: device must be 'auto', 'cpu', 'cuda' or 'mps' and present, got {device!r} ({reason}). "
            "Try 'auto'."
        ) from error
