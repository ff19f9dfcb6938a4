#!/bin/sh
# runs.sh PROGRAM DATA OUT: the runs that other tools are to read, short ones, in folders of OUT, each with what
# `darboux summary` says about it in summary.json.
set -eu
program=$1 data=$2 out=$3
rm -rf "$out"
mkdir -p "$out"

sample() { # NAME ARGUMENT…
  name=$1
  shift
  "$program" sample "$@" --seed 1 --quiet --out "$out/$name"
}
summarise() { "$program" summary "$out/$1" --quantiles 2.5%,5%,50%,95% --hdi 95% --above-zero --json "$out/$1/summary.json" >"$out/$1/summary.txt"; }

sample dense logistic --data "$data" --warmup 300 --draws 400
sample fitzhugh-nagumo fitzhugh-nagumo --warmup 300 --draws 301                  # an odd number: halves differ by one
sample diagonal logistic --data "$data" --metric diagonal --warmup 300 --draws 200
sample identity gaussian --dimension 2 --metric identity --warmup 100 --draws 200
sample no-warmup gaussian --dimension 2 --warmup 0 --step-size 0.5 --draws 200
sample thinned logistic --data "$data" --warmup 300 --draws 400 --thin 4 --save-warmup
sample observed logistic --data "$data" --warmup 300 --draws 400 --log-likelihood --posterior-predictive 100
# A step size that warm-up would not choose, so that there are divergences to be read.
sample divergent banana --warmup 0 --step-size 0.5 --steps 8 --draws 200

# Stan programs, one of them with parameters of every shape.
if "$program" stan where >/dev/null 2>&1; then
  programs=$(dirname "$0")/../stan/programs
  sample schools "$programs/schools.stan" --data "$programs/schools.json" --warmup 300 --draws 200
  sample kinds "$programs/kinds.stan" --data "$programs/kinds.json" --warmup 300 --draws 200 2>/dev/null # it prints
else
  echo "no runs of Stan programs: there is no Stan here"
fi

# Ctrl-C in the middle of sampling: what is there must be as good as a run that was asked for so many draws.
"$program" sample logistic --data "$data" --seed 1 --quiet --warmup 300 --draws 10000000 --out "$out/interrupted" &
run=$!
until [ -e "$out/interrupted/tuning.json" ]; do
  kill -0 $run
  sleep 0.1
done
sleep 2 # more than the half second after which rows are written
kill -INT $run
status=0
wait $run || status=$?
[ $status -eq 1 ] || { echo "the interrupted run ended with status $status, not 1" && exit 1; }

for folder in "$out"/*/; do summarise "$(basename "$folder")"; done
