"""What was seen of a run: numbers, names and lines, nothing else. Rules read these; they are JSON both ways."""

import dataclasses
import json
import math
import types
from dataclasses import dataclass, field
from typing import Any, Union, get_args, get_origin, get_type_hints


@dataclass
class Place:
    """Where something is: a line of the user's code, a layer, a step."""

    file: str | None = None
    line: int | None = None
    layer: str | None = None
    step: int | None = None


@dataclass
class Witness:
    """Something seen in ``seen`` of ``of`` samples, where it was seen last, and its numbers."""

    seen: int = 0
    of: int = 0
    place: Place = field(default_factory=Place)
    numbers: dict[str, float] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)

    @property
    def always(self) -> bool:
        """Seen in every sample, of which there were three or more."""
        return self.seen == self.of and self.of >= 3


def joined(phases: list[dict[str, Witness]]) -> dict[str, Witness]:
    """One witness of each name: the latest of a phase, or of a player, for which it always held, else all together.

    Args:
        phases: Witnesses of each phase by name; behind ``@`` stands whose it is.

    Example:
        >>> joined([{"a": Witness(0, 40)}, {"a@one": Witness(5, 5), "a@two": Witness(0, 5)}])["a"].seen
        5
    """
    groups: dict[str, list[Witness]] = {}
    for phase in phases:
        for name, witness in phase.items():
            groups.setdefault(name.partition("@")[0], []).append(witness)
    found: dict[str, Witness] = {}
    for name, own in groups.items():
        always = [witness for witness in own if witness.always]
        last = next((w for w in reversed(own) if w.seen), own[-1])
        together = Witness(sum(w.seen for w in own), sum(w.of for w in own), last.place, last.numbers, last.names)  # fmt: skip
        found[name] = always[-1] if always else together
    return found


@dataclass
class Failure:
    """The exception that ended the script: its words, and the last line of the user's own code."""

    type: str = ""
    message: str = ""
    place: Place = field(default_factory=Place)
    source: str = ""
    numbers: dict[str, Any] = field(default_factory=dict)


@dataclass
class Layer:
    """One module of a model with parameters or an effect of its own, and the line where it was made."""

    name: str
    type: str
    parameters: int = 0
    trainable: int = 0
    file: str | None = None
    line: int | None = None
    options: dict[str, float] = field(default_factory=dict)


@dataclass
class Model:
    """A network that was called in training."""

    name: str
    type: str
    parameters: int = 0
    trainable: int = 0
    layers: list[Layer] = field(default_factory=list)


@dataclass
class Optimizer:
    """An optimizer, as it was made; ``made`` counts those over the same tensors."""

    name: str
    type: str
    parameters: int = 0
    lr: float = 0.0
    momentum: float = 0.0
    betas: list[float] = field(default_factory=list)
    eps: float | None = None
    weight_decay: float = 0.0
    file: str | None = None
    line: int | None = None
    steps: int = 0
    last: int = 0  # step in which it was last used
    made: int = 1
    lines: dict[str, int] = field(default_factory=dict)  # where its options were set
    schedule: str | None = None
    schedule_place: Place = field(default_factory=Place)
    schedule_steps: int = 0  # how often the schedule went on
    schedule_step: Place = field(default_factory=Place)  # where it does
    schedule_loops: int = 0  # loops around that line: epochs and batches


@dataclass
class Operation:
    """A node of the graph between the loss and the nearest weights."""

    name: str
    file: str | None = None
    line: int | None = None
    layer: str | None = None
    is_called: bool = False  # the line calls the layer itself, not a container of it
    axis: int | None = None
    shape: list[int] = field(default_factory=list)
    low: float | None = None
    high: float | None = None


@dataclass
class Target:
    """What the loss compares with, over all samples."""

    kind: str = "unknown"  # classes, numbers, probabilities, unknown
    dtype: str = ""
    shape: list[int] = field(default_factory=list)
    low: float = math.nan
    high: float = math.nan
    classes: int = 0  # distinct whole numbers seen
    majority: float = 0.0  # share of the most frequent
    spread: float = math.nan
    constant_loss: float | None = None


@dataclass
class Loss:
    """One term of the loss, read from the graph: what it compares, and what lies above and below it."""

    operation: str
    file: str | None = None
    line: int | None = None
    above: list[str] = field(default_factory=list)
    below: list[Operation] = field(default_factory=list)
    sign: int = 1
    scale: float = 1.0  # what the mean over rows is multiplied with in the whole loss
    reduction: str = "mean"
    shape: list[int] = field(default_factory=list)
    low: float = math.nan
    high: float = math.nan
    row_sum: float = math.nan  # largest distance of a row's sum from 1
    exp_row_sum: float = math.nan  # the same of the exponentials
    spread: float = math.nan  # of the outputs over the rows, at last
    first_spread: float = math.nan
    accuracy: list[float] = field(default_factory=list)
    predicted_majority: float = 0.0
    label_width: int = 0
    outside: float = 0.0  # share of the targets that the last activation cannot reach
    broadcast: list[list[int]] = field(default_factory=list)
    target: Target = field(default_factory=Target)
    made: Place = field(default_factory=Place)  # the line of the loss module, if there is one
    negated: Place = field(default_factory=Place)
    phase: int = 0
    seen: int = 0


