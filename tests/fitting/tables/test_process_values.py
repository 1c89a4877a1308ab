import numpy as np
import pytest
import torch

from gradatim.bayes import Constant, GaussianProcessClassifier, Linear, Matern
from gradatim.bayes.processes.classification import find_mode
from gradatim.errors import InvalidValue
from gradatim.fitting.tables.predictors import Fitted, predict
from gradatim.fitting.tables.process_values import (
    check_process,
    covariances,
    process_probabilities,
    process_values,
)

X = np.random.default_rng(0).normal(size=(9, 3))
NEW = np.random.default_rng(1).normal(size=(4, 3))


@pytest.mark.parametrize("length", [1.5, (0.5, 1.0, 3.0)])
def test_covariances_are_those_of_the_kernel(length):
    kernel = (
        Linear(variance=0.3) + Constant(variance=2.0) + Matern(1.5, length=length, variance=1.7)
    )
    parameters = kernel.theta.exp().numpy()
    expected = kernel(torch.from_numpy(NEW), torch.from_numpy(X)).numpy()
    np.testing.assert_allclose(covariances(parameters, NEW, X), expected, rtol=1e-10)


def test_values_are_sums_over_the_rows_and_held():
    own = [0.3, 2.0, 1.5, 1.7, 0.1]  # the noise, last, is no part of the function
    alpha = np.arange(9.0)[None] / 10
    settings = {"parameters": [own], "center": 5.0, "scale": 2.0}
    expected = []
    for x in NEW:
        total = 0.0
        for row, weight in zip(X, alpha[0], strict=True):
            r = np.sqrt(3 * np.sum((x - row) ** 2)) / 1.5
            total += weight * (0.3 * x @ row + 2.0 + 1.7 * (1 + r) * np.exp(-r))
        expected.append(5.0 + 2.0 * total)
    arrays = {"rows": X, "alpha": alpha}
    np.testing.assert_allclose(process_values(arrays, settings, NEW)[:, 0], expected)
    held = process_values(arrays, {**settings, "low": 0.0, "high": 6.0}, NEW)[:, 0]
    np.testing.assert_allclose(held, np.clip(expected, 0.0, 6.0))


def test_probabilities_of_two_classes_are_logistic_at_the_mode():
    y = X[:, 0] > 0
    kernel = Linear(variance=0.3) + Constant() + Matern(1.5)
    mode = find_mode(kernel(torch.from_numpy(X)), torch.from_numpy(np.where(y, 1.0, -1.0)))
    arrays = {"rows": X, "alpha": mode.slope.numpy()[None], "present": np.array([0, 1]), "prior": np.array([0.4, 0.6])}  # fmt: skip
    settings = {"parameters": [kernel.theta.exp().tolist()]}
    said = process_probabilities(arrays, settings, X, 2)
    plain = (10 * said - arrays["prior"]) / 9  # without the share of one row more
    np.testing.assert_allclose(plain[:, 1], mode.probability.numpy(), rtol=1e-8)
    np.testing.assert_allclose(said.sum(1), 1.0)
    theirs = GaussianProcessClassifier(kernel, optimize=False).fit(X, y)
    assert ((said[:, 1] > 0.5) == (theirs.predict_proba(X)[:, 1] > 0.5)).all()


def test_a_class_that_no_row_had_is_not_impossible():
    arrays = {"rows": X, "alpha": np.ones((1, 9)), "present": np.array([0, 2]), "prior": np.array([0.4, 0.1, 0.5])}  # fmt: skip
    said = process_probabilities(arrays, {"parameters": [[0.1, 1.0, 1.0, 1.0]]}, NEW, 3)
    np.testing.assert_allclose(said[:, 1], 0.1 / 10)
    np.testing.assert_allclose(said.sum(1), 1.0)


def stored(classes=3):
    arrays = {"rows": X, "alpha": np.ones((classes or 1, 9))}
    if classes:
        arrays |= {"present": np.arange(3), "prior": np.full(3, 1 / 3)}
    parameters = [[0.1, 1.0, 1.0, 1.0] + [0.2] * (not classes) for _ in range(classes or 1)]
    return arrays, {"parameters": parameters, "center": 0.0, "scale": 1.0}


@pytest.mark.parametrize("classes", [0, 3])
def test_what_belongs_together_is_kept_and_restored(classes):
    arrays, settings = stored(classes)
    check_process(arrays, settings, classes)
    fitted = Fitted("process", classes, arrays, settings)
    again = Fitted.restore(*fitted.store())
    assert (predict(again, NEW) == predict(fitted, NEW)).all()


@pytest.mark.parametrize(
    ("classes", "change", "words"),
    [
        (3, lambda a, s: a.update(alpha=np.ones((3, 8))), "arrays of a process must fit each other"),
        (3, lambda a, s: a.update(alpha=np.ones((2, 9))), "arrays of a process must fit each other"),
        (0, lambda a, s: a.update(alpha=np.ones((2, 9))), "arrays of a process must fit each other"),
        (3, lambda a, s: a.update(present=np.array([0, 1, 3])), "arrays of a process must fit each other"),
        (3, lambda a, s: a.update(prior=np.ones(4)), "arrays of a process must fit each other"),
        (3, lambda a, s: s.update(parameters=[[1.0] * 4] * 2), "parameters of a process must be positive numbers"),
        (3, lambda a, s: s.update(parameters=[[1.0] * 5] * 3), "parameters of a process must be positive numbers"),
        (0, lambda a, s: s.update(parameters=[[1.0] * 4]), "parameters of a process must be positive numbers"),
        (0, lambda a, s: s.update(parameters=[[1.0, 1.0, 0.0, 1.0, 1.0]]), "parameters of a process must be positive numbers"),
        (0, lambda a, s: s.update(parameters="x"), "parameters of a process must be positive numbers"),
    ],
)  # fmt: skip
def test_a_strangers_arrays_are_refused(classes, change, words):
    arrays, settings = stored(classes)
    change(arrays, settings)
    with pytest.raises(InvalidValue, match=f"load_model: {words}"):
        Fitted.restore(*Fitted("process", classes, arrays, settings).store())
