"""Before training: a copy of the model learns one batch by heart, and is looked at while it does."""

import copy
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from gradatim.doctor.calls import tensors
from gradatim.doctor.facts import Facts, Witness
from gradatim.doctor.failing import describe_failure
from gradatim.doctor.findings import Diagnosis, Trial
from gradatim.doctor.observing import Observer
from gradatim.doctor.probing import probe
from gradatim.doctor.ranking import diagnose
from gradatim.doctor.watching import finish
from gradatim.errors import InvalidType, require

STEPS = 150  # enough to learn a batch by heart at a rate that fits
SECONDS = 4.0  # of each run; the first decides how many steps the others take
RATES = (0.1, 0.01, 10.0, 100.0)
BY_HEART = (
    0.5  # of the first loss: a rate that does not come so far on one batch is put to the test
)
NOT_ASKED = ("data.same-batch", "fit.no-validation", "data.batch-size", "fit.too-short", "fit.underfit", "data.imbalance", "data.no-signal", "data.leak")  # fmt: skip

RATE = ("optim.lr-low", "optim.lr-high", "optim.momentum")

LossFunction = Callable[[Any, Any], Tensor]


def examine(
    model: nn.Module,
    loss: LossFunction,
    batch: Sequence[Any] | Mapping[str, Any],
    optimizer: Optimizer | None = None,
) -> Diagnosis:
    """Examine a model before it is trained, in seconds: nothing of it is changed.

    A copy learns one batch by heart: its first loss is held against that of a constant prediction, every parameter must
    get a gradient, no row may depend on another, no prediction on its own future, and the loss must fall. If it does
    not, other learning rates are tried on further copies.

    Args:
        model: As it will be trained.
        loss: ``(output, target) -> scalar``.
        batch: ``(input, target)``; several inputs come before the target. A mapping goes to the model by name, its
            ``"target"`` (or ``"labels"``) to the loss.
        optimizer: Over the parameters of ``model``; Adam with a rate of 0.001 by default.

    Example:
        >>> torch.manual_seed(0)  # doctest: +ELLIPSIS
        <torch._C.Generator ...>
        >>> model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3), nn.Softmax(dim=1))
        >>> batch = torch.randn(32, 4), torch.arange(32) % 3
        >>> examine(model, nn.functional.cross_entropy, batch).findings[0].code
        'loss.softmax-twice'
    """
    inputs, named, target = split_batch(batch)
    first = _Run(model, loss, (inputs, named, target), optimizer)
    facts = first.observe()
    _probe(model, inputs, named, target, facts)
    trials = [] if facts.failure is not None else _try_rates(first, facts)
    whole = diagnose(facts, trials)
    failed = {s.name for s in whole.symptoms} & {
        "not-learning",
        "diverging",
        "non-finite",
        "unstable",
    }
    asked = not (
        optimizer is None or not failed
    )  # of the rate: a slow one may be right for all the rows
    findings = [
        f for f in whole.findings if f.code not in NOT_ASKED and (asked or f.code not in RATE)
    ]
    checks = {code: "not applicable" if code in NOT_ASKED else state for code, state in whole.checks.items()}  # fmt: skip
    return Diagnosis(findings, whole.symptoms, checks, whole.trials, whole.steps)


def split_batch(batch: Sequence[Any] | Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any], Any]:  # fmt: skip
    """What goes to the model by place, what by name, and the target.

    >>> split_batch((1, 2, 3))
    ((1, 2), {}, 3)
    >>> split_batch({"x": 1, "target": 2})
    ((), {'x': 1}, 2)
    """
    if isinstance(batch, Mapping):
        key = next((name for name in ("target", "targets", "labels", "label", "y") if name in batch), None)  # fmt: skip
        require(key is not None, "examine: batch must have a 'target' beside the inputs", sorted(batch))  # fmt: skip
        return (), {name: value for name, value in batch.items() if name != key}, batch[str(key)]
    if not isinstance(batch, tuple | list):
        raise InvalidType(f"examine: batch must be (input, target), got {type(batch).__name__}.")
    require(len(batch) >= 2, "examine: batch must be (input, target)", f"{len(batch)} entries")
    return tuple(batch[:-1]), {}, batch[-1]


