"""Runs in the background: what they have so far, and what is left of those that are ended."""

import pickle
import time

import darboux
import numpy as np
import pytest


def slow(q):
    time.sleep(0.0002)
    return -0.5 * q @ q, -q


def in_background(model=None, **more):
    return darboux.sample(
        model or darboux.from_numpy(slow, 2), **{"seed": 1, "draws": 100_000, "tune": 100, "blocking": False, **more}
    )


def until(condition):
    while not condition():
        time.sleep(0.01)


def drawn(run):
    return min(chain.draws for chain in run.progress())


def test_inspect_has_the_draws_that_the_trace_will_begin_with():
    run = in_background(save_warmup=True)
    until(lambda: drawn(run) > 20)
    first = run.inspect()
    assert not run.done()
    length = first.posterior.sizes["draw"]
    assert 20 < length < 100_000
    until(lambda: drawn(run) > length)
    trace = run.abort()
    assert trace.posterior.sizes["draw"] > length
    assert first.sample_stats.sizes["draw"] == length
    np.testing.assert_array_equal(first.posterior["q"], trace.posterior["q"][:, :length])
    np.testing.assert_array_equal(first.sample_stats["lp"], trace.sample_stats["lp"][:, :length])
    np.testing.assert_array_equal(first["warmup_posterior"]["q"], trace["warmup_posterior"]["q"])
    assert first.darboux.tuning.step_size == trace.darboux.tuning.step_size
    assert "q[2]" in first.darboux.summary()


def test_what_is_not_known_of_a_run_that_goes_on_is_not_said():
    run = in_background()
    until(lambda: drawn(run) > 5)
    running = run.inspect().darboux
    ended = run.abort().darboux
    assert running.cost["end"] == "running"
    assert ended.cost["end"] == "interrupted"
    assert set(ended.cost) - set(running.cost) == {"sampling_cpu_seconds"}
    assert running.how == ended.how
    for known in ("target_acceptance", "warmup_gradients", "warmup_seconds", "warmup_cpu_seconds"):
        assert running.cost[known] == ended.cost[known], known
    assert 0 < running.cost["sampling_gradients"] <= ended.cost["sampling_gradients"]
    assert 0 < running.cost["sampling_seconds"] <= ended.cost["sampling_seconds"]


def test_a_run_in_warm_up_has_no_draws_and_no_tuning():
    run = in_background(tune=100_000, save_warmup=True, init="uniform")
    until(lambda: min(chain.warmup for chain in run.progress()) > 20)
    trace = run.inspect()
    assert trace.posterior["q"].shape == (4, 0, 2)
    assert trace["warmup_posterior"].sizes["draw"] > 20
    assert "metric" not in trace.attrs
    assert pickle.loads(pickle.dumps(trace)).posterior.sizes["draw"] == 0
    facts = pickle.loads(pickle.dumps(trace.darboux))
    assert repr(facts) == repr(trace.darboux)
    with pytest.raises(RuntimeError, match="warm-up goes on"):
        _ = trace.darboux.tuning
    assert run.abort().posterior["q"].shape == (4, 0, 2)
    with pytest.raises(RuntimeError, match="before the first draw"):
        run.wait()


def test_inspect_is_of_quantities_that_are_computed_from_draws():
    def f(q):
        time.sleep(0.0002)
        return -0.5 * q @ q, -q

    run = in_background(darboux.from_numpy(f, 3, names=["a", "b[1]", "b[2]"]), return_inferencedata=False)
    until(lambda: drawn(run) > 3)
    arrays = run.inspect()
    assert arrays["b"].shape == (4, arrays["a"].shape[1], 2)
    assert run.abort()["b"].shape[1] >= arrays["a"].shape[1]


def test_inspect_and_abort_of_a_run_that_has_ended_are_its_trace():
    run = in_background(draws=50)
    trace = run.wait()
    for again in (run.inspect(), run.abort(), run.wait()):
        np.testing.assert_array_equal(again.posterior["q"], trace.posterior["q"])
        assert again.darboux.cost["end"] == "complete"


def test_a_failure_of_the_model_is_told_by_all():
    def faulty(q):
        raise KeyError("deep inside")

    run = in_background(darboux.from_numpy(faulty, 2))
    for ask in (run.inspect, run.abort, run.wait):
        with pytest.raises(KeyError, match="deep inside"):
            ask()


def test_inspecting_does_not_change_what_is_drawn():
    model = darboux.models.named("gaussian", 20)
    run = in_background(model, draws=20_000)
    looked = 0
    while not run.done():
        run.inspect()
        looked += 1
    assert looked > 1
    alone = darboux.sample(model, seed=1, draws=20_000, tune=100, progressbar=False)
    np.testing.assert_array_equal(run.wait().posterior["q"], alone.posterior["q"])
