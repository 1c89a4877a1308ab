"""The harness, with contestants that only pretend to train."""

import importlib.util
import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

ROOT = Path(__file__).parents[2]


def import_by_path(name, file):
    if name not in sys.modules:
        folders = [str(file.parent)]
        spec = importlib.util.spec_from_file_location(
            name, file, submodule_search_locations=folders
        )
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


import_by_path("benchmarks", ROOT / "benchmarks" / "__init__.py")

from benchmarks.contestants import contestant  # noqa: E402
from benchmarks.contestants.mlp.task import Task  # noqa: E402
from benchmarks.jobs import EVERYBODY, Claim, Job, all_jobs  # noqa: E402

from benchmarks import harness, machine, remote, report, run, verdicts, worker  # noqa: E402


def module(title, *, requires=(), variants=("plain",)):
    return SimpleNamespace(TITLE=title, REQUIRES=requires, VARIANTS=variants)


class Fake:
    """Answers with times that were laid out beforehand, and writes down when it was asked."""

    source, flops = "made-up data", 4e9

    def __init__(self, name, times, asked):
        self.name, self.times, self.asked, self.is_closed = name, times, asked, False

    def time(self, variant, epochs):
        self.asked.append((self.name, variant, epochs))
        times = self.times[variant]
        if not times:
            raise remote.ContestantFailed("RuntimeError: out of luck")
        return [times.pop(0) for _ in range(epochs)]

    def check(self, variant):
        return {"plain": 0.9, "1 thread": 0.8}[variant]

    def close(self):
        self.is_closed = True


MODULES = {
    "gradatim": module("Gradatim"),
    "tuned": module("Tuned loop", variants=("plain", "1 thread")),
    "absent": module("Absent library", requires=("no_such_library",)),
}
JOB = Job(
    name="toy",
    title="a toy",
    family="toys",
    contestants=tuple(MODULES),
    load=lambda quick: None,
    check="accuracy",
    epochs=2,
    claims=(
        Claim("tuned"),
        Claim("tuned", 2.5),
        Claim("absent", 3.0),
        Claim(EVERYBODY, is_goal=True),
    ),
)


@pytest.fixture
def times():
    return {
        "gradatim": {"plain": [0.5, 0.4, 0.6, 0.7]},
        "tuned": {"plain": [1.5, 1.1, 1.2, 1.3], "1 thread": [0.9, 1.0, 0.8, 2.0]},
    }


@pytest.fixture
def play(monkeypatch, times):
    monkeypatch.setattr(harness, "find_contestant", lambda family, name: MODULES[name])
    asked, fakes = [], []

    def start(job, name, *, quick):
        fakes.append(Fake(name, times[name], asked))
        return fakes[-1]

    def run_toy(job=JOB, **options):
        result = harness.run_job(job, repeats=2, start=start, **options)
        return SimpleNamespace(result=result, asked=asked, fakes=fakes)

    return run_toy


def test_repeats_are_interleaved(play):
    round_ = [("gradatim", "plain", 2), ("tuned", "plain", 2), ("tuned", "1 thread", 2)]
    assert play().asked == round_ * 2


def test_quick_times_one_epoch(play):
    assert {epochs for *_, epochs in play(quick=True).asked} == {1}


def test_the_minimum_counts_and_the_best_variant(play):
    gradatim, tuned, _ = play().result.rows
    assert gradatim.seconds == 0.4
    assert (tuned.seconds, tuned.variant, tuned.check) == (0.8, "1 thread", 0.8)
    assert gradatim.samples == {"plain": [0.5, 0.4, 0.6, 0.7]}


def test_ratios_are_to_gradatim(play):
    result = play().result
    assert result.ratio("tuned") == pytest.approx(2.0)
    assert result.ratio("gradatim") == 1.0
    assert result.ratio("absent") is None


