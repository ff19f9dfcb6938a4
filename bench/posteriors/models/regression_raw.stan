// Linear regression on predictors as they were recorded, neither centred nor scaled, with age and its square: scales of
// coefficients from 2e-4 to 2.6, correlations with each other and with the intercept up to 0.985.
data {
  int<lower=0> N;
  vector[N] age;
  vector[N] altitude;
  vector[N] thickness;
  vector[N] income;
  vector[N] y;
}
transformed data {
  vector[N] age_squared = square(age);
}
parameters {
  real alpha;
  real b_age;
  real b_age_squared;
  real b_altitude;
  real b_thickness;
  real b_income;
  real<lower=0> sigma;
}
model {
  sigma ~ cauchy(0, 5);
  y ~ normal(alpha + b_age * age + b_age_squared * age_squared + b_altitude * altitude + b_thickness * thickness
             + b_income * income, sigma);
}
