# shellcheck shell=sh
# ./dev test --tsan: the thread sanitizer by itself.

# build_and_test_some PRESET CXX FOLDER…: only the tests of some folders.
build_and_test_some() {
  preset=$1 cxx=$2
  shift 2
  heading "$preset, $("$cxx" --version | head -n 1): $*"
  # shellcheck disable=SC2046 # names
  if quietly "configure $preset" configure "$preset" "$cxx" -DDARBOUX_WERROR=ON &&
    quietly "build $preset" compile "$preset" $(printf '%s_test ' "$@"); then
    say "built ($(seconds))"
    started=$(date +%s)
    run_tests "$preset" -R "^($(printf '%s|' "$@" | sed 's/|$//'))\\." >"$build/$preset/tests.log" 2>&1 || :
    report "$build/$preset/tests.xml"
  else
    count 0 1 0
  fi
}

# The thread sanitizer over what starts threads or is called by several of them; over all tests with --long.
word_tsan() {
  total_at_the_end
  setup "to test" "$to_build clang-$clang libclang-rt-$clang-dev" ""
  timeout=600
  build_and_test_some tsan "clang++-$clang" cli cluster draws run sample
}
