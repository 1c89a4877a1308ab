"""Every trial has a folder of its own; models are trained once, as small as can be."""

import shlex
from dataclasses import asdict, replace
from functools import partial

import pytest

from gradatim.cli import main, progress
from gradatim.clustering import choosing
from gradatim.fitting.anomalies import isolation
from gradatim.fitting.anomalies import networks as anomaly_networks
from gradatim.fitting.clusters import course as cluster_course
from gradatim.fitting.generative import course as generative_course
from gradatim.fitting.generative.images import judging as picture_judging
from gradatim.fitting.generative.images import medium as picture_medium
from gradatim.fitting.generative.rows import judging as row_judging
from gradatim.fitting.graphs import player as graph_player
from gradatim.fitting.images import family as image_family
from gradatim.fitting.images import networks as image_networks
from gradatim.fitting.images import player as image_player
from gradatim.fitting.images import sections as image_sections
from gradatim.fitting.language import course as language_course
from gradatim.fitting.language import sections as language_sections
from gradatim.fitting.links import player as link_player
from gradatim.fitting.masks import networks as mask_networks
from gradatim.fitting.masks import player as mask_player
from gradatim.fitting.masks import sections as mask_sections
from gradatim.fitting.nodes import player as node_player
from gradatim.fitting.rounds import Plan, Size
from gradatim.fitting.sequences import player as sequence_player
from gradatim.fitting.series import networks as series_networks
from gradatim.fitting.tables import networks, player
from gradatim.fitting.tags import networks as tag_networks
from gradatim.fitting.texts import family
from gradatim.fitting.texts import networks as text_networks
from gradatim.fitting.translation import course as translation_course
from gradatim.generative import telling_apart
from gradatim.plots import new_figure
from gradatim.reports import report

from . import inputs
from .trial import Place, attempt

PIXEL = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010806000000")
PLAN = Plan(Size(8, 1, 1), context=16, batch_size=4, steps=2, rounds=1)
SHELF = {
    "table": (inputs.csv(inputs.good()), "t.csv --target c --drop y"),
    "regression": (inputs.csv(inputs.good()), "t.csv --target y --drop c"),
    "text": (inputs.csv(inputs.reviews()), "t.csv --text text --target c"),
    "tag": (inputs.file("t.tsv", inputs.tagged()), "t.tsv --tag"),
    "series": (inputs.csv(inputs.months()), "t.csv --time-column day --forecast 2"),
    "sequence": (inputs.csv(inputs.runs()), "t.csv --series run --target c --drop y"),
    "graph": (inputs.file("g.jsonl", inputs.graph_lines()), "g.jsonl"),
    "anomaly": (inputs.csv(inputs.good()[["a", "b"]]), "t.csv --anomaly"),
    "steps": (
        inputs.csv(inputs.months(120).rename(columns={"day": "t", "v": "x"})),
        "t.csv --anomaly --time-column t",
    ),
    "cluster": (inputs.csv(inputs.good()), "t.csv --clusters 2 --target c"),
    "image": (inputs.classes("dark", "light"), "pics"),
    "mask": (inputs.masked(), "pics --masks masks"),
    "node": (inputs.graph(), "g --target c"),
    "link": (inputs.graph(), "g --links --drop c"),
    "language": (inputs.file("t.txt", inputs.prose()), "t.txt --language-model"),
    "translation": (inputs.file("t.tsv", inputs.pairs()), "t.tsv --translate"),
    "rows": (inputs.csv(inputs.classed()), "t.csv --generative --target c --model diffusion"),
    "pictures": (inputs.classes("dark", "light", count=40), "pics --generative"),
    "classless": (inputs.classes("", count=80), "pics --generative"),
}
UNTRIED = (
    "language",
    "translation",
    "rows",
    "pictures",
    "classless",
    "cluster",
)  # kinds that take no --trials


