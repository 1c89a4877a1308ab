"""One learner on one table, in an environment of its own: this file imports nothing of ours.

    python peer.py TOOL TRAIN TEST TARGET TASK SECONDS OUTPUT

writes a value per test row, or a probability per class, as CSV.
"""

import sys
import tempfile
import warnings

import numpy as np
import pandas as pd


def constant(X, y, new, task, seconds):
    """The mean, or the shares of the classes."""
    if task == "values":
        return np.full(len(new), y.mean()), None
    shares = y.value_counts(normalize=True).sort_index()
    return np.tile(shares.to_numpy(), (len(new), 1)), shares.index


def hgb(X, y, new, task, seconds):
    """Gradient-boosted trees of scikit-learn as they are."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    X, new = X.copy(), new.copy()
    for name in X.columns:
        if not pd.api.types.is_numeric_dtype(X[name]) or pd.api.types.is_bool_dtype(X[name]):
            words, others = X[name].astype(str), new[name].astype(str)
            levels = words.value_counts().index[:200]
            X[name] = pd.Categorical(words.where(words.isin(levels), "other"))
            new[name] = pd.Categorical(
                others.where(others.isin(levels), "other"), X[name].cat.categories
            )
    kind = HistGradientBoostingRegressor if task == "values" else HistGradientBoostingClassifier
    return said(kind(categorical_features="from_dtype", random_state=0).fit(X, y), new, task)


def flaml(X, y, new, task, seconds):
    """FLAML for so many seconds on two cores."""
    from flaml import AutoML

    what = {"values": ("regression", "rmse"), "classes": ("classification", "log_loss")}[task]
    model = AutoML()
    model.fit(X, y, task=what[0], metric=what[1], time_budget=seconds, verbose=0, n_jobs=2, seed=0)
    return said(model, new, task)


def autogluon(X, y, new, task, seconds):
    """AutoGluon's medium quality for so many seconds on two cores, with the learners that are installed."""
    from autogluon.tabular import TabularPredictor

    kind = {"values": "regression", "classes": "binary" if y.nunique() == 2 else "multiclass"}[task]
    metric = "root_mean_squared_error" if task == "values" else "log_loss"
    with tempfile.TemporaryDirectory() as folder:
        model = TabularPredictor(
            "target of all", problem_type=kind, eval_metric=metric, path=folder, verbosity=0
        )
        model.fit(
            X.assign(**{"target of all": y}),
            time_limit=seconds,
            presets="medium_quality",
            num_cpus=2,
        )
        if task == "values":
            return model.predict(new).to_numpy(), None
        shares = model.predict_proba(new)
        return shares.to_numpy(), shares.columns


def said(model, new, task):
    """What a model of scikit-learn's kind says."""
    if task == "values":
        return model.predict(new), None
    return model.predict_proba(new), model.classes_


TOOLS = {tool.__name__: tool for tool in (constant, hgb, flaml, autogluon)}


def main(tool, train, test, target, task, seconds, output):
    """Learn, predict, write."""
    warnings.simplefilter("ignore")
    rows, new = pd.read_csv(train), pd.read_csv(test).drop(columns=target)
    y = rows.pop(target)
    y = y if task == "values" else y.astype(str)
    values, classes = TOOLS[tool](rows, y, new, task, float(seconds))
    names = ["prediction"] if classes is None else [str(name) for name in classes]
    pd.DataFrame(np.asarray(values).reshape(len(new), -1), columns=names).to_csv(
        output, index=False
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
