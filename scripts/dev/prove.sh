# shellcheck shell=sh
# ./dev prove: long runs that would show a bias. ./dev soak: many runs at once, whatever happens to them.

word_prove() {
  setup "to build the proof" "$to_build" ""
  make_release prove
  # The Stan that ./dev test has fetched for itself, for the model that is a Stan program; else the user's, if there is one.
  [ ! -d "$build/stan/data" ] || export XDG_DATA_HOME="$PWD/$build/stan/data" XDG_CACHE_HOME="$PWD/$build/stan/cache"
  commit=$(git describe --always --dirty 2>/dev/null || true)
  set -- --commit "$commit" "$@"
  case " $* " in
    *" --out "*) "$build/release/proofs/prove" "$@" ;;
    *) "$build/release/proofs/prove" --out "$build/proof" "$@" ;;
  esac
}

word_soak() {
  setup "to build the program" "$to_build" ""
  make_release darboux_program
  tests/soak/soak.py "$build/release/bin/darboux" "$@"
}
