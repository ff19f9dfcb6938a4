// Hidden Markov model with two states and normal emissions, means in order; the forward algorithm sums over all paths.
data {
  int<lower=1> T;
  vector[T] y;
}
parameters {
  array[2] simplex[2] transition;
  ordered[2] mu;
  real<lower=0> sigma;
}
model {
  array[2] vector[2] into;
  vector[2] ahead;
  transition[1] ~ dirichlet([8, 2]');
  transition[2] ~ dirichlet([2, 8]');
  mu ~ normal(0, 5);
  sigma ~ normal(0, 2);
  for (k in 1 : 2) {
    into[k] = [log(transition[1, k]), log(transition[2, k])]';
    ahead[k] = log(0.5) + normal_lpdf(y[1] | mu[k], sigma);
  }
  for (t in 2 : T) {
    vector[2] next;
    for (k in 1 : 2) next[k] = log_sum_exp(ahead + into[k]) + normal_lpdf(y[t] | mu[k], sigma);
    ahead = next;
  }
  target += log_sum_exp(ahead);
}
