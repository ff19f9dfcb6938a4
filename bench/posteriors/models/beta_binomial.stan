// Shares of successes in 71 groups of unequal size, drawn from a beta distribution: mean and concentration of it, and each
// group's share between 0 and 1. The concentration has a long tail.
data {
  int<lower=0> J;
  array[J] int<lower=0> n;
  array[J] int<lower=0> y;
}
parameters {
  real<lower=0, upper=1> mean;
  real<lower=0.1> concentration;
  vector<lower=0, upper=1>[J] share;
}
model {
  concentration ~ pareto(0.1, 1.5);
  share ~ beta_proportion(mean, concentration);
  y ~ binomial(n, share);
}
