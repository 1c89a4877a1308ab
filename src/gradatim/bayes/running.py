"""The loop of draws: warm-up, draws, and a file from which a killed run goes on to the same draws."""

import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from gradatim.bayes.covariance import Welford
from gradatim.bayes.density import LogDensity
from gradatim.bayes.run_file import load_run, save_run
from gradatim.bayes.samplers import Sampler
from gradatim.bayes.step_size import DualAveraging
from gradatim.bayes.warming import Tuning, start_tuning, tune, windows
from gradatim.errors import InvalidValue
from gradatim.events import Stage, Tell

SECONDS = 10.0  # between two writings of the file


class Run(NamedTuple):
    """Where a run is; a step makes a new one, so that an interrupt never leaves half a step.

    Args:
        done: Draws so far, those of warm-up among them.
        state: Of the sampler.
        tuning: What it has learned.
        random: State of the generator.
    """

    done: int
    state: Any
    tuning: Tuning
    random: Tensor


class Record(NamedTuple):
    """What is kept of the draws after warm-up.

    Args:
        rows: Positions, shape ``(C, draws, d)``.
        info: What happened, by name, shape ``(C, draws)`` each.
    """

    rows: Tensor
    info: dict[str, Tensor]


class Job(NamedTuple):
    """What is to be done.

    Args:
        log_density: Of rows of real numbers.
        sampler: How.
        draws: After the warm-up.
        warmup: Draws that only teach the sampler.
        generator: Source of all randomness.
    """

    log_density: LogDensity
    sampler: Sampler
    draws: int
    warmup: int
    generator: torch.Generator

    def sampler_at(self, done: int) -> Sampler:
        """Who draws next."""
        return self.sampler if done >= self.warmup else self.sampler.tuner or self.sampler

    def step_size(self, run: Run) -> float:
        """The step that comes next."""
        own, step = self.sampler.step_size, run.tuning.step
        learned = step.log_average if run.done >= self.warmup else step.log_step
        return math.exp(learned) if own is None else own

    def begin(self, start: Tensor) -> Run:
        """Place the chains."""
        tuner = self.sampler.tuner or self.sampler
        state = tuner.init(self.log_density, start)
        tuning = start_tuning(self.log_density, tuner, state, self.generator)
        return self._hand_over(Run(0, state, tuning, self.generator.get_state()))

    def advance(self, run: Run) -> tuple[Run, Any]:
        """Draw once from every chain."""
        sampler, tuning = self.sampler_at(run.done), run.tuning
        state, info = sampler.step(
            self.log_density,
            run.state,
            step_size=self.step_size(run),
            inverse_mass=tuning.inverse_mass,
            generator=self.generator,
        )
        self._check(state, run.done)
        done = run.done + 1
        if done <= self.warmup:
            ends = windows(self.warmup)
            tuning = tune(self.log_density, sampler, tuning, state, info.acceptance, done, ends, self.generator)  # fmt: skip
        return self._hand_over(Run(done, state, tuning, self.generator.get_state())), info

    def _hand_over(self, run: Run) -> Run:
        """Change samplers where another one has warmed up."""
        if run.done != self.warmup or self.sampler.tuner is None:
            return run
        return run._replace(state=self.sampler.init(self.log_density, run.state.position))

    def _check(self, state: Any, done: int) -> None:
        is_lost = ~torch.isfinite(state.position).all(1)
        if is_lost.any():
            chain = int(is_lost.nonzero()[0]) + 1
            raise InvalidValue(
                f"sample: step_size must keep the chains among the numbers, got chain {chain} at infinity after {done} draws. "
                "Give a Sampler with a smaller step_size."
            )


def carry_out(
    job: Job, start: Tensor, tell: Tell, path: Path | None, identity: Mapping[str, Any]
) -> tuple[Run, Record]:
    """Draw all that is to be drawn; with a ``path`` go on from what is there, and keep the file up to date.

    Args:
        job: What is to be done.
        start: Rows of real numbers, shape ``(C, d)``.
        tell: Gets the stages.
        path: Of the file.
        identity: What tells this run from others.
    """
    record = Record(start.new_empty(len(start), job.draws, start.shape[1]), {})
    found = None if path is None else load_run(path, identity)
    run = job.begin(start) if found is None else _resume(job, start, record, found)
    due = time.monotonic() + SECONDS
    try:
        while run.done < job.warmup + job.draws:
            new, info = job.advance(run)
            if new.done > job.warmup:
                _keep(record, new.done - job.warmup - 1, new.state.position, info)
            run = new
            tell(_stage(run.done, job))
            if path is not None and time.monotonic() >= due:
                save_run(path, identity, _kept(job, run, record))
                due = time.monotonic() + SECONDS
    finally:  # also where Ctrl-C came
        if path is not None:
            save_run(path, identity, _kept(job, run, record))
    return run, record


def _keep(record: Record, index: int, position: Tensor, info: Any) -> None:
    """Write down a draw of every chain."""
    record.rows[:, index] = position
    for key, value in info._asdict().items():
        if key not in record.info:
            record.info[key] = value.new_zeros(record.rows.shape[:2])
        record.info[key][:, index] = value


def _kept(job: Job, run: Run, record: Record) -> dict[str, Any]:
    """All of a run that its file holds."""
    drawn = max(run.done - job.warmup, 0)
    return {
        "done": run.done,
        "state": list(run.state),
        "step": list(run.tuning.step),
        "seen": list(run.tuning.seen),
        "inverse_mass": run.tuning.inverse_mass,
        "idle": run.tuning.idle,
        "random": run.random,
        "rows": record.rows[:, :drawn],
        "info": {key: value[:, :drawn] for key, value in record.info.items()},
    }


def _resume(job: Job, start: Tensor, record: Record, found: dict[str, Any]) -> Run:
    """Go to where the file's run was, and fill the record with its draws."""
    done, drawn = found["done"], found["rows"].shape[1]
    record.rows[:, :drawn] = found["rows"].to(start)
    for key, value in found["info"].items():
        record.info[key] = value.new_zeros(record.rows.shape[:2]).to(start.device)
        record.info[key][:, :drawn] = value
    kind = type(job.sampler_at(done).init(job.log_density, start))
    state = kind(*(part.to(start) for part in found["state"]))
    size, *sums = found["seen"]
    mass = found["inverse_mass"]
    tuning = Tuning(
        DualAveraging(*found["step"]),
        Welford(size, *(part.to(start) for part in sums)),
        None if mass is None else mass.to(start),
        found["idle"],
    )
    job.generator.set_state(found["random"])
    return Run(done, state, tuning, found["random"])


def _stage(done: int, job: Job) -> Stage:
    share = done / (job.warmup + job.draws)
    if done <= job.warmup:
        return Stage(f"warm-up {done:,} of {job.warmup:,}", share)
    return Stage(f"draw {done - job.warmup:,} of {job.draws:,}", share)
