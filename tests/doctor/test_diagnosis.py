"""Rules on stored facts: each code is found where it is, and a healthy run is left alone."""

import math

import pytest

from gradatim.doctor import diagnose
from gradatim.doctor.codes import codes, find_code
from gradatim.doctor.facts import (
    Data,
    Evaluation,
    Facts,
    Failure,
    Layer,
    LayerStats,
    Loss,
    Model,
    Operation,
    Optimizer,
    Place,
    Series,
    Target,
    Witness,
    from_json,
    joined,
    to_json,
)
from gradatim.doctor.findings import Trial
from gradatim.doctor.ranking import suspects
from gradatim.doctor.record import SCHEMA, make_record
from gradatim.doctor.rules import RULES
from gradatim.doctor.symptoms import find_symptoms

SEEN = Witness(seen=5, of=5, place=Place("train.py", 7), names=["encoder"])


def series(losses, lr=0.1, ratio=1e-3):
    n = len(losses)
    return Series(list(range(n)), list(losses), [lr] * n, [1.0] * n, [ratio] * n)


def facts(curve=None, **changes):
    """A run of 60 steps on two classes, which learns unless told otherwise."""
    curve = [0.69 * 0.95**k for k in range(60)] if curve is None else curve
    target = Target("classes", "int64", [32], 0.0, 1.0, 2, 0.5, constant_loss=0.69)
    loss = Loss("cross_entropy", "train.py", 9, shape=[32, 2], label_width=2, target=target, seen=20, spread=0.5, first_spread=0.5)  # fmt: skip
    known = {
        "steps": len(curve),
        "passes": len(curve),
        "updates": True,
        "losses": [loss],
        "whole": True,
        "series": series(curve),
        "optimizers": [Optimizer("optimizer", "SGD", 100, 0.1, steps=len(curve))],
        "models": [Model("net", "Net", 100, 100, [Layer("fc", "Linear", 100, 100, "train.py", 3)])],
        "evaluations": [Evaluation(10, 50, 0.6), Evaluation(59, 50, 0.5)],
        "data": Data(rows=640, distinct=320, batches=20, batch_sizes=[32] * 20, columns=4),
    }
    return Facts(**{**known, **changes})


FLAT = [0.70 + 0.005 * math.sin(k) for k in range(60)]
GROWING = [0.7 * 1.2**k for k in range(60)]


def loss_with(*below, **changes):
    base = facts().losses[0]
    base.below = [Operation(name, "train.py", 5, shape=[32, 2]) for name in below]
    for key, value in changes.items():
        setattr(base, key, value)
    return [base]


def crash(name, message, **numbers):
    return {"failure": Failure(name, message, Place("train.py", 4), "", numbers)}


