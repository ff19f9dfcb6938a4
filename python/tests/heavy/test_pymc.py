"""Models of PyMC, by Numba and by JAX. Compiling is slow, so there is one model for all that does not need its own."""

import functools

import arviz
import darboux
import numpy as np
import pymc as pm
import pytest
import xarray
from darboux._pymc import _raising_again
from pymc.logprob.utils import ParameterValueError


def sample(model, **more):
    return darboux.sample(model, **{"seed": 1, "progressbar": False, **more})


@functools.cache
def eight_schools(schools):
    with pm.Model(coords={"school": list("ABCDEFGH")}) as model:
        sigma = pm.Data("sigma", schools.sigma, dims="school")
        mu = pm.Normal("mu", 0, 5)
        tau = pm.HalfNormal("tau", 5)
        eta = pm.Normal("eta", 0, 1, dims="school")
        theta = pm.Deterministic("theta", mu + tau * eta, dims="school")
        pm.Normal("y", theta, sigma, observed=schools.y, dims="school")
    return model


@pytest.mark.parametrize("backend", ["numba", "jax"])
def test_eight_schools(schools, backend):
    trace = sample(darboux.from_pymc(eight_schools(schools), backend=backend), draws=2000)
    schools.agree(trace.posterior)
    assert list(trace.posterior.data_vars) == ["mu", "tau", "eta", "theta"]
    assert trace.posterior["theta"].dims == ("chain", "draw", "school")
    assert trace.posterior["school"].values.tolist() == list("ABCDEFGH")
    np.testing.assert_array_equal(trace.observed_data["y"], schools.y)
    np.testing.assert_array_equal(trace.constant_data["sigma"], schools.sigma)
    assert trace.observed_data["y"].dims == ("school",)
    assert "theta[H]" in trace.darboux.summary()
    assert trace.darboux.warnings == []


def test_a_trace_can_be_saved_and_read_back(schools, tmp_path):
    trace = sample(eight_schools(schools), draws=20, tune=100, save_warmup=True)
    trace.to_netcdf(tmp_path / "trace.nc", engine="h5netcdf")
    again = xarray.open_datatree(tmp_path / "trace.nc", engine="h5netcdf")
    assert set(again.children) == set(trace.children) >= {"posterior", "warmup_posterior", "observed_data", "constant_data"}
    for name in trace.children:
        xarray.testing.assert_equal(again[name].dataset, trace[name].dataset)
    for name in ("posterior", "sample_stats", "warmup_posterior"):  # ArviZ's own attributes of data come back as arrays
        assert again[name].attrs == trace[name].attrs
    assert again.attrs == trace.attrs
    assert again.posterior["theta"].dtype == np.float64
    assert again.sample_stats["diverging"].dtype == bool
    assert list(arviz.summary(again, var_names=["theta"]).index) == [f"theta[{school}]" for school in "ABCDEFGH"]


def test_gradients_are_those_of_the_log_density(schools):
    assert darboux.check(darboux.from_pymc(eight_schools(schools))).passed


def test_log_densities_are_those_of_pymc(schools):
    model = eight_schools(schools)
    trace = sample(model, draws=5, tune=100)  # a model of PyMC as it is
    logp = model.compile_logp()
    for draw in range(5):
        at = trace.posterior.isel(chain=0, draw=draw)
        point = {"mu": at["mu"].values, "tau_log__": np.log(at["tau"].values), "eta": at["eta"].values}
        np.testing.assert_allclose(float(trace.sample_stats["lp"][0, draw]), logp(point), rtol=1e-9)


def test_only_what_is_asked_for_is_reported(schools):
    model = darboux.from_pymc(eight_schools(schools), var_names=["theta", "mu"])
    assert set(sample(model, draws=5, tune=100).posterior) == {"theta", "mu"}
    with pytest.raises(ValueError, match="there is no thetta; there are: .*theta"):
        darboux.from_pymc(eight_schools(schools), var_names=["thetta"])
    with pytest.raises(ValueError, match="var_names is empty: leave it out, or choose from eta, mu, "):
        darboux.from_pymc(eight_schools(schools), var_names=[])


def test_what_cannot_be_sampled_is_told_so():
    with pm.Model() as discrete:
        pm.Poisson("n", 3)
    with pytest.raises(ValueError, match="n: discrete"):
        darboux.from_pymc(discrete)
    with pytest.raises(ValueError, match="no free variables"):
        darboux.from_pymc(pm.Model())
    with pytest.raises(ValueError, match='must be "numba" or "jax"'):
        darboux.from_pymc(discrete, backend="c")


def test_shared_variables_have_their_present_values():
    import pytensor

    centre = pytensor.shared(np.array([1.0, 2.0]), name="centre")
    with pm.Model() as model:
        pm.Normal("x", centre, 0.001, shape=2)
        pm.Deterministic("double", 2 * centre)
    trace = sample(model, draws=20, tune=100)
    np.testing.assert_allclose(trace.posterior["x"].mean(("chain", "draw")), [1.0, 2.0], atol=0.01)
    np.testing.assert_array_equal(trace.posterior["double"][0, 0], [2.0, 4.0])


