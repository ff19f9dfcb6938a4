// Regression with as many predictors as observations, few of them active, under a regularised horseshoe: heavy tails, funnels
// in each of 100 local scales, 204 parameters.
data {
  int<lower=0> N;
  int<lower=0> P;
  matrix[N, P] x;
  vector[N] y;
  real<lower=0> scale_global;
}
parameters {
  real alpha;
  real<lower=0> sigma;
  real<lower=0> tau;
  real<lower=0> slab;
  vector<lower=0>[P] lambda;
  vector[P] z;
}
model {
  real width = 2 * sqrt(slab);
  vector[P] shrunk = width * lambda ./ sqrt(square(width) + square(tau * lambda));
  alpha ~ normal(0, 5);
  sigma ~ normal(0, 2);
  tau ~ student_t(1, 0, scale_global * sigma);
  slab ~ inv_gamma(2, 2);
  lambda ~ student_t(1, 0, 1);
  z ~ std_normal();
  y ~ normal_id_glm(x, alpha, tau * shrunk .* z, sigma);
}
