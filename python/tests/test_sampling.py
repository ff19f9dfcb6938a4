"""What needs neither compilers nor heavy packages."""

import subprocess
import sys
import time

import darboux
import numpy as np
import pandas  # which arviz-base brings
import pytest
from darboux._layout import Layout, Quantities, attach


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
    more = trace.darboux.summary(quantiles=[0.025, 0.975], hdi=0.95, above_zero=True, odds_ratios=True)
    assert all(word in more for word in ("2.5%", "97.5%", "hdi 95%", "P(>0)", "odds ratio"))
    assert " 50%" not in more
    with pytest.raises(ValueError, match="hdi = 95"):
        trace.darboux.summary(hdi=95)


def rows_of(summary):
    """Names at the beginning of its table's rows."""
    _, table, *_ = summary.split("\n\n")
    return [row.split()[0] for row in table.splitlines()[1:] if row.endswith(tuple("0123456789"))]  # that end with an R-hat


def test_a_summary_shows_the_rows_that_are_asked_for():
    facts = sample(darboux.models.named("gaussian", 70)).darboux
    assert len(rows_of(facts.summary())) == 71
    assert '71 rows. To see fewer: summary(sort="ess", max_rows=20)' in facts.summary()
    assert "darboux summary" not in facts.summary()
    for wanted in ("q[70],q[2]", ["q[70]", "q[2]"]):
        assert rows_of(facts.summary(parameters=wanted)) == ["q[2]", "q[70]"]
    assert rows_of(facts.summary(parameters="q[?],lp__", sort="name")) == ["lp__", *(f"q[{k}]" for k in range(1, 10))]
    worst = facts.summary(sort="rhat", max_rows=3)
    assert len(rows_of(worst)) == 3
    assert "… 68 more rows" in worst
    assert "To see fewer" not in worst
    values = [float(row.split()[-1]) for row in worst.splitlines() if row.startswith(("q[", "lp__"))]
    assert values == sorted(values, reverse=True)
    assert values[0] > 1.001
    for wrong, message in [
        ({"parameters": "p"}, 'unknown parameter "p"'),
        ({"parameters": []}, "the list is empty"),
        ({"sort": "worst"}, 'unknown sort "worst". Known: file, ess, rhat, name'),
        ({"max_rows": 0}, "max_rows = 0: must be at least 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            facts.summary(**wrong)


def test_a_summary_is_shown_as_it_is():
    facts = sample(darboux.from_numpy(normal, 1, names=["a<b"]), draws=20).darboux
    summary = facts.summary()
    assert repr(summary) == str(summary)
    assert summary._repr_html_().startswith("<pre>")
    assert "a&lt;b" in summary._repr_html_()
    assert isinstance(facts.summary(above_zero=True), darboux.Summary)


def test_advice_is_for_python():
    trace = sample(darboux.models.named("gaussian", 2), structure="coupled", integrator="midpoint", reverse_check=0.5, draws=50)
    assert any("Run with reverse_check 1" in warning for warning in trace.darboux.warnings)
    assert "reverse_check 1" in trace.darboux.summary()


def test_texts_among_coords_name_the_rows_of_a_table():
    values = np.zeros((4, 10, 2, 3))
    dims, years = {"theta": ["town", "year"], "twins": ["twin"]}, [2001, 2002, 2003]
    coords = {"town": np.array(["Ulm", "Bonn"]), "year": years, "twin": ["same", "same"], "unknown": None}
    found = Quantities({"theta": values, "mu": values[..., 0, 0], "twins": values[..., 0, :2], "rest": values[..., 0]}, dims, coords)
    towns = [f"theta[{town},{k}]" for town in ("Ulm", "Bonn") for k in (1, 2, 3)]
    assert found.labels() == [*towns, "mu", "twins[1]", "twins[2]", "rest[1]", "rest[2]"]
    assert found.names()[:7] == ["theta[1,1]", "theta[1,2]", "theta[1,3]", "theta[2,1]", "theta[2,2]", "theta[2,3]", "mu"]


def test_rows_are_found_by_label_and_by_number():
    def doubled(points):
        return {"double": 2 * points}

    layout = Layout.expanded(doubled, ["double"], dims={"double": ["town"]}, coords={"town": ["Ulm", "Bonn"]})
    facts = sample(attach(darboux.from_numpy(normal, 2), layout, "towns"), draws=50).darboux
    assert rows_of(facts.summary()) == ["lp__", "double[Ulm]", "double[Bonn]"]
    assert rows_of(facts.summary(parameters="double[2]")) == rows_of(facts.summary(parameters="double[Bonn]")) == ["double[Bonn]"]


def test_blocks_of_points_are_the_same_model():
    def block(q):
        assert q.shape == (8, 3)
        return -0.5 * np.einsum("ij,ij->i", q, q), -q

    one, many = (
        sample(m, draws=50) for m in (darboux.from_numpy(normal, 3), darboux.from_numpy(block, 3, vectorized=8))
    )
    np.testing.assert_allclose(one.posterior["q"], many.posterior["q"], rtol=1e-9)


def test_a_function_may_keep_its_point():
    kept = []

    def keeps(q):
        kept.append((q, q.copy()))
        return normal(q)

    def keeps_a_view(q):
        kept.append((q[1:], q[1:].copy()))
        return normal(q)

    one, other = (sample(darboux.from_numpy(f, 3), draws=20, tune=50) for f in (keeps, keeps_a_view))
    assert len(kept) > 100
    assert all((q == copy).all() for q, copy in kept)
    expected = sample(darboux.from_numpy(normal, 3), draws=20, tune=50)
    for trace in (one, other):
        np.testing.assert_array_equal(trace.posterior["q"], expected.posterior["q"])


def test_a_block_has_a_point_for_each_chain():
    shapes = set()

    def block(q):
        shapes.add(q.shape)
        return -0.5 * np.einsum("ij,ij->i", q, q), -q

    sample(darboux.from_numpy(block, 3, vectorized=True), draws=20, chains=6)
    assert shapes == {(6, 3)}


def test_a_call_costs_little_beside_the_function():
    """At most 2 µs, measured 0.1 to 0.7; what the sampler itself does is left out. The best of five, since others use the machine."""

    def timed(f):
        begin = time.thread_time()
        f()
        return time.thread_time() - begin

    q, calls = np.zeros(10), 20_000
    alone = min(timed(lambda: [normal(q) for _ in range(calls)]) for _ in range(5)) / calls

    def cost(model):
        found = sample(model, chains=1, draws=2000, tune=100, init="uniform", metric="identity", steps=10).darboux.cost
        return found["sampling_cpu_seconds"] / found["sampling_gradients"]

    sampler = min(cost(darboux.models.named("gaussian", 10)) for _ in range(5))
    called = min(cost(darboux.from_numpy(normal, 10)) for _ in range(5))
    assert called - alone - sampler < 2e-6


def test_importing_takes_little_beside_numpy():
    """No plotting, no xarray, nothing of front ends: those come when they are used."""
    code = "import sys, numpy; before = set(sys.modules); import darboux; print(*(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"xarray", "arviz_base", "pandas", "jax", "pymc", "numba", "inspect", "json", "pathlib"} & set(loaded)


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
        ({"target_acept": 0.9}, 'did you mean "target_accept"'),
        ({"progressbars": True}, 'did you mean "progressbar"'),
        ({"out": "folder"}, "out: is for the command line"),
        ({"init": np.zeros(2)}, "init has shape (2,): must be (chains, dim)"),
        ({"target_accept": 2.0}, "target_acceptance = 2"),
        ({"structure": "coupled", "integrator": "leapfrog"}, "leapfrog"),
        ({"init": np.zeros((3, 2))}, "starts are 2 × 3: must be 2 × 4"),
    ]:
        with pytest.raises(ValueError, match="(?s).*") as caught:
            sample(darboux.models.named("gaussian", 2), **wrong)
        assert message in str(caught.value)
    with pytest.raises(TypeError, match="chains is a list"):
        sample(darboux.models.named("gaussian", 2), chains=[4])


def test_a_tuning_shows_what_is_in_it():
    tuning = sample(darboux.models.named("gaussian", 5)).darboux.tuning
    assert (tuning.metric, tuning.motion, tuning.stages >= 1, tuning.momentum_kept < 1) == ("dense", "hamiltonian", True, True)
    shown = repr(tuning)
    assert shown.startswith(f"<darboux.Tuning: steps of {tuning.step_size:.3g}, {tuning.steps:.3g} to a trajectory")
    assert f"a dense metric, from {tuning.metric_draws} draws; 5 coordinates" in shown


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
    left_to_us = [sample(model, structure=structure, draws=50).posterior["q"].values for structure in ("auto", None)]
    assert (left_to_us[0] == left_to_us[1]).all()
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
        (lambda q: (np.nan, -q), ValueError, "no starting point .* give starting values with init, or check the model"),
        (lambda q: (0.0, np.nan * q), ValueError, "no starting point"),
        (lambda q: (q, -q), ValueError, r"log density has shape \(2,\): must be a number"),
        (lambda q: ("one", -q), TypeError, "log density is of type str"),
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
    while sum(c.draws for c in run.progress()) < 40:
        time.sleep(0.01)
    assert not run.done()
    aborted = run.abort()
    with pytest.warns(UserWarning, match=r"the run was interrupted: the trace has \d+ of 100000 draws"):
        trace = run.wait()
    assert 0 < trace.posterior.sizes["draw"] < 100_000
    assert trace.darboux.cost["end"] == "interrupted"
    np.testing.assert_array_equal(aborted.posterior["q"], trace.posterior["q"])


def test_logistic_regression_of_arrays(tmp_path):
    random = np.random.default_rng(1)
    X = random.normal(size=(200, 2)) * [1.0, 50.0]
    y = (random.uniform(size=200) < 1 / (1 + np.exp(-X @ [1.0, 0.02]))).astype(int)
    trace = sample(darboux.models.logistic(X, y, names=["a", "b"]))
    assert set(trace.posterior) == {"intercept", "a", "b"}
    assert abs(float(trace.posterior["a"].mean()) - 1.0) < 0.7
    frame = pandas.DataFrame(X, columns=["a", "b"])
    again = sample(darboux.models.logistic(frame, pandas.Series(y)))
    np.testing.assert_array_equal(again.posterior["b"], trace.posterior["b"])
    with pytest.raises(ValueError, match="199 labels given, must be 200"):
        darboux.models.logistic(X, y[1:])
    with pytest.raises(ValueError, match="column y has the values 1 and 2: which is the outcome to predict.*positive=VALUE"):
        darboux.models.logistic(X, y + 1)
    with pytest.raises(ValueError, match="column y is 2: the response must be 0 or 1"):
        darboux.models.logistic(X, np.arange(200.0))


def test_the_prior_of_a_regression_is_the_command_lines(tmp_path):
    random = np.random.default_rng(1)
    X = np.column_stack([random.normal(size=200) * 50.0, random.uniform(size=200) < 0.02])
    y = (random.uniform(size=200) < 0.1).astype(int)

    def sds(**more):
        facts = darboux.models.logistic(X, y, names=["a", "rare"], **more).facts
        return [one["standardised_sd"] / one["sd"] for one in facts["prior"]["parameters"]], facts

    scales, facts = sds()
    assert np.isclose(scales[1], X[:, 0].std()) and scales[2] == 1.0
    assert facts["prior"]["parameters"][0]["standardised_sd"] == 10.0
    assert facts["data"]["outcome"]["positives"] == y.sum()
    scales, facts = sds(standardise="all", prior_intercept=1.0)
    assert np.isclose(scales[2], X[:, 1].std())
    assert facts["prior"]["parameters"][0]["standardised_sd"] == 1.0
    assert any("rarer value of rare" in remark for remark in darboux.models.logistic(X, y, names=["a", "rare"]).remarks)
    with pytest.raises(ValueError, match="prior_intercept = 0"):
        sds(prior_intercept=0.0)
    with pytest.raises(ValueError, match="standardise"):
        sds(standardise="some")


def test_outcomes_of_a_regression_may_be_words(tmp_path):
    X = np.random.default_rng(1).normal(size=(20, 1))
    words = ["no", "yes"] * 10
    trace = sample(darboux.models.logistic(X, words))
    assert trace.observed_data["y"].values.tolist() == [0.0, 1.0] * 10
    turned = darboux.models.logistic(X, words, positive="no")
    assert turned.facts["data"]["outcome"]["positive"] == "no"
    assert darboux.models.logistic(X, np.array([2, 1] * 10), positive=2).facts["data"]["outcome"]["positive"] == "2"
    with pytest.raises(ValueError, match='positive = maybe: column y of X has the values "no" and "yes"'):
        darboux.models.logistic(X, words, positive="maybe")
