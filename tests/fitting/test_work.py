"""Results on the disk, and going on with them."""

import json
from dataclasses import asdict

import pytest

from gradatim.errors import InvalidValue
from gradatim.events import Cancelled, CancelToken
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
