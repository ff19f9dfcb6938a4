# shellcheck shell=sh
# ./dev bench: the benchmarks, and Darboux beside others.

benchmarks() { find bench -name '*_bench.cpp' -exec basename {} .cpp \; | sort; }

build_benchmark() { # TARGET…
  setup "to build the benchmarks" "$to_build libbenchmark-dev" ""
  make_release -DDARBOUX_BENCH=ON "$@"
}

# beside_stan [SEEDS]: Stan's NUTS and ours, each with a diagonal and with a dense metric, on the same data.
beside_stan() {
  seeds=${1:-20}
  setup "to run Stan" "r-base-core r-base-dev r-cran-bh r-cran-posterior r-cran-rstan" ""
  Rscript bench/stan_nuts.R "$seeds" "$build/stan.csv"
  "$build/release/bench/tuning" --only german --seeds "$seeds" --beside "$build/stan.csv" nuts:metric=diagonal nuts:metric=dense
}

bench_tuning() {
  build_benchmark tuning
  if [ "${1:-}" = --stan ]; then
    shift
    beside_stan "$@"
  else
    "$build/release/bench/tuning" "$@"
  fi
}

# Packages for models in Python are many: they are installed only where rows of theirs are asked for.
asks_for_python() { case "$*" in *--help* | -h) return 1 ;; *--only*python*) ;; *--only*) return 1 ;; esac; }
models_in_python() {
  python=$(new_python) && with_models_in_python "$python" && with_linked_package "$build/python/models"
}

# A peer that is not to be had here fails visibly in the table; the others run.
bench_peers() {
  mkdir -p "$build/peers"
  quietly "install Python packages" python_packages "$build/peers/venv" python3 bench/peers/requirements.txt
  build_benchmark in_memory darboux_program
  darboux=$build/release/bin/darboux
  [ -n "${DARBOUX_STAN:-}" ] || "$darboux" stan where >/dev/null 2>&1 || "$darboux" stan install || :
  if asks_for_python "$@"; then models_in_python || say "Without rows of models in Python: see $build/python/packages.log"; fi
  "$build/peers/venv/bin/python" -B bench/peers/compare.py --build "$build" "$@"
}

bench_posteriors() {
  mkdir -p "$build/posteriors"
  quietly "install Python packages" python_packages "$build/posteriors/venv" python3 bench/posteriors/requirements.txt
  make_release darboux_program
  "$build/posteriors/venv/bin/python" -B bench/posteriors/compare.py --build "$build" "$@"
}

bench_growth() {
  build_benchmark growth
  "$build/release/bench/growth" "$build" "$@"
}

bench_stan() {
  build_benchmark stan_calls
  "$build/release/bench/stan_calls" bench/posteriors/models "$@"
}

bench_calls() {
  python=$(new_python) || die "there is no Python 3.12 or later here"
  setup "to build the Python package" "$to_build" ""
  make_release darboux_program
  with_packages "$build/python/tools" "$python" python/requirements/build.txt || return
  with_packages "$build/python/short" "$python" python/requirements/test.txt || return
  with_linked_package "$build/python/short"
  "$build/python/short/bin/python" -B bench/python_calls.py "$@"
}

bench_checkpoints() {
  make_release darboux_program
  python3 -B bench/checkpoints.py "$build/release/bin/darboux" "$@"
}

bench_ranks() {
  setup "to start several processes" "$to_build libopenmpi-dev openmpi-bin libbenchmark-dev" ""
  make_release -DDARBOUX_MPI=ON -DDARBOUX_BENCH=ON darboux_program between_processes
  python3 -B bench/ranks.py "$build/release/bin/darboux" "$@"
}

bench_instructions() {
  setup "to count instructions" "$to_build valgrind" ""
  make_release darboux_program
  tests/instructions/count.py "$build/release/bin/darboux" "$@"
}

word_bench() {
  case ${1:-} in
    --tuning | --peers | --posteriors | --stan | --growth | --calls | --checkpoints | --instructions | --ranks)
      what=bench_${1#--}
      shift
      "$what" "$@"
      return
      ;;
  esac
  setup "to build the benchmarks" "$to_build libbenchmark-dev" "libopenblas-dev"
  make_release -DDARBOUX_BENCH=ON all
  for name in $(benchmarks); do "$build/release/bench/$name" "$@"; done
}
