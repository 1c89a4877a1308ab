"""Learn long sequences in chunks: gradients end at a chunk's border, memory does not."""

from typing import Any

from torch import Tensor, nn

from gradatim.errors import InvalidType, require_whole
from gradatim.losses import Loss
from gradatim.training.batches import Batch
from gradatim.training.objectives.objective import Objective


class TruncatedBPTT(Objective):
    r"""Truncated backpropagation through time, for models called as ``output, state = model(x, state=state)``.

    Sequences ``(B, T, ...)`` are cut into chunks. Every chunk makes one step of the optimizer, from the state in
    which the chunk before ended, detached. Validation and prediction run over whole sequences.

    Args:
        length: Steps of a chunk; from :math:`T` on nothing is truncated.
        loss: Name or function; by default the trainer's.

    Example:
        >>> import torch
        >>> from gradatim.nn import Recurrent
        >>> from gradatim.training import Trainer
        >>> x = torch.randn(8, 30, 2)
        >>> trainer = Trainer(Recurrent("gru", 2, 1), "mse", objective=TruncatedBPTT(10), epochs=1)
        >>> history = trainer.fit((x, x.cumsum(1)[..., :1].sin()))
        >>> trainer.predict(x).shape, history.engine.name
        (torch.Size([8, 30, 1]), 'truncated')
    """

    any_layout = True

    def __init__(self, length: int, loss: str | Loss | None = None) -> None:
        require_whole("TruncatedBPTT", length=length)
        self.length = int(length)
        self.use_loss(loss)

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        return self.advance(model, batch, None)[0]

    def advance(self, model: nn.Module, chunk: Batch, state: Any) -> tuple[Tensor, Any]:
        """Return the loss of a chunk that begins in ``state``, and the state in which it ends."""
        output, after = _split(model(*chunk[:-1], state=state))
        assert self.loss is not None
        return self.loss(output, chunk[-1]), after

    def output(self, model: nn.Module, *inputs: Tensor) -> Tensor:
        return _split(model(*inputs))[0]


def _split(result: object) -> tuple[Tensor, Any]:
    """Return output and state of a model, or say that it has no state."""
    if not isinstance(result, tuple) or len(result) != 2:
        raise InvalidType(
            "TruncatedBPTT: a model must return (output, state) and take state=, got "
            f"{type(result).__name__}."
        )
    return result
