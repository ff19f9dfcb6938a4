"""Front ends of JAX."""

import darboux
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
import pytest


def sample(model, **more):
    return darboux.sample(model, **{"seed": 1, "progressbar": False, **more})


def test_a_log_density_of_an_array():
    trace = sample(darboux.from_jax(lambda q: -0.5 * (q @ q), 3))
    q = trace.posterior["q"].values
    assert q.shape == (4, 1000, 3)
    assert np.abs(q.mean(axis=(0, 1))).max() < 0.08


def test_a_log_density_of_a_pytree():
    def logp(p):
        return -0.5 * (p["theta"] ** 2).sum() - 0.5 * (p["mu"] - 1.0) ** 2

    model = darboux.from_jax(
        logp,
        {"theta": np.zeros((2, 3)), "mu": 0.0},
        transform=lambda p: {"theta": p["theta"], "mu": p["mu"], "e": jnp.exp(p["mu"])},
    )
    trace = sample(model)
    assert list(trace.posterior.data_vars) == ["theta", "mu", "e"]
    assert trace.posterior["theta"].shape == (4, 1000, 2, 3)
    assert abs(float(trace.posterior["mu"].mean()) - 1.0) < 0.1
    np.testing.assert_allclose(trace.posterior["e"], np.exp(trace.posterior["mu"]), rtol=1e-12)
    assert "theta[2,3]" in trace.darboux.summary()


def test_one_call_serves_all_chains_and_only_one_shape_is_compiled():
    shapes = []

    def logp(q):
        shapes.append(q.dtype)  # once for each compilation
        return -0.5 * (q @ q)

    sample(darboux.from_jax(logp, 3), chains=6, draws=50)
    assert shapes == [np.float64]


def test_precision_is_double_and_the_users_own_setting_stays():
    assert not jax.config.jax_enable_x64
    centre = 1e6 + np.array([0.0, 0.001])  # which float32 cannot tell apart

    trace = sample(darboux.from_jax(lambda q: -0.5e6 * ((q - centre) ** 2).sum(), 2), init=np.tile(centre, (4, 1)))
    difference = trace.posterior["q"].values @ [-1.0, 1.0]
    assert abs(difference.mean() - 0.001) < 1e-4
    assert not jax.config.jax_enable_x64
    assert jnp.zeros(1).dtype == np.float32


def test_single_precision_is_told_of():
    with pytest.raises(TypeError, match="log density is of type float32: must be float64"):
        sample(darboux.from_jax(lambda q: -0.5 * jnp.sum(q.astype(jnp.float32) ** 2), 2))


def test_exceptions_of_a_model_come_through():
    def faulty(q):
        raise KeyError("deep inside")

    with pytest.raises(KeyError, match="deep inside"):
        sample(darboux.from_jax(faulty, 2))


def eight_schools(sigma, y):
    mu = numpyro.sample("mu", dist.Normal(0, 5))
    tau = numpyro.sample("tau", dist.HalfNormal(5))
    with numpyro.plate("school", 8):
        eta = numpyro.sample("eta", dist.Normal())
        theta = numpyro.deterministic("theta", mu + tau * eta)
        numpyro.sample("y", dist.Normal(theta, sigma), obs=y)


def test_a_model_of_numpyro(schools):
    trace = sample(darboux.from_numpyro(eight_schools, schools.sigma, y=schools.y), draws=2000)
    schools.agree(trace.posterior)
    assert trace.posterior["theta"].dims == ("chain", "draw", "school")
    assert trace.observed_data["y"].dims == ("school",)
    np.testing.assert_array_equal(trace.observed_data["y"], schools.y)
    assert set(trace.constant_data) == {"sigma"}
    assert "theta[8]" in trace.darboux.summary()
