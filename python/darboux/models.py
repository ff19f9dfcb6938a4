"""Models that come with Darboux, in compiled code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from darboux import _core
from darboux._columns import as_levels, as_text, column, table
from darboux._layout import Layout, attach

__all__ = ["logistic", "named"]

def logistic(
    X: ArrayLike | Mapping[str, ArrayLike] | Any,
    y: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    intercept: bool = True,
    prior_scale: float = 1.0,
    prior_intercept: float = 10.0,
    standardise: str = "numbers",
    positive: object = None,
    category: Sequence[str] = (),
    reference: Mapping[str, object] | None = None,
    na: Literal["refuse", "drop"] = "refuse",
) -> _core.Model:
    """Bayesian logistic regression of an outcome with two values on the columns of a matrix, a data frame or a dict of arrays.

    Columns of texts, of truths and of categories, and those of numbers that `category` names, are indicators of all their
    levels but one, the baseline: the first in order (of numbers, or else of bytes), or the one that `reference` names, as
    ``{"class": "third"}``. With `na` "drop" rows that lack a value are left out. Every coefficient is normal with standard
    deviation `prior_scale` a priori, for predictors that are standardised: numbers are divided by their standard deviation,
    columns of two values by how far these are apart, or, with `standardise` "all", by their standard deviation too. The
    intercept, at the mean of the predictors, is normal with `prior_intercept`. Draws are of the coefficients of the predictors
    as they are. `positive` is the outcome to predict, where that is not plain, as of 0 and 1 or no and yes. It is the model of
    ``darboux sample logistic``; ``model.facts`` says what was made of the data and which prior each coefficient has,
    ``model.remarks`` what is odd about the data.

    >>> import darboux
    >>> darboux.models.logistic({"dose": [1.0, 2.0, 4.0, 3.0], "sex": ["f", "m", "m", "f"]}, [0, 1, 1, 0]).names
    ['intercept', 'dose', 'sex[m]']
    """
    known, columns = table(X)
    given = known if names is None else [str(name) for name in names]
    settings = {
        "prior-scale": repr(float(prior_scale)),
        "standardise": standardise,
        "na": na,
        **({"prior-intercept": repr(float(prior_intercept))} if intercept else {"no-intercept": "true"}),
        **({} if positive is None else {"positive": _as_text(positive)}),
    }
    for name in category:
        if name not in given[: len(columns)]:
            raise ValueError(f"category = {name}: X has no such column; there are {', '.join(given)}")
        columns[given.index(name)] = as_levels(columns[given.index(name)])
    references = [f"{name}={as_text(level)}" for name, level in (reference or {}).items()]
    model = _core.logistic(columns, column("y", y, truths_are_numbers=True), given, settings, references)
    return attach(model, _with_data(model, given, intercept), "logistic")


def _with_data(model: _core.Model, names: list[str], intercept: bool) -> Layout:
    """With the outcomes, 1 for the one to predict, and the predictors, indicators among them."""
    layout = Layout.by_name(model.names)
    kept = _core.kept_data(model)
    predictors = model.names[1:] if intercept else model.names
    if "y" in names:  # it would be two things
        return layout
    layout = replace(layout, observed={"y": kept["y"][0]}, dims={"y": ["obs"]})
    if "X" not in kept or {"X", "column"} & set(predictors):
        return layout
    return replace(
        layout,
        constant={"X": kept["X"][0][:, 1:] if intercept else kept["X"][0]},
        dims={"y": ["obs"], "X": ["obs", "column"]},
        coords={"column": predictors},
    )


def _as_text(value: object) -> str:
    """A value of y as the extension has it: numbers as numbers, whatever their type."""
    if isinstance(value, bool | np.bool_ | int | float | np.integer | np.floating):
        return repr(float(value))
    return str(value)


def named(name: str, dimension: int | None = None) -> _core.Model:
    """A target by the name that the command line has for it: gaussian, banana, funnel, funnel-centred, student-t, skewed, mixture,
    eight-schools, eight-schools-centred.

    >>> import darboux
    >>> darboux.models.named("banana").dim
    2
    """
    model = _core.built_in(name, dimension)
    return attach(model, Layout.by_name(model.names), name)
