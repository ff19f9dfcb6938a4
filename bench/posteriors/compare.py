"""Darboux beside Stan's own NUTS on Stan programs: ./dev bench --posteriors

Both at their defaults, four chains of 1000 draws after 1000 of warm-up on one thread, on the same program and data with the
same seeds, judged by the same code (judge.py). Stan's runs are kept, and made anew only where program, data or judgement
changed. Prints a table and writes results.json.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shutil
import statistics
import sys

import numpy as np

import judge
import stan_program
import table
from stan_program import RunFailed, read_run

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench --posteriors")
    parser.add_argument("--build", default="build", help=argparse.SUPPRESS)
    parser.add_argument("--only", default="", metavar="NAME,NAME", help="only these models")
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="runs of each, with seeds 1 to N (default 5)")
    parser.add_argument("--stan-only", action="store_true", help="Stan alone")
    parser.add_argument("--anew", action="store_true", help="run Stan again, too: CPU times of one and the same hour")
    parser.add_argument("--keep", action="store_true", help="keep all draws")
    parser.add_argument("--most", type=float, default=900, metavar="S", help="a run of more CPU seconds has failed (default 900)")
    options = parser.parse_args()
    known = sorted(path.stem for path in (HERE / "models").glob("*.stan"))
    options.models = options.only.split(",") if options.only else known
    unknown = sorted(set(options.models) - set(known))
    if unknown:
        parser.error(f"--only: there is no model {', '.join(unknown)}; there are {', '.join(known)}")
    if options.seeds < 1:
        parser.error(f"--seeds: {options.seeds} given, at least 1 needed")
    return options


def facts_of(folder, parameters, process_seconds):
    """A run's quality and cost. CPU seconds are those of the run where it says so, otherwise those of the process."""
    chains, manifest = read_run(folder, parameters)
    phases = [manifest[phase] for phase in ("warmup", "sampling")]
    measured = all("cpu_seconds" in phase for phase in phases)
    try:
        quality = judge.judge(chains[0][0], np.stack([draws for _, draws, _ in chains]))
    except ValueError as error:
        raise RunFailed(str(error)) from None
    return {**quality, "divergences": sum(diverged for _, _, diverged in chains),
            "gradients": sum(phase["gradients"] for phase in phases),
            "cpu_seconds": sum(phase["cpu_seconds"] for phase in phases) if measured else process_seconds}


def digest(*parts):
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


