# shellcheck shell=sh
# The Python package: built by pip as users do, and tested.

# A Python that it is for, 3.12 or later.
new_python() {
  for name in python3 python3.14 python3.13 python3.12 "${HOME:-}"/.pyenv/versions/3.1[2-9]*/bin/python3; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 12))' >/dev/null 2>&1; then
      say "$name"
      return
    fi
  done
  return 1
}

install_python_package() { # PYTHON VENV
  "$1" -m venv --clear "$2" && CMAKE_BUILD_PARALLEL_LEVEL=$jobs "$2/bin/pip" install --quiet --disable-pip-version-check . pytest
}

test_python_package() {
  heading "the Python package"
  if ! python=$(new_python); then
    skip "there is no Python 3.12 or later here"
    return
  fi
  venv=$build/python/venv
  mkdir -p "$build/python"
  check "pip install ." install_python_package "$python" "$venv"
  if [ -e "$venv/bin/pytest" ]; then
    check "pytest python/tests" env DARBOUX_PROGRAM="$PWD/$build/release/bin/darboux" "$venv/bin/pytest" -q python/tests
  fi
  say "($(seconds))"
}

word_python() {
  total_at_the_end
  setup "to build the Python package" "$to_build" ""
  make_release darboux_program
  test_python_package
}
