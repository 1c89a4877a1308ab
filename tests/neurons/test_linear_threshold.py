"""Labels of any kind, and what all binary linear classifiers here refuse."""

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.neurons import Adaline, Madaline, Perceptron

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
MODELS = [Perceptron, Adaline, Madaline]


@pytest.mark.parametrize("build", MODELS)
@pytest.mark.parametrize("labels", [("cat", "dog"), (0, 1), (-1, 1), (False, True), (3, 7)])
def test_any_two_labels(build, labels):
    y = np.array(labels)[[0, 1, 1, 1]]
    model = build().fit(X, y)
    assert model.classes_.tolist() == list(labels)
    assert model.predict(X).tolist() == y.tolist()
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize("build", [Perceptron, Adaline])
def test_activation_is_weights_times_input_plus_intercept(build):
    model = build().fit(X, [0, 0, 0, 1])
    expected = [sum(w * v for w, v in zip(model.coef_[0], row, strict=True)) for row in X]
    np.testing.assert_allclose(model.decision_function(X), np.array(expected) + model.intercept_[0])


@pytest.mark.parametrize("build", [Perceptron, Adaline])
def test_no_intercept(build):
    model = build(fit_intercept=False).fit(X - 0.4, [0, 0, 0, 1])
    assert model.intercept_.tolist() == [0.0]


def test_activation_zero_means_the_first_class():
    model = Perceptron(fit_intercept=False).fit([[1.0], [-1.0]], [1, 0])
    assert model.predict([[0.0]]).tolist() == [0]


@pytest.mark.parametrize("build", MODELS)
def test_number_of_classes(build):
    with pytest.raises(
        InvalidValue, match=f"{build.__name__}: y must hold two classes, got 3 classes"
    ):
        build().fit(X, [0, 1, 2, 2])
    with pytest.raises(InvalidValue, match=r"got 1 class\. Only binary"):
        build().fit(X, [1, 1, 1, 1])


@pytest.mark.parametrize("build", MODELS)
def test_bad_steps_and_epochs(build):
    with pytest.raises(InvalidValue, match=f"{build.__name__}: lr must be positive, got -1"):
        build(lr=-1.0).fit(X, [0, 0, 0, 1])
    with pytest.raises(
        InvalidValue, match=f"{build.__name__}: max_epochs must be at least 1, got 0"
    ):
        build(max_epochs=0).fit(X, [0, 0, 0, 1])
