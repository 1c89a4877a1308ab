"""Every learner on every table, one split each, the same seconds: ``python -m benchmarks.automl.run``.

Peers are never dependencies: each has an environment of its own, named by ``--environment TOOL=PYTHON``, where
``pip install flaml[automl] scikit-learn`` or ``pip install autogluon.tabular[lightgbm,catboost]`` was said.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from benchmarks.automl.scoring import CONSTANT, OURS, Answer, describe, row_errors, summary
from benchmarks.automl.tables import TABLES, is_number, write_split

PEER = Path(__file__).with_name("peer.py")
PATIENCE = 4.0  # times its budget, after which a learner is stopped
CORES = 2


def run_peer(tool: str, python: str, train: Path, test: Path, target: str, task: str, seconds: float) -> Answer:  # fmt: skip
    """What a peer answers, from a process of its environment."""
    with tempfile.TemporaryDirectory() as folder:
        output, started = Path(folder) / "said.csv", time.perf_counter()
        words = [python, str(PEER), tool, str(train), str(test), target, task, str(seconds), str(output)]  # fmt: skip
        _run(words, {}, seconds, folder)
        spent = time.perf_counter() - started
        return Answer(row_errors(output, pd.read_csv(test)[target], task), spent)


def run_ours(train: Path, test: Path, target: str, task: str, seconds: float, prefer: str) -> Answer:  # fmt: skip
    """What the model that `gradatim fit` recommends answers."""
    root = Path(__file__).parents[2]
    env = {"PYTHONPATH": str(root / "src"), "PYTHONUTF8": "1", "MPLBACKEND": "agg"}
    with tempfile.TemporaryDirectory() as folder:
        model, new, output = (Path(folder) / name for name in ("model", "new.csv", "said.csv"))
        pd.read_csv(test).drop(columns=target).to_csv(new, index=False)
        kind = "regression" if task == "values" else "classification"
        ours = [sys.executable, "-m", "gradatim"]
        started = time.perf_counter()
        _run([*ours, "fit", str(train), "--target", target, "--task", kind, "--budget", f"{seconds:g}s", "--prefer", prefer, "-o", str(model)], env, seconds, folder)  # fmt: skip
        spent = time.perf_counter() - started
        _run([*ours, "predict", str(model), str(new), "-o", str(output)], env, seconds, folder)
        about = json.loads((model / "model.json").read_text())
        return Answer(row_errors(output, pd.read_csv(test)[target], task), spent, _note(about))


def _note(about: Mapping[str, object]) -> str:
    facts = about["about"]
    assert isinstance(facts, dict)
    cost = facts["simplicity_costs"]["mean"]
    return f"recommended {about['recommended']} ({facts['metric']} {facts['cross_validation'][about['recommended']][facts['metric']]:.4g} over the folds, simplicity costs {cost:.3g})"  # fmt: skip


def _run(words: Sequence[str], env: Mapping[str, str], seconds: float, folder: str) -> None:
    outer = {k: v for k, v in os.environ.items() if k not in ("OMP_NUM_THREADS", "PYTHONPATH")}
    done = subprocess.run(words, env={**outer, **env}, cwd=folder, capture_output=True, text=True, timeout=PATIENCE * seconds + 60)  # fmt: skip
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no words"])[-1])


def run_table(train: Path, test: Path, target: str, tools: Mapping[str, str], seconds: float, prefer: str = "simple") -> tuple[str, dict[str, Answer]]:  # fmt: skip
    """All learners on one table; one that fails is said and left out.

    Args:
        train: Rows to learn from.
        test: Rows to judge by.
        target: Column to predict.
        tools: Python of every learner's environment, by name.
        seconds: Budget of each.
        prefer: What ours prefers, ``"simple"`` or ``"accurate"``.
    """
    task = "values" if is_number(pd.read_csv(train)[target]) else "classes"
    answers = {}
    for tool, python in tools.items():
        try:
            if tool == OURS:
                answers[tool] = run_ours(train, test, target, task, seconds, prefer)
            else:
                answers[tool] = run_peer(tool, python, train, test, target, task, seconds)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"{tool} failed: {error}", flush=True)
    return task, answers


def main(arguments: Sequence[str] | None = None) -> dict[str, object]:
    """Compare on the tables asked for, write a JSON file and print the scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="*", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--environment", action="append", default=[], metavar="TOOL=PYTHON")
    parser.add_argument("--prefer", default="simple", choices=["simple", "accurate"])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "automl")
    parser.add_argument("--output", type=Path, default=Path("automl.json"))
    asked = parser.parse_args(arguments)
    tools = {CONSTANT: sys.executable, "hgb": sys.executable, OURS: sys.executable}
    tools |= dict(pair.split("=", 1) for pair in asked.environment)
    results = {}
    for name in asked.tables:
        train, test = write_split(name, TABLES[name], asked.folder / "wheels", asked.folder)
        task, answers = run_table(train, test, TABLES[name].target, tools, asked.seconds, asked.prefer)  # fmt: skip
        print(name, {t: f"{a.error(task):.4g} in {a.seconds:.0f} s" for t, a in answers.items()}, f"load {os.getloadavg()[0]:.1f}", flush=True)  # fmt: skip
        if OURS in answers and CONSTANT in answers:
            results[name] = task, answers
            found = summary(results)
            asked.output.write_text(json.dumps(found, indent=1))
    print(describe(found) if results else "nothing was compared")
    return found if results else {}


if __name__ == "__main__":
    main()
