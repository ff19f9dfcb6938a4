// Logistic regression on standardised features; coefficients N(0, 1), the intercept's included.
data {
  int<lower=0> N;
  int<lower=0> K;
  matrix[N, K] x;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real a;
  vector[K] b;
}
model {
  a ~ std_normal();
  b ~ std_normal();
  y ~ bernoulli_logit_glm(x, a, b);
}
