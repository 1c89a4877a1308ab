"""Rules on gradients: where they vanish, explode, are cut, or stop being numbers."""

from statistics import median

from gradatim.doctor.facts import Facts, LayerStats, Place
from gradatim.doctor.findings import Finding
from gradatim.doctor.rules.making import Symptoms, blew_up, learning_failed, make

VANISHED = 1e-3  # of the last hidden layer's gradient, per weight
STILL = 1e-6  # of a weight in one step
FORGOTTEN = 1e-4  # of the gradient of the last step, at the first
EXPLODED = 1e3
DEAD = 0.7  # of a layer's units: healthy ReLU layers have at most a third
FLAT = 0.5  # of a layer's values at the limits
HUGE_NORM = 1e3
SATURATING = {"Sigmoid", "Tanh", "sigmoid", "tanh", "Hardtanh", "Softsign"}


def weighted(facts: Facts) -> list[tuple[str, LayerStats]]:
    """Layers with gradients, in the order in which they are called."""
    found = [(name, s) for name, s in facts.layers.items() if s.gradient_norm and s.size]
    return sorted(found, key=lambda pair: pair[1].depth)


def per_weight(stats: LayerStats) -> float:
    """Gradient norm of one weight, in the middle of the samples."""
    return median(stats.gradient_norm) / stats.size**0.5


def start_of(facts: Facts, name: str, *, bias: bool = False) -> Place:
    """The line that gave the weights of a layer their first values; that of its biases where they were set apart."""
    made, stats = place_of(facts, name), facts.layers.get(name)
    if stats is None:
        return made
    if bias and stats.bias_start.line not in {None, made.line, stats.start.line}:
        return Place(stats.bias_start.file, stats.bias_start.line, name)
    known = stats.start if stats.start.line is not None else made
    return Place(known.file, known.line, name)


def place_of(facts: Facts, name: str) -> Place:
    """The line where a layer was made."""
    for model in facts.models:
        for layer in model.layers:
            if layer.name == name:
                return Place(layer.file, layer.line, name)
    stats = facts.layers.get(name)
    known = stats.place if stats is not None else Place()
    return Place(known.file, known.line, name)


def vanishing(facts: Facts, symptoms: Symptoms) -> Finding | None:
    return _vanishing_over_layers(facts, symptoms) or _vanishing_over_time(facts, symptoms)


def _vanishing_over_time(facts: Facts, symptoms: Symptoms) -> Finding | None:
    """A recurrent layer whose last step hardly hears of its first; gates learn to keep it, so they are blamed less."""
    memory = facts.witness("memory")
    ratio, steps = memory.numbers.get("ratio", 1.0), memory.numbers.get("steps", 0.0)
    if not memory.seen or ratio >= FORGOTTEN or "not-learning" not in symptoms or blew_up(symptoms):
        return None
    cause = f"gradients die on the way back through time: over {steps:.0f} steps of {memory.place.layer}, {ratio:.1g} of them are left"
    remedy = "Take an LSTM or a GRU (forget bias 1), start the recurrent weights orthogonal, or shorten the sequences."  # fmt: skip
    plain = memory.names[:1] and memory.names[0] not in {"LSTM", "GRU", "LSTMCell", "GRUCell"}
    return make("grad.vanishing", memory.place, cause=cause, remedy=remedy, strength=0.62 if plain else 0.4, ratio=ratio)  # fmt: skip


def _vanishing_over_layers(facts: Facts, symptoms: Symptoms) -> Finding | None:
    layers = weighted(facts)
    if len(layers) < 4 or not learning_failed(symptoms) or blew_up(symptoms):
        return None
    first, last = per_weight(layers[0][1]), max(per_weight(s) for _, s in layers[1:])
    if last <= 0 or first >= VANISHED * last:
        return None
    still = bool(layers[0][1].update_ratio) and median(layers[0][1].update_ratio) < STILL * 100
    return make("grad.vanishing", place_of(facts, layers[0][0]), cause=f"gradients die on the way back: a weight of the first layer, {layers[0][0]}, gets {first / last:.1g} of what later layers get", strength=0.7 if still or first < 1e-5 * last else 0.6, ratio=first / last)  # fmt: skip


def exploding(facts: Facts, symptoms: Symptoms) -> Finding | None:
    layers = weighted(facts)
    if not learning_failed(symptoms):
        return None
    grown = _exploding_over_time(facts)
    if grown is not None or not layers:
        return grown
    first, last = max(per_weight(s) for _, s in layers), per_weight(layers[-1][1])
    norms = [norm for norm in facts.series.gradient_norm[:16] if norm is not None]
    recurrent = [name for name, s in layers if s.type in {"RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"}]  # fmt: skip
    deep = len(layers) >= 4 and last > 0 and first > EXPLODED * last
    huge = bool(norms) and max(norms) > HUGE_NORM and (bool(recurrent) or len(layers) >= 6)
    if not deep and not (huge and blew_up(symptoms)):
        return None
    name = recurrent[0] if recurrent else layers[0][0]
    said = f"the gradient norm reaches {max(norms):.2g}" if norms else "gradients grow"
    return make("grad.exploding", start_of(facts, name), cause=f"gradients grow on the way back through {name}: {said}", strength=0.6, norm=max(norms, default=0.0))  # fmt: skip


