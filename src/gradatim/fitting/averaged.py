r"""One model that says the weighted mean of what several say of the same rows, :math:`f(x) = \sum_m w_m f_m(x)`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from torch import Tensor

from gradatim.errors import choose, require
from gradatim.fitting.stored import Facts
from gradatim.model_folder import gather_tensors, tensors_of


@dataclass(eq=False, repr=False)
class AveragedModel:
    """The average of models of one kind of data, each of which has ``outputs``, ``rehearse``, ``store`` and ``restore``.

    Args:
        models: The models :math:`f_m`.
        weights: Their weights :math:`w_m`, which sum to 1.
    """

    kind: ClassVar[str] = "average"
    parts: ClassVar[tuple[type[Any], ...]]  # classes of models, told apart by ``kind``

    models: Sequence[Any]
    weights: Sequence[float]

    @property
    def parameters(self) -> int:
        """Numbers stored."""
        return sum(model.parameters for model in self.models)

    def outputs(self, rows: Any) -> np.ndarray:
        """Return probabilities ``(N, classes)``, or values ``(N,)``."""
        return self._mean([model.outputs(rows) for model in self.models])

    def rehearse(self, rows: Any) -> np.ndarray:
        """Outputs, once every model could be used."""
        return self._mean([model.rehearse(rows) for model in self.models])

    def _mean(self, outputs: Sequence[np.ndarray]) -> np.ndarray:
        require(len({o.shape for o in outputs}) == 1, "load_model: models of an average must say the same", "others")  # fmt: skip
        return np.tensordot(np.asarray(self.weights), np.stack(outputs), 1)

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Plain facts, and everything learned."""
        pairs = [model.store() for model in self.models]
        facts = {"kind": self.kind, "weights": list(self.weights), "models": [own for own, _ in pairs]}  # fmt: skip
        return facts, gather_tensors({str(k): own for k, (_, own) in enumerate(pairs)})

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> Self:
        """Undo :meth:`store`; weights that are no shares are refused."""
        weights, models, known = facts["weights"], facts["models"], {part.kind: part for part in cls.parts}  # fmt: skip
        is_sound = (
            isinstance(models, list)
            and len(models) == len(weights) > 0
            and all(isinstance(w, float) and 0.0 <= w <= 1.0 for w in weights)
            and abs(sum(weights) - 1.0) < 1e-6
        )
        require(is_sound, "load_model: weights of an average must be shares, one for each model", "others")  # fmt: skip
        kinds = [known[choose("load_model", "kind", own["kind"], known)] for own in models]
        pairs = enumerate(zip(kinds, models, strict=True))
        return cls([kind.restore(own, tensors_of(str(k), tensors)) for k, (kind, own) in pairs], weights)  # fmt: skip
