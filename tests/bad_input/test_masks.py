"""Images with masks that are wrong or odd, and models of masks used on the wrong things."""

import pytest

from .inputs import (
    ODD,
    UNREADABLE,
    bomb,
    change,
    csv,
    file,
    folder,
    good,
    link,
    mask,
    masked,
    model,
    nothing,
    picture,
    remove,
)
from .trial import trial

FIT = "fit pics --masks masks --trials 1 -o m"
TEN = masked()
PNG = picture()
RIGHT = "Recommended"
PREDICT = "predict m {} -o out"
FITTED = [
    trial("a missing mask", (TEN, remove("masks/3.png")), FIT, 0, "1 image has no mask and is left out: '3.png'"),
    trial("an extra mask", (TEN, file("masks/x.png", mask())), FIT, 0, "1 mask has no image and is left out: 'x.png'"),
    trial("masks called in another way", masked(names="mask {}"), FIT, 2, "masks must have the names of the images, got 'mask 0.png'", "Rename them"),
    trial("masks with an ending of their own", masked(names="{}_mask"), FIT, 0, "Masks are called as their images with '_mask' behind", RIGHT),
    trial("a mask of another size", (TEN, file("masks/3.png", mask(size=(16, 12)))), FIT, 0, "The mask '3.png' has 16 × 12 pixels, its image 16 × 16, and is skipped"),
    trial("masks of another size", (TEN, *(file(f"masks/{k}.png", mask(size=(8, 8))) for k in range(10))), FIT, 2, "must be readable pairs, and none is: The mask '0.png' has 8 × 8 pixels"),
    trial("the images as the masks", TEN, "fit pics --masks pics --trials 1 -o m", 2, "masks must lie in a folder of their own, got that of the images"),
    trial("one class in all masks", masked(values=(0, 0)), FIT, 2, "masks must show two classes or more, got 'black' alone in all 10 of them"),
    trial("a mask that cannot be read", (TEN, *(file(f"masks/{k}.png", c) for k, c in enumerate((b"", b"junk")))), FIT, 0, "The mask '0.png' cannot be read and is skipped"),
    trial("masks that cannot be read", (TEN, *(file(f"masks/{k}.png", b"junk") for k in range(10))), FIT, 2, "none is: The mask '0.png' cannot be read"),
    trial("images that cannot be read", (TEN, *(file(f"pics/{k}.png", b"junk") for k in range(10))), FIT, 2, "none is: '0.png' cannot be read"),
    trial("a huge image", (TEN, file("pics/3.png", bomb(60_000, 60_000))), FIT, 0, "'3.png' is too large", RIGHT),
    trial("a huge mask", (TEN, file("masks/3.png", bomb(60_000, 60_000))), FIT, 0, "The mask '3.png' is too large", RIGHT),
    trial("noise of JPEG", (masked(ending=".jpg", kind="JPEG"), *(file(f"masks/{k}.jpg", picture(kind="JPEG", seed=k)) for k in range(10))), FIT, 2, "which JPEG has changed. Save masks as PNG without smoothing"),
    trial("photos for masks", (TEN, *(file(f"masks/{k}.png", picture(seed=k)) for k in range(10))), FIT, 2, "masks must have at most 50 colours, one for every class, got more than 50 in '0.png'. Save masks as PNG"),
    trial("16-bit masks", masked(values=(0, 700, 65535)), FIT, 0, "segmentation into 3 classes", RIGHT),
    trial("16-bit masks beside colours", (masked(values=(0, 700)), file("masks/3.png", mask(mode="RGB"))), FIT, 2, "masks must all be of one kind, got 16-bit numbers beside colours"),
    trial("masks of bits", masked(mode="1"), FIT, 0, RIGHT),
    trial("masks with a palette", masked(mode="P", values=(0, 1, 2)), FIT, 0, RIGHT),
    trial("masks in colour", masked(mode="RGB"), FIT, 0, RIGHT),
    trial("masks with alpha", masked(mode="RGBA"), FIT, 0, RIGHT),
    trial("masks of several kinds", (TEN, file("masks/3.png", mask(mode="RGB"))), FIT, 0, "Masks differ in kind or palette; their colours tell the classes", RIGHT),
    trial("two images of a name", (TEN, file("pics/3.jpg", picture(kind="JPEG"))), FIT, 2, "data must hold one file of a name, got '3.jpg' and '3.png'"),
    trial("two masks of a name", (TEN, file("masks/3.gif", mask(kind="GIF"))), FIT, 2, "masks must hold one file of a name, got '3.gif' and '3.png'"),
    trial("one image", masked(count=1), FIT, 2, "data must hold at least 8 images with masks, got 1"),
    trial("few images", masked(count=7), FIT, 2, "data must hold at least 8 images with masks, got 7"),
    trial("no folder of masks", (TEN, nothing), "fit pics --masks none --trials 1 -o m", 1, "masks must be a folder, and 'none' is not there"),
    trial("no folder of images", TEN, "fit none --masks masks --trials 1 -o m", 1, "data must be a folder, and 'none' is not there"),
    trial("an empty folder of masks", (TEN, folder("empty")), "fit pics --masks empty --trials 1 -o m", 2, "masks must hold images (PNG, JPEG), and 'empty' holds none"),
    trial("an empty folder of images", (TEN, folder("empty")), "fit empty --masks masks --trials 1 -o m", 2, "data must hold images (PNG, JPEG), and 'empty' holds none"),
    trial("a file for masks", (TEN, csv(good())), "fit pics --masks t.csv --trials 1 -o m", 2, "masks must be a folder, got the file 't.csv'"),
    trial("a table for images", (TEN, csv(good())), "fit t.csv --masks masks --trials 1 -o m", 2, "data must be a folder, got the file 't.csv'"),
    trial("an empty name for masks", TEN, "fit pics --masks '' --trials 1 -o m", 2, "must name a file or a folder"),
    trial("links among masks", (TEN, link("masks/a.png", "a.png"), link("masks/up", "..")), FIT, 0, RIGHT),
    trial("masks below the images", (TEN, lambda place: (place.folder / "masks").rename(place.folder / "pics" / "masks")), "fit pics --masks pics/masks --trials 1 -o m", 0, RIGHT),
    trial("a side that cannot be halved", TEN, f"{FIT} --side 100", 2, "side must be a multiple of 8 from 16 to 512 for masks, got 100. Try 96"),
    trial("a side for masks", TEN, f"{FIT} --side 24", 0, RIGHT),
    trial("a target for masks", TEN, f"{FIT} --target x", 2, "target must not be given for images with masks, got 'x'"),
    trial("a score that masks do not have", TEN, f"{FIT} --score auc", 2, "score for masks must be one of"),
    trial("a score for masks", TEN, f"{FIT} --score dice", 0, "mean Dice"),
    trial("masks for a table", csv(good()), "fit t.csv --target y --masks none --trials 1 -o m", 2, "must"),
    trial("masks for a set that has its own", TEN, "fit scattered-digits --masks masks --trials 1 -o m", 2, "masks must not be given for scattered-digits, which has its own"),
    trial("a group of masks", (TEN, file("g.csv", "file,group\n" + "".join(f"{k}.png,{k % 5}\n" for k in range(10)))), f"{FIT} --group g.csv", 0, RIGHT),
    trial("a group for some images", (TEN, file("g.csv", "file,group\n1.png,a\n")), f"{FIT} --group g.csv", 2, "group must name the group of every image"),
    trial("the masks as the output", TEN, "fit pics --masks masks --trials 1 -o masks", 2, "output must be new, empty or a model folder"),
    trial("a test folder without masks", (TEN, folder("other"), file("other/z.png", PNG)), f"{FIT} --test other", 2, "masks must have the names of the images"),
]  # fmt: skip
USED = [
    *(trial(f"a picture {name!r}", (model("mask"), file(f"new/{name}", content)), PREDICT.format(f"'new/{name}'"), 2, "none can be read") for name, content in UNREADABLE.items()),
    *(trial(f"a picture {name!r}", (model("mask"), file(f"new/{name}", content)), PREDICT.format(f"'new/{name}'"), 0, "1 mask: out") for name, content in ODD.items()),
    trial("junk and a picture", (model("mask"), file("new/a.png", b"junk"), file("new/b.png", PNG)), PREDICT.format("new"), 0, "1 mask: out", "'a.png' cannot be read and is skipped"),
    trial("pictures in folders", (model("mask"), file("new/x/a.png", PNG), file("new/y/a.png", PNG)), PREDICT.format("new"), 0, "2 masks: out"),
    trial("two pictures of a name", (model("mask"), file("new/a.png", PNG), file("new/a.jpg", picture(kind="JPEG"))), PREDICT.format("new"), 2, "images must have names of their own, whatever the ending, got two for 'a.png'"),
    trial("a table of areas", (model("mask"), file("new/a.png", PNG)), "predict m new -o areas.csv", 0, "1 row: areas.csv"),
    trial("nothing to predict", model("mask"), PREDICT.format("new"), 1, "'new' is not there"),
    trial("an empty folder to predict", (model("mask"), folder("new")), PREDICT.format("new"), 2, "must hold images"),
    trial("a table to predict", (model("mask"), csv(good())), PREDICT.format("t.csv"), 2, "none can be read"),
    trial("no such model", (model("mask"), file("new/a.png", PNG)), "predict m new --model unett -o out", 2, "model must be one of"),
    trial("into the images", (model("mask"), file("new/a.png", PNG)), "predict m new -o new", 2, "output must not be what is read"),
    trial("into the model", (model("mask"), file("new/a.png", PNG)), "predict m new -o m", 2, "output must not be what is read"),
    trial("into a full folder", (model("mask"), file("new/a.png", PNG), file("full/x.txt", b"x")), "predict m new -o full", 2, "output must be new, empty or a folder of predictions"),
    trial("into a file", (model("mask"), file("new/a.png", PNG), file("out", b"x")), PREDICT.format("new"), 2, "output must be a folder for masks"),
    trial("below a file", (model("mask"), file("new/a.png", PNG), file("x", b"x")), "predict m new -o x/out", 1, "cannot be written"),
    trial("where nothing can be written", (model("mask"), file("new/a.png", PNG)), "predict m new -o /proc/out", 1, "cannot be written"),
    trial("a name that is too long", (model("mask"), file("new/a.png", PNG)), f"predict m new -o {'n' * 300}", 1, "cannot be written"),
    trial("a bit of a tensor changed", (model("mask"), file("new/a.png", PNG), change("m/model.safetensors", lambda c: c[:-5] + bytes([c[-5] ^ 1]) + c[-4:])), PREDICT.format("new"), 2, "is not the file that was written with model.json"),
    trial("masks that cannot be written as text", model("mask"), "generate m --prompt a", 2, "generate"),
]  # fmt: skip
TRIALS = [*FITTED, *USED]


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_masks(row, make_trial):
    make_trial(row)
