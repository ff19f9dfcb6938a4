"""What needs neither compilers nor heavy packages."""

import threading
import time

import darboux
import numpy as np
import pytest


def normal(q):
    return -0.5 * q @ q, -q


def sample(model, **more):
    return darboux.sample(model, **{"seed": 1, "progressbar": False, **more})


def test_moments_of_a_function():
    trace = sample(darboux.from_numpy(normal, 3), draws=2000)
    q = trace.posterior["q"].values
    assert q.shape == (4, 2000, 3)
    assert np.abs(q.mean(axis=(0, 1))).max() < 4 / np.sqrt(8000)
    assert np.abs(q.var(axis=(0, 1)) - 1).max() < 4 * np.sqrt(2 / 8000) * 1.5
    assert trace.darboux.warnings == []
    assert "R̂" in trace.darboux.summary()


def test_blocks_of_points_are_the_same_model():
    def block(q):
        assert q.shape == (8, 3)
        return -0.5 * np.einsum("ij,ij->i", q, q), -q

    one, many = (
        sample(m, draws=50) for m in (darboux.from_numpy(normal, 3), darboux.from_numpy(block, 3, vectorized=8))
    )
    np.testing.assert_allclose(one.posterior["q"], many.posterior["q"], rtol=1e-9)


def test_groups_and_attributes_are_those_of_arviz():
    trace = sample(darboux.models.named("gaussian", 2), draws=30, tune=60, save_warmup=True)
    assert set(trace.children) == {"posterior", "sample_stats", "warmup_posterior", "warmup_sample_stats"}
    assert trace["warmup_posterior"]["q"].shape == (4, 60, 2)
    for name in ("lp", "diverging", "n_steps", "step_size", "acceptance_rate", "energy"):
        assert trace.sample_stats[name].shape == (4, 30)
    assert "tree_depth" not in trace.sample_stats
    trees = sample(darboux.models.named("gaussian", 2), draws=30, tune=60, trajectory="nuts")
    assert trees.sample_stats["tree_depth"].max() >= 1
    assert trace.posterior.attrs["inference_library"] == "darboux"
    assert trace.posterior.attrs["seed"] == 1
    assert trace.posterior.attrs["tuning_steps"] == 60
    assert trace.posterior.attrs["metric"] == "dense"
    assert "draws=30" in trace.attrs["settings"]
    assert trace.posterior.attrs["sampling_gradients"] == trace.sample_stats["n_gradients"].sum()


def test_settings_are_those_of_the_command_line():
    assert {"metric", "integrator", "trajectory", "target_ess"} <= darboux.settings().keys()
    for wrong, message in [
        ({"chains": 0}, "chains = 0: must be"),
        ({"metric": "dence"}, 'did you mean "dense"'),
        ({"metrik": "dense"}, 'did you mean "metric"'),
        ({"target_accept": 2.0}, "target-acceptance = 2"),
        ({"structure": "coupled", "integrator": "leapfrog"}, "leapfrog"),
        ({"init": np.zeros((3, 2))}, "starts are 2 × 3: must be 2 × 4"),
    ]:
        with pytest.raises(ValueError, match="(?s).*") as caught:
            sample(darboux.models.named("gaussian", 2), **wrong)
        assert message in str(caught.value)
    with pytest.raises(TypeError, match="chains is a list"):
        sample(darboux.models.named("gaussian", 2), chains=[4])


def test_a_tuning_makes_warm_up_unnecessary():
    model = darboux.models.named("gaussian", 5)
    first = sample(model)
    again = sample(model, tuning=first.darboux.tuning, seed=2)
    assert again.darboux.cost["warmup_gradients"] < first.darboux.cost["warmup_gradients"]
    assert again.darboux.tuning.step_size == first.darboux.tuning.step_size


def test_structures():
    skew = np.array([[0.0, 1.0], [-1.0, 0.0]])
    model = darboux.models.named("gaussian", 2)
    for structure in (darboux.Structure(G=skew), darboux.Structure(E=0.3 * skew), "magnetic-position"):
        q = sample(model, structure=structure, draws=500).posterior["q"].values
        assert np.abs(q.mean(axis=(0, 1))).max() < 0.15
    with pytest.raises(ValueError, match="skew"):
        darboux.Structure(G=np.eye(2))
    with pytest.raises(ValueError, match="which structure"):
        darboux.Structure()


@pytest.mark.parametrize(
    ("f", "kind", "message"),
    [
        (lambda q: -0.5 * q @ q, TypeError, "two things"),
        (lambda q: (-0.5 * q @ q, -q[:1]), ValueError, r"gradient has shape \(1,\): must be \(2,\)"),
        (lambda q: (np.float32(0), -q), TypeError, "log density is of type float32: must be float64"),
        (lambda q: (0.0, (-q).astype(np.float32)), TypeError, "jax_enable_x64"),
        (lambda q: (np.nan, -q), ValueError, "no starting point"),
        (lambda q: 1 / 0, ZeroDivisionError, "division"),
    ],
)
def test_functions_that_are_wrong_are_told_so(f, kind, message):
    with pytest.raises(kind, match=message):
        sample(darboux.from_numpy(f, 2))


def test_exceptions_keep_their_traceback():
    def faulty(q):
        raise KeyError("deep inside")

    with pytest.raises(KeyError, match="deep inside") as caught:
        sample(darboux.from_numpy(faulty, 2))
    assert "faulty" in [entry.name for entry in caught.traceback]


def test_gradients_are_checked():
    assert darboux.check(darboux.from_numpy(normal, 2)).passed
    wrong = darboux.check(darboux.from_numpy(lambda q: (-0.5 * q @ q, -2 * q), 2))
    assert not wrong.passed
    assert "WRONG for q[1]" in repr(wrong)


def test_a_run_in_the_background():
    def slow(q):
        time.sleep(0.001)
        return normal(q)

    run = darboux.sample(darboux.from_numpy(slow, 2), seed=1, draws=100_000, blocking=False)
    with pytest.raises(TimeoutError):
        run.wait(0.05)
    while sum(c.draws for c in run.inspect()) < 40:
        time.sleep(0.01)
    assert not run.done()
    run.abort()
    trace = run.wait()
    assert 0 < trace.posterior.sizes["draw"] < 100_000
    assert trace.darboux.cost["end"] == "interrupted"


def test_a_run_that_is_forgotten_ends():
    run = darboux.sample(darboux.from_numpy(normal, 2), draws=10_000_000, blocking=False)
    del run
    assert threading.active_count() >= 1  # we got here: its destructor did not wait for ten million draws


def test_logistic_regression_of_arrays(tmp_path):
    random = np.random.default_rng(1)
    X = random.normal(size=(200, 2)) * [1.0, 50.0]
    y = (random.uniform(size=200) < 1 / (1 + np.exp(-X @ [1.0, 0.02]))).astype(int)
    trace = sample(darboux.models.logistic(X, y, names=["a", "b"]))
    assert set(trace.posterior) == {"intercept", "a", "b"}
    assert abs(float(trace.posterior["a"].mean()) - 1.0) < 0.7
    with pytest.raises(ValueError, match="199 labels given, must be 200"):
        darboux.models.logistic(X, y[1:])
    with pytest.raises(ValueError, match="must be 0 or 1|0 and 1"):
        darboux.models.logistic(X, y + 1)
