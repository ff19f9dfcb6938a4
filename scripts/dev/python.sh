# shellcheck shell=sh
# The Python package: built, checked and tested.

python_names="python3 python3.14 python3.13 python3.12 ${HOME:-}/.pyenv/versions/3.1[2-9]*/bin/python3"

# Pythons that it is for, 3.12 or later, one of each version.
new_pythons() {
  seen=
  # shellcheck disable=SC2086 # a list, with a pattern
  for name in $python_names; do
    version=$("$name" -c 'import sys; print("%d.%d" % sys.version_info[:2] if sys.version_info >= (3, 12) else "")' 2>/dev/null) || continue
    case " $seen " in *" $version "*) ;; *) say "$name" && seen="$seen $version" ;; esac
  done
}
new_python() { new_pythons | grep . | head -n 1 | grep .; }

# python_packages VENV PYTHON REQUIREMENTS…: a virtual environment with just these packages, made anew where they have changed.
python_packages() {
  folder=$1 interpreter=$2
  shift 2
  wanted=$("$interpreter" --version && cat "$@") || return
  [ -e "$folder/installed" ] && [ "$wanted" = "$(cat "$folder/installed")" ] && return
  rm -f "$folder/installed"
  "$interpreter" -m venv --clear "$folder" ||
    (setup "to install Python packages" python3-venv "" && "$interpreter" -m venv --clear "$folder")
  for file; do "$folder/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$file" || return; done
  say "$wanted" >"$folder/installed"
}

# with_packages VENV PYTHON REQUIREMENTS…: likewise, but says that it skips what needs them where they are not to be had.
with_packages() {
  mkdir -p "$build/python"
  python_packages "$@" >"$build/python/packages.log" 2>&1 && return
  skip "Python packages of $3 are not to be had here, see $build/python/packages.log"
  return 1
}

# make_wheel FOLDER [NAME=VALUE…]: the wheel in FOLDER, with settings for CMake; built with the tools of python/requirements/build.txt.
make_wheel() {
  folder=$1
  shift
  for setting; do
    set -- "$@" -C "cmake.define.$setting"
    shift
  done
  rm -rf "$folder"
  tools=$PWD/$build/python/tools/bin
  PATH=$tools:$PATH CMAKE_BUILD_PARALLEL_LEVEL=$jobs "$tools/pip" wheel --quiet --disable-pip-version-check --no-deps \
    --no-build-isolation --wheel-dir "$folder" -C build-dir="$folder.build" -C cmake.define.DARBOUX_PAGE="$(report_page)" "$@" .
}
report_page() { say "$PWD/$build/release/share/darboux/report.html"; }