class _Run:
    """Learns one batch by heart with a copy of model and optimizer."""

    def __init__(self, model: nn.Module, loss: LossFunction, batch: tuple[Any, Any, Any], optimizer: Optimizer | None) -> None:  # fmt: skip
        self.model, self.loss, self.batch, self.optimizer = model, loss, batch, optimizer
        self.steps = STEPS

    def learn(self, factor: float = 1.0, observer: Observer | None = None) -> list[float]:
        """Losses of a run at a multiple of the rate; it ends where the loss is not finite."""
        inputs, named, target = self.batch
        model, optimizer = _copied(self.model, self.optimizer, observer)
        for group in optimizer.param_groups:
            group["lr"] = group["lr"] * factor
        losses: list[float] = []
        until = time.perf_counter() + SECONDS
        model.train()
        while len(losses) < self.steps and time.perf_counter() < until:
            loss = self.loss(model(*inputs, **named), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(float(loss.detach()))
            if not math.isfinite(losses[-1]) and len(losses) > 5:
                break
        return losses

    def observe(self) -> Facts:
        """The run at the rate that was given, with all that is seen of it."""
        observer = Observer()
        failure = None
        with torch.random.fork_rng(), observer:
            try:
                losses = self.learn(observer=observer)
                self.steps = max(len(losses), 1)
            except Exception as error:
                failure = describe_failure(error, observer)
        facts = observer.facts()
        facts.failure = failure
        finish(observer, facts)
        return facts


def _copied(model: nn.Module, optimizer: Optimizer | None, observer: Observer | None) -> tuple[nn.Module, Optimizer]:  # fmt: skip
    copied = copy.deepcopy(model)
    if observer is not None:
        observer.know(copied, None)
    if optimizer is None:
        return copied, torch.optim.Adam([p for p in copied.parameters() if p.requires_grad] or [torch.zeros(1, requires_grad=True)], lr=1e-3)  # fmt: skip
    places = {id(p): name for name, p in model.named_parameters()}
    own = dict(copied.named_parameters())
    groups = []
    for group in optimizer.param_groups:
        options = {key: value for key, value in group.items() if key != "params" and key != "initial_lr"}  # fmt: skip
        groups.append({**options, "params": [own[places[id(p)]] if id(p) in places else p.detach().clone().requires_grad_() for p in group["params"]]})  # fmt: skip
    make: Callable[..., Optimizer] = type(optimizer)
    return copied, make(groups)


def _probe(model: nn.Module, inputs: Any, named: Any, target: Any, facts: Facts) -> None:
    if facts.failure is not None:
        return
    wanted = target if isinstance(target, Tensor) else next(tensors(target), None)
    with torch.random.fork_rng():
        found = probe(copy.deepcopy(model), inputs, named, wanted, rows_first=True)
    for name, holds in (("batch-mixing", found.mixes), ("future-leak", found.leaks)):
        if holds is not None:
            facts.witnesses[name] = Witness(int(holds), 1, found.place)


def _try_rates(run: _Run, facts: Facts) -> list[Trial]:
    """Where the batch is not learned by heart, the same with other rates."""
    written = [x for x in facts.series.loss if math.isfinite(x)]
    if not written or (len(written) == len(facts.series.loss) and _end(written) < BY_HEART * written[0]):  # fmt: skip
        return []
    trials = []
    for factor in RATES:
        with torch.random.fork_rng():
            losses = run.learn(factor)
        repaired = _end(losses) if losses and math.isfinite(losses[-1]) else None
        code = "optim.lr-high" if factor < 1 else "optim.lr-low"
        as_written = _end(written) if len(written) == len(facts.series.loss) else None
        trials.append(Trial(code, f"learning rate × {factor:g}", len(losses), as_written, repaired, 0.0, 0.0, reference=written[0]))  # fmt: skip
    return trials


def _end(losses: list[float]) -> float:
    tail = losses[-max(1, len(losses) // 10) :]
    return sum(tail) / len(tail)
