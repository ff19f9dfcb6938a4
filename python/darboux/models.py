"""Models that come with Darboux, in compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from darboux import _core
from darboux._layout import Layout, attach

__all__ = ["logistic", "named"]

_MOST_KEPT = 2**20  # entries of X that go with a trace, as with a store of the command line


def logistic(
    X: ArrayLike,
    y: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    intercept: bool = True,
    prior_scale: float = 1.0,
    prior_intercept: float = 10.0,
    standardise: str = "numbers",
    positive: object = None,
) -> _core.Model:
    """Bayesian logistic regression of an outcome with two values on the columns of a matrix or a data frame.

    Every coefficient is normal with standard deviation `prior_scale` a priori, for predictors that are standardised: numbers are
    divided by their standard deviation, columns of two values by how far these are apart, or, with `standardise` "all", by their
    standard deviation too. The intercept, at the mean of the predictors, is normal with `prior_intercept`. Draws are of the
    coefficients of the predictors as they are. `positive` is the outcome to predict, where that is not plain, as of 0 and 1 or no
    and yes. It is the model of ``darboux sample logistic``; ``model.facts`` says what was made of the data and which prior each
    coefficient has, ``model.remarks`` what is odd about the data.

    >>> import darboux
    >>> darboux.models.logistic([[1.0], [2.0], [4.0]], [0, 1, 1], names=["dose"]).names
    ['intercept', 'dose']
    """
    columns: Any = getattr(X, "columns", None)
    if names is None:
        width = np.shape(X)[1] if np.ndim(X) == 2 else 0
        names = [str(name) for name in columns] if columns is not None else [f"x{j + 1}" for j in range(width)]
    features = np.ascontiguousarray(X, dtype=np.float64) if columns is None else _numbers(X)
    if features.ndim != 2:
        raise ValueError(f"X has {features.ndim} dimensions: must have 2, rows and columns")
    labels, texts = _outcomes(y)
    settings = {
        "prior-scale": repr(float(prior_scale)),
        "standardise": standardise,
        **({"prior-intercept": repr(float(prior_intercept))} if intercept else {"no-intercept": "true"}),
        **({} if positive is None else {"positive": _as_text(positive)}),
    }
    model = _core.logistic(features, labels, texts, list(names), settings)
    found = model.facts["data"]["outcome"]["positive"]
    observed = (np.asarray(texts) == found if texts else labels == float(found)).astype(np.float64)
    layout = Layout.by_name(model.names)
    if "y" not in names:  # it would be two things
        layout = replace(layout, observed={"y": observed}, dims={"y": ["obs"]})
        if features.size <= _MOST_KEPT and not {"X", "column"} & set(names):
            layout = replace(
                layout,
                constant={"X": features},
                dims={"y": ["obs"], "X": ["obs", "column"]},
                coords={"column": list(names)},
            )
    return attach(model, layout, "logistic")


def _as_text(value: object) -> str:
    """A value of y as the extension has it: numbers as numbers, whatever their type."""
    if isinstance(value, bool | np.bool_ | int | float | np.integer | np.floating):
        return repr(float(value))
    return str(value)


def _outcomes(y: Any) -> tuple[np.ndarray, list[str]]:
    """Numbers, or texts where they are no numbers."""
    values = np.asarray(y)
    if values.dtype.kind in "OSU" and values.ndim == 1 and any(isinstance(value, str) for value in values):
        if missing := sum(not isinstance(value, str) for value in values):
            raise ValueError(f"y: {missing} of {len(values)} outcomes are no text: must be text in every row, or numbers in every row")
        return np.empty(0), [str(value) for value in values]
    return np.ascontiguousarray(values, dtype=np.float64), []


def _numbers(frame: Any) -> np.ndarray:
    """The columns of a data frame, side by side."""
    found = []
    for name in frame.columns:
        try:
            found.append(np.asarray(frame[name], dtype=np.float64))
        except (TypeError, ValueError):
            raise ValueError(
                f"X: column {name} has values that are not numbers: must be numbers in every row; remove rows with missing values, "
                "and write a 0/1 column for each category, as pandas.get_dummies does"
            ) from None
    return np.ascontiguousarray(np.column_stack(found)) if found else np.empty((len(frame), 0))


def named(name: str, dimension: int | None = None) -> _core.Model:
    """A target by the name that the command line has for it: gaussian, banana, funnel, funnel-centred, student-t, skewed, mixture,
    eight-schools, eight-schools-centred.

    >>> import darboux
    >>> darboux.models.named("banana").dim
    2
    """
    model = _core.built_in(name, dimension)
    return attach(model, Layout.by_name(model.names), name)
