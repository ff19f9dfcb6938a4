"""What is shown of a run, and what is left of one that is interrupted: by processes of their own, with a terminal and without."""

import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
import types

import darboux
import pytest
from darboux import _progress
from darboux._pymc import told

SLOW = """
import darboux, time
def f(q):
    time.sleep(0.0005)
    return -0.5 * q @ q, -q
trace = darboux.sample(darboux.from_numpy(f, 2), seed=1, draws=1_000_000, tune=20, init="uniform")
print("drawn", trace.posterior.sizes["draw"], trace.darboux.cost["end"], flush=True)
"""


def on_a_terminal(code, until):
    """What a process writes to a terminal until that is seen, and what it prints after an interrupt."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stderr=theirs,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TERM": "xterm"},
    )
    os.close(theirs)
    seen = b""
    while not re.search(until, seen):
        seen += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    rest = []
    try:
        while chunk := os.read(ours, 4096):
            rest.append(chunk)
    except OSError:  # the other end is closed
        pass
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    return (seen + b"".join(rest)).decode(), out, process.returncode


def test_an_interrupt_returns_what_was_drawn_and_terminals_are_repainted():
    shown, out, code = on_a_terminal(SLOW, rb"chain 4  [1-9]\d* of 1000000")
    assert code == 0
    drawn = re.fullmatch(r"drawn (\d+) interrupted\n", out)
    assert drawn and int(drawn[1]) > 0
    assert "\x1b[4A" in shown  # four lines up, one for each chain
    assert re.search(r"chain 1  \d+ of 1000000  step \d\.\d+  \d+\.\d gradients/draw  \d+:\d\d(:\d\d)? left", shown)


def test_without_a_terminal_lines_are_few():
    assert _progress._SECONDS_BETWEEN_PLAIN_LINES >= 5
    slow = "from darboux import _progress; _progress._SECONDS_BETWEEN_PLAIN_LINES = 0.2\n" + SLOW
    process = subprocess.Popen([sys.executable, "-c", slow], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    lines = []
    while len(lines) < 8 or len(lines) % 4 or not re.match(r"chain 4  [1-9]\d* of", lines[-1]):  # something is drawn
        lines.append(process.stderr.readline())
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert "interrupted" in out
    assert "\x1b" not in "".join(lines)
    assert [line.split("  ")[0] for line in lines[:8]] == [f"chain {k}" for k in (1, 2, 3, 4, 1, 2, 3, 4)]


def test_a_program_that_ends_ends_its_runs():
    code = SLOW.replace('init="uniform")', 'init="uniform", blocking=False)').replace('print("drawn"', "exit(0)  # ")
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


def test_runs_end_before_what_was_imported_after_this_package():
    """As JAX may be, which their models need."""
    code = """
import atexit, darboux, time
atexit.register(lambda: print("done", run.done()))
def f(q):
    time.sleep(0.001)
    return -0.5 * q @ q, -q
run = darboux.sample(darboux.from_numpy(f, 2), seed=1, draws=1_000_000, blocking=False)
"""
    ended = subprocess.run([sys.executable, "-c", code], timeout=60, check=True, capture_output=True, text=True)
    assert ended.stdout == "done True\n"


class Chain:
    def __init__(self, warmup, draws, divergences=0, gradients=0, step_size=0.5):
        self.warmup, self.draws, self.divergences = warmup, draws, divergences
        self.gradients, self.step_size = gradients, step_size


class Planned:
    warmup, draws, open_ended = 100, 300, False


def test_rows_say_what_chains_have_done():
    rows = _progress.rows([Chain(100, 100, 3, 1000), Chain(50, 0, 0, 250)], Planned(), 10.0)
    assert rows[0] == {
        "": "chain 1", "draws": "100 of 300", "divergences": "3", "step size": "0.5", "gradients/draw": "5.0", "left": "0:10",
    }  # fmt: skip
    assert rows[1]["draws"] == "warm-up 50 of 100"
    assert rows[1]["left"] == "1:10"  # of 400 iterations, 50 took 10 s
    assert _progress.line(rows[0]) == "chain 1  100 of 300  3 divergent  step 0.5  5.0 gradients/draw  0:10 left"
    assert _progress.rows([Chain(100, 300)], Planned(), 10.0)[0]["left"] == "0:10 in all"
    assert len(_progress.rows([Chain(1, 0)] * 13, Planned(), 1.0)) == 1
    assert _progress.rows([Chain(0, 0)], None, 1.0)[0]["draws"] == "looking for starting points"


def test_notebooks_get_a_table():
    rows = _progress.rows([Chain(100, 100, 3, 1000), Chain(0, 0)], Planned(), 10.0)
    table = _progress.as_html(rows)
    assert table.count("<tr>") == 3
    assert "<td style='text-align:right'>100 of 300</td>" in table


class Shell:
    kernel = object()


class Handle:
    """What IPython gives for something that it shows, and that may change."""

    def __init__(self):
        self.tables = []

    def update(self, shown):
        self.tables.append(shown.data)


@pytest.fixture
def notebook(monkeypatch):
    """Modules that do what those of IPython do in a notebook: all that is shown is in `tables` of what this gives."""
    handle = Handle()
    display = types.ModuleType("IPython.display")
    display.HTML = lambda data: types.SimpleNamespace(data=data)
    display.display = lambda shown, display_id: handle
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = Shell
    ipython.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return handle


def slow(q):
    time.sleep(0.001)
    return -0.5 * q @ q, -q


def test_a_table_in_a_notebook_changes_until_the_run_has_ended(notebook, capsys):
    darboux.sample(darboux.from_numpy(slow, 2), seed=1, draws=100, tune=100)
    assert len(notebook.tables) >= 2
    assert len(set(notebook.tables)) >= 2
    assert all(table.startswith("<table>") and "chain 4" in table for table in notebook.tables)
    assert notebook.tables[-1].count("100 of 100") == 4
    assert "in all" in notebook.tables[-1]
    assert capsys.readouterr().err == ""


def test_ipython_in_a_terminal_gets_no_table(notebook, monkeypatch):
    monkeypatch.delattr(Shell, "kernel")
    darboux.sample(darboux.from_numpy(slow, 2), seed=1, draws=10, tune=20)
    assert notebook.tables == []


def test_what_takes_long_is_told(capsys):
    with told("Compiling", patience=0.01):
        time.sleep(0.2)
    assert capsys.readouterr().err == "Compiling …\nCompiling: 0 s\n"
    with told("Compiling", patience=60):
        pass
    with pytest.raises(KeyError), told("Compiling", patience=60):
        raise KeyError
    assert capsys.readouterr().err == ""
    assert not any(isinstance(thread, threading.Timer) and not thread.finished.is_set() for thread in threading.enumerate())


def stands_still(run):
    before = [c.draws for c in run.progress()]
    time.sleep(0.3)
    return [c.draws for c in run.progress()] == before


def test_runs_can_wait():
    run = darboux.sample(darboux.models.named("gaussian", 20), seed=1, draws=10_000_000, blocking=False)
    while sum(c.draws for c in run.progress()) < 40:
        time.sleep(0.01)
    run.pause()
    assert any(stands_still(run) for _ in range(20))  # transitions that are under way end first
    before = [c.draws for c in run.progress()]
    run.resume()
    while [c.draws for c in run.progress()] == before:
        time.sleep(0.01)
    run.pause()
    run.abort()  # ends one that waits, too
    with pytest.warns(UserWarning, match="the run was interrupted"):
        assert run.wait(60).darboux.cost["end"] == "interrupted"
