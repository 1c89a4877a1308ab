"""Rules on optimizers: which parameters, which rate, and whether gradients arrive."""

import math
from statistics import median

from gradatim.doctor.facts import Facts, Optimizer, Place
from gradatim.doctor.findings import Finding
from gradatim.doctor.rules.making import Symptoms, blew_up, learning_failed, make

HUGE_UPDATE = 0.1  # of a weight in one step: healthy runs move by about a thousandth
LARGE_UPDATE = 0.02
TINY_UPDATE = 1e-5  # of a weight in one step: ten thousand steps to change it by a tenth
SMALL_UPDATE = 1e-4
FEWEST_PASSES = 10  # backward passes without a step, after which none is expected any more
DEAD_RATE = 0.01  # of the largest rate
STEPS_TO_COME = 0.3  # share of the run with a dead rate
GROWTH = 100.0  # times the first rate, at the end
MOST_MOMENTUM = 0.991
MOST_EPS = 1e-3
FALLEN = 0.1  # of the first weight norm
BOUND = 10.0  # times the limit of clipping
ALWAYS_BOUND = 0.95
SCALE_FREE = {"Adam", "AdamW", "NAdam", "RAdam", "Adamax", "RMSprop", "Adagrad", "Adadelta", "Rprop", "Lion"}  # fmt: skip
HUGE_ADAM, LARGE_ADAM = 0.1, 0.02  # Adam moves every weight by about its rate


def place_of(optimizer: Optimizer | None, option: str = "") -> Place:
    """The line where it was made, or where one of its options was set."""
    return Place(optimizer.file, optimizer.lines.get(option, optimizer.line)) if optimizer else Place()  # fmt: skip


def main_optimizer(facts: Facts) -> Optimizer | None:
    """The one that stepped most."""
    return max(facts.optimizers, key=lambda o: o.steps, default=None)


def update_ratio(facts: Facts) -> float | None:
    """Median of the update-to-weight ratio over the sampled steps."""
    known = [r for r in facts.series.update_ratio if r is not None and math.isfinite(r)]
    return median(known) if known else None


def missing(facts: Facts, symptoms: Symptoms) -> Finding | None:
    seen = facts.witness("missing")
    if not seen.always or not facts.optimizers or facts.witness("stale").always:
        return None
    names = ", ".join(seen.names[:4]) + (" …" if len(seen.names) > 4 else "")
    where = place_of(main_optimizer(facts))
    where.layer = seen.names[0].rpartition(".")[0] if seen.names else None
    return make("optim.missing-parameters", where, cause=f"`{names}` get gradients but are in no optimizer, so they never move", strength=0.9, parameters=len(seen.names))  # fmt: skip


def stale(facts: Facts, symptoms: Symptoms) -> Finding | None:
    seen = facts.witness("stale")
    if not seen.always:
        return None
    cause = "the optimizer holds parameters of a module that is never called, while those of the model that is called are in no optimizer"
    return make("optim.stale-parameters", seen.place, cause=cause, strength=0.95, parameters=seen.numbers.get("stale", 0))  # fmt: skip


def no_zero_grad(facts: Facts, symptoms: Symptoms) -> Finding | None:
    seen = facts.witness("kept-gradients")
    return make("optim.no-zero-grad", seen.place, strength=0.95, steps=seen.seen) if seen.always else None  # fmt: skip


def no_step(facts: Facts, symptoms: Symptoms) -> Finding | None:
    never = facts.passes >= FEWEST_PASSES and not facts.updates and facts.steps == 0
    if not never or facts.witness("detached").always:
        return None
    seen = facts.witness("backward")
    return make("optim.no-step", seen.place, cause=f"{facts.passes} backward passes, and not one optimizer step: the weights never change", strength=0.95, passes=facts.passes)  # fmt: skip


def zeroed(facts: Facts, symptoms: Symptoms) -> Finding | None:
    seen = facts.witness("zeroed-gradients")
    return make("optim.zeroed-before-step", seen.place, strength=0.95, steps=seen.seen) if seen.always else None  # fmt: skip