def test_absent_peers_are_skipped_and_listed(play):
    game = play()
    absent = game.result.rows[2]
    assert absent.is_skipped
    assert absent.problem == "no_such_library not installed"
    assert absent.seconds is None
    assert [fake.name for fake in game.fakes] == ["gradatim", "tuned"]


def test_everybody_is_told_to_go_home(play):
    assert all(fake.is_closed for fake in play().fakes)


def test_a_contestant_that_fails_does_not_stop_the_others(play, times):
    times["tuned"]["plain"] = []
    game = play()
    gradatim, tuned, _ = game.result.rows
    assert tuned.problem == "failed: RuntimeError: out of luck"
    assert not tuned.is_skipped
    assert gradatim.seconds == 0.4
    assert [name for name, *_ in game.asked].count("tuned") == 1


def test_verdicts(play):
    judged = verdicts.judge(play().result)
    assert [str(verdict) for verdict in judged] == [
        "holds          toy: Gradatim is never slower than Tuned loop: measured 2.00 ×",
        "does not hold  toy: Gradatim is at least 2.5 × as fast as Tuned loop: measured 2.00 ×",
        "not checked    toy: Gradatim is at least 3 × as fast as Absent library",
        "holds          toy: goal: Gradatim is never slower than the fastest of the others: measured 2.00 ×",
    ]
    assert [verdict.holds for verdict in judged] == [True, False, None, True]


@pytest.mark.parametrize(
    ("claims", "plain", "code"),
    [
        ((Claim("tuned"), Claim("absent")), [1.0] * 4, 0),
        ((Claim("tuned", 2.5),), [1.0] * 4, 1),
        ((Claim("tuned", 2.5, is_goal=True),), [1.0] * 4, 0),
        ((), [], 1),
    ],
    ids=["holds", "does not hold", "goal missed", "a contestant failed"],
)
def test_exit_code(play, times, claims, plain, code):
    times["tuned"]["plain"] = plain
    result = play(replace(JOB, claims=claims)).result
    assert run.exit_code([result], verdicts.judge(result)) == code


MACHINE = {
    "cpu": "Abacus 1",
    "threads": 2,
    "system": "Linux x86_64",
    "python": "3.11.0",
    "matmul_peak_gflops": 100.0,
    "load_before": 0.2,
}


def test_markdown(play):
    result = play().result
    result.rows[0].versions = {"torch": "2.13.0"}
    text = report.as_markdown([result], verdicts.judge(result), MACHINE)
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert table == [
        "| contestant | ms per epoch | × Gradatim | % of peak | accuracy | fastest with |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
        "| Gradatim | 400.0 | 1.00 | 10.0 | 0.900 | plain |",
        "| Tuned loop | 800.0 | 2.00 | 5.0 | 0.800 | 1 thread |",
        "| Absent library | – | – | – | – | no_such_library not installed |",
    ]
    assert "### toy\n\na toy. Data: made-up data.\n" in text
    assert "- does not hold toy: Gradatim is at least 2.5 × as fast as Tuned loop" in text
    assert "Abacus 1, 2 threads, Linux x86_64, matrix product 100 GFLOP/s." in text
    assert "Python 3.11.0, torch 2.13.0." in text


def test_a_busy_machine_is_reported(play):
    busy = MACHINE | {"load_before": 3.5}
    assert "busy (load 3.5 on 2 processors)" in report.as_markdown([play().result], [], busy)
    assert "busy" not in report.as_markdown([], [], MACHINE)


def test_markdown_goes_between_the_marks_of_a_page(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"# Title\n\n{report.BEGIN}\nold\n{report.END}\n\nThe end.\n")
    report.write_markdown(page, "new\n")
    assert page.read_text() == f"# Title\n\n{report.BEGIN}\n\nnew\n\n{report.END}\n\nThe end.\n"
    plain = tmp_path / "plain.md"
    report.write_markdown(plain, "new\n")
    assert plain.read_text() == "new\n"


