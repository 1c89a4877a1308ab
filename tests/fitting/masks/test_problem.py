"""Reading pairs: sizes, classes, splits, and every sentence."""

import numpy as np
import pytest
from PIL import Image

from gradatim.errors import InvalidValue, Unavailable
from gradatim.fitting.masks.kind import MaskOptions
from gradatim.fitting.masks.problem import make_image_strata, prepare


def fill(place, count=12, *, sizes=((20, 30),), mask_mode="L", ending="", rng_seed=0):
    """Dark photos with a bright square each, and its mask."""
    rng = np.random.default_rng(rng_seed)
    for folder in ("photos", "masks"):
        (place / folder).mkdir(parents=True, exist_ok=True)
    for k in range(count):
        h, w = sizes[k % len(sizes)]
        mask = np.zeros((h, w), np.uint8)
        mask[: h // 2, : w // 2] = 255
        pixels = rng.integers(0, 80, (h, w, 3), dtype=np.uint8) + (mask // 2)[..., None]
        Image.fromarray(pixels).save(place / "photos" / f"{k}.jpg")
        Image.fromarray(mask).convert(mask_mode).save(place / "masks" / f"{k}{ending}.png")
    return place / "photos", str(place / "masks")


def read(place, **options):
    photos, masks = fill(place)
    return prepare(photos, MaskOptions(masks=masks, trials=1, **options))


def test_images_of_any_size_become_squares(tmp_path):
    photos, masks = fill(tmp_path, sizes=((20, 30), (48, 64), (33, 17)))
    p = prepare(photos, MaskOptions(masks=masks, trials=1))
    assert p.images.shape == (12, 24, 24, 3)
    assert p.y.shape == (12, 24, 24)
    assert p.labels == ["black", "white"]
    assert (p.y[:, :11, :11] == 1).all()
    assert p.y.mean() == pytest.approx(0.25, abs=0.02)
    assert {tuple(size) for size in p.sizes.tolist()} == {(20, 30), (48, 64), (33, 17)}
    assert len(p.test) == 2
    assert not set(p.train) & set(p.test)
    assert prepare(photos, MaskOptions(masks=masks, trials=1, side=40)).side == 40


def test_folds_are_of_images(tmp_path):
    p = read(tmp_path)
    folds = p.folds(3, 0)
    assert len(folds) == 3
    for train, judge in folds:
        assert not set(train) & set(judge)
        assert set(train) | set(judge) == set(p.train.tolist())


def test_images_with_rare_classes_are_shared_out():
    y = np.zeros((30, 4, 4), dtype=int)
    y[:20, 0, 0] = 1
    y[[0, 3, 6], 1, 1] = 2
    strata = make_image_strata(y, 3)
    assert (strata[[0, 3, 6]] == 2).all()
    assert (strata[1] == 1, strata[25] == 0) == (True, True)


def test_a_test_folder_of_its_own_has_its_masks_among_the_others(tmp_path):
    photos, masks = fill(tmp_path, 16)
    (tmp_path / "test").mkdir()
    for k in range(12, 16):
        (photos / f"{k}.jpg").rename(tmp_path / "test" / f"{k}.jpg")
    p = prepare(photos, MaskOptions(masks=masks, test=str(tmp_path / "test"), trials=1))
    assert (len(p.train), len(p.test)) == (12, 4)
    assert all("test" in p.files[k] for k in p.test)
    assert p.notes == []


def test_masks_below_the_images_are_no_images(tmp_path):
    photos, _ = fill(tmp_path)
    (tmp_path / "masks").rename(photos / "masks")
    p = prepare(photos, MaskOptions(masks=str(photos / "masks"), trials=1))
    assert (len(p.y), p.notes) == (12, [])


def test_a_short_budget_draws_images_and_says_so(tmp_path):
    photos, masks = fill(tmp_path, 20)
    p = prepare(photos, MaskOptions(masks=masks, rows=15))
    assert len(p.y) == 15
    assert p.notes == ["A random sample of 15 of 20 images is used (a longer --budget or --rows takes more)."]  # fmt: skip


def test_large_images_are_pressed_and_that_is_said(tmp_path):
    photos, masks = fill(tmp_path, 8, sizes=((200, 300),))
    p = prepare(photos, MaskOptions(masks=masks, trials=1))
    assert p.side == 128
    assert "Images are seen at 128 × 128 pixels, of some 245 × 245" in p.notes[0]
    assert prepare(photos, MaskOptions(masks=masks, budget=60.0)).side == 64


def palette(place, index, colour, k):
    image = Image.fromarray(np.full((20, 30), index, np.uint8))
    image.putpalette(bytes([0, 0, 0, *colour, 9, 9, 9]))
    image.save(place / f"{k}.png")


def test_palettes_that_differ_are_read_by_colour(tmp_path):
    photos, masks = fill(tmp_path)
    for k in range(12):
        palette(tmp_path / "masks", k % 2, (255, 0, 0) if k < 6 else (0, 0, 255), k)
    p = prepare(photos, MaskOptions(masks=masks, trials=1))
    assert p.labels == ["black", "blue", "red"]
    assert "Masks differ in kind or palette; their colours tell the classes." in p.notes


def test_arrays():
    rng = np.random.default_rng(0)
    pictures = rng.integers(0, 256, (12, 32, 32, 1), dtype=np.uint8)
    masks = rng.choice([0, 7, 300], (12, 32, 32))
    p = prepare((pictures, masks), MaskOptions(trials=1))
    assert p.labels == ["0", "7", "300"]
    assert p.style.paint(p.y[0]).tolist() == masks[0].tolist()
    assert p.side == 32


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.zeros((12, 32, 32), int), "masks must show two classes or more"),
        (np.arange(12 * 32 * 32).reshape(12, 32, 32) % 60, "at most 50 different values, got 60"),
        (np.tile([0.0, 0.5], (12, 32, 16)), "masks must be whole numbers from 0 to 65535"),
        (np.tile([-1, 5], (12, 32, 16)), "masks must be whole numbers from 0 to 65535"),
    ],
)
def test_arrays_that_are_no_masks(values, message):
    with pytest.raises(InvalidValue, match=message):
        prepare((np.zeros((12, 32, 32, 1), np.uint8), values), MaskOptions(trials=1))


