"""Rules on the loss: what it compares, read from the graph."""

from collections.abc import Iterator

from gradatim.doctor.facts import Facts, Loss, Operation, Place
from gradatim.doctor.findings import Finding
from gradatim.doctor.rules.making import Symptoms, blew_up, learning_failed, make

VIEWS = {
    "view", "unsafeview", "reshapealias", "squeeze", "unsqueeze", "transpose", "permute", "clone", "select", "slice",
    "t", "tocopy", "expand", "alias", "index", "clamp", "reshape", "contiguous",
}  # fmt: skip
SQUASHING = {"softmax": "softmax", "sigmoid": "sigmoid"}
OWN_SOFTMAX = {"cross_entropy", "binary_cross_entropy_with_logits", "nll_loss", "nll by hand"}
REGRESSION = {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "squares by hand", "distances by hand"}  # fmt: skip
CLASSIFYING = {"cross_entropy", "nll_loss", "nll by hand"}
BINARY = {"binary_cross_entropy", "binary_cross_entropy_with_logits"}
IMAGES = {"relu": (0.0, float("inf")), "tanh": (-1.0, 1.0), "sigmoid": (0.0, 1.0), "softmax": (0.0, 1.0)}  # fmt: skip
NOT_LOG = 0.02  # how far exponentials of log-probabilities may sum from 1 by rounding
UNREACHABLE = 0.01  # share of the targets: fewer are noise or clipping
MOST_CLASSES = 20  # distinct whole numbers that are still classes
TOO_WIDE = 1.5  # outputs to classes seen


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


BINARY_LOGITS = "binary_cross_entropy_with_logits"


def broadcast(facts: Facts, symptoms: Symptoms) -> Finding | None:
    for term in terms(facts):
        if term.broadcast:
            output, target, result = ([*term.broadcast, [], [], []])[:3]
            return make(
                "loss.broadcast",
                place_of(term),
                cause=f"outputs of shape {tuple(output)} meet targets of shape {tuple(target)}, so every row is compared with every other: {tuple(result)}",
                remedy="Give both the same shape: target.unsqueeze(1), or output.squeeze(1).",
                strength=0.97,
            )  # fmt: skip
    return None


def wrong_kind(facts: Facts, symptoms: Symptoms) -> Finding | None:
    for term in terms(facts):
        if term.operation not in REGRESSION or not 2 <= term.target.classes <= MOST_CLASSES:
            continue
        chain = essential(term)
        squashed = bool(chain) and chain[0].name in SQUASHING
        is_binary = term.target.classes == 2 and (term.target.low, term.target.high) == (0.0, 1.0)
        compared = facts.witness("compared-as-classes").seen > 0
        if (squashed and is_binary) or compared:
            return make(
                "loss.wrong-kind",
                loss_place(term),
                cause=f"{term.operation.replace('_', ' ')} is used to learn {term.target.classes} classes",
                strength=0.65 if squashed and is_binary else 0.6,
                classes=term.target.classes,
            )
    return None


def labels(facts: Facts, symptoms: Symptoms) -> Finding | None:
    failure = facts.failure
    if failure is not None and failure.numbers.get("kind") == "labels":
        return make(
            "loss.labels",
            failure.place,
            cause=failure.numbers["cause"],
            remedy=failure.numbers["remedy"],
            strength=0.97,
        )
    for term in terms(facts):
        low, high = term.target.low, term.target.high
        if term.operation in BINARY and (low < 0 or high > 1):
            return make(
                "loss.labels",
                facts.data.origins.get("targets") or place_of(term),
                cause=f"{term.operation} expects targets from 0 to 1 and gets values from {low:.3g} to {high:.3g}",
                remedy="Map the two classes to 0.0 and 1.0 (for −1 and 1: (y + 1) / 2).",
                strength=0.97,
            )
        if facts.witness("ignored-labels").always:
            return make("loss.labels", place_of(term), cause="all labels are the one that the loss ignores", strength=0.9)  # fmt: skip
    return None


