"""What happened in a training run, one record per epoch."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from gradatim.errors import choose

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Record = dict[str, float]
INTERRUPTED, CANCELLED = "interrupted", "cancelled"  # why a run ended that was not let to its end


class EngineChoice(NamedTuple):
    """Which engine moved the model, and why this one.

    Args:
        name: ``"general"``, ``"chain"``, ``"truncated"``, ``"stacked_chain"`` or ``"stacked_module"``.
        reason: A few words.
    """

    name: str
    reason: str


class History:
    """Losses, metrics, learning rate and seconds of every epoch.

    Attributes:
        records: One dictionary per epoch: ``epoch``, ``train_loss``, ``validation_…``, ``lr``, ``seconds``.
        stopped: Why the run ended before its last epoch, or ``None``.
        engine: Which engine moved the model, and why; ``None`` before the run.
        schedule: Which of PyTorch's schedulers set the rate, and when it was stepped; ``None`` without one.

    Example:
        >>> history = History([{"epoch": 1, "train_loss": 2.0}, {"epoch": 2, "train_loss": 1.0}])
        >>> history["train_loss"]
        [2.0, 1.0]
        >>> history.best("train_loss")["epoch"]
        2
    """

    def __init__(
        self,
        records: list[Record] | None = None,
        stopped: str | None = None,
        engine: EngineChoice | None = None,
    ) -> None:
        self.records = records if records is not None else []
        self.stopped, self.engine = stopped, engine
        self.schedule: str | None = None

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __getitem__(self, name: str) -> list[float]:
        """Return the column ``name`` over the epochs."""
        if not any(name in record for record in self.records):
            known = dict.fromkeys(key for record in self.records for key in record)
            choose("History", "column", name, known)
        return [record.get(name, float("nan")) for record in self.records]

    def best(self, monitor: str = "validation_loss", *, higher_is_better: bool = False) -> Record:
        """Return the record of the epoch with the smallest (or largest) ``monitor``."""
        self[monitor]
        sign = -1.0 if higher_is_better else 1.0
        present = (record for record in self.records if monitor in record)
        return min(present, key=lambda record: sign * record[monitor])

    def to_frame(self) -> "pd.DataFrame":
        """Return the records as a DataFrame indexed by epoch."""
        import pandas as pd

        frame = pd.DataFrame(self.records)
        return frame.set_index("epoch") if len(frame) else frame

    def figure(self) -> "Figure":
        """Draw losses and metrics over the epochs."""
        from gradatim.plots import learning_curves

        return learning_curves({"": self})

    def __repr__(self) -> str:
        if not self.records:
            return "History(no epochs)"
        last = ", ".join(f"{k}={v:.4g}" for k, v in self.records[-1].items() if k != "epoch")
        ended = f", stopped: {self.stopped}" if self.stopped else ""
        return f"History({len(self)} epochs{ended}; last: {last})"
