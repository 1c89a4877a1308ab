"""Train a small network on the odds that a large one gives."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from gradatim.losses import cross_entropy, distillation_loss
from gradatim.losses.distillation import check_distillation
from gradatim.training.batches import Batch
from gradatim.training.model_outputs import plain_output
from gradatim.training.objectives.augmented import Mixing, distort
from gradatim.training.objectives.objective import Objective


class Distillation(Objective):
    r"""Train a student on a teacher's tempered odds and the labels.

    .. math:: \alpha\,E_T(g(x), f(x)) + (1-\alpha)\,E(g(x), y)

    Validation measures cross-entropy on the labels alone, as for any classifier.

    Args:
        teacher: :math:`f`, a trained network on the same device; it is set to evaluation mode.
        temperature: :math:`T`.
        mix: Share :math:`\alpha` of the teacher.
        augment: Random distortions of the first input, in order; teacher and student see the same.
        mixing: What is done to the first input and the target together, after ``augment``, such as
            ``partial(mixup, num_classes=10)``.

    Example:
        >>> from gradatim.training import Trainer
        >>> X, y = torch.randn(20, 4), torch.arange(20) % 3
        >>> teacher, student = nn.Linear(4, 3), nn.Linear(4, 3)
        >>> trainer = Trainer(student, objective=Distillation(teacher), epochs=1)
        >>> "train_loss" in trainer.fit((X, y)).records[0]
        True
    """

    any_layout = True

    def __init__(
        self,
        teacher: nn.Module,
        *,
        temperature: float = 2.0,
        mix: float = 0.9,
        augment: Sequence[Callable[[Tensor], Tensor]] = (),
        mixing: Mixing | None = None,
    ) -> None:
        check_distillation(temperature, mix)
        self.teacher, self.temperature, self.mix = teacher.eval(), temperature, mix
        self.augment, self.mixing = tuple(augment), mixing
        self.use_loss(cross_entropy)

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        x, *others, target = batch
        if not model.training:
            return cross_entropy(plain_output(model(x, *others)), target)
        x, target = distort(x, target, self.augment, self.mixing)
        with torch.no_grad():
            odds = plain_output(self.teacher(x, *others))
        output = plain_output(model(x, *others))
        return distillation_loss(output, odds, target, temperature=self.temperature, mix=self.mix)
