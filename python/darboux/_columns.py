"""Columns of tables as the extension has them: arrays of numbers, NaN where one is missing, or lists of texts, None where one is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["Column", "as_levels", "as_text", "column", "table"]

Column = np.ndarray | list[str | None]


def table(X: Any) -> tuple[list[str], list[Column]]:
    """Names and columns of a matrix, a data frame (of pandas, polars, pyarrow and their like), a structured array, or a dict of arrays.

    What a column of a data frame is decides what becomes of it: numbers stay numbers; texts, truths and categories are texts.
    """
    names = _names(X)
    if names is not None:
        return [str(name) for name in names], [column(f"X: column {name}", X[name]) for name in names]
    matrix = _array(X)
    if matrix.ndim != 2:
        raise ValueError(f"X has {matrix.ndim} dimensions: must have 2, rows and columns")
    called = [f"x{j + 1}" for j in range(matrix.shape[1])]
    if matrix.dtype.kind in "biuf":
        return called, list(np.ascontiguousarray(matrix.T, dtype=np.float64))
    return called, [column(f"X: column {name}", values) for name, values in zip(called, matrix.T, strict=True)]


def _array(values: Any) -> np.ndarray:
    """As it is: NumPy would make texts of numbers that stand beside texts."""
    array = np.asarray(values)
    return array if array.dtype.kind not in "US" or hasattr(values, "dtype") else np.asarray(values, dtype=object)


def _names(X: Any) -> list[Any] | None:
    """Of its columns; none where they have no names."""
    if isinstance(X, Mapping):
        return list(X)
    for where in ("column_names", "columns"):  # of pyarrow; of pandas, polars and others
        if (names := getattr(X, where, None)) is not None:
            return list(names)
    if hasattr(X, "__dataframe__"):
        return list(X.__dataframe__().column_names())
    names = getattr(getattr(X, "dtype", None), "names", None)
    return None if names is None else list(names)


def column(what: str, values: Any, truths_are_numbers: bool = False) -> Column:
    """One of them; `what` is how messages call it. Truths and categories may count as what they are made of."""
    if not truths_are_numbers and (categories := _categories(values)) is not None:
        return categories
    array = _array(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if array.ndim != 1:
        raise ValueError(f"{what} has {array.ndim} dimensions: must have 1, a value for each row")
    kind = array.dtype.kind
    if kind in ("biuf" if truths_are_numbers else "iuf"):
        return np.ascontiguousarray(array, dtype=np.float64)
    if kind == "M":
        return [None if text == "NaT" else str(text) for text in np.datetime_as_string(array)]
    return _of_one_kind(what, [_plain(what, value, truths_are_numbers) for value in array.tolist()])


def _categories(values: Any) -> Column | None:
    """The texts of a category of pandas, whatever its levels are; nothing where it is none."""
    owner = getattr(values, "cat", values)
    codes, levels = getattr(owner, "codes", None), getattr(owner, "categories", None)
    if codes is None or levels is None:
        return None
    texts = [as_text(level) for level in levels]
    return [texts[code] if code >= 0 else None for code in np.asarray(codes)]


def _of_one_kind(what: str, values: list[str | float | None]) -> Column:
    text = next((value for value in values if isinstance(value, str)), None)
    if text is None:
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    number = next((value for value in values if isinstance(value, float)), None)
    if number is not None:
        raise ValueError(
            f"{what} has texts and numbers, as {text!r} and {number:g}: must have one or the other; a number that is missing is NaN or None"
        )
    return [value if isinstance(value, str) else None for value in values]


def _plain(what: str, value: Any, truths_are_numbers: bool) -> str | float | None:
    """A text, a number, or None for a value that is missing. Dates are texts, as in files."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, bool | np.bool_):
        return float(value) if truths_are_numbers else as_text(value)
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{what} has a {type(value).__name__} in it: must be numbers, texts, or truths") from None
    return None if math.isnan(number) else number


def as_levels(column: Column) -> list[str | None]:
    """Numbers as texts, as files have them: whole ones without a point. Texts stay what they are."""
    if isinstance(column, list):
        return column
    return [None if math.isnan(x) else str(int(x)) if x.is_integer() else repr(x) for x in column.tolist()]


def as_text(value: Any) -> str:
    """A level of a category."""
    return str(value.item() if isinstance(value, np.generic) else value)
