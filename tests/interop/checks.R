# Rscript checks.R OUT: what rstan and posterior read from the runs in OUT is what is in the files, and what they say about
# it is what `darboux summary` says. Prints one line per check.
suppressPackageStartupMessages({
  library(rstan)
  library(posterior)
  library(jsonlite)
})
out <- commandArgs(trailingOnly = TRUE)[1]
version_of <- function(package) paste(package, packageVersion(package))

check <- function(name, problem) { # NULL or "" if there is none
  if (is.null(problem) || !nzchar(problem)) cat("passed: ", name, "\n", sep = "")
  else cat("FAILED: ", name, ": ", problem, "\n", sep = "")
}
# The largest relative difference, as a problem if it exceeds the tolerance. Shapes must be the same.
differs <- function(theirs, ours, tolerance) {
  theirs <- unname(as.vector(theirs))
  ours <- unname(as.vector(ours))
  if (length(theirs) != length(ours)) return(sprintf("%d numbers, not %d", length(theirs), length(ours)))
  if (any(is.na(theirs) != is.na(ours))) return("missing in one and not in the other")
  error <- abs(theirs - ours) / pmax(abs(ours), 1e-300)
  error[theirs == ours | is.na(theirs)] <- 0
  worst <- which.max(error)
  if (error[worst] <= tolerance) return(NULL)
  sprintf("%.17g is not %.17g (entry %d, relative difference %.1e)", theirs[worst], ours[worst], worst, error[worst])
}
# R reads decimals with a last bit that may be wrong.
reading <- 1e-14
same <- 1e-9

# The step size and L L', which Stan calls the inverse metric, row by row.
adapted <- function(folder) {
  tuning <- fromJSON(file.path(folder, "tuning.json"))
  if (identical(tuning$factor, "identity")) return(tuning$step_size)
  if (is.matrix(tuning$factor)) return(c(tuning$step_size, tuning$factor %*% t(tuning$factor)))
  c(tuning$step_size, tuning$factor$diagonal^2)
}
# The shortest interval with 95 % of the draws in it: neither rstan nor posterior has one.
densest <- function(x) {
  x <- sort(as.vector(x))
  inside <- floor(0.95 * length(x))
  first <- which.min(tail(x, -inside) - head(x, -inside))
  c(hdi95_low = x[first], hdi95_high = x[first + inside])
}
numbers <- function(text) as.numeric(unlist(regmatches(text, gregexpr("-?[0-9.]+(e[-+]?[0-9]+)?", text))))

# Tuples and complex numbers are younger than rstan, which cannot read their columns, nor CmdStan's.
for (name in setdiff(list.files(out), "kinds")) {
  folder <- file.path(out, name)
  files <- Sys.glob(file.path(folder, "chain_*.csv"))
  told <- fromJSON(file.path(folder, "summary.json"))
  rows <- told$rows
  raw <- lapply(files, read.csv, comment.char = "#", check.names = FALSE)
  manifest <- fromJSON(file.path(folder, "run.json"))
  warmup <- manifest$files$warmup_rows[1]
  drawn <- lapply(raw, function(x) x[(warmup + 1):nrow(x), ])

  # --- rstan
  complaints <- character()
  fit <- withCallingHandlers(read_stan_csv(files), warning = function(w) {
    complaints <<- c(complaints, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  check(sprintf("rstan: %s: reads it without a warning", name), paste(complaints, collapse = "; "))
  draws <- as_draws_array(as.array(fit))
  check(sprintf("rstan: %s: chains and draws", name),
        differs(c(dim(draws)[1:2]), c(told$draws_per_chain, told$chains_with_draws), 0))
  their_names <- c("lp__", setdiff(variables(draws), "lp__"))
  check(sprintf("rstan: %s: names", name),
        if (!identical(their_names, rows$name)) paste(c(their_names, "are not", rows$name), collapse = " "))
  check(sprintf("rstan: %s: draws", name),
        differs(draws[, , their_names],
                aperm(simplify2array(lapply(drawn, function(x) as.matrix(x[, gsub("\\[|,", ".", gsub("\\]", "", rows$name))]))),
                      c(1, 3, 2)), reading))
  parameters <- get_sampler_params(fit, inc_warmup = FALSE)
  known <- c("accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__")
  for (column in known)
    check(sprintf("rstan: %s: %s", name, column),
          differs(sapply(parameters, function(x) x[, column]), sapply(drawn, function(x) x[, column]), reading))
  check(sprintf("rstan: %s: divergences", name), differs(get_num_divergent(fit), told$divergences, 0))
  check(sprintf("rstan: %s: acceptance of each chain", name),
        differs(sapply(parameters, function(x) mean(x[, "accept_stat__"])), told$chains$mean_acceptance, same))
  n <- told$draws_per_chain # rstan divides the sum of n - 1 squares by n
  check(sprintf("rstan: %s: E-BFMI of each chain", name), differs(get_bfmi(fit) * n / (n - 1), told$chains$ebfmi, same))
  if (warmup > 0) {
    with_warmup <- get_sampler_params(fit, inc_warmup = TRUE)
    check(sprintf("rstan: %s: warm-up", name),
          differs(sapply(with_warmup, function(x) x[, "energy__"]), sapply(raw, function(x) x[, "energy__"]), reading))
  }
  adaptation <- get_adaptation_info(fit)
  for (chain in seq_along(adaptation))
    check(sprintf("rstan: %s: step size and inverse metric of chain %d", name, chain),
          differs(numbers(adaptation[[chain]]), adapted(folder), 1e-12))
  theirs <- rstan::summary(fit, probs = c(0.05, 0.5, 0.95))$summary[rows$name, , drop = FALSE]
  ours_by_rstan <- c(mean = "mean", sd = "sd", q5 = "5%", q50 = "50%", q95 = "95%")
  for (ours in names(ours_by_rstan))
    check(sprintf("rstan: %s: %s", name, ours), differs(theirs[, ours_by_rstan[ours]], rows[[ours]], same))

  # --- posterior
  theirs <- summarise_draws(draws[, , rows$name], "mean", "mcse_mean", "sd", ~quantile2(.x, c(0.025, 0.05, 0.5, 0.95)), densest,
                            above_zero = ~mean(.x > 0), "ess_bulk", "ess_tail", "rhat")
  for (ours in setdiff(names(rows), "name"))
    check(sprintf("posterior: %s: %s", name, ours), differs(theirs[[ours]], rows[[ours]], same))
}
cat("read with R ", as.character(getRversion()), ", ", version_of("rstan"), ", ", version_of("posterior"), "\n", sep = "")
