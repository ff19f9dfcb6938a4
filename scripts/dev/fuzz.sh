# shellcheck shell=sh
# ./dev fuzz: libFuzzer on the targets of tests/fuzz, each until its time is up or there is a finding.

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

# The corpus is replayed by every compiler's tests; this is a few seconds of more.
fuzz_a_little() {
  heading "hostile input"
  quietly "build the fuzzer" compile asan-ubsan fuzz || { count 0 1 0 && return; }
  for target in $(fuzz_targets); do check "fuzz_$target" fuzz_one 4 "$target" -seed=1; done
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
    if fuzz_one $((60 * minutes)) "$target"; then
      count 1 0 0
      say "passed: $target, $(fuzz_figures "$target")"
    else
      count 0 1 0
      say "FAILED: $target: $(ls "$build/fuzz/$target".finding-* 2>/dev/null | tail -n 1), see $build/fuzz/$target.log"
    fi
  done
}