def width(facts: Facts, symptoms: Symptoms) -> Finding | None:
    for term in terms(facts):
        if (
            term.operation in CLASSIFYING
            and term.label_width == 1
            and term.target.kind == "classes"
        ):
            return make(
                "loss.width",
                last_layer(facts, term),
                cause="the model gives one output, and softmax over one number is always 1: the loss is always 0",
                remedy="Give the last layer one output per class, or use binary_cross_entropy_with_logits for two classes.",
                strength=0.97,
            )  # fmt: skip
        seen = term.target.classes
        is_wide = term.label_width >= TOO_WIDE * max(seen, 1) and seen >= 2
        is_sure = facts.data.rows >= 20 * term.label_width
        if term.operation in CLASSIFYING and is_wide and is_sure and learning_failed(symptoms):
            return make("loss.width", last_layer(facts, term), cause=f"the model has {term.label_width} outputs for {seen} classes", strength=0.35)  # fmt: skip
    return None


def last_layer(facts: Facts, term: Loss) -> Place:
    """The line of the layer that gives the outputs."""
    layer = next((o for o in term.below if o.layer and o.line is not None), None)
    return place_of(layer) if layer is not None else place_of(term)


def summed(facts: Facts, symptoms: Symptoms) -> Finding | None:
    for term in terms(facts):
        rows = term.shape[0] if term.shape else 1
        if (
            term.reduction == "sum"
            and abs(term.scale) > max(4.0, 0.5 * rows)
            and blew_up(symptoms) | learning_failed(symptoms)
        ):
            return make(
                "loss.summed",
                loss_place(term),
                cause=f"the loss is the sum over {rows} rows, so every step is {rows} times that of the mean",
                strength=0.55 if blew_up(symptoms) else 0.4,
                rows=rows,
            )
    return None


def sign(facts: Facts, symptoms: Symptoms) -> Finding | None:
    losses = facts.series.loss
    found = list(terms(facts))
    players = sum(optimizer.steps >= 3 for optimizer in facts.optimizers)
    if not found or players > 1 or len(losses) < 5:
        return None
    known = [t for t in found if t.operation in CLASSIFYING | REGRESSION | BINARY]
    if known and len(known) == len(found) and all(t.sign < 0 for t in known):
        worse = losses[-1] != losses[-1] or losses[-1] < min(0.0, losses[0])
        lowest = min((a for t in known for a in t.accuracy[-3:]), default=0.0)
        if worse and lowest < 0.9:
            return make("loss.sign", known[0].negated if known[0].negated.line else place_of(known[0]), strength=0.95, first=losses[0], last=losses[-1])  # fmt: skip
    return None


def detached(facts: Facts, symptoms: Symptoms) -> Finding | None:
    failure, cuts = facts.failure, facts.witness("detaching")
    if failure is not None and failure.numbers.get("kind") == "detached":
        if facts.models and all(model.trainable == 0 for model in facts.models):
            return None  # everything is frozen
        line = f" ({cuts.names[-1]} in line {cuts.place.line})" if cuts.names else ""
        where = cuts.place if cuts.place.line else failure.place
        return make("loss.detached", where, cause=f"backward was called on a loss that does not depend on any parameter{line}", strength=0.95)  # fmt: skip
    seen = facts.witness("detached")
    if seen.always and facts.witness("frozen-all").seen == 0:
        line = (
            f": {cuts.names[-1]} in line {cuts.place.line} takes it out of the graph"
            if cuts.names
            else ""
        )
        where = cuts.place if cuts.place.line else seen.place
        return make("loss.detached", where, cause=f"the loss does not depend on the parameters{line}", strength=0.95)  # fmt: skip
    return None


RULES = {
    "loss.softmax-twice": softmax_twice,
    "loss.activation-missing": activation_missing,
    "loss.softmax-axis": softmax_axis,
    "loss.range": out_of_range,
    "loss.broadcast": broadcast,
    "loss.wrong-kind": wrong_kind,
    "loss.labels": labels,
    "loss.width": width,
    "loss.summed": summed,
    "loss.sign": sign,
    "loss.detached": detached,
}
