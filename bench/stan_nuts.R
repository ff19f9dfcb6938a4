# Effective draws per 1000 leapfrog steps of Stan's NUTS on the German credit data, as the smaller of bulk and squares over all
# coefficients: what bench/tuning.cpp measures of ours. From the project's folder: ./dev bench --tuning --stan, or
#   Rscript bench/stan_nuts.R SEEDS FILE
# which writes a line METRIC,SEED,EFFECTIVE DRAWS for each run. Needs r-cran-rstan, r-cran-posterior, r-cran-bh, r-base-dev.
suppressMessages({
  library(rstan)
  library(posterior)
})
rstan_options(boost_lib = "/usr/include") # where Debian has it
arguments <- commandArgs(trailingOnly = TRUE)
seeds <- as.integer(arguments[1])
file <- arguments[2]
data <- read.csv("data/german.csv")
standardise <- function(x) (x - mean(x)) / sqrt(mean((x - mean(x))^2))
x <- apply(as.matrix(data[, setdiff(names(data), "y")]), 2, standardise)
model <- stan_model(model_code = "
  data { int N; int K; matrix[N, K] x; int y[N]; }
  parameters { real a; vector[K] b; }
  model { a ~ normal(0, 1); b ~ normal(0, 1); y ~ bernoulli_logit_glm(x, a, b); }")
run <- function(metric, seed) {
  fit <- sampling(model, data = list(N = nrow(x), K = ncol(x), x = x, y = data$y), chains = 4, iter = 2000,
                  warmup = 1000, seed = seed, refresh = 0, cores = 1, control = list(metric = metric))
  draws <- as_draws_array(as.array(fit))
  draws <- draws[, , setdiff(dimnames(draws)[[3]], "lp__")]
  of_chain <- function(name) sapply(get_sampler_params(fit, inc_warmup = FALSE), function(s) sum(s[, name]))
  steps <- sum(of_chain("n_leapfrog__"))
  bulk <- min(apply(draws, 3, ess_bulk))
  squares <- min(apply(draws, 3, ess_sd))
  cat(sprintf("stan %s seed %d: bulk %.1f, squares %.1f per 1000 steps; %.2f steps a draw, step size %.3f, R-hat %.3f\n",
              metric, seed, 1000 * bulk / steps, 1000 * squares / steps, steps / 4000,
              mean(of_chain("stepsize__")) / 1000, max(apply(draws, 3, rhat))))
  1000 * min(bulk, squares) / steps
}
write("metric,seed,per_1000", file)
for (metric in c("diagonal", "dense"))
  for (seed in seq_len(seeds))
    write(paste(metric, seed, run(c(diagonal = "diag_e", dense = "dense_e")[[metric]], seed), sep = ","), file,
          append = TRUE)