def first_points(model, **more):
    """Where chains begin: without warm-up, and with steps so short that they stay there."""
    trace = sample(model, draws=1, tune=0, step_size=1e-9, steps=1, metric="identity", **more)
    return {name: values[:, 0].to_numpy() for name, values in trace.posterior.items()}


def test_chains_begin_at_initial_values():
    with pm.Model() as model:
        pm.Normal("x", shape=2, initval=np.array([3.0, -4.0]))
        pm.HalfNormal("scale", initval=0.25)
        pm.Normal("rest", 7.0)
    made = darboux.from_pymc(model)
    first = first_points(made)
    np.testing.assert_allclose(first["x"], np.tile([3.0, -4.0], (4, 1)), atol=1e-6)
    np.testing.assert_allclose(first["scale"], 0.25, atol=1e-6)
    np.testing.assert_allclose(first["rest"], 7.0, atol=1e-6)  # where PyMC would begin
    told = first_points(made, init=np.zeros((4, 4)))
    np.testing.assert_allclose(told["x"], 0.0, atol=1e-6)
    elsewhere = first_points(made, init="uniform")["x"]
    assert len(np.unique(elsewhere)) == 8


def test_exceptions_in_compiled_code_are_those_of_the_model_or_of_the_point():
    from pytensor.raise_op import Assert

    with pm.Model() as model:
        x = pm.Normal("x")
        pm.Normal("y", 0.0, x, observed=1.0)  # a scale below zero is a point that PyMC refuses
    posterior = sample(model, draws=200, init=np.full((4, 1), 1.0)).posterior
    assert (posterior["x"] > 0).all()
    with pm.Model() as faulty:
        x = pm.Normal("x")
        pm.Normal("y", Assert("x went too far")(x, x < 0.5), observed=1.0)
    with pytest.raises(AssertionError, match="x went too far"):
        sample(faulty)


@pytest.mark.parametrize("error", [ParameterValueError("sigma > 0"), np.linalg.LinAlgError("not positive"), ZeroDivisionError()])
def test_a_point_is_at_fault_where_its_numbers_are(error):
    def f(point):
        raise error if point[0] < 0 else IndexError("out of bounds")

    examine = _raising_again(f)
    examine(np.array([-1.0]))
    with pytest.raises(IndexError, match="out of bounds"):
        examine(np.array([1.0]))


def test_versions_are_in_the_attributes(schools):
    import numba
    import pytensor

    attributes = sample(eight_schools(schools), draws=5, tune=100).attrs
    expected = {"pymc": pm, "pytensor": pytensor, "numba": numba}
    assert {name: attributes[f"{name}_version"] for name in expected} == {name: found.__version__ for name, found in expected.items()}


def test_minibatches_are_refused():
    with pm.Model() as model:
        batch = pm.Minibatch(np.arange(100.0), batch_size=10)
        x = pm.Normal("x")
        pm.Normal("y", x, 1, observed=batch, total_size=100)
    with pytest.raises(ValueError, match="minibatches are for variational inference; give all data"):
        darboux.from_pymc(model)


def test_missing_data_and_constraints():
    with pm.Model() as model:
        weights = pm.Dirichlet("weights", np.ones(3))
        with pytest.warns(Warning, match="imput"):
            pm.Normal("y", weights[0], 1, observed=np.ma.masked_invalid([1.0, np.nan, 2.0]))
    posterior = sample(model, draws=20, tune=100).posterior
    np.testing.assert_allclose(posterior["weights"].sum("weights_dim_0"), 1)
    assert posterior["y_unobserved"].shape == (4, 20, 1)
    np.testing.assert_array_equal(posterior["y"][..., [0, 2]], np.broadcast_to([1.0, 2.0], (4, 20, 2)))


def test_quantities_of_any_shape_and_type_are_those_of_each_draw():
    with pm.Model() as model:
        x = pm.Normal("x", shape=(2, 3))
        pm.Deterministic("total", x.sum())
        pm.Deterministic("rows", x.sum(axis=1))
        pm.Deterministic("positive", x > 0)
        pm.Deterministic("nothing", x[:0])
    posterior = darboux.sample(darboux.from_pymc(model), seed=1, draws=50, tune=100, progressbar=False).posterior
    x = posterior["x"].to_numpy()
    np.testing.assert_allclose(posterior["total"], x.sum(axis=(2, 3)), rtol=1e-12)
    np.testing.assert_allclose(posterior["rows"], x.sum(axis=3), rtol=1e-12)
    np.testing.assert_array_equal(posterior["positive"], x > 0)
    assert posterior["positive"].dtype == bool
    assert posterior["nothing"].shape == (4, 50, 0, 3)
