"""Features in which samples are judged: what a classifier trained here sees before its last layer."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidType
from gradatim.nn.training_modes import evaluation_mode


class ClassifierFeatures:
    """The inputs of a classifier's last linear layer.

    They are of a network trained on the data at hand, so distances in them are comparable among generators judged by the
    same network and with nothing else: not with figures in features of an Inception network.

    Args:
        classifier: Any network with a linear layer; it is used in evaluation mode.
        batch_size: Rows at once.

    Example:
        >>> from gradatim.models import MLP
        >>> ClassifierFeatures(MLP((64, 16, 10)))(torch.rand(5, 1, 8, 8)).shape
        torch.Size([5, 16])
    """

    def __init__(self, classifier: nn.Module, *, batch_size: int = 1024) -> None:
        layers = [module for module in classifier.modules() if isinstance(module, nn.Linear)]
        if not layers:
            raise InvalidType(
                f"ClassifierFeatures: classifier must have a linear layer, got {type(classifier).__name__} without one."
            )
        self.classifier, self.batch_size, self._last = classifier, batch_size, layers[-1]

    @takes_arrays
    @torch.no_grad()
    def __call__(self, rows: Tensor) -> Tensor:
        """Return features ``(N, D)`` of rows ``(N, ...)``."""
        seen: list[Tensor] = []

        def keep(module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            seen.append(inputs[0].flatten(1))

        handle = self._last.register_forward_pre_hook(keep)
        try:
            with evaluation_mode(self.classifier):
                for block in rows.split(self.batch_size):
                    self.classifier(block)
        finally:
            handle.remove()
        return torch.cat(seen)