def recreated(facts: Facts, symptoms: Symptoms) -> Finding | None:
    for optimizer in facts.optimizers:
        if optimizer.made >= 3:
            has_state = optimizer.type != "SGD" or optimizer.momentum > 0
            cause = f"{optimizer.type} is made {optimizer.made} times for the same parameters, so its state is lost each time"
            if has_state:
                return make("optim.recreated", place_of(optimizer), cause=cause, strength=0.9, made=optimizer.made)  # fmt: skip
    return None


def rate_place(facts: Facts) -> Place:
    """The line that sets the learning rate: of the schedule that overrides the optimizer's, of the optimizer, or of the update by hand."""
    optimizer = main_optimizer(facts)
    if optimizer is None:
        return facts.witness("by-hand").place
    if optimizer.schedule in {"OneCycleLR", "CyclicLR"} and optimizer.schedule_place.line:
        return optimizer.schedule_place
    return place_of(optimizer, "lr")


def lr_high(facts: Facts, symptoms: Symptoms) -> Finding | None:
    ratio, optimizer = update_ratio(facts), main_optimizer(facts)
    if not learning_failed(symptoms) or (optimizer is None and not facts.witness("by-hand").seen):
        return None
    adaptive, lr = optimizer is not None and optimizer.type in SCALE_FREE, largest_rate(facts)
    strength = 0.15
    early = [r for r in facts.series.update_ratio[:16] if r is not None and math.isfinite(r)]
    largest = max([ratio or 0.0, *early])
    if largest > HUGE_UPDATE or (adaptive and lr >= HUGE_ADAM):
        strength = 0.6
    elif largest > LARGE_UPDATE or (adaptive and lr >= LARGE_ADAM):
        strength = 0.4
    if blew_up(symptoms):
        strength += 0.1
    moved = f": each step changes the weights by {largest:.1%}" if largest > LARGE_UPDATE else ""
    return make("optim.lr-high", rate_place(facts), cause=f"the learning rate{_said(lr)} is too high{moved}", strength=strength, lr=lr, update_ratio=largest)  # fmt: skip


def largest_rate(facts: Facts) -> float:
    """The largest rate that was used, 0 where nobody knows it."""
    optimizer = main_optimizer(facts)
    rates = [rate for rate in facts.series.lr if rate is not None and rate == rate]
    return max([*rates, 0.0]) or (optimizer.lr if optimizer else 0.0)


def _said(lr: float) -> str:
    return f" {lr:.3g}" if lr else ""


def lr_low(facts: Facts, symptoms: Symptoms) -> Finding | None:
    ratio, lr = update_ratio(facts), largest_rate(facts)
    slow = any(name in symptoms for name in ("slow", "not-learning", "collapsed"))
    if not slow or blew_up(symptoms) or ratio is None:
        return None
    strength = 0.7 if ratio < TINY_UPDATE else 0.4 if ratio < SMALL_UPDATE else 0.15
    return make("optim.lr-low", rate_place(facts), cause=f"the learning rate{_said(lr)} is too low: each step changes the weights by {100 * ratio:.2g} %", strength=strength, lr=lr, update_ratio=ratio)  # fmt: skip


