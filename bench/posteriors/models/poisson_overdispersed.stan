// Poisson regression in which every count has a random effect of its own, for overdispersion: 100 effects that are informed
// well by large counts and hardly by small ones.
data {
  int<lower=0> N;
  int<lower=0> K;
  matrix[N, K] x;
  array[N] int<lower=0> y;
}
parameters {
  real alpha;
  vector[K] beta;
  real<lower=0> sigma;
  vector[N] z;
}
model {
  alpha ~ normal(0, 5);
  beta ~ normal(0, 2);
  sigma ~ normal(0, 1);
  z ~ std_normal();
  y ~ poisson_log(alpha + x * beta + sigma * z);
}
