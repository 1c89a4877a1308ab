"""Results on the disk, and going on with them."""

import json
import subprocess
import sys
from dataclasses import asdict

import pytest

from gradatim.errors import InvalidType, InvalidValue, OutputRefused, Unavailable
from gradatim.events import Cancelled, CancelToken, Stage, Warned
from gradatim.fitting.tables.kind import TableOptions
from gradatim.fitting.work import Work, begin


class Rows:
    def fingerprint(self):
        return "rows"


def run(folder, **options):
    job = TableOptions(output=str(folder), **options)
    with begin(Rows, job, tell=lambda event: None) as (_, work):
        work.recall("a", lambda: 1)
        raise KeyboardInterrupt


def test_a_run_of_the_version_before_is_refused_in_one_sentence(tmp_path):
    """Until 0.1 the work folder held the flat settings of all kinds of data."""
    old = {"data": "rows", "target": None, "task": "auto", "test": 0.2, "text": None, "model": None, "teacher": None,
           "time_column": None, "group": None, "drop": [], "pretrained": None, "forecast": None, "language_model": False,
           "translate": False, "tokenizer": None, "trials": None, "rows": None, "seed": 0}  # fmt: skip
    place = tmp_path / ".m.work"
    place.mkdir()
    (place / "job.json").write_text(json.dumps({"value": old, "clock": 3.0}))
    message = "fit: resume must go on with a run of this version, and '.*' is of another. Start anew without --resume."
    with pytest.raises(InvalidValue, match=message):
        run(tmp_path / "m", resume=True)
    assert (place / "job.json").is_file()
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "m")


def test_what_changed_is_named_and_time_place_and_resuming_are_no_change(tmp_path):
    for options in ({}, {"budget": 5.0, "resume": True}):
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "m", **options)
    with pytest.raises(InvalidValue, match="but seed, drop changed"):
        run(tmp_path / "m", resume=True, seed=1, drop=("x",))


def test_settings_are_all_options_but_the_place():
    job = TableOptions(output="m", resume=True, target="y")
    assert set(asdict(job)) - set(job.settings()) == {"output", "resume"}


def test_a_token_is_looked_at_before_a_new_result(tmp_path):
    token = CancelToken()
    work = Work(tmp_path / "w", {}, resume=False, cancel=token)
    assert work.recall("a", lambda: 1) == 1
    token.cancel()
    assert work.recall("a", lambda: 2) == 1  # known already
    with pytest.raises(Cancelled):
        work.recall("b", lambda: 2)
    assert not work.has("b")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def end(folder, rows=Rows, told=None, error=None, **options):
    """A run that takes up or computes a result and ends well, or with an error."""
    job = TableOptions(output=str(folder), **options)
    with begin(rows, job, tell=(told if told is not None else []).append) as (_, work):
        value = work.recall("a", lambda: 2)
        if error is not None:
            raise error
        return value


def test_the_same_command_takes_up_what_a_killed_run_left_and_says_so(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "m")
    (tmp_path / ".m.work" / ".a.json.gradatim-dead").write_bytes(b"half")
    told = []
    assert end(tmp_path / "m", told=told) == 1  # not computed again
    place = tmp_path / ".m.work"
    assert told == [Stage("reading the data"), Warned(f"Going on with the 1 results that an interrupted run left in {place} after 0 s.")]  # fmt: skip
    assert names(tmp_path) == []


def test_results_of_another_job_are_set_aside_and_never_read(tmp_path):
    class Others(Rows):
        def fingerprint(self):
            return "others"

    for options, rows, changed in (({"seed": 1}, Rows, "seed"), ({}, Others, "data")):
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "m")
        told, place = [], tmp_path / ".m.work.old"
        with pytest.raises(Unavailable):
            end(tmp_path / "m", rows, told, Unavailable("full"), **options)
        assert told[1] == Warned(f"An interrupted run with other data or settings ({changed}) left 1 results, which are set aside in {place}.")  # fmt: skip
        assert json.loads((place / "a.json").read_text())["value"] == 1
        assert json.loads((tmp_path / ".m.work" / "a.json").read_text())["value"] == 2
        assert end(tmp_path / "m", rows, **options) == 2
        assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("error", "is_kept"),
    [
        (KeyboardInterrupt(), True),
        (Unavailable("m: cannot be written: No space left on device."), True),
        (OutputRefused("m: must not hold files of others."), True),
        (ZeroDivisionError(), True),
        (InvalidValue("fit: the data make no sense."), False),
        (InvalidType("fit: the data make no sense."), False),
    ],
)
def test_finished_work_stays_where_it_can_be_taken_up(tmp_path, error, is_kept):
    with pytest.raises(type(error)):
        end(tmp_path / "m", error=error)
    assert names(tmp_path) == [".m.work"] * is_kept


@pytest.mark.parametrize("error", [KeyboardInterrupt, InvalidValue, Unavailable, ZeroDivisionError])
def test_nothing_is_left_where_nothing_can_be_taken_up(tmp_path, error):
    def read():
        raise error

    with pytest.raises(error):
        end(tmp_path / "deep" / "m", read)
    assert names(tmp_path / "deep") == []


def test_a_second_fit_into_the_same_output_is_refused_while_the_first_lives(tmp_path):
    refused = r"^fit: output must not be that of a fit that is running, got '.*m'\. Choose another name\.$"

    class Nested(Rows):
        def __init__(self):
            with pytest.raises(OutputRefused, match=refused):
                end(tmp_path / "m")
            end(tmp_path / "other")

    assert end(tmp_path / "m", Nested) == 2
    assert end(tmp_path / "m") == 2


def test_the_lock_dies_with_its_process(tmp_path):
    words = (
        "import os, sys; from gradatim.fitting.work import holding; from pathlib import Path\n"
        "with holding(Path(sys.argv[1]), 'm'): print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", words, str(tmp_path / ".m.work")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        with pytest.raises(OutputRefused, match="a fit that is running"):
            end(tmp_path / "m")
        other.kill()
    assert end(tmp_path / "m") == 2
    assert names(tmp_path) == []


def test_a_damaged_result_is_computed_again(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "m")
    (tmp_path / ".m.work" / "a.json").write_bytes(b"{")
    work = Work(tmp_path / ".m.work", {}, resume=False)
    assert work.recall("a", lambda: 3) == 3


def test_what_belongs_to_a_result_is_kept_beside_it(tmp_path):
    work = Work(tmp_path / "w", {}, resume=False)
    assert work.recall("a", lambda: [1], lambda: {"said": ["x"]}) == [1]
    again = Work(tmp_path / "w", {}, resume=True)
    assert again.recall("a", list, dict) == [1]
    assert again.beside("a")["said"] == ["x"]
    assert again.beside("b") == {}
    assert again.count == 1
