# shellcheck shell=sh
# The Python package without the interpreter's lock.

free_threaded_python() {
  for name in python3.14t "${HOME:-}"/.pyenv/versions/3.14*t*/bin/python3 "$PWD/$build/python/free-threaded/bin/python3.14t"; do
    if "$name" -c 'import sys; sys.exit(sys._is_gil_enabled())' >/dev/null 2>&1; then
      say "$name"
      return
    fi
  done
  return 1
}

# An environment where pip may be missing: that of the tools serves.
free_threaded_environment() { # PYTHON
  "$1" -m venv --without-pip --clear "$build/python/no-lock" || return
  for file in build test; do
    "$build/python/tools/bin/pip" --python "$build/python/no-lock/bin/python" install --quiet --require-hashes \
      -r "python/requirements/$file.txt" || return
  done
}
install_without_lock() {
  PATH=$PWD/$build/python/no-lock/bin:$PATH "$build/python/tools/bin/pip" --python "$build/python/no-lock/bin/python" install --quiet \
    --no-deps --no-build-isolation -C build-dir="$build/python/no-lock.build" -C cmake.define.DARBOUX_BUILT="$PWD/$build/release" \
    -C cmake.define.DARBOUX_PAGE="$(report_page)" .
}

test_without_lock() {
  heading "free-threaded Python 3.14"
  log=$build/python/free-threaded.log
  if ! free_threaded_python >/dev/null; then
    scripts/free_threaded_python "$build/python/free-threaded" "$build/python/tools/bin/pip" >"$log" 2>&1 || :
  fi
  if ! python=$(free_threaded_python); then skip "there is no free-threaded Python here, see $log"
  elif ! free_threaded_environment "$python" >"$log" 2>&1; then skip "packages for free-threaded Python are not to be had here, see $log"
  elif quietly "install the package" install_without_lock; then pytest_in no-lock no-lock
  else count 0 1 0; fi
}
