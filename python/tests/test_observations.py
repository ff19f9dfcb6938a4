"""What a model says of single observations: groups of a trace, and a figure of its report."""

import darboux
import numpy as np
import pytest


def some_data():
    random = np.random.default_rng(1)
    x = random.normal([0.0, 50.0], [1.0, 7.0], (60, 2))
    return x, (random.uniform(size=60) < 0.4).astype(float)


def test_groups_of_a_trace():
    x, y = some_data()
    trace = darboux.sample(
        darboux.models.logistic(x, y, names=["a", "b"]),
        seed=1, draws=50, tune=200, progressbar=False, log_likelihood=True, posterior_predictive=10,
    )  # fmt: skip
    posterior = {name: values.to_numpy()[..., None] for name, values in trace.posterior.items()}
    eta = posterior["intercept"] + posterior["a"] * x[:, 0] + posterior["b"] * x[:, 1]
    np.testing.assert_allclose(trace.log_likelihood["y"], -np.logaddexp(0, -(2 * y - 1) * eta), rtol=1e-9)
    predicted = trace.posterior_predictive["y"]
    assert predicted.dims == ("chain", "draw", "obs")
    assert predicted.shape == (4, 10, 60)
    assert predicted.coords["draw"].to_numpy().tolist() == list(range(2, 50, 5))
    assert set(np.unique(predicted)) == {0.0, 1.0}
    np.testing.assert_array_equal(trace.observed_data["y"], y)
    np.testing.assert_array_equal(trace.constant_data["X"].sel(column="b"), x[:, 1])
    assert trace.constant_data["X"].dims == ("obs", "column")


def test_without_being_asked_there_are_none():
    x, y = some_data()
    trace = darboux.sample(darboux.models.logistic(x, y), seed=1, draws=20, tune=200, progressbar=False)
    assert not {"log_likelihood", "posterior_predictive"} & set(trace.children)


def test_a_model_that_tells_nothing_is_refused_before_sampling():
    with pytest.raises(ValueError, match="log_likelihood is given, but model gaussian tells nothing of single observations"):
        darboux.sample(darboux.models.named("gaussian"), seed=1, progressbar=False, log_likelihood=True)