def tiny(patch):
    """Two simple models, networks of a few steps, and no drawing."""
    simple, draw = player.simple_models, networks.draw_settings
    few = {"steps": 4, "hidden": (4,), "members": 1}
    patch.setattr(player, "simple_models", lambda classes: simple(classes)[:2])
    patch.setattr(player, "draw_settings", lambda *a: replace(draw(*a), **few))
    patch.setattr(image_networks, "EPOCHS", (1, 1))
    patch.setattr(image_family, "EPOCHS", (1, 1))
    patch.setattr(image_family, "UNTIMED_EPOCHS", 1)
    patch.setattr(image_player, "SIMPLE", image_player.SIMPLE[:2])
    patch.setattr(mask_networks, "EPOCHS", (1, 1))
    patch.setattr(mask_player, "EPOCHS", (1, 1))
    patch.setattr(mask_sections, "mask_rows", lambda *a, **k: new_figure()[0])
    for drawing in ("_inside", "_saliency", "_mistakes"):
        patch.setattr(image_sections, drawing, lambda *a: None)
    read = family.draw_settings
    patch.setattr(family, "draw_settings", lambda *a: replace(read(*a), epochs=1, dim=4))
    patch.setattr(family.LearnedFamily, "prepare", lambda *a: None)
    patch.setattr(text_networks, "_repeats", lambda rows: 1)
    patch.setattr(tag_networks, "passes", lambda *a: 1)
    patch.setattr(series_networks, "STEPS", 4)
    some = sequence_player.simple_models
    patch.setattr(sequence_player, "simple_models", lambda classes: some(classes)[:2])
    patch.setattr(sequence_player, "UNTIMED_EPOCHS", 1)
    node_models = node_player.simple_models
    patch.setattr(node_player, "simple_models", lambda classes: node_models(classes)[:2])
    patch.setattr(node_player, "UNTIMED_EPOCHS", 1)
    link_models = link_player.simple_models
    patch.setattr(link_player, "simple_models", lambda **how: link_models(**how)[:2])
    patch.setattr(link_player, "UNTIMED_EPOCHS", 1)
    simplest = graph_player.simple_models
    patch.setattr(graph_player, "simple_models", lambda classes: simplest(classes)[:3])
    patch.setattr(graph_player, "UNTIMED_EPOCHS", 1)
    patch.setattr(anomaly_networks, "STEPS", 4)
    patch.setattr(isolation, "TREES", 2)
    patch.setattr(language_course, "choose_context", lambda budget: PLAN.context)
    patch.setattr(language_course, "make_plan", lambda *a, seed, **k: replace(PLAN, seed=seed))
    patch.setattr(language_course, "SHOWN", 4)
    patch.setattr(language_sections, "WRITTEN", 4)
    judge = partial(choosing.judge_counts, num_references=3, num_halvings=2)
    choose = partial(choosing.choose_num_clusters, num_references=3, num_halvings=2, max_clusters=3)
    patch.setattr(cluster_course, "judge_counts", judge)
    patch.setattr(cluster_course, "choose_num_clusters", choose)
    patch.setattr(translation_course, "make_plan", lambda *a, seed, **k: replace(PLAN, seed=seed))
    once = Plan(Size(8, 1, 1), 1, 16, steps=2, rounds=1)
    patch.setattr(generative_course, "_plan", lambda *a: asdict(once))
    patch.setattr(telling_apart, "TREES", 1)
    patch.setattr(row_judging, "FOLDS", 2)
    patch.setattr(picture_judging, "STEPS", (1, 1))
    for most in ("FEWEST_MADE", "MOST_MADE", "LOOKED"):
        patch.setattr(picture_medium, most, 8)
    patch.setattr(report, "_png", lambda figure: PIXEL)
    patch.setattr(progress, "_QUIET", float("inf"))
    patch.setenv("COLUMNS", "200")


@pytest.fixture(scope="session")
def shelf(tmp_path_factory):
    """A model folder of every kind, trained when it is first asked for."""
    made = {}

    def take(kind):
        if kind not in made:
            place = tmp_path_factory.mktemp(kind)
            put, words = SHELF[kind]
            put(Place(place, take))
            with pytest.MonkeyPatch.context() as patch:
                tiny(patch)
                patch.chdir(place)
                clock = [] if kind in UNTRIED else ["--trials", "1"]
                assert main(["fit", *shlex.split(words), *clock, "-o", "m"]) == 0
            made[kind] = place / "m"
        return made[kind]

    return take


@pytest.fixture
def place(tmp_path, monkeypatch, shelf):
    """An empty working folder."""
    tiny(monkeypatch)
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Place(folder, shelf)


@pytest.fixture
def make_trial(place, capsys):
    """Make a trial and check how it ended."""
    return lambda row: attempt(row, place, capsys)
