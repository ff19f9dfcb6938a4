# Rscript netcdf_checks.R OUT: what ncdf4 reads from netCDF files that `darboux convert` made of the runs in OUT (zarr_checks.py leaves
# them there) is what is in the runs' Stan CSV files. Prints one line per check.
library(ncdf4)
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
  file <- nc_open(file.path(out, paste0(name, ".nc")))
  beta <- ncvar_get(file, "posterior/beta") # dimensions come in R's order: column, draw, chain
  check(sprintf("ncdf4: %s: draws", name), same(beta, drawn(run, "[^_]$|[^_]_$")))
  check(sprintf("ncdf4: %s: names of columns", name),
        identical(as.vector(ncvar_get(file, "posterior/column")), rownames(drawn(run, "[^_]$|[^_]_$"))))
  check(sprintf("ncdf4: %s: log density", name), same(ncvar_get(file, "sample_stats/lp"), drawn(run, "^lp__$")))
  if (name == "observed")
    check("ncdf4: observed: log likelihood",
          same(ncvar_get(file, "log_likelihood/y"), drawn(file.path(run, "log_likelihood"), "^log_lik")))
  logit <- crossprod(ncvar_get(file, "constant_data/X"), beta[, 1, 1])
  y <- ncvar_get(file, "observed_data/y")
  prior <- ncvar_get(file, "sample_stats/lp")[1, 1] - sum(ifelse(y == 1, plogis(logit, log.p = TRUE), plogis(-logit, log.p = TRUE)))
  check(sprintf("ncdf4: %s: design and outcomes give the log density, but for the prior", name), prior < 0 && prior > -length(beta[, 1, 1]) * 10)
  nc_close(file)
}
cat("read with R ", as.character(getRversion()), ", ncdf4 ", as.character(packageVersion("ncdf4")), "\n", sep = "")
