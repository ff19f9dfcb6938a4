"""How draws of numbers become named arrays, and what a front end knows beside them."""

from __future__ import annotations

import itertools
import math
import operator
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from darboux import _core

_ENTRY = re.compile(r"(.+)\[((?:0|[1-9][0-9]*)(?:,(?:0|[1-9][0-9]*))*)\]")
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
    start: np.ndarray | None = None
    """Where chains begin if a run is not told otherwise."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of what the model was made with."""

    @staticmethod
    def by_name(names: Sequence[str], **known: Any) -> Layout:
        """theta[1], theta[2], … are an array theta, whatever their order, where none is missing; other names stay as they are."""
        groups: dict[str, dict[tuple[int, ...], int]] = {}
        for place, name in enumerate(names):
            entry = _ENTRY.fullmatch(name)
            base, indices = (entry[1], tuple(int(i) for i in entry[2].split(","))) if entry else (name, ())
            groups.setdefault(base, {})[indices] = place
        arrays: dict[str, dict[tuple[int, ...], int]] = {}
        for base, places in groups.items():
            alone = {names[place]: {(): place} for place in places.values()}
            arrays |= {base: places} if _is_whole(list(places)) else alone
        require_names(list(arrays))
        return Layout(lambda draws: {name: _gathered(draws, places) for name, places in arrays.items()}, **known)

    @staticmethod
    def expanded(expand: Callable[[np.ndarray], Arrays], names: Sequence[str], **known: Any) -> Layout:
        """By a function of points [point, coordinate], to arrays of these names."""
        require_names(names)

        def arrays(draws: np.ndarray) -> Arrays:
            _, chains, length = draws.shape
            points = np.ascontiguousarray(draws.reshape(draws.shape[0], -1).T)
            return {name: values.reshape(chains, length, *values.shape[1:]) for name, values in expand(points).items()}

        return Layout(arrays, is_expansion=True, **known)


def _shape(indices: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(max(axis) for axis in zip(*indices, strict=True))


def _is_whole(indices: Sequence[tuple[int, ...]]) -> bool:
    """Whether these are all indices of an array, which count from 1. They differ from each other."""
    if any(len(index) != len(indices[0]) or 0 in index for index in indices):
        return False
    return math.prod(_shape(indices)) == len(indices)


def _gathered(draws: np.ndarray, places: Mapping[tuple[int, ...], int]) -> np.ndarray:
    out = np.empty((*draws.shape[1:], *_shape(list(places))))
    for indices, place in places.items():
        out[(..., *(i - 1 for i in indices))] = draws[place]
    return out


def require_names(names: Sequence[str]) -> None:
    """Raises ValueError where a trace could not have such variables: at once, rather than when the run has ended."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"names: {name} is given twice: names must differ")
        seen.add(name)
        if name in ("chain", "draw"):
            raise ValueError(f"names: {name} is what ArviZ calls an axis of every trace: choose another name")
        if not name or "/" in name:
            raise ValueError(f"names: {name!r}: must have a letter, and no /, which parts the groups of a trace")
        if name.endswith("__"):
            raise ValueError(f"names: {name}: must not end in __, as names of the sampler's own quantities do")


def entries(name: str, shape: tuple[int, ...], labels: Mapping[int, Any] | None = None) -> list[str]:
    """Names of the entries of an array, the last index moving fastest: theta[1,1], theta[1,2], …; axes whose labels are texts have
    these instead of numbers."""

    def index(axis: int, size: int) -> list[str]:
        given = (labels or {}).get(axis)
        texts = [] if given is None else [label for label in given if isinstance(label, str)]
        return texts if len(texts) == size else [str(i + 1) for i in range(size)]

    places = itertools.product(*(index(axis, size) for axis, size in enumerate(shape)))
    return [f"{name}[{','.join(place)}]" if shape else name for place in places]


@dataclass(frozen=True)
class Quantities:
    """What a trace has in place of the draws themselves, by name, [chain, draw, …]: functions of them."""

    arrays: Arrays
    dims: Mapping[str, Sequence[str]]
    coords: Mapping[str, Any]

    def names(self) -> list[str]:
        return [entry for name, values in self.arrays.items() for entry in entries(name, values.shape[2:])]

    def labels(self) -> list[str]:
        """What they are called for people: theta[A] where an axis has texts for coords that tell its entries apart."""
        out = []
        for name, values in self.arrays.items():
            shape = values.shape[2:]
            labels = {axis: self.coords.get(dim) for axis, dim in enumerate(self.dims.get(name, ()))}
            found = entries(name, shape, labels)
            out += found if len(set(found)) == len(found) else entries(name, shape)
        return out

    def numbers(self) -> np.ndarray:
        """All of them, [quantity, chain, draw]."""
        flat = [values.reshape(*values.shape[:2], -1) for values in self.arrays.values()]
        return np.ascontiguousarray(np.moveaxis(np.concatenate(flat, axis=2), 2, 0), dtype=np.float64)


def whole_number(name: str, value: Any) -> int:
    """What an argument that counts something is."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a {type(value).__name__}: must be a whole number") from None


def attach(model: _core.Model, layout: Layout, name: str) -> _core.Model:
    """The same model, with a layout and a name of its own."""
    model.layout = layout
    model.name = name
    return model


def versions_of(*packages: str) -> dict[str, str]:
    """Of packages that are imported."""
    return {name: sys.modules[name].__version__ for name in packages}


def function_name(f: Any) -> str:
    """What a function is called; nothing for one without a name."""
    name = getattr(f, "__name__", "")
    return "" if name == "<lambda>" else name


def layout_of(model: _core.Model) -> Layout:
    return getattr(model, "layout", None) or Layout.by_name(model.names)


def name_of(model: _core.Model) -> str:
    return getattr(model, "name", "") or "model"
