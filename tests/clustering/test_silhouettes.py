import numpy as np
import pytest
import torch
from sklearn.metrics import silhouette_samples

from gradatim.clustering import silhouettes
from gradatim.errors import InvalidValue


def slow(x, labels):
    found = []
    for n, row in enumerate(x):
        away = {
            k: [np.linalg.norm(row - x[m]) for m in range(len(x)) if m != n and labels[m] == k]
            for k in set(labels)
        }
        if not away[labels[n]]:
            found.append(0.0)
            continue
        a = np.mean(away[labels[n]])
        b = min(np.mean(own) for k, own in away.items() if k != labels[n])
        found.append((b - a) / max(a, b))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_definition_and_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    x, labels = rng.normal(size=(30, 2)), rng.integers(0, 4, 30)
    labels[0] = 9  # alone
    D = torch.cdist(torch.from_numpy(x), torch.from_numpy(x))
    found = silhouettes(D, labels)
    np.testing.assert_allclose(found, slow(x, labels.tolist()))
    np.testing.assert_allclose(found, silhouette_samples(x, labels), atol=1e-7)


def test_equal_rows_in_two_clusters_lie_between():
    assert silhouettes(torch.zeros(4, 4), [0, 0, 1, 1]).tolist() == [0.0] * 4


@pytest.mark.parametrize(
    ("distances", "labels", "message"),
    [
        (
            torch.ones(3, 2),
            [0, 1, 1],
            r"distances must be \(N, N\) for labels \(N,\), got \(3, 2\) and \(3,\)",
        ),
        (torch.ones(2, 2), [1, 1], "labels must be of at least two clusters, got 1"),
    ],
)
def test_errors(distances, labels, message):
    with pytest.raises(InvalidValue, match=f"silhouettes: {message}"):
        silhouettes(distances, labels)
