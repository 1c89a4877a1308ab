"""Which repairs are tried for which causes, and what their losses prove."""

import math
import time
from collections.abc import Callable
from statistics import fmean, pstdev
from typing import Any, NamedTuple

from gradatim.doctor.facts import Facts, Place, Witness
from gradatim.doctor.findings import Trial
from gradatim.doctor.ranking import candidates, suspects
from gradatim.doctor.symptoms import find_symptoms

MOST_STEPS = 300
FEWEST_STEPS = 8
SAME = 1e-3  # relative difference of the control's first losses from those observed: rounding grows with the steps
COMPARED = 12  # first losses that the control must repeat
USUAL_UPDATE = 3e-3  # of a weight, in a step that learns
FACTOR = 2.0  # a run without a symptom must be left behind by so much
SLOW_MARGIN = 0.25  # a run that does learn must be beaten fourfold

Ask = Callable[[dict[str, Any]], dict[str, Any] | None]


class Repair(NamedTuple):
    """One repair of a cause."""

    code: str
    name: str
    value: float
    words: str


REPAIRS = (
    Repair("data.unscaled", "standardize", 1.0, "inputs standardized"),
    Repair("init.scale", "default-init", 1.0, "default initialization"),
    Repair("model.linear-stack", "nonlinear", 1.0, "ReLU between the layers"),
    Repair("model.dropout", "dropout", 0.0, "without dropout"),
    Repair("model.batch-norm", "group-norm", 1.0, "group normalization"),
    Repair("model.frozen", "unfreeze", 1.0, "nothing frozen"),
    Repair("loss.summed", "divide", 0.0, "loss divided by the rows of a batch"),
    Repair("grad.vanishing", "relu", 1.0, "weights that keep gradients, and ReLU"),
    Repair("grad.dead-relu", "default-init", 1.0, "default initialization"),
    Repair("grad.saturated", "default-init", 1.0, "default initialization"),
    Repair("grad.saturated", "rescale", 1.0, "sigmoid and tanh given values of scale 1"),
    Repair("grad.exploding", "clip", 1.0, "gradient norm clipped at 1"),
    Repair("optim.schedule", "hold", 1.0, "learning rate held"),
    Repair("optim.weight-decay", "decay", 0.0, "without weight decay"),
    Repair("optim.momentum", "momentum", 1.0, "usual momentum and betas"),
    Repair("optim.clip", "unclipped", 1.0, "without clipping"),
    Repair("optim.lr-high", "lr", 0.1, "learning rate × 0.1"),
    Repair("optim.lr-low", "lr", 10.0, "learning rate × 10"),
    Repair("optim.lr-high", "lr", 0.01, "learning rate × 0.01"),
    Repair("optim.lr-low", "lr", 100.0, "learning rate × 100"),
    Repair("optim.lr-high", "lr", 0.001, "learning rate × 0.001"),
    Repair("optim.lr-low", "lr", 1000.0, "learning rate × 1,000"),
)


def try_repairs(facts: Facts, ask: Ask, seconds: float) -> list[Trial]:
    """Try the repairs of all causes that compete, the loop as written first.

    Args:
        facts: What was seen.
        ask: Sends an order to the spare process and returns its answer.
        seconds: For all trials together.
    """
    until = time.perf_counter() + seconds
    names = {symptom.name for symptom in find_symptoms(facts)}
    failed = bool(names - {"gap", "crash"})
    codes = {f.code: f for f in (candidates(facts) if failed else suspects(facts))}
    if not codes:
        return []
    steps = max(FEWEST_STEPS, min(MOST_STEPS, len(facts.series.loss)))
    control = _ask(ask, {"repair": "control"}, steps, until)
    if control is None or not control.get("losses"):
        return []
    difference = _difference(control["losses"], facts)
    trials = [Trial("", "as written", len(control["losses"]), _end(control["losses"]), None, 0.0, difference, control["ended"])]  # fmt: skip
    if difference is None or difference > SAME:
        trials[0].ended = "void"
        return trials
    margin = SLOW_MARGIN if names <= {"slow", "gap"} else 0.5
    for planned in REPAIRS:
        if planned.code not in codes:
            continue
        if planned.value and any(t.code == planned.code and t.helped for t in trials):
            continue  # a milder repair of the same cause did it
        if planned.name == "lr" and planned.value == 1000.0:
            value = _towards_usual(codes[planned.code].numbers.get("update_ratio"))
            planned = planned._replace(value=value, words=f"learning rate × {value:,.0f}")
        value = planned.value or float(codes[planned.code].numbers.get("rows", 0.0))
        answer = _ask(ask, {"repair": planned.name, "value": value}, steps, until)
        if answer is None:
            break
        trials.append(_trial(planned, answer, control, facts, difference, margin))
        trials[-1].factor = None if failed else FACTOR
    return trials


