#!/bin/sh
# reference.sh PROGRAM: prints reference.csv, the posterior means that posterior_test.cpp compares with. Takes minutes and a
# gigabyte. Nothing here is as in a default run: the structure, the integrator that goes with it, step sizes, seed.
set -eu
program=$1
data=$(dirname "$0")/../../data/german.csv
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

reference() { # MODEL ARGUMENT…
  model=$1
  shift
  "$program" sample "$model" "$@" --structure magnetic-position --strength 0.5 --target-acceptance 0.95 --chains 64 \
    --draws 20000 --thin 4 --seed 20240 --quiet --out "$scratch/$model"
  "$program" summary "$scratch/$model" --csv - | sed -n "2,\$s/^/$model,/p" | cut -d, -f1-5
}

echo "model,name,mean,mcse_mean,sd"
reference logistic --data "$data" --prior-intercept 1 --standardise all
reference fitzhugh-nagumo
