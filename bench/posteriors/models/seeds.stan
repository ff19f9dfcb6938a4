// Seeds that germinated on 21 plates, two kinds in two extracts: logistic with an effect of each plate, centred. The scale of
// effects is small and barely determined.
data {
  int<lower=0> I;
  array[I] int<lower=0> n;
  array[I] int<lower=0> y;
  vector[I] kind;
  vector[I] extract;
}
parameters {
  real alpha;
  real b_kind;
  real b_extract;
  real b_both;
  real<lower=0> tau;
  vector[I] plate;
}
model {
  alpha ~ normal(0, 2);
  b_kind ~ normal(0, 2);
  b_extract ~ normal(0, 2);
  b_both ~ normal(0, 2);
  tau ~ normal(0, 1);
  plate ~ normal(0, tau);
  y ~ binomial_logit(n, alpha + b_kind * kind + b_extract * extract + b_both * kind .* extract + plate);
}
