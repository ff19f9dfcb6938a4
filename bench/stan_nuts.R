# Effective draws per 1000 leapfrog steps of Stan's NUTS on the German credit data, to be compared with
#   ./dev bench --tuning --only german nuts nuts:diagonal=1
# From the project's folder: Rscript bench/stan_nuts.R. Needs r-cran-rstan, r-cran-posterior, r-cran-bh, r-base-dev.
suppressMessages({
  library(rstan)
  library(posterior)
})
rstan_options(boost_lib = "/usr/include") # where Debian has it
data <- read.csv("data/german.csv")
standardise <- function(x) (x - mean(x)) / sqrt(mean((x - mean(x))^2))
x <- apply(as.matrix(data[, setdiff(names(data), "y")]), 2, standardise)
model <- stan_model(model_code = "
  data { int N; int K; matrix[N, K] x; int y[N]; }
  parameters { real a; vector[K] b; }
  model { a ~ normal(0, 1); b ~ normal(0, 1); y ~ bernoulli_logit_glm(x, a, b); }")
for (metric in c("diag_e", "dense_e")) {
  for (seed in 1:6) {
    fit <- sampling(model, data = list(N = nrow(x), K = ncol(x), x = x, y = data$y), chains = 4, iter = 2000,
                    warmup = 1000, seed = seed, refresh = 0, cores = 1, control = list(metric = metric))
    draws <- as_draws_array(as.array(fit))
    draws <- draws[, , setdiff(dimnames(draws)[[3]], "lp__")]
    steps <- sum(sapply(get_sampler_params(fit, inc_warmup = FALSE), function(s) sum(s[, "n_leapfrog__"])))
    per_1000 <- 1000 / steps * c(bulk = min(apply(draws, 3, ess_bulk)), squares = min(apply(draws, 3, ess_sd)))
    cat(metric, "seed", seed, "bulk", per_1000["bulk"], "squares", per_1000["squares"], "\n")
  }
}
