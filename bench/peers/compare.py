"""Darboux beside other samplers, on the same posteriors, each on one core: ./dev bench --peers

Every method runs in a process of its own, pinned to one core, libraries told to use one thread. Time is CPU time of the
process while it samples, compilation excluded: what JAX or Numba compiled meanwhile is counted, and such runs are refused.
The effective size is ArviZ's bulk ESS of the worst parameter, for all. Prints a table and writes results.csv.

defaults: four chains and each sampler's own warm-up; best: its best metric, with as many chains and as much warm-up for all.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import shutil
import statistics
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
import arviz  # noqa: E402

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
sys.path.append(str(ROOT / "bench/posteriors"))
import cases  # noqa: E402
import python_rows  # noqa: E402
import stan_program  # noqa: E402
from stan_program import RunFailed  # noqa: E402
from worker import write_run  # noqa: E402

ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")}
ENVIRONMENT = {
    **os.environ, **ONE_THREAD, "PYTHONDONTWRITEBYTECODE": "1", "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "CXXFLAGS": "-march=native",  # of Stan, beside -O3
    "PYTENSOR_FLAGS": f"base_compiledir={ROOT / 'build/python/pytensor'}",
}
PEERS = {"NumPyro": "numpyro_nuts", "BlackJAX": "blackjax_nuts", "BlackJAX adjusted_mclmc": "blackjax_mclmc", "Mici": "mici_hmc",
         "nutpie": "nutpie_nuts", "WALNUTS": "walnutpie_walnuts"}
COLUMNS = ["case", "method", "runs", "chains", "draws", "min_ess", "max_rhat", "ess_per_second", "ess_per_second_sampling",
           "seconds_to_1000", "ess_per_gradient", "microseconds_per_gradient", "microseconds_per_draw", "against",
           "against_sampling"]
# Whose ratios are taken apart.
PAIRS = [(f"Darboux {of}", f"{other} {of.split(',')[0]}") for other in ("Stan", "nutpie", "NumPyro", "command line")
         for of in ("defaults", "defaults, full precision", "best", "best, full precision")]


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench --peers")
    parser.add_argument("--build", default="build", help=argparse.SUPPRESS)
    parser.add_argument("--python", default="build/python/models/bin/python", help=argparse.SUPPRESS)
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="only rows whose case and method contain all these words; a|b is either")
    parser.add_argument("--quick", action="store_true", help="one run each, of the small cases, with 4 chains")
    parser.add_argument("--runs", type=int, default=5, help="of each method, with different seeds: medians are shown")
    parser.add_argument("--limit", type=float, default=20, metavar="S", help="no further run after so many CPU seconds")
    parser.add_argument("--most", type=float, default=900, metavar="S", help="what takes more CPU seconds is ended")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), help="to run on")
    options = parser.parse_args()
    options.best_chains = 4 if options.quick else 16
    if options.quick:
        options.runs = 1
    return options


def make_cases(folder, quick):
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("german", "splice"):
        if (ROOT / f"data/{name}.csv").exists():
            shutil.copy(ROOT / f"data/{name}.csv", folder)
        else:
            print(f"skipped: there is no data/{name}.csv")
    cases.write_fitzhugh_nagumo(folder / "fitzhugh-nagumo.csv")
    if not quick:
        cases.write_generated(folder / "generated.csv")
    order = ["german", "splice", "generated", "fitzhugh-nagumo"]
    return [cases.case_at(folder / f"{name}.csv") for name in order if (folder / f"{name}.csv").exists()]


class Comparison:
    def __init__(self, options):
        self.options = options
        self.root = ROOT / options.build
        self.work = self.root / "peers"
        self.program = self.root / "release/bench/in_memory"
        self.rows = []

    def wanted(self, case, method):
        return all(any(word in f"{case} {method}" for word in words.split("|")) for words in self.options.only.split())

    def execute(self, command):
        return stan_program.execute(command, self.options.most, ENVIRONMENT, self.options.core)

    def measure(self, case, method, runs_in, against=None, kind="ess_per_second"):
        """runs_in(folder) makes the runs, numbered from 1; their speed is compared with that of the method `against`."""
        name = case.data.stem
        folder = self.work / "runs"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            runs_in(folder)
        except RunFailed as failure:
            print(f"{name:16} {method:46} failed: {failure}", flush=True)
        runs = [facts_of(path) for path in sorted(folder.glob("[0-9]*.json"))]
        compiled = sum(run["compilations"] for run in runs)
        if compiled:
            print(f"{name:16} {method:46} refused: {compiled} compilations in what was timed", flush=True)
        if compiled or not runs:
            return
        row = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        row.update(case=name, method=method, runs=len(runs), against=math.nan, against_sampling=math.nan)
        other = self.row(name, against)
        if other:
            row.update(against=row[kind] / other[kind],
                       against_sampling=row["ess_per_second_sampling"] / other["ess_per_second_sampling"])
        self.rows.append(row)
        print(line_of(row), flush=True)

    def row(self, case, method):
        return next((row for row in self.rows if (row["case"], row["method"]) == (case, method)), None)

    def darboux(self, case, *settings, draws=1000):
        if case.model == "logistic":  # the prior of logistic.stan
            settings = ("prior-intercept=1", "standardise=all", *settings)

        def runs_in(folder):
            for seed in range(1, self.options.runs + 1):
                facts = folder / "facts.json"
                self.execute([self.program, folder / f"{seed}.draws", facts, f"model={case.model}", f"data={case.data}",
                              f"seed={seed}", f"draws={draws}", *settings])
                case.standardise(folder / f"{seed}.draws")
                facts.rename(folder / f"{seed}.json")

        return runs_in

    def worker(self, case, module, variant, **more):
        limits = {"runs": self.options.runs, "limit": self.options.limit, **more}
        flags = [word for name, value in limits.items() for word in (f"--{name}", str(value))]
        return lambda folder: self.execute([sys.executable, HERE / "worker.py", module, variant, case.data, folder, *flags])

    def stan(self, case, metric, chains):
        """Stan's own NUTS on a program in this folder, from the starts that the others have."""
        def runs_in(folder):
            environment = stan_program.with_stan(ENVIRONMENT, ROOT / self.options.build / "release/bin/darboux")
            program = stan_program.made(HERE / case.stan_model, self.work, environment)
            data = self.work / "cases" / f"{case.data.stem}.json"
            data.write_text(json.dumps(case.stan_data()))
            spent = 0.0
            for seed in range(1, self.options.runs + 1):
                out = folder / f"stan-{seed}"
                out.mkdir()
                for chain, q in enumerate(case.starts(seed, chains), 1):
                    (out / f"chain_{chain}.json").write_text(json.dumps(case.stan_start(q)))
                spent += self.execute([program, data, str(seed), out, f"chains={chains}", f"metric={metric}",
                                       f"starts={out}"])[1]
                read, costs = stan_program.read_run(out)
                write_run(folder / str(seed), np.stack([draws for _, draws, _ in read]), {
                    "warmup_seconds": costs["warmup"]["cpu_seconds"], "sampling_seconds": costs["sampling"]["cpu_seconds"],
                    "gradients": costs["sampling"]["gradients"]})
                if spent > self.options.limit:
                    break

        return runs_in

    def samplers(self, case):
        # Those whose ratio matters most run next to each other, lest a machine that gets busier meanwhile favours one of them.
        chains = self.options.best_chains
        ours = {"defaults": [], "best": [f"chains={chains}", "warmup=1000"]}
        methods = []
        for variant, metric in (("defaults", "diagonal"), ("best", "dense")):
            methods.append((f"Stan {variant}", self.stan(case, metric, 4 if variant == "defaults" else chains)))
            methods.append((f"Darboux {variant}", self.darboux(case, *ours[variant])))
            if case.model == "logistic":
                full = self.darboux(case, *ours[variant], "gradient-precision=full")
                methods.append((f"Darboux {variant}, full precision", full))
        for name, module in PEERS.items():
            methods.append((f"{name} defaults", self.worker(case, module, "defaults")))
            methods.append((f"{name} best", self.worker(case, module, "best", chains=chains)))
        for name, runs_in in methods:
            if self.wanted(case.data.stem, name):
                self.measure(case, name, runs_in, "Stan best" if "best" in name else "Stan defaults")

    def paper_methods(self, case):
        """Both sides run the same Markov chain in law, which mixes slowly: they are compared by the time of a draw."""
        import paper_methods
        draws = 200 if self.options.quick else 1000
        for method, (_, integrator, _) in paper_methods.METHODS.items():
            in_jax = f"paper: {method}, JAX"
            settings = paper_methods.darboux_settings(case, method, self.work / "structure.json")
            methods = {in_jax: self.worker(case, "paper_methods", method, runs=1, draws=draws),
                       f"paper: {method}, Darboux": self.darboux(case, *settings, draws=draws)}
            if integrator != "explicit":
                full = self.darboux(case, *settings, "gradient-precision=full", draws=draws)
                methods[f"paper: {method}, Darboux, full precision"] = full
            for name, runs_in in methods.items():
                if self.wanted(case.data.stem, name):
                    self.measure(case, name, runs_in, in_jax, "draws_per_second")

    def take_apart(self, case):
        """What ratios are made of: their product, but for medians, is the ratio with warm-up."""
        for ours, theirs in PAIRS:
            a, b = self.row(case.data.stem, ours), self.row(case.data.stem, theirs)
            if not a or not b:
                continue
            whole, sampling = (a[key] / b[key] for key in ("ess_per_second", "ess_per_second_sampling"))
            print(f"{case.data.stem:16} {ours:34} {theirs:16} {whole:8.1f} {sampling:8.1f} "
                  f"{b['microseconds_per_gradient'] / a['microseconds_per_gradient']:8.2f} "
                  f"{a['ess_per_gradient'] / b['ess_per_gradient']:8.2f} {whole / sampling:8.2f}", flush=True)

    def write(self):
        with open(self.work / "results.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(self.rows)
        print(f"\nAlso in {self.work / 'results.csv'}.")


def facts_of(path):
    facts = json.loads(path.read_text())
    draws = np.fromfile(path.with_suffix(".draws")).reshape(-1, facts["chains"], facts["draws"])
    ess = min(float(arviz.ess(each, method="bulk")) for each in draws)
    warm, sampling = facts["warmup_seconds"], facts["sampling_seconds"]
    return {
        "chains": facts["chains"], "draws": facts["draws"], "min_ess": ess,
        "max_rhat": max(float(arviz.rhat(each)) for each in draws),
        "ess_per_second": ess / (warm + sampling), "ess_per_second_sampling": ess / sampling,
        "seconds_to_1000": warm + 1000 * sampling / ess,
        "ess_per_gradient": ess / facts["gradients"], "microseconds_per_gradient": 1e6 * sampling / facts["gradients"],
        "microseconds_per_draw": 1e6 * sampling / (facts["chains"] * facts["draws"]),
        "draws_per_second": facts["chains"] * facts["draws"] / sampling, "compilations": facts.get("compilations", 0),
    }


HEADER = (f"{'case':16} {'method':46} {'runs':>4} {'chains':>6} {'ESS':>7} {'R-hat':>6} {'ESS/s':>8} {'sampling':>8} "
          f"{'s to 1000':>9} {'ESS/grad':>8} {'us/grad':>8} {'us/draw':>8} {'times':>7} {'sampling':>8}")
FACTORS = (f"{'case':16} {'method':34} {'over':16} {'times':>8} {'sampling':>8} {'speed':>8} {'draws':>8} {'warm-up':>8}")


def line_of(r):
    against = "" if math.isnan(r["against"]) else f"{r['against']:7.1f} {r['against_sampling']:8.1f}"
    return (f"{r['case']:16} {r['method']:46} {r['runs']:4d} {r['chains']:6.0f} {r['min_ess']:7.0f} {r['max_rhat']:6.3f} "
            f"{r['ess_per_second']:8.0f} {r['ess_per_second_sampling']:8.0f} {r['seconds_to_1000']:9.3f} "
            f"{r['ess_per_gradient']:8.4f} {r['microseconds_per_gradient']:8.1f} {r['microseconds_per_draw']:8.1f} {against}")


def main():
    options = arguments()
    comparison = Comparison(options)
    found = make_cases(comparison.work / "cases", options.quick)
    print(f"Each on core {options.core} alone, CPU time, compilation excluded. ESS: bulk, of the worst parameter; ESS/s with\n"
          "warm-up, then without; s to 1000: warm-up and then 1000 effective draws at the rate measured (extrapolated);\n"
          "gradients after warm-up; times: ESS/s over Stan's of the same kind, with and without warm-up, or draws per second over\n"
          "JAX's; for models in Python, whose rows begin with python-, over the other sampler's.\n"
          f"Medians of runs. best: {options.best_chains} chains after 1000 iterations of warm-up, for all.\n")
    print(HEADER, flush=True)
    for case in found:
        comparison.samplers(case)
    comparison.paper_methods(found[0])
    found += python_rows.measure(comparison)
    print("\nWhat ratios are made of: speed of gradients, effective draws per gradient, and what warm-up adds or takes.\n")
    print(FACTORS)
    for case in found:
        comparison.take_apart(case)
    comparison.write()


if __name__ == "__main__":
    main()