def schedule(facts: Facts, symptoms: Symptoms) -> Finding | None:
    rates = [rate for rate in facts.series.lr if rate is not None]
    optimizer = main_optimizer(facts)
    if len(rates) < 10 or optimizer is None:
        return None
    top, place = max(rates), optimizer.schedule_place
    where, remedy = place if place.line else place_of(optimizer), ""
    if _is_stepped_too_often(optimizer):
        where = optimizer.schedule_step
        remedy = "Call the schedule's step() once per epoch, outside the loop over batches."
    peak = rates.index(top)
    dead = [k for k, rate in enumerate(rates) if k > peak and rate < DEAD_RATE * top]
    share = len(dead) / len(rates)
    if dead and share > STEPS_TO_COME and learning_failed(symptoms):
        at = facts.series.step[min(len(facts.series.step) - 1, dead[0] * len(facts.series.step) // len(rates))]  # fmt: skip
        cause = f"the learning rate is below 1 % of its largest from step {at} of {facts.steps} on"
        return make("optim.schedule", where, cause=cause, remedy=remedy, strength=0.7, largest=top, last=rates[-1])  # fmt: skip
    growing = rates[-1] > GROWTH * max(rates[0], 1e-30) or (
        rates[-1] > 5 * rates[0] and blew_up(symptoms)
    )
    if rates[0] > 0 and rates[-1] == top and growing and learning_failed(symptoms):
        cause = f"the learning rate grows without end, from {rates[0]:.2g} to {rates[-1]:.2g}"
        return make("optim.schedule", where, cause=cause, strength=0.75, first=rates[0], last=rates[-1])  # fmt: skip
    return None


def _is_stepped_too_often(optimizer: Optimizer) -> bool:
    """A schedule that counts epochs goes on with every batch, within a loop of its own."""
    counts_epochs = optimizer.schedule in {"StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingLR", "PolynomialLR", "LinearLR", "MultiplicativeLR", "LambdaLR"}  # fmt: skip
    often = optimizer.schedule_steps >= 0.9 * optimizer.steps
    return counts_epochs and often and optimizer.schedule_loops >= 2


def weight_decay(facts: Facts, symptoms: Symptoms) -> Finding | None:
    optimizer = main_optimizer(facts)
    if optimizer is None or optimizer.weight_decay <= 0 or not learning_failed(symptoms):
        return None
    layers = [s for s in facts.layers.values() if len(s.weight_norm) >= 2 and s.weight_norm[0] > 0]
    fallen = [s for s in layers if s.weight_norm[-1] < FALLEN * s.weight_norm[0]]
    shares = [share for s in layers for share in s.decay_share]
    strong = bool(shares) and median(shares) > 1
    strength = 0.75 if layers and 2 * len(fallen) > len(layers) else 0.65 if strong else 0.25
    if optimizer.weight_decay >= 0.5:
        strength = max(strength, 0.45)
    return make("optim.weight-decay", place_of(optimizer, "weight_decay"), cause=f"weight_decay={optimizer.weight_decay:g} is stronger than the gradient and pulls the weights to zero", strength=strength, weight_decay=optimizer.weight_decay)  # fmt: skip


def momentum(facts: Facts, symptoms: Symptoms) -> Finding | None:
    for optimizer in facts.optimizers:
        if not learning_failed(symptoms) or optimizer.steps < 3:
            continue
        said, option = [], ""
        if optimizer.momentum > MOST_MOMENTUM - 1e-3:
            said, option = [f"momentum={optimizer.momentum:g}"], "momentum"
        if optimizer.betas and optimizer.betas[0] > MOST_MOMENTUM - 1e-3:
            said, option = [f"betas={tuple(optimizer.betas)}"], "betas"
        if len(optimizer.betas) > 1 and optimizer.betas[1] < 0.5:
            said, option = [f"betas={tuple(optimizer.betas)}"], "betas"
        if optimizer.eps is not None and optimizer.eps > MOST_EPS:
            said, option = [*said, f"eps={optimizer.eps:g}"], option or "eps"
        if said:
            return make("optim.momentum", place_of(optimizer, option), cause=f"{' and '.join(said)} of {optimizer.type} is out of the range that works", strength=0.65)  # fmt: skip
    return None


def clip(facts: Facts, symptoms: Symptoms) -> Finding | None:
    seen, optimizer = facts.witness("clipped"), main_optimizer(facts)
    if seen.of < 3 or not learning_failed(symptoms):
        return None
    limit, norm = seen.numbers.get("limit", 0.0), seen.numbers.get("norm", 0.0)
    scale_free = optimizer is not None and optimizer.type in SCALE_FREE
    if seen.seen >= ALWAYS_BOUND * seen.of and norm > BOUND * limit and (not scale_free or limit < 1e-5):  # fmt: skip
        return make("optim.clip", seen.place, cause=f"gradients of norm {norm:.2g} are clipped to {limit:g} in every step", strength=0.65, limit=limit, norm=norm)  # fmt: skip
    return None


RULES = {
    "optim.missing-parameters": missing,
    "optim.stale-parameters": stale,
    "optim.no-zero-grad": no_zero_grad,
    "optim.no-step": no_step,
    "optim.zeroed-before-step": zeroed,
    "optim.recreated": recreated,
    "optim.lr-high": lr_high,
    "optim.lr-low": lr_low,
    "optim.schedule": schedule,
    "optim.weight-decay": weight_decay,
    "optim.momentum": momentum,
    "optim.clip": clip,
}
