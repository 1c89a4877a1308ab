"""Does a row depend on another, or a prediction on what it must predict? The model in eval mode tells, on altered inputs.

Runs in a copy of the process, or before training: calling a model may change it.
"""

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from gradatim.doctor.calls import tensors
from gradatim.doctor.facts import Place
from gradatim.doctor.leaking import leaks, time_axis, where_leaked
from gradatim.doctor.mixing import is_graph, mixes, row_axis, where_mixed
from gradatim.doctor.recurring import Memory, recall


@dataclass
class Probe:
    """What came of it: None where a question does not arise.

    Attributes:
        mixes: Whether the output of a row changes with another row.
        leaks: Whether an output changes with the input that it must predict.
        part: The first layer in which rows or steps are mixed.
        place: Else the line that does.
        memory: What its recurrent layer keeps of gradients over time.
    """

    mixes: bool | None = None
    leaks: bool | None = None
    part: nn.Module | None = None
    place: Place = field(default_factory=Place)
    memory: Memory | None = None


def probe(
    module: nn.Module,
    arguments: tuple[Any, ...],
    named: dict[str, Any],
    target: Tensor | None,
    *,
    rows_first: bool = False,
) -> Probe:
    """Call a model on altered inputs.

    Args:
        module: The model; its mode is put back.
        arguments: What it was called with, a batch.
        named: The same by name.
        target: What its output is compared with.
        rows_first: Whether the first axis is known to be that of the rows.
    """
    found = Probe()
    inputs = [x for x in tensors([arguments, named]) if x.dim() >= 1]
    if not inputs:
        return found
    main = inputs[0]
    modes = {part: part.training for part in module.modules()}
    try:
        module.eval()
        with torch.no_grad():
            times = time_axis(main, target)
            if times is not None:
                sees = leaks(module, arguments, named, main, times[0])
                # a causal model that must predict its own input has it before its eyes
                found.leaks = sees if times[1] or sees is None else not sees or None
                if found.leaks and sees:
                    found.part, found.place = where_leaked(module, arguments, named)
            axis = (
                1 - times[0] if times is not None else row_axis(main, target, rows_first=rows_first)
            )
            if axis is not None and main.shape[axis] >= 3 and not is_graph(module, inputs):
                found.mixes = mixes(module, arguments, named, axis, main.shape[axis])
                if found.mixes and axis == 0 and not found.leaks:
                    found.part, found.place = where_mixed(module, arguments, named)
        found.memory = recall(module, arguments, named)
    finally:
        for part, mode in modes.items():
            part.training = mode
    return found