FAULTS = {
    "loss.softmax-twice": {"losses": loss_with("softmax", "addmm")},
    "loss.activation-missing": {"losses": loss_with("addmm", operation="nll_loss", low=-3.0, high=4.0, exp_row_sum=9.0)},
    "loss.broadcast": {"losses": loss_with("addmm", operation="mse_loss", broadcast=[[8, 1], [8], [8, 8]])},
    "loss.width": {"losses": loss_with("addmm", label_width=1)},
    "loss.sign": {"losses": loss_with("addmm", sign=-1, accuracy=[0.5, 0.1]), "series": series([-0.69 - k for k in range(60)])},
    "loss.detached": {"witnesses": {"detached": SEEN}},
    "loss.labels": crash("IndexError", "Target 3 is out of bounds.", kind="labels", cause="label 3 is outside", remedy="Subtract 1."),
    "optim.missing-parameters": {"witnesses": {"missing": SEEN}},
    "optim.stale-parameters": {"witnesses": {"stale": SEEN, "missing": SEEN}},
    "optim.no-zero-grad": {"witnesses": {"kept-gradients": SEEN}},
    "optim.no-step": {"steps": 0, "updates": False, "optimizers": [Optimizer("optimizer", "SGD")]},
    "optim.zeroed-before-step": {"witnesses": {"zeroed-gradients": SEEN}},
    "optim.recreated": {"optimizers": [Optimizer("optimizer", "Adam", steps=60, made=60)]},
    "optim.lr-high": {"series": series(GROWING, ratio=0.5)},
    "optim.lr-low": {"series": series(FLAT, ratio=1e-7)},
    "optim.momentum": {"series": series(FLAT), "optimizers": [Optimizer("optimizer", "SGD", 100, 0.1, 0.999, steps=60)]},
    "optim.clip": {"series": series(FLAT), "witnesses": {"clipped": Witness(16, 16, numbers={"limit": 1e-6, "norm": 1.0})}},
    "grad.cut": {"witnesses": {"cut": SEEN}},
    "grad.dead-relu": {"series": series(FLAT), "layers": {"fc": LayerStats("Linear", first={"dead": 0.95}, last={"dead": 0.95})}},
    "init.constant": {"layers": {"fc": LayerStats("Linear", gradient_norm=[1.0], size=9, equal_rows=[True, True])}},
    "init.scale": {"series": series(GROWING), "layers": {"fc": LayerStats("Linear", first={"gain": 90.0})}},
    "model.eval-in-training": {"witnesses": {"eval-in-training": SEEN}},
    "model.not-registered": {"witnesses": {"not-registered": SEEN}},
    "model.frozen": {"witnesses": {"frozen-all": SEEN, "detached": SEEN}, "series": series(FLAT)},
    "model.batch-mixing": {"witnesses": {"batch-mixing": SEEN}},
    "model.future-leak": {"witnesses": {"future-leak": SEEN}},
    "data.nan": {"witnesses": {"non-finite-data": SEEN}, "series": series([math.nan] * 20)},
    "data.unscaled": {"series": series(FLAT), "data": Data("numbers", 640, 320, 20, [32] * 20, columns=4, mean=900.0, std=4000.0)},
    "data.unshuffled": {"data": Data("numbers", 640, 320, 20, [32] * 20, within_entropy=0.01, over_entropy=0.69, p_sorted=1e-12)},
    "data.same-batch": {"data": Data("numbers", 640, 32, 20, [32] * 20, available=900)},
    "data.leak": {"data": Data("numbers", 640, 320, 20, [32] * 20, overlap=0.4, validation_rows=50)},
    "data.validation-differs": {"data": Data("numbers", 640, 320, 20, [32] * 20, shift=40.0)},
    "metric.shape": {"witnesses": {"argmax-of-one": SEEN}},
    "crash.shape": crash("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)"),
    "crash.dtype": crash("RuntimeError", "mat1 and mat2 must have the same dtype, but got Double and Float"),
    "crash.device": crash("RuntimeError", "Expected all tensors to be on the same device, but found cpu and cuda:0"),
    "crash.backward": crash("RuntimeError", "Trying to backward through the graph a second time"),
    "crash.memory": crash("OutOfMemoryError", "CUDA out of memory"),
    "crash.other": crash("KeyError", "'x'"),
}  # fmt: skip


def test_a_healthy_run_is_left_alone():
    diagnosis = diagnose(facts())
    assert diagnosis.is_healthy
    assert not diagnosis.symptoms
    assert set(diagnosis.checks) == set(codes())
    assert diagnosis.checks["optim.no-zero-grad"] == "clear"


@pytest.mark.parametrize("code", FAULTS)
def test_a_fault_is_named_first(code):
    found = diagnose(facts(**FAULTS[code])).findings
    assert found[0].code == code
    assert found[0].severity != "note"
    assert diagnose(facts(**FAULTS[code])).checks[code] == "found"


@pytest.mark.parametrize("code", ["optim.lr-high", "optim.lr-low", "data.unscaled", "grad.dead-relu", "init.scale", "optim.momentum"])  # fmt: skip
def test_a_statistic_without_a_symptom_is_no_alarm(code):
    changed = {**FAULTS[code], "series": facts().series}
    assert diagnose(facts(**changed)).is_healthy


def test_what_follows_from_a_cause_is_folded_under_it():
    changed = {**FAULTS["optim.no-zero-grad"], "series": series(GROWING, ratio=0.5)}
    names = [f.code for f in diagnose(facts(**changed)).findings if f.severity != "note"]
    assert names == ["optim.no-zero-grad"]


def test_a_trial_that_helps_proves_a_cause_and_the_one_that_does_not_takes_it_away():
    run = facts(series=series(FLAT, ratio=5e-5))
    helped = Trial("optim.lr-low", "learning rate × 100", 60, 0.7, 0.2, 0.01, 0.0, reference=0.69)
    assert "0.2 after 60 steps; as written: 0.7" in (
        diagnose(run, [helped]).findings[0].trial or ""
    )
    useless = Trial("optim.lr-low", "learning rate × 100", 60, 0.7, 0.69, 0.02, 0.0, reference=0.69)
    assert diagnose(run, [useless]).is_healthy


