"""Stochastic weight averaging."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_swa_multi_avg_fn, update_bn

from gradatim.errors import require
from gradatim.randomness import seeded
from gradatim.training.batches import Batch
from gradatim.training.callbacks import Callback
from gradatim.training.history import Record
from gradatim.training.objectives.objective import loss_and_figures

if TYPE_CHECKING:
    from gradatim.training.trainer import Trainer


class SWA(Callback):
    r"""Average the weights along the end of a run, and leave the average in the model.

    .. math:: \bar\theta = \frac1n\sum_{k=1}^n \theta_{t_k}

    The average lies in the middle of the region that the last epochs wander through, usually at a flatter
    place. Keep the rate up while averaging, for instance with ``schedule=sequence((15, cosine(floor=0.3)),
    constant(0.3))``; with a rate that falls to zero there is little to average. Statistics of batch
    normalization are measured anew, in one pass over the training data, when the run ends. Validation
    figures in the history are those of the wandering weights; measure the average with
    ``trainer.evaluate``. Put it after an :class:`EarlyStopping` that restores weights.

    Args:
        start: Epochs before the first average.
        every_steps: Average after every so many batches; by default once at the end of each epoch.

    Attributes:
        count: Number of points averaged.

    Example:
        >>> import torch
        >>> from gradatim.training import Trainer
        >>> X = torch.linspace(-1, 1, 64).unsqueeze(1)
        >>> swa = SWA(start=10)
        >>> trainer = Trainer(nn.Linear(1, 1), "mse", "sgd", lr=0.1, epochs=20, callbacks=[swa])
        >>> history = trainer.fit((X, 3 * X + 1))
        >>> swa.count
        10

    Reference:
        Izmailov et al., Averaging Weights Leads to Wider Optima and Better Generalization, 2018.
    """

    any_layout = True
    needs_whole = True

    def __init__(self, *, start: int, every_steps: int | None = None) -> None:
        require(start >= 0, "SWA: start must be at least 0 epochs", start)
        rule = "SWA: every_steps must be at least 1 or None"
        require(every_steps is None or every_steps >= 1, rule, every_steps)
        self.start, self.every_steps = start, every_steps
        self._saved: Mapping[str, Any] | None = None
        self._average: AveragedModel | None = None

    @property
    def count(self) -> int:
        return 0 if self._average is None else int(self._average.n_averaged.item())

    def on_fit_start(self, trainer: "Trainer") -> None:
        self._average = AveragedModel(trainer.model, multi_avg_fn=get_swa_multi_avg_fn())
        if self._saved is not None:
            self._average.load_state_dict(self._saved)
            self._saved = None

    def on_batch_end(self, trainer: "Trainer", loss: Tensor | None) -> None:
        is_due = self.every_steps is not None and trainer.steps % self.every_steps == 0
        if is_due and trainer.epoch >= self.start:
            self._take(trainer.model)

    def on_epoch_end(self, trainer: "Trainer", record: Record) -> None:
        if self.every_steps is None and record["epoch"] > self.start:
            self._take(trainer.model)

    def _take(self, model: nn.Module) -> None:
        assert self._average is not None
        self._average.update_parameters(model)

    def on_fit_end(self, trainer: "Trainer") -> None:
        if self._average is None or self.count == 0:
            return
        trainer.model.load_state_dict(self._average.module.state_dict())
        assert trainer.train_batches is not None
        batches = ((batch,) for batch in trainer.train_batches.epoch(trainer.epoch))
        with seeded(trainer.seed, trainer.device):
            update_bn(batches, _Forward(trainer))

    def state_dict(self) -> dict[str, Any]:
        return {} if self._average is None else dict(self._average.state_dict())

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._saved = state or None


class _Forward(nn.Module):
    """The trainer's forward pass as a module, for batches of any form."""

    def __init__(self, trainer: "Trainer") -> None:
        super().__init__()
        self.objective, self.model = trainer.objective, trainer.model

    def forward(self, batch: Batch) -> None:
        loss_and_figures(self.objective, self.model, batch)
