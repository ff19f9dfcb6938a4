# Rscript zarr_checks.R OUT: what stars (by GDAL's driver for Zarr) reads from the stores of runs in OUT, as they are, is what is in the runs'
# Stan CSV files. zarr_checks.py leaves them there. Prints one line per check.
suppressMessages(library(stars))
out <- commandArgs(trailingOnly = TRUE)[1]

check <- function(name, holds) cat(if (isTRUE(holds)) "passed: " else "FAILED: ", name, "\n", sep = "")
# R reads decimals with a last bit that may be wrong.
same <- function(theirs, ours) length(theirs) == length(ours) && all(abs(as.vector(theirs) - as.vector(ours)) <= 1e-14 * abs(as.vector(ours)))
# Column by draw and chain.
drawn <- function(folder, pattern) {
  rows <- lapply(Sys.glob(file.path(folder, "chain_*.csv")), read.csv, comment.char = "#", check.names = FALSE)
  simplify2array(lapply(rows, function(x) t(as.matrix(x[, grepl(pattern, names(x)), drop = FALSE]))))
}

for (name in c("regression", "observed")) {
  run <- file.path(out, name)
  of <- function(group, variable) read_mdim(sprintf('ZARR:"%s/draws.zarr/%s"', run, group), variable = variable)
  beta <- of("posterior", "beta") # dimensions come in R's order: column, draw, chain
  ours <- drawn(run, "[^_]$|[^_]_$")
  check(sprintf("stars: %s: draws", name), same(beta[[1]], ours))
  check(sprintf("stars: %s: names of columns", name), identical(st_get_dimension_values(beta, "column"), rownames(ours)))
  check(sprintf("stars: %s: log density", name), same(of("sample_stats", "lp")[[1]], drawn(run, "^lp__$")))
  if (name == "observed")
    check("stars: observed: log likelihood", same(of("log_likelihood", "y")[[1]], drawn(file.path(run, "log_likelihood"), "^log_lik")))
  logit <- crossprod(of("constant_data", "X")[[1]], beta[[1]][, 1, 1])
  y <- of("observed_data", "y")[[1]]
  prior <- of("sample_stats", "lp")[[1]][1, 1] - sum(ifelse(y == 1, plogis(logit, log.p = TRUE), plogis(-logit, log.p = TRUE)))
  check(sprintf("stars: %s: design and outcomes give the log density, but for the prior", name), prior < 0 && prior > -length(beta[[1]][, 1, 1]) * 10)
}
cat("read with R ", as.character(getRversion()), ", stars ", as.character(packageVersion("stars")), ", GDAL ",
    sf::sf_extSoftVersion()[["GDAL"]], "\n", sep = "")
