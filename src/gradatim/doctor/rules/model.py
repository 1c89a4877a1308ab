"""Rules on the model: modes, registration, structure."""

from gradatim.doctor.facts import Facts, Place
from gradatim.doctor.findings import Finding
from gradatim.doctor.rules.making import Symptoms, learning_failed, make

MUCH_DROPOUT = 0.7
FEW_ROWS = 4
PAIR = 1e-6


def eval_in_training(facts: Facts, symptoms: Symptoms) -> Finding | None:
    seen = facts.witness("eval-in-training")
    late = seen.seen >= 3 and seen.numbers.get("since", 0) > 0 and seen.numbers.get("again", 0) == 0
    if not seen.always and not late:
        return None
    names = ", ".join(seen.names[:3])
    since = seen.numbers.get("since", 0)
    when = f" from step {since:.0f} on" if since else ""
    return make("model.eval-in-training", seen.place, cause=f"the model trains in eval mode{when}, so {names} {'is' if len(seen.names) == 1 else 'are'} switched off", strength=0.9)  # fmt: skip


def train_in_evaluation(facts: Facts, symptoms: Symptoms) -> Finding | None:
    judged = [e for e in facts.evaluations if e.judged and not e.repeated and e.step > 0]
    wrong = [e for e in judged if e.mode == "train"]
    if not wrong or len(wrong) < len(judged):
        return None
    seen = facts.witness("train-in-evaluation")
    if not seen.seen:
        return None
    where = seen.place if seen.place.line else wrong[-1].place
    names = ", ".join(seen.names[:3])
    return make("model.train-in-evaluation", where, cause=f"the model is evaluated in train mode: {names} {'is' if len(seen.names) == 1 else 'are'} active", strength=0.85)  # fmt: skip


def not_registered(facts: Facts, symptoms: Symptoms) -> Finding | None:
    failure = facts.failure
    if failure is not None and failure.numbers.get("kind") == "empty-parameters":
        return make("model.not-registered", failure.place, cause="the optimizer got an empty parameter list: the model has no registered layers", strength=0.9)  # fmt: skip
    seen = facts.witness("not-registered")
    if seen.seen == 0:
        return None
    names = ", ".join(seen.names[:3])
    return make("model.not-registered", seen.place, cause=f"`{names}` holds layers in a plain list or dict, so parameters() does not give theirs", strength=0.97)  # fmt: skip


def frozen(facts: Facts, symptoms: Symptoms) -> Finding | None:
    failure = facts.failure
    detached = failure is not None and failure.numbers.get("kind") in {
        "detached",
        "frozen-optimizer",
    }
    seen = facts.witness("frozen")
    everything = facts.witness("frozen-all").seen > 0 or (
        detached
        and bool(facts.models)
        and all(m.trainable == 0 for m in facts.models if m.parameters)
    )
    if everything:
        known = [seen.place, facts.witness("frozen-all").place]
        where = next(
            (place for place in known if place.line), failure.place if failure else Place()
        )
        return make("model.frozen", where, cause="all parameters are frozen (requires_grad=False), so nothing can learn", strength=0.95)  # fmt: skip
    if seen.always and learning_failed(symptoms):
        names = ", ".join(seen.names[:3])
        return make("model.frozen", seen.place, cause=f"`{names}` is frozen, and it is what should learn", strength=0.62)  # fmt: skip
    return None


def linear_stack(facts: Facts, symptoms: Symptoms) -> Finding | None:
    seen = facts.witness("linear-stack")
    if not seen.always or not learning_failed(symptoms):
        return None
    return make("model.linear-stack", seen.place, cause=f"{' and '.join(f'`{name}`' for name in seen.names[:2])} follow each other without a nonlinearity, so together they are one linear layer", strength=0.6)  # fmt: skip


def batch_mixing(facts: Facts, symptoms: Symptoms) -> Finding | None:
    seen = facts.witness("batch-mixing")
    if seen.seen == 0:
        return None
    at = f" ({seen.place.layer})" if seen.place.layer else ""
    return make("model.batch-mixing", seen.place, cause=f"in eval mode, the output of one row changes when another row of the batch is replaced{at}", strength=0.93)  # fmt: skip


def future_leak(facts: Facts, symptoms: Symptoms) -> Finding | None:
    seen = facts.witness("future-leak")
    if seen.seen == 0:
        return None
    return make("model.future-leak", seen.place, cause="the output at step t changes when token t+1, which it must predict, is replaced", strength=0.95)  # fmt: skip


def batch_norm(facts: Facts, symptoms: Symptoms) -> Finding | None:
    layers = [layer for model in facts.models for layer in model.layers if layer.type.startswith("BatchNorm")]  # fmt: skip
    if not layers or not symptoms:
        return None
    sizes = facts.data.batch_sizes
    first = Place(layers[0].file, layers[0].line, layers[0].name)
    values = facts.witness("batch-norm-values").numbers.get("fewest", 1e9)
    if sizes and sorted(sizes)[len(sizes) // 2] <= FEW_ROWS and values <= 16:
        return make("model.batch-norm", first, cause=f"batch normalization with batches of {sizes[0]}: its mean and variance are noise", strength=0.6, batch_size=sizes[0])  # fmt: skip
    for layer in layers:
        momentum = layer.options.get("momentum", 0.1)
        if momentum >= 0.9 or momentum <= 1e-3:
            where = Place(layer.file, layer.line, layer.name)
            return make("model.batch-norm", where, cause=f"running statistics of {layer.name} are useless with momentum={momentum:g}", strength=0.72, momentum=momentum)  # fmt: skip
    return None


def dropout(facts: Facts, symptoms: Symptoms) -> Finding | None:
    if not learning_failed(symptoms):
        return None
    layers = [layer for model in facts.models for layer in model.layers if "p" in layer.options]
    much = max(layers, key=lambda layer: layer.options["p"], default=None)
    if much is not None and much.options["p"] >= MUCH_DROPOUT:
        where = Place(much.file, much.line, much.name)
        return make("model.dropout", where, cause=f"`{much.name}` drops {much.options['p']:.0%} of its values", strength=0.65, p=much.options["p"])  # fmt: skip
    seen = facts.witness("dropout-on-output")
    if seen.always:
        return make("model.dropout", seen.place, cause="dropout stands after the last layer, so outputs themselves are dropped", strength=0.6)  # fmt: skip
    return None


RULES = {
    "model.eval-in-training": eval_in_training,
    "model.train-in-evaluation": train_in_evaluation,
    "model.not-registered": not_registered,
    "model.frozen": frozen,
    "model.linear-stack": linear_stack,
    "model.batch-mixing": batch_mixing,
    "model.future-leak": future_leak,
    "model.batch-norm": batch_norm,
    "model.dropout": dropout,
}
