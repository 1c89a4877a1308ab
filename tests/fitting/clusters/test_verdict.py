from gradatim.clustering import Evidence
from gradatim.fitting.clusters.verdict import conclude, doubts

GOOD = Evidence(3, gap=0.5, noise=0.02, silhouette=0.6, cloud_silhouette=0.4, stability=0.95)
POOR = Evidence(2, gap=0.02, noise=0.02, silhouette=0.3, cloud_silhouette=0.32, stability=0.5)


def test_sentences():
    said = conclude(3, [POOR, GOOD], is_asked=False).sentence
    assert said == (
        "3 clusters: they save 39 % of the inertia that the pieces of one cloud would leave, silhouette 0.60 (0.40 for one cloud), "
        "and two halves of the rows agree on them to 0.95 (adjusted Rand index)."
    )
    none = conclude(1, [POOR], is_asked=False).sentence
    assert none.startswith(
        "No clusters here: the rows are one cloud as far as 2 clusters can tell (2 come nearest, but they save no more"
    )
    assert "two halves of the rows agree on them to 0.50 only" in none
    asked = conclude(2, [POOR._replace(gap=-0.1)], is_asked=True).sentence
    assert asked.startswith(
        "2 clusters, as asked: they leave as much inertia as the pieces of one cloud"
    )
    assert conclude(1, [], is_asked=True).sentence == "1 cluster, as asked."


def test_doubts_about_what_was_asked_for():
    asked = conclude(2, [POOR], is_asked=True)
    whats = [d.what for d in doubts(asked, [30, 30], is_asked=True)]
    assert whats == ["Pieces of one cloud", "Other rows would give other clusters"]
    found = conclude(3, [GOOD], is_asked=False)
    assert doubts(found, [30, 20, 10], is_asked=False) == []
    assert [str(d) for d in doubts(found, [30, 20, 2], is_asked=False)] == [
        "Odd rows rather than groups: fewer than 5 rows are in cluster 3."
    ]
