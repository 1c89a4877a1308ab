"""How a network answers while it makes samples: without gradients, without dropout, images channels last."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from gradatim.nn.training_modes import evaluation_mode
from gradatim.training.engines.channels_last import reading_channels_last, wants_channels_last


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Within this context ``model`` answers fastest, and learns nothing; after it, all is as before.

    >>> with evaluating(nn.Dropout()) as nothing:
    ...     torch.is_inference_mode_enabled()
    True
    """
    device = next((p.device for p in model.parameters()), torch.device("cpu"))
    is_last = wants_channels_last("auto", model, device)
    with torch.inference_mode(), evaluation_mode(model), reading_channels_last(model, is_last):
        yield
