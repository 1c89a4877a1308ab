"""Rules on what goes into the loss: softmax twice, missing, over the wrong axis, out of reach."""

from gradatim.doctor.facts import Facts, Loss, Operation
from gradatim.doctor.findings import Finding
from gradatim.doctor.rules.making import Symptoms, learning_failed, make
from gradatim.doctor.rules.terms import (  # fmt: skip
    BINARY,
    BINARY_LOGITS,
    CLASSIFYING,
    REGRESSION,
    SQUASHING,
    essential,
    loss_place,
    place_of,
    terms,
)

IMAGES = {"relu": (0.0, float("inf")), "tanh": (-1.0, 1.0), "sigmoid": (0.0, 1.0), "softmax": (0.0, 1.0)}  # fmt: skip
NOT_LOG = 0.02  # how far exponentials of log-probabilities may sum from 1 by rounding
UNREACHABLE = 0.01  # share of the targets: fewer are noise or clipping


def softmax_twice(facts: Facts, symptoms: Symptoms) -> Finding | None:
    for term in terms(facts):
        chain = essential(term)
        names = [operation.name for operation in chain]
        if (
            term.operation in BINARY
            and term.operation.endswith("logits")
            and names[:1]
            and names[0] in SQUASHING
        ):
            return _twice(term, chain[0], "sigmoid")
        if "logsoftmax" in names:
            k = names.index("logsoftmax") + 1
            if k < len(names) and names[k] in SQUASHING and not _is_classes_of_few(chain[k]):
                return _twice(term, chain[k], "softmax")
        elif term.operation == "cross_entropy" and names[:1] and names[0] in SQUASHING:
            return _twice(term, chain[0], "softmax")
    return None


def _is_classes_of_few(operation: Operation) -> bool:
    return operation.shape[-1:] == [1]


def _twice(term: Loss, operation: Operation, inner: str) -> Finding:
    name = SQUASHING[operation.name]
    loss = "cross_entropy" if inner == "softmax" else "binary_cross_entropy_with_logits"
    return make(
        "loss.softmax-twice",
        place_of(operation) if operation.line else place_of(term),
        cause=f"{name} is applied to the outputs, and {loss} (line {term.line}) applies {inner} again",
        remedy=f"Remove the {name}: {loss} wants the raw outputs. Apply it only when you predict.",
        strength=0.95,
    )


def activation_missing(facts: Facts, symptoms: Symptoms) -> Finding | None:
    failure = facts.failure
    if failure and "elements of input should be between 0 and 1" in failure.message:
        return make(
            "loss.activation-missing",
            failure.place,
            cause="binary_cross_entropy expects probabilities and gets raw scores outside [0, 1]",
            remedy="Use binary_cross_entropy_with_logits on the raw outputs, or apply torch.sigmoid first.",
            strength=0.97,
        )
    for term in terms(facts):
        if term.operation not in {"nll_loss", "kl_div"}:
            continue
        if any(operation.name == "logsoftmax" for operation in term.below):
            continue
        is_log = term.high <= 1e-4 and (not term.exp_row_sum > NOT_LOG)
        if not is_log and term.high == term.high:
            return make(
                "loss.activation-missing",
                loss_place(term),
                cause=f"{term.operation} expects log-probabilities and gets values from {term.low:.3g} to {term.high:.3g}",
                remedy="Use cross_entropy on the raw outputs, or F.log_softmax(outputs, dim=1) before this loss."
                if term.operation == "nll_loss"
                else "Give the logarithm of probabilities, F.log_softmax(outputs, dim=-1), as the first argument.",
                strength=0.95,
                low=term.low,
                high=term.high,
            )  # fmt: skip
    return None


def softmax_axis(facts: Facts, symptoms: Symptoms) -> Finding | None:
    for term in terms(facts):
        for operation in term.below:
            if operation.name not in {"softmax", "logsoftmax"} or operation.axis is None:
                continue
            axis, shape = operation.axis, operation.shape
            if term.operation == "cross_entropy" and operation is term.below[0]:
                continue  # its own, over the classes
            if len(shape) >= 2 and axis % len(shape) == 0 and shape[0] > 1:
                return make(
                    "loss.softmax-axis",
                    place_of(operation),
                    cause=f"softmax runs over axis {axis} of outputs of shape {tuple(shape)}: over the batch, not over the classes",
                    strength=0.95,
                )  # fmt: skip
            if shape and shape[axis] == 1:
                return make(
                    "loss.softmax-axis",
                    place_of(operation),
                    cause=f"softmax runs over an axis of size 1 of outputs of shape {tuple(shape)}, so its result is always 1",
                    remedy="Use sigmoid for a single output, or one output per class.",
                    strength=0.9,
                )  # fmt: skip
    return None


def out_of_range(facts: Facts, symptoms: Symptoms) -> Finding | None:
    for term in terms(facts):
        chain = essential(term)
        if term.outside > UNREACHABLE and term.operation in REGRESSION and chain and chain[0].name in IMAGES:  # fmt: skip
            low, high = IMAGES[chain[0].name]
            image = f"[{low:g}, {high:g}]" if high < 1e9 else "numbers from 0"
            return make(
                    "loss.range",
                    place_of(chain[0]),
                    cause=f"the last activation, {chain[0].name}, gives {image}, but targets go from {term.target.low:.3g} to {term.target.high:.3g}",
                    remedy=f"Drop the last {chain[0].name}, or scale the targets into its range.",
                    strength=0.9,
                    outside=term.outside,
                )  # fmt: skip
        if term.operation in CLASSIFYING | {BINARY_LOGITS} and learning_failed(symptoms):
            after = [o for o in chain if o.name != "logsoftmax"][:1]
            if after and after[0].name in {"relu", "tanh"}:
                return make(
                    "loss.range",
                    place_of(after[0]),
                    cause=f"{after[0].name} stands between the last layer and {term.operation}, so the scores cannot become {'negative' if after[0].name == 'relu' else 'large'}",
                    remedy=f"Drop the {after[0].name} after the last layer.",
                    strength=0.75,
                )  # fmt: skip
    return None


RULES = {
    "loss.softmax-twice": softmax_twice,
    "loss.activation-missing": activation_missing,
    "loss.softmax-axis": softmax_axis,
    "loss.range": out_of_range,
}