# install_wheel VENV FOLDER: in place of the one that may be there.
install_wheel() { "$1/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$2"/*.whl; }

# pytest_in VENV NAME [FILE…]: tests, and examples of docstrings, of what is installed: in an empty folder, so that nothing else is seen.
pytest_in() {
  venv=$PWD/$build/python/$1 report=$PWD/$build/python/$2.xml root=$PWD
  shift 2
  [ $# -gt 0 ] || set -- --pyargs darboux --doctest-modules "$root/python/tests"
  empty=$build/python/empty
  rm -rf "$empty" "$report"
  mkdir -p "$empty"
  (cd "$empty" && DARBOUX_PROGRAM="$root/$build/release/bin/darboux" \
    PYTENSOR_FLAGS="$(cd "$root" && compiled_models)" \
    "$venv/bin/python" -m pytest -q -p no:cacheprovider --rootdir "$root/python" --junit-xml "$report" "$@" >"$report.log" 2>&1) ||
    [ $? -eq 1 ] || { tail -n 20 "$report.log" && rm -f "$report"; } # 1: tests have failed, and the report says which
  report "$report"
}

# with_linked_package VENV: the package there, linked with the library that is built already, which spares compiling it again.
make_linked_package() { make_wheel "$build/python/linked" DARBOUX_BUILT="$PWD/$build/release"; }
with_linked_package() {
  quietly "build the Python package" make_linked_package &&
    quietly "install it" install_wheel "$1" "$build/python/linked"
}
with_models_in_python() { # PYTHON
  with_packages "$build/python/tools" "$1" python/requirements/build.txt &&
    with_packages "$build/python/models" "$1" python/requirements/test.txt python/requirements/models.txt
}

# What needs no heavy packages.
test_python_package() {
  heading "the Python package"
  if ! python=$(new_python); then
    skip "there is no Python 3.12 or later here"
    return
  fi
  with_packages "$build/python/tools" "$python" python/requirements/build.txt || return 0
  with_packages "$build/python/short" "$python" python/requirements/test.txt || return 0
  if with_linked_package "$build/python/short"; then pytest_in short short; else count 0 1 0; fi
}

# The commands of docs/python.md to install the package.
documented_installation() {
  awk '/^## /{here = $0 == "## Install"} here && /^```$/{exit} here && code; here && /^```sh$/{code = 1}' docs/python.md
}
# What it says, to the letter, in a virtual environment: the whole library compiled. Packages of the system are only looked up.
plain_installation() ( # PYTHON
  sudo() { ! command -v apt-get >/dev/null || "$@" --simulate; }
  "$1" -m venv --clear "$build/python/plain" &&
    commands=$(documented_installation) && say "$commands" | grep -q '^pip install \.$' &&
    PATH="$PWD/$build/python/plain/bin:$PATH" CMAKE_BUILD_PARALLEL_LEVEL=$jobs && export PATH CMAKE_BUILD_PARALLEL_LEVEL &&
    eval "$(say "$commands" | sed '$!s/$/ \&\&/')" &&
    "$build/python/plain/bin/python" -I -c 'import darboux; darboux.sample(darboux.models.named("banana"), seed=1, progressbar=False)'
)

check_style_and_types() { # PYTHON FOLDER-OF-THE-WHEEL
  heading "style and types of the Python package"
  with_packages "$build/python/checks" "$1" python/requirements/test.txt python/requirements/checks.txt || return 0
  quietly "install the package" install_wheel "$build/python/checks" "$2" || { count 0 1 0 && return; }
  check "ruff check" "$build/python/checks/bin/ruff" check --no-cache python scripts/notebooks
  # Pyright looks at the packages of the first Python in PATH.
  check "pyright --verifytypes" env PATH="$PWD/$build/python/checks/bin:$PATH" pyright --verifytypes darboux --ignoreexternal
}

# Models of PyMC, JAX and NumPyro, and notebooks.
test_models_in_python() { # PYTHON FOLDER-OF-THE-WHEEL
  heading "models in Python, and notebooks"
  with_models_in_python "$1" || return 0
  if ! quietly "install the package" install_wheel "$build/python/models" "$2"; then
    count 0 1 0
    return
  fi
  pytest_in models heavy --heavy "$PWD/python/tests/heavy"
  mkdir -p "$build/interop"
  started=$(date +%s)
  counted Notebooks env PYTENSOR_FLAGS="$(compiled_models)" "$build/python/models/bin/python" scripts/notebooks docs/notebooks/*.ipynb
}
compiled_models() { say "base_compiledir=$PWD/$build/python/pytensor"; }

# What ./dev test leaves out, but for the wheel for older systems and free-threaded Python: ./dev wheel.
interop_python() {
  if ! python=$(new_python); then
    heading "the Python package"
    skip "there is no Python 3.12 or later here"
    return
  fi
  heading "the Python package, as users install it"
  with_packages "$build/python/tools" "$python" python/requirements/build.txt || return 0
  check "the installation of docs/python.md" plain_installation "$python"
  say "($(seconds))"
  quietly "build the Python package" make_linked_package || { count 0 1 0 && return; }
  check_style_and_types "$python" "$build/python/linked"
  test_models_in_python "$python" "$build/python/linked"
}

word_python() {
  total_at_the_end
  setup "to build the Python package" "$to_build" "$(node_packages)"
  make_release darboux_program report_page
  test_python_package
}
