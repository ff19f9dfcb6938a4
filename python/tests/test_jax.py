"""Front ends of JAX: skipped where it is not installed."""

import darboux
import numpy as np
import pytest

jax = pytest.importorskip("jax")


def sample(model, **more):
    return darboux.sample(model, **{"seed": 1, "progressbar": False, **more})


def test_a_log_density_of_an_array():
    trace = sample(darboux.from_jax(lambda q: -0.5 * (q @ q), 3))
    q = trace.posterior["q"].values
    assert q.shape == (4, 1000, 3)
    assert np.abs(q.mean(axis=(0, 1))).max() < 0.08


def test_a_log_density_of_a_pytree():
    def logp(p):
        return -0.5 * (p["mu"] - 1.0) ** 2 - 0.5 * (p["theta"] ** 2).sum()

    trace = sample(darboux.from_jax(logp, {"mu": 0.0, "theta": np.zeros((2, 3))}))
    assert trace.posterior["theta"].shape == (4, 1000, 2, 3)
    assert abs(float(trace.posterior["mu"].mean()) - 1.0) < 0.1


def test_a_model_of_numpyro():
    numpyro = pytest.importorskip("numpyro")

    def schools(y, sigma):
        mu = numpyro.sample("mu", numpyro.distributions.Normal(0, 5))
        tau = numpyro.sample("tau", numpyro.distributions.HalfNormal(5))
        with numpyro.plate("school", 8):
            eta = numpyro.sample("eta", numpyro.distributions.Normal())
            theta = numpyro.deterministic("theta", mu + tau * eta)
            numpyro.sample("y", numpyro.distributions.Normal(theta, sigma), obs=y)

    y = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
    sigma = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    trace = sample(darboux.from_numpyro(schools, y, sigma), draws=2000)
    posterior = trace.posterior
    assert posterior["theta"].shape == (4, 2000, 8)
    # By quadrature over tau, given which mu is normal.
    weights, means = [], []
    taus = np.arange(0.005, 40, 0.01)
    for tau in taus:
        variance = sigma**2 + tau**2
        total = 1 / 25 + (1 / variance).sum()
        mean = (y / variance).sum() / total
        of_data = -0.5 * (np.log(variance) + y**2 / variance).sum()
        weights.append(-0.5 * (tau / 5) ** 2 + of_data + 0.5 * total * mean**2 - 0.5 * np.log(total))
        means.append(mean)
    weight = np.exp(np.array(weights) - max(weights))
    weight /= weight.sum()
    assert abs(float(posterior["mu"].mean()) - weight @ np.array(means)) < 0.3
    assert abs(float(posterior["tau"].mean()) - weight @ taus) < 0.3
    np.testing.assert_allclose(
        posterior["theta"], posterior["mu"].values[..., None] + posterior["tau"].values[..., None] * posterior["eta"], rtol=1e-9
    )
