"""The terms of the loss as rules read them."""

from collections.abc import Iterator

from gradatim.doctor.facts import Facts, Loss, Operation, Place
from gradatim.doctor.kinds import BINARY, BINARY_LOGITS, CLASSIFYING, REGRESSION

__all__ = ["BINARY", "BINARY_LOGITS", "CLASSIFYING", "REGRESSION", "SQUASHING", "VIEWS", "essential", "loss_place", "place_of", "terms"]  # fmt: skip
VIEWS = {
    "view", "unsafeview", "reshapealias", "squeeze", "unsqueeze", "transpose", "permute", "clone", "select", "slice",
    "t", "tocopy", "expand", "alias", "index", "clamp", "reshape", "contiguous",
}  # fmt: skip
SQUASHING = {"softmax": "softmax", "sigmoid": "sigmoid"}


def terms(facts: Facts) -> Iterator[Loss]:
    """Terms that come in at least half of the samples of their phase."""
    most = {phase: max(t.seen for t in facts.losses if t.phase == phase) for phase in {t.phase for t in facts.losses}}  # fmt: skip
    return (term for term in facts.losses if 2 * term.seen >= most[term.phase])


def loss_place(term: Loss) -> Place:
    """The line of the loss module, or of the call of a function."""
    return term.made if term.made.line is not None else Place(term.file, term.line)


def place_of(term: Loss | Operation) -> Place:
    """The line of a term or of an operation, and its layer."""
    return Place(term.file, term.line, getattr(term, "layer", None))


def essential(term: Loss) -> list[Operation]:
    """The operations below a term that do more than change shapes."""
    return [operation for operation in term.below if operation.name not in VIEWS]