def test_what_was_not_tested_or_did_not_help_says_so():
    run = facts(series=series(FLAT, ratio=1e-7))
    assert diagnose(run).findings[0].trial == "not tested"
    useless = Trial("optim.lr-low", "learning rate × 10", 60, 0.7, 0.69, 0.02, 0.0, reference=0.69)
    assert diagnose(run, [useless]).findings[0].trial.startswith("did not help: learning rate × 10")


def test_guesses_at_what_a_broken_contract_explains_are_not_listed():
    changed = {**FAULTS["loss.broadcast"], "series": series(FLAT, ratio=0.5)}
    assert [f.code for f in diagnose(facts(**changed)).findings] == ["loss.broadcast"]


def test_phases_are_judged_apart():
    healthy, sick = {"missing": Witness(0, 40)}, {"missing": Witness(5, 5)}
    assert joined([healthy, sick])["missing"].always
    assert joined([sick, healthy])["missing"].always
    assert joined([healthy, {"missing": Witness(2, 5)}])["missing"] == Witness(2, 45)


def test_facts_are_json_both_ways():
    run = facts(**FAULTS["data.nan"], failure=Failure("KeyError", "x"))
    again = from_json(to_json(run))
    assert to_json(again) == to_json(run)
    assert math.isnan(again.series.loss[0])
    assert again.losses[0].target.constant_loss == 0.69


def test_the_record_has_the_stated_fields():
    run = facts(**FAULTS["loss.softmax-twice"])
    record = make_record(run, diagnose(run))
    assert list(record) == [
        "schema", "script", "arguments", "exit", "stopped", "seconds", "steps", "versions", "models", "optimizers", "losses",
        "series", "layers", "evaluations", "symptoms", "findings", "trials", "checks", "notes",
    ]  # fmt: skip
    assert record["schema"] == SCHEMA
    fields = [
        "code",
        "severity",
        "confidence",
        "where",
        "numbers",
        "cause",
        "remedy",
        "explains",
        "trial",
    ]
    assert list(record["findings"][0]) == fields


def test_every_code_has_a_rule_and_every_rule_a_code():
    assert set(RULES) == set(codes())
    assert len(codes()) == 60


def test_an_unknown_code_names_the_nearest():
    with pytest.raises(ValueError, match=r"Try 'loss\.broadcast'"):
        find_code("loss.brodcast")


@pytest.mark.parametrize(
    ("losses", "name"),
    [(FLAT, "not-learning"), (GROWING, "diverging"), ([0.7] * 20 + [math.nan] * 3, "non-finite")],
)
def test_symptoms_are_measured_against_the_constant(losses, name):
    assert name in {symptom.name for symptom in find_symptoms(facts(series=series(losses)))}


LEARNS = [0.69 * (0.2 + 0.8 * 0.97**k) for k in range(100)]


def test_a_far_off_option_is_tried_without_a_symptom_and_blamed_only_if_the_repair_halves_the_loss():
    odd = [Optimizer("optimizer", "Adam", 100, 1e-3, betas=[0.9, 0.999], eps=1.0, steps=100)]
    run = facts(LEARNS, optimizers=odd)
    assert diagnose(run).is_healthy
    assert [f.code for f in suspects(run)] == ["optim.momentum"]
    assert suspects(facts(LEARNS)) == []
    halved = Trial("optim.momentum", "usual betas", 100, 0.16, 0.07, 0.01, 0.0, reference=0.69, factor=2.0)  # fmt: skip
    found = diagnose(run, [halved])
    assert found.findings[0].code == "optim.momentum"
    assert [s.name for s in found.symptoms] == ["slow"]
    better = Trial("optim.momentum", "usual betas", 100, 0.16, 0.09, 0.01, 0.0, reference=0.69, factor=2.0)  # fmt: skip
    assert diagnose(run, [better]).is_healthy
    learned = Trial("optim.momentum", "usual betas", 100, 0.04, 0.01, 0.001, 0.0, reference=0.69, factor=2.0)  # fmt: skip
    assert diagnose(run, [learned]).is_healthy  # there was nothing left to gain


def memory(kind, ratio):
    place = Place("train.py", 7, "rnn")
    return {"memory": Witness(1, 1, place, {"ratio": ratio, "steps": 40.0}, [kind])}