def test_json_holds_every_sample(play):
    result = play().result
    record = json.loads(report.as_json([result], verdicts.judge(result), MACHINE))
    gradatim, tuned, absent = record["jobs"][0]["contestants"]
    assert gradatim["samples"] == {"plain": [0.5, 0.4, 0.6, 0.7]}
    assert (tuned["seconds_per_epoch"], tuned["ratio"], tuned["accuracy"]) == (0.8, 2.0, 0.8)
    assert absent == {"name": "absent", "problem": "no_such_library not installed"}
    assert [claim["holds"] for claim in record["claims"]] == [True, False, None, True]
    assert record["machine"] == MACHINE


def test_the_terminal_shows_the_fastest_first(play):
    result = play().result
    result.rows.reverse()
    text = io.StringIO()
    report.print_result(Console(width=120, file=text), result, peak=1e11)
    places = [text.getvalue().index(row.title + " ") for row in reversed(result.rows)]
    assert places == sorted(places)


def test_the_first_epoch_is_not_timed(monkeypatch):
    clock = iter([10.0, 11.0, 13.0])
    monkeypatch.setattr(worker.time, "perf_counter", lambda: next(clock))
    done = []

    def train(epochs, tick):
        for epoch in range(epochs):
            done.append(epoch)
            tick()

    assert worker.time_epochs(contestant.Contestant(train, lambda: 1.0), 2) == [1.0, 2.0]
    assert done == [0, 1, 2]


def test_flops_of_an_epoch_by_hand():
    task = Task(np.zeros((10, 4), np.float32), np.zeros(10, np.int64), (4, 3, 2), 5, "zeros")
    forward, weights, inputs = 10 * (4 * 3 + 3 * 2), 10 * (4 * 3 + 3 * 2), 10 * 3 * 2
    assert task.flops == 2 * (forward + weights + inputs)


def test_peak_is_a_rate():
    assert machine.matmul_peak(seconds=0.0) > 1e6


def test_every_contestant_of_every_job_can_be_found():
    jobs = all_jobs()
    assert {"mnist-mlp", "tabular-mlp"} <= jobs.keys()
    for job in jobs.values():
        assert job.contestants[0] == "gradatim"
        for name in job.contestants:
            found = contestant.find_contestant(job.family, name)
            assert found.TITLE
            assert found.VARIANTS
            assert callable(found.build)
        assert {claim.peer for claim in job.claims} <= {*job.contestants, EVERYBODY}


def test_unknown_jobs_are_refused(capsys):
    with pytest.raises(SystemExit) as stop:
        run.parse(["mnist"])
    assert stop.value.code == 2
    assert "JOB must be one of" in capsys.readouterr().err


def test_a_process_answers_and_a_dead_one_says_why():
    entrant = remote.Remote("tabular-mlp", "scikit_learn", quick=True)
    try:
        assert entrant.source == "make_classification, 5,000 rows"
        assert len(entrant.time("1 thread", 1)) == 1
        assert 0.5 < entrant.check("1 thread") <= 1.0
        with pytest.raises(remote.ContestantFailed, match="KeyError: 'no such variant'"):
            entrant.time("no such variant", 1)
    finally:
        entrant.close()


def test_a_process_that_was_killed_is_a_failure_and_can_be_closed():
    entrant = remote.Remote("tabular-mlp", "scikit_learn", quick=True)
    try:
        entrant._process.kill()
        entrant._process.wait()
        with pytest.raises(remote.ContestantFailed, match="exit code -9"):
            entrant.time("1 thread", 1)
    finally:
        entrant.close()


def test_flops_of_lenet_by_hand():
    task = all_jobs()["lenet-step"].load(True)
    layers = [28 * 28 * 25 * 6, 10 * 10 * 150 * 16, 400 * 120, 120 * 84, 84 * 10]
    # three products a layer, two for the first: nobody needs the gradient of the data
    assert task.flops == 2 * len(task.X) * (3 * sum(layers) - layers[0])
