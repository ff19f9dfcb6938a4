"""Front ends of JAX."""

import time

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


def test_what_is_reported_is_compiled_once_for_any_number_of_draws():
    shapes = []

    def transform(q):
        shapes.append(q.shape)  # once for each compilation
        return {"double": 2 * q, "positive": q > 0}

    model = darboux.from_jax(lambda q: -0.5 * (q @ q), 3, transform=transform)
    for draws in (1, 10, 64, 200):  # with 4 chains less than a block, a whole one, and more
        posterior = sample(model, draws=draws, tune=50, thin=1).posterior
        assert posterior["double"].shape == (4, draws, 3)
        assert posterior["positive"].dtype == bool
        np.testing.assert_array_equal(posterior["positive"], posterior["double"] > 0)
    alone = sample(darboux.from_jax(lambda q: -0.5 * (q @ q), 3), draws=200, tune=50).posterior["q"]
    np.testing.assert_array_equal(posterior["double"], 2 * alone)
    assert len(shapes) <= 2


def test_a_run_in_warm_up_has_arrays_without_draws():
    def logp(q):
        return -0.5 * (q @ q)

    run = sample(darboux.from_jax(logp, 3, transform=lambda q: {"pairs": jnp.outer(q, q)}), tune=10_000_000, blocking=False)
    while min(chain.warmup for chain in run.progress()) < 5:
        time.sleep(0.01)
    assert run.inspect().posterior["pairs"].shape == (4, 0, 3, 3)
    run.abort()


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
    assert (trace.attrs["numpyro_version"], trace.attrs["jax_version"]) == (numpyro.__version__, jax.__version__)
    schools.agree(trace.posterior)
    assert trace.posterior["theta"].dims == ("chain", "draw", "school")
    assert trace.observed_data["y"].dims == ("school",)
    np.testing.assert_array_equal(trace.observed_data["y"], schools.y)
    assert set(trace.constant_data) == {"sigma"}
    assert "theta[8]" in trace.darboux.summary()


def test_a_dimension_may_be_a_number_of_numpy():
    assert sample(darboux.from_jax(lambda q: -0.5 * (q @ q), np.int64(3)), draws=5, tune=50).posterior["q"].shape[2:] == (3,)


def test_arrays_of_a_pytree_are_called_by_the_way_to_them():
    def logp(p):
        return -0.5 * sum((leaf**2).sum() for leaf in jax.tree.leaves(p))

    for point, names in [
        ((0.0, np.zeros(2)), ["q.0", "q.1"]),
        ([0.0, {"a": 0.0}], ["q.0", "q.1.a"]),
        ({"z": {"b": 0.0, "a": np.zeros(2)}, "c": (0.0,)}, ["z.b", "z.a", "c.0"]),
    ]:
        found = sample(darboux.from_jax(logp, point), draws=5, tune=50)
        assert set(found.posterior.data_vars) == set(names)
    alone = darboux.from_jax(logp, 2, transform=jnp.exp)
    assert (sample(alone, draws=5, tune=50).posterior["q"] > 0).all()


def test_what_a_transform_does_wrong_is_told_at_once():
    with pytest.raises(ValueError, match="chain is what ArviZ"):
        darboux.from_jax(lambda q: -0.5 * (q @ q), 2, transform=lambda q: {"chain": q})
    with pytest.raises(ValueError, match="given twice"):
        darboux.from_jax(lambda q: -0.5 * (q @ q), 2, transform=lambda q: {"a.b": q, "a": {"b": q}})
    with pytest.raises(ZeroDivisionError):
        darboux.from_jax(lambda q: -0.5 * (q @ q), 2, transform=lambda q: 1 / 0)


def test_data_of_numpyro_are_those_that_there_are():
    def model(y, weight):
        x = numpyro.sample("x", dist.Normal())
        numpyro.factor("more", -x * weight)
        numpyro.sample("y", dist.Normal(x, 1).mask(~np.isnan(y)), obs=y)

    trace = sample(darboux.from_numpyro(model, np.array([1.0, np.nan]), np.float64(0.5)), draws=5, tune=50)
    assert set(trace.observed_data) == {"y"}
    assert set(trace.constant_data) == {"weight"}


def test_arguments_of_numpyro_that_have_no_name_in_the_signature_are_data():
    def model(y, **features):
        x = numpyro.sample("x", dist.Normal())
        numpyro.sample("y", dist.Normal(x * features["dose"], 1), obs=y)

    trace = sample(darboux.from_numpyro(model, np.ones(2), dose=np.array([1.0, 3.0])), draws=5, tune=50)
    np.testing.assert_array_equal(trace.constant_data["dose"], [1.0, 3.0])


def test_models_of_numpyro_that_cannot_be_sampled_are_told_so():
    def with_block(block):
        numpyro.sample("x", dist.Normal(block))

    with pytest.raises(ValueError, match="block: the model has an argument of that name"):
        darboux.from_numpyro(with_block, block=3)
    with pytest.raises(ValueError, match="no latent sites"):
        darboux.from_numpyro(lambda: numpyro.sample("y", dist.Normal(), obs=1.0))


def test_constrained_sites_keep_to_their_constraints():
    def model():
        numpyro.sample("weights", dist.Dirichlet(jnp.ones(3)))
        numpyro.sample("ordered", dist.TransformedDistribution(dist.Normal().expand([3]), dist.transforms.OrderedTransform()))
        numpyro.sample("correlation", dist.LKJCholesky(3, 2.0))

    posterior = sample(darboux.from_numpyro(model), draws=50, tune=100).posterior
    np.testing.assert_allclose(posterior["weights"].sum("weights_dim_0"), 1)
    assert (np.diff(posterior["ordered"], axis=-1) > 0).all()
    np.testing.assert_allclose((posterior["correlation"] ** 2).sum("correlation_dim_1"), 1)
