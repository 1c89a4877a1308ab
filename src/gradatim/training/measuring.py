"""What a model says of data it does not learn from: figures and outputs."""

from collections.abc import Iterable, Sequence
from contextlib import nullcontext

import torch
from torch import Tensor, nn

from gradatim.training.batches import Batches, weight_of
from gradatim.training.distributed.group import ALONE, Group
from gradatim.training.distributed.merging import dealt, merge_metrics, merge_totals
from gradatim.training.loss_sight import RefuseBroadcast
from gradatim.training.metrics import Mean, MetricFunction, build_metric
from gradatim.training.model_outputs import plain_output
from gradatim.training.objectives.objective import Objective, loss_and_figures
from gradatim.training.totals import Totals


def measure(
    model: nn.Module,
    objective: Objective,
    batches: Batches,
    metrics: Sequence[str | MetricFunction],
    totals: Totals,
    group: Group = ALONE,
) -> dict[str, float]:
    """Return loss and metrics of ``batches``; an objective without a loss gives its own figures.

    Args:
        model: In the mode in which it is to be measured.
        objective: What is minimized.
        batches: The data.
        metrics: Names or functions ``(output, target) -> batch mean``.
        totals: Empty; they take in what the objective gives.
        group: Processes that measure a part of the data each.

    Example:
        >>> from gradatim.training.batches import InMemory
        >>> from gradatim.training.objectives.supervised import Supervised
        >>> pair = torch.tensor([1.0, 3.0]), torch.tensor([1.0, 1.0])
        >>> data = InMemory(pair, 2, seed=None, device=torch.device("cpu"))
        >>> measure(nn.Identity(), Supervised("mse"), data, ["mae"], Totals())
        {'loss': 2.0, 'mae': 1.0}
    """
    meters = [build_metric(metric) for metric in metrics]
    figures = {}
    if objective.loss is None:
        figures = _own_figures(model, objective, batches, totals, group)
    else:
        meters = [Mean("loss", objective.loss), *meters]
    if meters:
        # weights that shards were gathered into are used again for training
        with torch.no_grad() if group.is_sharded else torch.inference_mode():
            for number, (batch, is_counted) in enumerate(dealt(batches, group)):
                output, target = objective.output(model, *batch[:-1]), batch[-1]
                if not is_counted:
                    continue
                with nullcontext() if number else RefuseBroadcast(output, target):
                    for meter in meters:
                        meter.update(output, target, weight_of(batch))
        merge_metrics(meters, group)
    return figures | {meter.name: meter.compute() for meter in meters}


@torch.no_grad()  # not inference mode: an objective may need gradients of its own
def _own_figures(
    model: nn.Module, objective: Objective, batches: Batches, totals: Totals, group: Group
) -> dict[str, float]:
    for batch, is_counted in dealt(batches, group):
        loss, figures = loss_and_figures(objective, model, batch)
        if is_counted:
            totals.add(loss, batches.count(batch), figures)
    merge_totals(totals, group)
    return totals.means("")


@torch.inference_mode()
def outputs(
    model: nn.Module, objective: Objective, parts: Iterable[Tensor], device: torch.device
) -> Tensor:
    """Return what ``model`` says to the rows of all ``parts``, on the CPU.

    Args:
        model: In the mode in which it is to answer, on ``device``.
        objective: Which part of the model's answer is the output.
        parts: Inputs, a few rows each.
        device: Where to compute.
    """
    return torch.cat(
        [plain_output(objective.output(model, part.to(device))).cpu() for part in parts]
    )
