# Rscript nasty.R OUT: what posterior says of the chains in each folder of OUT, into posterior.json there: by statistic, by column.
suppressPackageStartupMessages({
  library(posterior)
  library(jsonlite)
})
number <- function(value) tryCatch(suppressWarnings(as.numeric(value)), error = function(e) NA)
statistics <- list(
  mean = mean, sd = sd, q5 = function(x) quantile2(x, 0.05), q50 = function(x) quantile2(x, 0.5), q95 = function(x) quantile2(x, 0.95),
  mcse_mean = mcse_mean, ess_bulk = ess_bulk, ess_tail = ess_tail, rhat = rhat)
for (folder in list.dirs(commandArgs(trailingOnly = TRUE)[1], recursive = FALSE)) {
  chains <- lapply(Sys.glob(file.path(folder, "chain_*.csv")), read.csv, comment.char = "#", check.names = FALSE)
  told <- list()
  for (column in setdiff(names(chains[[1]]), "lp__")) {
    x <- matrix(unlist(lapply(chains, function(chain) as.numeric(chain[[column]]))), ncol = length(chains))
    told[[column]] <- lapply(statistics, function(f) {
      value <- number(f(x))
      if (is.na(value)) "NaN" else if (is.infinite(value)) ifelse(value > 0, "Inf", "-Inf") else value
    })
  }
  write_json(told, file.path(folder, "posterior.json"), auto_unbox = TRUE, digits = NA)
}
cat("read with R ", as.character(getRversion()), ", posterior ", as.character(packageVersion("posterior")), "\n", sep = "")