def _exploding_over_time(facts: Facts) -> Finding | None:
    memory = facts.witness("memory")
    ratio = memory.numbers.get("ratio", 1.0)
    if ratio <= EXPLODED:
        return None
    cause = f"gradients grow on the way back through time: over {memory.numbers['steps']:.0f} steps of {memory.place.layer}, {ratio:.1g} times"
    return make("grad.exploding", memory.place, cause=cause, strength=0.62, ratio=ratio)


def dead_relu(facts: Facts, symptoms: Symptoms) -> Finding | None:
    worst = _worst(facts, "dead")
    if worst is None or worst[1] < DEAD or not learning_failed(symptoms):
        return None
    name, share = worst
    first = facts.layers[name].first.get("dead", 0.0)
    since = "from the start" if first >= DEAD else "after training began"
    return make("grad.dead-relu", start_of(facts, name, bias=True) if first >= DEAD else place_of(facts, name), cause=f"{share:.0%} of the units after {name} are 0 for every row ({since})", strength=0.65 if first >= DEAD else 0.5, dead=share)  # fmt: skip


def saturated(facts: Facts, symptoms: Symptoms) -> Finding | None:
    worst = _worst(facts, "flat")
    if worst is None or worst[1] < FLAT or not learning_failed(symptoms):
        return None
    name, share = worst
    first = facts.layers[name].first.get("flat", 0.0)
    return make("grad.saturated", start_of(facts, name) if first >= FLAT else place_of(facts, name), cause=f"{share:.0%} of the values of {name} are at its limits, where the gradient is zero", strength=0.6 if first >= FLAT else 0.5, flat=share)  # fmt: skip


def _worst(facts: Facts, what: str) -> tuple[str, float] | None:
    shares = [(name, s.last[what]) for name, s in facts.layers.items() if what in s.last]
    return max(shares, key=lambda pair: pair[1], default=None)


def cut(facts: Facts, symptoms: Symptoms) -> Finding | None:
    seen = facts.witness("cut")
    if not seen.always or facts.witness("detached").always:
        return None
    names = ", ".join(seen.names[:3]) + (" …" if len(seen.names) > 3 else "")
    cuts = facts.witness("detaching")
    how = (
        f" by {cuts.names[-1]} in line {cuts.place.line}" if cuts.names and cuts.place.line else ""
    )
    where = Place(*((cuts.place.file, cuts.place.line) if how else (seen.place.file, seen.place.line)), seen.place.layer)  # fmt: skip
    return make("grad.cut", where, cause=f"`{names}` ran, but the loss does not depend on it: it is cut off{how}", strength=0.9)  # fmt: skip


def nan(facts: Facts, symptoms: Symptoms) -> Finding | None:
    traced = facts.witness("non-finite-operation")
    if "non-finite" not in symptoms and not (facts.failure and facts.failure.numbers.get("kind") == "nan"):  # fmt: skip
        return None
    step = symptoms["non-finite"].since if "non-finite" in symptoms else facts.steps
    failure = facts.failure
    if failure is not None and failure.numbers.get("kind") == "nan":
        said = f"{failure.numbers['operation']} gives NaN in the backward pass of step {step}"
        return make("grad.nan", failure.place, cause=said, strength=0.9, step=step)
    if not traced.seen:
        early = facts.series.loss[:5] if facts.series.loss else []
        return make("grad.nan", Place(step=step), cause=f"the loss is not finite from step {step} on", strength=0.35 if any(x != x for x in early) else 0.25, step=step)  # fmt: skip
    where = Place(traced.place.file, traced.place.line, traced.place.layer, step)
    operation, way = traced.names[0], traced.names[1] if len(traced.names) > 1 else "forward"
    overflow = traced.numbers.get("largest", 0.0) > 1e18
    said = " from inputs so large that it overflows" if overflow else ""
    return make("grad.nan", where, cause=f"{operation} gives NaN or infinity in step {step} ({way}){said}", strength=0.3 if overflow else 0.8, step=step)  # fmt: skip


RULES = {
    "grad.vanishing": vanishing,
    "grad.exploding": exploding,
    "grad.dead-relu": dead_relu,
    "grad.saturated": saturated,
    "grad.cut": cut,
    "grad.nan": nan,
}