def test_gradients_that_vanish_over_time_are_blamed_on_a_plain_recurrent_layer():
    found = diagnose(facts(FLAT, witnesses=memory("RNN", 1e-9))).findings[0]
    assert (found.code, found.where.line, found.where.layer) == ("grad.vanishing", 7, "rnn")
    assert diagnose(facts(witnesses=memory("RNN", 1e-9))).is_healthy
    gated = diagnose(facts(FLAT, witnesses=memory("LSTM", 1e-9))).findings
    assert next(f for f in gated if f.code == "grad.vanishing").strength < found.strength
    grown = diagnose(facts(GROWING, witnesses=memory("RNN", 1e6))).findings
    assert "grad.exploding" in [f.code for f in grown]


def test_a_repair_that_hardly_helps_does_not_go_before_strong_evidence():
    run = facts(FLAT, witnesses=memory("RNN", 1e-9))
    weak = Trial("optim.lr-low", "learning rate × 10", 60, 0.7, 0.66, 0.01, 0.0, reference=0.69)
    assert diagnose(run, [weak]).findings[0].code == "grad.vanishing"
    strong = Trial("optim.lr-low", "learning rate × 10", 60, 0.7, 0.1, 0.01, 0.0, reference=0.69)
    assert diagnose(run, [strong]).findings[0].code == "optim.lr-low"


@pytest.mark.parametrize(("loops", "kind", "line"), [(2, "StepLR", 31), (1, "StepLR", 12), (2, "OneCycleLR", 12)])  # fmt: skip
def test_a_schedule_is_placed_where_it_is_stepped_too_often(loops, kind, line):
    own = Optimizer("optimizer", "SGD", 100, 0.1, steps=60, schedule=kind, schedule_place=Place("train.py", 12), schedule_steps=60, schedule_step=Place("train.py", 31), schedule_loops=loops)  # fmt: skip
    curve = series(FLAT)
    curve.lr = [0.1 * 0.5**k for k in range(60)]
    found = diagnose(facts(series=curve, optimizers=[own])).findings[0]
    assert (found.code, found.where.line) == ("optim.schedule", line)


def names(losses, **changes):
    return {symptom.name for symptom in find_symptoms(facts(losses, **changes))}


def test_a_run_that_loses_what_it_had_learned_is_unstable():
    falls = [0.69 * 0.95**k for k in range(100)]
    assert "unstable" not in names(falls)
    assert "unstable" in names(falls + [0.02 + 0.004 * k for k in range(100)])


def test_losses_of_single_rows_jump_by_themselves():
    jumping = [0.3 + (2.0 if k % 9 == 0 else 0.0) for k in range(180)]
    single = Data(rows=640, distinct=320, batches=20, batch_sizes=[1] * 20, columns=4)
    assert "unstable" in names(jumping)
    assert "unstable" not in names(jumping, data=single)


def test_no_learning_rate_is_made_of_numbers_that_are_none():
    run = facts(FLAT)
    run.series.update_ratio[3:] = [math.nan] * 57
    assert diagnose(run).findings is not None


@pytest.mark.parametrize(("hits", "classes", "found"), [(0.4, 10, ["loss.wrong-kind"]), (0.97, 10, []), (0.4, 0, [])])  # fmt: skip
def test_a_regression_on_classes_is_blamed_if_its_own_comparison_seldom_agrees(
    hits, classes, found
):
    term = Loss("mse_loss", "train.py", 9, shape=[32], target=Target("numbers", classes=classes, low=0.0, high=9.0, constant_loss=8.0), seen=20)  # fmt: skip
    compared = {"compared-as-classes": Witness(5, 5, SEEN.place, {"hits": hits})}
    run = facts([8.0 * 0.96**k for k in range(100)], losses=[term], witnesses=compared)
    assert [f.code for f in diagnose(run).findings if f.severity != "note"] == found


def test_a_faster_rate_is_no_fault_of_a_run_that_learns_and_moves_as_usual():
    curve = [0.69 - 0.0004 * k for k in range(300)]
    run = facts(curve, series=series(curve, ratio=2e-3))
    assert [s.name for s in find_symptoms(run)] == ["slow"]
    faster = Trial("optim.lr-low", "learning rate × 10", 100, 0.6, 0.1, 0.01, 0.0, reference=0.69, margin=0.25)  # fmt: skip
    assert diagnose(run, [faster]).is_healthy
    still = facts(curve, series=series(curve, ratio=2e-5))
    assert diagnose(still, [faster]).findings[0].code == "optim.lr-low"
