"""What an experiment must have from the cache is asked for before anything is trained, all of it in one sentence."""

import ast
from pathlib import Path

import pytest

from gradatim import experiments
from gradatim.data import catalogue
from gradatim.errors import Unavailable
from gradatim.training import Trainer

NEEDED = {
    "adversarial-examples": ["mnist"],
    "adversarial-training": ["mnist"],
    "before-deep-learning": ["mnist"],
    "bert-pretraining": ["tiny-shakespeare"],
    "char-rnn": ["tiny-shakespeare"],
    "cifar10-quick": ["cifar10"],
    "co2": ["co2"],
    "conformal-coverage": ["islp-auto"],
    "connected-digits": ["spoken-digits"],
    "cora": ["cora"],
    "default-table": ["islp-default"],
    "diffusion-mnist": ["mnist"],
    "fashion-mnist": ["fashion-mnist"],
    "few-pixels": ["mnist"],
    "imdb": ["imdb"],
    "information-bottleneck": ["mnist"],
    "link-prediction": ["cora"],
    "minilm-neighbours": ["minilm", "tatoeba-spa"],
    "mnist-cnn": ["mnist"],
    "mnist-table": ["mnist"],
    "mutag": ["mutag"],
    "nyse": ["islp-nyse"],
    "pac-bayes-mnist": ["mnist"],
    "pos-tagging": ["brown", "minilm"],
    "qm9-small": ["qm9"],
    "resnet20-published": ["cifar10", "cifar10-resnets"],
    "series-classification": ["ucr-Adiac"],
    "scaling-law": ["tiny-shakespeare"],
    "shakespeare-gpt": ["tiny-shakespeare"],
    "spam": ["spam"],
    "spoken-digits": ["spoken-digits"],
    "synthetic-tables": ["islp-default", "spam"],
    "tricks-ablation": ["islp-default", "spam"],
    "vae-mnist": ["mnist"],
    "vit-versus-cnn": ["mnist", "fashion-mnist"],
    "word-vectors": ["glove-50d", "tiny-shakespeare"],
    "zip-code": ["zip-code"],
}  # fmt: skip


def words_of(name):
    tree = ast.parse(Path(experiments.load(name).__file__).read_text("utf-8"))
    return {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}


def test_every_experiment_that_names_a_download_stands_in_the_table():
    downloads = {entry.name for entry in catalogue() if entry.archive}
    naming = {name for name in experiments.names() if downloads & words_of(name)}
    assert naming <= NEEDED.keys()


@pytest.mark.parametrize("name", NEEDED)
def test_missing_data_are_said_first_and_together(name, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))
    monkeypatch.setattr(Trainer, "fit", lambda *given, **named: pytest.fail("trained before"))
    with pytest.raises(Unavailable, match="not in the cache yet") as caught:
        experiments.run(name)
    assert f"gradatim data get {' '.join(NEEDED[name])}' once." in str(caught.value)