@pytest.mark.parametrize(
    ("side", "message"),
    [(100, r"side must be a multiple of 8 from 16 to 512 for masks, got 100\. Try 96\."), (8, r"Try 16\."), (1024, r"Try 512\.")],
)  # fmt: skip
def test_sides_that_a_network_cannot_halve(side, message):
    with pytest.raises(InvalidValue, match=message):
        MaskOptions(masks="m", side=side)


def test_folders_that_are_not_there(tmp_path):
    photos, _ = fill(tmp_path)
    with pytest.raises(Unavailable, match=r"masks must be a folder, and '.*none' is not there"):
        prepare(photos, MaskOptions(masks=str(tmp_path / "none")))
    with pytest.raises(InvalidValue, match="masks must be a folder with a mask for every image, got none"):  # fmt: skip
        prepare(photos, MaskOptions())


@pytest.mark.parametrize("how", ["table", "prefix"])
def test_groups_are_never_torn(tmp_path, how):
    photos, masks = fill(tmp_path, 24)
    for folder in (photos, tmp_path / "masks"):
        for path in list(folder.iterdir()):
            path.rename(folder / f"p{int(path.stem) % 6}_{path.name}")
    group = how
    if how == "table":
        group = str(tmp_path / "groups.csv")
        rows = [f"{path.name},{path.name[:2]}" for path in photos.iterdir()]
        (tmp_path / "groups.csv").write_text("file,patient\n" + "\n".join(rows))
    p = prepare(photos, MaskOptions(masks=masks, group=group, trials=1))
    own = np.array([file[:2] for file in p.files])
    assert len(np.unique(p.groups)) == 6
    for train, judge in [(p.train, p.test), *p.folds(3, 0)]:
        assert not set(own[train]) & set(own[judge])


def test_groups_of_arrays_are_refused():
    pictures = np.zeros((12, 16, 16, 1), np.uint8)
    with pytest.raises(InvalidValue, match="group must be left out for arrays"):
        prepare((pictures, pictures[..., 0]), MaskOptions(group="prefix"))
