// Counts in six categories of 15 groups; their shares are simplexes with a common Dirichlet distribution, whose mean is a
// simplex too: 81 unconstrained dimensions behind 97 columns.
data {
  int<lower=0> J;
  int<lower=2> K;
  array[J, K] int<lower=0> y;
}
parameters {
  simplex[K] mean;
  real<lower=0> concentration;
  array[J] simplex[K] share;
}
model {
  mean ~ dirichlet(rep_vector(2, K));
  concentration ~ lognormal(3, 1);
  for (j in 1 : J) {
    share[j] ~ dirichlet(concentration * mean);
    y[j] ~ multinomial(share[j]);
  }
}
