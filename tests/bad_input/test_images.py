"""Folders of images that are wrong or odd."""

import pytest

from .inputs import ODD, UNREADABLE, animation, black, classes, file, folder, link, nothing, picture
from .trial import trial

FIT = "fit pics --trials 1 -o m"
TWO = classes("dark", "light")
PNG = picture()
EMPTY = "must hold images (PNG, JPEG) in one subfolder per class; there are none below it"
OWN = f"{FIT} --test other"
TRIALS = [
    trial("files that cannot be read", (TWO, *(file(f"pics/dark/{name}", c) for name, c in UNREADABLE.items())), FIT, 0, "and is skipped", f"{len(UNREADABLE) - 3} more files could not be read"),
    trial("files of every kind", (TWO, *(file(f"pics/dark/{name}", c) for name, c in ODD.items())), FIT, 0, "grey images are read as colour"),
    trial("a class of moving pictures", (TWO, *(file(f"pics/moving/{k}.gif", animation("GIF")) for k in range(6))), FIT, 0, "Recommended"),
    trial("a class of deep pictures", classes("a", "b", mode="I;16"), FIT, 0, "Recommended"),
    trial("a class of bits", classes("a", "b", mode="1"), FIT, 0, "Recommended"),
    trial("black pictures", tuple(file(f"pics/{c}/{k}.png", black()) for c in "ab" for k in range(8)), FIT, 0, "Recommended"),
    trial("pictures with alpha", classes("a", "b", mode="RGBA"), FIT, 0, "Recommended"),
    trial("pictures of one row", classes("a", "b", size=(40, 1)), FIT, 0, "Recommended"),
    trial("no folder", nothing, FIT, 1, "pics: there is no such file"),
    trial("an empty folder", folder("pics"), FIT, 2, EMPTY),
    trial("empty classes", (folder("pics/a"), folder("pics/b")), FIT, 2, EMPTY),
    trial("one class", classes("a"), FIT, 2, "two subfolders with 5 images or more each, got 'a' 8"),
    trial("an empty class among others", (TWO, folder("pics/none")), FIT, 0, "Recommended"),
    trial("a small class among others", (TWO, classes("few", count=3)), FIT, 0, "Class 'few' has only 3 images and is left out"),
    trial("small classes", classes("a", "b", count=2), FIT, 2, "5 images or more each, got 'a' 2, 'b' 2"),
    trial("images without classes", file("pics/a.png", PNG), FIT, 2, "1 images lie in it directly"),
    trial("loose images", (TWO, file("pics/a.png", PNG)), FIT, 0, "1 images outside the subfolders have no class"),
    trial("classes within classes", classes("x/a", "x/b", "y"), FIT, 0, "Recommended"),
    trial("junk alone", tuple(file(f"pics/{c}/{k}.png", b"junk") for c in "ab" for k in range(6)), FIT, 2, "5 images or more each"),
    trial("one class of junk", (classes("a"), *(file(f"pics/b/{k}.png", b"junk") for k in range(6))), FIT, 2, "5 images or more each"),
    trial("files of other kinds", (TWO, file("pics/dark/notes.txt", b"x"), file("pics/dark/.hidden.png", b"x")), FIT, 0, "Recommended"),
    trial("a link to itself", (TWO, link("pics/dark/loop.png", "loop.png")), FIT, 0, "Recommended"),
    trial("a link to nothing", (TWO, link("pics/dark/gone.png", "nowhere.png")), FIT, 0, "Recommended"),
    trial("a link back", (TWO, link("pics/dark/up", "..")), FIT, 0, "Recommended"),
    trial("a class that is a link to itself", (TWO, link("pics/loop", "loop")), FIT, 0, "Recommended"),
    trial("a folder that is a link to itself", link("pics", "pics"), FIT, 1, "pics"),
    trial("pixels of one size", classes("a", "b", size=(1, 1)), FIT, 0, "Recommended"),
    trial("a file for a folder", file("pics", PNG), FIT, 2, "pics"),
    trial("an image for a folder", file("one.png", PNG), "fit one.png --trials 1 -o m", 2, "one.png"),
    trial("no test folder", TWO, OWN, 2, "test must be a share or a folder of images, got 'other'"),
    trial("an empty test folder", (TWO, folder("other")), OWN, 2, "must hold images of the classes 'dark', 'light', got no images"),
    trial("a test folder with other classes", (TWO, classes("x", "y", top="other")), OWN, 2, "must hold images of the classes 'dark', 'light', got 'x', 'y'"),
    trial("a test folder with one more class", (TWO, classes("dark", "light", "y", top="other")), OWN, 0, "Test images of other classes ('y') are left out"),
    trial("a test folder with one class", (TWO, classes("dark", top="other")), OWN, 0, "Recommended"),
    trial("a test folder with one image", (TWO, classes("dark", top="other", count=1)), OWN, 2, "test must have at least 2 images to judge by, got 1"),
    trial("a test folder of junk", (TWO, file("other/dark/1.png", b"junk"), file("other/light/1.png", b"junk")), OWN, 2, "test must have at least 2 images to judge by, got 0"),
    trial("the training folder as the test", TWO, f"{FIT} --test pics", 0, "test images stand in the training part too"),
    trial("a test file for images", (TWO, file("other", b"a,b\n")), OWN, 2, "test must be a share or a folder of images"),
    trial("a share of one image", TWO, f"{FIT} --test 0.01", 2, "test must have at least 2 images to judge by, got 1"),
    trial("a share that leaves nothing", TWO, f"{FIT} --test 0.99", 0, "Recommended"),
    trial("one row", TWO, f"{FIT} --rows 1", 2, "two subfolders with 5 images or more each"),
    trial("a teacher that is no model", (TWO, folder("t")), f"{FIT} --teacher t", 1, "is not a model folder"),
    *(trial(f"a class's name, {what}", classes(name, "b"), FIT, 0, "Recommended")
      for what, name in {"mathematics": "$a^", "long": "n" * 200, "foreign": "身長 🙂", "an escape": "\x1b[31m", "a line break": "a\nb", "markup": "<b>[red]", "a formula": "=1+1", "spaces": "a  b"}.items()),
    trial("a deep folder", classes("/".join("d" * 40) + "/x", "b"), FIT, 0, "Recommended"),
]  # fmt: skip


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_images(row, make_trial):
    make_trial(row)
