# shellcheck shell=sh
# ./dev prove: long runs that would show a bias. ./dev soak: many runs at once, whatever happens to them.

word_prove() {
  setup "to build the proof" "$to_build" ""
  make_release prove
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
