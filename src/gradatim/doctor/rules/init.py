"""Rules on the start: weights that are equal, too large or too small."""

from gradatim.doctor.facts import Facts
from gradatim.doctor.findings import Finding
from gradatim.doctor.rules.grad import start_of, weighted
from gradatim.doctor.rules.making import Symptoms, learning_failed, make

FAR_START = 3.0  # times the constant's loss
LOOKS = 6  # the sixth is after step 10
GROWTH = 10.0  # of activations per layer
NORMAL_LAYERS = {"Linear", "Conv1d", "Conv2d", "Conv3d", "tensor"}


def constant(facts: Facts, symptoms: Symptoms) -> Finding | None:
    for name, stats in weighted(facts):
        alike = (
            stats.equal_rows
        )  # looked at in steps 0 to 3, 8, 15 and later; rounding may part them in the end
        still = (
            len(alike) >= 2
            and alike[0]
            and (alike[-1] or (len(alike) > LOOKS and all(alike[:LOOKS])))
        )
        if still:
            return make("init.constant", start_of(facts, name), cause=f"all units of {name} start with the same weights, get the same gradients and stay the same", strength=0.95)  # fmt: skip
    return None


def scale(facts: Facts, symptoms: Symptoms) -> Finding | None:
    if not learning_failed(symptoms):
        return None
    constant_loss, losses = facts.constant_loss(), facts.series.loss
    far = (
        losses[0] / constant_loss
        if losses and constant_loss and constant_loss > 0 and losses[0] == losses[0]
        else 1.0
    )
    strangest, name = 1.0, None
    for layer, stats in facts.layers.items():
        gain = stats.first.get("gain")  # weight spread against 1/√(inputs)
        if gain is None or stats.type not in NORMAL_LAYERS:
            continue
        ratio = max(gain, 1 / max(gain, 1e-12))
        if ratio > strangest:
            strangest, name = ratio, layer
    if strangest > GROWTH and name is not None:
        gain = facts.layers[name].first["gain"]
        size = "large" if gain > 1 else "small"
        return make("init.scale", start_of(facts, name), cause=f"the weights of {name} start {strangest:,.0f} times too {size}", strength=0.7, ratio=gain, first_loss_to_constant=far)  # fmt: skip
    if far > FAR_START:
        return make("init.scale", None, cause=f"the first loss is {far:.3g} times that of a constant prediction", strength=0.25, ratio=far)  # fmt: skip
    return None


RULES = {"init.constant": constant, "init.scale": scale}
