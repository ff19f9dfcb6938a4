"""How a run gets on: a table in notebooks, lines that are painted over in terminals, a line now and then elsewhere."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol, Self

from darboux import _core

Show = Callable[[list[dict[str, str]], bool], None]
_MOST_LINES = 12
_SECONDS_BETWEEN_PLAIN_LINES = 10.0


class Watched(Protocol):
    """What there is to watch."""

    def progress(self) -> list[_core.ChainProgress]: ...
    def planned(self) -> _core.Iterations | None: ...


class Progress:
    """Shows what the chains of a run have done, whenever it is told to; a thread of its own it has not."""

    def __init__(self, run: Watched, wanted: bool) -> None:
        self._run = run
        self._begin = time.monotonic()
        self._show: Show | None = None
        if wanted:
            with contextlib.suppress(Exception):
                self._show = _place(self._begin)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            self.show(last=True)

    def show(self, last: bool = False) -> None:
        """Where that fails, as with a stream that somebody has closed, nothing is shown any more: the run matters more."""
        if self._show:
            try:
                self._show(rows(self._run.progress(), self._run.planned(), time.monotonic() - self._begin), last)
            except Exception:  # noqa: BLE001
                self._show = None


def rows(chains: list[_core.ChainProgress], planned: _core.Iterations | None, seconds: float) -> list[dict[str, str]]:
    """Words on each chain, or on all of them where they are more than a screenful."""
    if len(chains) > _MOST_LINES:
        return [_row(f"{len(chains)} chains", chains, planned, seconds)]
    return [_row(f"chain {k + 1}", [chain], planned, seconds) for k, chain in enumerate(chains)]


def _row(
    label: str, chains: list[_core.ChainProgress], planned: _core.Iterations | None, seconds: float
) -> dict[str, str]:
    done = sum(c.warmup + c.draws for c in chains) / len(chains)
    row = {"": label}
    if planned is None:
        return row | {"draws": "looking for starting points", "left": clock(seconds) + " so far"}
    drawn = sum(c.draws for c in chains) // len(chains)
    total = planned.warmup + planned.draws
    at_most = "at most " if planned.open_ended else ""
    row["draws"] = f"{drawn} of {at_most}{planned.draws}" if drawn else f"warm-up {done:.0f} of {planned.warmup}"
    row["divergences"] = str(sum(c.divergences for c in chains))
    if done:
        row["step size"] = f"{chains[0].step_size:.3g}"
        row["gradients/draw"] = f"{sum(c.gradients for c in chains) / len(chains) / done:.1f}"
    if 0 < done < total and not planned.open_ended:
        row["left"] = clock(seconds * (total / done - 1))
    else:
        row["left"] = clock(seconds) + (" in all" if done == total else " so far")
    return row


def clock(seconds: float) -> str:
    whole = int(seconds + 0.5)
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02}" if whole < 3600 else f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def line(row: dict[str, str]) -> str:
    """A row as text."""
    words = {"divergences": "{} divergent", "step size": "step {}", "gradients/draw": "{} gradients/draw"}
    left = {key: value for key, value in row.items() if not (key == "divergences" and value == "0")}
    if "left" in left and not left["left"].endswith(("so far", "in all")):
        left["left"] += " left"
    return "  ".join(words.get(key, "{}").format(value) for key, value in left.items())


def _place(begin: float) -> Show:
    can_repaint = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    return _in_notebook() or (_terminal() if can_repaint else _plain(begin))


def _terminal() -> Show:
    painted = 0

    def show(table: list[dict[str, str]], last: bool) -> None:
        nonlocal painted
        columns = _width()  # a line that wraps would be painted over wrongly next time
        up = f"\x1b[{painted}A" if painted else ""
        sys.stderr.write(up + "".join(f"\r\x1b[K{line(row)[:columns]}\n" for row in table) + "\x1b[J")
        sys.stderr.flush()
        painted = len(table)

    return show


def _width() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, AttributeError, ValueError):  # a terminal that is none of the system's
        return 80


def _plain(begin: float) -> Show:
    """Short runs say nothing here."""
    next_time = begin + _SECONDS_BETWEEN_PLAIN_LINES

    def show(table: list[dict[str, str]], last: bool) -> None:
        nonlocal next_time
        if time.monotonic() < next_time:
            return
        next_time = time.monotonic() + _SECONDS_BETWEEN_PLAIN_LINES
        sys.stderr.write("".join(line(row) + "\n" for row in table))
        sys.stderr.flush()

    return show


def _in_notebook() -> Show | None:
    """A table that is updated in place, where IPython runs with something that can show it."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import HTML, display

    handle = display(HTML(""), display_id=True)
    if handle is None:
        return None
    return lambda table, last: handle.update(HTML(as_html(table)))


def as_html(table: list[dict[str, str]]) -> str:
    """A table of HTML."""
    from html import escape

    columns = list(dict.fromkeys(key for row in table for key in row))
    head = "".join(f"<th style='text-align:right'>{escape(key)}</th>" for key in columns)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:right'>{escape(row.get(key, ''))}</td>" for key in columns) + "</tr>"
        for row in table
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
