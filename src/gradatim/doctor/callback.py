"""The doctor as a callback of the trainer."""

from typing import TYPE_CHECKING

from gradatim.doctor.findings import Diagnosis
from gradatim.doctor.observing import Observer
from gradatim.doctor.watching import Seen
from gradatim.errors import InvalidValue
from gradatim.training.callbacks import Callback

if TYPE_CHECKING:
    from gradatim.training.trainer import Trainer


class Doctor(Callback):
    """Watches a fit, and says why it does not learn.

    Args:
        every: After the first 16 steps every so many-th is looked at.

    Example:
        >>> import torch
        >>> from gradatim.training import Trainer
        >>> doctor = Doctor()
        >>> X = torch.linspace(-1, 1, 64).unsqueeze(1)
        >>> trainer = Trainer(torch.nn.Linear(1, 1), "mse", "sgd", lr=1e-9, epochs=10, batch_size=16, callbacks=[doctor])
        >>> _ = trainer.fit((X, 3 * X + 1))
        >>> doctor.diagnosis.findings[0].code
        'optim.lr-low'
    """  # fmt: skip

    needs_autograd = True

    def __init__(self, *, every: int = 20) -> None:
        self.every = every
        self._seen: Seen | None = None

    @property
    def diagnosis(self) -> Diagnosis:
        """The verdict so far."""
        if self._seen is None:
            raise InvalidValue("Doctor: diagnosis must be asked for after fit, got no run yet.")
        return self._seen.diagnosis

    def on_fit_start(self, trainer: "Trainer") -> None:
        observer = Observer(every=self.every)
        observer.know(trainer.model, trainer.optimizer)
        self._seen = Seen(observer)
        observer.__enter__()

    def on_fit_end(self, trainer: "Trainer") -> None:
        if self._seen is not None:
            self._seen.observer.close()

    def on_fit_failed(self, trainer: "Trainer", error: BaseException) -> None:
        if self._seen is not None:
            self._seen.observer.close()
            self._seen.fail(error)
