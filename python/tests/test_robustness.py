"""What must not crash, hang, or go wrong in silence."""

import contextvars
import io
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import darboux
import numpy as np
import pandas
import pytest
from darboux._layout import Layout, attach


def normal(q):
    return -0.5 * q @ q, -q


def slow(q):
    time.sleep(0.0005)
    return normal(q)


def sample(model, **more):
    return darboux.sample(model, **{"seed": 1, "progressbar": False, "draws": 20, "tune": 50, **more})


def in_a_process(code, **more):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False, **more)


def test_a_failure_can_be_waited_for_again():
    def faulty(q):
        raise KeyError("deep inside")

    run = sample(darboux.from_numpy(faulty, 2), blocking=False)
    seen = []

    def wait():
        with pytest.raises(KeyError, match="deep inside") as caught:
            run.wait()
        seen.append("faulty" in [entry.name for entry in caught.traceback])

    for _ in range(3):
        wait()
    threads = [threading.Thread(target=wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 7


def test_a_table_without_rows_is_refused():
    with pytest.raises(ValueError, match="X has no rows: must have at least one"):
        darboux.models.logistic(np.zeros((0, 2)), np.zeros(0))


@pytest.mark.parametrize(
    ("names", "shapes"),
    [
        (["q[0]", "q[1]"], {"q[0]": (), "q[1]": ()}),
        (["a[5]", "b"], {"a[5]": (), "b": ()}),
        (["id[1000000000]", "b"], {"id[1000000000]": (), "b": ()}),
        (["a", "a[1]"], {"a": (), "a[1]": ()}),
        (["a[1]", "a[1,1]"], {"a[1]": (), "a[1,1]": ()}),
        (["a[1]", "a[01]"], {"a": (1,), "a[01]": ()}),
        (["a[2]", "a[1]"], {"a": (2,)}),
        (["a[1,]", "[1]"], {"a[1,]": (), "[1]": ()}),
    ],
)
def test_names_are_gathered_only_where_they_are_a_whole_array(names, shapes):
    trace = sample(darboux.from_numpy(normal, 2, names=names))
    assert {name: values.shape[2:] for name, values in trace.posterior.items()} == shapes
    values = np.concatenate([v.to_numpy().reshape(4, 20, -1) for v in trace.posterior.values()], axis=2)
    expected = sample(darboux.from_numpy(normal, 2)).posterior["q"].to_numpy()
    np.testing.assert_array_equal(np.sort(values, axis=2), np.sort(expected, axis=2))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "a"], "a is given twice: names must differ"),
        (["chain", "a"], "chain is what ArviZ calls an axis of every trace: choose another name"),
        (["draw[1]", "draw[2]"], "draw is what ArviZ"),
        (["a/b", "c"], "no /"),
        (["a__", "c"], "must not end in __"),
        (["", "c"], "must have a letter"),
    ],
)
def test_names_that_a_trace_cannot_have_are_refused_at_once(names, message):
    with pytest.raises(ValueError, match=message):
        darboux.from_numpy(normal, 2, names=names)
    with pytest.raises(ValueError, match=message):
        darboux.from_cfunc(1, 2, names=names)


@pytest.mark.parametrize(
    "twice",
    [{"tune": 60, "warmup": 10}, {"cores": 1, "threads": 2}, {"target_accept": 0.8, "target_acceptance": 0.9}],
)
def test_a_setting_is_given_once(twice):
    first, second = twice
    with pytest.raises(ValueError, match=f"{first} and {second} are two names of one setting: give one of them"):
        darboux.sample(darboux.models.named("gaussian", 2), **twice)


class Broken(io.StringIO):
    def isatty(self):
        return True

    def write(self, text):
        raise OSError("gone")


