import json
import re

import numpy as np
import pandas as pd
import pytest
import torch

import gradatim
from gradatim.events import Cancelled, CancelToken, Stage
from gradatim.fitting.clusters import course


def people(rows=120, seed=0):
    """Three groups that differ in two numbers and a category, with missing cells."""
    rng = np.random.default_rng(seed)
    group = np.arange(rows) % 3
    frame = pd.DataFrame({
        "height": 150 + 25 * group + rng.normal(0, 3, rows),
        "pulse": np.array([60, 90, 60])[group] + rng.normal(0, 3, rows),
        "town": np.array(["Bern", "Genf", "Chur"])[group],
        "group": np.array(["u", "v", "w"])[group],
    })  # fmt: skip
    frame.loc[::40, "pulse"] = np.nan
    return frame


@pytest.fixture
def quick(monkeypatch):
    """Fewer comparisons, no drawing."""
    choose, judge = course.choose_num_clusters, course.judge_counts
    few = {"num_references": 6, "num_halvings": 3}
    monkeypatch.setattr(
        course, "choose_num_clusters", lambda x, **how: choose(x, max_clusters=4, **how, **few)
    )
    monkeypatch.setattr(
        course, "judge_counts", lambda x, counts, **how: judge(x, counts, **how, **few)
    )


def page(folder):
    return (folder / "report.html").read_text(encoding="utf-8")


def test_groups_are_found_told_apart_and_compared(quick, tmp_path):
    told = []
    result = gradatim.fit(
        people(), "group", clusters="auto", output=tmp_path / "m", tell=told.append
    )
    assert result.verdict.num_clusters == 3
    assert result.verdict.sentence.startswith("3 clusters: they save")
    assert result.headline.startswith("table: clusters among 120 rows by 3 columns")
    shares = [event.share for event in told if isinstance(event, Stage)]
    assert shares == sorted(shares)
    tables = {table.title: table for table in result.tables}
    assert set(tables) == {"Clusters", "Clusters and group"}
    assert all(max(row[1:]) >= 38 for row in tables["Clusters and group"].rows)
    assert all("town = " in row[4] for row in tables["Clusters"].rows)
    assert "find the same clusters in all 10 pairs of 5 runs" in page(tmp_path / "m")
    names = {path.name for path in (tmp_path / "m").iterdir()}
    assert names >= {
        "components.png",
        "silhouettes.png",
        "dendrogram.png",
        "numbers.png",
        "report.html",
        "predictions.csv",
    }
    kept = pd.read_csv(tmp_path / "m" / "predictions.csv")
    assert list(kept) == ["row", "cluster", "distance", "far"]
    assert kept["row"].tolist() == list(range(1, 121))
    model = gradatim.load_model(tmp_path / "m")
    assert sum(model.about["sizes"]) == model.about["rows"] == 120
    new = people(6, seed=1).drop(columns="group")
    new.loc[6] = [400.0, 10.0, "Rom"]
    with pytest.warns(UserWarning, match="1 of 7 rows is far from all clusters"):
        found = model.predict(new)
    assert found["far"].tolist() == [False] * 6 + [True]
    first = kept["cluster"].to_numpy()
    assert found["cluster"].tolist()[:6] == first[:6].tolist()
    assert repr(model) == "ClusterModel(3 clusters, 3 columns)"


def test_a_cloud_has_no_clusters(quick, tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 3)), columns=list("abc"))
    result = gradatim.fit(frame, clusters="auto", output=tmp_path / "m")
    assert result.verdict.num_clusters == 1
    assert result.verdict.sentence.startswith("No clusters here")
    assert set(result.model.predict(frame)["cluster"]) == {1}


def test_pieces_that_were_asked_for_are_said_to_be_pieces(quick, tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 2)), columns=list("ab"))
    result = gradatim.fit(frame, clusters=3, output=tmp_path / "m")
    assert "Pieces of one cloud" in [concern.what for concern in result.concerns]
    assert re.search(r"the same clusters in \d+ of 10 pairs of 5 runs", page(tmp_path / "m"))
    assert len(result.model.centers.centers) == 3


def test_a_run_that_was_ended_goes_on_to_the_same(quick, tmp_path, monkeypatch):
    whole = gradatim.fit(people(), "group", clusters="auto", output=tmp_path / "a", seed=3)
    cancel = CancelToken()

    def stop(event):
        if event == Stage("finding the clusters", course.LOOKING):
            cancel.cancel()

    with pytest.raises(Cancelled):
        gradatim.fit(
            people(),
            "group",
            clusters="auto",
            output=tmp_path / "b",
            seed=3,
            tell=stop,
            cancel=cancel,
        )
    monkeypatch.setattr(course, "choose_num_clusters", pytest.fail)
    again = gradatim.fit(
        people(), "group", clusters="auto", output=tmp_path / "b", seed=3, resume=True
    )
    np.testing.assert_array_equal(again.model.centers.centers, whole.model.centers.centers)
    assert again.verdict == whole.verdict
    assert not list(tmp_path.glob(".*"))


def test_it_is_exported_as_a_program(quick, tmp_path):
    frame = people()
    result = gradatim.fit(frame, "group", clusters=3, output=tmp_path / "m")
    from gradatim.fitting import export_torch

    done = export_torch(tmp_path / "m", tmp_path / "m.pt2")
    assert done.notes[0].startswith("The least of a row's distances names its cluster")
    program = torch.export.load(tmp_path / "m.pt2").module()
    levels = ["Bern", "Chur", "Genf"]
    codes = torch.tensor([[levels.index(town)] for town in frame["town"]])
    numbers = torch.tensor(frame[["height", "pulse"]].to_numpy(np.float64))
    distances = program(numbers, codes)
    expected = result.model.predict(frame)
    assert (distances.argmin(1) + 1).tolist() == expected["cluster"].tolist()
    np.testing.assert_allclose(distances.min(1).values, expected["distance"])


def test_many_rows_are_clustered_all(quick, tmp_path, monkeypatch):
    monkeypatch.setattr("gradatim.clustering.finding.LARGE", 100)
    monkeypatch.setattr("gradatim.fitting.clusters.sections.MERGED", 50)
    result = gradatim.fit(people(900), "group", clusters=3, output=tmp_path / "m")
    assert result.model.about["rows"] == 900
    assert min(result.model.about["sizes"]) > 270
    figures = {
        f["file"]: f["caption"]
        for f in json.loads((tmp_path / "m" / "report.json").read_text())["figures"]
    }
    assert "50 of them drawn at random" in figures["dendrogram.png"]
