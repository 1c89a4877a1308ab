"""Images by class: what is there, and nothing that we wrote."""

import json

from PIL import Image

from gradatim.data.image_folder import find_classes, find_images


def fill(folder, count=6):
    folder.mkdir(parents=True)
    for number in range(count):
        Image.new("RGB", (4, 4)).save(folder / f"{number}.png")
    return folder


def test_models_and_reports_of_ours_are_no_data(tmp_path):
    for name in ("cats", "dogs"):
        fill(tmp_path / name)
    ours = json.dumps({"versions": {"gradatim": "0.1"}})
    for place, document in (("runs/fit-photos", "model.json"), ("runs/xor", "report.json")):
        (fill(tmp_path / place) / document).write_text(ours)
    assert list(find_classes(tmp_path, [])) == ["cats", "dogs"]
    assert len(find_images(tmp_path)) == 12
    (tmp_path / "runs" / "xor" / "report.json").write_text("{}")  # somebody else's
    assert list(find_classes(tmp_path, [])) == ["cats", "dogs", "runs"]
