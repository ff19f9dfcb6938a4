# shellcheck shell=sh
# ./dev fuzz: libFuzzer on the targets of tests/fuzz, each until its time is up, it has made ten million executions, or there is a finding.

fuzz_program() { say "$PWD/$build/asan-ubsan/tests/fuzz/fuzz"; }
fuzz_targets() { find tests/fuzz/corpus -mindepth 1 -maxdepth 1 -type d -exec basename {} \; | sort; }

# fuzz_one SECONDS TARGET [OPTION…]: from the corpus, and from what earlier runs have found besides, which stays in the build. A finding is an input
# that is kept beside it, and the exit status.
fuzz_one() {
  seconds=$1 target=$2
  shift 2
  found=$PWD/$build/fuzz/$target
  mkdir -p "$found" "$found.scratch"
  options=$(fuzz_options "$seconds")
  # shellcheck disable=SC2086 # options
  TMPDIR=$found.scratch ASAN_OPTIONS=allow_addr2line=1:detect_leaks=1 "$(fuzz_program)" "target=$target" $options "$@" \
    -artifact_prefix="$found.finding-" "$found" "$PWD/tests/fuzz/corpus/$target" >"$found.log" 2>&1
  status=$?
  rm -rf "$found.scratch"
  [ $status -eq 0 ] || tail -n 40 "$found.log"
  return $status
}
# An input that takes ten seconds, or memory that no small file needs, is a finding, too.
fuzz_options() { say "-max_total_time=$1 -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=512 -max_len=8192 -print_final_stats=1"; }
fuzz_figures() { # TARGET: executions, seconds
  sed -n -e 's/^stat::number_of_executed_units: *//p' -e 's/^Done .* in \([0-9]*\) second.*/\1/p' "$build/fuzz/$1.log" | tac | tr '\n' ' ' |
    awk '{printf "%s executions in %s s", $1, $2}'
}

# fuzz_at_once SECONDS OPTION TARGET…: as many at the same time as there are processors, in one group of processes, so that Ctrl-C ends all.
# Then says what became of each.
fuzz_at_once() {
  seconds=$1 option=$2
  shift 2
  mkdir -p "$build/fuzz"
  for target; do rm -f "$build/fuzz/$target.passed"; done
  printf '%s\n' "$@" | build=$build xargs -P "$jobs" -I TARGET sh -c '. scripts/dev/steps.sh && . scripts/dev/fuzz.sh
    fuzz_one "$@" >/dev/null && touch "$build/fuzz/$2.passed"' sh "$seconds" TARGET "$option" || :
  for target; do
    if [ -e "$build/fuzz/$target.passed" ]; then
      count 1 0 0
      say "passed: $target, $(fuzz_figures "$target")"
    else
      count 0 1 0
      tail -n 40 "$build/fuzz/$target.log"
      say "FAILED: $target: $(find "$build/fuzz" -maxdepth 1 -name "$target.finding-*" | sort | tail -n 1), see $build/fuzz/$target.log"
    fi
  done
}

# The corpus is replayed by every compiler's tests; this is a few seconds of more.
fuzz_a_little() {
  heading "hostile input"
  quietly "build the fuzzer" compile asan-ubsan fuzz || { count 0 1 0 && return; }
  # shellcheck disable=SC2046 # names
  fuzz_at_once 4 -seed=1 $(fuzz_targets)
}

word_fuzz() {
  minutes=30
  if [ "${1:-}" = --minutes ]; then
    minutes=${2:?"fuzz: --minutes takes a number"}
    shift 2
  fi
  total_at_the_end
  setup "to fuzz" "$to_build clang-$clang libclang-rt-$clang-dev" ""
  heading "hostile input"
  quietly "configure" configure asan-ubsan "clang++-$clang" -DDARBOUX_WERROR=ON
  quietly "build" compile asan-ubsan fuzz
  # shellcheck disable=SC2046 # names
  [ $# -gt 0 ] || set -- $(fuzz_targets)
  for target; do
    [ -d "tests/fuzz/corpus/$target" ] || die "fuzz: there is no target $target; there are: $(fuzz_targets | tr '\n' ' ')"
  done
  fuzz_at_once $((60 * minutes)) -runs=10000000 "$@"
}
