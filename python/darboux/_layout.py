"""How draws of numbers become named arrays."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from darboux import _core

_ENTRY = re.compile(r"(.*)\[([\d,]+)\]")
Arrays = dict[str, np.ndarray]


class Layout:
    """Makes arrays of shape [chain, draw, …], by name, from draws [quantity, chain, draw]."""

    def __init__(self, arrays: Callable[[np.ndarray], Arrays]) -> None:
        self.arrays = arrays

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
    def expanded(expand: Callable[[np.ndarray], Arrays]) -> Layout:
        """By a function of points [point, coordinate]."""

        def arrays(draws: np.ndarray) -> Arrays:
            _, chains, length = draws.shape
            points = np.ascontiguousarray(draws.reshape(draws.shape[0], -1).T)
            return {name: values.reshape(chains, length, *values.shape[1:]) for name, values in expand(points).items()}

        return Layout(arrays)


def _gathered(draws: np.ndarray, entries: list[tuple[int, tuple[int, ...]]]) -> np.ndarray:
    shape = tuple(max(indices) for indices in zip(*(indices for _, indices in entries), strict=True))
    out = np.full((*draws.shape[1:], *shape), np.nan)
    for place, indices in entries:
        out[(..., *(i - 1 for i in indices))] = draws[place]
    return out


def attach(model: _core.Model, layout: Layout) -> _core.Model:
    """The same model, with a layout of its own."""
    model.layout = layout
    return model


def layout_of(model: _core.Model) -> Layout:
    return getattr(model, "layout", None) or Layout.by_name(model.names)