@pytest.mark.parametrize("stream", [None, Broken()])
def test_progress_that_cannot_be_shown_does_not_matter(stream, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", stream)
    assert sample(darboux.from_numpy(slow, 2), progressbar=True).posterior.sizes["draw"] == 20


def test_progress_goes_to_a_terminal_that_is_none_of_the_systems(monkeypatch):
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", stream)
    sample(darboux.from_numpy(slow, 2), progressbar=True)
    assert "chain 4" in stream.getvalue()


def test_tunings_and_traces_can_be_pickled():
    model = darboux.models.named("gaussian", 3)
    trace = sample(model)
    facts = trace.darboux
    tuning = pickle.loads(pickle.dumps(facts.tuning))
    one, other = (sample(model, tuning=t, seed=2) for t in (facts.tuning, tuning))
    np.testing.assert_array_equal(one.posterior["q"], other.posterior["q"])
    again = pickle.loads(pickle.dumps(trace))
    np.testing.assert_array_equal(again.posterior["q"], trace.posterior["q"])
    kept = pickle.loads(pickle.dumps(facts))
    assert (kept.summary(), kept.warnings, kept.cost) == (facts.summary(), facts.warnings, facts.cost)
    assert repr(kept) == repr(facts)
    with pytest.raises(RuntimeError, match="pickled have no draws to report on"):
        kept.report(page=__file__)
    trace.copy(deep=True)


def beginning_at(point):
    """A model that says where chains begin, as one of PyMC with initial values does."""
    model = darboux.from_numpy(normal, 2)
    return attach(model, Layout.by_name(model.names, start=np.array(point)), "model")


@pytest.mark.parametrize(("more", "chains"), [({"chains": 3}, 3), ({"chains": None}, 4), ({"chain_ids": "5-6"}, 2)])
def test_chains_begin_where_the_model_says(more, chains):
    model = beginning_at([3.0, -4.0])
    if "chain_ids" in more:  # parts of a run have a tuning in common
        more = more | {"tuning": sample(model).darboux.tuning}
    trace, told, elsewhere = (sample(model, **more, init=init) for init in (None, np.tile([3.0, -4.0], (chains, 1)), "uniform"))
    np.testing.assert_array_equal(trace.posterior["q"], told.posterior["q"])
    assert trace.posterior.sizes["chain"] == chains
    assert (trace.posterior["q"] != elsewhere.posterior["q"]).any()
    assert "starts" not in trace.attrs["settings"]  # which nobody has given


def test_how_many_chains_is_a_number_wherever_they_begin():
    with pytest.raises(TypeError, match="chains is a list: must be a number"):
        sample(beginning_at([0.0, 0.0]), chains=[4])


def test_a_fork_leaves_runs_to_the_process_that_began_them():
    code = """
import os, sys, time, warnings, darboux
warnings.simplefilter("ignore")
def f(q):
    time.sleep(0.001)
    return -0.5 * q @ q, -q
run = darboux.sample(darboux.from_numpy(f, 2), draws=1_000_000, blocking=False)
child = os.fork()
if child == 0:
    try:
        run.wait()
    except RuntimeError as error:
        print(error, flush=True)
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), run.done())
run.abort()
"""
    ended = in_a_process(code)
    assert ended.returncode == 0, ended.stderr
    assert "the run goes on in process" in ended.stdout
    assert ended.stdout.endswith("7 False\n")


BEFORE_THE_FIRST_DRAW = """
import darboux, os, signal, threading, time
{setup}
def f(q):
    time.sleep(0.001)
    return -0.5 * q @ q, -q
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    trace = darboux.sample(darboux.from_numpy(f, 2), init="uniform", progressbar=False, **{more})
    print(trace.darboux.cost["end"])
except KeyboardInterrupt as error:
    print("interrupted:", error)
"""


def test_an_interrupt_before_the_first_draw_is_one():
    ended = in_a_process(BEFORE_THE_FIRST_DRAW.format(setup="", more={"tune": 1_000_000}))
    assert ended.stdout.startswith("interrupted: the run was ended"), ended.stderr


COMPILER = """#!/bin/sh
for word; do [ "$word" = --version ] && echo "a compiler that does not end" && exit; done
echo $$ >"$PLACE" && exec sleep 600
"""
COMPILING = """
import darboux
try:
    darboux.from_stan("coin.stan")
except ValueError as error:
    print(error)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_ends_a_compilation(tmp_path):
    compiler, place = tmp_path / "compiler", tmp_path / "place"
    compiler.write_text(COMPILER, encoding="utf-8")
    compiler.chmod(0o755)
    (tmp_path / "coin.stan").write_text("parameters { real x; } model { x ~ normal(0, 1); }", encoding="utf-8")
    environment = os.environ | {"CXX": os.fspath(compiler), "PLACE": os.fspath(place), "XDG_CACHE_HOME": os.fspath(tmp_path / "cache")}
    process = subprocess.Popen([sys.executable, "-c", COMPILING], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    while process.poll() is None and not (place.exists() and place.read_text(encoding="utf-8").endswith("\n")):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)  # to it alone: terminals send it to compilers, too
    out, _ = process.communicate(timeout=60)
    if "there is no Stan here" in out:
        pytest.skip(out)
    assert out == "interrupted\n"
    with pytest.raises(ProcessLookupError):
        os.kill(int(place.read_text(encoding="utf-8")), 0)


def test_a_process_that_ignores_interrupts_goes_on_sampling():
    ended = in_a_process(
        BEFORE_THE_FIRST_DRAW.format(
            setup="signal.signal(signal.SIGINT, signal.SIG_IGN)", more={"tune": 100, "draws": 100, "steps": 2}
        )
    )
    assert ended.stdout == "complete\n", ended.stderr


def test_a_handler_that_is_not_pythons_is_left_alone(monkeypatch):
    monkeypatch.setattr(signal, "getsignal", lambda number: None)
    changed = []
    monkeypatch.setattr(signal, "signal", lambda *call: changed.append(call))
    sample(darboux.from_numpy(normal, 2))
    assert changed == []


def test_functions_see_the_context_of_the_caller():
    variable = contextvars.ContextVar("variable", default="nobody's")
    seen = set()

    def f(q):
        seen.add(variable.get())
        return normal(q)

    model = darboux.from_numpy(f, 2)
    variable.set("mine")
    runs = [sample(model, blocking=False) for _ in range(2)]  # at once: a context cannot be entered twice
    for run in runs:
        run.wait()
    assert seen == {"mine"}
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        sample(darboux.from_numpy(lambda q: (float(np.float64(1) / np.float64(0)), -q), 2))


def test_two_runs_at_once_are_those_that_they_are_alone():
    model = darboux.from_numpy(normal, 2)
    alone = [sample(model, seed=seed).posterior["q"] for seed in (1, 2)]
    together = [sample(model, seed=seed, blocking=False) for seed in (1, 2)]
    for run, expected in zip(together, alone, strict=True):
        np.testing.assert_array_equal(run.wait().posterior["q"], expected)


def test_a_run_that_is_forgotten_ends():
    """Its destructor waits for the present transitions, not for all draws, and nothing calls the function any more."""
    calls = 0

    def counted(q):
        nonlocal calls
        calls += 1
        return slow(q)

    run = darboux.sample(darboux.from_numpy(counted, 2), draws=10_000_000, blocking=False)
    while calls == 0:
        time.sleep(0.01)
    del run
    before = calls
    time.sleep(0.1)
    assert calls == before


def test_waiting_shows_and_returns_what_sample_was_told(monkeypatch):
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", stream)
    run = sample(darboux.from_numpy(slow, 2), blocking=False, return_inferencedata=False, progressbar=True)
    assert run.wait()["q"].shape == (4, 20, 2)
    assert "chain 4" in stream.getvalue()


def test_settings_that_are_values_are_in_the_attributes():
    model = darboux.models.named("gaussian", 2)
    tuning = sample(model).darboux.tuning
    structure = darboux.Structure(G=[[0, 1], [-1, 0]])
    trace = darboux.sample(model, tuning=tuning, structure=structure, init=np.zeros((4, 2)), progressbar=False)
    assert set(trace.attrs["settings"].split()) >= {"structure=Structure", "tuning=Tuning", "starts=ndarray"}
    assert "draws=" not in trace.attrs["settings"]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda m: sample(m, structure=np.eye(2)), TypeError, "structure is a ndarray: must be a name, or a darboux"),
        (lambda m: sample(m, tuning=sample(m)), TypeError, r"tuning is a DataTree: must be .*trace\.darboux\.tuning"),
        (lambda m: darboux.from_numpy(normal, 3.0), TypeError, "dim is a float: must be a whole number"),
        (lambda m: darboux.from_cfunc(1, 3.0), TypeError, "dim is a float: must be a whole number"),
        (lambda m: darboux.from_numpy(normal, 3, vectorized=-1), ValueError, "vectorized = -1: must be True, False"),
        (lambda m: darboux.from_numpy(normal, 3, vectorized=2.5), TypeError, "vectorized is a float"),
        (lambda m: darboux.check(3), TypeError, "cannot sample a int: make a model of it with from_numpy"),
        (lambda m: sample(m, random_seed=1), ValueError, "random_seed: is called seed here"),
        (lambda m: sample(m, max_draws=5), ValueError, "^max_draws is for target_ess, which is not given: draws says"),
        (lambda m: sample(m, target_accept=2.0), ValueError, "target_acceptance = 2"),
        (
            lambda m: sample(m, tuning=sample(darboux.models.named("gaussian", 5)).darboux.tuning, tune=None),
            ValueError,
            "tuning: is of dimension 5: must be 2, as the model",
        ),
        (lambda m: sample(darboux.from_numpy(lambda q: list(normal(q)), 2)), TypeError, "returned list: must be a tuple"),
        (lambda m: darboux.models.logistic(np.eye(4), np.zeros((2, 2))), ValueError, "y has 2 dimensions: must have 1"),
    ],
)
def test_mistakes_are_told_in_words(call, kind, message):
    with pytest.raises(kind, match=message):
        call(darboux.models.named("gaussian", 2))


@pytest.mark.parametrize("column", [pandas.array([1, None, 3], dtype="Int64"), ["red", "red", "red"], [1, "green", 2]])
def test_columns_that_cannot_be_used_are_named(column):
    frame = pandas.DataFrame({"age": [1.0, 2.0, 4.0], "dose": column})
    with pytest.raises(ValueError, match="column dose"):
        darboux.models.logistic(frame, [0, 1, 1])


def test_stan_of_the_package_is_the_last_to_be_taken(tmp_path, monkeypatch):
    """Where the command line would find another, that is it: here by its variable, which names a folder without Stan."""
    package = tmp_path / "httpstan"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    program = tmp_path / "coin.stan"
    program.write_text("parameters { real x; } model { x ~ normal(0, 1); }", encoding="utf-8")
    monkeypatch.setenv("DARBOUX_STAN", os.fspath(tmp_path / "mine"))
    with pytest.raises(ValueError, match="DARBOUX_STAN = .*mine: no Stan there"):
        darboux.from_stan(program)