def _towards_usual(ratio: float | None) -> float:
    """The factor, a power of ten, that takes the update-to-weight ratio to about its usual size."""
    return (
        1000.0
        if not ratio or not math.isfinite(ratio)
        else max(1000.0, 10.0 ** round(math.log10(USUAL_UPDATE / ratio)))
    )


def _ask(ask: Ask, order: dict[str, Any], steps: int, until: float) -> dict[str, Any] | None:
    left = until - time.perf_counter()
    return ask({**order, "steps": steps, "seconds": min(left, 30.0)}) if left > 0.3 else None


def _trial(planned: Repair, answer: dict[str, Any], control: dict[str, Any], facts: Facts, difference: float, margin: float) -> Trial:  # fmt: skip
    losses = answer.get("losses") or []
    steps = min(len(losses), len(control["losses"]))
    written, repaired = control["losses"][:steps], losses[:steps]
    start = next((x for x in facts.series.loss if math.isfinite(x)), None)
    constant = facts.constant_loss()
    reference = min(x for x in (start, constant) if x is not None) if constant is not None and start is not None else start  # fmt: skip
    spread = 0.0
    tail = [x for x in written[-_tail(steps) :] if x is not None]
    if len(tail) > 1:
        spread = 2 * pstdev(tail) / math.sqrt(len(tail)) + 0.02 * abs(fmean(tail))
    enough = steps >= FEWEST_STEPS
    return Trial(
        planned.code, planned.words, steps, _end(written), _end(repaired) if enough else None, spread, difference,
        answer["ended"] if enough else "void", reference, margin,
    )  # fmt: skip


def _tail(steps: int) -> int:
    return max(3, steps // 8)


def _end(losses: list[float | None]) -> float | None:
    """Mean of the last losses; None where one is not finite."""
    tail = losses[-_tail(len(losses)) :]
    known = [x for x in tail if x is not None and abs(x) < 1e30]
    return fmean(known) if known and len(known) == len(tail) else None


def _difference(losses: list[float | None], facts: Facts) -> float | None:
    """How far the control is from what was observed, over its first steps."""
    observed = dict(zip(facts.series.step, facts.series.loss, strict=True))
    pairs = [(loss, observed[k]) for k, loss in enumerate(losses[:COMPARED]) if loss is not None and k in observed]  # fmt: skip
    pairs = [(a, b) for a, b in pairs if math.isfinite(b) and abs(b) < 1e6]
    if not pairs:
        return 0.0 if losses else None
    return max(abs(a - b) / max(abs(b), 1e-6) for a, b in pairs)


def trace_nan(facts: Facts, ask: Ask, seconds: float) -> None:
    """Find the operation that made the first number that is none, and note it among the facts.

    Args:
        facts: Gets the witness ``"non-finite-operation"``.
        ask: As in :func:`try_repairs`.
        seconds: For the whole way to that step.
    """
    bad = next((s for s, x in zip(facts.series.step, facts.series.loss, strict=True) if not math.isfinite(x)), None)  # fmt: skip
    if bad is None:
        return
    answer = ask({"repair": "trace", "at": bad, "steps": bad + 2, "seconds": seconds})
    if answer is None or answer.get("ended") != "traced":
        return
    place = Place(answer.get("file"), answer.get("line"), None, bad)
    if answer["kind"] == "input":
        facts.witnesses["non-finite-data"] = Witness(1, 1, place, {}, ["inputs"])
        return
    facts.witnesses["non-finite-operation"] = Witness(1, 1, place, {"largest": answer["largest"]}, [answer["operation"], answer["way"]])  # fmt: skip


def probe_model(facts: Facts, ask: Ask, seconds: float) -> None:
    """Alter the model's inputs in a copy, and note whether rows mix or the future leaks.

    Args:
        facts: Gets the witnesses ``"batch-mixing"`` and ``"future-leak"``.
        ask: As in :func:`try_repairs`.
        seconds: For all of it.
    """
    answer = ask({"repair": "probe", "steps": 1, "seconds": seconds})
    if answer is None or answer.get("ended") != "probed":
        return
    if answer.get("memory") is not None:
        where = Place(**answer["memory_place"])
        numbers = {"ratio": float(answer["memory"]), "steps": float(answer["memory_steps"])}
        facts.witnesses["memory"] = Witness(1, 1, where, numbers, [answer["memory_type"]])
    for name, key in (("batch-mixing", "mixes"), ("future-leak", "leaks")):
        if answer.get(key) is None:
            continue
        place = Place(answer["file"], answer["line"], answer["layer"])
        facts.witnesses[name] = Witness(int(answer[key]), 1, place)