@dataclass
class Series:
    """Figures over the steps; a figure that was not measured in a step is None."""

    step: list[int] = field(default_factory=list)
    loss: list[float] = field(default_factory=list)
    lr: list[float | None] = field(default_factory=list)
    gradient_norm: list[float | None] = field(default_factory=list)
    update_ratio: list[float | None] = field(default_factory=list)


@dataclass
class Paired:
    """In sampled steps: the loss, and that of the best constant prediction on the very same targets."""

    step: list[int] = field(default_factory=list)
    loss: list[float] = field(default_factory=list)
    constant: list[float] = field(default_factory=list)


@dataclass
class LayerStats:
    """What a layer gave out and how it moved, first and last time it was looked at."""

    type: str = ""
    step: int = 0
    depth: int = 0
    first: dict[str, float] = field(default_factory=dict)
    last: dict[str, float] = field(default_factory=dict)
    gradient_norm: list[float] = field(default_factory=list)
    update_ratio: list[float] = field(default_factory=list)
    weight_norm: list[float] = field(default_factory=list)
    decay_share: list[float] = field(default_factory=list)
    equal_rows: list[bool] = field(default_factory=list)
    size: int = 0
    place: Place = field(default_factory=Place)  # of a tensor that belongs to no module
    start: Place = field(default_factory=Place)  # where its weights got their first values
    bias_start: Place = field(default_factory=Place)


@dataclass
class Evaluation:
    """A phase of forwards without gradient between two steps."""

    step: int
    rows: int = 0
    loss: float | None = None
    mode: str = "eval"
    accuracy: float | None = None
    repeated: bool = False
    judged: bool = False
    overlap: float = 0.0
    place: Place = field(default_factory=Place)


@dataclass
class Data:
    """The rows that went into the model."""

    kind: str = "numbers"  # numbers, images, sequences, tokens
    rows: int = 0
    distinct: int = 0
    batches: int = 0
    batch_sizes: list[int] = field(default_factory=list)
    available: int = 0
    place: Place = field(default_factory=Place)
    columns: int = 0
    mean: float = 0.0  # largest absolute mean of a column
    std: float = 1.0  # largest standard deviation
    least_std: float = 1.0  # smallest of those that vary
    column: int = 0  # the one with the largest scale
    within_entropy: float = math.nan
    over_entropy: float = math.nan
    p_sorted: float = 1.0
    same: float = 1.0  # share of the batches that are one of the first two
    moving: bool = False  # targets of the same rows change, as those that a network makes
    overlap: float = 0.0
    validation_rows: int = 0
    few_valued: bool = False
    shift: float = 0.0
    shift_ratio: float = 1.0
    shift_column: int = 0
    shift_largest: float = 0.0  # of that column
    telling_column: int | None = None
    origins: dict[str, Place] = field(default_factory=dict)  # lines that made rows, order, targets
    signal: dict[str, float] = field(default_factory=dict)


@dataclass
class Facts:
    """Everything that rules know of a run."""

    script: str = ""
    arguments: list[str] = field(default_factory=list)
    code: int | None = None
    failure: Failure | None = None
    stopped: str | None = None
    seconds: float = 0.0
    steps: int = 0
    passes: int = 0
    sampled: int = 0
    updates: bool = False  # whether weights ever moved
    phase_start: int = 0  # step at which another optimizer took over
    versions: dict[str, str] = field(default_factory=dict)
    models: list[Model] = field(default_factory=list)
    optimizers: list[Optimizer] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    whole: bool = False  # whether the terms add up to the whole loss
    series: Series = field(default_factory=Series)
    paired: Paired = field(default_factory=Paired)
    layers: dict[str, LayerStats] = field(default_factory=dict)
    evaluations: list[Evaluation] = field(default_factory=list)
    data: Data = field(default_factory=Data)
    witnesses: dict[str, Witness] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def witness(self, name: str) -> Witness:
        """What is known of a question, nothing where it never came up."""
        return self.witnesses.get(name, Witness())

    def constant_loss(self) -> float | None:
        """The loss of the best constant prediction, in the units of the series; of a game of two players nobody knows it."""
        if sum(optimizer.steps > 0 and optimizer.last >= self.phase_start for optimizer in self.optimizers) > 1:  # fmt: skip
            return None
        last = max((term.phase for term in self.losses), default=0)
        now = [term for term in self.losses if term.phase == last]
        usual = [term for term in now if 2 * term.seen >= max(t.seen for t in now)]
        if not self.whole or not usual:
            return None
        parts = [term.target.constant_loss for term in usual]
        if any(part is None for part in parts):
            return None
        return sum(term.scale * part for term, part in zip(usual, parts, strict=True) if part is not None)  # fmt: skip


def to_json(facts: object) -> str:
    """Write facts down; what is not finite becomes a word, so that any reader takes it.

    >>> to_json(Place(line=3))
    '{"file": null, "line": 3, "layer": null, "step": null}'
    """
    return json.dumps(plain(facts), ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """Dictionaries, lists, numbers and words."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def from_json(text: str) -> Facts:
    """Read what :func:`to_json` wrote."""
    facts: Facts = _build(Facts, json.loads(text))
    return facts


def _build(kind: Any, value: Any) -> Any:
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        return kind(**{name: _build(hints[name], entry) for name, entry in value.items()})
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return None if value is None else _build(inner[0], value)
    if origin is list:
        return [_build(inner[0], entry) for entry in value]
    if origin is dict:
        return {key: _build(inner[1], entry) for key, entry in value.items()}
    return float(value) if kind is float else value
