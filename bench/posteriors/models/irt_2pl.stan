// Item response: 100 persons answer 20 items that differ in difficulty and discrimination. Abilities and discriminations are
// multiplied, 142 parameters.
data {
  int<lower=0> I;
  int<lower=0> J;
  array[I, J] int<lower=0, upper=1> y;
}
parameters {
  vector[J] ability;
  vector<lower=0>[I] discrimination;
  vector[I] difficulty;
  real mu_difficulty;
  real<lower=0> sigma_difficulty;
}
model {
  ability ~ std_normal();
  discrimination ~ lognormal(0, 0.5);
  mu_difficulty ~ normal(0, 2);
  sigma_difficulty ~ normal(0, 2);
  difficulty ~ normal(mu_difficulty, sigma_difficulty);
  for (i in 1 : I) y[i] ~ bernoulli_logit(discrimination[i] * (ability - difficulty[i]));
}
