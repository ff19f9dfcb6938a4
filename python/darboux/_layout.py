"""How draws of numbers become named arrays, and what a front end knows beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from darboux import _core

_ENTRY = re.compile(r"(.*)\[([\d,]+)\]")
Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Layout:
    """Makes arrays of shape [chain, draw, …], by name, from draws [quantity, chain, draw]; with names for their axes, and data."""

    arrays: Callable[[np.ndarray], Arrays]
    is_expansion: bool = False
    """Whether the arrays are other numbers than the draws, which are those of a point in the model's own coordinates."""
    dims: Mapping[str, Sequence[str]] = field(default_factory=dict)
    coords: Mapping[str, Any] = field(default_factory=dict)
    observed: Arrays = field(default_factory=dict)
    constant: Arrays = field(default_factory=dict)

    @staticmethod
    def by_name(names: Sequence[str]) -> Layout:
        """theta[1], theta[2], … are an array theta, whatever their order."""
        groups: dict[str, list[tuple[int, tuple[int, ...]]]] = {}
        for place, name in enumerate(names):
            entry = _ENTRY.fullmatch(name)
            base, indices = (entry[1], tuple(int(i) for i in entry[2].split(","))) if entry else (name, ())
            groups.setdefault(base, []).append((place, indices))
        return Layout(lambda draws: {base: _gathered(draws, entries) for base, entries in groups.items()})

    @staticmethod
    def expanded(expand: Callable[[np.ndarray], Arrays], **known: Any) -> Layout:
        """By a function of points [point, coordinate]."""

        def arrays(draws: np.ndarray) -> Arrays:
            _, chains, length = draws.shape
            points = np.ascontiguousarray(draws.reshape(draws.shape[0], -1).T)
            return {name: values.reshape(chains, length, *values.shape[1:]) for name, values in expand(points).items()}

        return Layout(arrays, is_expansion=True, **known)


def _gathered(draws: np.ndarray, entries: list[tuple[int, tuple[int, ...]]]) -> np.ndarray:
    shape = tuple(max(indices) for indices in zip(*(indices for _, indices in entries), strict=True))
    out = np.full((*draws.shape[1:], *shape), np.nan)
    for place, indices in entries:
        out[(..., *(i - 1 for i in indices))] = draws[place]
    return out


def entries(name: str, shape: tuple[int, ...]) -> list[str]:
    """Names of the entries of an array, the last index moving fastest: theta[1,1], theta[1,2], …"""
    return [name + (f"[{','.join(str(i + 1) for i in index)}]" if shape else "") for index in np.ndindex(shape)]


def attach(model: _core.Model, layout: Layout, name: str) -> _core.Model:
    """The same model, with a layout and a name of its own."""
    model.layout = layout
    model.name = name
    return model


def function_name(f: Any) -> str:
    """What a function is called; nothing for one without a name."""
    name = getattr(f, "__name__", "")
    return "" if name == "<lambda>" else name


def layout_of(model: _core.Model) -> Layout:
    return getattr(model, "layout", None) or Layout.by_name(model.names)


def name_of(model: _core.Model) -> str:
    return getattr(model, "name", "") or "model"
