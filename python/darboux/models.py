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
    X: ArrayLike, y: ArrayLike, *, names: Sequence[str] | None = None, intercept: bool = True, prior_scale: float = 1.0
) -> _core.Model:
    """Bayesian logistic regression of 0/1 labels on the columns of a matrix or a data frame.

    Every coefficient, the intercept included, is normal with standard deviation `prior_scale` a priori, for features that are
    standardised; draws are of the coefficients of the features as they are. It is the model of ``darboux sample logistic``.

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
    model = _core.logistic(features, np.ascontiguousarray(y, dtype=np.float64), list(names), intercept, prior_scale)
    layout = Layout.by_name(model.names)
    if "y" not in names:  # it would be two things
        layout = replace(layout, observed={"y": np.asarray(y, dtype=np.float64)}, dims={"y": ["obs"]})
        if features.size <= _MOST_KEPT and not {"X", "column"} & set(names):
            layout = replace(
                layout,
                constant={"X": features},
                dims={"y": ["obs"], "X": ["obs", "column"]},
                coords={"column": list(names)},
            )
    return attach(model, layout, "logistic")


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
    """A target by the name that the command line has for it: gaussian, banana, funnel, student-t, skewed, mixture.

    >>> import darboux
    >>> darboux.models.named("banana").dim
    2
    """
    model = _core.built_in(name, dimension)
    return attach(model, Layout.by_name(model.names), name)
