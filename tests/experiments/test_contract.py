"""What every experiment must offer to `gradatim list` and `gradatim run`."""

import dataclasses
import inspect

import pytest

from gradatim import experiments
from gradatim.experiments._settings import _text, override

QUICK = {entry.name: entry.quick for entry in experiments.entries()}


@pytest.mark.parametrize("name", experiments.names())
class TestEveryExperiment:
    def test_summary_is_one_short_sentence(self, name):
        summary = experiments.summary(name)
        assert summary.endswith(".")
        assert 10 < len(summary) <= 110

    def test_settings_have_defaults_and_a_seed(self, name):
        module = experiments.load(name)
        assert dataclasses.is_dataclass(module.Settings)
        assert isinstance(module.Settings().seed, int)
        assert isinstance(module.QUICK, module.Settings)
        assert list(inspect.signature(module.run).parameters) == ["settings"]

    def test_the_text_says_what_quick_changes(self, name):
        module = experiments.load(name)
        assert dataclasses.replace(module.Settings(), **QUICK[name]) == module.QUICK

    def test_every_setting_can_be_set_by_text(self, name):
        for start in (experiments.load(name).Settings(), experiments.load(name).QUICK):
            words = {f.name: _text(getattr(start, f.name)) for f in dataclasses.fields(start)}
            assert override(name, start, words) == start
