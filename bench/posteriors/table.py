"""The comparison as a table in Markdown, and what it says about the targets."""
import statistics

EACH = 1.2  # Darboux over Stan, on every model, per gradient and per CPU second
MEDIAN = {"per_cpu_seconds": 5.0, "per_gradients": 3.0}  # over models
KINDS = {"per_gradients": "gradient", "per_cpu_seconds": "CPU second"}
FAR = 4.0  # standard errors between means that chance does not explain

OF_A_SAMPLER = ["ESS", "R-hat", "divergences", "1000 gradients", "CPU s", "ESS per 1000 gradients", "ESS per CPU s"]


def row_of(cells):
    return "| " + " | ".join(cells) + " |"


def header(stan_only):
    titles = ["model", "dimension"] + [f"Stan: {OF_A_SAMPLER[0]}"] + OF_A_SAMPLER[1:] + ["worst parameter"]
    if not stan_only:
        titles += [f"Darboux: {OF_A_SAMPLER[0]}"] + OF_A_SAMPLER[1:]
        titles += ["times per gradient", "times per CPU s", "means differ by (expected)"]
    return row_of(titles) + "\n" + row_of(["---"] + ["---:"] * (len(titles) - 1))


def sampler_cells(s):
    if s is None:
        return ["failed"] + [""] * (len(OF_A_SAMPLER) - 1)
    return [f"{s['effective']:.0f}", f"{s['rhat']:.3f}", f"{s['divergences']:.0f}", f"{s['gradients'] / 1000:.0f}",
            f"{s['cpu_seconds']:.2f}", f"{1000 * s['per_gradients']:.2f}", f"{s['per_cpu_seconds']:.0f}"]


def line(row, stan_only):
    stan = row["stan"]
    cells = [row["model"], str(row.get("dimension", "")), *sampler_cells(stan), stan["worst"] if stan else ""]
    if not stan_only:
        cells += sampler_cells(row["darboux"])
        if row["darboux"]:
            difference = row["difference"]
            far = f", {difference['where']}!" if difference["z"] > FAR else ""
            cells += [f"{row['ratio'][kind]:.2f}" for kind in KINDS]
            cells += [f"{difference['z']:.1f} ({difference['expected']:.1f}{far})"]
        else:
            cells += ["", "", ""]
    return row_of(cells)


def about_rhat(rows, key, name):
    bad = [f"{row['model']} ({row[key]['largest_rhat']:.2f})" for row in rows if row[key]["largest_rhat"] > 1.01]
    return f"{name}'s R-hat is above 1.01 with some seed on: {', '.join(bad) or 'none'}.\n"


def about_ratios(rows, kind):
    ratios = {row["model"]: row["ratio"][kind] for row in rows}
    median, least = statistics.median(ratios.values()), min(ratios, key=ratios.get)
    verdict = "met" if median >= MEDIAN[kind] else "missed"
    below = [f"{model} ({ratios[model]:.2f})" for model in sorted(ratios, key=ratios.get) if ratios[model] < EACH]
    return (f"Per {KINDS[kind]}: median {median:.2f} times Stan (target {MEDIAN[kind]:g}: {verdict}), smallest {ratios[least]:.2f} "
            f"on {least}; below {EACH:g}: {', '.join(below) or 'none'}.\n")


def failed(rows, options):
    return [row["model"] for row in rows if not row["stan"] or not (options.stan_only or row["darboux"])]


def conclusion(rows, options):
    text = f"\nMedians of {options.seeds} seed{'s' if options.seeds > 1 else ''}; costs include warm-up.\n"
    text += about_rhat([row for row in rows if row["stan"]], "stan", "Stan")
    compared = [row for row in rows if row["darboux"]]
    if compared:
        text += about_rhat(compared, "darboux", "Darboux")
        far = [f"{row['model']} ({row['difference']['z']:.1f} at {row['difference']['where']})"
               for row in compared if row["difference"]["z"] > FAR]
        text += f"Means differ by more than {FAR:g} standard errors on: {', '.join(far) or 'none'}.\n"
        text += "".join(about_ratios(compared, kind) for kind in KINDS)
    missing = failed(rows, options)
    return text + (f"Failed: {', '.join(missing)}.\n" if missing else "")
