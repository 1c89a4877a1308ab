"""Vision Transformers in the contest, and teachers."""

import numpy as np
import pytest
import torch
from PIL import Image

import gradatim
from gradatim import fit
from gradatim.errors import InvalidValue
from gradatim.fitting.images.kind import ImageOptions
from gradatim.fitting.images.networks import (
    ImageNetwork,
    ImageSettings,
    _Rescaled,
    build_network,
    distortions,
    draw_settings,
    fit_network,
    relative_cost,
)
from gradatim.models import VGG, HybridViT, ViT


def pictures(count=96, seed=0):
    """Bright above or bright below, 16 × 16, grey."""
    rng = np.random.default_rng(seed)
    images = rng.integers(0, 80, (count, 16, 16, 1), dtype=np.uint8)
    y = rng.integers(0, 2, count)
    images[y == 0, :8] += 150
    images[y == 1, 8:] += 150
    return images, y


def fill(folder, count=24, kinds=("earth", "heaven")):
    images, y = pictures(2 * count)
    for k, (image, kind) in enumerate(zip(images, y, strict=True)):
        (folder / kinds[kind]).mkdir(parents=True, exist_ok=True)
        Image.fromarray(image[..., 0]).save(folder / kinds[kind] / f"{k}.png")
    return folder


@pytest.mark.parametrize(("kind", "model"), [("vit", ViT), ("hybrid", HybridViT), ("cnn", VGG)])
def test_only_what_was_asked_for_is_drawn(kind, model):
    for trial in (0, 1, 4, 5):
        settings = draw_settings(trial, 0, kind)
        assert settings.architecture == kind
        assert isinstance(build_network(settings, 3, 1, 28), model)
    assert relative_cost(draw_settings(0, 0)) == 1.0


def test_transformers_try_strong_distortions_and_mixtures_others_do_not():
    for kind in ("vit", "hybrid"):
        third = draw_settings(2, 0, kind)
        assert (third.distortion, third.mixing) == ("random", 0.2)
        assert {draw_settings(k, 0, kind).mixing for k in range(20)} == {0.0, 0.2}
    usual = [draw_settings(k, 0) for k in range(20)]
    assert {(s.distortion == "random", s.mixing) for s in usual} == {(False, 0.0)}


def test_random_distortions_stay_among_the_pixels_and_on_the_scale():
    torch.manual_seed(0)
    pixels = torch.randint(256, (1000, 1, 8, 8)).float()
    mean, spread = 90.0, 60.0
    (change,) = distortions("random", 8, mean, spread)
    changed = change((pixels - mean) / spread) * spread + mean
    assert changed.min() > -0.01
    assert changed.max() < 255.01
    kept = (changed - pixels).abs().amax((1, 2, 3)) < 0.01
    assert 0 < int(kept.sum()) < 50  # one in a hundred draws the identity twice


@pytest.mark.parametrize("is_taught", [False, True])
def test_a_network_learns_from_distorted_mixtures(is_taught):
    images, y = pictures(192)
    teacher = None
    if is_taught:
        cnn = ImageSettings(width=8)
        teacher, _ = fit_network(images, y, 2, cnn, 4, 0)
    settings = ImageSettings("vit", 8, 4, distortion="random", mixing=0.2, lr=2e-3)
    model, _ = fit_network(images, y, 2, settings, 20, 0, teacher=teacher)
    fresh, truth = pictures(seed=3)
    assert (model.outputs(fresh).argmax(1) == truth).mean() > 0.9


def test_a_teacher_takes_pictures_on_the_scale_of_its_student():
    teacher = ImageNetwork(torch.nn.Flatten(), 2, {"mean": 100.0, "spread": 50.0})
    pixels = torch.tensor([[0.0, 100.0, 250.0]])
    seen = _Rescaled(teacher, 20.0, 10.0)((pixels - 20.0) / 10.0)
    torch.testing.assert_close(seen, (pixels - 100.0) / 50.0)


def test_a_student_learns_what_only_its_teacher_knows():
    """Labels are noise; the teacher's odds are not."""
    images, y = pictures()

    class Knows(torch.nn.Module):
        def forward(self, x):
            gap = x[:, 0, 8:].mean((1, 2)) - x[:, 0, :8].mean((1, 2))
            return torch.stack([-gap, gap], 1) * 5

    teacher = ImageNetwork(Knows(), 2, {"mean": 100.0, "spread": 50.0})
    noise = np.random.default_rng(1).integers(0, 2, len(y))
    settings = ImageSettings("vit", width=8, depth=4, lr=2e-3)
    model, _ = fit_network(images, noise, 2, settings, 20, 0, teacher=teacher)
    fresh, truth = pictures(seed=3)
    assert (model.outputs(fresh).argmax(1) == truth).mean() > 0.9


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    place = tmp_path_factory.mktemp("taught")
    photos = fill(place / "photos")
    fit(photos, trials=1, output=place / "cnn")
    job = {"trials": 1, "model": "vit", "teacher": str(place / "cnn")}
    return place, fit(photos, **job, output=place / "vit")


def test_a_folder_is_fitted_saved_and_loaded(folders):
    place, result = folders
    model = gradatim.load_model(place / "vit")
    assert isinstance(model.network(), ViT)
    images, _ = pictures(10, seed=5)
    said = model.predict_proba(images, model="network")
    np.testing.assert_array_equal(said, result.model.predict_proba(images, model="network"))
    figures = {getattr(section, "name", "") for section in result.report.sections}
    assert {"attention", "filters", "saliency"} <= figures
    assert "vision Transformer" in str([getattr(s, "rows", "") for s in result.report.sections])
    assert any("Teacher: it may have learned" in str(concern) for concern in result.concerns)


def test_teachers_that_do_not_fit_are_refused(folders, tmp_path):
    place, _ = folders
    other = fill(tmp_path / "other", kinds=("day", "night"))
    with pytest.raises(InvalidValue, match="teacher must know the classes day, night, got earth, heaven"):  # fmt: skip
        fit(other, trials=1, teacher=str(place / "cnn"), output=tmp_path / "m")
    with pytest.raises(gradatim.errors.Unavailable, match="is not a model folder"):
        fit(other, trials=1, teacher=str(tmp_path), output=tmp_path / "m")
    with pytest.raises(InvalidValue, match=r"model must be .*vit.*, got 'vitt'"):
        ImageOptions(model="vitt")
    with pytest.raises(InvalidValue, match="teacher must not be given for a table"):
        fit("iris", teacher="x", output=tmp_path / "m")