class Comparison:
    def __init__(self, options):
        self.options = options
        self.work = ROOT / options.build / "posteriors"
        self.darboux = ROOT / options.build / "release/bin/darboux"
        self.work.mkdir(parents=True, exist_ok=True)
        try:
            self.environment = stan_program.with_stan(ENVIRONMENT, self.darboux)
        except RunFailed as error:
            sys.exit(str(error))

    def execute(self, command, most):
        return stan_program.execute(command, most, self.environment)

    def draws_of(self, sampler, model, seed):
        folder = self.work / "draws" / f"{sampler}-{model}-{seed}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(exist_ok=True)
        return folder

    def finished(self, folder):
        if not self.options.keep:
            shutil.rmtree(folder)

    def stan(self, model):
        """One run of Stan as a function of the seed. Programs say by their names what they were made from."""
        data = HERE / f"models/{model}.data.json"
        program = stan_program.made(HERE / f"models/{model}.stan", self.work, self.environment)
        key = digest(program.name.encode(), data.read_bytes(), (HERE / "judge.py").read_bytes())

        def run(seed):
            known = self.work / "stan" / f"{model}-{seed}-{key}.json"
            folder = self.draws_of("stan", model, seed)
            if known.exists() and not (self.options.anew or self.options.keep):
                return json.loads(known.read_text())
            self.execute([program, data, str(seed), folder], self.options.most)
            facts = facts_of(folder, None, None)
            facts["dimension"] = json.loads((folder / "run.json").read_text())["dimension"]
            known.parent.mkdir(exist_ok=True)
            known.write_text(json.dumps(facts))
            self.finished(folder)
            return facts

        return run

    def ours(self, model, parameters):
        """One run of Darboux as a function of the seed; the program is compiled beforehand."""
        program, data = HERE / f"models/{model}.stan", HERE / f"models/{model}.data.json"
        self.execute([self.darboux, "compile", program], 900)

        def run(seed):
            folder = self.draws_of("darboux", model, seed)
            _, seconds = self.execute([self.darboux, "sample", program, "--data", data, "--seed", str(seed), "--chains", "4",
                                       "--threads", "1", "--out", folder, "--quiet"], self.options.most)
            facts = facts_of(folder, parameters, seconds)
            self.finished(folder)
            return facts

        return run

    def compare(self, model):
        """Facts of all runs by sampler, or nothing where one failed; runs of one seed are made one after the other."""
        stan = attempted(model, "Stan", lambda: self.stan(model))
        row = {"model": model, "stan": stan and [], "darboux": None if self.options.stan_only else stan and []}
        ours = None
        for seed in range(1, self.options.seeds + 1):
            if row["stan"] is not None:
                facts = attempted(model, f"Stan with seed {seed}", lambda: stan(seed))
                row["stan"] = facts and row["stan"] + [facts]
            if row["stan"] and row["darboux"] is not None:
                parameters = list(row["stan"][0]["means"])
                ours = ours or attempted(model, "Darboux", lambda: self.ours(model, parameters))
                facts = ours and attempted(model, f"Darboux with seed {seed}", lambda: ours(seed))
                row["darboux"] = facts and row["darboux"] + [facts]
        return row


def attempted(model, what, make):
    """What it makes, or nothing, and then it says why."""
    try:
        return make()
    except RunFailed as failure:
        print(f"{model}: {what} failed: {failure}", file=sys.stderr, flush=True)
        return None


def summary(runs):
    """Medians over seeds, and the worst R-hat of all."""
    middle = {key: statistics.median(run[key] for run in runs) for key in ("effective", "gradients", "cpu_seconds", "divergences")}
    per = {f"per_{key}": statistics.median(run["effective"] / run[key] for run in runs) for key in ("gradients", "cpu_seconds")}
    rhats = [run["rhat"] for run in runs]
    each = [{key: value for key, value in run.items() if key not in ("means", "errors")} for run in runs]
    return {**middle, **per, "rhat": statistics.median(rhats), "largest_rhat": max(rhats),
            "worst": statistics.mode(run["worst"] for run in runs), "runs": each}


def judged(row):
    """What the table shows of a model."""
    shown = {"model": row["model"], "stan": None, "darboux": None}
    if row["stan"]:
        shown.update(dimension=row["stan"][0]["dimension"], stan=summary(row["stan"]))
    if row["stan"] and row["darboux"]:
        shown["darboux"] = summary(row["darboux"])
        shown["ratio"] = {key: shown["darboux"][key] / shown["stan"][key] for key in ("per_gradients", "per_cpu_seconds")}
        z, where, count = judge.largest_difference(row["stan"], row["darboux"])
        shown["difference"] = {"z": z, "where": where, "expected": judge.expected_largest(count)}
    return shown


def main():
    options = arguments()
    comparison = Comparison(options)
    print(table.header(options.stan_only), flush=True)
    rows = []
    for model in options.models:
        rows.append(judged(comparison.compare(model)))
        print(table.line(rows[-1], options.stan_only), flush=True)
    print(table.conclusion(rows, options), end="")
    results = comparison.work / "results.json"
    results.write_text(json.dumps({"seeds": options.seeds, "models": rows}, indent=1) + "\n")
    print(f"\nAlso in {results}.")
    return 1 if table.failed(rows, options) else 0


if __name__ == "__main__":
    sys.exit(main())
