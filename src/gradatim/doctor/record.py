"""The record of a run, as other programs read it: schema ``gradatim-doctor/1``."""

from typing import Any

from gradatim.doctor.facts import Facts, LayerStats, plain
from gradatim.doctor.findings import Diagnosis
from gradatim.errors import require

SCHEMA = "gradatim-doctor/1"


def make_record(facts: Facts, diagnosis: Diagnosis) -> dict[str, Any]:
    """Put facts and verdict together.

    Args:
        facts: What was seen.
        diagnosis: What follows from it.
    """
    failure = facts.failure
    exception = None if failure is None else {"type": failure.type, "message": failure.message, "file": failure.place.file, "line": failure.place.line}  # fmt: skip
    return {
        "schema": SCHEMA,
        "script": facts.script,
        "arguments": facts.arguments,
        "exit": {"code": facts.code, "exception": exception},
        "stopped": facts.stopped,
        "seconds": round(facts.seconds, 3),
        "steps": facts.steps or facts.passes,
        "versions": facts.versions,
        "models": [_model(model) for model in plain(facts.models)],
        "optimizers": plain(facts.optimizers),
        "losses": [_loss(loss) for loss in plain(facts.losses)],
        "series": plain(facts.series),
        "layers": {name: _layer(stats) for name, stats in facts.layers.items()},
        "evaluations": [
            {"step": e.step, "rows": e.rows, "loss": plain(e.loss), "mode": e.mode}
            for e in facts.evaluations
        ],
        "symptoms": plain(diagnosis.symptoms),
        "findings": [_finding(finding) for finding in plain(diagnosis.findings)],
        "trials": [_trial(trial) for trial in plain(diagnosis.trials)],
        "checks": diagnosis.checks,
        "notes": facts.notes,
    }


def _model(model: dict[str, Any]) -> dict[str, Any]:
    kept = ("name", "type", "parameters", "file", "line")
    layers = [{k: layer[k] for k in kept} for layer in model["layers"]]
    return {"name": model["name"], "type": model["type"], "parameters": model["parameters"], "layers": layers}  # fmt: skip


def _loss(loss: dict[str, Any]) -> dict[str, Any]:
    target = {k: loss["target"][k] for k in ("kind", "classes", "constant_loss")}
    return {"operation": loss["operation"], "file": loss["file"], "line": loss["line"], "target": target}  # fmt: skip


def _layer(stats: LayerStats) -> dict[str, Any]:
    last = {**stats.first, **stats.last}
    told: dict[str, Any] = plain(
        {
            "step": stats.step,
            "mean": last.get("mean"),
            "std": last.get("std"),
            "zeros": last.get("zeros"),
            "gradient_norm": stats.gradient_norm[-1] if stats.gradient_norm else None,
            "update_ratio": stats.update_ratio[-1] if stats.update_ratio else None,
        }
    )
    return told


def _finding(finding: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in finding.items() if key != "strength"}


def _trial(trial: dict[str, Any]) -> dict[str, Any]:
    kept = ("code", "repair", "steps", "as_written", "repaired", "control_difference", "ended")
    return {key: trial[key] for key in kept}


def check_record(record: Any, name: str = "record") -> dict[str, Any]:
    """Return a record, or say that it is none.

    Args:
        record: What a file held.
        name: Of the file.
    """
    is_one = isinstance(record, dict) and record.get("schema") == SCHEMA
    require(is_one, f"doctor: '{name}' must be a record of schema {SCHEMA}", "something else", "Write one with: gradatim doctor SCRIPT --json FILE.")  # fmt: skip
    kept: dict[str, Any] = record
    return kept
