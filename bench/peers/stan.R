# Stan's NUTS through rstan, compiled with -O3 for this processor: stan.R VARIANT CASE OUT RUNS LIMIT WARMUP DRAWS
# defaults: diagonal metric; best: dense metric. Times are Stan's own, CPU seconds, without compilation. See worker.py.
suppressMessages({
  library(jsonlite)
  library(rstan)
})
args <- commandArgs(trailingOnly = TRUE)
variant <- args[1]; case <- args[2]; out <- args[3]
runs <- as.integer(args[4]); limit <- as.numeric(args[5]); warmup <- as.integer(args[6]); draws <- as.integer(args[7])

rstan_options(boost_lib = "/usr/include") # where Debian has it
flags <- file.path(out, "Makevars")
writeLines("CXX14FLAGS = -O3 -march=native -w", flags)
Sys.setenv(R_MAKEVARS_USER = flags)

logistic <- "
  data { int N; int K; matrix[N, K] x; int y[N]; }
  parameters { real a; vector[K] b; }
  model { a ~ normal(0, 1); b ~ normal(0, 1); y ~ bernoulli_logit_glm(x, a, b); }"
fitzhugh_nagumo <- "
  functions {
    real[] slope(real t, real[] y, real[] q, real[] x_r, int[] x_i) {
      return { q[3] * (y[1] - y[1]^3 / 3 + y[2]), -(y[1] - q[1] + q[2] * y[2]) / q[3] };
    }
  }
  data { int N; real t[N]; matrix[N, 2] seen; }
  transformed data { real x_r[0]; int x_i[0]; }
  parameters { real q[3]; }
  model {
    real y[N, 2] = integrate_ode_rk45(slope, {-1.0, 1.0}, 0.0, t, q, x_r, x_i, 1e-6, 1e-6, 1e6);
    q ~ normal(0, sqrt(0.5));
    to_vector(to_matrix(y)) ~ normal(to_vector(seen), sqrt(0.5));
  }"

table <- read.csv(case)
chains <- 4
if ("V" %in% names(table)) {
  seen <- table[table$t > 0, ] # the first observation does not depend on parameters
  data <- list(N = nrow(seen), t = seen$t, seen = as.matrix(seen[, c("V", "R")]))
  model <- stan_model(model_code = fitzhugh_nagumo)
  starts <- function() list(q = rnorm(3, c(0.2, 0.2, 3), c(0.02, 0.1, 0.05)))
} else {
  response <- if ("y" %in% names(table)) "y" else names(table)[1]
  standardise <- function(x) (x - mean(x)) / sqrt(mean((x - mean(x))^2))
  x <- apply(as.matrix(table[, setdiff(names(table), response)]), 2, standardise)
  data <- list(N = nrow(x), K = ncol(x), x = x, y = table[[response]])
  model <- stan_model(model_code = logistic)
  starts <- "random"
}

begin <- proc.time()
for (seed in seq_len(runs)) {
  set.seed(seed)
  fit <- sampling(model, data = data, chains = chains, iter = warmup + draws, warmup = warmup, seed = seed, refresh = 0,
                  cores = 1, init = starts, control = list(metric = if (variant == "best") "dense_e" else "diag_e"))
  values <- as.array(fit)
  values <- values[, , setdiff(dimnames(values)[[3]], "lp__")]
  file <- file(file.path(out, paste0(seed, ".draws")), "wb")
  writeBin(as.vector(values), file)
  close(file)
  seconds <- colSums(get_elapsed_time(fit))
  steps <- sum(sapply(get_sampler_params(fit, inc_warmup = FALSE), function(s) sum(s[, "n_leapfrog__"])))
  write_json(list(chains = chains, draws = draws, warmup_seconds = seconds[["warmup"]],
                  sampling_seconds = seconds[["sample"]], gradients = steps),
             file.path(out, paste0(seed, ".json")), auto_unbox = TRUE, digits = NA)
  if (sum((proc.time() - begin)[1:2]) > limit) break
}
